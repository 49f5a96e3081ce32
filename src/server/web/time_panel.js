// SPDX-License-Identifier: MIT
// time_panel.js - where the time of the selection went: of the span between the markers, of the chosen state, or of the visible
// range, by state, CPU, system call, thread and process, as `histree top` counts it; and beside it what was chosen.

import { quoted } from "./api.js";
import { ChosenState } from "./chosen_state.js";
import { copyButton, element, Panel, sortHead, swatch } from "./panel.js";
import { RangedAnswer } from "./ranged_answer.js";
import { groupNameOf, isFoldedGroup, isOfKernel } from "./row_names.js";
import * as time from "./time.js";
import { eachFrame } from "./viewport.js";

const ROWS_MAX = 500;
const ROWS_OF_SELECTION_MAX = 400; // that were dragged over: an address has room for that many
const NUMBERS_OF_PATTERN_MAX = 20; // it has room for 256 bytes
const WAYS = [["state", "State"], ["cpu", "CPU"], ["system_call", "System call"], ["thread", "Thread"], ["name", "Name"],
	["process", "Process"], ["had_by", "CPU had by"]];
const FACTS = { thread: "TID", process: "PID", name: "Exec_Name", cpu: "CPU", system_call: '"System call"' }; // as searches for states know them
const SHARED = new Set(["state", "system_call", "had_by"]); // by these, the time of all is what is shared out

const sum = (list) => list.reduce((all, one) => all + one, 0);
const share = (ns, all) => all > 0 ? `${(100 * ns / all).toFixed(1)} %` : "";

// By which key rows of a chart are told apart, and its number; "" and "" for a host, null for what has no time of its own.
function keyOf(info) {
	if (info.tid > 0)
		return isFoldedGroup(info) && !isOfKernel(info) && info.pid > 0 ? ["process", info.pid] : ["thread", info.tid];
	return info.onCpu >= 0 ? ["cpu", info.onCpu] : info.isHost ? ["", ""] : null;
}

// What is of any of these rows and of no other, and how many of them it takes: an expression has room for few comparisons,
// a pattern for many numbers.
function expressionOfRows(infos) {
	const hosts = new Map(); // host: key: numbers
	const all = infos.flatMap((info) => info ? [[info.host ?? "", ...keyOf(info) ?? [null]]] : []).filter(([, key]) => key !== null);
	const told = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()], some = told.slice(0, ROWS_OF_SELECTION_MAX);
	for (const [host, key, number] of some) {
		const keys = hosts.get(host) ?? new Map();
		hosts.set(host, keys.set(key, [...keys.get(key) ?? [], number]));
	}
	const ofKey = ([key, numbers]) => Array.from({ length: Math.ceil(numbers.length / NUMBERS_OF_PATTERN_MAX) },
		(_, i) => numbers.slice(i * NUMBERS_OF_PATTERN_MAX, (i + 1) * NUMBERS_OF_PATTERN_MAX))
		.map((part) => part.length === 1 ? `${key} == ${part[0]}` : `${key} matches "^(${part.join("|")})$"`);
	const ofHost = ([host, keys]) => {
		const own = keys.has("") ? "" : [...keys].flatMap(ofKey).join(" || ");
		const both = [own.includes(" || ") && host ? `(${own})` : own, host ? `host == ${quoted(host)}` : ""].filter(Boolean).join(" && ");
		return hosts.size > 1 ? `(${both})` : both;
	};
	return { expression: [...hosts].map(ofHost).join(" || "), some: some.length, all: told.length };
}

// What a row is called, by the key that tells rows apart.
function titleOf(row, by) {
	const own = row[by] ?? "-";
	const name = { thread: row.threadName, process: row.processName, had_by: row.hadByName }[by] ?? "";
	return [name, own, row.host && `on ${row.host}`].filter((part) => part !== "" && part !== undefined).join(" ");
}

// The expression that only the row passes; "" where there is none.
function expressionOf(row, by) {
	const value = row[by];
	if (value === undefined || value === "?")
		return "";
	const own = `${by} == ${typeof value === "number" ? value : quoted(value)}`;
	return row.host ? `${own} && host == ${quoted(row.host)}` : own;
}

export class TimePanel extends Panel {
	// Filters: [what is said of it, expression, whether they are rows that were dragged over]; sort: a state, time or count,
	// or "" for what ran longest.
	settings = { by: "state", filters: [], sort: "", descending: true };

