// Asks every ten seconds whether the list still holds, while somebody looks at it and nobody is using it.

const EVERY = 10_000;
const FAILURES = ["htmx:beforeRequest", "htmx:sendError", "htmx:timeout", "htmx:responseError"];

const isInUse = (list) => {
  const focused = document.activeElement;
  return document.querySelector(".htmx-request")
    || (list.contains(focused) && focused.matches("input, select, textarea"))
    || !getSelection().isCollapsed; // text that is being copied
};

const ask = () => {
  const place = document.getElementById("refresh");
  if (!place || document.visibilityState !== "visible" || isInUse(place.parentElement)) return;
  place.dispatchEvent(new CustomEvent("refresh"));
};

setInterval(ask, EVERY);
document.addEventListener("visibilitychange", ask);

// Nobody has asked for it, so nobody is told that it failed: the next one may not.
for (const name of FAILURES) {
  document.addEventListener(name, (event) => {
    if (event.target.id === "refresh") event.stopImmediatePropagation();
  }, true);
}
