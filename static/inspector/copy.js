// Copies. button[data-copy] names the element whose text is taken: without this script it stays hidden.
// a[data-copy-from] leads to a text, which is put on the clipboard instead of opened.

const said = document.createElement("p");
said.className = "unseen";
said.setAttribute("role", "status");
document.body.append(said);

const timers = new WeakMap();

const say = (element, word, spoken) => {
  clearTimeout(timers.get(element));
  element.dataset.before ??= element.textContent;
  element.textContent = word;
  said.textContent = spoken;
  const back = () => { element.textContent = element.dataset.before; said.textContent = ""; };
  timers.set(element, setTimeout(back, 1500));
};

const textAt = async (address) => {
  const answer = await fetch(address);
  // Who is no longer signed in is led to a page.
  if (!answer.ok || !answer.headers.get("Content-Type").startsWith("text/plain")) throw new Error(address);
  return answer.text();
};

// The clipboard is given a promise while the click still counts: Safari takes nothing after a wait.
const put = async (text) => {
  if (!globalThis.ClipboardItem) return navigator.clipboard.writeText(await text);
  const blob = text.then((t) => new Blob([t], { type: "text/plain" }));
  try {
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } catch {
    await navigator.clipboard.writeText(await text);
  }
};

const copyFrom = async (link) => {
  if (link.ariaBusy) return;
  link.ariaBusy = "true";
  try {
    await put(textAt(link.href));
    const { copied } = link.dataset;
    say(link.closest("details")?.querySelector("summary") ?? link, copied, copied);
  } catch {
    location.assign(link.href); // It says there what is wrong, or can be copied by hand.
  } finally {
    link.ariaBusy = null;
  }
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (button) {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).innerText);
    say(button, "✓", button.dataset.copied);
    return;
  }
  const link = event.target.closest("a[data-copy-from]");
  if (!link || !navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const menu = link.closest("details");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
  await copyFrom(link);
});

const prepare = (root) => {
  for (const button of root.querySelectorAll("button[data-copy]")) button.hidden = false;
};

if (navigator.clipboard) {
  prepare(document);
  document.addEventListener("htmx:load", (event) => prepare(event.detail.elt));
}
