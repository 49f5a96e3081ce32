// SPDX-License-Identifier: MIT
// types_panel.js - events by type: between the markers where both are set, else in the visible range.

import * as api from "./api.js";
import { eachFrame } from "./viewport.js";

const WAIT_MS = 150; // for a range that is being dragged

const cell = (tag, textContent) => Object.assign(document.createElement(tag), { textContent });

export class TypesPanel {
	#key = "";
	#timer = 0;
	#shown = ""; // the key of what is shown

	constructor(viewport, experiment, failed) {
		Object.assign(this, { viewport, experiment, failed, name: "types" });
		this.draw = eachFrame(() => this.#draw());
		this.body = document.createElement("tbody");
		this.what = document.createElement("span");
		const head = document.createElement("tr");
		head.append(...["Type", "Events", "Share", "In all"].map((name) => cell("th", name)));
		const table = document.createElement("table");
		table.append(head, this.body);
		const bar = Object.assign(document.createElement("div"), { className: "bar" });
		bar.append(cell("strong", "Events by type"), this.what);
		const scrolled = Object.assign(document.createElement("div"), { className: "lines" });
		scrolled.append(table);
		this.root = Object.assign(document.createElement("section"), { className: "chart panel", ariaLabel: "Events by type" });
		this.root.append(bar, scrolled);
		this.root.dataset.view = this.name;
	}

	// Markers are followed by what is drawn.
	async follow() {
		this.draw();
	}

	#range() {
		const { a, b, from, to } = this.viewport;
		const isMarked = a !== null && b !== null;
		const [first, last] = (isMarked ? [a, b] : [from, to]).map(Math.round).sort((one, other) => one - other);
		return { key: `${first} ${last} ${isMarked}`, range: { from: first, to: last }, isMarked };
	}

	get isComplete() {
		return this.#range().key === this.#shown;
	}

	#draw() {
		const { key, range, isMarked } = this.#range();
		if (key === this.#key)
			return;
		this.#key = key;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#fetch(key, range, isMarked).catch(this.failed), WAIT_MS);
	}

	async #fetch(key, range, isMarked) {
		const types = await api.json("event-types", { experiment: this.experiment.uuid, ...range });
		if (key !== this.#key)
			return;
		const sum = types.reduce((all, one) => all + one.count, 0);
		this.what.textContent = `${sum.toLocaleString("en")} events ${isMarked ? "between the markers" : "in the visible range"}`;
		this.body.replaceChildren(...types.filter((one) => one.count > 0).map(({ name, count, total }) => {
			const row = document.createElement("tr");
			row.append(cell("td", name), cell("td", count.toLocaleString("en")), cell("td", `${(100 * count / sum).toFixed(2)} %`),
				cell("td", total.toLocaleString("en")));
			return row;
		}));
		this.#shown = key;
	}
}
