/* The numbers of translations, in columns that line up, with bars on the scale of the page. */
const MANY = 5;            /* columns of numbers next to a text */
let known = null;          /* the columns of this page */

/* A column has a label, the number of translations that say the same, how long its bar is, and how
   the number is written. */
function columns() {
  if (known) return known;
  const single = (name) => ([one]) => one[name] ?? null;
  const found = [{ label: "rank", of: single("rank") }];
  data.scorings.forEach((label, k) => found.push({ label, of: ([one]) => scoreOf(one, k) }));
  found.push({ label: "strength", of: single("strength"), within: true });
  found.push({ label: data.judged || "annotators", of: meanJudgement, good: ofSome((one) => one.human ?? null), judged: true });
  found.push({ label: "free of errors", of: single("error_free"), write: perCent });
  known = found.filter((column) => {
    const values = valuesOn(column.of), lengths = column.good ? valuesOn(column.good) : values;
    column.write = column.write || writer(values);
    column.low = least(lengths, 1);
    column.high = -least(lengths, -1);
    if (column.label !== "rank") column.about = column.within ? "Strengths compare the translations of one segment, and so do their bars: longer is better."
      : `The bars go from ${column.write(least(values, 1))} to ${column.write(-least(values, -1))}, the lowest and the highest of this page: longer is better.`;
    return values.length > 0;
  });
  return known;
}

/* The columns that a segment has, each with the scale of its bars. */
function columnsOf(groups) {
  return columns().filter((column) => groups.some((group) => column.of(group) !== null)).map((column) => {
    if (!column.within) return column;
    const values = groups.map(column.of).filter((value) => value !== null);
    return { ...column, low: least(values, 1), high: -least(values, -1) };
  });
}

/* All finite values of a column on the page; scores that are not finite are ±1e308. */
function valuesOn(of) {
  const found = [];
  for (const segment of segments) {
    for (const one of segment.translations) {
      const value = of([one]);
      if (value !== null && Math.abs(value) < 1e308) found.push(value);
    }
  }
  return found;
}
const least = (values, sign) => values.reduce((a, b) => Math.min(a, sign * b), Infinity);
const mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : null);
const ofSome = (of) => (group) => mean(group.map(of).filter((x) => x !== null));
function meanJudgement(group) {
  const all = group.flatMap((one) => one.judged || []);
  return all.length ? mean(all) : ofSome((one) => one.human ?? null)(group);
}

/* What writes numbers with the same digits: a thousandth of their range is seen. */
function writer(values) {
  const range = -least(values, -1) - least(values, 1);
  const digits = values.every(Number.isInteger) ? 0 : Math.min(range < 0.01 ? 6 : 3, Math.max(0, 3 - Math.floor(Math.log10(range || 1))));
  return (x) => (Math.abs(x) < 1e308 ? x.toFixed(digits).replace("-", "\u2212") : x < 0 ? "\u2212∞" : "∞");
}

function cellOf(column, group) {
  const value = column.of(group);
  const cell = element("td", { class: "n", "data-label": column.label });
  if (value === null) { cell.append("–"); return cell; }
  cell.append(column.write(value));
  if (column.label !== "rank") cell.append(barOf(column, (column.good || column.of)(group)));
  if (column.judged && group.length === 1 && group[0].judged && group[0].judged.length > 1) {
    cell.append(element("div", { class: "quiet judgements" }, judgementsOf(group[0])));
  }
  return cell;
}

function barOf(column, value) {
  const bar = byId("bar").content.firstElementChild.cloneNode(true);
  const part = column.high > column.low ? (value - column.low) / (column.high - column.low) : 1;
  bar.firstElementChild.setAttribute("width", 100 * Math.min(1, Math.max(0, part)));
  return bar;
}

/* What single annotators said of a translation, up to 20. */
const judgementsOf = (one) => one.judged.slice(0, 20).map(written).join(", ") + (one.judged.length > 20 ? ", …" : "");

/* The same by system, where several say the same. */
function judgementsBySystem(group) {
  const judged = group.filter((one) => one.judged);
  if (group.length < 2 || !judged.length) return null;
  const line = element("div", { class: "quiet" }, `${data.judged}: `);
  judged.forEach((one, n) => line.append(n ? "; " : "", nameOf(one.system), ` ${judgementsOf(one)}`));
  return line;
}

/* A sentence where ranks and scores order translations otherwise; null where they do not. */
function otherOrder(groups) {
  const ranked = groups.filter(([one]) => (one.rank ?? null) !== null && scoreOf(one, 0) !== null);
  if (data.scorings.length !== 1) return null;
  let most = 0, pair = null, n = 0;
  ranked.forEach(([a], i) => ranked.slice(i + 1).forEach(([b]) => {
    const gap = (scoreOf(a, 0) - scoreOf(b, 0)) * Math.sign(a.rank - b.rank);
    if (gap > 0) n += 1;
    if (gap > most) { most = gap; pair = [a, b]; }
  }));
  if (!pair) return null;
  const of = ranked.length * (ranked.length - 1) / 2;
  const which = n === 1 ? "differs here for " : `differs here for ${n} of ${of} pairs, most for `;
  return element("p", { class: "quiet" }, "Ranks compare the translations of this segment with each other; scores judge each alone. Their order ",
    which, nameOf(pair[0].system), " and ", nameOf(pair[1].system), ".");
}
