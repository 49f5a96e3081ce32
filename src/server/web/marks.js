// SPDX-License-Identifier: MIT
// marks.js - what a search or a question found, marked in the charts: in its row at its time, and over the whole trace.

import { ROW_HEIGHT } from "./row_chart.js";
import { colour } from "./viewport.js";

const SIDE = 5; // px, of a mark
const PLACES = ["row", "tid", "cpu"];

export class Marks {
	#found = new Map(); // who found it: [{at, to, and where: row and its view, tid or cpu}]
	#rows = new Map(); // "tid 42": those that are there

	constructor(viewport) {
		this.viewport = viewport;
	}

	// `at` and `to` are ns after the start; what has no time, or no row, is none to be marked.
	show(finder, found) {
		this.#found.set(finder, found.filter((one) => one.at !== null && PLACES.some((place) => one[place] >= 0)));
		this.#rows.clear();
		for (const one of this.all) {
			const place = PLACES.find((name) => one[name] >= 0), key = `${place} ${one.view ?? ""} ${one[place]}`;
			if (!this.#rows.has(key))
				this.#rows.set(key, []);
			this.#rows.get(key).push(one);
		}
		this.viewport.tell("overlays");
	}

	clear() {
		this.#found.clear();
		this.#rows.clear();
		this.viewport.tell("overlays");
	}

	get all() {
		return [...this.#found.values()].flat();
	}

	draw() {}

	textsAt() {
		return [];
	}

	#of(chart, info) {
		return [["row", chart.view.name, info.row], ["tid", "", info.isHost ? -1 : info.tid], ["cpu", "", info.onCpu]]
			.flatMap(([place, view, number]) => this.#rows.get(`${place} ${view} ${number}`) ?? []);
	}

	// A mark above the beginning of each, and a frame around what lasts, of the rows in view.
	drawRows(context, chart, width) {
		if (this.#rows.size === 0)
			return;
		const { viewport } = this, x = (at) => (at - viewport.from) / viewport.span * width;
		context.fillStyle = context.strokeStyle = colour("ink");
		const first = Math.floor(chart.top / ROW_HEIGHT), positions = [...Array(chart.pinned).keys()];
		for (let position = Math.max(first, chart.pinned); position < chart.total && chart.middleOf(position) < chart.height + ROW_HEIGHT; position++)
			positions.push(position);
		for (const position of positions) {
			const info = chart.infoAt(position), top = chart.middleOf(position) - ROW_HEIGHT / 2;
			let last = -Infinity; // px: one mark a pixel
			for (const { at, to = at } of info ? this.#of(chart, info) : []) {
				const left = x(at), right = x(to);
				if (right < 0 || left > width || (right - left < 1 && Math.abs(left - last) < 1))
					continue;
				last = left;
				context.beginPath();
				context.moveTo(left - SIDE, top);
				context.lineTo(left + SIDE, top);
				context.lineTo(left, top + SIDE + 2);
				context.fill();
				if (right - left >= 2)
					context.strokeRect(left + 0.5, top + 1, right - left - 1, ROW_HEIGHT - 2);
			}
		}
	}

	drawWhole(context, width, height) {
		context.fillStyle = colour("ink");
		for (const column of new Set(this.all.map(({ at }) => Math.round(at / this.viewport.duration * width))))
			context.fillRect(column, height - SIDE, 1, SIDE);
	}
}
