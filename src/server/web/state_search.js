// SPDX-License-Identifier: MIT
// state_search.js - the next state that an expression finds.  Where a search was over before it had seen all, the next
// one of the same kind goes on from there.

import * as api from "./api.js";

export class StateSearch {
	#stopped = null; // {key, at, position}

	// What the server says: {found, ...}, with `at` where it came to if it found nothing so far.
	async next(parameters, text, from, backwards) {
		const key = JSON.stringify([parameters, text, from, backwards]);
		const { at, position } = this.#stopped?.key === key ? this.#stopped : from;
		const found = await api.json("search-state", { ...parameters, text, at, position, backwards: backwards ? 1 : 0 });
		this.#stopped = "at" in found ? { key, at: found.at, position: found.position } : null;
		return found;
	}
}
