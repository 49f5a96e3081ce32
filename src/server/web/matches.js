// SPDX-License-Identifier: MIT
// matches.js - a veil over the states of a chart that an expression does not match.

import * as api from "./api.js";
import { BLOCK_ROWS } from "./blocks.js";
import { colour } from "./viewport.js";

const KEPT = 16;
const VEIL = 0.8;

export class Matches {
	#kept = new Map(); // by what was asked: the spans of pixels of each row, null while they are on their way
	isComplete = true;
	areAll = true; // false: there were too many states to look at all

	constructor(chart, failed) {
		Object.assign(this, { chart, failed });
	}

	// The spans for a block of rows; undefined while they are on their way.
	#of(block, text) {
		const wanted = { ...this.chart.parameters, text, first: block.index * BLOCK_ROWS, count: BLOCK_ROWS, ...block.range };
		const key = JSON.stringify(wanted);
		if (!this.#kept.has(key))
			this.#fetch(key, wanted);
		return this.#kept.get(key);
	}

	async #fetch(key, wanted) {
		this.#kept.set(key, null);
		for (const old of [...this.#kept.keys()].slice(0, Math.max(this.#kept.size - KEPT, 0)))
			this.#kept.delete(old);
		try {
			this.#kept.set(key, await api.json("matches", wanted));
			this.chart.draw();
		} catch (error) {
			this.failed(error); // and not asked again with each frame
		}
	}

	// Over a block that was drawn at (left, y), its pixels being `pixel` wide.
	draw(context, block, left, pixel, y, rowHeight) {
		const text = this.chart.viewport.filter;
		if (text === "" || block.early)
			return;
		const found = this.#of(block, text);
		this.isComplete &&= Boolean(found);
		if (!found)
			return;
		this.areAll &&= found.all;
		context.fillStyle = colour("ground");
		context.globalAlpha = VEIL;
		found.rows.forEach((spans, row) => {
			let from = 0;
			for (let at = 0; at <= spans.length; at += 2) {
				const to = spans[at] ?? block.range.pixels;
				if (to > from)
					context.fillRect(left + from * pixel, y + row * rowHeight, (to - from) * pixel, rowHeight);
				from = to + (spans[at + 1] ?? 0);
			}
		});
		context.globalAlpha = 1;
	}

	begin() {
		this.isComplete = this.areAll = true;
	}
}
