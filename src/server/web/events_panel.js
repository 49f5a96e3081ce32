// SPDX-License-Identifier: MIT
// events_panel.js - the events as a table.  Only lines in view exist; pages of lines are kept while they are near.

import * as api from "./api.js";
import { eachFrame } from "./viewport.js";
import * as time from "./time.js";

const LINE_HEIGHT = 18;
const PAGE_LINES = 128;
const PAGES_KEPT = 16;
const SCROLL_HEIGHT_MAX = 8e6; // px; browsers stop at about four times that

const element = (tag, attributes = {}, ...children) => {
	const made = Object.assign(document.createElement(tag), attributes);
	made.append(...children);
	return made;
};

export class EventsPanel {
	chosen = -1; // number of the selected event
	#pages = new Map(); // number of a page: its lines, or null while they are on their way
	#lines = [];

	constructor(viewport, experiment, failed) {
		Object.assign(this, { viewport, experiment, failed, name: "events", total: experiment.events });
		const draw = eachFrame(() => this.#draw());
		this.draw = () => {
			this.isComplete = false; // until it is known what is missing
			draw();
		};
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
		this.space = element("div", { className: "space" });
		this.list = element("div", { className: "lines", tabIndex: 0, role: "table", onscroll: this.draw }, this.space);
		this.root = element("section", { className: "chart panel", ariaLabel: "Events" },
			element("div", { className: "bar" }, element("strong", { textContent: "Events" }), form,
				element("span", { textContent: `${this.total.toLocaleString("en")} events` })),
			this.list);
		this.root.dataset.view = this.name;
		this.space.style.height = `${this.#height}px`;
		new ResizeObserver(this.draw).observe(this.list);
	}

	// Of all lines together, as the scroll bar has it; it stands for more where there are too many.
	get #height() {
		return Math.min(this.total * LINE_HEIGHT, SCROLL_HEIGHT_MAX);
	}

	get #visible() {
		return Math.max(Math.floor(this.list.clientHeight / LINE_HEIGHT), 1);
	}

	get first() {
		const most = Math.max(this.#height - this.list.clientHeight, 1);
		return Math.round(Math.min(this.list.scrollTop / most, 1) * Math.max(this.total - this.#visible, 0));
	}

	show(number) {
		const most = Math.max(this.total - this.#visible, 1);
		const first = Math.min(Math.max(number - Math.floor(this.#visible / 2), 0), most);
		this.list.scrollTop = first / most * Math.max(this.#height - this.list.clientHeight, 0);
		this.chosen = number;
		this.draw();
	}

	// The first event at or after marker A.
	async follow() {
		const at = this.viewport.a;
		if (at === null || at === this.followed)
			return;
		this.followed = at;
		const { first } = await api.json("events", { experiment: this.experiment.uuid, at });
		if (this.viewport.a === at)
			this.show(Math.min(first, this.total - 1));
	}

	async find(backwards) {
		const text = this.search.value;
		if (text === "")
			return;
		const after = this.chosen < 0 && backwards ? this.total : this.chosen;
		const { number } = await api.json("event-search", { experiment: this.experiment.uuid, text, after, backwards: backwards ? 1 : 0 });
		this.result.textContent = number < 0 ? "nothing found" : "";
		if (number < 0)
			return;
		const { lines } = await api.json("events", { experiment: this.experiment.uuid, first: number, count: 1 });
		this.#choose(number, lines[0]);
		this.show(number);
	}

	#choose(number, line) {
		this.chosen = number;
		this.followed = line.time;
		this.chose?.(line);
		this.viewport.mark("a", line.time);
		this.viewport.reveal(line.time);
		this.draw();
	}

	async #fetch(page) {
		this.#pages.set(page, null);
		for (const far of [...this.#pages.keys()].filter((one) => Math.abs(one - page) > PAGES_KEPT / 2))
			this.#pages.delete(far);
		try {
			const { lines } = await api.json("events", { experiment: this.experiment.uuid, first: page * PAGE_LINES, count: PAGE_LINES });
			this.#pages.set(page, lines);
			this.draw();
		} catch (error) {
			this.#pages.set(page, []); // not asked for again with each frame
			this.failed(error);
		}
	}

	#lineAt(index) {
		while (this.#lines.length <= index) {
			const line = element("div", { className: "line" }, ...["when", "cpu", "type", "text"].map((className) => element("span", { className })));
			line.setAttribute("role", "row");
			line.onclick = () => line.event && this.#choose(line.number, line.event);
			this.#lines.push(line);
			this.list.append(line);
		}
		return this.#lines[index];
	}

	#draw() {
		const first = this.first, behind = Math.min(first + this.#visible + 1, this.total);
		this.isComplete = behind > first;
		for (let number = first; number < behind; number++) {
			const page = Math.floor(number / PAGE_LINES);
			if (!this.#pages.has(page))
				this.#fetch(page);
			const event = this.#pages.get(page)?.[number % PAGE_LINES];
			const line = this.#lineAt(number - first);
			Object.assign(line, { number, event, hidden: false });
			line.style.top = `${this.list.scrollTop + (number - first) * LINE_HEIGHT}px`;
			line.classList.toggle("chosen", number === this.chosen);
			const cells = event ? [time.clock(this.viewport.start, event.time), event.cpu >= 0 ? event.cpu : "", event.type, event.text] : ["…", "", "", ""];
			cells.forEach((cell, i) => (line.children[i].textContent = cell));
			this.isComplete &&= event !== undefined;
		}
		this.#lines.slice(behind - first).forEach((line) => (line.hidden = true));
	}
}
