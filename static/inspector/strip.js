// A click on the fate strip leads to the frame there, and the strip shows which frames are in view. Without this script
// the form beside the filters leads to a frame.

import { $, whenMoved } from "./bands.js";
import { goTo } from "./place.js";

const cells = "#strip svg.strip-cells";
const frameAt = (svg, { clientX }) => {
  const { left, width } = svg.getBoundingClientRect(), last = Number(svg.dataset.last);
  return Math.min(last, Math.max(1, Math.ceil(((clientX - left) / width) * last)));
};

document.addEventListener("click", (event) => {
  const svg = event.target.closest(cells);
  if (svg) goTo(frameAt(svg, event));
});

document.addEventListener("pointermove", (event) => {
  const svg = event.target.closest?.(cells);
  if (!svg) return;
  const title = svg.querySelector("title") ?? svg.appendChild(document.createElementNS(svg.namespaceURI, "title"));
  title.textContent = `#${frameAt(svg, event).toLocaleString("en")}`;
});

whenMoved(({ frames }) => {
  const view = $("strip-view");
  if (!view) return;
  const last = Number(view.closest("svg").dataset.last), first = frames[0]?.n ?? 1;
  const share = frames.length ? (frames.at(-1).n - first + 1) / last : 0;
  view.setAttribute("x", `${((first - 1) / last) * 100}%`);
  view.setAttribute("width", `${share && Math.max(share * 100, 0.2)}%`);
});
