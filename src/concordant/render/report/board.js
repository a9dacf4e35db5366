"use strict";
window.concordantReport.unpacked("document").then((board) => {
  const at = (id) => document.getElementById(id);
  const rows = [...document.querySelectorAll("#board tbody tr")];
  const names = board.rows.map((row) => row.system.toLowerCase());
  let chosen = -1;

  function differs(i, j) {  // a bit for each pair, the first row in the highest bit
    return (parseInt(board.differs[i].substr(2 * (j >> 3), 2), 16) >> (7 - (j & 7))) & 1;
  }

  function filter() {
    const words = at("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const best = at("best").checked, whole = at("whole").checked;
    let count = 0;
    rows.forEach((row, k) => {
      const there = words.every((word) => names[k].includes(word)) &&
        (!best || row.dataset.best === "1") && (!whole || row.dataset.whole === "1");
      row.hidden = !there;
      count += there;
    });
    at("count").textContent = count === rows.length ? `${count} systems` : `${count} of ${rows.length} systems`;
  }

  function choose(k) {
    chosen = k === chosen ? -1 : k;
    let open = 0;
    rows.forEach((row, j) => {
      const apart = chosen >= 0 && j !== chosen && differs(chosen, j) === 1;
      row.classList.toggle("chosen", j === chosen);
      row.classList.toggle("differs", apart);
      open += chosen >= 0 && j !== chosen && !apart;
    });
    at("told").textContent = chosen < 0
      ? "Choose a row to see which systems cannot be separated from it."
      : `${board.rows[chosen].system}: ${open} of ${rows.length - 1} other systems cannot be separated from it; the others are faded.`;
  }

  for (const id of ["find", "best", "whole"]) at(id).addEventListener("input", filter);
  at("clear").addEventListener("click", () => {
    at("find").value = "";
    at("best").checked = at("whole").checked = false;
    if (chosen >= 0) choose(chosen);
    filter();
  });
  rows.forEach((row, k) => {
    row.addEventListener("click", () => choose(k));
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") choose(k); });
  });
  filter();
  document.documentElement.dataset.ready = "yes";
});
