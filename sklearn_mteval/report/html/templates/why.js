/* Why a model prefers one translation of a segment to another, for any two: what differs in words,
   then what each family of features adds to the decision. */
function whyOf(segment, k) {
  const why = segment.why, made = element("details", { class: "why" });
  const list = segment.translations.map((translation, n) => [translation, n]).filter(([, n]) => why.of[n] >= 0);
  const choice = (label, id, start) => {
    const select = element("select", { id: `${id}-${k}` }, ...list.map(([translation, n]) =>
      element("option", { value: n }, shownSafely(shortened(shortName(translation.system), 60)))));
    select.value = list[start][1];
    return [element("label", { for: `${id}-${k}` }, label), " ", select, " "];
  };
  const found = element("div", { role: "status" });
  const fillIn = () => {
    if (!made.open || made.querySelector("select")) return;
    const line = element("p", null, ...choice("Why is", "why-first", 0), ...choice("above or below", "why-second", 1));
    const show = () => found.replaceChildren(...whyParts(segment, ...[...line.querySelectorAll("select")].map((select) => Number(select.value))));
    line.addEventListener("change", show);
    /* A choice is no filter: the page's form does not hear of it. */
    made.append(line, found);
    if (list.length < segment.translations.length) made.append(element("p", { class: "quiet" }, `Only ${list.length} of ${segment.translations.length} translations can be chosen here: the best ones.`));
    show();
  };
  made.append(element("summary", null, "Why is one of them above another?"));
  made.addEventListener("toggle", fillIn);
  return made;
}

/* What each family adds to the decision for one translation over another, in log-odds; null: not known. */
function valuesOf(segment, one, other) {
  const { of, pairs } = segment.why, [a, b] = [of[one], of[other]];
  if (a === b) return data.families.map(() => 0);
  const n = Math.max(...of) + 1, [i, j] = [Math.min(a, b), Math.max(a, b)];
  const written = pairs.split(";")[i * n - i * (i + 1) / 2 + j - i - 1];
  return written ? written.split(",").map((value) => Number(value) * (a < b ? 1 : -1)) : null;
}

function whyParts(segment, one, other) {
  const names = [one, other].map((n) => element("bdi", null, shownSafely(shortened(shortName(segment.translations[n].system), 60))));
  const sentence = (...parts) => element("p", null, ...parts.map((part) => (part instanceof Node ? part.cloneNode(true) : part)));
  if (one === other) return [sentence("Choose two translations.")];
  if (segment.translations[one].text === segment.translations[other].text) return [sentence(names[0], " and ", names[1], " say the same.")];
  const values = valuesOf(segment, one, other);
  const parts = [], decision = values ? values.reduce((a, b) => a + b, 0) : null;
  if (values === null) parts.push(sentence("They have different references: what the model compares cannot be told."));
  else if (decision === 0) parts.push(sentence("Compared alone, ", names[0], " and ", names[1], " are equally good to the model."));
  else {
    const order = decision > 0 ? names : [names[1], names[0]];
    const sure = data.log_odds ? ` with a probability of ${(1 / (1 + Math.exp(-Math.abs(decision) / 100))).toFixed(2)}` : "";
    parts.push(sentence("Compared with each other alone, the model prefers ", order[0], " to ", order[1], `${sure}.`));
    const ranks = [one, other].map((n) => segment.translations[n].rank);
    if (ranks[0] !== ranks[1] && (ranks[0] > ranks[1]) === (decision > 0)) {
      parts.push(sentence("It ranks them the other way round, because ranks count how each of them compares with all translations of the segment."));
    }
  }
  for (const [worse, better, name] of [[other, one, names[1]], [one, other, names[0]]]) {
    const said = differencesOf(segment, segment.translations[worse], segment.translations[better]);
    if (said.length) parts.push(sentence("What speaks against ", name, ", by rules and not by the model:"), listOf(said));
  }
  if (values && values.some(Boolean)) parts.push(...tableOfValues(values, decision, names));
  return parts;
}

function listOf(rows) {
  return element("ul", null, ...rows.map((row) => element("li", { dir: "auto" }, shownSafely(shortened(row, 400)))));
}

