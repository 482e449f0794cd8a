// Draws ribbons between the bands, and on the strip what is in view; a click there leads on.

import { $, on, onClick } from "./dom.js";
import { narrow, numberOf, whenMoved } from "./bands.js";
import { goTo } from "./place.js";

whenMoved((frames, context) => {
	const svg = $("ribbons"), place = svg.getBoundingClientRect();
	if (narrow.matches || !context.length || !frames.length) return svg.replaceChildren();
	const x1 = frames[0].box.right - place.left, x2 = context[0].box.left - place.left, middle = (x1 + x2) / 2;
	const y = (value, { edges }) => Math.round(Math.min(Math.max(value, edges.top), edges.bottom) - place.top);
	const above = (band) => [y(-1e9, band), y(-1e9, band)], below = (band) => [y(1e9, band), y(1e9, band)];
	const drawn = { both: "", right: "", left: "", stubs: "", crosses: "" };
	const join = (to, fate, lit, [a, b], [c, d]) => {
		const path = `M${x1} ${a}C${middle} ${a} ${middle} ${c} ${x2} ${c}V${d}C${middle} ${d} ${middle} ${b} ${x1} ${b}Z`;
		drawn[to] += `<path class="ribbon ribbon-${fate}${lit ? " lit" : ""}" d="${path}"/>`;
	};

	const sources = new Map(context.map(({ row }) => [row.id, []]));
	for (const { row, box } of frames) {
		const ends = [y(box.top, frames), y(box.bottom, frames)], { at } = row.dataset, [, fate] = /fate-(\w+)/.exec(row.className) ?? [];
		if (sources.has(`c-${at}`)) sources.get(`c-${at}`).push({ row, ends });
		else if (at) join("right", fate, row.matches(".lit"), ends, (at < numberOf(context[0].row) ? above : below)(context));
		else if (fate === "dropped") {
			const from = (ends[0] + ends[1]) / 2, length = Math.min(26, middle - x1);
			drawn.stubs += `M${x1} ${from}h${length}`;
			drawn.crosses += `M${x1 + length + 3} ${from - 4}l8 8m0-8l-8 8`;
		}
	}

	// A message's edge is shared out among its frames in view, and those above and below.
	for (const { row, box } of context) {
		const { fate, seqs } = row.dataset, numbers = seqs.split(/[-,]/);
		const from = sources.get(row.id).map((source) => ["both", source.row.matches(".lit"), source.ends]);
		if (numbers[0] < numberOf(frames[0].row)) from.unshift(["left", true, above(frames)]);
		if (numbers.at(-1) > numberOf(frames.at(-1).row)) from.push(["left", true, below(frames)]);
		let c = y(box.top, context);
		const part = (y(box.bottom, context) - c) / from.length;
		for (const [to, lit, ends] of from) join(to, fate, lit && row.matches(".lit"), ends, [c, c += part]);
	}

	svg.innerHTML = `${drawn.both}<g mask="url(#fades-right)">${drawn.right}</g><g mask="url(#fades-left)">${drawn.left}</g>`
		+ `<path class="ribbon ribbon-dropped stubs" d="${drawn.stubs}"/><path class="ribbon ribbon-dropped" d="${drawn.crosses}"/>`;
});

const CELLS = "#strip .strip-cells";
const frameAt = (svg, { clientX }) => {
	const { left, width } = svg.getBoundingClientRect(), { last } = svg.dataset;
	return Math.min(last, Math.max(1, Math.ceil(((clientX - left) / width) * last)));
};

onClick(CELLS, (svg, event) => goTo(frameAt(svg, event)));
on("pointermove", (event) => {
	const svg = event.target.closest?.(CELLS);
	if (svg) svg.querySelector("title").textContent = `#${frameAt(svg, event).toLocaleString("en")}`;
});

whenMoved((frames) => {
	const view = $("strip-view");
	if (!view || !frames.length) return;
	const first = numberOf(frames[0].row), { last } = view.ownerSVGElement.dataset;
	view.setAttribute("x", `${((first - 1) / last) * 100}%`);
	view.setAttribute("width", `${Math.max(((numberOf(frames.at(-1).row) - first + 1) / last) * 100, 0.2)}%`);
});
