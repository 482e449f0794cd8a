// a[data-whole] leads to the whole text of a message. A click opens it in the row, a second folds it. Rows may come
// later. Of a long text only the beginning is fetched and put into the page; a link leads to the whole.

const LONGEST = 200_000;

const beginningOf = async (address) => {
  const stop = new AbortController();
  const answer = await fetch(address, { signal: stop.signal });
  // Who is no longer signed in is led to a page.
  if (!answer.ok || !answer.headers.get("Content-Type").startsWith("text/plain")) throw new Error(address);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.length <= LONGEST) {
    const { done, value } = await reader.read();
    if (done) return { text, rest: false };
    text += value;
  }
  stop.abort();
  return { text: text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, ""), rest: true };
};

const open = async (link) => {
  const { text, rest } = await beginningOf(link.href);
  const pre = document.createElement("pre");
  pre.className = "whole";
  pre.tabIndex = 0;
  pre.dir = "auto";
  pre.textContent = text;
  if (rest) {
    const whole = document.createElement("a");
    whole.href = link.href;
    whole.textContent = link.dataset.rest;
    pre.append("… ", whole);
  }
  (link.closest(".row") ?? link.parentElement).append(pre);
  link.dataset.show = link.textContent;
  link.textContent = link.dataset.fold;
  link.ariaExpanded = "true";
};

const fold = (link, pre) => {
  pre.remove();
  link.textContent = link.dataset.show;
  link.ariaExpanded = "false";
};

// So that it is read out as closed before it was ever opened.
document.addEventListener("focusin", ({ target }) => {
  if (target.matches("a[data-whole]")) target.ariaExpanded ??= "false";
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-whole]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.ariaBusy) return;
  const pre = (link.closest(".row") ?? link.parentElement).querySelector("pre.whole");
  link.focus();
  if (pre) return fold(link, pre);
  link.ariaBusy = "true";
  try {
    await open(link);
  } catch {
    location.assign(link.href);
  } finally {
    link.ariaBusy = null;
  }
});
