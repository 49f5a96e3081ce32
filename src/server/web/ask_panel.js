// SPDX-License-Identifier: MIT
// ask_panel.js - questions in SQL: a box for a statement, a menu of questions that others had, and the answer as a table.
// A row with a time or a thread is a place to go to.

import * as api from "./api.js";
import { Completion, wordsOfSql } from "./completion.js";
import { element, Panel, sortHead } from "./panel.js";
import { offer } from "./save.js";
import * as time from "./time.js";

const LIMIT = 10000;
const FIRST = "SELECT tid, name, histree_duration(ns) AS ran\nFROM cpu_usage(:from, :to) LIMIT 20;";
const TIMES = ["ts", "start", "time", "since"], DURATIONS = ["duration", "dur"], THREADS = ["tid", "thread"], CPUS = ["cpu"];
const SORTED = new Intl.Collator("en", { numeric: true });

// What a name of a column is about, in whatever case it is written.
const columnOf = (columns, names) => columns.findIndex((column) => names.includes(column.toLowerCase()));
const csvOf = (value) => value === null ? "" : /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);

export class AskPanel extends Panel {
	settings = { statement: FIRST, sort: -1, descending: false };
	answer = null; // {columns, rows, ...}
	#abort = null;

	constructor(viewport, experiment, failed, settings) {
		super("ask", viewport, experiment, failed);
		Object.assign(this.settings, settings);
		this.box = element("textarea", { spellcheck: false, value: this.settings.statement, ariaLabel: "a statement of SQL", rows: 5 });
		this.completion = new Completion(this.box, wordsOfSql(async (statement) => (await this.#rowsOf(statement)).rows), failed);
		this.box.onkeydown = (event) => {
			if (this.completion.key(event)) {
				event.preventDefault();
				event.stopPropagation();
			} else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
				event.preventDefault();
				this.run();
			}
		};
		this.menu = element("select", { ariaLabel: "a question of the cookbook", title: "questions that fill the box" }, new Option("Questions…", ""));
		this.menu.onchange = () => this.#choose();
		this.go = element("button", { type: "button", textContent: "Ask", title: "ask (Ctrl + Enter)", onclick: () => (this.#abort ? this.stop() : this.run()) });
		this.csv = element("button", { type: "button", textContent: "CSV", title: "save these rows", disabled: true, onclick: () => this.#save() });
		this.said = element("span", { className: "said", role: "status" });
		this.head = element("tr");
		this.lines = element("tbody");
		this.list = element("div", { className: "lines", tabIndex: 0 }, element("table", { className: "statistics" }, element("thead", {}, this.head), this.lines));
		this.build({ title: "Ask", label: "Ask in SQL" }, [this.menu, this.go, this.said, element("span", { className: "spring" }), this.csv],
			element("div", { className: "body ask" }, element("div", { className: "asked" }, this.box, this.completion.list), this.list));
		this.#loadQuestions();
	}

	get isComplete() {
		return this.#abort === null;
	}

	draw() {} // an answer stays until another one is asked for

	// The statement, with the visible range, or that between the markers, in the places of :from and :to.
	get statement() {
		const { selected: { from, to }, start } = this.viewport;
		return this.box.value.replaceAll(/:from\b/g, String(start + BigInt(from))).replaceAll(/:to\b/g, String(start + BigInt(Math.max(to - 1, from))));
	}

	async #loadQuestions() {
		const { QUESTIONS } = await import("./questions.js").catch(() => ({ QUESTIONS: [] })); // of a folder it is not served
		const groups = new Map();
		this.questions = QUESTIONS;
		QUESTIONS.forEach(({ group, title }, i) => {
			if (!groups.has(group))
				groups.set(group, element("optgroup", { label: group }));
			groups.get(group).append(new Option(title, i));
		});
		this.menu.append(...groups.values());
	}

	#choose() {
		const question = this.questions[this.menu.value];
		this.menu.value = "";
		if (!question)
			return;
		this.box.value = question.statement;
		this.run();
	}

	// Another statement, as if it had been typed.
	ask(statement) {
		this.box.value = statement;
		return this.run();
	}

	stop() {
		this.#abort?.abort();
	}

	#rowsOf(statement, signal) {
		return api.json("sql", { experiment: this.experiment.uuid, statement, limit: LIMIT }, signal);
	}

	async run() {
		this.stop();
		this.completion.close();
		const abort = this.#abort = new AbortController();
		Object.assign(this.settings, { statement: this.box.value, sort: -1, descending: false });
		this.dispatchEvent(new Event("settings"));
		this.go.textContent = "Stop";
		this.#say("…");
		try {
			const answer = await this.#rowsOf(this.statement, abort.signal);
			if (this.#abort === abort)
				this.#show(answer);
		} catch (error) {
			if (error.name === "AbortError")
				this.#say("stopped");
			else if (error.isAnswer)
				this.#say(error.message, true);
			else
				this.failed(error);
		} finally {
			if (this.#abort === abort) {
				this.#abort = null;
				this.go.textContent = "Ask";
			}
		}
	}

	#say(text, isBad = false) {
		this.said.textContent = this.said.title = text;
		this.said.classList.toggle("bad", isBad);
	}

	#show(answer) {
		this.answer = answer;
		const { rows, more, error, warning, ns } = answer;
		const count = `${rows.length.toLocaleString("en")} ${rows.length === 1 ? "row" : "rows"}${more ? ", and there are more" : ""}`;
		this.#say([error, warning, `${count} in ${time.duration(ns, 1e5)}`].filter(Boolean).join("; "), Boolean(error));
		this.csv.disabled = rows.length === 0;
		this.at = columnOf(answer.columns, TIMES);
		this.thread = columnOf(answer.columns, THREADS);
		this.cpu = columnOf(answer.columns, CPUS);
		const lasts = columnOf(answer.columns, DURATIONS);
		const places = rows.map((row) => ({ ...this.#placeOf(row), lasts: Number(row[lasts] ?? 0) })).filter(({ at }) => at !== undefined && at !== null);
		this.found?.(places.map(({ at, tid, onCpu, lasts }) => ({ at, to: at + lasts, tid, cpu: onCpu })));
		this.#fill();
	}

	#sortBy(column) {
		const { sort, descending } = this.settings;
		Object.assign(this.settings, { sort: column, descending: sort === column ? !descending : false });
		this.#fill();
	}

	get #rows() {
		const { sort, descending } = this.settings, { rows } = this.answer;
		if (sort < 0)
			return rows;
		const compare = (one, other) => typeof one === "number" && typeof other === "number" ? one - other
			: SORTED.compare(one === null ? "" : String(one), other === null ? "" : String(other));
		return [...rows].sort((one, other) => (descending ? -1 : 1) * compare(one[sort], other[sort]));
	}

	#fill() {
		const { columns } = this.answer, { sort, descending } = this.settings;
		const isNumber = columns.map((_, i) => this.answer.rows.some((row) => typeof row[i] === "number"));
		this.head.replaceChildren(...columns.map((name, i) => {
			const head = sortHead(name, `sort by ${name}`, i === sort ? descending : undefined, () => this.#sortBy(i));
			head.classList.toggle("text", !isNumber[i]);
			return head;
		}));
		this.lines.replaceChildren(...this.#rows.slice(0, LIMIT).map((row) => this.#lineOf(row, isNumber)));
	}

	#lineOf(row, isNumber) {
		const line = element("tr", {}, ...row.map((value, i) => element("td", { className: isNumber[i] ? "" : "text", textContent: value ?? "" })));
		const goes = this.#placeOf(row);
		if (goes) {
			line.className = "goes";
			line.tabIndex = 0;
			line.title = "go there";
			line.onclick = () => this.#goTo(goes);
			line.onkeydown = (event) => event.key === "Enter" && this.#goTo(goes);
		}
		return line;
	}

	// A time of the trace, a thread or a CPU, as far as the row has them; null: nothing of these.
	#placeOf(row) {
		const at = this.at >= 0 && /^\d{1,19}$/.test(String(row[this.at])) ? Number(BigInt(row[this.at]) - this.viewport.start) : -1;
		const number = (column) => column >= 0 && Number.isInteger(Number(row[column])) && row[column] !== null ? Number(row[column]) : -1;
		const place = { at: at >= 0 && at <= this.viewport.duration ? at : null, tid: number(this.thread), onCpu: number(this.cpu) };
		return place.at !== null || place.tid > 0 || place.onCpu >= 0 ? place : null;
	}

	#goTo({ at, tid, onCpu }) {
		if (at !== null) {
			this.viewport.mark("a", at);
			this.viewport.reveal(at);
		}
		this.chose?.({ tid, onCpu });
	}

	#save() {
		const lines = [this.answer.columns, ...this.#rows].map((row) => row.map(csvOf).join(","));
		offer(`${this.experiment.name}.csv`, "text/csv", `${lines.join("\r\n")}\r\n`);
	}
}
