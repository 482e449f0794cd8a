// Hover or focus lights what a row became or was made of; a click pins it.

import { $, all, isPlain, on, onClick } from "./dom.js";
import { NO_PLACE, load, moved, numberOf, param, rowsOf, show, showBand, sideOf, turn } from "./bands.js";

// The rows of a pin, and those on the other side.
export const pairOf = (pin) => {
	const [, kind, a, b = a] = /^([fc])(\d+)(?:-(\d+))?$/.exec(pin) ?? [];
	if (kind === "c") return { own: all(`#c-${a}`), other: all(`#frames [data-at="${a}"]`) };
	const own = rowsOf("frames").filter((row) => numberOf(row) >= a && numberOf(row) <= b);
	return { own, other: own.map((row) => $(`c-${row.dataset.at}`)).filter(Boolean) };
};
export const pinOf = (row) => row.id.replace("-", "");

let under = null; // the mouse, or the focus
const put = (name, rows) => {
	const chosen = new Set(rows);
	for (const row of all("#bands .row")) row.classList.toggle(name, chosen.has(row));
};
export const mark = () => {
	const pinned = pairOf(param("pin")), { own, other } = under ? pairOf(pinOf(under)) : pinned;
	put("pinned", pinned.own);
	put("lit", [...own, ...other]);
	$("ribbons").parentElement.classList.toggle("lights", Boolean(under));
	if (!param("pin")) $("pinned").replaceChildren();
	moved();
	return pinned;
};
const light = (row) => {
	if (row === under) return;
	under = row;
	mark();
};
export const dark = () => light(null);
const rowAt = (target) => target.closest("#bands .row");
// Not pointerover: rows that come under a mouse at rest were not meant.
on("pointermove", ({ target, pointerType }) => { if (pointerType === "mouse") light(rowAt(target)); });
on("focusin", ({ target }) => { if (target.matches(":focus-visible")) light(rowAt(target)); });
for (const name of ["wheel", "focusout", "htmx:beforeSwap"]) on(name, dark);
on("mouseleave", dark, true);

const pin = async (value, changes) => {
	turn({ ...NO_PLACE, pin: value, ...changes });
	showBand();
	const { own, other } = mark(), away = value[0] === "c" ? "frames" : "context";
	if (!other.length && (away === "frames" || own.some((row) => row.dataset.at))) await load(away);
	mark().other.slice(0, 1).forEach(show);
	await load("pinned");
};
export const unpin = () => {
	const [row] = mark().own;
	turn({ pin: null, frame: row && sideOf(row) === "frames" ? numberOf(row) : null });
	mark();
};
export const toggle = (row, isRange) => {
	if (!row) return;
	const [, from] = /^f(\d+)/.exec(param("pin")) ?? [], to = numberOf(row);
	if (isRange && from && sideOf(row) === "frames") pin(`f${Math.min(from, to)}-${Math.max(from, to)}`);
	else if (param("pin") === pinOf(row)) unpin();
	else pin(pinOf(row));
};

onClick('#bands .row a[href*="pin="]', ({ href }) => pin(new URL(href).searchParams.get("pin"), { band: null }));
onClick("a[data-unpin]", unpin);

let pressed = 0;
on("click", (event) => {
	const { target, shiftKey } = event, row = rowAt(target);
	if (!row || !(isPlain(event) || shiftKey) || target.closest("a, button, summary, pre")) return;
	if (shiftKey) getSelection().removeAllRanges();
	clearTimeout(pressed);
	pressed = setTimeout(() => {
		if (getSelection().isCollapsed) toggle(row, shiftKey);
	}, target.closest(".body, code") ? 250 : 0); // A second click would select a word.
});
