// What the scripts share.

export const $ = (id) => document.getElementById(id);
export const all = (selector) => [...document.querySelectorAll(selector)];
export const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
export const focusOn = (element) => element?.focus({ preventScroll: true });
export const on = (name, act, early) => document.addEventListener(name, act, early);

// A click that opens a link elsewhere is left to the browser.
export const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
export const onClick = (selector, act) => on("click", (event) => {
	const element = event.target.closest(selector);
	if (!element || !isPlain(event)) return;
	event.preventDefault();
	act(element, event);
});

// Next to be read or filled in.
const focusIn = (part) => part.querySelector("[data-focus]")?.focus();
on("htmx:afterSettle", ({ target }) => focusIn(target));
focusIn(document);

// As long as somebody looks at the page.
export const poll = (ask, every) => {
	const look = () => { if (document.visibilityState === "visible") ask(); };
	setInterval(look, every);
	on("visibilitychange", look);
	addEventListener("focus", look);
};
