// SPDX-License-Identifier: MIT
// strips.js - what stands above the charts: the whole trace, CPU usage, the axis of time.

import * as api from "./api.js";
import { colour, drawMarkers, eachFrame, fit, Pace } from "./viewport.js";
import * as time from "./time.js";

// Called with the two ends of a drag over a canvas, in CSS pixels, and whether it is over.
export function onDrag(canvas, dragged, clicked) {
	canvas.addEventListener("pointerdown", (down) => {
		if (down.button !== 0)
			return;
		const box = canvas.getBoundingClientRect();
		const from = down.clientX - box.left;
		let moved = false;
		canvas.setPointerCapture(down.pointerId);
		const move = (event) => {
			const to = event.clientX - box.left;
			moved ||= Math.abs(to - from) > 3;
			if (moved)
				dragged(from, to, false, down, event);
		};
		const up = (event) => {
			canvas.removeEventListener("pointermove", move);
			canvas.removeEventListener("pointerup", up);
			if (moved)
				dragged(from, event.clientX - box.left, true, down, event);
			else
				clicked?.(from, event);
		};
		canvas.addEventListener("pointermove", move);
		canvas.addEventListener("pointerup", up);
	});
}

// The wheel over a canvas zooms at the pointer.
function zoomOnWheel(canvas, viewport, timeAt) {
	canvas.addEventListener("wheel", (event) => {
		event.preventDefault();
		viewport.zoom(Math.exp(event.deltaY * 0.002), timeAt(event.offsetX));
	}, { passive: false });
}

// Over a canvas of the visible range, a drag zooms to its span, the wheel at the pointer; clicked(time, event).
export function overTime(canvas, viewport, clicked, dragging = () => {}) {
	const timeAt = (x) => viewport.from + x / canvas.clientWidth * viewport.span;
	onDrag(canvas, (from, to, isOver) => {
		dragging(isOver ? null : [from, to]);
		if (isOver)
			viewport.show(...[timeAt(from), timeAt(to)].sort((a, b) => a - b));
	}, (x, event) => clicked(timeAt(x), event));
	zoomOnWheel(canvas, viewport, timeAt);
}

// A curve that is fetched again when its range changes: one fetch at a time, and then that of the latest range.
class Curve {
	values = new Float32Array(0);
	more = new Float32Array(0); // what the answer has besides: how much is unknown, by value, or what they are all worth
	range = { from: 0, to: 1 };
	max = 0; // of the values
	#key = ""; // of what was asked for last
	#isUnderWay = false;
	#picture = { key: "", canvas: document.createElement("canvas") };

	constructor(redraw, hasUnknown) {
		Object.assign(this, { redraw, hasUnknown });
		this.pace = new Pace(redraw);
	}

