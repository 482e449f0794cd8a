// Follows the session while somebody looks at it: what is new comes to the end, and nothing moves under the reader.
// Without this script the page shows what was when it was loaded.

import { $, SIDES, all, atEnd, isTail, keep, numberOf, on, rowsOf, whenMoved } from "./bands.js";
import { span } from "./pages.js";
import { mark } from "./pin.js";
import { goToEnd } from "./place.js";

const OFTEN = 2000, SELDOM = 10_000, QUIET = 120_000;
const last = () => Number($("live").dataset.last);
let timer = 0, isAsking = false, newsAt = performance.now(), seen = last(), saidAt = -Infinity, told = last();

const said = document.createElement("p");
said.className = "unseen";
said.setAttribute("role", "status");
$("main").append(said);

const inWords = (n) => {
  const { one, many } = $("new-frames").dataset;
  return n === 1 ? one : many.replace("%n", n.toLocaleString("en"));
};
// How many came since the reader left the end: on the pill at once, aloud now and then.
const count = () => {
  const pill = $("new-frames"), live = $("live");
  if (!pill || !live) return;
  if (isTail("frames") && atEnd("frames")) seen = last();
  pill.hidden = last() === seen || !("framesGrow" in live.dataset);
  if (!pill.hidden) pill.textContent = inWords(last() - seen);
  if (last() === told || performance.now() - saidAt < 10_000) return;
  said.textContent = inWords(last() - told);
  saidAt = performance.now();
  told = last();
};

const isBusy = () => document.querySelector(".htmx-request, #head details[open], #versions select:focus");
const address = ({ url, framesGrow, contextGrows }) => {
  const end = (name, side, grows) => {
    const row = grows !== undefined && isTail(side) && rowsOf(side).at(-1);
    return row ? `&${name}=${numberOf(row)}` : "";
  };
  return url + end("last", "frames", framesGrow) + end("last_position", "context", contextGrows);
};
const take = (text) => {
  const [rail] = all(".rail"), chosen = $("compare-with")?.value;
  keep(() => htmx.swap($("live"), text, { swapStyle: "none", swapDelay: 0, settleDelay: 0, ignoreTitle: true }));
  for (const fresh of all(".rail")) fresh.scrollLeft = rail?.scrollLeft ?? 0;
  for (const option of all("#compare-with option")) if (option.value === chosen) option.selected = true;
  SIDES.forEach(span);
  mark();
};

const ask = async () => {
  clearTimeout(timer);
  if (!$("live") || document.visibilityState !== "visible") return;
  timer = setTimeout(ask, performance.now() - newsAt < QUIET ? OFTEN : SELDOM);
  if (isAsking || isBusy()) return;
  isAsking = true;
  let works = true;
  try {
    const asked = address($("live").dataset), answer = await fetch(asked);
    works = answer.ok && !answer.redirected;
    const text = works ? await answer.text() : "";
    // Else nothing is new, or the rows are others now.
    if (text && $("live") && asked === address($("live").dataset) && !isBusy()) {
      take(text);
      newsAt = performance.now();
    }
  } catch {
    works = false; // The server is away: it is asked again, and the page no longer says that it follows.
  }
  isAsking = false;
  if ($("following")) $("following").hidden = !works;
  count();
};

on("visibilitychange", ask);
addEventListener("focus", ask);
whenMoved(count);
on("click", (event) => {
  if (!event.target.closest("#new-frames")) return;
  event.preventDefault();
  goToEnd();
});
ask();
