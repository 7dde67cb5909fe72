// What scrolls sideways can be scrolled by keys, too.
document.addEventListener("DOMContentLoaded", () => {
  for (const output of document.querySelectorAll(".output_html")) output.tabIndex = 0;
  // Sphinx calls these lists, whose parts are no items of a list.
  for (const works of document.querySelectorAll(".citation-list")) works.removeAttribute("role");
});
