// SPDX-License-Identifier: MIT
// ranged_answer.js - an answer about the visible range, asked for again when that has changed; the latest range wins.

import * as api from "./api.js";

const WAIT_MS = 120; // for a range that is being dragged

export class RangedAnswer {
	answer = null;
	range = null; // that the answer is about
	isLatest = false;
	#key = "";
	#timer = 0;
	#abort = null;

	constructor(path, came, failed) {
		Object.assign(this, { path, came, failed });
	}

	ask(parameters, range, details = {}) {
		const key = JSON.stringify([parameters, range, details]);
		if (key === this.#key)
			return;
		const isFirst = this.#key === "";
		this.#key = key;
		this.isLatest = false;
		this.#abort?.abort();
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#fetch({ ...parameters, ...range, ...details }, range), isFirst ? 0 : WAIT_MS);
	}

	async #fetch(query, range) {
		this.#abort = new AbortController();
		const { signal } = this.#abort;
		try {
			const answer = await api.json(this.path, query, signal);
			if (signal.aborted)
				return;
			Object.assign(this, { answer, range, isLatest: true });
			this.came();
		} catch (error) {
			if (error.name !== "AbortError")
				this.failed(error);
		}
	}
}
