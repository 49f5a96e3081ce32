// SPDX-License-Identifier: MIT
// search.js - what the box at the top looks for in a chart: rows by name or number, or states by an expression; hits are
// counted and listed.

import * as api from "./api.js";
import { element } from "./panel.js";
import * as time from "./time.js";

const LISTED_MAX = 100;

export class Search {
	hits = null; // of the latest search: {count, number, row, hits}, of states also whether that are all
	#turn = 0; // of what is counted
	#latest = Promise.resolve(); // search: the next one goes on from where it leads
	#stopped = null; // a search of states that was over before it had seen all: {key, at, position}

	// `elements`: the box, what is said of it, and the list; `chart()` is the one to search in.
	// `found(states)` is told of the states that are listed.
	constructor({ box, said, list }, viewport, chart, found, failed) {
		Object.assign(this, { box, said, list, viewport, chart, found, failed });
		said.onclick = () => this.#toggleList();
	}

	get text() {
		return this.box.value.trim();
	}

	clear() {
		this.#turn++;
		this.box.value = "";
		this.found([]);
		this.#say("");
	}

	// The next row or state that is meant, or the one before; rows by name or number, or states by an expression.
	next(areRows, backwards) {
		return (this.#latest = this.#latest.catch(() => {}).then(() => this.#next(areRows, backwards)));
	}

	async #next(areRows, backwards) {
		const chart = this.chart();
		if (!chart || this.text === "")
			return;
		this.#turn++;
		this.#say("", !this.list.hidden); // an expression that is wrong finds nothing, and is said elsewhere
		if (areRows)
			this.found([]);
		const said = areRows ? await this.#nextRow(chart, backwards) : await this.#nextState(chart, backwards);
		this.#say(said, areRows ? this.hits.count > 1 : said === "" && !this.list.hidden);
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
		await this.#show(chart, row);
		if (!this.list.hidden)
			this.#fillList();
		return this.#numberSaid;
	}

	get #numberSaid() {
		const { number, count, all = true } = this.hits;
		return `${(number + 1).toLocaleString("en")} of ${all ? "" : "at least "}${count.toLocaleString("en")}`;
	}

	#toggleList() {
		this.list.hidden = !this.list.hidden;
		if (!this.list.hidden)
			this.#fillList();
	}

	#fillList() {
		const { hits, count, number } = this.hits;
		this.list.replaceChildren(...hits.map((hit, i) => {
			const { start, duration } = this.viewport, isState = hit.start !== undefined;
			const others = isState ? [time.clock(start, hit.start), hit.end < duration ? time.duration(hit.end + 1 - hit.start) : ""]
				: [hit.tid >= 0 ? hit.tid : "", hit.isHost ? "" : hit.host ?? ""];
			const line = element("button", { type: "button", onclick: () => this.#go(i).catch(this.failed) },
				element("span", { textContent: [hit.name || hit.track || "unknown", isState && hit.tid >= 0 ? hit.tid : ""].join(" ") }),
				element("span", { className: "number", textContent: others.join(" ") }));
			line.setAttribute("aria-current", i === number);
			return line;
		}), ...count > hits.length ? [element("p", { textContent: `and ${(count - hits.length).toLocaleString("en")} more` })] : []);
		this.list.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
	}

	async #go(number) {
		const { row, start } = this.hits.hits[number];
		Object.assign(this.hits, { number, row });
		this.#say(this.#numberSaid, true);
		this.#fillList();
		await this.#show(this.chart(), row, start);
	}

	// A row, or a state that begins there.
	async #show(chart, row, start) {
		if (start === undefined)
			return chart.seek({ row });
		this.viewport.reveal(start);
		await chart.seek({ row });
		this.viewport.mark("a", start);
	}

	// The next state of any row, from marker A and the selected row on, or from where the same search stopped.
	async #nextState(chart, backwards) {
		const { viewport, text } = this;
		const from = { at: viewport.a ?? viewport.from, row: viewport.a === null ? -1 : chart.chosenRow };
		const key = JSON.stringify([chart.unfolded, text, from, backwards]);
		const { at, ...place } = this.#stopped?.key === key ? this.#stopped.place : from;
		const found = await api.json("search-state", { ...chart.unfolded, text, at, ...place, backwards: backwards ? 1 : 0 });
		this.#stopped = "at" in found ? { key, place: { at: found.at, position: found.position } } : null;
		if (!found.found) {
			this.found([]);
			return "at" in found ? `nothing ${backwards ? "back" : "up"} to ${time.clock(viewport.start, found.at)}; again to go on` : "nothing found";
		}
		await this.#show(chart, found.row, found.start);
		this.#count(chart, { at: found.start, row: found.row }).catch(this.failed);
		return "";
	}

	// The first state of a span that an expression means: its row is chosen, and the state can be seen; null: there is none.
	async first(chart, text, { from, to }) {
		const { found, row, start, end } = await api.json("search-state", { ...chart.unfolded, text, at: from, row: -1, backwards: 0 });
		if (!found || start > to)
			return null;
		this.viewport.reveal(start);
		await chart.seek({ row }, true);
		return { view: chart.view.name, row, at: start, to: end + 1 };
	}

	// How many states there are, and which of them this is: that takes longer than to find it.
	async #count(chart, place) {
		const turn = ++this.#turn, { text } = this, asked = JSON.stringify([chart.unfolded, text]);
		this.hits = await api.json("state-hits", { ...chart.unfolded, text, ...place, list: LISTED_MAX });
		if (turn !== this.#turn || asked !== JSON.stringify([chart.unfolded, this.text]))
			return;
		this.hits.row = place.row;
		this.found(this.hits.hits.map(({ row, start, end }) => ({ view: chart.view.name, row, at: start, to: end + 1 })));
		this.#say(this.#numberSaid, this.hits.count > 1);
		if (!this.list.hidden)
			this.#fillList();
	}
}
