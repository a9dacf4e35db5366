// What a page can do besides being read: light or dark, sort a table, save a table as CSV or all numbers as JSON.
(function () {
  "use strict";
  const root = document.documentElement;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  async function unpacked(id) {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }
  function save(name, content, type) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type: type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  const value = (cell) => (cell.classList.contains("n") ? Number(cell.dataset.v ?? NaN) : cell.textContent.toLowerCase());
  function sort(head) {
    const table = head.closest("table"), at = head.cellIndex, body = table.tBodies[0];
    const up = head.getAttribute("aria-sort") === "descending" || (head.getAttribute("aria-sort") === "none" && !head.classList.contains("n"));
    for (const other of table.querySelectorAll("[aria-sort]")) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const missing = (v) => v === "" || Number.isNaN(v);
    Array.from(body.rows).sort((a, b) => {
      const [x, y] = [a, b].map((row) => value(row.cells[at]));
      if (missing(x) || missing(y)) return missing(x) - missing(y);
      return (up ? 1 : -1) * (x < y ? -1 : x > y ? 1 : 0);
    }).forEach((row) => body.append(row));
  }
  for (const button of document.querySelectorAll(".sort")) button.addEventListener("click", () => sort(button.closest("th")));

  function asCsv(table) {
    const quoted = (text) => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
    const written = (cell) => {
      const name = cell.querySelector("bdi");
      return cell.classList.contains("n") ? cell.dataset.v || "" : quoted(name ? name.title : cell.textContent);
    };
    const lines = [Array.from(table.tHead.rows[0].cells, (cell) => quoted(cell.textContent))];
    for (const row of table.tBodies[0].rows) lines.push(Array.from(row.cells, written));
    return lines.map((line) => line.join(",")).join("\r\n") + "\r\n";
  }
  const fileOf = (title) => title.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "table";
  for (const table of document.querySelectorAll(".scroll > table")) {
    const title = table.caption.textContent, button = document.createElement("button");
    button.type = "button";
    button.className = "save";
    button.textContent = "CSV";
    button.setAttribute("aria-label", "Save as CSV: " + title);
    button.addEventListener("click", () => save(fileOf(title) + ".csv", asCsv(table), "text/csv"));
    table.caption.append(button);
  }
  document.getElementById("save-json").addEventListener("click", async () =>
    save("report.json", JSON.stringify(await unpacked("document")), "application/json"));
  window.concordantReport = { unpacked, asCsv };
  if (!document.getElementById("board")) root.dataset.ready = "yes";  // the script of boards sets it later
})();
