// The charts of a replay: pointing at a line or at its row of the table dims the others; a crosshair reads the figures
// of a call, by the pointer or by the arrow keys. Without this script the charts are read by their labels and titles.

const charts = document.getElementById("charts");
if (charts) start(charts);

function start(charts) {
  const calls = numbers(charts.dataset.calls);
  const frames = numbers(charts.dataset.frames);
  const keys = [...charts.querySelectorAll(".chart-key li")];
  const samples = new Map(keys.map((key) => [key, numbers(key.dataset.samples)]));
  const reading = document.getElementById("reading");
  const readOut = document.getElementById("read-out");
  let at = -1;

  const lined = (target) => target.closest?.("[data-line]");
  const places = document.querySelectorAll("#charts, #replay-table");
  for (const place of places) {
    place.addEventListener("pointerover", (event) => light(lined(event.target)));
    place.addEventListener("pointerleave", () => light(lined(document.activeElement)));
    place.addEventListener("focusin", (event) => light(lined(event.target)));
    place.addEventListener("focusout", () => light(null));
  }

  function light(element) {
    const line = element?.dataset.line;
    const is = /^\d+$/.test(line ?? "");
    charts.classList.toggle("lights", is);
    for (const one of document.querySelectorAll("[data-line]")) one.classList.toggle("lit", is && one.dataset.line === line);
  }

  function read(index, line) {
    at = Math.max(0, Math.min(index, calls.length - 1));
    const where = reading.dataset.said.replace("{call}", calls[at]).replace("{frame}", `#${frames[at]}`);
    reading.textContent = where;
    reading.hidden = false;
    for (const key of keys) key.querySelector(".read").textContent = short(samples.get(key)[at]);
    for (const plot of charts.querySelectorAll(".plot[data-left]")) cross(plot);
    if (line === undefined) return;
    const key = keys.find((one) => one.dataset.line === line);
    readOut.textContent = `${where}: ${key.textContent.trim().replace(/\s+/g, " ")}`;
  }

  function cross(plot) {
    const { left, right } = plot.dataset;
    const share = (calls[at] - 1) / Math.max(calls.at(-1) - 1, 1);
    const line = plot.querySelector(".crosshair");
    line.setAttribute("d", `M${+left + share * (right - left)} 24V${plot.viewBox.baseVal.height - 40}`);
    line.removeAttribute("hidden");
  }

  for (const plot of charts.querySelectorAll(".plot[data-left]")) {
    plot.addEventListener("pointermove", (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
      const { left, right } = plot.dataset;
      if (point.x < +left - 8 || point.x > +right + 8) return;
      const call = 1 + ((point.x - left) / (right - left)) * (calls.at(-1) - 1);
      read(nearest(call));
    });
    plot.addEventListener("keydown", (event) => {
      const line = lined(event.target)?.dataset.line;
      const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: calls.length - 1 }[event.key];
      if (line === undefined || next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      read(at < 0 && event.key !== "End" ? 0 : next, line);
    });
  }

  function nearest(call) {
    let best = 0;
    for (let i = 1; i < calls.length; i++) if (Math.abs(calls[i] - call) < Math.abs(calls[best] - call)) best = i;
    return best;
  }
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
