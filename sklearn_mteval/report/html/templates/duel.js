/* ---- two systems: the numbers are Python's, the segments those of the page ---- */
const WORDS = 400;          /* of a text, at most, whose differences are marked */
const inWords = Intl.Segmenter ? new Intl.Segmenter(undefined, { granularity: "word" }) : null;
let speaking = 5;           /* segments that are shown for each of both */

function startDuel() {
  if (!data.duels || !byId("duel")) return;
  const options = data.duels.names.map((name, k) => [k, shortened(name, 60)]);
  for (const [id, k] of [["duel-first", 0], ["duel-second", 1]]) {
    byId(id).replaceChildren(...options.map(([value, label]) => element("option", { value }, label)));
    byId(id).value = k;
    byId(id).addEventListener("change", () => { speaking = 5; showDuel(); });
  }
  byId("duelists").addEventListener("submit", (event) => event.preventDefault());
  byId("duel-swap").addEventListener("click", () => {
    const [one, other] = chosenTwo();
    byId("duel-first").value = other; byId("duel-second").value = one;
    showDuel();
  });
  byId("duel-notes").replaceChildren(...data.duels.notes.map((note) => element("li", null, note)));
  byId("duel-view").hidden = false;
  window.addEventListener("hashchange", goToDuel);
  if (!goToDuel()) showDuel();
}

const chosenTwo = () => [Number(byId("duel-first").value), Number(byId("duel-second").value)];

/* Show the duel that the address names, #duel=A|B. */
function goToDuel() {
  const hash = location.hash.includes("|") ? location.hash : location.hash.replace("%7C", "|");
  const found = /^#duel=([^|]*)\|(.*)$/.exec(hash);
  if (!found) return false;
  let names = found.slice(1);
  try { names = names.map(decodeURIComponent); } catch (problem) { /* as they are */ }
  const places = names.map((name) => data.duels.systems.findIndex((known) => wellFormed(known) === name));
  if (places.includes(-1) || places[0] === places[1]) { say(`There is no duel of ${names.join(" and ")} here.`); return false; }
  [byId("duel-first").value, byId("duel-second").value] = places;
  showDuel();
  byId("duel").scrollIntoView();
  return true;
}

/* What is known of two systems; the other way round, all of it is mirrored. */
function pairOf(one, other) {
  const found = data.duels.pairs.find(({ places: [i, j] }) => (i === one && j === other) || (i === other && j === one));
  if (!found || found.places[0] === one) return found;
  const minus = (x) => (x === null ? null : 0 - x);
  const [difference, low, high, p] = found.all;
  const [better, equal, worse, identical] = found.counts;
  return {
    all: [minus(difference), minus(high), minus(low), p],
    counts: [worse, equal, better, identical],
    histogram: [found.histogram[0], [...found.histogram[1]].reverse()],
    kinds: found.kinds.map(([n, d, l, h, q, adds]) => [n, minus(d), minus(h), minus(l), q, minus(adds)]),
  };
}

function showDuel() {
  const [one, other] = chosenTwo(), [first, second] = [one, other].map((k) => data.duels.names[k]);
  const pair = one === other ? undefined : pairOf(one, other);
  byId("duel-found").hidden = !pair;
  byId("duel-answer").hidden = false;
  if (!pair) {
    byId("duel-answer").textContent = one === other ? "Choose two different systems." : "No segment has a score of both.";
    return;
  }
  byId("duel-answer").replaceChildren(shownSafely(answerOf(first, second, pair)));
  byId("duel-link").href = `#duel=${[one, other].map((k) => encodeURIComponent(wellFormed(data.duels.systems[k]))).join("|")}`;
  /* A page of one duel has said its numbers above. */
  byId("duel-answer").hidden = byId("duel-numbers").hidden = data.duels.told && one === 0;
  draw(byId("duel-picture"), first, second, pair);
  const equal = pair.counts[1] ? ` Not drawn: ${counted(pair.counts[1])} in which both are equal.` : "";
  byId("duel-caption").textContent = `Bars at the ends hold all that is further away.${equal}`;
  byId("duel-kinds").replaceChildren(kindsOfPair(pair));
  byId("duel-contributions").replaceChildren(...contributions(one, other));
}

const counted = (n) => `${n.toLocaleString("en")} segment${n === 1 ? "" : "s"}`;
const pValue = (p) => (p < 0.001 ? "p < .001" : `p = ${String(Number(p.toPrecision(2))).replace("0.", ".")}`);
const fourDigits = (x, sign = "") => (x === null ? "–" : `${x < 0 ? "-" : sign}${Math.abs(x).toFixed(4)}`);

