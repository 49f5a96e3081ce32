// SPDX-License-Identifier: MIT
// events_panel.js - the events as a table.

import * as api from "./api.js";
import { element, Panel } from "./panel.js";
import * as time from "./time.js";
import { VirtualLines } from "./virtual_lines.js";

const CELLS = ["when", "host", "cpu", "type", "text"];

export class EventsPanel extends Panel {
	constructor(viewport, experiment, failed) {
		super("events", viewport, experiment, failed);
		this.total = experiment.events;
		this.cells = CELLS.filter((name) => name !== "host" || experiment.hosts);
		this.search = element("input", { type: "search", placeholder: "Type or contents, a regular expression", ariaLabel: "search events" });
		this.result = element("span");
		const previous = element("button", { type: "button", textContent: "↑", title: "previous" });
		const next = element("button", { type: "submit", textContent: "↓", title: "next" });
		const form = element("form", {}, this.search, previous, next, this.result);
		form.onsubmit = (event) => {
			event.preventDefault();
			this.find(false).catch(failed);
		};
		previous.onclick = () => this.find(true).catch(failed);
		this.list = element("div", { className: "lines", tabIndex: 0, role: "table" });
		this.build({ title: "Events" }, [form, element("span", { textContent: `${this.total.toLocaleString("en")} events` })], this.list);
		this.lines = new VirtualLines(this.list, this.total, {
			fetch: async (first, count) => (await this.#ask("events", { first, count })).lines,
			make: () => element("div", { className: "line" }, ...this.cells.map((className) => element("span", { className }))),
			fill: (line, event) => this.#fill(line, event),
			clicked: (number, event) => this.#choose(number, event),
			failed,
		});
		this.draw = this.lines.draw;
	}

	get isComplete() {
		return this.lines.isComplete;
	}

	get chosen() {
		return this.lines.chosen;
	}

	#ask(path, query) {
		return api.json(path, { experiment: this.experiment.uuid, ...query });
	}

	// The first event at or after marker A.
	async follow() {
		const at = this.viewport.a;
		if (at === null || at === this.followed)
			return;
		this.followed = at;
		const { first } = await this.#ask("events", { at });
		if (this.viewport.a === at)
			this.lines.show(Math.min(first, this.total - 1));
	}

	async find(backwards) {
		const text = this.search.value;
		if (text === "")
			return;
		const after = this.chosen < 0 && backwards ? this.total : this.chosen;
		const { number } = await this.#ask("event-search", { text, after, backwards: backwards ? 1 : 0 });
		this.result.textContent = number < 0 ? "nothing found" : "";
		if (number < 0)
			return;
		const { lines } = await this.#ask("events", { first: number, count: 1 });
		this.#choose(number, lines[0]);
		this.lines.show(number);
	}

	#choose(number, event) {
		this.lines.chosen = number;
		this.followed = event.time;
		this.chose?.({ onCpu: event.cpu, host: event.host });
		this.viewport.mark("a", event.time);
		this.viewport.reveal(event.time);
		this.draw();
	}

	#fill(line, event) {
		const said = event ? { ...event, when: time.clock(this.viewport.start, event.time), cpu: event.cpu >= 0 ? event.cpu : "" } : { when: "…" };
		this.cells.forEach((name, i) => (line.children[i].textContent = said[name] ?? ""));
	}
}