/* A row for each family, the weightiest first, and one for the decision, their sum. */
function tableOfValues(values, decision, names) {
  const rows = data.families.map(([name, wording], n) => [wording ? `${name} *` : name, values[n]])
    .filter(([, value]) => value).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const most = Math.abs(rows[0][1]);
  const number = (value, kind) => element("td", { class: kind }, value > 0 ? (value / 100).toFixed(2) : "");
  const row = (label, value, bar) => element("tr", null, element("th", { scope: "row" }, label), number(value, "n"), element("td", null, bar), number(-value));
  const head = (kind, name) => element("th", { scope: "col", class: kind }, "for ", name.cloneNode(true));
  const table = element("table", null,
    element("caption", null, `What the model compares, and which of the two it speaks for${data.log_odds ? " (log-odds)" : ""}`),
    element("thead", null, element("tr", null, element("th", { scope: "col" }, "what is compared"),
      head("n", names[0]), element("td", null), head(null, names[1]))),
    element("tbody", null, ...rows.map(([label, value]) => row(label, value, sideBar(value / most)))),
    element("tfoot", null, row("the decision: one side less the other", decision, "")));
  const parts = [element("div", { class: "mteval-scroll", tabindex: "0", role: "region", "aria-label": "What the decision is made of" }, table)];
  if (rows.some(([label]) => label.endsWith(" *"))) {
    parts.push(element("p", { class: "quiet" }, "* This only tells how like a translation is in its wording to the reference or to the other translations, not whether its meaning is right."));
  }
  return parts;
}

/* A bar from the middle, to the left for the first translation, to the right for the second. */
function sideBar(part) {
  const wide = Math.max(1, 50 * Math.abs(part));
  return drawn("svg", { width: 104, height: 12, viewBox: "0 0 104 12", "aria-hidden": "true" },
    drawn("rect", { class: part > 0 ? "for" : "against", x: part > 0 ? 52 - wide : 52, y: 1, width: wide, height: 10 }),
    drawn("line", { x1: 52, x2: 52, y1: 0, y2: 12, stroke: "currentColor" }));
}

/* ---- what only the worse of two translations has against it, in words, as the package's explain says it ---- */
function differencesOf(segment, worse, better) {
  if (!worse.text.trim() && better.text.trim()) return ["It is empty."];
  const flags = (worse.flags || []).filter((flag) => !(better.flags || []).includes(flag));
  const words = (translation, name) => (translation[name] || []).flatMap(plainWords);
  const at = (translation, name) => (translation[name] || []).flatMap((start, k, all) => (k % 2 ? [] : plainWords(translation.text.slice(start, all[k + 1]))));
  const missing = surplus(words(worse, "missing"), words(better, "missing"));
  const own = surplus(at(worse, "marks"), at(better, "marks"));
  const found = [...flags];
  if (missing.length && own.length) found.push(`It has ${quoted(own)} in place of the reference's ${quoted(missing)}.`);
  else if (missing.length) found.push(`It has nothing for ${quoted(missing)} of the reference.`);
  else if (own.length) found.push(`It adds ${quoted(own)}.`);
  else {
    const moved = surplus(at(worse, "moved"), at(better, "moved"));
    if (moved.length) found.push(`In it, ${quoted(moved)} stands elsewhere than in the reference.`);
  }
  return found.length ? found : differencesOfForm(segment, worse.text, better.text);
}

const plainWords = (text) => text.match(/[\p{L}\p{N}\p{M}]+(?:['’.,-][\p{L}\p{N}\p{M}]+)*/gu) || [];

function surplus(words, others) {
  const left = new Map();
  others.forEach((word) => left.set(word.toLowerCase(), (left.get(word.toLowerCase()) || 0) + 1));
  return words.filter((word) => {
    const n = left.get(word.toLowerCase()) || 0;
    left.set(word.toLowerCase(), n - 1);
    return n <= 0;
  });
}

const quoted = (words) => words.slice(0, 8).map((word) => `“${word}”`).join(", ") + (words.length > 8 ? ` and ${words.length - 8} more` : "");

function differencesOfForm(segment, text, other) {
  if (!segment.references) return [];
  const letters = (some) => some.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  if (segment.references.includes(other) && text.toLowerCase() === other.toLowerCase()) return ["Its capitals differ from the reference's."];
  return letters(text) === letters(other) ? ["Its marks or spaces differ."] : [];
}
