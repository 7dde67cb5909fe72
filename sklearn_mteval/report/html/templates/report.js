"use strict";
/* The report's own script: sorting of tables, copying, and the segment browser. All texts of the
   data reach the page through textContent; no text is ever read as markup. */
(() => {
const byId = (id) => document.getElementById(id);
const say = (text) => { byId("said").textContent = text; };

/* An element with attributes and children; texts become text nodes. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

/* ---- tables: a button in each heading sorts by its column, up, down, and as it was ---- */
for (const table of document.querySelectorAll("table")) {
  const rows = [...table.tBodies[0].rows];
  const headings = [...table.tHead.rows[0].cells];
  if (rows.length < 2) continue;
  headings.forEach((heading, column) => {
    const button = element("button", { type: "button" }, heading.textContent.trim());
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const numeric = heading.classList.contains("n");
      const next = numeric ? { none: "descending", descending: "ascending", ascending: "none" }
        : { none: "ascending", ascending: "descending", descending: "none" };
      const way = next[heading.getAttribute("aria-sort") || "none"];
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      const key = (row) => {
        const cell = row.cells[column];
        if (!numeric) return cell.textContent.trim();
        return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
      };
      const sorted = [...rows];
      if (way !== "none") {
        heading.setAttribute("aria-sort", way);
        const sign = way === "ascending" ? 1 : -1;
        sorted.sort((a, b) => compare(key(a), key(b), sign));
      }
      table.tBodies[0].append(...sorted);
    });
  });
}

/* Undefined values stand last, whichever way. */
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "string") return sign * a.localeCompare(b, undefined, { numeric: true });
  return sign * (a - b);
}

/* ---- copying ---- */
async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch (problem) { /* a browser that does not let files do so: select it, and ask it to copy */
    const area = element("textarea", { class: "hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    const active = document.activeElement;
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (active) active.focus();
    if (!done) { say(`This browser does not let a file copy: select ${what} by hand.`); return; }
  }
  say(`Copied: ${what}.`);
}
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const id = button.dataset.copies;
    copy(byId(id).textContent, `the ${id}`);
  });
}

