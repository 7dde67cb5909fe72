/* ---- links and keys ---- */
function goToLink() {
  const found = /^#segment=(.*)$/.exec(location.hash);
  if (!found) return;
  let id = found[1];
  try { id = decodeURIComponent(id); } catch (problem) { /* as it is */ }
  const k = segments.findIndex((segment) => wellFormed(String(segment.id)) === id);
  if (k < 0) { say(`There is no segment ${id} here.`); return; }
  let at = chosen.indexOf(k);
  if (at < 0) { /* hidden by a filter */
    byId("filters").reset();
    setTimeout(() => { choose(); show(chosen.indexOf(k)); focus(chosen.indexOf(k)); });
    return;
  }
  if (at < shownFrom || at >= shownTo) show(at);
  focus(at);
}

function focus(at) {
  const card = byId("list").querySelector(`[data-place="${at}"]`);
  if (!card) return;
  current = at;
  card.focus({ preventScroll: true });
  card.scrollIntoView();
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !byId("keys").checked) return;
  const typing = event.target.closest("input, select, textarea");
  if (typing) {
    if (event.key === "Escape" && typing.id === "search") { typing.blur(); event.preventDefault(); }
    return;
  }
  if (event.key === "/") { byId("search").focus(); byId("search").select(); }
  else if (event.key === "n" || event.key === "j") step(1);
  else if (event.key === "p" || event.key === "k") step(-1);
  else return;
  event.preventDefault();
}

function step(way) {
  if (!chosen.length) return;
  const at = current < 0 ? shownFrom : Math.min(chosen.length - 1, Math.max(0, current + way));
  if (at >= shownTo) show(at);
  else if (at < shownFrom) showBefore(shownFrom);
  focus(at);
}
