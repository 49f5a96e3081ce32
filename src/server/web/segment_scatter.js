// SPDX-License-Identifier: MIT
// segment_scatter.js - a point for each segment: its duration over the visible range of time.

import { quoted } from "./api.js";
import { colourOfSeries, drawTicks, LogScale, nameTicks } from "./axes.js";
import { canvas, element, swatch } from "./panel.js";
import { RangedAnswer } from "./ranged_answer.js";
import { overTime } from "./strips.js";
import * as time from "./time.js";
import { hideTip, showTip } from "./tip.js";
import { colour, drawMarkers, eachFrame, fit } from "./viewport.js";

const NEAR = 8; // px from the pointer to a point
const DOT = 3; // px
const NAMES_SHOWN = 40; // with a colour; grey after them
const EDGE = 8; // px above and below the points

export class SegmentScatter {
	constructor(panel) {
		this.panel = panel;
		this.draw = eachFrame(() => this.#draw(), () => (this.isDrawn = false));
		this.names = element("div", { className: "names scatter-names" });
		this.canvas = canvas("duration over time", { tabIndex: 0 });
		this.root = element("div", { className: "body over-time" }, this.names, this.canvas);
		this.data = new RangedAnswer("segment-scatter", () => this.#came(), (error) => panel.fail(error));
		new ResizeObserver(this.draw).observe(this.canvas);
		overTime(this.canvas, panel.viewport, (_, event) => this.#click(event));
		this.canvas.addEventListener("pointermove", (event) => this.#hover(event));
		this.canvas.addEventListener("pointerleave", hideTip);
	}

	get isComplete() {
		return this.data.isLatest && this.isDrawn;
	}

	open() {
		this.draw();
		if (this.data.isLatest)
			this.#came();
	}

	colourOf(index) {
		return index >= NAMES_SHOWN ? colour("quiet") : colourOfSeries(index, this.panel.viewport.dark);
	}

	#came() {
		this.panel.heard(this.data.answer);
		const { segments, series } = this.data.answer;
		const shown = series.reduce((sum, { points }) => sum + points.length / 2, 0);
		this.panel.say(`${segments.toLocaleString("en")} segments start in the visible range${shown < segments ? `, ${shown.toLocaleString("en")} points can be told apart` : ""}`);
		// The names with the most points first: they get the colours.
		this.series = [...series].sort((one, other) => other.points.length - one.points.length);
		this.#listNames();
		this.draw();
	}

	#listNames() {
		this.isDark = this.panel.viewport.dark;
		const lines = this.series.slice(0, NAMES_SHOWN).map(({ name, points }, index) => {
			const line = element("button", { type: "button", className: "scatter-name", title: "only this name" });
			line.append(swatch(this.colourOf(index)), name ?? "(unknown)", element("span", { className: "number", textContent: (points.length / 2).toLocaleString("en") }));
			line.onclick = () => name !== null && this.panel.set({ filter: `${this.panel.store.name} == ${quoted(name)}` });
			return line;
		});
		this.names.replaceChildren(...lines);
	}

	#scale(height) {
		let low = Infinity, high = 1;
		for (const { points } of this.series)
			for (let i = 1; i < points.length; i += 2) {
				low = Math.min(low, points[i]);
				high = Math.max(high, points[i]);
			}
		low = Math.max(Math.min(low, high), 1);
		return new LogScale(low, Math.max(high, low * 10), height - EDGE, EDGE);
	}

	#draw() {
		const { viewport } = this.panel;
		const { context, width, height } = fit(this.canvas);
		if (width < 2 || !this.panel.store)
			return;
		this.data.ask(this.panel.parameters, this.panel.span,
			{ pixels: Math.min(Math.round(width), 4096), height: Math.min(Math.max(Math.round(2 * height), 1), 4096) });
		context.clearRect(0, 0, width, height);
		if (!this.series)
			return;
		if (this.isDark !== viewport.dark)
			this.#listNames(); // in the colours of the other theme
		this.scale = this.#scale(height);
		drawTicks(context, this.scale, width);
		const xOf = (at) => (at - viewport.from) / viewport.span * width;
		[...this.series.entries()].reverse().forEach(([index, { points }]) => {
			context.fillStyle = this.colourOf(index);
			for (let i = 0; i < points.length; i += 2)
				context.fillRect(xOf(points[i]) - DOT / 2, this.scale.at(Math.max(points[i + 1], 1)) - DOT / 2, DOT, DOT);
		});
		nameTicks(context, this.scale, (tick) => time.duration(tick, tick));
		drawMarkers(context, viewport, width, height);
		this.isDrawn = true;
	}

	// The point nearest to the pointer.
	#nearest(event) {
		const { viewport } = this.panel, { offsetX: x, offsetY: y } = event;
		const width = this.canvas.clientWidth;
		let found = null, closest = NEAR ** 2;
		this.series?.forEach(({ name, points }, index) => {
			for (let i = 0; i < points.length; i += 2) {
				const across = (points[i] - viewport.from) / viewport.span * width - x;
				if (Math.abs(across) > NEAR)
					continue;
				const distance = across ** 2 + (this.scale.at(Math.max(points[i + 1], 1)) - y) ** 2;
				if (distance < closest) {
					closest = distance;
					found = { name, index, start: points[i], duration: points[i + 1] };
				}
			}
		});
		return found;
	}

	#hover(event) {
		const point = this.scale && this.#nearest(event);
		if (!point)
			return hideTip();
		const { start } = this.panel.viewport;
		showTip(event, point.name ?? "(unknown)", [["for", time.duration(point.duration)],
			["from", time.clock(start, point.start)], ["to", time.clock(start, point.start + point.duration)]], this.colourOf(point.index));
	}

	#click(event) {
		const point = this.scale && this.#nearest(event);
		if (point)
			this.panel.select(point.start, point.duration);
	}
}
