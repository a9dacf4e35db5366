// Charts as SVG and PNG, tables as CSV, the whole document as JSON: buttons that save what is seen.
(function () {
  "use strict";
  const page = window.concordantReport;

  page.save = function (name, content, type) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type: type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };

  // A drawing that stands by itself: what the style sheet says is written into it.
  const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight"];
  page.asSvg = function (svg) {
    const copy = svg.cloneNode(true), theirs = Array.from(copy.querySelectorAll("*"));
    Array.from(svg.querySelectorAll("*")).forEach((it, k) => {
      const style = getComputedStyle(it);
      theirs[k].removeAttribute("class");
      theirs[k].removeAttribute("style");
      for (const key of STYLED) {
        const value = style.getPropertyValue(key);
        if (value && value !== "none" || key === "fill") theirs[k].setAttribute(key, value);
      }
    });
    const paper = document.createElementNS(svg.namespaceURI, "rect");
    const ground = getComputedStyle(document.body).backgroundColor;
    for (const [key, value] of [["width", "100%"], ["height", "100%"], ["fill", ground]]) paper.setAttribute(key, value);
    copy.insertBefore(paper, copy.firstChild);
    return new XMLSerializer().serializeToString(copy);
  };
  page.asPng = async function (svg) {
    const text = page.asSvg(svg), image = new Image(), scale = 2;
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = scale * svg.clientWidth;
    canvas.height = scale * svg.clientHeight;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  };
  page.asCsv = function (table) {
    const quoted = (text) => /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
    const written = (cell) => {
      const name = cell.querySelector("bdi");
      if (cell.classList.contains("n")) return cell.dataset.v || "";
      return quoted(name ? name.title : cell.textContent);
    };
    const kept = Array.from(table.tHead.rows[0].cells, (cell) => !cell.classList.contains("spark"));
    const line = (row, how) => Array.from(row.cells).filter((_, k) => kept[k]).map(how).join(",");
    const head = line(table.tHead.rows[0], (cell) => quoted(cell.textContent));
    return [head, ...Array.from(table.tBodies[0].rows, (row) => line(row, written))].join("\r\n") + "\r\n";
  };

  function button(text, label, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "save";
    made.textContent = text;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  }
  const fileOf = (title) => title.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "concordant";
  function equip(within) {
    for (const figure of within.querySelectorAll("figure.chart:not([data-saves])")) {
      figure.dataset.saves = "yes";
      const title = figure.querySelector("figcaption strong").textContent, file = fileOf(title);
      const svg = () => figure.querySelector(".plot svg");
      const row = document.createElement("span");
      row.className = "saves";
      row.append(
        button("SVG", `Save as SVG: ${title}`, () => svg() && page.save(file + ".svg", page.asSvg(svg()), "image/svg+xml")),
        button("PNG", `Save as PNG: ${title}`, async () => svg() && page.save(file + ".png", await page.asPng(svg()), "image/png")));
      figure.querySelector("figcaption").append(row);
    }
    for (const table of within.querySelectorAll(".scroll > table:not([data-saves])")) {
      table.dataset.saves = "yes";
      const title = table.caption.textContent;
      table.caption.append(button("CSV", `Save as CSV: ${title}`, () => page.save(fileOf(title) + ".csv", page.asCsv(table), "text/csv")));
    }
  }
  equip(document);
  document.addEventListener("unfolded", (event) => equip(event.target));
  const whole = document.getElementById("save-json");
  if (whole) whole.addEventListener("click", async () => page.save("report.json", JSON.stringify(await page.unpacked("document")), "application/json"));
})();
