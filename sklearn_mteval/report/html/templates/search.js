/* ---- searching: without case, accents, ligatures, and with one blank for any number ---- */
/* Marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters; of others they are vowels. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;
const UNSEEN = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i", ς: "σ" };
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");
let wanted = "";           /* what is searched for, folded */

function folded(text) {
  let flat = text.toLowerCase();
  if (/[^\0-\x7f]/.test(flat)) {
    flat = flat.normalize("NFKD").replace(ACCENTS, "").replace(UNSEEN, "").normalize("NFC").replace(SPECIAL, (letter) => LETTERS[letter]);
  }
  return /[^\S ]| {2}/.test(flat) ? flat.replace(/\s+/g, " ") : flat;
}

/* All texts of a segment, folded: when first searched, or before that, while there is nothing to do. */
function textOf(segment) {
  if (segment.all === undefined) {
    const texts = [String(segment.id), segment.source, ...(segment.references || []), ...segment.translations.map(({ text }) => text)];
    segment.all = [...new Set(texts)].filter(Boolean).map(folded).join("\n");
  }
  return segment.all;
}
function foldAhead(k = 0) {
  if (!window.requestIdleCallback || k >= segments.length) return;
  window.requestIdleCallback((left) => {
    while (k < segments.length && left.timeRemaining() > 1) textOf(segments[k++]);
    foldAhead(k);
  });
}

/* The ranges of a text that are searched for, to be marked: the first hundred. */
function hitsOf(text) {
  const flat = folded(text);
  if (!wanted || !flat.includes(wanted)) return [];
  /* Each folded character has a place; where any may be of more or fewer than one, they are looked for. */
  const place = /[^\0-\x7f]/.test(text) || flat.length !== text.length ? placesOf(text) : null;
  const hits = [];
  for (let at = flat.indexOf(wanted); at >= 0 && hits.length < 100; at = flat.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length;
    hits.push([place ? place.from[at] : at, place ? place.to[end - 1] : end, "mark", "hit", null, null]);
  }
  return hits;
}

/* Of each unit of the folded text, where the letter begins and ends that it stands for. */
function placesOf(text) {
  const from = [], to = [];
  for (const found of text.matchAll(/\s+|\P{M}\p{M}*|\p{M}+/gu)) {
    for (let n = folded(found[0]).length; n > 0; n--) {
      from.push(found.index);
      to.push(found.index + found[0].length);
    }
  }
  return { from, to };
}
