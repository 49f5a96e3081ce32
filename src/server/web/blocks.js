// SPDX-License-Identifier: MIT
// blocks.js - rows of a chart in blocks, fetched when they come into view, painted once, kept for a while.
//
// A block is known by its rows and by what the chart was asked to show of them (order and range).  While the blocks of
// a new range are on their way, those of an old one are shown stretched: the picture never goes blank.

import * as api from "./api.js";
import { paint } from "./paint.js";
import { Pace } from "./viewport.js";

export const BLOCK_ROWS = 16;
const BLOCKS_KEPT = 96;
const FETCHES_MAX = 3;

export class Blocks {
	#kept = new Map(); // the one used last is last
	#wanted = new Map();
	#order = ""; // of the rows; a change makes all blocks useless
	#rangeKey = ""; // for which was fetched last
	#pace = new Pace(() => this.#fetchSome());
	#arrived;
	#failed;

	constructor(arrived, failed) {
		this.#arrived = arrived;
		this.#failed = failed;
	}

	// Rows of another order, or of another trace.
	setOrder(order) {
		if (order === this.#order)
			return;
		this.#order = order;
		this.#kept.clear();
		this.#cancel(() => true, true);
	}

	// Early rows (src/server/api/api.h) are shown until those that replace them are there.
	expireEarly() {
		for (const [key, block] of [...this.#kept])
			if (block.early && this.#kept.delete(key))
				this.#kept.set(`early ${block.index}`, block);
	}

	repaint() {
		for (const block of this.#kept.values())
			block.picture = null;
	}

	// Fetches that are under way go on, unless they are useless: so a range that changes with each frame keeps the server
	// as busy as a few requests can, and what comes late is still the better picture until there is the right one.
	#cancel(which, isUseless) {
		for (const [key, wanted] of this.#wanted) {
			if (!which(wanted) || (wanted.abort && !isUseless))
				continue;
			wanted.abort?.abort();
			this.#wanted.delete(key);
		}
	}

	// The blocks of some numbers for a range, as far as they are there; the others are fetched.  `range` is {from, to,
	// pixels}, `parameters` what names the rows.
	get(indexes, range, parameters) {
		const found = [];
		const rangeKey = `${range.from} ${range.to} ${range.pixels}`;
		this.#cancel((wanted) => wanted.rangeKey !== rangeKey || !indexes.includes(wanted.index), false);
		for (const index of indexes) {
			const key = `${index} ${rangeKey}`;
			const block = this.#kept.get(key);
			if (block)
				this.#use(key, block);
			else if (!this.#wanted.has(key))
				this.#wanted.set(key, { key, rangeKey, index, range, parameters });
			found.push(block ?? this.#stale(index));
		}
		this.#fetchSome();
		return found;
	}

	// Any block of these rows, the one used last.
	#stale(index) {
		let found = null;
		for (const block of this.#kept.values())
			if (block.index === index)
				found = block;
		return found;
	}

	#use(key, block) {
		this.#kept.delete(key);
		this.#kept.set(key, block);
		for (const old of this.#kept.keys()) {
			if (this.#kept.size <= BLOCKS_KEPT)
				break;
			this.#kept.delete(old);
		}
	}

	#fetchSome() {
		let underWay = [...this.#wanted.values()].filter((wanted) => wanted.abort).length;
		for (const wanted of this.#wanted.values()) {
			if (underWay >= FETCHES_MAX)
				break;
			if (wanted.abort)
				continue;
			if (wanted.rangeKey !== this.#rangeKey && !this.#pace.mayBegin())
				break;
			this.#rangeKey = wanted.rangeKey;
			underWay++;
			this.#fetch(wanted);
		}
	}

	async #fetch(wanted) {
		wanted.abort = new AbortController();
		const { index, range, parameters, key } = wanted;
		try {
			const window = await api.rows(
				{ ...parameters, early: 1, first: index * BLOCK_ROWS, count: BLOCK_ROWS, ...range }, wanted.abort.signal);
			if (this.#wanted.get(key) !== wanted)
				return;
			this.#use(key, { index, range, ...window, picture: null });
			this.#arrived(window);
		} catch (error) {
			if (error.name !== "AbortError")
				this.#failed(error);
		} finally {
			if (this.#wanted.get(key) === wanted)
				this.#wanted.delete(key);
			this.#fetchSome();
		}
	}
}

// The picture of a block, made when it is first needed.
export function pictureOf(block, rowHeight, look) {
	block.picture ??= paint(block, rowHeight, look);
	return block.picture;
}
