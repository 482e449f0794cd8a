// Draws the ribbons: from each frame in view to the message that stands for it. Without this script the rows say so in
// words. Only numbers go into the picture.

import { $, narrow, rangesOf, whenMoved } from "./bands.js";

const FATES = ["kept", "edited", "summarised", "recovery"];
const FADES = '<linearGradient id="to-right"><stop offset=".1" stop-color="#fff"/><stop offset=".8"/></linearGradient>'
  + '<linearGradient id="to-left"><stop offset=".2"/><stop offset=".9" stop-color="#fff"/></linearGradient>';

whenMoved(({ frames, context, box }) => {
  const svg = $("ribbons");
  if (narrow.matches || !context.length || !frames.length) return svg.replaceChildren();
  const x1 = frames[0].box.right - box.left, x2 = context[0].box.left - box.left, middle = (x1 + x2) / 2;
  const y = (value, { top, bottom }) => Math.round(Math.min(Math.max(value, top), bottom) - box.top);
  const edge = (side, isAbove) => y(isAbove ? -1e6 : 1e6, side.edges);
  const isLit = ({ row }) => row.classList.contains("lit");
  const drawn = { both: "", right: "", left: "", stubs: "", crosses: "" };
  const join = (where, fate, lit, a, b, c, d) => {
    drawn[where] += `<path class="ribbon ribbon-${fate}${lit ? " lit" : ""}" d="M${x1} ${a}C${middle} ${a} ${middle} ${c} ${x2} ${c}V${d}C${middle} ${d} ${middle} ${b} ${x1} ${b}Z"/>`;
  };

  const sources = new Map(context.map(({ n }) => [n, []]));
  for (const frame of frames) {
    const a = y(frame.box.top, frames.edges), b = y(frame.box.bottom, frames.edges), at = Number(frame.row.dataset.at);
    const fate = FATES.find((name) => frame.row.classList.contains(`fate-${name}`));
    if (sources.has(at)) sources.get(at).push({ frame, a, b });
    else if (at && fate) join("right", fate, isLit(frame), a, b, edge(context, at < context[0].n), edge(context, at < context[0].n));
    else if (frame.row.matches(".fate-dropped")) {
      const from = (a + b) / 2, length = Math.min(26, middle - x1);
      drawn.stubs += `M${x1} ${from}h${length}`;
      drawn.crosses += `M${x1 + length + 3} ${from - 4}l8 8m0-8l-8 8`;
    }
  }

  // A message's edge is shared out: among its frames in view, and its ranges above and below, as many as can be told apart.
  for (const message of context) {
    const from = sources.get(message.n), ranges = rangesOf(message.row), lit = isLit(message);
    const fate = FATES.find((name) => name === message.row.dataset.fate);
    const above = ranges.filter(([a]) => a < frames[0].n).slice(-3), below = ranges.filter(([, b]) => b > frames.at(-1).n).slice(0, 3);
    let c = y(message.box.top, context.edges);
    const part = (y(message.box.bottom, context.edges) - c) / (above.length + from.length + below.length || 1);
    const leave = (isAbove) => join("left", fate, lit, edge(frames, isAbove), edge(frames, isAbove), c, c += part);
    above.forEach(() => leave(true));
    for (const { frame, a, b } of from) join("both", fate, lit && isLit(frame), a, b, c, c += part);
    below.forEach(() => leave(false));
  }

  const area = `x="${x1}" y="0" width="${x2 - x1}" height="${box.height}"`;
  const faded = (to) => `<mask id="fades-${to}" maskUnits="userSpaceOnUse" ${area}><rect ${area} fill="url(#to-${to})"/></mask><g mask="url(#fades-${to})">${drawn[to]}</g>`;
  svg.innerHTML = `<defs>${FADES}</defs>${drawn.both}${faded("right")}${faded("left")}`
    + `<path class="ribbon ribbon-dropped stubs" d="${drawn.stubs}"/><path class="ribbon ribbon-dropped" d="${drawn.crosses}"/>`;
});
