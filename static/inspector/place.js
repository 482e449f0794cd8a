// Brings what the address names into view; as one scrolls, the address follows and more rows come.

import { $, all, focusOn, make, on, onClick } from "./dom.js";
import { NO_PLACE, SIDES, atEnd, fetchPart, here, hold, load, moreOf, narrow, numberOf, param, replace, rowsOf, show, showBand, sideOf, toEnd, turn, whenMoved } from "./bands.js";
import { dark, mark, pairOf } from "./pin.js";
import { say } from "./trouble.js";

// As ["f", 4711] or ["c", 3]. The server never sees what follows the #.
const named = () => {
	const [, kind, n] = /^#([fc])-(\d+)$/.exec(location.hash) ?? /^([fc])(\d+)/.exec(param("pin")) ?? [];
	const frame = param("frame") ?? param("hit") ?? all("#frames .row-hit").at(-1)?.id.slice(2);
	return kind ? [kind, n] : frame ? ["f", frame] : ["c", param("message")];
};
const rowFor = (side, n) => rowsOf(side).find((row) => numberOf(row) >= n) ?? rowsOf(side).at(-1);

let byHand = false, rest = 0;
const arrive = () => {
	byHand = false;
	showBand();
	mark();
	const [kind, n] = named(), row = n && rowFor(kind === "f" ? "frames" : "context", n);
	if (!narrow.matches && !/[?&](after|before)_/.test(location.search)) SIDES.forEach(toEnd);
	const [next] = all("[data-focus]");
	if (row && !(next && narrow.matches)) [...pairOf(`${kind}${numberOf(row)}`).other.slice(0, 1), row].forEach(show);
	if (next || param("pin") || all("#versions :focus")[0] || !["hit", "q", "frame"].some(param)) return;
	focusOn(all(".row-now .seq")[0]);
	dark();
};

const leave = (changes) => {
	byHand = false;
	turn({ ...NO_PLACE, hit: null, pin: null, band: null, ...changes });
};
export const goTo = async (n) => {
	leave({ frame: n });
	if ($(`f-${n}`)) arrive();
	else await load("bands");
	focusOn(rowFor("frames", n)?.querySelector(".seq"));
};
export const goToEnd = () => {
	if (!moreOf("frames", "next")) return toEnd("frames");
	leave({});
	return load("bands");
};

// The address names the row a third below the top.
const note = (frames) => {
	if (!byHand || !frames.length || param("pin")) return;
	const { top, bottom } = frames.edges, away = ({ box }) => Math.abs(box.top - top - (bottom - top) / 3);
	const { row } = frames.reduce((a, b) => (away(b) < away(a) ? b : a));
	replace(here({ ...NO_PLACE, frame: atEnd("frames") ? null : numberOf(row) }));
};
for (const name of ["wheel", "touchmove", "pointerdown", "keydown"]) on(name, () => { byHand = true; });
whenMoved((frames) => {
	clearTimeout(rest);
	rest = setTimeout(note, 300, frames);
});

// Links above the bands were drawn before one went here.
on("htmx:configRequest", ({ detail }) => {
	const { target: { id }, verb, parameters } = detail, names = ["frame", "band", "role", "tool", "only", "q", "upto", "hit"];
	if (id !== "panel" && id !== "session") return;
	if (id === "panel" || verb !== "get") names.push("pin");
	for (const name of names) delete parameters[name];
	detail.path = here(Object.fromEntries(names.map((name) => [name, param(name)])), detail.path);
});

// A microtask later htmx has gone to the fragment.
on("htmx:afterSettle", ({ target }) => { if (target.matches("#bands, #session")) queueMicrotask(arrive); });

const askForNamed = () => {
	const [kind, n] = named(), name = kind === "f" ? "frame" : "message";
	if (location.hash !== `#${kind}-${n}` || $(`${kind}-${n}`) || param(name) === n) return;
	location.replace(here({ ...NO_PLACE, [name]: n }) + location.hash);
};
const MOST = 400, STEP = 30; // STEP: no more than the server sends of a window

// What is too much at the other end gives way to a link.
const prune = (side, isOlder) => {
	const rows = rowsOf(side), kept = isOlder ? rows.slice(0, MOST) : rows.slice(-MOST);
	if (kept.length === rows.length) return;
	for (const row of rows) if (!kept.includes(row)) row.remove();
	const first = numberOf(kept[0]), last = numberOf(kept.at(-1)), place = all(`#${side} .more`)[isOlder ? 1 : 0];
	const inFrames = isOlder ? { after_seq: last } : { before_seq: first };
	const page = side === "frames" ? inFrames : { after_position: isOlder ? last : Math.max(0, first - 1 - STEP) };
	const href = here({ ...NO_PLACE, hit: null, pin: null, ...page });
	place.replaceChildren(make("a", { href, rel: isOlder ? "next" : "prev", textContent: place.dataset.text }));
};

// "#91–#190 of 12,345", or "12 shown of 12,345".
export const span = (side) => {
	const numbers = rowsOf(side).map(numberOf), last = numbers.at(-1), place = $(`${side}-span`);
	if (!last) return;
	const shown = /[#C]\d/.test(place.textContent) ? [numbers[0], last, moreOf(side, "next") ? null : last] : [numbers.length];
	place.textContent = place.textContent.replace(/\d[\d,]*/g, (n) => (shown.shift() ?? n).toLocaleString("en"));
};

const fetchRows = async (link) => {
	const place = link.parentElement, side = sideOf(link), isOlder = link.rel === "prev", part = make("template");
	part.innerHTML = await fetchPart(link.href, side);
	link.loading = null;
	const next = part.content.getElementById(place.id);
	if (!next) return say("rows");
	if (!link.isConnected) return;
	const release = hold(), fresh = [...part.content.querySelectorAll(".row")].filter((row) => !$(row.id));
	rowsOf(side)[0].parentElement[isOlder ? "prepend" : "append"](...fresh);
	place.replaceChildren(...next.childNodes);
	prune(side, isOlder);
	release();
	span(side);
	mark();
	watch();
};
export const more = (link) => (link.loading ??= fetchRows(link));

// On a narrow screen the head could never be reached if older rows came by themselves.
const observer = new IntersectionObserver((entries) => {
	for (const { isIntersecting, target } of entries) if (isIntersecting && (target.rel === "next" || !narrow.matches)) more(target);
}, { rootMargin: "600px 0px", scrollMargin: "600px 0px" });
const watch = () => {
	observer.disconnect();
	for (const link of all("#bands .more a")) observer.observe(link);
};
on("htmx:load", watch);
onClick("#bands .more a", more);

history.scrollRestoration = "manual";
addEventListener("hashchange", askForNamed);
arrive();
askForNamed();
