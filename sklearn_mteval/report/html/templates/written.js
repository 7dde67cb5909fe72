const perCent = (x) => `${Math.round(100 * x)} %`;
const wellFormed = (text) => (text.toWellFormed ? text.toWellFormed() : text);
const shortened = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);
function written(x) {
  if (typeof x !== "number") return String(x);
  if (Number.isInteger(x)) return String(x);
  return Math.abs(x) >= 100 ? x.toFixed(1) : Math.abs(x) >= 1 ? x.toFixed(2) : x.toFixed(3);
}

/* A segment as it was in the data, with the scores by name. */
function plain(segment) {
  const { all, kinds, why, disagreement: against, ...rest } = segment;
  const named = (values) => Object.fromEntries(data.scorings.map((name, k) => [name, values[k]]));
  if (against) rest.disagreement = named(against);
  rest.translations = segment.translations.map(({ scores, ...others }) => (scores ? { ...others, scores: named(scores) } : others));
  return rest;
}