/* ---- the segment browser ---- */
if (!byId("data")) return;
/* Elements of a page of segments, about: with the rest of this page less than 6,000. */
const NODES = Math.min(3500, Math.max(700, 4800 - document.querySelectorAll("*").length));
const MOST = 10;           /* segments of a page */
const LONG = 1500;         /* characters of a text that are shown at first */
const SYSTEMS = 20;        /* translations of a segment that are shown at first */
/* What orders or hides the text next to it, or is no character at all: shown by its number. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

let data, segments, chosen, measured = null, place = 0, shownFrom = 0, shownTo = 0, current = -1;

start().catch((problem) => {
  byId("loading").hidden = false;
  byId("loading").textContent = `The segments cannot be read: ${problem.message}. The rest of this page stands without them.`;
});

async function start() {
  byId("loading").hidden = false;
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is older than 2023");
  data = JSON.parse(await unpacked(byId("data").textContent));
  byId("data").remove();
  segments = data.segments;
  fillControls();
  byId("loading").hidden = true;
  byId("browser").hidden = false;
  choose();
  goToLink();
}

async function unpacked(base64) {
  const letters = atob(base64.trim());
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

function fillControls() {
  const options = (select, pairs) => select.replaceChildren(
    ...pairs.map(([value, label]) => element("option", { value }, shortened(label, 60))));
  const scorings = data.scorings.map((name, k) => [k, name]);
  const judged = data.judged ? [["judges", "annotators"]] : [];
  const orders = [["file", "as in the file"]];
  if (judged.length && scorings.length || scorings.length > 1) orders.push(["disagreement", "disagreement of two"]);
  if (scorings.length + judged.length && data.systems.length > 1) orders.push(["difference", "A above B"]);
  if (scorings.length + judged.length) orders.push(["spread", "largest spread"], ["lowest", "lowest mean"]);
  options(byId("order"), orders);
  options(byId("first"), [...scorings, ...judged]);
  options(byId("second"), [...judged, ...scorings]);
  if (!judged.length && scorings.length > 1) byId("second").value = 1;
  const systems = data.systems.map((name, k) => [k, name]);
  options(byId("better"), systems);
  options(byId("worse"), systems);
  if (systems.length > 1) byId("worse").value = 1;
  const documents = new Map(), flags = new Map();
  segments.forEach((segment) => {
    if (segment.document) documents.set(segment.document, (documents.get(segment.document) || 0) + 1);
    kindsOf(segment).forEach((kind) => flags.set(kind, (flags.get(kind) || 0) + 1));
  });
  const counted = (counts) => [...counts].sort((a, b) => compare(a[0], b[0], 1))
    .map(([name, n]) => [name, `${shortened(name, 50)} (${n.toLocaleString("en")})`]);
  options(byId("document"), [["", "all"], ...counted(documents).slice(0, 1000)]);
  options(byId("flag"), [["", "all segments"], ...counted(flags)]);
  if (orders.some(([name]) => name === data.first)) byId("order").value = data.first;
  const standard = byId("order").value;
  const hide = (id, there) => { byId(id).closest(".field").hidden = !there; };
  hide("document", documents.size > 0);
  hide("flag", flags.size > 0);
  hide("order", orders.length > 1);
  byId("differences").parentElement.hidden = !segments.some((s) => s.translations.some((t) => t.marks));
  byId("errors").parentElement.hidden = !segments.some((s) => s.translations.some((t) => t.spans));
  byId("predicted").parentElement.hidden = !segments.some((s) => s.translations.some((t) => t.predicted));
  const form = byId("filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (["differences", "errors", "predicted"].includes(event.target.id)) show(place); else if (event.target.id !== "keys") choose();
  });
  form.addEventListener("reset", () => setTimeout(() => { byId("order").value = standard; if (systems.length > 1) byId("worse").value = 1; if (!judged.length && scorings.length > 1) byId("second").value = 1; choose(); }));
  byId("back").addEventListener("click", () => turn(-1));
  byId("forth").addEventListener("click", () => turn(1));
  document.addEventListener("keydown", pressed);
  window.addEventListener("hashchange", goToLink);
}

/* What a segment can be chosen by: kinds of flags, and of errors that annotators or a model marked. */
function kindsOf(segment) {
  if (segment.kinds) return segment.kinds;
  const kinds = new Set();
  for (const translation of segment.translations) {
    (translation.kinds || []).forEach((kind) => kinds.add(kind));
    (translation.spans || []).forEach((span) => kinds.add(`error: ${span.severity || "of any severity"}`));
    (translation.predicted || []).forEach((span) => kinds.add(`marked: ${span.severity || "of any severity"}`));
    if (!translation.text.trim()) kinds.add("empty");
    else if (segment.source && translation.text === segment.source) kinds.add("equal to the source");
  }
  (segment.tags || []).forEach((tag) => kinds.add(tag));
  segment.kinds = [...kinds];
  return segment.kinds;
}

/* All texts of a segment, in small letters, made when first searched. */
function textOf(segment) {
  if (segment.all === undefined) {
    const parts = [segment.id, segment.source, ...(segment.references || [])];
    segment.translations.forEach((translation) => parts.push(translation.text));
    segment.all = parts.filter(Boolean).join("\n").toLowerCase();
  }
  return segment.all;
}

const scoreOf = (translation, which) =>
  which === "judges" ? translation.human ?? null : translation.scores ? translation.scores[which] ?? null : null;

/* Of all pairs the proportion that is ordered otherwise; a tie of one of both is half, one of both
   is none: as Python has it. */
