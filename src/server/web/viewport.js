// SPDX-License-Identifier: MIT
// viewport.js - what all views share: the visible range, two markers, the theme.  Listeners are told what changed.

const SPAN_MIN = 20; // ns
const PACE_MS = 80;

export class Viewport extends EventTarget {
	start = 0n; // of the trace, ns since the epoch
	duration = 1;
	from = 0;
	to = 1;
	a = null; // markers, ns after the start
	b = null;
	dark = false;
	filter = ""; // an expression: states that do not match it are veiled
	overlays = []; // what lies over all charts: draw(context, width, height), textsAt(x, width)

	tell(what) {
		this.dispatchEvent(new Event(what));
	}

	open(start, duration) {
		Object.assign(this, { start, duration: Math.max(duration, SPAN_MIN), from: 0, a: null, b: null });
		this.to = this.duration;
		this.tell("range");
		this.tell("markers");
	}

	get span() {
		return this.to - this.from;
	}

	// The last ns that is visible: `to` is the first that is not.
	get last() {
		return Math.max(this.to - 1, this.from);
	}

	// Kept inside the trace, whole ns, and never so narrow that there is nothing to see.
	show(from, to) {
		let span = Math.min(Math.max(Math.round(to - from), SPAN_MIN), this.duration);
		let first = Math.round(Math.min(Math.max(from, 0), this.duration - span));
		if (first === this.from && first + span === this.to)
			return;
		this.from = first;
		this.to = first + span;
		this.tell("range");
	}

	zoom(factor, around) {
		this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
	}

	pan(ns) {
		const by = Math.min(Math.max(ns, -this.from), this.duration - this.to);
		this.show(this.from + by, this.to + by);
	}

	// Bring a time into view, in the middle where it is not.
	reveal(at) {
		if (at < this.from || at > this.to)
			this.show(at - this.span / 2, at + this.span / 2);
	}

	// Whether two markers select a span; else what is visible is selected.
	get isMarked() {
		return this.a !== null && this.b !== null && this.a !== this.b;
	}

	get selected() {
		const [from, to] = (this.isMarked ? [this.a, this.b] : [this.from, this.to]).map(Math.round).sort((one, other) => one - other);
		return { from, to };
	}

	// What is said of it.
	get selectedSaid() {
		return this.isMarked ? "between the markers" : "in the visible range";
	}

	mark(which, at) {
		this[which] = at === null ? null : Math.round(Math.min(Math.max(at, 0), this.duration));
		this.tell("markers");
	}

	setFilter(text) {
		this.filter = text;
		this.tell("filter");
	}

	setDark(dark) {
		this.dark = dark;
		document.documentElement.classList.toggle("dark", dark);
		colours.clear();
		this.tell("theme");
	}
}

// Sizes of canvases in CSS pixels, as the browser tells them: asking an element makes it lay out the page.
const sizes = new WeakMap();
const sizeWatch = new ResizeObserver((entries) => {
	for (const { target, contentRect: { width, height } } of entries)
		sizes.set(target, { width: Math.round(width), height: Math.round(height) });
});

export function sizeOf(canvas) {
	const known = sizes.get(canvas);
	if (known?.width > 0)
		return known;
	if (!known)
		sizeWatch.observe(canvas);
	return { width: canvas.clientWidth, height: canvas.clientHeight };
}

// A canvas that is as sharp as the screen: its size in device pixels, its context in CSS pixels.
export function fit(canvas) {
	const ratio = window.devicePixelRatio || 1;
	const { width, height } = sizeOf(canvas);
	const wide = Math.max(1, Math.round(width * ratio)), high = Math.max(1, Math.round(height * ratio));
	if (canvas.width !== wide || canvas.height !== high) {
		canvas.width = wide;
		canvas.height = high;
	}
	const context = canvas.getContext("2d");
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	return { context, width, height, ratio };
}

const colours = new Map(); // of the theme: asking for a style makes the browser lay out the page

export function colour(name) {
	if (!colours.has(name))
		colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
	return colours.get(name);
}

// One call a frame, however often it is asked for. `outdated` is called with each asking, before the frame: what is shown may
// be about something else from now on.
export function eachFrame(draw, outdated = () => {}) {
	let asked = false;
	return () => {
		outdated();
		if (asked)
			return;
		asked = true;
		requestAnimationFrame(() => {
			asked = false;
			draw();
		});
	};
}

// While a range changes with each frame, what is asked for it would keep the page and the server busy with answers that no
// one sees: from one asking to the next passes some time. `again` is called when that is over.
export class Pace {
	#begun = -Infinity;
	#timer = 0;

	constructor(again) {
		this.again = again;
	}

	mayBegin() {
		const wait = this.#begun + PACE_MS - performance.now();
		if (wait <= 0) {
			this.#begun = performance.now();
			return true;
		}
		this.#timer ||= setTimeout(() => {
			this.#timer = 0;
			this.again();
		}, wait);
		return false;
	}
}

// Overlays and the lines of the markers, over a chart of the visible range.
export function drawMarkers(context, viewport, width, height) {
	for (const overlay of viewport.overlays)
		overlay.draw(context, width, height);
	for (const which of ["a", "b"]) {
		const at = viewport[which];
		if (at === null || at < viewport.from || at > viewport.to)
			continue;
		context.fillStyle = colour(`marker-${which}`);
		context.fillRect(Math.round((at - viewport.from) / viewport.span * width), 0, 1.5, height);
	}
	if (viewport.a === null || viewport.b === null)
		return;
	const xOf = (at) => (Math.min(Math.max(at, viewport.from), viewport.to) - viewport.from) / viewport.span * width;
	const [left, right] = [xOf(viewport.a), xOf(viewport.b)].sort((one, other) => one - other);
	context.globalAlpha = 0.08;
	context.fillStyle = colour("marker-a");
	context.fillRect(left, 0, right - left, height);
	context.globalAlpha = 1;
}
