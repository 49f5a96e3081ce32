// SPDX-License-Identifier: MIT
// charts_panel.js - numbers over the visible range, as the analyses of the trace declare them: which chart, its lines that
// matter most, and a linear or a logarithmic axis; and who had the CPUs, threads stacked on a scale that stands still.

import * as api from "./api.js";
import { COLOURS, colourOfSeries, drawTicks, LinearScale, LogScale, nameTicks } from "./axes.js";
import { canvas, element, Panel, swatch } from "./panel.js";
import { RangedAnswer } from "./ranged_answer.js";
import { overTime } from "./strips.js";
import * as time from "./time.js";
import { hideTip, showTip } from "./tip.js";
import { colour, drawMarkers, eachFrame, fit } from "./viewport.js";

const OTHERS = -1; // the line of all threads that have none
const EDGE = 14; // px above and below the lines, where a number has room

const PREFIXES = ["", " k", " M", " G", " T", " P"];

// "2.5 M": what is small stays what it is.
export function shortNumber(number) {
	let prefix = 0;
	for (; Math.abs(number) >= 1000 && prefix < PREFIXES.length - 1; prefix++)
		number /= 1000;
	return `${Number(number.toPrecision(4))}${PREFIXES[prefix]}`;
}

// "25 MB/s", "2.4 GHz", "25 M tasks", "80 %".
export function withUnit(number, unit) {
	const text = shortNumber(number), takesPrefix = /^(B|b|Hz|W|J|V|A)\b/.test(unit);
	const joint = unit === "" || (takesPrefix && /[kMGTP]$/.test(text)) ? "" : " ";
	return text + joint + unit;
}

export class ChartsPanel extends Panel {
	settings = { chart: "", log: 0 };
	#charts = [];
	#colours = new Map(); // line: index of its colour; a line keeps it while the range changes