function disagreement(segment, one, other) {
  if (one === other) return null;
  const metric = one === "judges" ? other : one;
  if (one === "judges" || other === "judges") return segment.disagreement ? segment.disagreement[metric] ?? null : null;
  let n = 0, against = 0;
  const list = segment.translations;
  for (let i = 0; i < list.length; i++) {
    for (let j = i + 1; j < list.length; j++) {
      const a = signOf(scoreOf(list[i], one), scoreOf(list[j], one));
      const b = signOf(scoreOf(list[i], other), scoreOf(list[j], other));
      if (a === null || b === null) continue;
      n += 1;
      against += a === b ? 0 : a * b === 0 ? 0.5 : 1;
    }
  }
  return n ? against / n : null;
}
const signOf = (a, b) => (a === null || b === null ? null : Math.sign(a - b));

function difference(segment, better, worse, which) {
  const [a, b] = [better, worse].map((system) => {
    const there = segment.translations.find((t) => t.system === data.systems[system]);
    return there ? scoreOf(there, which) : null;
  });
  return a === null || b === null ? null : a - b;
}

function orderingOf() {
  const order = byId("order").value;
  const which = (id) => (byId(id).value === "judges" ? "judges" : Number(byId(id).value));
  const values = (segment) => segment.translations.map((t) => scoreOf(t, which("first"))).filter((x) => x !== null);
  return {
    disagreement: (s) => disagreement(s, which("first"), which("second")),
    difference: (s) => difference(s, byId("better").value, byId("worse").value, which("first")),
    spread: (s) => { const v = values(s); return v.length ? Math.max(...v) - Math.min(...v) : null; },
    lowest: (s) => { const v = values(s); return v.length ? -v.reduce((a, b) => a + b, 0) / v.length : null; },
  }[order];
}

/* Choose and order the segments by what the controls say, and show the first page. */
function choose() {
  for (const field of document.querySelectorAll("[data-for]")) {
    field.hidden = !field.dataset.for.split(" ").includes(byId("order").value);
  }
  const wanted = byId("search").value.toLowerCase().trim();
  const flag = byId("flag").value, doc = byId("document").value;
  const bound = (id, other) => (byId(id).value === "" ? other : Number(byId(id).value));
  const low = bound("shortest", 0), high = bound("longest", Infinity);
  chosen = [];
  segments.forEach((segment, k) => {
    if (doc && segment.document !== doc) return;
    if (segment.length < low || segment.length > high) return;
    if (flag && !kindsOf(segment).includes(flag)) return;
    if (wanted && !textOf(segment).includes(wanted)) return;
    chosen.push(k);
  });
  const value = orderingOf();
  measured = null;
  if (value) {
    const values = new Map(chosen.map((k) => [k, value(segments[k])]));
    chosen.sort((a, b) => compare(values.get(a), values.get(b), -1) || a - b);
    measured = values;
  }
  byId("found").textContent = `${chosen.length.toLocaleString("en")} of ${segments.length.toLocaleString("en")} segments`;
  current = -1;
  show(0);
}

/* Show the segments from a place on, as many as a page takes. */
function show(from) {
  place = from;
  const list = byId("list"), cards = [];
  let nodes = 0, k = from;
  while (k < chosen.length && k - from < MOST && (k === from || nodes < NODES)) {
    const card = cardOf(segments[chosen[k]], k);
    nodes += card.querySelectorAll("*").length;
    if (nodes > NODES && k > from) break;
    cards.push(card);
    k += 1;
  }
  shownFrom = from; shownTo = k;
  list.replaceChildren(...cards);
  byId("page").textContent = chosen.length ? `${from + 1} to ${k}` : "none";
  byId("back").disabled = from === 0;
  byId("forth").disabled = k >= chosen.length;
}

/* Show the page whose last segment is the one before a place. */
function showBefore(at) {
  let from = Math.max(0, at - MOST);
  for (show(from); shownTo < at; show(from)) from += 1;
}

