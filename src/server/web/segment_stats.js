// SPDX-License-Identifier: MIT
// segment_stats.js - how long the segments of the visible range last, name by name.

import { quoted } from "./api.js";
import { element, sortHead } from "./panel.js";
import { RangedAnswer } from "./ranged_answer.js";
import * as time from "./time.js";
import { eachFrame } from "./viewport.js";

const ROWS_SHOWN = 1000;
const COLUMNS = [["name", "Name"], ["count", "Count"], ["min", "Minimum"], ["mean", "Mean"], ["max", "Maximum"], ["deviation", "Deviation"],
	["total", "Total"], ["p50", "p50"], ["p90", "p90"], ["p99", "p99"], ["p999", "p99.9"]];

export class SegmentStats {
	sort = "total";
	descending = true;

	constructor(panel) {
		this.panel = panel;
		this.draw = eachFrame(() => this.#ask(), () => (this.isAsked = false));
		this.head = element("tr");
		this.body = element("tbody");
		this.root = element("div", { className: "lines" },
			element("table", { className: "statistics" }, element("thead", {}, this.head), this.body));
		this.data = new RangedAnswer("segment-stats", () => this.#show(), (error) => panel.fail(error));
	}

	get isComplete() {
		return this.data.isLatest && this.isAsked;
	}

	open() {
		this.draw();
		if (this.data.isLatest)
			this.#show();
	}

	#ask() {
		const { span, store, parameters } = this.panel;
		if (!store)
			return;
		this.data.ask(parameters, span);
		this.isAsked = true;
	}

	#sortBy(key) {
		this.descending = this.sort === key ? !this.descending : key !== "name";
		this.sort = key;
		this.#show();
	}

	#headOf([key, title]) {
		return sortHead(title, "", key === this.sort ? this.descending : undefined, () => this.#sortBy(key));
	}

	#rowOf(group, isAll) {
		const texts = COLUMNS.map(([key]) => key === "name" ? (isAll ? "all" : group.name ?? "(unknown)")
			: key === "count" ? group.count.toLocaleString("en") : time.duration(group[key]));
		const row = element("tr", { className: isAll ? "all" : "" }, ...texts.map((textContent) => element("td", { textContent })));
		if (isAll || group.name === null || !this.panel.store.name)
			return row;
		const only = element("button", { type: "button", textContent: texts[0], title: "only these, in the table" });
		only.onclick = () => this.panel.set({ filter: `${this.panel.store.name} == ${quoted(group.name)}`, show: "table" });
		row.firstChild.replaceChildren(only);
		return row;
	}

	#show() {
		this.panel.heard(this.data.answer);
		const { all, names } = this.data.answer;
		const compare = (one, other) => this.sort === "name" ? (one.name ?? "").localeCompare(other.name ?? "") : one[this.sort] - other[this.sort];
		const sorted = [...names].sort((one, other) => this.descending ? compare(other, one) : compare(one, other));
		this.head.replaceChildren(...COLUMNS.map((column) => this.#headOf(column)));
		this.body.replaceChildren(...all && all.count > 0 ? [this.#rowOf(all, true)] : [],
			...sorted.slice(0, ROWS_SHOWN).map((group) => this.#rowOf(group, false)));
		this.panel.say(`${(all?.count ?? 0).toLocaleString("en")} segments of ${names.length.toLocaleString("en")} names ${this.panel.spanSaid}` +
			(names.length > ROWS_SHOWN ? `, the first ${ROWS_SHOWN.toLocaleString("en")} are shown` : ""));
	}
}
