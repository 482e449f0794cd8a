// Rows load as one scrolls, in both directions, and go where they are far away. Without this script there are links to
// the next page.

import { $, NO_PLACE, all, fetchPart, here, isPlain, isTail, keep, moreOf, numberOf, on, rowsOf, sideOf } from "./bands.js";
import { mark } from "./pin.js";
import { say } from "./trouble.js";

const MOST = 400, STEP = 30; // STEP: no more than the server sends of a window at a time

const linkTo = (place, rel, changes) => {
  const link = document.createElement("a");
  Object.assign(link, { href: here({ ...NO_PLACE, hit: null, pin: null, ...changes }), rel, textContent: place.dataset.text });
  place.replaceChildren(link);
};
const prune = (side, atStart) => {
  const rows = rowsOf(side), [start, end] = moreOf(side), kept = atStart ? rows.slice(-MOST) : rows.slice(0, MOST);
  if (rows.length <= MOST) return;
  for (const row of atStart ? rows.slice(0, -MOST) : rows.slice(MOST)) row.remove();
  const first = numberOf(kept[0]), last = numberOf(kept.at(-1));
  if (!atStart) linkTo(end, "next", side === "frames" ? { after_seq: last } : { after_position: last });
  else linkTo(start, "prev", side === "frames" ? { before_seq: first } : { after_position: Math.max(0, first - 1 - STEP) });
};

// "#91–#190 of 12,345". The end of the rows, where it is here, is the end of all.
export const span = (side) => {
  const rows = rowsOf(side), place = $(`${side}-span`);
  if (!rows.length) return;
  const [first, last, count] = [numberOf(rows[0]), numberOf(rows.at(-1)), rows.length].map((n) => n.toLocaleString("en"));
  const isSpan = /[#C]\d/.test(place.textContent); // else "12 shown of 12,345"
  const numbers = isSpan ? [first, last, isTail(side) ? last : null] : [count];
  place.textContent = place.textContent.replace(/\d[\d,]*/g, (n) => numbers.shift() ?? n);
};

const fetchRows = async (place, link) => {
  const side = sideOf(place), isOlder = link.rel === "prev";
  try {
    const part = document.createElement("template");
    part.innerHTML = await fetchPart(link.href, side);
    if (!link.isConnected) return;
    const fresh = [...part.content.querySelectorAll(".row")].filter((row) => !$(row.id));
    keep(() => {
      rowsOf(side)[0].parentElement[isOlder ? "prepend" : "append"](...fresh);
      place.replaceChildren(...part.content.getElementById(place.id).childNodes);
      prune(side, !isOlder);
    });
    fresh.forEach((row) => htmx.process(row));
    span(side);
    mark();
    observer.unobserve(place);
    observer.observe(place);
  } catch {
    say("rows");
  }
};
const loading = new Map();
export const more = (place) => {
  const link = place?.querySelector("a");
  if (!link) return;
  if (!loading.has(link)) loading.set(link, fetchRows(place, link).finally(() => loading.delete(link)));
  return loading.get(link);
};

const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) more(target);
}, { rootMargin: "600px 0px", scrollMargin: "600px 0px" });
const watch = () => {
  observer.disconnect();
  for (const place of all("#bands p.more")) observer.observe(place);
};
on("click", (event) => {
  const link = event.target.closest("#bands p.more a");
  if (!link || !isPlain(event)) return;
  event.preventDefault();
  more(link.parentElement);
});
on("htmx:afterSettle", watch);
watch();
