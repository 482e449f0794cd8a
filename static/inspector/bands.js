// The rows of a session's page, what is in view of them, and its address.

import { $, all, on, onClick } from "./dom.js";
import { say } from "./trouble.js";

export const SIDES = ["frames", "context"];
export const narrow = matchMedia("(max-width: 800px)"); // as in the style sheet

export const rowsOf = (side) => all(`#${side} .rows > .row`);
export const sideOf = (element) => element.closest(".band").id;
export const numberOf = (row) => Number(row.id.slice(2));
export const moreOf = (side, rel) => all(`#${side} .more a[rel=${rel}]`)[0];

const scrollerOf = (side) => (narrow.matches ? document.scrollingElement : $(`${side}-scroller`));
const edgesOf = (side) => (narrow.matches ? { top: 0, bottom: innerHeight } : scrollerOf(side).getBoundingClientRect());
export const inView = (side) => {
	const { top, bottom } = edgesOf(side), rows = rowsOf(side).map((row) => ({ row, box: row.getBoundingClientRect() }));
	return rows.filter(({ box }) => box.height && box.bottom > top && box.top < bottom);
};
export const atEnd = (side) => {
	const last = rowsOf(side).at(-1);
	return !moreOf(side, "next") && (!last || last.getBoundingClientRect().bottom < edgesOf(side).bottom + 40);
};
export const toEnd = (side) => { scrollerOf(side).scrollTop = 1e9; };

// To a third below the top, where the row is out of sight.
export const show = (row) => {
	const side = sideOf(row), { top, bottom } = edgesOf(side), box = row.getBoundingClientRect();
	if (!box.height || (box.top >= top && Math.min(box.bottom, box.top + 60) <= bottom)) return;
	scrollerOf(side).scrollTop += box.top - top - (bottom - top) / 3;
};

// Before rows come or go. What it returns puts what the reader sees back.
export const hold = () => {
	const held = SIDES.map((side) => ({ side, ends: atEnd(side), ...inView(side)[0] })).filter(({ row }) => row);
	return () => {
		for (const { side, ends, row, box } of held) {
			const now = $(row.id); // It may have come anew.
			if (ends) toEnd(side);
			else if (now) scrollerOf(side).scrollTop += now.getBoundingClientRect().top - box.top;
		}
	};
};

export const NO_PLACE = { frame: null, message: null, after_seq: null, before_seq: null, after_position: null };
export const param = (name) => new URLSearchParams(location.search).get(name);
export const here = (changes, address = location.pathname + location.search) => {
	const url = new URL(address, location);
	for (const [name, value] of Object.entries(changes)) {
		if (value === null) url.searchParams.delete(name);
		else url.searchParams.set(name, value);
	}
	return url.href;
};
export const replace = (url) => history.replaceState(history.state, "", url);
// By its mark htmx loads such a page anew on the way back.
export const turn = (changes) => {
	history.replaceState({ htmx: true }, "");
	history.pushState({ htmx: true }, "", here({ ...changes, band: narrow.matches ? band() : null, ...changes }));
};

export const fetchPart = (url, id) => fetch(url, { headers: { "HX-Request": "true", "HX-Target": id } })
	.then((answer) => (answer.ok ? answer.text() : "")).catch(() => "");
export const load = async (id) => {
	const url = location.href, text = await fetchPart(url, id);
	if (!text) say("outdated");
	else if (url === location.href) htmx.swap(`#${id}`, text, { swapStyle: "outerHTML" });
};

export const band = () => param("band") ?? (/^f/.test(param("pin")) ? "context" : "frames");
export const showBand = () => {
	$("bands").dataset.band = band();
	for (const tab of all("a[data-tab]")) tab.ariaCurrent = tab.dataset.tab === band() ? "true" : null;
};
export const setBand = (side) => {
	replace(here({ band: side }));
	showBand();
	all(`#${side} .lit`).slice(0, 1).forEach(show);
};
onClick("a[data-tab]", (tab) => setBand(tab.dataset.tab));

// Rows are measured once a frame for all who draw.
const watchers = [];
let asked = 0;
const measure = () => {
	asked = 0;
	const bands = SIDES.map((side) => Object.assign(inView(side), { edges: edgesOf(side) }));
	for (const watcher of watchers) watcher(...bands);
};
export const moved = () => { asked ||= requestAnimationFrame(measure); };
export const whenMoved = (watcher) => watchers.push(watcher);
const sizes = new ResizeObserver(moved);
on("htmx:load", () => { for (const element of all(".bands, .rows")) sizes.observe(element); });
on("scroll", moved, true);
