// The keys of a session's page; `?` lists them.

import { $, all, focusOn, on } from "./dom.js";
import { band, inView, moreOf, narrow, param, setBand, sideOf } from "./bands.js";
import { pairOf, pinOf, toggle, unpin } from "./pin.js";
import { goTo, goToEnd, more } from "./place.js";

const focused = () => document.activeElement.closest("#bands .row");
// Without the focus one begins at what is pinned, else at the top.
const first = (side) => all(`#${side} .pinned`)[0] ?? inView(side).slice(0, 2).at(-1)?.row;
const current = () => focused() ?? first(narrow.matches ? band() : "frames");
const reach = (row) => {
	focusOn(row?.querySelector(".seq"));
	row?.scrollIntoView({ block: "nearest" });
};

const step = async (rel, sibling) => {
	const row = focused(), link = row && moreOf(sideOf(row), rel);
	if (link && !row[sibling]) await more(link);
	reach(row ? row[sibling] : current());
};
const cross = (to) => {
	const row = focused();
	if (row && sideOf(row) === to) return;
	if (narrow.matches) setBand(to);
	reach((row && pairOf(pinOf(row)).other[0]) ?? first(to));
};
const press = (selector) => document.querySelector(selector)?.click();

let lastG = -1e9;
const KEYS = {
	j: () => step("next", "nextElementSibling"),
	k: () => step("prev", "previousElementSibling"),
	h: () => cross("frames"),
	l: () => cross("context"),
	p: () => toggle(current(), false),
	P: () => toggle(current(), true),
	"[": () => press('[data-key="["]'),
	"]": () => press('[data-key="]"]'),
	"/": () => $("text").focus(),
	n: () => press("#hit-later"),
	N: () => press("#hit-earlier"),
	g: ({ timeStamp }) => {
		if (timeStamp - lastG < 1000) goTo(1);
		lastG = timeStamp;
	},
	G: goToEnd,
	c: () => press("#control-compress"),
	"?": () => $("keys").showModal(),
	Escape: () => {
		if ($("panel").children.length) press("#panel .close");
		else if (param("pin")) unpin();
	},
};

on("keydown", (event) => {
	const { key, target } = event, isTyping = target.matches("input, select, textarea");
	if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
	if (isTyping ? key !== "Escape" : !Object.hasOwn(KEYS, key)) return;
	event.preventDefault();
	if (isTyping) target.blur();
	else KEYS[key](event);
});