/* Turn the page. */
function turn(way) {
  if (way > 0 && shownTo < chosen.length) show(shownTo);
  else if (way < 0 && shownFrom > 0) showBefore(shownFrom);
  else return;
  current = -1;
  byId("segments").scrollIntoView();
}

function cardOf(segment, k) {
  const id = `segment=${encodeURIComponent(String(segment.id).toWellFormed ? String(segment.id).toWellFormed() : segment.id)}`;
  const title = element("h3", { id: `title-${k}` }, `Segment ${shortened(String(segment.id), 60)}`);
  const facts = [];
  if (segment.document) facts.push(shortened(segment.document, 80));
  const value = measured && measured.get(chosen[k]);
  if (value !== undefined && value !== null) facts.push(`${byId("order").selectedOptions[0].textContent}: ${written(byId("order").value === "lowest" ? -value : value)}`);
  const button = element("button", { type: "button" }, "Copy as JSON");
  button.addEventListener("click", () => copy(JSON.stringify(plain(segment), null, 2), "the segment as JSON"));
  const head = element("header", null, title, element("span", { class: "quiet" }, facts.join(" · ")),
    element("a", { href: `#${id}`, "aria-label": `Link to segment ${shortened(String(segment.id), 60)}` }, "link"), button);
  const given = element("dl", { class: "given" });
  const add = (term, text) => {
    const dd = element("dd", { dir: "auto" });
    fill(dd, text, []);
    given.append(element("dt", null, term), dd);
  };
  if (segment.source !== undefined) add("source", segment.source);
  (segment.references || []).forEach((text, n, all) => add(all.length > 1 ? `reference ${n + 1}` : "reference", text));
  const items = element("ol", { class: "translations", role: "list" });
  const some = segment.translations.slice(0, SYSTEMS);
  items.append(...some.map((translation) => itemOf(translation)));
  const card = element("article", { "aria-labelledby": `title-${k}`, tabindex: "-1", "data-place": k }, head, given, items);
  if (segment.translations.length > SYSTEMS) {
    const more = element("button", { type: "button" }, `Show all ${segment.translations.length} translations`);
    more.addEventListener("click", () => {
      items.append(...segment.translations.slice(SYSTEMS).map((translation) => itemOf(translation)));
      more.remove();
    });
    card.append(more);
  }
  if (segment.why) card.append(...segment.why.map(whyOf));
  return card;
}

function itemOf(translation) {
  const about = element("ul", null);
  const line = (text, kind) => about.append(element("li", kind ? { class: kind } : null, text));
  const rank = translation.rank === undefined || translation.rank === null ? "" : `${written(translation.rank)}. `;
  const name = element("li", { class: "name", dir: "auto" });
  name.append(rank, shownSafely(shortened(translation.system, 80)));
  about.append(name);
  const scores = (translation.scores || []).map((x, n) => [shortened(data.scorings[n], 30), x]).filter(([, x]) => x !== null && x !== undefined);
  if (translation.strength !== undefined && translation.strength !== null) scores.push(["strength", translation.strength]);
  if (scores.length) line(scores.map(([label, x]) => `${label} ${written(x)}`).join(", "), "quiet");
  if (translation.judged) line(`${data.judged}: ${translation.judged.slice(0, 20).map(written).join(", ")}${translation.judged.length > 20 ? ", …" : ""}`, "quiet");
  if (translation.error_free !== undefined) line(`free of errors: ${perCent(translation.error_free)}`, "quiet");
  const text = element("p", { class: "text", dir: "auto" });
  if (translation.text.trim()) fill(text, translation.text, rangesOf(translation));
  else text.append(element("em", { class: "quiet" }, translation.text ? "(only white space)" : "(empty)"));
  const said = element("div", { class: "said" }, text);
  const item = element("li", null, about, said);
  const notes = element("div", null);
  if (translation.missing && translation.missing.length && byId("differences").checked) {
    const words = element("span", { dir: "auto" });
    fill(words, translation.missing.slice(0, 40).join(", ") + (translation.missing.length > 40 ? ", …" : ""), []);
    notes.append(element("span", { class: "quiet" }, "without counterpart in it: "), words);
  }
  const flags = [...(translation.flags || [])];
  if (byId("errors").checked) {
    (translation.spans || []).filter((span) => span.start === span.end)
      .forEach((span) => flags.push([span.severity, span.category, span.place].filter(Boolean).join(", ")));
  }
  if (flags.length) {
    const marks = element("div", null);
    flags.slice(0, 20).forEach((flag) => { const one = element("span", { class: "flag", dir: "auto" }); one.append(shownSafely(shortened(flag, 200))); marks.append(one); });
    notes.append(marks);
  }
  if (notes.childNodes.length) said.append(notes);
  return item;
}

