// An address with #f-4711 opens the page around that frame. The server never sees what follows the #.

const PLACES = [[/^#f-([1-9]\d{0,17})$/, "frame"], [/^#c-([1-9]\d{0,17})$/, "message"]];

const go = () => {
  for (const [form, name] of PLACES) {
    const found = form.exec(location.hash);
    if (!found || document.getElementById(location.hash.slice(1))) continue;
    const url = new URL(location.href);
    if (url.searchParams.get(name) === found[1]) return; // It was looked for there, and there is none.
    url.searchParams.set(name, found[1]);
    for (const other of name === "frame" ? ["after_seq", "before_seq"] : ["after_position"]) url.searchParams.delete(other);
    location.replace(url);
    return;
  }
};

addEventListener("hashchange", go);
go();

// A menu that floats closes when something else is clicked, and by Escape.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target) || event.target.closest("a")) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// A panel that was closed gives the focus back to what opened it.
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  const control = document.getElementById(detail.requestConfig?.elt.dataset.back);
  (control?.closest("details.menu:not([open])")?.querySelector("summary") ?? control)?.focus();
});

// Of many versions the one that is shown stands in sight.
const showStop = () => {
  const stop = document.querySelector(".rail [aria-current]");
  const rail = stop?.closest(".rail");
  if (rail) rail.scrollLeft = stop.offsetLeft - rail.offsetLeft - (rail.clientWidth - stop.offsetWidth) / 2;
};

document.addEventListener("htmx:afterSettle", showStop);
showStop();
