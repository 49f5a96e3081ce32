// SPDX-License-Identifier: MIT
// arrows.js - arrows between the rows of a chart: who came next on a CPU, who made or woke whom, where a thread or a
// flow went on; and instants, which are arrows from a row to itself and painted as marks.
//
// They are painted when they can be followed with the eye, which is when there are not too many of them.

import * as api from "./api.js";
import { sizeOf } from "./viewport.js";
import * as time from "./time.js";

const WAIT_MS = 120; // for a range that is being dragged
const PX_PER_ARROW = 3; // of the width of the chart; more arrows would be a hatching
const HEAD = 5; // px
const NEAR = 4; // px, to be pointed at

const isInstant = ({ fromRow, toRow }) => fromRow === toRow;

function distance(x, y, { x1, y1, x2, y2 }) {
	const [dx, dy] = [x2 - x1, y2 - y1];
	const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
	return Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
}

export class Arrows {
	arrows = [];
	kinds = [];
	#areAll = true; // in the answer; if there are none then, there are more than the server reads
	#asked = "";
	#answered = ""; // of what was asked: the arrows that are there
	#timer = 0;
	#abort = null;
	#lines = []; // that were painted last

	constructor(chart, failed) {
		Object.assign(this, { chart, failed });
	}

	get #isOn() {
		return this.chart.view.hasArrows && this.chart.settings.arrows;
	}

	get areTooMany() {
		const { length } = this.arrows;
		return this.#isOn && (length * PX_PER_ARROW > sizeOf(this.chart.canvas).width || length === 0 && !this.#areAll);
	}

	// In the last frame.
	get arePainted() {
		return this.#lines.length > 0;
	}

	get #wanted() {
		const { viewport, canvas, parameters } = this.chart;
		return { ...parameters, from: viewport.from, to: viewport.to, pixels: Math.min(sizeOf(canvas).width, 8192) };
	}

	// Those of the visible range are there.
	get isComplete() {
		return !this.#isOn || JSON.stringify(this.#wanted) === this.#answered;
	}

	#follow() {
		const wanted = this.#wanted, asked = JSON.stringify(wanted);
		if (asked === this.#asked)
			return;
		this.#asked = "";
		clearTimeout(this.#timer);
		this.#abort?.abort();
		if (!this.chart.isComplete || this.chart.isEarly) // rows come first, in their order
			return;
		this.#asked = asked;
		this.#timer = setTimeout(() => this.#fetch(wanted, asked), WAIT_MS);
	}

	async #fetch(wanted, asked) {
		if (!this.chart.root.isConnected)
			return;
		const abort = this.#abort = new AbortController();
		try {
			const { all, arrows, kinds } = await api.json("arrows", wanted, abort.signal);
			if (abort.signal.aborted)
				return;
			Object.assign(this, { arrows, kinds });
			this.#areAll = all;
			this.#answered = asked;
			this.chart.draw();
		} catch (error) {
			if (error.name !== "AbortError")
				this.failed(error);
		}
	}

	draw(context, width, height) {
		this.#lines = [];
		if (!this.#isOn || width < 1)
			return;
		this.#follow();
		if (this.areTooMany)
			return;
		const { viewport } = this.chart;
		const x = (at) => (at - viewport.from) / viewport.span * width;
		for (const arrow of this.arrows) {
			const [y1, y2] = [this.chart.middleOf(arrow.from), this.chart.middleOf(arrow.to)];
			if (Math.max(y1, y2) >= 0 && Math.min(y1, y2) <= height)
				this.#lines.push({ arrow, x1: x(arrow.start), y1, x2: x(arrow.end), y2 });
		}
		this.kinds.forEach((kind, number) => {
			context.strokeStyle = context.fillStyle = viewport.dark ? kind.dark : kind.light;
			this.#paint(context, this.#lines.filter(({ arrow }) => arrow.kind === number));
		});
	}

	// One path for all of a kind: each costs the browser as much as hundreds of lines.
	#paint(context, lines) {
		const [shafts, heads] = [new Path2D(), new Path2D()];
		for (const { arrow, x1, y1, x2, y2 } of lines) {
			if (isInstant(arrow)) {
				heads.moveTo(x1, y1 - HEAD);
				for (const [x, y] of [[HEAD, 0], [0, HEAD], [-HEAD, 0], [0, -HEAD]])
					heads.lineTo(x1 + x, y1 + y);
				continue;
			}
			shafts.moveTo(x1, y1);
			shafts.lineTo(x2, y2);
			const angle = Math.atan2(y2 - y1, x2 - x1);
			heads.moveTo(x2, y2);
			for (const side of [-0.45, 0.45])
				heads.lineTo(x2 - HEAD * Math.cos(angle + side), y2 - HEAD * Math.sin(angle + side));
		}
		context.lineWidth = 1.3;
		context.stroke(shafts);
		context.fill(heads);
	}

	// The next arrow of a row from a time on, that leaves it, or the last one before, that came to it; of those in the visible
	// range.
	step(position, at, backwards) {
		const own = this.arrows.filter((arrow) => backwards ? arrow.to === position && arrow.end <= at : arrow.from === position && arrow.start >= at);
		return own.reduce((best, arrow) => !best || (backwards ? arrow.end > best.end : arrow.start < best.start) ? arrow : best, null);
	}

	// What is said of the arrow nearest to a point of the canvas; null: there is none near.
	textAt(x, y) {
		let [nearest, closest] = [null, NEAR];
		for (const line of this.#lines) {
			const far = distance(x, y, line);
			if (far < closest)
				[nearest, closest] = [line.arrow, far];
		}
		if (nearest === null)
			return null;
		const who = this.chart.view.name === "resources" ? `thread ${nearest.tid}, ` : "";
		const where = this.chart.view.name !== "resources" && nearest.cpu >= 0 ? ` on CPU ${nearest.cpu}` : "";
		const took = nearest.end > nearest.start ? `, ${time.duration(nearest.end - nearest.start)}` : "";
		const what = [this.kinds[nearest.kind].name, nearest.name].filter(Boolean).join(" ");
		return isInstant(nearest) ? `${what}: ${nearest.fromName}` : `${what}: ${who}${nearest.fromName} → ${nearest.toName}${where}${took}`;
	}
}
