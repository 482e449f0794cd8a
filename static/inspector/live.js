// What is new comes to the end, and nothing moves under the reader.

import { $, all, make, onClick, poll } from "./dom.js";
import { SIDES, atEnd, hold, moreOf, narrow, numberOf, rowsOf, whenMoved } from "./bands.js";
import { mark } from "./pin.js";
import { goToEnd, span } from "./place.js";

const last = () => Number($("live").dataset.last);
let isAsking = false, seen = last(), told = last();

const inWords = (n) => {
	const { one, many } = $("new-frames").dataset;
	return n === 1 ? one : many.replace("%n", n.toLocaleString("en"));
};
// What came since the reader left the end, on the pill and now and then aloud.
const count = () => {
	const pill = $("new-frames"), said = $("said"), ends = atEnd("frames"), n = last();
	if (ends || !("framesGrow" in $("live").dataset)) seen = n;
	pill.hidden = ends || (n === seen && !narrow.matches);
	pill.textContent = n === seen ? pill.dataset.end : inWords(n - seen);
	if (n === told || said.textContent) return;
	said.textContent = inWords(n - told);
	told = n;
	setTimeout(() => { said.textContent = ""; }, 10_000);
};

const isBusy = () => all(".htmx-request, #head details[open], #versions select:focus").length > 0;
const ends = (side, name, grows) => {
	const row = rowsOf(side).at(-1);
	return grows === undefined || !row || moreOf(side, "next") ? "" : `&${name}=${numberOf(row)}`;
};
const address = () => {
	const { url, framesGrow, contextGrows } = $("live").dataset;
	return url + ends("frames", "last", framesGrow) + ends("context", "last_position", contextGrows);
};
const take = (text) => {
	const release = hold(), { scrollLeft } = $("rail"), compared = $("compare-with")?.value;
	const news = make("template", { innerHTML: text });
	for (const row of news.content.querySelectorAll("li[hx-swap-oob]")) if (!$(row.id)) row.remove();
	htmx.swap("#live", news.innerHTML, { swapStyle: "none", ignoreTitle: true });
	$("rail").scrollLeft = scrollLeft;
	if (compared) $("compare-with").value = compared;
	release();
	SIDES.forEach(span);
	mark();
};
const ask = async () => {
	if (isAsking || isBusy()) return;
	isAsking = true;
	const asked = address(), answer = await fetch(asked).catch(() => ({}));
	const text = answer.ok && !answer.redirected ? await answer.text().catch(() => null) : null;
	isAsking = false;
	if (text && asked === address() && !isBusy()) take(text); // Else the rows are others now.
	$("following").hidden = text === null;
	count();
};

whenMoved(count);
onClick("#new-frames", goToEnd);
poll(ask, 2000);
ask();
