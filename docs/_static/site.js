// What scrolls sideways can be scrolled by keys, too.
document.addEventListener("DOMContentLoaded", () => {
  for (const output of document.querySelectorAll(".output_html")) output.tabIndex = 0;
});
