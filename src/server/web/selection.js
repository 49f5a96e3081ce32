// SPDX-License-Identifier: MIT
// selection.js - a row or an event that is selected in one view, selected in the others too: of a thread the CPU that it
// had at marker A, of a CPU or an event the thread that was there, of a segment its thread.

const WAIT_MS = 60; // a click sets the marker and the row

export class Selection {
	#source = null; // the view that was clicked at
	#wanted = null; // {tid} or {cpu}, and the host where there are several
	#at = null;
	#timer = 0;
	#turn = 0;

	constructor(viewport, charts, failed) {
		Object.assign(this, { viewport, charts, failed, isComplete: true });
		viewport.addEventListener("markers", () => this.#later());
	}

	// `info` is what the server said of the row, `at` the time that is meant where there is no marker A.
	of(source, info, at = null) {
		this.#at = at;
		const tid = info?.tid ?? info?.ofThread ?? -1, cpu = info?.onCpu ?? -1;
		this.#source = source;
		const host = info?.host ? { host: info.host } : {}; // numbers of several hosts say nothing alone
		this.#wanted = tid > 0 ? { tid, ...host } : cpu >= 0 ? { cpu, ...host } : null;
		this.#later();
	}

	#later() {
		clearTimeout(this.#timer);
		this.#turn++; // what is on its way is about what was selected before
		this.isComplete = this.#wanted === null || this.#time === null;
		if (!this.isComplete)
			this.#timer = setTimeout(() => this.#spread().catch(this.failed), WAIT_MS);
	}

	get #time() {
		return this.viewport.a ?? this.#at;
	}

	async #spread() {
		const turn = this.#turn, at = this.#time;
		for (const chart of this.charts()) {
			if (chart === this.#source || at === null)
				continue;
			await chart.seek({ ...this.#wanted, at }, true);
			if (turn !== this.#turn)
				return;
		}
		this.isComplete = true;
	}
}
