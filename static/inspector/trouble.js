// What a request of htmx meets and no part of the page shows: said at the top of the page.

const place = document.getElementById("trouble");

const WORDS = {
  403: "You may not do this, or the page is too old. Reload it and try again.",
  404: "There is nothing here any more. Reload the page.",
  503: "The server cannot do this now. Try again in a moment.",
};

const say = (text) => {
  const line = document.createElement("p");
  line.className = "notice notice-error";
  line.textContent = text;
  place.replaceChildren(line);
  line.scrollIntoView({ block: "nearest" });
};

// A refusal is a part of the page and takes its place. A whole page of an error never goes inside of ours.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.xhr.status < 400 || !/^\s*<!doctype/i.test(detail.serverResponse)) return;
  detail.shouldSwap = false;
  detail.isError = true;
});

document.addEventListener("htmx:sendError", () => say("The server cannot be reached. Nothing was changed here; try again."));
document.addEventListener("htmx:timeout", () => say("The server did not answer in time. Reload the page to see what it did."));
document.addEventListener("htmx:responseError", ({ detail }) => {
  const { status } = detail.xhr;
  say(WORDS[status] ?? `The server answered ${status}. Reload the page.`);
});
document.addEventListener("htmx:beforeRequest", () => place.replaceChildren());
