/* ---- the segment browser ---- */
if (!byId("data")) return;
/* Elements of a page of segments, about: with the rest of this page less than 6,000. */
const NODES = Math.min(3500, Math.max(700, 4800 - document.querySelectorAll("*").length));
const MOST = 10;           /* segments of a page */
const LONG = 1500;         /* characters of a text that are shown at first */
const SYSTEMS = 20;        /* different translations of a segment that are shown at first */
/* What orders or hides the text next to it, or is no character at all: shown by its number. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

let data, segments, chosen, measured = null, place = 0, shownFrom = 0, shownTo = 0, current = -1;

start().catch((problem) => {
  byId("loading").hidden = false;
  byId("loading").textContent = `The segments cannot be read: ${problem.message}. The rest of this page stands without them.`;
});

async function start() {
  byId("loading").hidden = false;
  const { type, textContent } = byId("data");  /* to be printed, it is not packed */
  data = JSON.parse(await (type === "application/json" ? textContent : unpacked(textContent)));
  byId("data").remove();
  segments = data.segments;
  fillControls();
  byId("loading").hidden = true;
  byId("browser").hidden = false;
  byId("more").open = window.innerWidth > 700;
  choose();
  startDuel();
  goToLink();
  foldAhead();
}

async function unpacked(base64) {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is older than 2023");
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
  const systems = data.systems.map((name, k) => [k, shortName(name)]);
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
  for (const [id, marked] of [["differences", "marks"], ["errors", "spans"], ["predicted", "predicted"]]) {
    byId(id).parentElement.hidden = !segments.some((s) => s.translations.some((t) => t[marked]));
  }
  explainMarks();
  const form = byId("filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (["differences", "errors", "apart", "predicted"].includes(event.target.id)) show(place); else if (event.target.id !== "keys") choose();
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
  wanted = folded(byId("search").value).trim();
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
