/* A segment as a card: what was given, and a table of its translations. */
function cardOf(segment, k) {
  const id = `segment=${encodeURIComponent(wellFormed(String(segment.id)))}`;
  const title = element("h3", { id: `title-${k}` }, `Segment ${shortened(String(segment.id), 60)}`);
  const facts = [];
  if (segment.document) facts.push(shortened(segment.document, 80));
  const value = measured && measured.get(chosen[k]);
  if (value !== undefined && value !== null) facts.push(`${byId("order").selectedOptions[0].textContent}: ${written(byId("order").value === "lowest" ? -value : value)}`);
  const button = element("button", { type: "button" }, "Copy as JSON");
  button.addEventListener("click", () => copy(JSON.stringify(plain(segment), null, 2), "the segment as JSON"));
  const head = element("header", null, title, element("span", { class: "quiet" }, facts.join(" · ")),
    element("a", { href: `#${id}`, "aria-label": `Link to segment ${shortened(String(segment.id), 60)}` }, "link"), button);
  const texts = (segment.references || []).map((text, n, all) => [all.length > 1 ? `reference ${n + 1}` : "reference", text, hitsOf(text)]);
  if (segment.source !== undefined) texts.unshift(["source", segment.source, [...hitsOf(segment.source), ...sourceRanges(segment)]]);
  const card = element("article", { "aria-labelledby": `title-${k}`, tabindex: "-1", "data-place": k }, head, givenOf(texts), ...translationsOf(segment, `title-${k}`));
  if (segment.why) card.append(whyOf(segment, k));
  return card;
}

/* What translations are of: each text with its name and the ranges to mark, if it is there. */
function givenOf(texts) {
  const there = texts.filter(([, text]) => text !== undefined);
  return element("dl", { class: "given" }, ...there.flatMap(([term, text, ranges]) => {
    const dd = element("dd", { dir: "auto" });
    fill(dd, text, ranges);
    return [element("dt", null, term), dd];
  }));
}

/* The table of a segment's translations, a button for those that are not shown at first, and what
   is to be said of ranks and scores. */
function translationsOf(segment, title) {
  const groups = sameTexts(segment.translations);
  const there = columnsOf(groups);
  const headings = there.map((column) => element("th", { scope: "col", class: "n", title: column.about }, shortened(column.label, 30)));
  /* Where there are many numbers, the text stands below them. */
  const apart = there.length > MANY;
  const body = element("tbody", null);
  const rows = (some) => body.append(...some.flatMap((group) => rowsOf(group, there, apart)));
  rows(groups.slice(0, SYSTEMS));
  const first = element("tr", null, element("th", { scope: "col" }, "system"), ...headings);
  if (!apart) first.append(element("th", { scope: "col" }, "translation"));
  const parts = [element("table", { class: apart ? "translations many" : "translations", "aria-labelledby": title }, element("thead", null, first), body)];
  if (groups.length > SYSTEMS) {
    const more = element("button", { type: "button" }, `Show all ${segment.translations.length} translations`);
    more.addEventListener("click", () => { rows(groups.slice(SYSTEMS)); more.remove(); });
    parts.push(more);
  }
  const said = otherOrder(groups);
  if (said) parts.push(said);
  return parts;
}

/* Translations of which all says the same, the text and its numbers, in groups. */
function sameTexts(translations) {
  const groups = new Map();
  for (const one of translations) {
    const key = JSON.stringify([one.text, one.rank, one.strength, one.scores, one.error_free]);
    groups.set(key, [...(groups.get(key) || []), one]);
  }
  return [...groups.values()];
}

/* The rows of translations that say the same: their names, their numbers, and what they say. */
function rowsOf(group, there, apart) {
  const name = element("th", { scope: "row", class: "name", dir: "auto" });
  group.forEach(({ system }, n) => {
    if (n) name.append(n === group.length - 1 ? " and " : ", ");
    name.append(nameOf(system));
  });
  if (group.length > 1) name.append(element("span", { class: "quiet" }, " say the same"));
  const numbers = there.map((column) => cellOf(column, group));
  const said = element("td", { class: "said", colspan: apart ? there.length + 1 : null }, ...saidOf(group));
  if (!apart) return [element("tr", null, name, ...numbers, said)];
  return [element("tr", { class: "above" }, name, ...numbers), element("tr", null, said)];
}

/* A text with its marks, and below it who said what of it, what it lacks and what is flagged. */
function saidOf(group) {
  const [translation] = group;
  const text = element("p", { class: "text", dir: "auto" });
  if (translation.text.trim()) fill(text, translation.text, [...hitsOf(translation.text), ...rangesOf(group)]);
  else text.append(element("em", { class: "quiet" }, translation.text ? "(only white space)" : "(empty)"));
  const notes = element("div", null, judgementsBySystem(group));
  if (translation.missing && translation.missing.length && byId("differences").checked) {
    const words = element("span", { dir: "auto" });
    fill(words, translation.missing.slice(0, 40).join(", ") + (translation.missing.length > 40 ? ", …" : ""), []);
    notes.append(element("span", { class: "quiet" }, "without counterpart in it: "), words);
  }
  const spans = spansOf(group);
  text.append(...missingOf(spans));
  const flags = [...(translation.flags || []), ...placeless(spans)];
  if (flags.length) {
    notes.append(element("div", null, ...flags.slice(0, 20).map((flag) => element("span", { class: "flag", dir: "auto" }, shownSafely(shortened(flag, 200))))));
  }
  return [text, ...annotatorsOf(group), ...(notes.childNodes.length ? [notes] : [])];
}

/* The ranges of a translation to mark: [start, end, element's name, class, title, class of the note
   that says the title]; errors go before differences, for the first is seen where both are. */
function rangesOf(group) {
  const found = [], [translation] = group;
  const add = (bounds, name, kind) => {
    for (let k = 0; k < bounds.length; k += 2) found.push([bounds[k], bounds[k + 1], name, kind, null, null]);
  };
  found.push(...errorRanges(spansOf(group), group.length === 1));
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
