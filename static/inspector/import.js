// Looks at a file as soon as it is chosen or dropped.

import { $, all, focusOn, on, onClick } from "./dom.js";

const form = $("import"), { file: field, format } = form.elements, [said] = all(".working-said"), [bar] = all("progress");
const mark = (isOver) => form.classList.toggle("is-over", isOver);
const stop = () => htmx.trigger(form, "htmx:abort");
const refuse = (id) => {
	$("report").replaceChildren($(id).content.cloneNode(true));
	$("report").querySelector("[data-focus]").focus();
};

// A file that misses the field must not replace the page.
const onFiles = (name, act) => on(name, (event) => {
	if (!event.dataTransfer.types.includes("Files")) return;
	event.preventDefault();
	if (!field.matches(":disabled")) act(event.dataTransfer);
});
onFiles("dragover", () => mark(true));
on("dragleave", ({ relatedTarget }) => { if (!relatedTarget) mark(false); });
onFiles("drop", ({ files, items }) => {
	mark(false);
	const isOne = files.length === 1 && !items[0].webkitGetAsEntry()?.isDirectory;
	if (isOne) {
		field.files = files;
		return htmx.trigger(field, "change");
	}
	field.value = "";
	stop();
	refuse("several-files");
});

let stage = "", act = "";
const show = (name) => {
	stage = name;
	$("report").hidden = Boolean(name);
	said.textContent = said.dataset[name] ?? "";
	for (const hint of all("[data-while]")) hint.hidden = hint.dataset.while !== name;
	bar.removeAttribute("value");
};
on("htmx:configRequest", (event) => {
	const { parameters, triggeringEvent } = event.detail, [file] = field.files;
	// Not what htmx remembers of an earlier press.
	parameters.act = act = triggeringEvent?.submitter?.value === "import" ? "import" : "look";
	if (file && file.size <= Number(form.dataset.limit)) return;
	event.preventDefault();
	if (file) refuse("too-large");
	else $("report").replaceChildren();
});
on("htmx:beforeSend", () => show("sending"));
on("htmx:xhr:progress", ({ detail: { loaded, total } }) => {
	if (stage !== "sending" || !total) return;
	if (loaded < total) bar.value = loaded / total;
	else show(`${act}ing`);
});
on("htmx:afterRequest", () => show(""));
// The arrow keys try one format after the other: no report takes them away.
on("htmx:afterSettle", ({ detail }) => {
	if (detail.requestConfig.triggeringEvent?.target === format) focusOn(format);
});
onClick("[data-stop]", () => {
	stop();
	field.focus();
});
