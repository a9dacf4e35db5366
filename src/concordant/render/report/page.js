// Charts, the choice of systems, candidates that unfold, tables that sort, light and dark. Names are data: they only
// ever become text.
(function () {
  "use strict";
  const page = JSON.parse(document.getElementById("charts").textContent);
  const views = {};
  const about = new Map(page.about); // no object: a system may be called __proto__
  const chosen = new Set();
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));

  // Charts: drawn once their place is open, so that a page of many candidates is there at once.
  async function draw(place) {
    const chart = page.charts[place.dataset.chart];
    if (!chart || place.dataset.drawn || place.closest("details:not([open])")) return;
    place.dataset.drawn = "begun";
    const kept = page.specs[chart.spec];
    const datasets = Object.assign({}, kept.datasets, { rows: page.data[chart.data] });
    const spec = Object.assign({}, kept, { datasets: datasets });
    try {
      const options = { mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
                        tooltip: { disableDefaultStyle: true } };
      const made = await window.vegaEmbed(place, spec, options);
      views[place.dataset.chart] = made.view;
      typeset(place);
      new MutationObserver(() => typeset(place)).observe(place, { childList: true, characterData: true, subtree: true });
      made.view.addEventListener("click", (event, item) => {
        const datum = (item && item.datum) || {};
        if (datum.better !== undefined) { choose([datum.better, datum.worse]); }
        else if (about.has(datum.system)) { toggle(datum.system); }
      });
      if (chosen.size) await made.view.signal("chosen", Array.from(chosen)).runAsync();
      place.dataset.drawn = "yes";
    } catch (error) {
      place.dataset.drawn = "failed";
      const note = document.createElement("p");
      note.className = "failed";
      note.textContent = "This chart could not be drawn; its table is below. " + error;
      place.replaceChildren(note);
    }
  }
  // What stands between two word joiners is a subscript. A chart that is drawn again writes its text anew.
  function typeset(place) {
    for (const it of all("text", place)) {
      const parts = it.textContent.split("\u2060");
      if (parts.length < 3) continue;
      const size = parseFloat(getComputedStyle(it).fontSize), drop = size / 4;
      it.replaceChildren(...parts.map((part, k) => {
        const made = document.createElementNS(it.namespaceURI, "tspan");
        made.textContent = part;
        if (k) made.setAttribute("dy", k % 2 ? drop : -drop);
        if (k % 2) made.setAttribute("font-size", 0.75 * size + "px");
        return made;
      }));
    }
  }
  // What is packed: JSON, compressed, as base64.
  async function unpacked(id) {
    const packed = document.getElementById(id).textContent;
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }
  // A candidate of many, which unfolds when it is opened. Its markup was escaped where all of the page was.
  async function unfold(it) {
    const id = it.dataset.part;
    if (!id || !it.open) return;
    delete it.dataset.part;
    const part = await unpacked(id);
    Object.assign(page.charts, part.charts);
    Object.assign(page.data, part.data);
    const made = document.createElement("template");
    made.innerHTML = part.html;
    it.append(made.content);
    it.dispatchEvent(new CustomEvent("unfolded", { bubbles: true }));
    show();
  }
  async function opened(it) {
    await unfold(it);
    for (const place of all(".plot", it)) await draw(place);
  }
  async function drawAll() {
    for (const place of all(".plot")) await draw(place);
    document.documentElement.dataset.ready = "yes";
  }
  document.addEventListener("toggle", (event) => { if (event.target.matches("details")) opened(event.target); }, true);

  // Systems
  const input = document.getElementById("find");
  const found = document.getElementById("found");
  const listeners = [];
  function show() {
    const names = Array.from(chosen);
    for (const view of Object.values(views)) view.signal("chosen", names).runAsync();
    all("tr[data-system]").forEach((row) => row.classList.toggle("chosen", chosen.has(row.dataset.system)));
    all("[data-pick]").forEach((it) => it.setAttribute("aria-pressed", chosen.has(it.dataset.pick)));
    for (const listener of listeners) listener();
    if (!found) return;
    found.replaceChildren(...names.map((name) => {
      const line = document.createElement("div");
      const chip = document.createElement("button");
      const label = document.createElement("bdi");
      chip.type = "button";
      chip.className = "chip";
      chip.title = "Remove";
      label.textContent = name.length > 60 ? name.slice(0, 59) + "…" : name;
      chip.append(label, " ×");
      chip.addEventListener("click", () => toggle(name));
      line.append(chip, about.get(name) || "");
      return line;
    }));
  }
  function toggle(name) { chosen.has(name) ? chosen.delete(name) : chosen.add(name); show(); }
  function choose(names) {
    chosen.clear();
    names.filter((name) => about.has(name)).forEach((name) => chosen.add(name));
    show();
  }
  function search() {
    const wanted = input.value.trim();
    if (!wanted) return;
    const names = Array.from(about.keys());
    const exact = names.filter((name) => name === wanted || name === input.value);
    const part = names.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()));
    const hits = exact.length ? exact : part;
    if (hits.length === 1) { chosen.add(hits[0]); input.value = ""; show(); return; }
    found.textContent = hits.length + " systems have this in their name" + (hits.length ? ": type more of it." : ".");
  }
  if (input) {
    input.addEventListener("change", search);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") search();
      if (event.key === "Escape") { input.value = ""; choose([]); }
    });
    document.getElementById("clear").addEventListener("click", () => choose([]));
  }
  document.addEventListener("click", (event) => {
    const it = event.target.closest("[data-pick]");
    if (it) toggle(it.dataset.pick);
    const candidate = event.target.closest("[data-candidate]");
    if (candidate) window.concordantReport.pickCandidate(Number(candidate.dataset.candidate));
  });

  // Tables
  function key(row, at) {
    const cell = row.cells[at];
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    return cell.classList.contains("n") ? null : cell.textContent;
  }
  function compare(a, b) {
    return typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".sort");
    if (!button) return;
    const head = button.closest("th");
    const numeric = head.classList.contains("n");
    const now = head.getAttribute("aria-sort");
    const next = now === "none" ? (numeric ? "descending" : "ascending") : now === "ascending" ? "descending" : "ascending";
    const body = head.closest("table").tBodies[0];
    const rows = Array.from(body.rows, (row) => [key(row, head.cellIndex), row]);
    const sign = next === "ascending" ? 1 : -1;
    rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null) : sign * compare(a, b));
    body.append(...rows.map(([, row]) => row));
    all("th", head.parentElement).forEach((it) => it.setAttribute("aria-sort", it === head ? next : "none"));
  });

  // Light and dark
  const theme = document.getElementById("theme");
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // On paper nothing scrolls or opens: the table of all systems is opened for it, and closed again.
  matchMedia("print").addEventListener("change", (event) => {
    for (const it of all(event.matches ? "details.printed:not([open])" : "details.printed[data-closed]")) {
      it.open = event.matches;
      it.toggleAttribute("data-closed", event.matches);
    }
  });

  window.concordantReport = { views, chosen, choose, toggle, unpacked, onChoice: (f) => listeners.push(f) };
  drawAll();
})();
