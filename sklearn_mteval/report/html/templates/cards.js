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
  if (segment.why) card.append(whyOf(segment, k));
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
