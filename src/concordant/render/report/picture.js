// The picture of a comparison, means and ranks side by side, and what it shows: chosen, searched, cut to the best.
(function () {
  "use strict";
  const section = document.getElementById("picture");
  if (!section) return;
  const page = window.concordantReport, calculate = concordantCoefficients;
  const data = JSON.parse(document.getElementById("explore").textContent);
  const control = (name) => document.getElementById("explore-" + name);
  const plots = { scatter: document.getElementById("scatter-plot"), ranks: document.getElementById("ranks-plot") };
  const FIELDS = ["candidate", "coefficient", "top", "systems", "topics", "tolerance", "zoom"];
  const ZOOMED = 20, CROWD = 30, NAMED = 8, ROW = 17;
  const first = {};
  let brushed = new Set(); // systems in the rectangle that was dragged; empty: all of them
  let inScatter = []; // points with their places
  let scores = null; // of the topics: unpacked once they are asked for

  // What is shown --------------------------------------------------------------------------------
  function selected() {
    const candidate = data.candidates[Number(control("candidate").value)];
    const group = data.groups[candidate.group];
    const topics = calculate.matching(group.topics, control("topics").value);
    let systems = calculate.matching(group.systems, control("systems").value)
      .filter((s) => !brushed.size || brushed.has(group.systems[s]));
    const some = topics.length < group.topics.length;
    // Higher is better in what is ranked; `lower` says that the sign is changed back where it is shown.
    const of = (side, means, lower, from) => (some
      ? topics.length ? calculate.means(scores[side][side === "truths" ? candidate.group : candidate.at], topics, from) : []
      : from.map((k) => means[k])).map((mean) => (lower ? 0 - mean : mean));
    if (some && !topics.length) systems = [];
    const top = Number(control("top").value || NaN);
    systems = calculate.best(of("truths", group.truth, group.lower, systems), top).map((k) => systems[k]);
    const x = of("truths", group.truth, group.lower, systems);
    const y = of("candidates", candidate.means, candidate.lower, systems);
    const whole = !some && systems.length === group.systems.length;
    const tolerance = Math.max(0, Number(control("tolerance").value) || 0);
    const counts = calculate.concordance(x, y, tolerance);
    const [truthRanks, ranks] = [x, y].map(calculate.ranks);
    const rows = systems.map((s, k) => ({
      name: group.systems[s], short: group.short[s], x: x[k], y: y[k], truthRank: truthRanks[k], rank: ranks[k],
      shown: [group.lower ? 0 - x[k] : x[k], candidate.lower ? 0 - y[k] : y[k]],
      shift: Math.abs(ranks[k] - truthRanks[k]),
      outside: whole && group.low.length > 0 && (ranks[k] < group.low[s] || ranks[k] > group.high[s]),
      span: whole && group.low.length ? `; ranks ${group.low[s]} to ${group.high[s]} possible` : "",
    }));
    return { candidate, group, topics, rows, whole, tolerance, counts, value: counts[control("coefficient").value] };
  }

  function say(it) {
    const m = it.rows.length, pairs = (m * (m - 1)) / 2, name = control("coefficient").value;
    const size = `${m} of ${it.group.systems.length} systems` +
      (it.group.topics.length ? `, ${it.topics.length} of ${it.group.topics.length} topics` : "");
    const tied = pairs - it.counts.untiedTruth, tiedToo = pairs - it.counts.untiedCandidate;
    const value = Number.isNaN(it.value) ? "is not defined here" : it.value.toFixed(3);
    control("value").textContent = `${name} ${value}`;
    control("said").textContent = `${size}; ${it.counts.discordant} of ${pairs} pairs swapped; tied pairs: ${tied} by ` +
      `the truth, ${tiedToo} by the candidate.` + (it.whole && !it.tolerance ? "" : " Intervals and tests in this " +
      "report are for all systems and topics, without a tolerance.");
  }

  // Drawing --------------------------------------------------------------------------------------
  const parsed = document.createElement("template");
  parsed.innerHTML = "<svg></svg>";
  const NAMESPACE = parsed.content.firstChild.namespaceURI; // an address in this file would look like a request
  function node(kind, attributes, text) {
    const made = document.createElementNS(NAMESPACE, kind);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  const measure = document.createElement("canvas").getContext("2d");
  function widthOf(text, weight) {
    measure.font = `${weight || "normal"} 11px system-ui, "DejaVu Sans", sans-serif`;
    return measure.measureText(text).width;
  }
  // A name in so many pixels: its middle is left out, because names tend to differ at their ends.
  function fitted(name, room, weight) {
    const letters = Array.from(name);
    for (let kept = letters.length; kept > 3; kept--) {
      const head = Math.ceil((kept - 1) / 2);
      const text = kept === letters.length ? name : letters.slice(0, head).join("") + "…" + letters.slice(letters.length - (kept - 1 - head)).join("");
      if (widthOf(text, weight) <= room) return text;
    }
    return letters.slice(0, 1).join("") + "…";
  }
  function picture(place, width, height, label) {
    const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, class: "own" });
    place.replaceChildren(svg);
    return svg;
  }
  const kind = (row) => (page.chosen.has(row.name) ? " chosen" : row.outside ? " outside" : "") +
    (page.chosen.size && !page.chosen.has(row.name) ? " dimmed" : "");
  function about(row) {
    return `${row.name}\n${data.what}: ${row.shown[0].toFixed(4)} and ${row.shown[1].toFixed(4)}\nranks ${row.truthRank} and ${row.rank}${row.span}`;
  }
  function clickable(made, row) {
    made.append(node("title", {}, about(row)));
    made.addEventListener("click", () => page.toggle(row.name));
    return made;
  }
  function ticks([low, high], lower) {
    const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), made = [];
    for (let k = Math.ceil(low / step); k * step <= high; k++) made.push([k * step, ((lower ? 0 - k : k) * step).toFixed(digits)]);
    return made;
  }

  // Those to name: the chosen ones, or those outside of their rank intervals, or those that move most.
  function named(it) {
    const chosen = it.rows.filter((row) => page.chosen.has(row.name));
    if (chosen.length) return chosen;
    const moved = it.rows.filter((row) => row.shift > 0).sort((a, b) => b.shift - a.shift);
    const outside = moved.filter((row) => row.outside);
    return (outside.length ? outside : moved).slice(0, NAMED);
  }

  const worse = (side) => (side.lower ? " (lower is better)" : "");
  function scatter(it) {
    const width = Math.max(260, plots.scatter.clientWidth), height = Math.min(width, 460);
    const alike = it.group.lower === it.candidate.lower; // else the sides have scales of their own
    const label = `Scatter plot: the mean of each system by ${data.truth} across, by ${it.candidate.name} upwards. ` +
      `${alike ? "On the dashed line both are equal. " : ""}Named: ${named(it).map((row) => row.name).join(", ") || "none"}.`;
    const svg = picture(plots.scatter, width, height, label);
    inScatter = [];
    if (!it.rows.length) return;
    const range = (values) => {
      const low = Math.min(...values), high = Math.max(...values), room = (high - low) * 0.05 || 0.05;
      return [low - room, high + room];
    };
    const [xs, ys] = [it.rows.map((row) => row.x), it.rows.map((row) => row.y)];
    const [inX, inY] = alike ? [range([...xs, ...ys]), range([...xs, ...ys])] : [range(xs), range(ys)];
    const box = { left: 52, right: width - 12, top: 10, bottom: height - 44 };
    const across = (v) => box.left + ((v - inX[0]) / (inX[1] - inX[0])) * (box.right - box.left);
    const up = (v) => box.bottom - ((v - inY[0]) / (inY[1] - inY[0])) * (box.bottom - box.top);
    for (const [v, text] of ticks(inX, it.group.lower)) {
      svg.append(node("line", { class: "grid-line", x1: across(v), x2: across(v), y1: box.top, y2: box.bottom }),
        node("text", { class: "tick", x: across(v), y: box.bottom + 16, "text-anchor": "middle" }, text));
    }
    for (const [v, text] of ticks(inY, it.candidate.lower)) {
      svg.append(node("line", { class: "grid-line", x1: box.left, x2: box.right, y1: up(v), y2: up(v) }),
        node("text", { class: "tick", x: box.left - 6, y: up(v) + 4, "text-anchor": "end" }, text));
    }
    const middle = (box.top + box.bottom) / 2;
    const [low, high] = inX;
    if (alike) svg.append(node("line", { class: "diagonal", x1: across(low), y1: up(low), x2: across(high), y2: up(high) }));
    svg.append(
      node("text", { class: "axis", x: (box.left + box.right) / 2, y: height - 6, "text-anchor": "middle" },
        fitted(`${data.what}, ${data.truth}${worse(it.group)}`, width - 80)),
      node("text", { class: "axis", x: 0, y: 0, "text-anchor": "middle", transform: `translate(12 ${middle}) rotate(-90)` },
        fitted(`${data.what}, ${it.candidate.name}${worse(it.candidate)}`, height - 60)));
    const points = inScatter = it.rows.map((row) => ({ row, cx: across(row.x), cy: up(row.y) }));
    points.sort((a, b) => kind(a.row).length - kind(b.row).length);
    for (const { row, cx, cy } of points) svg.append(clickable(node("circle", { class: "point" + kind(row), cx, cy, r: 4.5 }), row));
    const diagonal = (x) => (alike ? up(low + ((x - box.left) / (box.right - box.left)) * (high - low)) : NaN);
    label_points(svg, points, named(it), box, diagonal);
  }

  // Names where no point, no name and not the diagonal is; with a thin line where that is not next to the point.
  function label_points(svg, points, wanted, box, diagonal) {
    const taken = points.map(({ cx, cy }) => [cx - 5, cy - 5, cx + 5, cy + 5]);
    const free = ([l, t, r, b]) => l >= box.left && r <= box.right && t >= box.top && b <= box.bottom &&
      taken.every(([l2, t2, r2, b2]) => r < l2 || l > r2 || b < t2 || t > b2) &&
      !(diagonal(r) < b + 2 && diagonal(l) > t - 2);
    // A line to a name must not pass another point, which would seem to be meant.
    const passes = (from, to) => points.some(({ cx, cy }) => {
      if (cx === from.cx && cy === from.cy) return false;
      const dx = to.x - from.cx, dy = to.y - from.cy;
      const part = Math.min(1, Math.max(0, ((cx - from.cx) * dx + (cy - from.cy) * dy) / (dx * dx + dy * dy)));
      return Math.hypot(from.cx + part * dx - cx, from.cy + part * dy - cy) < 7;
    });
    for (const row of wanted) {
      const { cx, cy } = points.find((point) => point.row === row);
      const weight = page.chosen.has(row.name) ? "bold" : "normal";
      const text = fitted(row.short, 150, weight), wide = widthOf(text, weight) + 6, tall = 14;
      const spots = [];
      for (const away of [8, 22, 40, 64, 96, 132]) {
        for (const turn of [0, 8, 1, 15, 7, 9, 2, 14, 6, 10, 3, 13, 5, 11, 4, 12]) {
          const angle = (turn * Math.PI) / 8, x = cx + away * Math.cos(angle), y = cy - away * Math.sin(angle);
          const left = Math.abs(Math.cos(angle)) < 0.1 ? x - wide / 2 : Math.cos(angle) > 0 ? x : x - wide;
          spots.push({ box: [left, y - tall / 2, left + wide, y + tall / 2], x, y, away });
        }
      }
      const spot = spots.find((it) => free(it.box) && (it.away <= 8 || !passes({ cx, cy }, it)));
      if (!spot) continue;
      taken.push(spot.box);
      if (spot.away > 8) svg.insertBefore(node("line", { class: "leader", x1: cx, y1: cy, x2: spot.x, y2: spot.y }), svg.querySelector("circle"));
      svg.append(clickable(node("text", { class: "name" + kind(row), x: spot.box[0] + 2, y: spot.box[3] - 3 }, text), row));
    }
  }

  function zoomed(it) {
    if (control("zoom").value === "all" || it.rows.length <= CROWD) return it.rows;
    return it.rows.filter((row) => row.truthRank <= ZOOMED || page.chosen.has(row.name));
  }

  function ranks(it) {
    const rows = zoomed(it), width = Math.max(260, plots.ranks.clientWidth);
    // Where only the top is shown, whoever is not among the top of a side stands below it, behind a gap.
    const top = rows.length < it.rows.length ? rows.filter((row) => row.truthRank <= ZOOMED).length : rows.length;
    const place = (key, then) => {
      const order = it.rows.slice().sort((a, b) => a[key] - b[key] || a[then] - b[then]), places = new Map(), here = new Set(rows);
      let below = top + 1;
      order.forEach((row, at) => { if (here.has(row)) places.set(row, 30 + ROW * (at < top ? at : below++)); });
      return places;
    };
    const left = place("truthRank", "rank"), right = place("rank", "truthRank");
    const height = Math.max(...left.values(), ...right.values(), 30) + ROW + 4;
    const label = `Ranks: each system's rank by ${data.truth} to the left and by ${it.candidate.name} to the right, ` +
      `joined by a line; ${rows.length} of ${it.rows.length} systems. The table "All systems" has all ranks.`;
    const svg = picture(plots.ranks, width, height, label);
    const widest = Math.max(...rows.map((row) => widthOf(row.short, "bold")), 60) + 34;
    const column = Math.min(width * 0.4, widest), from = column + 4, to = width - column - 4;
    const head = (text, x, anchor) => node("text", { class: "axis", x, y: 12, "text-anchor": anchor }, fitted(text, width / 2 - 10));
    svg.append(head(`rank, ${data.truth}`, 0, "start"), head(`rank, ${it.candidate.name}`, width, "end"));
    const order = rows.slice().sort((a, b) => kind(a).length - kind(b).length);
    for (const row of order) {
      const line = { x1: from + 4, x2: to - 4, y1: left.get(row), y2: right.get(row) };
      svg.append(clickable(node("line", { class: "link" + kind(row), ...line }), row));
    }
    for (const row of rows) {
      const side = (x, y, anchor, rank) => {
        const weight = page.chosen.has(row.name) ? "bold" : "normal";
        const number = anchor === "end" ? [from - 26, from] : [to + 26, to];
        const name = fitted(row.short, column - 30, weight);
        svg.append(clickable(node("text", { class: "name" + kind(row), x: number[0], y: y + 4, "text-anchor": anchor }, name), row),
          node("text", { class: "tick", x: anchor === "end" ? from : to + 22, y: y + 4, "text-anchor": "end" }, rank));
      };
      side(from, left.get(row), "end", row.truthRank);
      side(to, right.get(row), "start", row.rank);
    }
    control("zoom").closest(".field").hidden = it.rows.length <= CROWD;
  }

  // Changes --------------------------------------------------------------------------------------
  let asked = 0;
  async function show() {
    const turn = ++asked;
    if (control("topics").value.trim() && !scores) {
      scores = (await page.unpacked("document")).scores;
      if (turn !== asked) return;
    }
    const it = selected();
    say(it); scatter(it); ranks(it);
    control("all").hidden = !brushed.size;
    section.dataset.drawn = "yes";
  }
  function keep() {
    const kept = new URLSearchParams();
    for (const name of FIELDS) if (control(name).value !== first[name]) kept.set(name, control(name).value);
    for (const name of page.chosen) kept.append("system", name);
    for (const name of brushed) kept.append("only", name);
    const text = kept.toString();
    if (text || location.hash.startsWith("#?")) history.replaceState(null, "", text ? "#?" + text : "#");
  }
  for (const name of FIELDS) {
    first[name] = control(name).value;
    control(name).addEventListener("input", () => { show(); keep(); });
  }
  control("reset").addEventListener("click", () => {
    for (const name of FIELDS) if (name !== "candidate") control(name).value = first[name];
    brush([]);
  });
  // Systems to compare alone; one is not enough for that.
  function brush(names) { brushed = new Set(names); show(); keep(); }
  concordantBrush(plots.scatter, ({ left, right, top, bottom }) => {
    const inside = inScatter.filter(({ cx, cy }) => cx >= left && cx <= right && cy >= top && cy <= bottom);
    if (inside.length > 1) brush(inside.map(({ row }) => row.name));
  });
  control("all").addEventListener("click", () => brush([]));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && brushed.size && !event.target.matches("input, select")) brush([]);
  });
  function recall() {
    if (!location.hash.startsWith("#?")) return;
    const kept = new URLSearchParams(location.hash.slice(2));
    for (const name of FIELDS) {
      const it = control(name), value = kept.get(name);
      if (value === null || it.disabled) continue;
      if (it.tagName !== "SELECT" || Array.from(it.options).some((option) => option.value === value)) it.value = value;
    }
    const known = new Set(data.groups.flatMap((group) => group.systems));
    brushed = new Set(kept.getAll("only").filter((name) => known.has(name)));
    page.choose(kept.getAll("system"));
  }
  page.onChoice(() => { show(); keep(); });
  page.pickCandidate = (at) => {
    control("candidate").value = String(data.candidates.findIndex((it) => it.at === at));
    show(); keep();
    section.scrollIntoView({ block: "start" });
  };
  let wide = 0;
  new ResizeObserver(() => { if (plots.scatter.clientWidth !== wide) { wide = plots.scatter.clientWidth; show(); } }).observe(plots.scatter);
  window.addEventListener("hashchange", () => { recall(); show(); });
  recall();
  show();
})();
