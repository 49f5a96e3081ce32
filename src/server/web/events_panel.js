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
		this.what = element("span", { className: "what" });
		this.build({ title: "Events" }, [form, this.what], this.list);
		this.#count().catch(failed);
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

	// How many there are, and how many of them between the markers.
	async #count() {
		const { viewport, total } = this, { selected: { from, to }, isMarked, duration } = viewport, key = isMarked ? `${from} ${to}` : "";
		if (key === this.counted)
			return;
		this.counted = key;
		const all = `${total.toLocaleString("en")} events`;
		if (!isMarked) {
			this.what.textContent = all;
			return;
		}
		const [first, last] = await Promise.all([from, to].map(async (at) => at >= duration ? total : (await this.#ask("events", { at })).first));
		if (key === this.counted)
			this.what.textContent = `${(last - first).toLocaleString("en")} of ${all} ${viewport.selectedSaid}`;
	}

	// The first event at or after marker A.
	async follow() {
		this.#count().catch(this.failed);
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
		const { selected: { from, to }, isMarked } = this.viewport;
		line.classList.toggle("selected", isMarked && event !== undefined && event.time >= from && event.time < to);
		const said = event ? { ...event, when: time.clock(this.viewport.start, event.time), cpu: event.cpu >= 0 ? event.cpu : "" } : { when: "…" };
		this.cells.forEach((name, i) => (line.children[i].textContent = said[name] ?? ""));
	}
}