/* The ranges of a translation to mark: [start, end, element's name, class, title, class of the note
   that says the title]; errors go before differences, for the first is seen where both are. */
function rangesOf(translation) {
  const found = [];
  const add = (bounds, name, kind) => {
    for (let k = 0; k < bounds.length; k += 2) found.push([bounds[k], bounds[k + 1], name, kind, null, null]);
  };
  if (byId("errors").checked && translation.spans) {
    for (const span of translation.spans) {
      if (span.end > span.start && span.place !== "source") {
        const what = [span.severity, span.category].filter(Boolean).join(": ") || "error";
        found.push([span.start, span.end, "span", `error ${span.severity === "minor" ? "minor" : ""}`, what, "hidden"]);
      }
    }
  }
  if (byId("predicted").checked) {
    for (const span of translation.predicted || []) {
      const what = [span.severity, span.probability === undefined ? "" : perCent(span.probability)].filter(Boolean).join(" ");
      found.push([span.start, span.end, "span", `marked ${span.severity === "minor" ? "minor" : ""}`, what, "sure"]);
    }
  }
  if (byId("differences").checked && translation.marks) add(translation.marks, "mark", "");
  if (byId("differences").checked && translation.moved) add(translation.moved, "span", "moved");
  return found;
}

/* Put a text into an element, with ranges marked, at first no more than LONG characters. */
function fill(parent, text, ranges, most = LONG) {
  const shown = text.length > most ? text.slice(0, most) : text;
  const bounds = [...new Set([0, shown.length, ...ranges.flatMap(([a, b]) => [Math.min(a, shown.length), Math.min(b, shown.length)])])].sort((a, b) => a - b);
  for (let k = 0; k + 1 < bounds.length; k++) {
    const [from, to] = [bounds[k], bounds[k + 1]];
    const notes = [];
    let piece = shownSafely(shown.slice(from, to));
    for (const [a, b, name, kind, title, note] of ranges) {
      if (a <= from && to <= b) {
        const around = element(name, { class: kind || null, title });
        around.append(piece);
        /* Said once, where the range, of several pieces perhaps, ends. */
        if (title && to === Math.min(b, shown.length)) notes.push(noteOf(title, note));
        piece = around;
      }
    }
    parent.append(piece, ...notes);
  }
  if (shown.length < text.length) {
    const more = element("button", { type: "button" }, `Show all ${text.length.toLocaleString("en")} characters`);
    more.addEventListener("click", () => { parent.replaceChildren(); fill(parent, text, ranges, text.length); });
    parent.append(" … ", more);
  }
}

/* What is said of a range: for screen readers, or in the text, which keeps its own direction. */
function noteOf(title, kind) {
  return kind === "hidden" ? element("span", { class: kind }, ` (${title}) `) : element("bdi", { class: kind, dir: "ltr" }, title);
}

