// SPDX-License-Identifier: MIT
// hover.js - what is under the pointer: at once what the picture knows, then what the server does.

import { factsOf, isFoldedGroup } from "./row_names.js";
import * as time from "./time.js";

const ASK_AFTER_MS = 60;

const noteElement = (textContent) => Object.assign(document.createElement("div"), { className: "note", textContent });

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
		const span = chart.spanAt(event.clientX, event.clientY);
		const info = span && chart.infoAt(span.position);
		this.line.textContent = `${time.clock(this.viewport.start, at)}   +${time.duration(at, 1)}`;
		clearTimeout(this.#timer);
		const turn = ++this.#turn;
		const notes = this.#notesAt(chart, event);
		if (!info) {
			this.#showNotes(event, notes);
			return;
		}
		this.#show(event, info, { style: span.style, open: span.isOpen }, span.more, notes);
		if (isFoldedGroup(info))
			return; // it has no states of its own
		this.#timer = setTimeout(async () => {
			const state = await chart.state(info.row, Math.max(0, at)).catch(() => null);
			if (state && turn === this.#turn)
				this.#show(event, info, state, span.more, notes);
		}, ASK_AFTER_MS);
	}

	// What is said of what lies over the states: arrows, and what the charts have in common.
	#notesAt(chart, event) {
		const box = chart.canvas.getBoundingClientRect();
		const [x, y] = [event.clientX - box.left, event.clientY - box.top];
		const arrow = chart.arrows.textAt(x, y);
		return [...(arrow ? [arrow] : []), ...this.viewport.overlays.flatMap((overlay) => overlay.textsAt(x, box.width))];
	}

	#showNotes(event, notes) {
		if (notes.length === 0)
			this.tip.hidden = true;
		else
			this.#showTip(event, ...notes.map(noteElement));
	}

	#showTip(event, ...content) {
		this.tip.replaceChildren(...content);
		this.tip.hidden = false;
		const { offsetWidth: width, offsetHeight: height } = this.tip;
		this.tip.style.left = `${Math.min(event.clientX + 14, innerWidth - width - 8)}px`;
		this.tip.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
	}

	#show(event, info, state, more, notes) {
		const rows = [], isGroup = isFoldedGroup(info);
		if (isGroup)
			rows.push(["threads", info.below + 1], ["ran here", info.ran], ["only waited for a CPU", info.waited], ["shown", "what the busiest of them did"]);
		if (info.estimatedFrom > 0)
			rows.push(["", `an estimate from ${info.estimatedFrom.toLocaleString("en")} of them, as they have too many states`]);
		if (state.start !== undefined) {
			rows.push(["from", time.clock(this.viewport.start, state.start)], ["to", time.clock(this.viewport.start, state.end + 1)]);
			rows.push([state.open ? "for at least" : "for", time.duration(state.end + 1 - state.start)]);
		}
		rows.push(...factsOf(info, state, isGroup ? ["pid"] : ["tid", "pid", "ppid"]));
		if (state.open)
			rows.push(["", "open at the end of the trace"]);
		if (more)
			rows.push(["", "and other states in this pixel"]);
		const title = document.createElement("b");
		const swatch = document.createElement("i");
		swatch.style.background = state.style ? (this.viewport.dark ? state.style.dark : state.style.light) : "transparent";
		const isPalette = /^colour \d+$/.test(state.style?.name ?? ""); // which says nothing
		const said = [isPalette ? "" : state.style?.name ?? "nothing", state.text === state.style?.name ? "" : state.text];
		const about = info.isHost ? info.why ?? "a host" : said.filter(Boolean).join(": ");
		title.append(swatch, `${(isGroup ? info.groupName : info.name) || info.track || "unknown"} — ${about}`);
		const table = document.createElement("table");
		for (const [name, value] of rows) {
			const row = table.insertRow();
			row.append(Object.assign(document.createElement("th"), { textContent: name }));
			row.insertCell().textContent = value;
		}
		this.#showTip(event, title, table, ...notes.map(noteElement));
	}
}