	async fetch(path, parameters, range, failed) {
		const key = JSON.stringify([parameters, range]);
		if (key === this.#key || this.#isUnderWay || !this.pace.mayBegin())
			return;
		this.#key = key;
		this.#isUnderWay = true;
		try {
			const answer = await api.curve(path, { ...parameters, ...range });
			this.values = answer.subarray(0, range.pixels);
			this.more = answer.subarray(range.pixels);
			this.max = this.values.reduce((max, value, i) => Math.max(max, value + this.#unknownAt(i)), 0);
			this.range = range;
			this.#picture.key = "";
		} catch (error) {
			failed(error);
		} finally {
			this.#isUnderWay = false;
			this.redraw(); // and so asks for the range that it has become
		}
	}

	// What may come on top of a value.
	#unknownAt(i) {
		return this.hasUnknown ? this.more[i] : 0;
	}

	get isKnown() {
		return this.values.every((_, i) => this.#unknownAt(i) === 0);
	}

	// A column a value, painted once: a frame that moves it only copies it.
	picture(height, ratio, top, ink) {
		const key = `${height} ${ratio} ${top} ${ink}`, { canvas } = this.#picture;
		if (key === this.#picture.key)
			return canvas;
		this.#picture.key = key;
		canvas.width = Math.max(this.values.length, 1);
		canvas.height = Math.max(Math.round(height * ratio), 1);
		const context = canvas.getContext("2d");
		context.fillStyle = ink;
		this.values.forEach((value, i) => {
			const high = value / top * (canvas.height - 4 * ratio);
			context.fillRect(i, canvas.height - high, 1, high);
		});
		this.#paintUnknown(context, canvas, ratio, top);
		return canvas;
	}

	// Hatched, above what is known.
	#paintUnknown(context, canvas, ratio, top) {
		const room = canvas.height - 4 * ratio, step = Math.round(6 * ratio);
		context.fillStyle = colour("quiet");
		this.values.forEach((value, i) => {
			const unknown = this.#unknownAt(i);
			if (!(unknown > 0))
				return;
			const bottom = canvas.height - value / top * room, high = unknown / top * room;
			context.globalAlpha = 0.25;
			context.fillRect(i, bottom - high, 1, high);
			context.globalAlpha = 0.8;
			for (let y = Math.ceil(bottom - high); y < bottom; y++)
				if ((i + y) % step === 0)
					context.fillRect(i, y, 1, 1);
		});
		context.globalAlpha = 1;
	}
}

// A strip that shows a curve of the experiment which was opened last.
class CurveStrip {
	static hasUnknown = false;

	constructor(canvas, viewport, failed) {
		Object.assign(this, { canvas, viewport, failed });
		this.draw = eachFrame(() => {
			const fitted = fit(canvas);
			if (this.experiment && fitted.width >= 2)
				this.drawCurve(fitted);
		});
		this.curve = new Curve(this.draw, this.constructor.hasUnknown);
		new ResizeObserver(this.draw).observe(canvas);
	}

	open(experiment) {
		this.experiment = experiment;
		this.draw();
	}

	// Asks for the curve over a range, with a point for each pixel at most.
	fetch(path, from, to, width) {
		const range = { from, to, pixels: Math.min(Math.round(width), 2048) };
		this.curve.fetch(path, { experiment: this.experiment.uuid }, range, this.failed);
	}
}

// All of the trace, with the visible part marked; a drag moves or chooses it.
export class Overview extends CurveStrip {
	#grip = 0;
	what = ""; // is counted

	constructor(canvas, label, viewport, failed) {
		super(canvas, viewport, failed);
		this.label = label;
		const timeAt = (x) => x / canvas.clientWidth * viewport.duration;
		onDrag(canvas, (from, to, isOver, down) => {
			const inside = timeAt(from) >= this.#grip && timeAt(from) <= this.#grip + viewport.span;
			if (inside && !down.shiftKey)
				viewport.show(this.#grip + timeAt(to - from), this.#grip + timeAt(to - from) + viewport.span);
			else if (isOver)
				viewport.show(...[timeAt(from), timeAt(to)].sort((a, b) => a - b));
		}, (x) => viewport.show(timeAt(x) - viewport.span / 2, timeAt(x) + viewport.span / 2));
		canvas.addEventListener("pointerdown", () => (this.#grip = viewport.from), true);
		zoomOnWheel(canvas, viewport, timeAt);
	}

	drawCurve({ context, width, height, ratio }) {
		const { viewport } = this;
		this.fetch("density", 0, viewport.duration, width);
		const isExact = this.curve.more[0] !== 0;
		this.label.textContent = isExact ? this.what : `${this.what}, each column to within 64`;
		context.clearRect(0, 0, width, height);
		context.drawImage(this.curve.picture(height, ratio, Math.max(this.curve.max, 1), colour("density")), 0, 0, width, height);
		for (const overlay of viewport.overlays)
			overlay.drawWhole?.(context, width, height);
		const left = viewport.from / viewport.duration * width, wide = Math.max(viewport.span / viewport.duration * width, 2);
		context.fillStyle = colour("accent");
		context.globalAlpha = 0.18;
		context.fillRect(left, 0, wide, height);
		context.globalAlpha = 1;
		context.strokeStyle = colour("accent");
		context.strokeRect(left + 0.5, 0.5, wide - 1, height - 1);
	}
}

// Percent of one CPU over the visible range.
export class Usage extends CurveStrip {
	static hasUnknown = true;
	#top = 100; // of the scale, which does not change with what is visible but by more than was seen so far

	constructor(canvas, label, viewport, failed) {
		super(canvas, viewport, failed);
		this.label = label;
	}

	open(experiment) {
		this.#top = 100;
		super.open(experiment);
	}

	drawCurve({ context, width, height, ratio }) {
		const { viewport } = this;
		this.fetch("usage", viewport.from, viewport.to, width);
		const shown = this.curve.range;
		const max = this.#top = Math.max(this.#top, Math.ceil(this.curve.max / 100 - 0.01) * 100);
		context.clearRect(0, 0, width, height);
		context.globalAlpha = 0.75;
		context.imageSmoothingEnabled = false;
		context.drawImage(this.curve.picture(height, ratio, max, colour("curve")), (shown.from - viewport.from) / viewport.span * width, 0,
			(shown.to - shown.from) / viewport.span * width, height);
		context.globalAlpha = 1;
		drawMarkers(context, viewport, width, height);
		this.label.textContent = `0 to ${max} % of one CPU${this.experiment?.hosts ? ", all hosts" : ""}${this.curve.isKnown ? "" : "; hatched: unknown"}`;
	}
}

export class Axis {
	constructor(canvas, label, viewport) {
		Object.assign(this, { canvas, label, viewport });
		this.draw = eachFrame(() => this.#draw());
		this.dragged = null;
		overTime(canvas, viewport, (at, event) => viewport.mark(event.shiftKey ? "b" : "a", at), (dragged) => {
			this.dragged = dragged;
			this.draw();
		});
		new ResizeObserver(this.draw).observe(canvas);
	}

	#draw() {
		const { context, width, height } = fit(this.canvas);
		const { viewport } = this;
		// Ticks are whole steps of the clock's time.
		const day = Number(time.clockStart(viewport.start) % 86400000000000n);
		const { step, positions } = time.ticks(day + viewport.from, day + viewport.to, width / 130);
		context.clearRect(0, 0, width, height);
		context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
		context.fillStyle = colour("ink");
		for (const position of positions) {
			const x = Math.round((position - day - viewport.from) / viewport.span * width);
			context.fillRect(x, height - 6, 1, 6);
			const text = time.tick(viewport.start, position - day, step, viewport.span);
			if (x + 3 + context.measureText(text).width <= width)
				context.fillText(text, x + 3, height - 8);
		}
		if (this.dragged) {
			const [left, right] = [...this.dragged].sort((a, b) => a - b);
			context.fillStyle = colour("accent");
			context.globalAlpha = 0.3;
			context.fillRect(left, 0, right - left, height);
			context.globalAlpha = 1;
		}
		drawMarkers(context, viewport, width, height);
		for (const overlay of viewport.overlays)
			overlay.drawNames?.(context, width);
		const name = time.clockName();
		this.label.textContent = time.isSince() ? `time ${name.replace("start", "the start")}` : `${time.date(viewport.start, viewport.from)} ${name}`;
	}
}