	constructor(viewport, experiment, failed, settings) {
		super("time", viewport, experiment, failed);
		Object.assign(this.settings, settings);
		this.draw = eachFrame(() => this.#ask(), () => (this.isAsked = false));
		this.data = new RangedAnswer("time-use", () => this.#show(), failed);
		this.tabs = element("span", { className: "tabs", role: "tablist" }, ...WAYS.map(([by, textContent]) => {
			const tab = element("button", { type: "button", role: "tab", textContent, onclick: () => this.set({ by }) });
			tab.dataset.by = by;
			return tab;
		}));
		this.what = element("span", { className: "what" });
		this.chips = element("span", { className: "chips" });
		this.head = element("tr");
		this.body = element("tbody");
		this.state = new ChosenState(viewport, experiment, failed, () => this.draw());
		this.build({ title: "Time", label: "Where the time went" },
			[this.tabs, this.chips, this.what, element("span", { className: "spring" }),
				copyButton("Copy as command", "the same as a command of a shell", () => this.command, failed),
				copyButton("Copy as SQL", "the same as a statement, for histree sql and for the panel Ask", () => this.statement, failed)],
			element("div", { className: "body" }, this.state.root, element("div", { className: "lines" },
				element("table", { className: "statistics" }, element("thead", {}, this.head), this.body))));
	}

	get isComplete() {
		return this.isAsked && this.data.isLatest && this.state.isComplete;
	}

	// Markers are followed by what is drawn, and say which state of the chosen row is meant.
	async follow() {
		this.draw();
		if (this.askedAt !== this.viewport.a) {
			this.askedAt = this.viewport.a;
			this.state.ask();
		}
	}

	// A row was chosen in a chart: of a process, its threads alone are counted.
	onChosen(info, chart) {
		this.askedAt = this.viewport.a;
		this.state.of(chart, info);
		if (!isFoldedGroup(info))
			this.#countRows("", []);
		else
			chart.threadsOf(info).then((infos) => this.#countRows(groupNameOf(info), infos))
				.catch(this.failed);
	}

	// Rows of a chart were dragged over: they alone are counted, or all where it was one row.
	async onDraggedOver(infos, chart) {
		const groups = await Promise.all(infos.map((info) => info && isFoldedGroup(info) ? chart.threadsOf(info) : [info]));
		this.#countRows(infos.length > 1 ? `${infos.length.toLocaleString("en")} rows` : "", infos.length > 1 ? groups.flat() : []);
	}

	// In place of the rows that were counted before.
	#countRows(said, infos) {
		const { expression, some, all } = expressionOfRows(infos), before = this.settings.filters;
		const others = before.filter(([, , isRows]) => !isRows);
		const rows = expression !== "" ? [[said + (some < all ? `, the first ${some} of ${all} threads` : ""), expression, true]] : [];
		if (rows.length > 0 || others.length < before.length)
			this.set({ filters: [...others, ...rows] });
	}

	get where() {
		return this.settings.filters.map(([, expression]) => this.settings.filters.length > 1 ? `(${expression})` : expression).join(" && ");
	}

	// Of the chosen state, unless a span is selected.
	get #isOfState() {
		return !this.viewport.isMarked && this.viewport.a !== null && this.state.range !== null;
	}

	get range() {
		const { from, to } = this.#isOfState ? this.state.range : this.viewport.selected;
		return { from, to: Math.max(to - 1, from) };
	}

	// As `histree top` takes it.
	get command() {
		const { from, to } = this.range, { by } = this.settings;
		const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
		const at = (ns) => this.viewport.start + BigInt(ns);
		const where = this.where === "" ? "" : ` --where ${shell(this.where)}`;
		return `histree top ${shell(this.experiment.store)} --by ${by.replace("_", "-")} --from ${at(from)} --to ${at(to)}${where}`;
	}

	// As `histree sql` takes it.
	get statement() {
		const { from, to } = this.range, { by } = this.settings;
		const at = (ns) => this.viewport.start + BigInt(ns), text = (words) => `'${words.replaceAll("'", "''")}'`;
		const keys = [...this.experiment.hosts ? ["host"] : [], by, ...by === "thread" ? ["name"] : []];
		const times = SHARED.has(by) ? ["ns"] : this.data.answer.states.filter((_, i) => this.data.answer.ns[i] > 0);
		const where = this.where === "" ? "" : `, ${text(this.where)}`;
		return `SELECT ${[...keys, ...times, "count"].join(", ")}\nFROM time_use(${at(from)}, ${at(to)}, ${text(by)}${where});`;
	}

	#ask() {
		const { by, sort, descending } = this.settings;
		for (const tab of this.tabs.children)
			tab.setAttribute("aria-selected", tab.dataset.by === by);
		this.chips.replaceChildren(...this.settings.filters.map((filter) => element("button", { type: "button", className: "chip",
			textContent: `${filter[0]} ✕`, title: `only ${filter[1]}: a click counts all again`,
			onclick: () => this.set({ filters: this.settings.filters.filter((one) => one !== filter) }) })));
		if (this.#isOfState)
			this.chips.prepend(element("button", { type: "button", className: "chip", textContent: "the chosen state ✕", title: "only while it lasted: a click counts the visible range",
				onclick: () => this.viewport.mark("a", null) }));
		if (!this.state.isComplete) // its bounds are on their way
			return;
		this.data.ask({ experiment: this.experiment.uuid, by, where: this.where, sort, descending: descending ? 1 : 0, limit: ROWS_MAX },
			this.range);
		this.isAsked = true;
	}

	// What there is anything of: [state, its number].
	#columns() {
		const { states, ns } = this.data.answer;
		return this.settings.by === "state" ? [] : states.map((name, i) => [name, i]).filter(([, i]) => ns[i] > 0);
	}