/* A text whose characters that steer the direction, or are none, are written by their numbers. */
function shownSafely(text) {
  const made = document.createDocumentFragment();
  let rest = text, n = 0;
  while (rest && n < 200) {
    const at = rest.search(UNSAFE);
    if (at < 0) break;
    const code = rest.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
    if (at) made.append(rest.slice(0, at));
    made.append(element("span", { class: "control" }, `U+${code}`));
    rest = rest.slice(at + 1);
    n += 1;
  }
  if (rest) made.append(n < 200 ? rest : rest.replace(new RegExp(UNSAFE, "g"), "\ufffd"));
  return made;
}

/* Why a model prefers one translation to another: what spoke for each, in numbers. */
function whyOf(why) {
  const sure = why.probability === null || why.probability === undefined ? "" : ` (probability ${written(why.probability)})`;
  const made = element("details", null);
  const head = element("summary", null);
  head.append("Why ", shownSafely(shortened(why.better, 60)), " is above ", shownSafely(shortened(why.worse, 60)), sure);
  made.append(head);
  const list = (title, rows) => {
    if (!rows || !rows.length) return;
    const items = element("ul", null, ...rows.map((row) => { const li = element("li", null); li.append(shownSafely(shortened(row, 300))); return li; }));
    made.append(element("p", null, title), items);
  };
  list("What differs, by rules:", why.differences);
  list("What decided, by families of columns:", why.families);
  list("Single columns that weighed most:", why.columns);
  list("Windows (aligned sentences) that weighed most:", why.windows);
  list("Words:", why.words);
  return made;
}

const perCent = (x) => `${Math.round(100 * x)} %`;
const shortened = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);
function written(x) {
  if (typeof x !== "number") return String(x);
  if (Number.isInteger(x)) return String(x);
  return Math.abs(x) >= 100 ? x.toFixed(1) : Math.abs(x) >= 1 ? x.toFixed(2) : x.toFixed(3);
}

/* A segment as it was in the data, with the scores by name. */
function plain(segment) {
  const { all, kinds, disagreement: against, ...rest } = segment;
  const named = (values) => Object.fromEntries(data.scorings.map((name, k) => [name, values[k]]));
  if (against) rest.disagreement = named(against);
  rest.translations = segment.translations.map(({ scores, ...others }) => (scores ? { ...others, scores: named(scores) } : others));
  return rest;
}

/* ---- links and keys ---- */
function goToLink() {
  const found = /^#segment=(.*)$/.exec(location.hash);
  if (!found) return;
  let id = found[1];
  try { id = decodeURIComponent(id); } catch (problem) { /* as it is */ }
  const well = (text) => (text.toWellFormed ? text.toWellFormed() : text);
  const k = segments.findIndex((segment) => well(String(segment.id)) === id);
  if (k < 0) { say(`There is no segment ${id} here.`); return; }
  let at = chosen.indexOf(k);
  if (at < 0) { /* hidden by a filter */
    byId("filters").reset();
    setTimeout(() => { choose(); show(chosen.indexOf(k)); focus(chosen.indexOf(k)); });
    return;
  }
  if (at < shownFrom || at >= shownTo) show(at);
  focus(at);
}

function focus(at) {
  const card = byId("list").querySelector(`[data-place="${at}"]`);
  if (!card) return;
  current = at;
  card.focus({ preventScroll: true });
  card.scrollIntoView();
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !byId("keys").checked) return;
  const typing = event.target.closest("input, select, textarea");
  if (typing) {
    if (event.key === "Escape" && typing.id === "search") { typing.blur(); event.preventDefault(); }
    return;
  }
  if (event.key === "/") { byId("search").focus(); byId("search").select(); }
  else if (event.key === "n" || event.key === "j") step(1);
  else if (event.key === "p" || event.key === "k") step(-1);
  else return;
  event.preventDefault();
}

function step(way) {
  if (!chosen.length) return;
  const at = current < 0 ? shownFrom : Math.min(chosen.length - 1, Math.max(0, current + way));
  if (at >= shownTo) show(at);
  else if (at < shownFrom) showBefore(shownFrom);
  focus(at);
}
})();
