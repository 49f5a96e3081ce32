// SPDX-License-Identifier: MIT
// search.js - what the box at the top looks for in a chart: rows by name or number, which are counted and listed, or
// states by an expression.

import * as api from "./api.js";
import { element } from "./panel.js";
import * as time from "./time.js";

const LISTED_MAX = 100;

export class Search {
	hits = null; // of the latest search of rows: {count, number, row, hits}
	#stopped = null; // a search of states that was over before it had seen all: {key, at, position}

	// `elements`: the box, what is said of it, and the list; `chart()` is the one to search in.
	constructor({ box, said, list }, viewport, chart, failed) {
		Object.assign(this, { box, said, list, viewport, chart, failed });
		said.onclick = () => this.#toggleList();
	}

	get text() {
		return this.box.value.trim();
	}

	clear() {
		this.box.value = "";
		this.#say("");
	}

	// The next row or state that is meant, or the one before; rows by name or number, or states by an expression.
	async next(areRows, backwards) {
		const chart = this.chart();
		if (!chart || this.text === "")
			return;
		this.#say("", areRows && !this.list.hidden); // an expression that is wrong finds nothing, and is said elsewhere
		this.#say(areRows ? await this.#nextRow(chart, backwards) : await this.#nextState(chart, backwards), areRows && this.hits?.count > 1);
	}

	#say(text, isList = false) {
		this.said.textContent = text;
		this.said.title = isList ? "list them" : "";
		this.said.disabled = !isList;
		this.list.hidden ||= !isList;
	}

	async #nextRow(chart, backwards) {
		this.hits = await api.json("search", { ...chart.unfolded, text: this.text, after: chart.chosenRow, backwards: backwards ? 1 : 0, list: LISTED_MAX });
		const { count, row } = this.hits;
		if (count === 0)
			return "nothing found";
		await chart.seek({ row });
		if (!this.list.hidden)
			this.#fillList();
		return this.#numberSaid;
	}

	get #numberSaid() {
		return `${(this.hits.number + 1).toLocaleString("en")} of ${this.hits.count.toLocaleString("en")}`;
	}

	#toggleList() {
		this.list.hidden = !this.list.hidden;
		if (!this.list.hidden)
			this.#fillList();
	}

	#fillList() {
		const { hits, count, row } = this.hits;
		this.list.replaceChildren(...hits.map((hit, i) => {
			const line = element("button", { type: "button", onclick: () => this.#go(i) },
				element("span", { textContent: hit.name || "unknown" }), element("span", { className: "number", textContent: [hit.tid >= 0 ? hit.tid : "", hit.isHost ? "" : hit.host ?? ""].join(" ") }));
			line.setAttribute("aria-current", hit.row === row);
			return line;
		}), ...count > hits.length ? [element("p", { textContent: `and ${(count - hits.length).toLocaleString("en")} more` })] : []);
		this.list.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
	}

	#go(number) {
		Object.assign(this.hits, { number, row: this.hits.hits[number].row });
		this.#say(this.#numberSaid, true);
		this.#fillList();
		this.chart().seek({ row: this.hits.row }).catch(this.failed);
	}

	// The next state of any row, from marker A and the selected row on, or from where the same search stopped.
	async #nextState(chart, backwards) {
		const { viewport, text } = this;
		const from = { at: viewport.a ?? viewport.from, row: viewport.a === null ? -1 : chart.chosenRow };
		const key = JSON.stringify([chart.unfolded, text, from, backwards]);
		const { at, ...place } = this.#stopped?.key === key ? this.#stopped.place : from;
		const found = await api.json("search-state", { ...chart.unfolded, text, at, ...place, backwards: backwards ? 1 : 0 });
		this.#stopped = "at" in found ? { key, place: { at: found.at, position: found.position } } : null;
		if (!found.found)
			return "at" in found ? `nothing ${backwards ? "back" : "up"} to ${time.clock(viewport.start, found.at)}; again to go on` : "nothing found";
		viewport.reveal(found.start);
		await chart.seek({ row: found.row });
		viewport.mark("a", found.start);
		return "";
	}
}
