/* ---- on paper: what is folded is opened, and tables that are too wide are parted ---- */
const PAPER = 690;   /* pixels between the margins of an A4 page, which is narrower than Letter */
let unprinted = [];  /* what undoes it */

window.addEventListener("beforeprint", () => {
  if (unprinted.length) return;
  document.documentElement.classList.add("paper");  /* the letters of paper, to be measured */
  unprinted.push(() => document.documentElement.classList.remove("paper"));
  for (const folded of document.querySelectorAll("details:not([open])")) {
    folded.open = true;
    unprinted.push(() => { folded.open = false; });
  }
  for (const button of document.querySelectorAll("thead button")) {  /* a browser repeats texts only */
    const heading = button.parentElement;
    heading.replaceChildren(button.textContent);
    unprinted.push(() => heading.replaceChildren(button));
  }
  document.querySelectorAll(".mteval-scroll").forEach(fit);
});
window.addEventListener("afterprint", () => {
  unprinted.reverse().forEach((undo) => undo());
  unprinted = [];
});

/* Set a wide table in smaller letters, then with upright headings, then in parts. */
function fit(scroll) {
  const table = scroll.querySelector("table");
  if (!table || !table.tHead) return;
  const short = [...table.tHead.rows[0].cells].every((cell) => cell.textContent.length <= 60);
  for (const way of ["small", ...(short ? ["upright"] : [])]) {
    if (table.offsetWidth <= PAPER) return;
    table.classList.add(way);
    unprinted.push(() => table.classList.remove(way));
  }
  if (table.offsetWidth > PAPER) part(scroll, table);
}

/* Put as many tables in the place of one as its columns need, each with the names of its rows. */
function part(scroll, table) {
  const widths = [...table.tHead.rows[0].cells].map((cell) => cell.offsetWidth);
  const names = Math.max(0, [...(table.tBodies[0].rows[0] || { cells: [] }).cells].findIndex((cell) => cell.tagName === "TH"));
  const fixed = widths.slice(0, names + 1).reduce((a, b) => a + b, 0);
  const groups = [[]];
  let wide = fixed;
  for (let k = names + 1; k < widths.length; k++) {
    if (wide + widths[k] > PAPER && groups.at(-1).length) { groups.push([]); wide = fixed; }
    groups.at(-1).push(k);
    wide += widths[k];
  }
  const parts = groups.map((group, n) => {
    const some = table.cloneNode(true);
    const kept = new Set(group);
    for (const row of some.rows) [...row.cells].forEach((cell, k) => { if (k > names && !kept.has(k)) cell.remove(); });
    if (some.caption) some.caption.append(` (${n + 1} of ${groups.length})`);
    return element("div", { class: "mteval-scroll part" }, some);
  });
  scroll.after(...parts);
  scroll.classList.add("parted");
  unprinted.push(() => { parts.forEach((one) => one.remove()); scroll.classList.remove("parted"); });
}
