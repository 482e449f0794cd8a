// The keys of a session's page; `?` lists them. Without this script there are links and forms for all that they do.

import { $, all, inView, moreOf, narrow, on, param, setBand, sideOf } from "./bands.js";
import { more } from "./pages.js";
import { toggle, unpin } from "./pin.js";
import { goTo, goToEnd, named } from "./place.js";

const focused = () => document.activeElement.closest("#bands .row");
const side = () => (focused() ? sideOf(focused()) : narrow.matches && $("bands").dataset.band || "frames");
const reach = (row) => {
  row?.querySelector(".seq").focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
};
// Without the focus it begins at the row that the URL names, else at the top of what is in view.
const first = (of) => {
  const seen = inView(of).map(({ row }) => row), row = $(named().join("-"));
  return seen.includes(row) ? row : seen[1] ?? seen[0];
};

const step = async (down) => {
  const row = focused();
  if (!row) return reach(first(side()));
  const next = () => (down ? row.nextElementSibling : row.previousElementSibling);
  if (!next()) await more(moreOf(side())[down ? 1 : 0]);
  reach(next());
};
const cross = (to) => {
  const row = focused();
  if (row && sideOf(row) === to) return;
  if (narrow.matches) setBand(to === "context" ? to : "");
  const [other] = row ? all(to === "context" ? `#c-${row.dataset.at}` : `#frame-rows > [data-at="${row.id.slice(2)}"]`) : [];
  reach(other ?? first(to));
};
const version = (key) => {
  const [link] = all(`[data-key="${key}"]`), href = link?.getAttribute("href");
  (all(".rail a.stop").find((stop) => stop.getAttribute("href") === href) ?? link)?.click();
};
const pin = (isRange) => {
  const row = focused() ?? first(side());
  if (row) toggle(row, isRange);
};

let lastG = 0;
const KEYS = {
  j: () => step(true),
  k: () => step(false),
  h: () => cross("frames"),
  l: () => cross("context"),
  p: () => pin(false),
  P: () => pin(true),
  "[": () => version("["),
  "]": () => version("]"),
  "/": () => $("text")?.focus(),
  n: () => $("hit-later")?.click(),
  N: () => $("hit-earlier")?.click(),
  g: () => {
    if (performance.now() - lastG < 1000) goTo(1);
    lastG = performance.now();
  },
  G: goToEnd,
  c: () => $("control-compress")?.click(),
  "?": () => $("keys").showModal(),
  Escape: () => {
    const [close] = all("#panel .close");
    if (close) close.click();
    else if (param("pin")) unpin();
  },
};

on("keydown", (event) => {
  const { key, target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  if (target.closest("input, select, textarea, [contenteditable]")) {
    if (key !== "Escape") return;
    event.preventDefault();
    target.blur();
  } else if (Object.hasOwn(KEYS, key)) {
    event.preventDefault();
    KEYS[key]();
  }
});
