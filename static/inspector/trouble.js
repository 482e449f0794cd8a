// What a request of htmx meets and no part of the page shows: said at the top of the page.

const place = document.getElementById("trouble");

const say = (text) => {
  const line = document.createElement("p");
  line.className = "notice notice-error";
  line.textContent = text;
  place.replaceChildren(line);
};

document.addEventListener("htmx:sendError", () => say("The server cannot be reached. Nothing was changed here; try again."));
document.addEventListener("htmx:timeout", () => say("The server did not answer in time. Reload the page to see what it did."));
document.addEventListener("htmx:responseError", ({ detail }) => {
  const { status } = detail.xhr;
  say(status === 403 ? "You may not do this, or the page is too old. Reload it and try again." : `The server answered ${status}. Reload the page.`);
});
document.addEventListener("htmx:beforeRequest", () => place.replaceChildren());
