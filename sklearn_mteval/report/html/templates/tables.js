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

const SVG = ["http", "//www.w3.org/2000/svg"].join(":");  /* a name that nothing is loaded from */

/* An element of a drawing. */
function drawn(name, attributes, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

/* ---- tables: a button in each heading sorts by its column, up, down, and as it was ---- */
for (const table of document.querySelectorAll("table")) {
  const rows = [...table.tBodies[0].rows];
  const headings = [...table.tHead.rows[0].cells];
  if (rows.length < 2) continue;
  headings.forEach((heading, column) => {
    const button = element("button", { type: "button" }, ...heading.childNodes);
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
