// What the scripts of a session's page share: its two bands, which of their rows are in view, and its URL. Whatever moves
// rows is noticed here; they are measured once a frame for all who draw. Without it the page is read and linked as drawn.

import { say } from "./trouble.js";

export const $ = (id) => document.getElementById(id);
export const all = (selector) => [...document.querySelectorAll(selector)];
export const on = (name, act) => document.addEventListener(name, act);
export const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
export const narrow = matchMedia("(max-width: 800px)"); // as in the style sheet: the page scrolls, and shows one band

const PARTS = { frames: ["frame-rows", "frames-older", "frames-newer"], context: ["context-rows", "context-earlier", "context-later"] };
export const SIDES = Object.keys(PARTS);
export const rowsOf = (side) => [...($(PARTS[side][0])?.children ?? [])];
export const moreOf = (side) => PARTS[side].slice(1).map($);
export const sideOf = (element) => element.closest("section.band").id;
export const numberOf = (row) => Number(row.id.slice(2));
export const rangesOf = (row) => row.dataset.seqs.split(",").map((part) => part.split("-").map(Number)).map(([a, b = a]) => [a, b]);

const scrollerOf = (side) => (narrow.matches ? document.scrollingElement : $(`${side}-scroller`));
const edgesOf = (side) => (narrow.matches ? { top: 0, bottom: innerHeight } : $(`${side}-scroller`).getBoundingClientRect());
export const isTail = (side) => !moreOf(side)[1]?.querySelector("a");
export const atEnd = (side) => {
  const { scrollHeight, scrollTop, clientHeight } = scrollerOf(side);
  return scrollHeight - scrollTop - clientHeight < 40;
};
export const toEnd = (side) => { scrollerOf(side).scrollTop = 1e9; };

// Rows stand in order: where those in view begin is found in a few steps.
export const inView = (side) => {
  const rows = rowsOf(side), { top, bottom } = edgesOf(side), seen = [];
  let i = 0;
  for (let end = rows.length; i < end;) {
    const middle = (i + end) >> 1;
    if (rows[middle].getBoundingClientRect().bottom > top) end = middle;
    else i = middle + 1;
  }
  for (const row of rows.slice(i)) {
    const box = row.getBoundingClientRect();
    if (box.top >= bottom || !box.height) break;
    seen.push({ row, n: numberOf(row), box });
  }
  return seen;
};

// Puts a row a third below the top of its band.
let aim = {};
export const show = (row, { smooth, unlessSeen } = {}) => {
  const side = sideOf(row), { top, bottom } = edgesOf(side), box = row.getBoundingClientRect();
  if (unlessSeen && box.top >= top && Math.min(box.bottom, box.top + 60) <= bottom) return;
  const glides = smooth && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  aim = glides ? { row, until: performance.now() + 1000 } : {};
  scrollerOf(side).scrollBy({ top: box.top - top - (bottom - top) / 3, behavior: glides ? "smooth" : "instant" });
};

// What the reader sees stays where it is, whatever comes or goes. Who is at the end stays there.
export const keep = (change) => {
  const held = SIDES.map((side) => ({ side, ends: isTail(side) && atEnd(side), first: inView(side)[0] }));
  change();
  for (const { side, ends, first } of held) {
    const by = first?.row.isConnected ? first.row.getBoundingClientRect().top - first.box.top : 0;
    if (first && ends) toEnd(side);
    else if (by) scrollerOf(side).scrollTop += by;
    if (by && aim.row?.isConnected && performance.now() < aim.until) show(aim.row); // That stopped it on its way.
  }
};

export const NO_PLACE = { frame: null, message: null, after_seq: null, before_seq: null, after_position: null };
export const param = (name) => new URLSearchParams(location.search).get(name);
// The address of this page with some of it changed; null takes it out.
export const here = (changes) => {
  const url = new URL(location);
  url.hash = "";
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
};

// A part of the page as the server draws it for an address, as htmx asks for it. Several may be under way.
export const fetchPart = async (url, target) => {
  const answer = await fetch(url, { headers: { "HX-Request": "true", "HX-Target": target } });
  if (!answer.ok || answer.redirected) throw new Error(`${answer.status} ${url}`);
  return answer.text();
};
export const load = async (target) => {
  const url = location.href;
  try {
    const text = await fetchPart(url, target);
    if (url === location.href) htmx.swap(`#${target}`, text, { swapStyle: "outerHTML", swapDelay: 0, settleDelay: 0 });
  } catch {
    say("outdated");
  }
};

// The tabs of a narrow screen. Each band keeps its place; what is pinned is shown. Without this script they are links.
const places = {};
export const setBand = (band) => {
  const bands = $("bands"), before = bands.dataset.band ?? "";
  if (before === band) return;
  places[before] = scrollY;
  bands.dataset.band = band;
  for (const tab of all("a[data-tab]")) tab.ariaCurrent = tab.dataset.tab === band ? "true" : null;
  history.replaceState(history.state, "", here({ band: band || null }) + location.hash);
  const [lit] = all(`#${band || "frames"} .lit`);
  if (!narrow.matches) return;
  if (lit) show(lit);
  else scrollTo(0, places[band] ?? 1e9);
};
on("click", (event) => {
  const tab = event.target.closest("a[data-tab]");
  if (!tab || !isPlain(event)) return;
  event.preventDefault();
  setBand(tab.dataset.tab);
});

const watchers = [];
let asked = 0;
const measure = () => {
  asked = 0;
  if (!$("bands")) return;
  const view = { box: $("ribbons").getBoundingClientRect() };
  for (const side of SIDES) view[side] = Object.assign(inView(side), { edges: edgesOf(side) });
  for (const watcher of watchers) watcher(view);
};
export const moved = () => { asked ||= requestAnimationFrame(measure); };
export const whenMoved = (watcher) => { watchers.push(watcher); moved(); };

const sizes = new ResizeObserver(moved);
const observe = () => {
  sizes.disconnect();
  for (const element of all(".bands, .rows")) sizes.observe(element);
};
addEventListener("scroll", moved, { capture: true, passive: true });
on("htmx:afterSettle", observe);
document.fonts.ready.then(moved);
observe();
