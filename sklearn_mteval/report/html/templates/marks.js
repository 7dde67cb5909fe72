/* ---- what annotators marked: by whom, in which text, and what is missing ---- */
const ANNOTATORS = 4;      /* of a translation, shown at first */

/* The errors that annotators marked in some translations, each with its system, if they are shown. */
const spansOf = (some) => (byId("errors").checked ? some.flatMap((one) => (one.spans || []).map((span) => ({ ...span, system: one.system }))) : []);
const isThere = (span, place) => span.place === place && span.end > span.start;
const isMissing = (span) => span.place === "omission" || (span.place !== "translation" && /omission/i.test(span.category));
const whatOf = (span) => [span.severity, span.category].filter(Boolean).join(": ") || "error";

/* Ranges of errors in a translation, and of what two annotators marked or more. */
function errorRanges(spans, alone) {
  const there = spans.filter((span) => isThere(span, "translation"));
  const errors = there.map((span) => {
    const whose = [span.judge, alone ? "" : `of ${shortName(span.system)}`].filter(Boolean).join(", ");
    return [span.start, span.end, "span", classOf(span), whatOf(span) + (whose && ` (${whose})`), "hidden"];
  });
  return [...agreedRanges(there), ...errors];
}
const classOf = (span) => `error ${span.severity === "minor" ? "minor" : ""}`;

function agreedRanges(spans) {
  const bounds = [...new Set(spans.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const found = [];
  for (let k = 0; k + 1 < bounds.length; k++) {
    const [from, to] = [bounds[k], bounds[k + 1]];
    const who = new Set(spans.filter((span) => span.judge && span.start <= from && to <= span.end).map((span) => span.judge));
    const last = found[found.length - 1];
    if (who.size < 2) continue;
    if (last && last[1] === from && last[6] === who.size) last[1] = to;
    else found.push([from, to, "span", "agreed", `marked by ${who.size} annotators`, "hidden", who.size]);
  }
  return found;
}

/* Ranges of errors in the source, each with the systems whose translations it concerns. */
function sourceRanges(segment) {
  const found = new Map();
  for (const span of spansOf(segment.translations).filter((one) => isThere(one, "source"))) {
    const key = JSON.stringify([span.start, span.end, span.severity, span.category]);
    if (!found.has(key)) found.set(key, { span, systems: new Set() });
    found.get(key).systems.add(shortName(span.system));
  }
  return [...found.values()].map(({ span, systems }) =>
    [span.start, span.end, "span", classOf(span), `${listed([...systems])}: ${whatOf(span).replace(":", "")}`, "whose"]);
}

/* Errors that no word of the translation has: those of one kind once, with who marked them. */
function elsewhere(spans, which) {
  const found = new Map();
  for (const span of spans.filter((one) => !isThere(one, "translation") && which === isMissing(one))) {
    const words = span.words ? ` “${shortened(span.words, 80)}”` : "";
    const where = which ? "missing" : words ? "in the source" : "somewhere";
    const said = [where + words, [span.severity, which ? "" : span.category].filter(Boolean).join(" ")].filter(Boolean).join(": ");
    if (!found.has(said)) found.set(said, { title: whatOf(span), judges: new Set() });
    if (span.judge) found.get(said).judges.add(span.judge);
  }
  return [...found].map(([said, { title, judges }]) => [said, [title, listed([...judges])].filter(Boolean).join(", by ")]);
}

/* What is missing in a translation, to stand at its end. */
function missingOf(spans) {
  return elsewhere(spans, true).slice(0, 20).flatMap(([said, title]) => {
    return [" ", element("bdi", { class: "absent", title }, "[", shownSafely(said), "]")];
  });
}
const placeless = (spans) => elsewhere(spans, false).map(([said, title]) => (title.includes(", by ") ? `${said}${title.slice(title.indexOf(", by "))}` : said));

/* What each annotator marked, one below the other, where two or more marked something. */
function annotatorsOf(group) {
  const all = byId("errors").checked && byId("apart").checked ? annotationsOf(group) : [];
  const marking = all.filter(({ spans }) => spans.length), silent = all.filter(({ spans }) => !spans.length);
  if (all.length < 2 || !marking.length) return [];
  const line = (said) => element("p", { class: "quiet silent" }, shownSafely(said));
  const none = silent.length ? `${listed(silent.map(({ name }) => name))} marked no error.` : "";
  if (marking.length === 1) return [line(`All that is marked is by ${marking[0].name}; ${none}`)];
  const list = element("ol", { class: "annotators", role: "list" });
  const rows = (some) => list.append(...some.map(({ name, spans }) => {
    const text = element("p", { class: "text", dir: "auto" });
    fill(text, group[0].text, errorRanges(spans, true));
    text.append(...missingOf(spans));
    return element("li", null, element("bdi", { class: "quiet" }, shownSafely(name)), text);
  }));
  rows(marking.slice(0, ANNOTATORS));
  const made = [list];
  if (marking.length > ANNOTATORS) {
    const more = element("button", { type: "button" }, `Show all ${marking.length} sets of marks`);
    more.addEventListener("click", () => { rows(marking.slice(ANNOTATORS)); more.remove(); });
    made.push(more);
  }
  return none ? [...made, line(none)] : made;
}

/* Annotators with their judgement and marks; who says the same of equal translations is there once. */
function annotationsOf(group) {
  const found = new Map();
  for (const one of group) {
    (one.judges || []).forEach((name, k) => {
      const value = one.judged ? ` (${written(one.judged[k])})` : "";
      const spans = (one.spans || []).filter((span) => span.judge === name).map((span) => ({ ...span, judge: "" }));
      const key = JSON.stringify([name, value, spans]);
      if (!found.has(key)) found.set(key, { name, value, spans, systems: [] });
      found.get(key).systems.push(shortName(one.system));
    });
  }
  const whose = (systems) => (systems.length < group.length ? ` for ${listed(systems)}` : "");
  return [...found.values()].map(({ name, value, spans, systems }) => ({ name: shortened(name, 60) + whose(systems) + value, spans }));
}

/* Names in one phrase, of many the first. */
function listed(names) {
  const some = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} others`] : names;
  return some.length > 1 ? `${some.slice(0, -1).join(", ")} and ${some[some.length - 1]}` : some.join("");
}

/* Only what the data have is explained. */
function explainMarks() {
  const translations = segments.flatMap((segment) => segment.translations);
  const spans = (test) => translations.some((one) => (one.spans || []).some(test));
  const there = {
    errors: spans((span) => isThere(span, "translation")), source: spans((span) => isThere(span, "source")), missing: spans(isMissing),
    agreed: translations.some((one) => (one.judges || []).length > 1 && (one.spans || []).length > 1),
    predicted: translations.some((one) => one.predicted), differences: translations.some((one) => one.marks), moved: translations.some((one) => one.moved),
  };
  for (const item of document.querySelectorAll("#legend [data-explains]")) item.hidden = !there[item.dataset.explains];
  byId("apart").parentElement.hidden = !there.agreed;
}
