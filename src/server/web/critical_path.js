// SPDX-License-Identifier: MIT
// critical_path.js - what a thread waited for, in the visible range: fetched for whoever shows it, and painted over the
// rows of a chart.

import * as api from "./api.js";
import { colour, sizeOf } from "./viewport.js";
import * as time from "./time.js";

const WAIT_MS = 120; // for a range that is being dragged
const HEAD = 6; // px
const BAR = 5; // px, of the path below the states of a row
const PIXELS_MAX = 8192;
const ARROWS_MAX_PER_PX = 0.5; // more of them would be a hatching

const NOTHING_KNOWN = { threads: [], states: [], steps: [], all: true }; // of a thread that did nothing

export const threadOf = (info) => info?.tid > 0 ? (info.host ? `${info.host}/${info.tid}` : `${info.tid}`) : "";

// [thread, to, state, start, end] of the server's answer.
export const isArrow = (step) => step[1] >= 0;

export function paintArrow(context, x1, y1, x2, y2) {
	const angle = Math.atan2(y2 - y1, x2 - x1);
	context.beginPath();
	context.moveTo(x1, y1);
	context.lineTo(x2, y2);
	context.stroke();
	context.beginPath();
	context.moveTo(x2, y2);
	for (const side of [-0.45, 0.45])
		context.lineTo(x2 - HEAD * Math.cos(angle + side), y2 - HEAD * Math.sin(angle + side));
	context.fill();
}

export const nameOf = ({ name, tid, host }) => `${name || "thread"}${tid > 0 ? ` ${tid}` : ""}${host ? ` on ${host}` : ""}`;

// "itself runs 10.4 %, ...; others run 75.1 %, ...", of what is at least 0.1 %.
export function sharesOf({ states }) {
	const all = states.reduce((sum, { own, others }) => sum + own + others, 0);
	const said = (who, whose) => {
		const shares = states.map((state) => ({ share: 100 * state[whose] / all, name: state.style?.name ?? "is not known" }))
			.filter(({ share }) => share >= 0.05).sort((one, other) => other.share - one.share);
		return shares.length > 0 ? [`${who} ${shares.map(({ share, name }) => `${name} ${share.toFixed(1)} %`).join(", ")}`] : [];
	};
	return [...said("itself:", "own"), ...said("those it waited for:", "others")].join("; ");
}

export function textOf(path, step) {
	const [from, to, state, start, end] = step;
	const took = end > start ? `, ${time.duration(end - start)}` : "";
	if (isArrow(step))
		return `${nameOf(path.threads[from])} → ${nameOf(path.threads[to])}${took}`;
	return `${nameOf(path.threads[from])} ${path.states[state].style?.name ?? "?"}${took}`;
}

// The path that was asked for last; `changed` is called when it has come.
export class PathAnswer {
	path = null;
	#asked = "";
	#answered = "";
	#timer = 0;
	#abort = null;

	constructor(changed, failed) {
		Object.assign(this, { changed, failed });
	}

	isOf(wanted) {
		return JSON.stringify(wanted) === this.#answered;
	}

	follow(wanted) {
		const asked = JSON.stringify(wanted);
		if (asked === this.#asked)
			return;
		this.#asked = asked;
		clearTimeout(this.#timer);
		this.#abort?.abort();
		this.#timer = setTimeout(() => this.#fetch(wanted, asked), WAIT_MS);
	}

	async #fetch(wanted, asked) {
		const abort = this.#abort = new AbortController();
		try {
			const path = await api.json("path", wanted, abort.signal).catch((error) => error.status === 404 ? NOTHING_KNOWN : Promise.reject(error));
			if (abort.signal.aborted)
				return;
			this.path = path;
			this.#answered = asked;
			this.changed();
		} catch (error) {
			if (error.name !== "AbortError")
				this.failed(error);
		}
	}
}

// Over the rows of a chart.
export class PathOverlay {
	#answer;

	constructor(chart, failed) {
		this.chart = chart;
		this.#answer = new PathAnswer(() => chart.draw(), failed);
	}

	get #thread() {
		return this.chart.settings.path ?? "";
	}

	get #wanted() {
		const { viewport, canvas, parameters } = this.chart;
		return { ...parameters, thread: this.#thread, from: viewport.from, to: viewport.last, pixels: Math.min(sizeOf(canvas).width, PIXELS_MAX) };
	}

	get isComplete() {
		return this.#thread === "" || this.#answer.isOf(this.#wanted);
	}

	get path() {
		return this.#thread === "" ? null : this.#answer.path;
	}

	draw(context, width, height) {
		if (this.#thread === "" || width < 1)
			return;
		if (this.chart.isComplete && !this.chart.isEarly) // rows come first, in their order
			this.#answer.follow(this.#wanted);
		const { path } = this.#answer, { viewport } = this.chart;
		if (!path)
			return;
		const x = (at) => (at - viewport.from) / viewport.span * width;
		const y = (thread) => path.threads[thread].position < 0 ? NaN : this.chart.middleOf(path.threads[thread].position);
		for (const step of path.steps)
			if (!isArrow(step))
				this.#drawState(context, path, step, x, y(step[0]), height);
		const arrows = path.steps.filter((step) => isArrow(step) && Number.isFinite(y(step[0]) + y(step[1])));
		context.strokeStyle = context.fillStyle = colour("accent");
		context.lineWidth = 1.8;
		if (arrows.length <= ARROWS_MAX_PER_PX * width)
			for (const [from, to, , start, end] of arrows)
				paintArrow(context, x(start), y(from), x(end), y(to));
	}

	#drawState(context, path, [, , state, start, end], x, middle, height) {
		if (!(middle > -20 && middle < height + 20))
			return;
		const left = x(start), wide = Math.max(x(end) - left, 1), top = middle + 9 - BAR;
		const style = path.states[state].style;
		context.fillStyle = colour("ground");
		context.fillRect(left, top - 1, wide, BAR + 1);
		context.fillStyle = style ? (this.chart.viewport.dark ? style.dark : style.light) : colour("quiet");
		context.fillRect(left, top, wide, BAR - 1);
		context.fillStyle = colour("accent");
		context.fillRect(left, top + BAR - 1, wide, 1);
	}
}
