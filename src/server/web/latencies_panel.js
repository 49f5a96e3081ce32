// SPDX-License-Identifier: MIT
// latencies_panel.js - how long things lasted: which analysis, which filter, and one of four ways to look at it.

import * as api from "./api.js";
import { element, Panel } from "./panel.js";
import { SegmentDensity } from "./segment_density.js";
import { SegmentScatter } from "./segment_scatter.js";
import { SegmentStats } from "./segment_stats.js";
import { SegmentTable } from "./segment_table.js";

const WAYS = [
	{ name: "table", title: "Table", make: SegmentTable },
	{ name: "scatter", title: "Over time", make: SegmentScatter },
	{ name: "density", title: "Density", make: SegmentDensity },
	{ name: "stats", title: "By name", make: SegmentStats },
];
const AROUND = 0.1; // of a segment, that is seen on both sides of one that is too long for the visible range

export class LatenciesPanel extends Panel {
	// What the address says: analysis, show, filter, sort, descending.
	settings = { show: "table", filter: "", sort: "start", descending: 0 };
	isDamaged = false; // the latest answer lacks what a damaged node held
	store = null; // the one that is chosen, as the server tells of it
	#stores = [];
	#ways = new Map(); // name: what was made of it

	constructor(viewport, experiment, failed, settings = {}) {
		super("latencies", viewport, experiment, failed);
		Object.assign(this.settings, settings);
		this.choice = element("select", { ariaLabel: "which latencies", title: "which latencies" });
		this.choice.onchange = () => this.set({ analysis: this.choice.value, filter: "", sort: "start", descending: 0 });
		this.tabs = element("span", { className: "tabs", role: "tablist" }, ...WAYS.map(({ name, title }) => {
			const tab = element("button", { type: "button", textContent: title, role: "tab" });
			tab.dataset.show = name;
			tab.onclick = () => this.set({ show: name });
			return tab;
		}));
		this.filter = element("input", {
			type: "search", className: "filter", ariaLabel: "filter", value: this.settings.filter,
			placeholder: 'Filter   duration > 1ms && name == "futex"',
		});
		const form = element("form", {}, this.filter);
		form.onsubmit = (event) => {
			event.preventDefault();
			this.set({ filter: this.filter.value.trim() });
		};
		this.filter.addEventListener("search", () => this.set({ filter: this.filter.value.trim() })); // its cross was pressed
		this.filter.oninput = () => this.say("");
		this.said = element("span", { className: "said", role: "status" });
		this.csv = element("a", { textContent: "CSV", title: "save all segments that pass the filter", download: "" });
		this.body = element("div", { className: "way" });
		this.build({ title: "Latencies" },
			[this.choice, this.tabs, form, this.said, element("span", { className: "spring" }), this.csv], this.body);
		this.#load().catch(failed);
	}

	// The way that is shown.
	get way() {
		return this.#ways.get(this.settings.show);
	}

	get isComplete() {
		return this.store !== null && this.way.isComplete;
	}

	// What every question begins with.
	get parameters() {
		return { experiment: this.experiment.uuid, analysis: this.store.analysis, filter: this.settings.filter };
	}

	get order() {
		return { sort: this.settings.sort, descending: this.settings.descending };
	}

	say(text, isBad = false) {
		this.said.textContent = this.isDamaged ? `${text}; some are missing, a part of the store is damaged` : text;
		this.said.classList.toggle("bad", isBad || this.isDamaged);
	}

	// An answer of the server about segments.
	heard({ isDamaged = false }) {
		this.isDamaged = isDamaged;
	}

	// A filter that cannot be read is said where it stands; all else is for the page.
	fail(error) {
		if (this.settings.filter === "")
			this.failed(error);
		else
			this.say(error.message, true);
	}

	set(changed) {
		const before = this.settings;
		this.settings = { ...before, ...changed };
		this.filter.value = this.settings.filter;
		this.dispatchEvent(new Event("settings"));
		this.#open();
	}

	// What is shown is of the span that is selected, unless that is a segment which was selected here: what it was chosen from
	// stays as it is.
	get span() {
		const { viewport } = this, { a, b, from, to, selected } = viewport;
		return viewport.isMarked && a === this.own?.a && b === this.own?.b ? this.own.span ?? { from, to } : selected;
	}

	get spanSaid() {
		const { viewport: { selectedSaid, isMarked, from, to }, span } = this;
		return isMarked && span.from === from && span.to === to ? "in the visible range" : selectedSaid;
	}

	// The segment of a row or a point, marked in all views, some of it in view.
	select(start, duration) {
		const { viewport, spanSaid, span } = this;
		this.followed = start;
		this.own = { a: start, b: Math.min(start + duration, viewport.duration), span: spanSaid === "in the visible range" ? null : span };
		viewport.mark("a", start);
		viewport.mark("b", start + duration);
		if (start <= viewport.to && start + duration >= viewport.from)
			return;
		if (duration > viewport.span)
			viewport.show(start - AROUND * duration, start + (1 + AROUND) * duration);
		else
			viewport.show(start + duration / 2 - viewport.span / 2, start + duration / 2 + viewport.span / 2);
	}

	async follow() {
		const at = this.viewport.a;
		if (!this.store || at === null || at === this.followed)
			return;
		this.followed = at;
		await this.way.follow?.(at);
	}

	draw() {
		if (this.store)
			this.way.draw();
	}

	async #load() {
		this.say("loading…");
		this.#stores = await api.json("segment-stores", { experiment: this.experiment.uuid });
		this.choice.replaceChildren(...this.#stores.map(({ analysis, count }) =>
			new Option(`${analysis.replaceAll("-", " ")} (${count.toLocaleString("en")})`, analysis)));
		this.#open();
	}

	#open() {
		const { analysis, show, filter } = this.settings;
		this.store = this.#stores.find((one) => one.analysis === analysis) ?? this.#stores[0] ?? null;
		if (!this.store)
			return;
		const way = WAYS.find(({ name }) => name === show) ?? WAYS[0];
		this.settings.show = way.name;
		this.settings.analysis = this.choice.value = this.store.analysis;
		if (!this.#ways.has(way.name))
			this.#ways.set(way.name, new way.make(this));
		for (const tab of this.tabs.children)
			tab.setAttribute("aria-selected", tab.dataset.show === way.name);
		this.csv.href = `api/v1/segments-csv?${new URLSearchParams({ ...this.parameters, ...this.order })}`;
		this.csv.download = `${this.experiment.name}-${this.store.analysis}.csv`;
		this.say(filter === "" ? "" : "…");
		this.body.replaceChildren(this.way.root);
		this.way.open();
	}
}