	constructor(viewport, experiment, failed, settings) {
		super("charts", viewport, experiment, failed);
		Object.assign(this.settings, settings);
		this.draw = eachFrame(() => this.#draw());
		this.data = new RangedAnswer("chart", () => this.#came(), failed);
		this.choice = element("select", { ariaLabel: "which chart", title: "which chart" });
		this.choice.onchange = () => this.set({ chart: this.choice.value });
		this.log = element("button", { type: "button", textContent: "log", title: "a logarithmic axis" });
		this.log.onclick = () => this.set({ log: this.settings.log ? 0 : 1 });
		this.said = element("span", { className: "said", role: "status" });
		this.names = element("div", { className: "names scatter-names" });
		this.canvas = canvas("numbers over time");
		this.body = element("div", { className: "body over-time" }, this.names, this.canvas);
		this.build({ title: "Charts" }, [this.choice, this.log, this.said], element("div", { className: "way" }, this.body));
		new ResizeObserver(this.draw).observe(this.canvas);
		overTime(this.canvas, viewport, (at, event) => viewport.mark(event.shiftKey ? "b" : "a", at));
		this.canvas.addEventListener("pointermove", (event) => this.#hover(event));
		this.canvas.addEventListener("pointerleave", hideTip);
		this.#load().catch(failed);
	}

	async #load() {
		this.#charts = await api.json("charts", { experiment: this.experiment.uuid });
		this.choice.replaceChildren(...this.#charts.map(({ name, title }) => new Option(title, name)));
		this.draw();
	}

	get isComplete() {
		return this.data.isLatest;
	}

	get #chart() {
		return this.#charts.find(({ name }) => name === this.settings.chart) ?? this.#charts[0];
	}

	get lines() {
		return this.data.answer?.lines ?? [];
	}

	// A part of a whole that has a top: lines stand on one another.
	get isStacked() {
		return this.data.answer?.top > 0;
	}

	colourOf({ id }) {
		if (id === OTHERS)
			return colour("line"); // as a ground, before which those that have a name stand out
		if (!this.#colours.has(id)) {
			const taken = new Set(this.lines.map((line) => this.#colours.get(line.id)));
			let free = 0;
			while (taken.has(free))
				free++;
			this.#colours.set(id, free);
		}
		return colourOfSeries(this.#colours.get(id), this.viewport.dark);
	}

	#came() {
		const { all } = this.data.answer, lines = this.lines.filter(({ id }) => id !== OTHERS);
		this.log.hidden = this.isStacked;
		this.said.textContent = this.isStacked ? `${lines.length.toLocaleString("en")} of ${all.toLocaleString("en")} threads that ran in the visible range, the busiest` : all > lines.length ? `${lines.length.toLocaleString("en")} of ${all.toLocaleString("en")} lines, those that matter most in the visible range` :
			`${all.toLocaleString("en")} ${all === 1 ? "line" : "lines"}`;
		this.#listNames();
		this.draw();
	}

	#listNames() {
		this.isDark = this.viewport.dark;
		this.names.replaceChildren(...this.lines.map((line) => {
			const known = line.values.filter((value) => value !== null);
			return element("div", { className: "scatter-name", title: line.name }, swatch(this.colourOf(line)), line.name,
				element("span", { className: "number", textContent: known.length > 0 ? withUnit(Math.max(...known), this.#chart.unit) : "unknown" }));
		}));
	}

	#scale(height) {
		if (this.isStacked)
			return new LinearScale(0, this.data.answer.top, height - EDGE, EDGE);
		const values = this.lines.flatMap((line) => line.values).filter((value) => value !== null);
		let low = 0, high = 0;
		for (const value of values) {
			low = Math.min(low, value);
			high = Math.max(high, value);
		}
		if (this.settings.log && high > 0) {
			const least = values.reduce((found, value) => value > 0 && value < found ? value : found, high);
			return new LogScale(Math.max(least, high / 1e9), Math.max(high, least * 10), height - EDGE, EDGE);
		}
		return new LinearScale(low, high > low ? high : low + 1, height - EDGE, EDGE);
	}

	#draw() {
		const { viewport } = this, { context, width, height } = fit(this.canvas);
		const chart = this.#chart;
		if (!this.root.isConnected || width < 2 || !chart)
			return;
		if (this.settings.chart !== chart.name)
			this.#colours.clear();
		this.settings.chart = this.choice.value = chart.name;
		this.log.setAttribute("aria-pressed", this.settings.log === 1);
		this.data.ask({ experiment: this.experiment.uuid, chart: chart.name, lines: COLOURS },
			{ from: Math.round(viewport.from), to: Math.round(viewport.to) }, { pixels: Math.min(Math.round(width), 4096) });
		context.clearRect(0, 0, width, height);
		if (!this.data.answer)
			return;
		if (this.isDark !== viewport.dark)
			this.#listNames(); // in the colours of the other theme
		this.scale = this.#scale(height);
		drawTicks(context, this.scale, width);
		this.#drawUnknown(context, width, height);
		if (this.isStacked)
			this.#drawStack(context, width);
		else
			for (const line of [...this.lines].reverse())
				this.#drawLine(context, line, width);
		nameTicks(context, this.scale, (tick) => withUnit(tick, chart.unit));
		drawMarkers(context, viewport, width, height);
	}

	// Where the end of a pixel of the answer is now, which may be about a range that was visible before.
	#xOf(index, width) {
		const { from, to } = this.data.range, count = this.lines[0].values.length;
		const at = from + (to - from) * (index + 1) / count;
		return (at - this.viewport.from) / this.viewport.span * width;
	}

	#drawLine(context, line, width) {
		let isDown = false;
		context.strokeStyle = this.colourOf(line);
		context.lineWidth = 1.4;
		context.beginPath();
		line.values.forEach((value, index) => {
			const isThere = value !== null && (!this.settings.log || value > 0);
			if (isThere)
				context[isDown ? "lineTo" : "moveTo"](this.#xOf(index, width), this.scale.at(value));
			isDown = isThere;
		});
		context.stroke();
	}

	// The busiest at the foot; each pixel of the answer is a step, as a share of it has no slope.
	#drawStack(context, width) {
		if (this.lines.length === 0) // nobody ran
			return;
		const count = this.lines[0].values.length, below = new Float64Array(count);
		const ends = Array.from({ length: count + 1 }, (_, index) => this.#xOf(index - 1, width));
		for (const line of this.lines) {
			context.fillStyle = this.colourOf(line);
			context.beginPath();
			line.values.forEach((value, index) => {
				if (!(value > 0))
					return;
				const top = this.scale.at(below[index] + value), bottom = this.scale.at(below[index]);
				context.rect(ends[index], top, ends[index + 1] - ends[index] + 0.3, bottom - top);
				below[index] += value;
			});
			context.fill();
		}
	}

	#drawUnknown(context, width, height) {
		context.fillStyle = colour("quiet");
		context.globalAlpha = 0.25;
		for (let index = 0; index < (this.lines[0]?.values.length ?? 0); index++)
			if (this.lines.some(({ values }) => values[index] === null)) {
				const left = this.#xOf(index - 1, width);
				context.fillRect(left, 0, this.#xOf(index, width) - left, height);
			}
		context.globalAlpha = 1;
	}

	#hover(event) {
		const width = this.canvas.clientWidth, count = this.lines[0]?.values.length ?? 0;
		if (count === 0 || !this.scale)
			return hideTip();
		const { from, to } = this.data.range, { viewport } = this;
		const at = viewport.from + event.offsetX / width * viewport.span;
		const index = Math.min(Math.max(Math.floor((at - from) / (to - from) * count), 0), count - 1);
		const { unit } = this.#chart;
		const shown = this.isStacked ? this.lines.filter(({ values }) => values[index] > 0).sort((one, other) => other.values[index] - one.values[index]) : this.lines;
		const said = shown.map((line) => [line.name, line.values[index] === null ? "unknown" : withUnit(line.values[index], unit)]);
		showTip(event, time.clock(viewport.start, at), said);
	}
}