/* The sentence of report/duel.py. */
function answerOf(first, second, pair) {
  const [difference, low, high, p] = pair.all, [better, equal, worse] = pair.counts;
  const swapped = difference < 0, size = Math.abs(difference);
  const [one, other] = (swapped ? [second, first] : [first, second]).map((name) => shortened(name, 80));
  const [more, fewer] = (swapped ? [worse, better] : [better, worse]).map((n) => n.toLocaleString("en"));
  const unit = data.duels.by_rank ? " in mean rank" : "";
  const bounds = swapped ? [-high, -low] : [low, high];
  const value = `${fourDigits(size)} [${bounds.map((x) => fourDigits(x)).join(", ")}]${unit}`;
  let start = `${one} cannot be told apart from ${other}: the difference is ${value}`;
  if (p === null) start = `Which of ${one} and ${other} is better cannot be tested: one segment or one document is too little. The difference is ${fourDigits(size)}${unit}`;
  else if (p <= data.duels.alpha) start = `${one} is better than ${other} by ${value}`;
  return `${start}${p === null ? "" : ` (${pValue(p)})`} on ${counted(better + equal + worse)}; ${one} is better in ${more} of them, ${other} in ${fewer}, and in ${equal.toLocaleString("en")} they are equal.`;
}

/* The picture of report/pictures/histogram.py. */
function draw(picture, first, second, pair) {
  const [value, low, high] = pair.all, [width, counts] = pair.histogram, half = counts.length / 2;
  const cut = (name) => (name.length > 18 ? `${name.slice(0, 9)}…${name.slice(-8)}` : name);
  const parts = [];
  const text = (said, x, y, kind, anchor = "start") => parts.push(drawn("text", { x, y, class: kind, "text-anchor": anchor }, said));
  const panel = (title, at, top, bottom, reach) => {
    const end = 1.08 * reach, place = (x) => 50 + (50 * x) / end;
    text(title, 0, at, "name");
    text(`← ${cut(second)} better`, 0, at + 18, "quiet");
    text(`${cut(first)} better →`, "100%", at + 18, "quiet", "end");
    const unit = 10 ** Math.floor(Math.log10(end / 3)), step = unit * [1, 2, 5, 10, 20].find((k) => (2 * end) / (unit * k) < 6);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    for (let k = Math.ceil(-end / step); k <= end / step; k++) {
      const x = `${place(k * step)}%`;
      parts.push(drawn("line", { x1: x, x2: x, y1: top, y2: bottom, class: k ? "grid" : "mark" }));
      text((k * step + 0).toFixed(digits), x, bottom + 15, "quiet", "middle");
    }
    return place;
  };
  const ofMean = panel("Mean difference", 14, 38, 56, Math.max(...[value, low, high].map((x) => Math.abs(x ?? 0))) || 1);
  if (low !== null) parts.push(drawn("line", { x1: `${ofMean(low)}%`, x2: `${ofMean(high)}%`, y1: 46, y2: 46, class: "whisker" }));
  parts.push(drawn("circle", { cx: `${ofMean(value)}%`, cy: 46, r: 5, class: "dot" }));
  const ofBins = panel("Differences of segments", 106, 136, 226, half * width);
  const most = Math.max(...counts) || 1;
  counts.forEach((count, k) => {
    const height = (90 * count) / most, left = ofBins((k - half) * width);
    parts.push(drawn("rect", { x: `${left}%`, width: `${ofBins((k - half + 1) * width) - left}%`, y: 226 - height, height, class: k < half ? "bin other-side" : "bin" }));
  });
  parts.push(drawn("line", { x1: "50%", x2: "50%", y1: 136, y2: 226, class: "mark" }));
  picture.setAttribute("aria-label", `${first} less ${second}: ${fourDigits(value)}. ${first} is better in ${counted(pair.counts[0])}, ${second} in ${counted(pair.counts[2])}.`);
  picture.replaceChildren(...parts);
}

function kindsOfPair(pair) {
  const n = pair.counts[0] + pair.counts[1] + pair.counts[2];
  const rows = [["all segments", [n, ...pair.all, pair.all[0]]], ...pair.kinds.map((row, k) => [data.duels.kinds[k], row])];
  const heads = ["kind of segments", "segments", "difference", "interval", "adds", "p"];
  const cells = ([size, difference, low, high, p, adds]) => [
    size.toLocaleString("en"), fourDigits(difference, "+"), low === null ? "–" : `[${fourDigits(low, "+")}, ${fourDigits(high, "+")}]`,
    fourDigits(adds, "+"), p === null ? "–" : p < 0.001 ? "<0.001" : p.toFixed(3)];
  const lines = rows.map(([kind, row]) => element("tr", null, element("th", { scope: "row", dir: "auto" }, shortened(kind, 60)),
    ...cells(row).map((cell) => element("td", { class: "n" }, cell))));
  return element("table", null, element("caption", null, "Differences by kind of segments"),
    element("thead", null, element("tr", null, ...heads.map((head, k) => element("th", { scope: "col", class: k ? "n" : null }, head)))),
    element("tbody", null, ...lines));
}

