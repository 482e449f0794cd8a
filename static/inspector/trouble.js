// What a request of htmx meets and no part of the page shows: said at the top of the page.

const place = document.getElementById("trouble");

// `what` names the words, which stand at the place itself in the language of the page.
export const say = (what, status = "") => {
  const line = document.createElement("p");
  line.className = "notice notice-error";
  line.textContent = (place.dataset[what] ?? place.dataset.other).replace("%n", status);
  place.replaceChildren(line);
  line.scrollIntoView({ block: "nearest" });
};

// A refusal is a part of the page and takes its place. A whole page of an error never goes inside of ours.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.xhr.status < 400 || !/^\s*<!doctype/i.test(detail.serverResponse)) return;
  detail.shouldSwap = false;
  detail.isError = true;
});

document.addEventListener("htmx:sendError", () => say("unreachable"));
document.addEventListener("htmx:timeout", () => say("late"));
document.addEventListener("htmx:responseError", ({ detail }) => {
  say(detail.xhr.status, detail.xhr.status);
});
document.addEventListener("htmx:beforeRequest", () => place.replaceChildren());
