// A file is looked at as soon as it is chosen or dropped, and imported by the button that the look brings.

const form = document.getElementById("import");
const field = form.elements.file;
const said = form.querySelector(".working-said");
const bar = form.querySelector("progress");

for (const part of form.querySelectorAll("[data-without-script]")) part.hidden = true;

// Anywhere on the page: a file that misses the field must not replace the page.
const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
const isOpen = () => !field.matches(":disabled");
const mark = (on) => form.classList.toggle("is-over", on);

document.addEventListener("dragover", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = isOpen() ? "copy" : "none";
  mark(isOpen());
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) mark(false);
});
const isFolder = (item) => item.webkitGetAsEntry()?.isDirectory;
document.addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  mark(false);
  const { files, items } = event.dataTransfer;
  if (!isOpen() || !files.length) return;
  if (files.length > 1 || [...items].some(isFolder)) {
    stopWaiting();
    field.value = "";
    refuse("several-files");
    return;
  }
  field.files = files;
  field.dispatchEvent(new Event("change", { bubbles: true }));
});

const report = () => document.getElementById("report");
const refuse = (id) => {
  report().replaceChildren(document.getElementById(id).content.cloneNode(true));
  report().querySelector("[autofocus]").focus();
};
const stopWaiting = () => form.dispatchEvent(new CustomEvent("htmx:abort", { bubbles: true, detail: { elt: form } }));

const show = (stage) => {
  form.dataset.stage = stage;
  said.textContent = said.dataset[stage] ?? "";
  for (const hint of form.querySelectorAll("[data-while]")) hint.hidden = hint.dataset.while !== stage;
  if (stage === "sending") bar.value = 0;
  else bar.removeAttribute("value");
};

let acts = "look";
let wasFormat = false;

form.addEventListener("htmx:configRequest", (event) => {
  if (event.target !== form) return;
  const { detail } = event;
  const [file] = field.files;
  // Only the button itself imports: what htmx remembers of an earlier press must not.
  acts = detail.triggeringEvent?.submitter?.value === "import" ? "import" : "look";
  detail.parameters.act = acts;
  wasFormat = detail.triggeringEvent?.target === form.elements.format;
  if (!file || file.size > Number(form.dataset.limit)) {
    event.preventDefault();
    if (file) refuse("too-large");
    else report().replaceChildren();
  }
});

form.addEventListener("htmx:beforeSend", () => {
  report().hidden = true;
  show("sending");
});
form.addEventListener("htmx:xhr:progress", ({ detail }) => {
  if (form.dataset.stage === "sending" && detail.lengthComputable && detail.total) bar.value = detail.loaded / detail.total;
});
// The first end is that of the sending; the second that of the answer.
form.addEventListener("htmx:xhr:loadend", () => {
  if (form.dataset.stage === "sending") show(acts === "import" ? "importing" : "looking");
});
form.addEventListener("htmx:afterRequest", () => {
  report().hidden = false;
  show("");
});

// The arrow keys try one format after the other: what each brings must not take them away.
document.addEventListener("htmx:afterSettle", () => {
  if (wasFormat) form.elements.format.focus({ preventScroll: true });
});

form.querySelector("[data-stop]").addEventListener("click", () => {
  stopWaiting();
  field.focus();
});
