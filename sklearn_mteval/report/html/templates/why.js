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
