// Says at the top of the page which request failed.

import { $, make, on } from "./dom.js";

// `what` names the words, which stand at the place.
export const say = (what, status) => {
	const place = $("trouble"), textContent = (place.dataset[what] ?? place.dataset.other).replace("%n", status);
	place.replaceChildren(make("p", { className: "notice notice-error", textContent }));
	place.scrollIntoView({ block: "nearest" });
};
// What nobody asked for fails in silence: the next one may not.
const tell = (name, act) => on(name, ({ target, detail }) => { if (target.id !== "refresh") act(detail.xhr.status); });
tell("htmx:sendError", () => say("unreachable"));
tell("htmx:responseError", (status) => say(status, status));
tell("htmx:beforeRequest", () => $("trouble").replaceChildren());

// A refusal is a part of the page; a whole page of an error never goes inside of ours.
on("htmx:beforeSwap", ({ detail }) => {
	if (detail.xhr.status < 400 || !/^\s*<!doctype/i.test(detail.serverResponse)) return;
	detail.shouldSwap = false;
	detail.isError = true;
});
