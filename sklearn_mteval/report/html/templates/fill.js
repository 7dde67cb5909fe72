/* ---- texts, with marks and without harm ---- */
/* Put a text into an element, with ranges marked, at first no more than LONG characters, unless what
   is searched for comes later. */
function fill(parent, text, ranges, most = LONG) {
  const [hit] = ranges;
  if (hit && hit[3] === "hit" && hit[1] > most) most = text.length;
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

/* How many characters the names of all systems have in common, before and after what differs. */
const cut = ["before", "after"].map((end) => byId("browser").dataset[end].length);
const shortName = (system) => system.slice(cut[0], system.length - cut[1]);

/* A system's name, short to look at; who copies or hears it gets it whole. */
function nameOf(system) {
  if (!cut[0] && !cut[1]) return shownSafely(shortened(system, 80));
  const part = (attributes, text) => element("span", attributes, shownSafely(shortened(text, 80)));
  return element("span", null, cut[0] ? part({ class: "hidden" }, system.slice(0, cut[0])) : null,
    part({ title: shownSafely(system).textContent }, shortName(system)),
    cut[1] ? part({ class: "hidden" }, system.slice(system.length - cut[1])) : null);
}
