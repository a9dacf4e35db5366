// A rectangle that is dragged over a drawing. Sideways only where a finger does it: up and down it scrolls the page.
function concordantBrush(place, chosen) {
  "use strict";
  const LEAST = 5; // pixels; a drag over fewer is a click
  let start = null, box = null;
  const at = (event) => {
    const frame = place.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  };
  const between = (a, b) => ({
    left: Math.min(a.x, b.x), right: Math.max(a.x, b.x), top: Math.min(a.y, b.y), bottom: Math.max(a.y, b.y),
  });
  function end() {
    if (box) box.remove();
    start = box = null;
  }
  place.addEventListener("pointerdown", (event) => { if (event.button === 0 && event.isPrimary) start = at(event); });
  place.addEventListener("pointermove", (event) => {
    if (!start) return;
    const now = at(event), it = between(start, now);
    if (!box) {
      if (Math.hypot(now.x - start.x, now.y - start.y) < LEAST) return;
      place.setPointerCapture(event.pointerId); // what it ends on is not clicked
      box = document.createElement("div");
      box.className = "brush";
      place.append(box);
    }
    Object.assign(box.style, { left: it.left + "px", top: it.top + "px" });
    Object.assign(box.style, { width: it.right - it.left + "px", height: it.bottom - it.top + "px" });
  });
  place.addEventListener("pointerup", (event) => {
    const found = box && between(start, at(event));
    end();
    if (found) chosen(found);
  });
  place.addEventListener("pointercancel", end);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") end(); });
}