/* The segments that speak most for each of both, side by side, and all others in the browser. */
function contributions(...places) {
  const which = data.scorings.length ? 0 : null;
  const value = (translation) => (which === null ? 0 - translation.rank : scoreOf(translation, which));
  const found = [];
  segments.forEach((segment) => {
    const two = places.map((k) => segment.translations.find((t) => t.system === data.duels.systems[k]));
    if (two.some((t) => !t || value(t) === null)) return;
    found.push([value(two[0]) - value(two[1]), segment, two]);
  });
  found.sort((a, b) => b[0] - a[0]);
  const parts = [];
  for (const [better, worse, rows] of [
    [...places, found.filter(([d]) => d > 0)],
    [places[1], places[0], found.filter(([d]) => d < 0).reverse()],
  ]) {
    const title = element("h4", { dir: "auto" }, "Segments that speak most for ", shownSafely(shortened(data.duels.names[better], 60)));
    parts.push(title, ...rows.slice(0, speaking).map(([d, segment, two]) => besideEachOther(segment, two, d)));
    if (!rows.length) parts.push(element("p", { class: "quiet" }, "None."));
    if (rows.length && which !== null) {
      const all = element("button", { type: "button" }, "Show all segments in this order");
      all.addEventListener("click", () => inBrowser(better, worse));
      parts.push(all);
    }
  }
  const more = element("button", { type: "button" }, "Show ten more for each");
  more.addEventListener("click", () => { speaking += 10; showDuel(); });
  if (found.length > 2 * speaking) parts.push(element("p", null, more));
  return parts;
}

/* Order the segments below by how much one is above the other. */
function inBrowser(better, worse) {
  byId("filters").reset();
  setTimeout(() => {
    byId("order").value = "difference"; byId("first").value = 0;
    byId("better").value = data.systems.indexOf(data.duels.systems[better]);
    byId("worse").value = data.systems.indexOf(data.duels.systems[worse]);
    choose();
    byId("segments").scrollIntoView();
  });
}

function besideEachOther(segment, two, difference) {
  const id = String(segment.id);
  const link = element("a", { href: `#segment=${encodeURIComponent(wellFormed(id))}`, "aria-label": `Segment ${shortened(id, 60)} with all systems` }, "all systems");
  const facts = [shortened(segment.document || "", 80), `difference ${fourDigits(difference, "+")}`];
  const head = element("header", null, element("h5", null, `Segment ${shortened(id, 60)}`), element("span", { class: "quiet" }, facts.filter(Boolean).join(" · ")), link);
  const texts = [["source", segment.source, []], ...(segment.references || []).slice(0, 1).map((text) => ["reference", text, []])];
  const differ = differences(two[0].text, two[1].text);
  const columns = two.map((translation, k) => {
    const name = element("p", { class: "quiet", dir: "auto" }, nameOf(translation.system), data.scorings.length ? ` · ${fourDigits(scoreOf(translation, 0))}` : "");
    const said = { ...translation, marks: differ[k], moved: null, missing: null };
    return element("div", null, name, ...saidOf([said]));
  });
  return element("article", null, head, givenOf(texts), element("div", { class: "pair" }, ...columns));
}

/* The first words of a text, in any script, each with its place. */
function wordsWithPlaces(text) {
  const found = [];
  const parts = inWords ? inWords.segment(text) : [...text.matchAll(/\S+/g)].map((part) => ({ index: part.index, segment: part[0] }));
  for (const { index, segment: word } of parts) {
    if (word.trim()) found.push([index, word]);
    if (found.length === WORDS) break;
  }
  return found;
}

/* Of two texts the bounds of words that are in no longest common subsequence of both. */
function differences(one, other) {
  const [a, b] = [wordsWithPlaces(one), wordsWithPlaces(other)], n = a.length, m = b.length;
  const longest = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      longest[i][j] = a[i][1] === b[j][1] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const own = [[], []];
  const add = (k, [start, word]) => own[k].push(start, start + word.length);
  let i = 0, j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && a[i][1] === b[j][1]) { i++; j++; }
    else if (j >= m || (i < n && longest[i + 1][j] >= longest[i][j + 1])) add(0, a[i++]);
    else add(1, b[j++]);
  }
  return own;
}
