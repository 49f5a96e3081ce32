// SPDX-License-Identifier: MIT
// types_panel.js - events by type: between the markers where both are set, else in the visible range.

import * as api from "./api.js";
import { element, Panel } from "./panel.js";
import { eachFrame } from "./viewport.js";

const WAIT_MS = 150; // for a range that is being dragged

const cell = (tag, textContent) => element(tag, { textContent });

export class TypesPanel extends Panel {
	#key = "";
	#timer = 0;
	#shown = ""; // the key of what is shown

	constructor(viewport, experiment, failed) {
		super("types", viewport, experiment, failed);
		this.draw = eachFrame(() => this.#draw());
		this.body = element("tbody");
		this.what = element("span");
		const head = element("tr", {}, ...["Type", "Events", "Share", "In all"].map((name) => cell("th", name)));
		this.build({ title: "Events by type" }, [this.what], element("div", { className: "lines" }, element("table", {}, head, this.body)));
	}

	#range() {
		const { selected: range, selectedSaid: said } = this.viewport;
		return { key: `${range.from} ${range.to} ${said}`, range, said };
	}

	get isComplete() {
		return this.#range().key === this.#shown;
	}

	#draw() {
		const { key, range, said } = this.#range();
		if (key === this.#key)
			return;
		this.#key = key;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#fetch(key, range, said).catch(this.failed), WAIT_MS);
	}

	async #fetch(key, range, said) {
		const types = await api.json("event-types", { experiment: this.experiment.uuid, ...range });
		if (key !== this.#key)
			return;
		const sum = types.reduce((all, one) => all + one.count, 0);
		this.what.textContent = `${sum.toLocaleString("en")} events ${said}`;
		this.body.replaceChildren(...types.filter((one) => one.count > 0).map(({ name, count, total }) =>
			element("tr", {}, ...[name, count.toLocaleString("en"), `${(100 * count / sum).toFixed(2)} %`, total.toLocaleString("en")]
				.map((text) => cell("td", text)))));
		this.#shown = key;
	}
}
