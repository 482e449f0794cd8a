// Buttons that copy: data-copy names the element whose text is taken. Without this script they stay hidden.

const prepare = (root) => {
  for (const button of root.querySelectorAll("button[data-copy]")) button.hidden = false;
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const said = button.textContent;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).innerText);
  button.textContent = "✓";
  setTimeout(() => { button.textContent = said; }, 1500);
});

if (navigator.clipboard) {
  prepare(document);
  document.addEventListener("htmx:load", (event) => prepare(event.detail.elt));
}
