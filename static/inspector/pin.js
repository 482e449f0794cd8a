// Hover or focus lights what a row became or was made of; a click pins it, which is in the URL. Without this script the
// links of a row do the pinning.

import { $, NO_PLACE, all, here, isPlain, load, moved, numberOf, on, param, rangesOf, rowsOf, show, sideOf } from "./bands.js";

// The rows of a pin, and those on the other side.
const pairOf = (pin) => {
  const [, kind, a, b = a] = /^([fc])(\d+)(?:-(\d+))?$/.exec(pin) ?? [], first = Number(a), last = Number(b);
  if (!kind) return { own: [], other: [] };
  if (kind === "c") return { own: all(`#context-rows > #c-${a}`), other: all(`#frame-rows > [data-at="${a}"]`) };
  return {
    own: rowsOf("frames").filter((row) => numberOf(row) >= first && numberOf(row) <= last),
    other: rowsOf("context").filter((row) => rangesOf(row).some(([from, to]) => from <= last && to >= first)),
  };
};
const pinOf = (row) => `${row.id[0]}${numberOf(row)}`;

const put = (name, rows) => {
  for (const row of all(`#bands .row.${name}`)) if (!rows.includes(row)) row.classList.remove(name);
  for (const row of rows) row.classList.add(name);
  moved();
};
export const mark = () => {
  const { own, other } = pairOf(param("pin"));
  put("pinned", own);
  put("lit", [...own, ...other]);
  return { own, other };
};

let wait = 0, scrolledAt = 0, lights = null, mouse = "";
const light = (row) => {
  clearTimeout(wait);
  if (row !== lights) wait = setTimeout(() => {
    lights = row;
    for (const bands of all(".bands")) bands.classList.toggle("lights", Boolean(row));
    if (!row) return mark();
    const { own, other } = pairOf(pinOf(row));
    put("lit", [...own, ...other]);
  }, row ? 70 : 140);
};
const rowAt = (target) => target.closest?.("#bands .row") ?? null;
const placeOf = ({ clientX, clientY }) => `${clientX} ${clientY}`;
on("pointermove", (event) => { mouse = placeOf(event); });
on("pointerover", (event) => { // Rows that come under a mouse that rests were not meant.
  if (event.pointerType === "mouse" && placeOf(event) !== mouse && performance.now() - scrolledAt > 150) light(rowAt(event.target));
});
on("focusin", ({ target }) => light(target.matches(":focus-visible") ? rowAt(target) : null));
on("focusout", () => light(null));
document.documentElement.addEventListener("pointerleave", () => light(null));
addEventListener("scroll", () => {
  scrolledAt = performance.now();
  if (!document.activeElement.matches("#bands .row :focus-visible")) light(null);
}, { capture: true, passive: true });

export const follow = async () => {
  mark();
  if (param("pin")) await load("pinned");
  else $("pinned").replaceChildren();
};
const pin = async (value) => {
  history.pushState(null, "", here({ ...NO_PLACE, pin: value }));
  const { own, other } = mark(), away = value[0] === "c" ? "frames" : "context";
  const isFar = !other.length && (away === "frames" || own.some((row) => row.dataset.at));
  if (isFar) await load(away);
  if (param("pin") !== value) return;
  const [counterpart] = mark().other;
  if (counterpart) show(counterpart, { smooth: !isFar, unlessSeen: true });
  await follow();
};
export const unpin = () => {
  const [row] = mark().own;
  history.pushState(null, "", here({ pin: null, frame: row && sideOf(row) === "frames" ? numberOf(row) : null }));
  return follow();
};
export const toggle = (row, isRange) => {
  const [, from] = /^f(\d+)/.exec(param("pin")) ?? [];
  if (isRange && from && sideOf(row) === "frames") {
    const [a, b] = [Number(from), numberOf(row)].sort((x, y) => x - y);
    return pin(a === b ? `f${a}` : `f${a}-${b}`);
  }
  return param("pin") === pinOf(row) ? unpin() : pin(pinOf(row));
};

let pressed = 0;
on("click", (event) => {
  const { target, shiftKey } = event, row = rowAt(target), link = target.closest("a");
  if (event.defaultPrevented || !(isPlain(event) || shiftKey)) return;
  const named = row && link && new URL(link.href).searchParams.get("pin");
  if (isPlain(event) && (named || target.closest("a[data-unpin]"))) {
    event.preventDefault();
    return named ? pin(named) : unpin();
  }
  if (!row || target.closest("a, button, summary, input, select, textarea, label, pre")) return;
  if (shiftKey) getSelection().removeAllRanges();
  clearTimeout(pressed);
  pressed = setTimeout(() => {
    if (getSelection().isCollapsed) toggle(row, shiftKey);
  }, target.closest(".body, code") ? 250 : 0); // A second click would select a word.
});