	// How rows call a state, and its colour there.
	#styleOf(state) {
		const { states, styles } = this.data.answer;
		return styles[states.indexOf(state)];
	}

	#swatchOf(state) {
		const style = this.#styleOf(state);
		return swatch(this.viewport.dark ? style.dark : style.light);
	}

	#show() {
		const { answer } = this.data, { by } = this.settings;
		const all = sum(answer.ns), columns = this.#columns();
		const title = WAYS.find(([key]) => key === by)[1];
		const totals = SHARED.has(by) ? ["time", "share"] : [];
		this.head.replaceChildren(element("th", { textContent: title }), ...[...columns.map(([name]) => name), ...totals, "count"]
			.map((name) => this.#headOf(name)), element("th"));
		this.body.replaceChildren(...answer.rows.map((row) => this.#rowOf(row, by, columns, all)));
		const of = this.#isOfState ? "of the chosen state" : this.viewport.selectedSaid;
		this.what.textContent = `${time.duration(this.range.to + 1 - this.range.from)} ${of}` +
			(answer.total > answer.rows.length ? `, the first ${answer.rows.length} of ${answer.total.toLocaleString("en")} rows` : "") +
			(answer.isDamaged ? "; parts of the store cannot be read" : "");
	}

	#headOf(name) {
		const key = name === "share" ? "time" : name, { sort, descending } = this.settings;
		const style = this.#styleOf(name);
		const head = sortHead(style?.name ?? name, style ? `${style.name}; in expressions: state == ${name}` : `sort by ${key}`,
			name === sort ? descending : undefined, () => this.set({ sort: key, descending: sort === key ? !descending : true }));
		if (style)
			head.prepend(this.#swatchOf(name));
		return head;
	}

	// Where a line leads: to the row of a thread, the main one of a process, or a CPU; else to the first state of its kind that begins in the
	// span.
	#goes(row, by, expression) {
		const number = { thread: row.thread, process: row.process, had_by: row.had_by, cpu: row.cpu }[by], host = row.host ? { host: row.host } : {};
		if (by === "cpu" ? number >= 0 : number > 0)
			return { title: "show its row", onclick: () => this.chose?.({ [by === "cpu" ? "onCpu" : "tid"]: number, ...host }) };
		const text = number === undefined && expression !== "" ? this.#statesOf(expression) : "";
		return text === "" ? null : { title: "show the first one that begins in the span", onclick: () => this.sought?.(text, this.range) };
	}

	// An expression over states of rows that says what one over the time of threads does, with all filters; "" where none does.
	#statesOf(expression) {
		const all = [...this.settings.filters.map(([, one]) => one), expression].map((one) => `(${one})`).join(" && ");
		return /\bhad_by ==/.test(all) ? "" : all.replace(/\bstate == "(\w+)"/g, (_, state) => `State == ${quoted(this.#styleOf(state).name)}`)
			.replace(/\b(thread|process|name|cpu|system_call)(?= (?:==|matches) )/g, (word) => FACTS[word]);
	}

	#rowOf(row, by, columns, all) {
		const own = sum(row.ns), expression = expressionOf(row, by);
		const title = by === "state" ? this.#styleOf(row.state)?.name ?? row.state : titleOf(row, by);
		const texts = [title, ...columns.map(([, i]) => row.ns[i] > 0 ? time.duration(row.ns[i]) : ""),
			...SHARED.has(by) ? [time.duration(own), share(own, all)] : [], row.count.toLocaleString("en")];
		const line = element("tr", {}, ...texts.map((textContent) => element("td", { textContent })));
		if (by === "state" && this.#styleOf(row.state))
			line.firstChild.prepend(this.#swatchOf(row.state));
		const goes = this.#goes(row, by, expression);
		if (goes)
			line.firstChild.lastChild.replaceWith(element("button", { type: "button", textContent: title, ...goes }));
		const only = element("td");
		if (expression !== "")
			only.append(element("button", { type: "button", textContent: "only", title: `count only ${expression}`,
				onclick: () => this.set({ filters: [...this.settings.filters, [title, expression]] }) }));
		line.append(only);
		return line;
	}
}
