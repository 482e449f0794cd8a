// Which part of the session is in view: the URL follows as one scrolls, and brings one back. Without this script the
// server shows the page around what the URL names.

import { $, NO_PLACE, SIDES, all, atEnd, here, isTail, load, moreOf, narrow, numberOf, on, param, rowsOf, setBand, show, toEnd, whenMoved } from "./bands.js";
import { follow, mark } from "./pin.js";

// The row that the URL names, as ["f", 4711] or ["c", 3]. The server never sees what follows the #.
export const named = () => {
  const [, kind, n] = /^#([fc])-(\d+)$/.exec(location.hash) ?? /^([fc])(\d+)/.exec(param("pin")) ?? [];
  if (kind) return [kind, Number(n)];
  const hits = param("q") ? all("#frame-rows > .row-hit") : [];
  const frame = param("frame") ?? param("hit") ?? (hits.length ? numberOf(hits.at(-1)) : null);
  return frame ? ["f", Number(frame)] : ["c", Number(param("message"))];
};
// Where it is filtered out, the one after it. Nothing where it is on another page.
const rowFor = (side, n) => {
  const rows = rowsOf(side), i = rows.findIndex((row) => numberOf(row) >= n);
  if (i < 0) return isTail(side) ? rows.at(-1) : null;
  return i || numberOf(rows[0]) === n || !moreOf(side)[0].querySelector("a") ? rows[i] : null;
};
const counterpartOf = (row) => {
  if (row.id[0] === "c") return all(`#frame-rows > [data-at="${numberOf(row)}"]`)[0];
  for (let next = row; next; next = next.nextElementSibling) if (next.dataset.at) return $(`c-${next.dataset.at}`);
};

// Brings what the URL names into view. False where it is not among the rows that are here.
export const arrive = () => {
  mark();
  if (param("band")) setBand(param("band"));
  const [kind, n] = named(), [side, away] = kind === "f" ? SIDES : [...SIDES].reverse();
  if (!n) {
    if (param("after_seq") || param("before_seq") || param("after_position")) return true;
    SIDES.filter((each) => rowsOf(each).length).forEach(toEnd);
    return SIDES.every(isTail);
  }
  const row = rowFor(side, n), other = row && counterpartOf(row);
  if (!row) return false;
  if (!other && rowsOf(away).length && !narrow.matches) toEnd(away);
  for (const each of [other, row]) if (each?.offsetParent) show(each);
  return true;
};

let byHand = false, rest = 0;
const turnTo = (changes) => {
  byHand = false;
  history.pushState(null, "", here({ ...NO_PLACE, hit: null, pin: null, ...changes }));
  drawn = shown();
};
export const goTo = async (n) => {
  turnTo({ frame: n });
  if (!$(`f-${n}`)) await load("bands");
  else if (arrive()) await follow();
  rowFor("frames", n)?.querySelector(".seq").focus({ preventScroll: true });
};
export const goToEnd = () => {
  if (isTail("frames")) return toEnd("frames");
  turnTo({});
  return load("bands");
};

for (const name of ["wheel", "touchmove", "pointerdown", "keydown"]) addEventListener(name, () => { byHand = true; }, { passive: true });
const note = (frames) => {
  if (!byHand || !frames.length || param("pin")) return;
  const { top, bottom } = frames.edges, away = ({ box }) => Math.abs(box.top - top - (bottom - top) / 3);
  const nearest = frames.reduce((a, b) => (away(b) < away(a) ? b : a));
  const url = here({ ...NO_PLACE, frame: isTail("frames") && atEnd("frames") ? null : nearest.n });
  if (url !== location.href) history.replaceState(history.state, "", url);
};
whenMoved(({ frames }) => {
  clearTimeout(rest);
  rest = setTimeout(note, 300, frames);
});

// Links and forms above the bands were drawn before one went here, filtered or pinned.
const CARRIED = ["frame", "band", "role", "tool", "only", "q", "upto", "hit"];
on("htmx:configRequest", ({ detail }) => {
  const { target, elt, verb, parameters } = detail, isShown = target.id === "session" && verb === "get";
  if (target.id !== "panel" && target.id !== "session") return;
  const url = new URL(detail.path, location), inForm = verb === "get" && elt.matches("form");
  for (const name of isShown ? CARRIED : [...CARRIED, "pin"]) {
    url.searchParams.delete(name);
    delete parameters[name];
    if (param(name) === null) continue;
    if (inForm) parameters[name] = param(name);
    else url.searchParams.set(name, param(name));
  }
  detail.path = url.pathname + url.search + url.hash;
});

// Back and forward: to another pin or place of the same rows, else the page is loaded anew. htmx would do that always.
const shown = () => here({ ...NO_PLACE, pin: null, band: null });
let drawn = shown();
for (const name of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) on(name, () => { drawn = shown(); });
addEventListener("popstate", (event) => {
  event.stopImmediatePropagation();
  if (shown() !== drawn || !arrive()) location.reload();
  else follow();
}, { capture: true });

const isWhole = ({ target }) => target.id === "bands" || target.id === "session";
on("htmx:afterSwap", (event) => {
  if (!isWhole(event)) return;
  byHand = false;
  arrive();
});
on("htmx:afterSettle", (event) => { if (isWhole(event)) queueMicrotask(arrive); }); // after htmx went to the fragment

history.scrollRestoration = "manual";
if (!arrive()) {
  const [kind, n] = named(), name = kind === "f" ? "frame" : "message";
  if (location.hash && param(name) !== String(n)) location.replace(here({ ...NO_PLACE, [name]: n }) + location.hash);
}
