// SPDX-License-Identifier: MIT
// segment_density.js - how many segments of the visible range last how long, both on logarithmic axes.

import { AXIS_FONT, LogScale } from "./axes.js";
import { canvas, element } from "./panel.js";
import { RangedAnswer } from "./ranged_answer.js";
import * as time from "./time.js";
import { hideTip, showTip } from "./tip.js";
import { colour, eachFrame, fit } from "./viewport.js";

const BUCKET_WIDTH = 7; // px
const BUCKETS_MAX = 512;
const FOOT = 20; // px, for the durations
const LEFT = 60; // px, for the counts

export class SegmentDensity {
	constructor(panel) {
		this.panel = panel;
		this.draw = eachFrame(() => this.#draw(), () => (this.isDrawn = false));
		this.canvas = canvas("number of segments by duration", { tabIndex: 0 });
		this.root = element("div", { className: "body" }, this.canvas);
		this.data = new RangedAnswer("segment-density", () => this.#came(), (error) => panel.fail(error));
		new ResizeObserver(this.draw).observe(this.canvas);
		this.canvas.addEventListener("pointermove", (event) => this.#hover(event));
		this.canvas.addEventListener("pointerleave", hideTip);
		this.canvas.onclick = (event) => this.#click(event);
	}

	get isComplete() {
		return this.data.isLatest && this.isDrawn;
	}

	open() {
		this.draw();
		if (this.data.isLatest)
			this.#came();
	}

	#came() {
		this.panel.heard(this.data.answer);
		const { counts } = this.data.answer;
		const sum = counts.reduce((all, one) => all + one, 0);
		this.panel.say(`${sum.toLocaleString("en")} segments ${this.panel.spanSaid}`);
		this.draw();
	}

	#draw() {
		const { viewport } = this.panel;
		const { context, width, height } = fit(this.canvas);
		if (width < LEFT + BUCKET_WIDTH || height < 2 * FOOT || !this.panel.store)
			return;
		this.data.ask(this.panel.parameters, this.panel.span,
			{ buckets: Math.min(Math.floor((width - LEFT) / BUCKET_WIDTH), BUCKETS_MAX) });
		context.clearRect(0, 0, width, height);
		if (!this.data.answer)
			return;
		const { edges, counts } = this.data.answer;
		this.across = new LogScale(edges[0] + 1, Math.max(edges.at(-1) + 1, edges[0] + 2), LEFT, width - 8);
		this.up = new LogScale(0.8, Math.max(...counts, 10), height - FOOT, 8);
		this.#drawAxes(context, width, height);
		context.fillStyle = colour("curve");
		counts.forEach((count, i) => {
			const left = this.across.at(edges[i] + 1), right = this.across.at(edges[i + 1] + 1), top = this.up.at(count);
			if (count > 0)
				context.fillRect(left, top, Math.max(right - left - 1, 1), height - FOOT - top);
		});
		this.isDrawn = true;
	}

	#drawAxes(context, width, height) {
		context.font = AXIS_FONT;
		for (const tick of this.up.ticks.filter((one) => one >= 1)) {
			const y = Math.round(this.up.at(tick));
			context.fillStyle = colour("line");
			context.fillRect(LEFT, y, width - LEFT, 1);
			context.fillStyle = colour("quiet");
			context.fillText(tick.toLocaleString("en"), 4, y + 4);
		}
		for (const tick of this.across.ticks) {
			const x = Math.round(this.across.at(tick + 1));
			context.fillStyle = colour("line");
			context.fillRect(x, height - FOOT, 1, 5);
			context.fillStyle = colour("quiet");
			context.fillText(time.duration(tick, tick), x + 3, height - 5);
		}
	}

	#bucketAt(event) {
		if (!this.across || event.offsetX < LEFT)
			return null;
		const { edges, counts } = this.data.answer;
		const duration = this.across.numberAt(event.offsetX) - 1;
		const index = counts.findIndex((_, i) => duration < edges[i + 1]);
		return index < 0 || counts[index] === 0 ? null : { from: edges[index], to: edges[index + 1], count: counts[index] };
	}

	#hover(event) {
		const bucket = this.#bucketAt(event);
		if (!bucket)
			return hideTip();
		showTip(event, `${bucket.count.toLocaleString("en")} segments`, [["from", time.duration(bucket.from)], ["to", time.duration(bucket.to - 1)]]);
	}

	// Those of a bar, in the table.
	#click(event) {
		const bucket = this.#bucketAt(event);
		if (!bucket)
			return;
		hideTip();
		const { filter } = this.panel.settings;
		const some = `duration >= ${bucket.from}ns && duration < ${bucket.to}ns`;
		this.panel.set({ filter: filter === "" ? some : `(${filter}) && ${some}`, show: "table" });
	}
}
