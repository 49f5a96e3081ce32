// SPDX-License-Identifier: MIT
// segment_table.js - the segments of the selected span as lines, in the order of any column.

import * as api from "./api.js";
import { element } from "./panel.js";
import * as time from "./time.js";
import { LINE_HEIGHT, VirtualLines } from "./virtual_lines.js";

const WAIT_MS = 150; // for a range that is being dragged
const TIME_COLUMNS = [{ name: "start", title: "Start" }, { name: "end", title: "End" }, { name: "duration", title: "Duration" }];

export class SegmentTable {
	#turn = 0;
	#timer = 0;

	constructor(panel) {
		this.panel = panel;
		this.head = element("div", { className: "line head", role: "row" });
		this.list = element("div", { className: "lines", tabIndex: 0, role: "table", ariaLabel: "segments" });
		this.root = element("div", { className: "segments" }, this.head, this.list);
		this.list.onkeydown = (event) => this.#key(event);
		this.lines = new VirtualLines(this.list, 0, {
			fetch: (first, count) => this.#fetch(first, count),
			make: () => element("div", { className: "line" }),
			fill: (line, row) => this.#fill(line, row),
			clicked: (number, row) => this.#choose(number, row),
			failed: (error) => panel.fail(error),
		});
	}

	get isComplete() {
		return this.isCounted && this.key === this.#wantedKey && (this.lines.total === 0 || this.lines.isComplete);
	}

	get columns() {
		return [...TIME_COLUMNS, ...this.panel.store.fields.map(({ name, type }) => ({ name, title: name, type }))];
	}

	// Segments that are going on at any time of the span, of those that pass the filter of the panel.
	get #parameters() {
		const { parameters, span: { from, to }, viewport: { start, duration } } = this.panel;
		const range = from > 0 || to < duration ? `start <= ${start + BigInt(to)} && end >= ${start + BigInt(from)}` : "";
		return { ...parameters, filter: [parameters.filter && range ? `(${parameters.filter})` : parameters.filter, range].filter(Boolean).join(" && ") };
	}

	get #wantedKey() {
		return JSON.stringify([this.#parameters, this.panel.order]);
	}

	draw() {
		clearTimeout(this.#timer);
		if (this.key !== this.#wantedKey)
			this.#timer = setTimeout(() => this.open(), WAIT_MS);
		this.lines.draw();
	}

	open() {
		const key = this.#wantedKey;
		if (key === this.key) {
			this.panel.say(this.said);
			this.draw();
			return;
		}
		this.key = key;
		this.head.replaceChildren(...this.columns.map((column) => this.#headOf(column)));
		this.isCounted = false;
		this.lines.reset(0);
		this.#count(++this.#turn).catch((error) => this.panel.fail(error));
	}

	async #count(turn) {
		const answer = await this.#ask({ count: 0 }), { total } = answer;
		if (turn !== this.#turn)
			return;
		this.panel.heard(answer);
		const all = this.panel.store.count, isWhole = this.#parameters.filter === this.panel.parameters.filter;
		this.said = (total === all ? `${all.toLocaleString("en")} segments` : `${total.toLocaleString("en")} of ${all.toLocaleString("en")} segments`) +
			(isWhole ? "" : ` ${this.panel.spanSaid}`);
		this.panel.say(this.said);
		this.lines.reset(total);
		this.isCounted = true;
		if (this.panel.viewport.a !== null)
			await this.follow(this.panel.viewport.a);
	}

	#ask(query) {
		return api.json("segments", { ...this.#parameters, ...this.panel.order, ...query });
	}

	async #fetch(first, count) {
		const turn = this.#turn, answer = await this.#ask({ first, count });
		if (turn === this.#turn) {
			this.panel.heard(answer);
			this.panel.say(this.said);
		}
		return answer.rows;
	}

	// The first segment that starts at marker A or later; other orders have no position for a time.
	async follow(at) {
		const { sort, descending } = this.panel.order;
		if (sort !== "start" || descending || !this.isCounted || this.lines.total === 0)
			return;
		const { first } = await this.#ask({ at, count: 0 });
		this.lines.show(Math.min(first, this.lines.total - 1));
	}

	#headOf({ name, title, type }) {
		const { sort, descending } = this.panel.order;
		const isSorted = sort === name;
		const head = element("button", { type: "button", className: classOf(name, type), role: "columnheader", textContent: title });
		head.setAttribute("aria-sort", !isSorted ? "none" : descending ? "descending" : "ascending");
		head.onclick = () => this.panel.set({ sort: name, descending: isSorted ? 1 - descending : name === "duration" ? 1 : 0 });
		return head;
	}

	#fill(line, row) {
		const { viewport } = this.panel, { columns } = this;
		if (line.of !== this.key) {
			line.replaceChildren(...columns.map(({ name, type }) => element("span", { className: classOf(name, type), role: "cell" })));
			line.of = this.key;
		}
		const cells = row ? [time.clock(viewport.start, row[0]), time.clock(viewport.start, row[0] + row[1]), time.duration(row[1]),
			...row.slice(2).map((value, i) => typeof value === "number" && isDuration(columns[TIME_COLUMNS.length + i].name) ? time.duration(value) : value)] : ["…"];
		columns.forEach((_, i) => (line.children[i].textContent = cells[i] ?? ""));
	}

	#choose(number, [start, duration, ...fields]) {
		const valueOf = (name) => fields[this.panel.store.fields.findIndex((field) => field.name === name)];
		this.lines.chosen = number;
		this.panel.select(start, duration);
		this.panel.chose?.({ tid: valueOf("tid") ?? -1, onCpu: valueOf("cpu") ?? -1, host: this.panel.experiment.hosts && valueOf("host") });
		this.draw();
	}

	// Up and down go from line to line, as far as lines are there.
	#key(event) {
		const page = this.lines.visible, { chosen, total } = this.lines;
		const to = { ArrowUp: chosen - 1, ArrowDown: chosen + 1, PageUp: chosen - page, PageDown: chosen + page, Home: 0, End: total - 1 }[event.key];
		if (to === undefined || total === 0)
			return;
		event.preventDefault();
		event.stopPropagation();
		const number = Math.min(Math.max(to, 0), total - 1), row = this.lines.at(number);
		const top = (number - this.lines.first) * LINE_HEIGHT;
		if (top < 0 || top + LINE_HEIGHT > this.list.clientHeight)
			this.lines.show(number);
		this.lines.chosen = number;
		if (row)
			this.#choose(number, row);
		this.draw();
	}
}

// Fields that are lengths of time, in nanoseconds: of spans their own time, and the time on a CPU.
const isDuration = (name) => name === "self" || name.endsWith("duration");

const classOf = (name, type) => TIME_COLUMNS.some((column) => column.name === name) ? name : type === "string" ? "string" : "number-cell";
