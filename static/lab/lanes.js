// Lights up the same cell in every lane, and says what became of its frames in each.

const $ = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const FATES = ["kept", "edited", "summarised", "dropped", "recovery", "gone"];
const lanes = all("svg.lane"), slider = $("frame-number"), says = $("frame-says"), open = $("frame-open");
const words = Object.fromEntries(all("[data-fate-word]").map((item) => [item.dataset.fateWord, item.querySelector("span").textContent]));
const number = (n) => n.toLocaleString("en");
// The cell that a click chose: pointing elsewhere leaves it.
let held = -1;

// Two hexadecimal digits a cell: a bit for each fate that a frame of it has.
const fatesIn = ({ dataset: { fates } }, cell) => {
	const bits = Number.parseInt(fates.slice(2 * cell, 2 * cell + 2), 16);
	return FATES.filter((_, bit) => bits & (1 << bit)).map((fate) => words[fate]).join(slider.dataset.comma);
};
const cellOf = (frame) => Math.floor((frame - 1) / lanes[0].dataset.width);
const span = (text) => Object.assign(document.createElement("span"), { textContent: text });

const light = (frame) => {
	const { width: per, last } = lanes[0].dataset, cell = cellOf(frame), first = cell * per + 1;
	const until = Math.min(last, first + Number(per) - 1), run = first < until ? `#${number(first)}–#${number(until)}` : `#${number(first)}`;
	const told = lanes.map((lane) => {
		const at = lane.querySelector(".lane-at");
		at.setAttribute("x", `${((first - 1) / last) * 100}%`);
		at.setAttribute("width", `${Math.max(((until - first + 1) / last) * 100, 0.6)}%`);
		return `${lane.dataset.name}${slider.dataset.colon}${fatesIn(lane, cell)}`;
	});
	says.replaceChildren(...[run, ...told].map(span));
	slider.value = frame;
	slider.ariaValueText = [run, ...told].join(slider.dataset.comma);
	open.hidden = false;
	open.href = `${slider.dataset.href}${frame}#f-${frame}`;
	open.textContent = slider.dataset.open + number(Number(frame));
};
const frameAt = (lane, { clientX }) => {
	const { left, width } = lane.getBoundingClientRect(), { last } = lane.dataset;
	return Math.min(last, Math.max(1, Math.ceil(((clientX - left) / width) * last)));
};

if (lanes.length) {
	$("frame-at").hidden = false;
	says.textContent = slider.dataset.rest;
	// It says the same as what stands above.
	for (const title of all("svg.lane title")) title.remove();
	for (const name of ["input", "focus"]) slider.addEventListener(name, () => light(Number(slider.value)));
	for (const lane of lanes) {
		lane.addEventListener("pointermove", (event) => held < 0 && light(frameAt(lane, event)));
		lane.addEventListener("click", (event) => {
			const frame = frameAt(lane, event), cell = cellOf(frame);
			held = held === cell ? -1 : cell;
			light(frame);
		});
	}
}
