// SPDX-License-Identifier: MIT
// hover.js - what is under the pointer: at once what the picture knows, then what the server does.

import * as time from "./time.js";

const ASK_AFTER_MS = 60;

export class Hover {
	#timer = 0;
	#turn = 0;

	constructor(tip, line, viewport) {
		Object.assign(this, { tip, line, viewport });
	}

	leave() {
		clearTimeout(this.#timer);
		this.#turn++;
		this.tip.hidden = true;
	}

	move(chart, event) {
		const at = chart.timeAt(event.clientX);
		const run = chart.runAt(event.clientX, event.clientY);
		const info = run && chart.infoAt(run.position);
		this.line.textContent = `${time.clock(this.viewport.start, at)}   +${time.duration(at, 1)}`;
		clearTimeout(this.#timer);
		const turn = ++this.#turn;
		if (!info) {
			this.tip.hidden = true;
			return;
		}
		this.#show(event, info, { style: run.style }, run.more);
		this.#timer = setTimeout(async () => {
			const state = await chart.state(info.row, Math.max(0, at)).catch(() => null);
			if (state && turn === this.#turn)
				this.#show(event, info, state, run.more);
		}, ASK_AFTER_MS);
	}

	#show(event, info, state, more) {
		const rows = [];
		if (state.start !== undefined) {
			rows.push(["from", time.clock(this.viewport.start, state.start)], ["to", time.clock(this.viewport.start, state.end + 1)]);
			rows.push(["for", time.duration(state.end + 1 - state.start)]);
			for (const [name, value] of Object.entries(state.others ?? {}))
				rows.push([name.replaceAll("_", " "), value]);
		}
		for (const name of ["tid", "pid", "ppid"])
			if (info[name] >= 0)
				rows.push([name, info[name]]);
		if (more)
			rows.push(["", "and other states in this pixel"]);
		const title = document.createElement("b");
		const swatch = document.createElement("i");
		swatch.style.background = state.style ? (this.viewport.dark ? state.style.dark : state.style.light) : "transparent";
		const detail = state.text && state.text !== state.style?.name ? `: ${state.text}` : "";
		title.append(swatch, `${info.name || "unknown"} — ${state.style?.name ?? "nothing"}${detail}`);
		const table = document.createElement("table");
		for (const [name, value] of rows) {
			const row = table.insertRow();
			row.append(Object.assign(document.createElement("th"), { textContent: name }));
			row.insertCell().textContent = value;
		}
		this.tip.replaceChildren(title, table);
		this.tip.hidden = false;
		const { offsetWidth: width, offsetHeight: height } = this.tip;
		this.tip.style.left = `${Math.min(event.clientX + 14, innerWidth - width - 8)}px`;
		this.tip.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
	}
}
