// Copies texts, and opens the whole of one in its row.

import { $, all, make, on, onClick } from "./dom.js";

const LONGEST = 200_000;

const textOf = async ({ href }) => {
	const answer = await fetch(href);
	// Who is no longer signed in is led to a page.
	if (!answer.ok || !answer.headers.get("Content-Type").startsWith("text/plain")) throw new Error(href);
	return answer.text();
};

const say = (element, words) => {
	element.dataset.before ??= element.textContent;
	$("said").textContent = element.textContent = words;
	setTimeout(() => {
		element.textContent = element.dataset.before;
		$("said").textContent = "";
	}, 1500);
};

// A promise, given while the click still counts: Safari takes nothing after a wait.
const put = async (text) => {
	if (!globalThis.ClipboardItem) return navigator.clipboard.writeText(await text);
	const blob = text.then((t) => new Blob([t], { type: "text/plain" }));
	return navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
};

if (navigator.clipboard) {
	on("htmx:load", () => { for (const button of all("button[data-copy]")) button.hidden = false; });
	onClick("button[data-copy]", async (button) => {
		await navigator.clipboard.writeText($(button.dataset.copy).innerText);
		say(button, button.dataset.copied);
	});
	onClick("a[data-copy-from]", async (link) => {
		const place = link.closest("details")?.querySelector("summary") ?? link;
		place.focus();
		try {
			await put(textOf(link));
			say(place, link.dataset.copied);
		} catch {
			location.assign(link.href); // It says there what is wrong, or can be copied by hand.
		}
	});
}

// Read out as closed before it was ever opened.
on("focusin", ({ target }) => { if (target.matches("a[data-whole]")) target.ariaExpanded ??= "false"; });

const whole = async (link) => {
	const text = await textOf(link), { href, dataset: { rest } } = link;
	const pre = make("pre", { className: "whole", tabIndex: 0, dir: "auto", textContent: text.slice(0, LONGEST) });
	if (text.length > LONGEST) pre.append("… ", make("a", { href, textContent: rest }));
	return pre;
};
onClick("a[data-whole]", async (link) => {
	if (link.ariaBusy) return;
	const row = link.closest(".row"), pre = row.querySelector("pre.whole");
	link.ariaBusy = "true";
	try {
		if (pre) pre.remove();
		else row.append(await whole(link));
		[link.textContent, link.dataset.fold] = [link.dataset.fold, link.textContent];
		link.ariaExpanded = String(!pre);
	} catch {
		location.assign(link.href);
	}
	link.ariaBusy = null;
});
