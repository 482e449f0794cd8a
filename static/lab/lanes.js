// Lights up the same cell in every lane, and says what became of its frames in each.

const $ = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const lanes = all("svg.lane"), slider = $("frame-number"), says = $("frame-says");
const words = all("[data-fate-word]").map((item) => item.textContent.trim());
const number = (n) => n.toLocaleString("en");
// A bit for each fate that a frame of the cell has.
const fatesOf = (digit) => words.filter((_, bit) => Number.parseInt(digit, 16) & (1 << bit)).join(", ");

const light = (frame) => {
	const { width: per, last } = lanes[0].dataset, cell = Math.floor((frame - 1) / per), first = cell * per + 1;
	const until = Math.min(last, first + Number(per) - 1), run = first < until ? `#${number(first)}–#${number(until)}` : `#${number(first)}`;
	const told = lanes.map((lane) => {
		const at = lane.querySelector(".lane-at");
		at.setAttribute("x", `${((first - 1) / last) * 100}%`);
		at.setAttribute("width", `${Math.max(((until - first + 1) / last) * 100, 0.6)}%`);
		return `${lane.dataset.name}: ${fatesOf(lane.dataset.fates[cell])}`;
	});
	says.textContent = `${run} · ${told.join(" · ")}`;
	slider.value = frame;
	slider.ariaValueText = says.textContent;
};
const frameAt = (lane, { clientX }) => {
	const { left, width } = lane.getBoundingClientRect(), { last } = lane.dataset;
	return Math.min(last, Math.max(1, Math.ceil(((clientX - left) / width) * last)));
};

if (lanes.length) {
	$("frame-at").hidden = false;
	light(1);
	// It says the same as what stands above.
	for (const title of all("svg.lane title")) title.remove();
	slider.addEventListener("input", () => light(Number(slider.value)));
	for (const lane of lanes) {
		lane.addEventListener("pointermove", (event) => light(frameAt(lane, event)));
		lane.addEventListener("click", (event) => {
			const frame = frameAt(lane, event);
			location.assign(`${slider.dataset.href}${frame}#f-${frame}`);
		});
	}
}
