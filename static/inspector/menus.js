// Menus that float, the panel, and the rail.

import { $, all, on } from "./dom.js";

const open = () => all("details.menu[open]");
on("click", ({ target }) => {
	for (const menu of open()) if (!menu.contains(target) || target.closest("a")) menu.open = false;
});
on("keydown", (event) => {
	if (event.key !== "Escape") return;
	for (const menu of open()) {
		event.preventDefault();
		menu.open = false;
		menu.querySelector("summary").focus();
	}
});

// A panel that was closed gives the focus back to what opened it.
on("htmx:afterSwap", ({ detail }) => {
	const control = $(detail.requestConfig?.elt.dataset.back);
	(control?.closest("details:not([open])")?.querySelector("summary") ?? control)?.focus();
});

const showStop = () => {
	const rail = $("rail"), [stop] = all("#rail [aria-current]");
	if (stop) rail.scrollLeft = stop.offsetLeft - rail.offsetLeft - (rail.clientWidth - stop.offsetWidth) / 2;
};
on("htmx:afterSettle", showStop);
showStop();
