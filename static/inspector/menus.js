// Menus that float, the panel, and the rail of versions. Without this script a menu is closed by its own button.

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target) || event.target.closest("a")) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    event.preventDefault(); // It closes nothing else.
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
