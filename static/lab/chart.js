// The charts of a replay: pointing at a line or at its row of the table dims the others, its button in the key holds it
// lit; a crosshair reads the figures of a call, by the pointer or by the arrow keys; ArrowDown leads from a line to its
// compressions. Without this script the charts are read by their labels and titles.

const charts = document.getElementById("charts");
if (charts) start(charts);

function start(charts) {
  const calls = numbers(charts.dataset.calls);
  const frames = numbers(charts.dataset.frames);
  const keys = [...charts.querySelectorAll(".chart-key li")];
  const samples = new Map(keys.map((key) => [key, numbers(key.dataset.samples)]));
  const plots = [...charts.querySelectorAll(".plot[data-left]")];
  const reading = document.getElementById("reading");
  const readOut = document.getElementById("read-out");
  const invited = reading.textContent;
  let at = -1;
  let held = null; // by its button
  let walked = null; // whose marks the arrow keys go by

  reading.hidden = false;
  const lineOf = (target) => target.closest?.("[data-line]")?.dataset.line ?? (target.closest?.(".mark-link") ? walked : null);
  for (const place of document.querySelectorAll("#charts, #replay-table")) {
    place.addEventListener("pointerover", (event) => light(lineOf(event.target)));
    place.addEventListener("pointerleave", () => light(lineOf(document.activeElement)));
    place.addEventListener("focusin", (event) => light(lineOf(event.target)));
    place.addEventListener("focusout", () => light(null));
  }
  for (const key of keys) key.querySelector("button").addEventListener("click", () => hold(key.dataset.line));

  function hold(line) {
    held = held === line ? null : line;
    for (const key of keys) key.querySelector("button").setAttribute("aria-pressed", key.dataset.line === held);
    light(held);
  }

  function light(wanted) {
    const line = wanted ?? held;
    charts.classList.toggle("lights", line !== null);
    for (const one of document.querySelectorAll("[data-line]")) one.classList.toggle("lit", one.dataset.line === line);
  }

  function read(index, line) {
    at = Math.max(0, Math.min(index, calls.length - 1));
    const where = filled(reading.dataset.said, { call: calls[at], frame: `#${frames[at]}` });
    reading.textContent = where;
    for (const key of keys) key.querySelector(".read").textContent = short(samples.get(key)[at]);
    for (const plot of plots) cross(plot);
    const key = keys.find((one) => one.dataset.line === line);
    if (key) readOut.textContent = filled(reading.dataset.lineSaid, { where, what: key.textContent.trim().replace(/\s+/g, " ") });
  }

  function clear() {
    at = -1;
    reading.textContent = invited;
    for (const key of keys) key.querySelector(".read").textContent = "";
    for (const plot of plots) plot.querySelector(".crosshair").setAttribute("hidden", "");
  }

  function cross(plot) {
    const { left, right } = plot.dataset;
    const share = (calls[at] - 1) / Math.max(calls.at(-1) - 1, 1);
    const line = plot.querySelector(".crosshair");
    line.setAttribute("d", `M${+left + share * (right - left)} 24V${plot.viewBox.baseVal.height - 40}`);
    line.removeAttribute("hidden");
  }

  for (const plot of plots) {
    plot.addEventListener("pointermove", (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
      const { left, right } = plot.dataset;
      if (point.x < +left - 8 || point.x > +right + 8) return;
      read(nearest(1 + ((point.x - left) / (right - left)) * (calls.at(-1) - 1)));
    });
    plot.addEventListener("pointerleave", clear);
    plot.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const line = event.target.closest("[data-line]")?.dataset.line;
      const mark = event.target.closest(".mark-link");
      if (mark ? walk(plot, mark, event.key) : line !== undefined && go(plot, line, event.key)) event.preventDefault();
    });
  }

  function go(plot, line, pressed) {
    if (pressed === "Escape") return clear() ?? true;
    if (pressed === "ArrowDown") {
      walked = line;
      marksOf(plot)[0]?.focus();
      return true;
    }
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: calls.length - 1 }[pressed];
    if (next === undefined) return false;
    read(at < 0 && pressed !== "End" ? 0 : next, line);
    return true;
  }

  function walk(plot, mark, pressed) {
    const marks = marksOf(plot);
    const here = marks.indexOf(mark);
    const next = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: marks.length - 1 }[pressed];
    const isBack = pressed === "ArrowUp" || pressed === "Escape";
    if (isBack) plot.querySelector(`.series[data-line="${walked}"]`)?.focus();
    else marks[next]?.focus();
    return isBack || next !== undefined;
  }

  function marksOf(plot) {
    return [...plot.querySelectorAll(".mark-link")].filter((mark) => mark.querySelector(`[data-line="${walked}"]`));
  }

  function nearest(call) {
    let best = 0;
    for (let i = 1; i < calls.length; i++) if (Math.abs(calls[i] - call) < Math.abs(calls[best] - call)) best = i;
    return best;
  }
}

function filled(said, values) {
  return said.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function numbers(text) {
  return text ? text.split(" ").map(Number) : [];
}

function short(value) {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (value < size * 0.9995) continue;
    const scaled = value / size;
    return (scaled >= 99.95 ? scaled.toFixed(0) : scaled.toFixed(1).replace(/\.0$/, "")) + unit;
  }
  return String(value);
}
