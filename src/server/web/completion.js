// SPDX-License-Identifier: MIT
// completion.js - what may stand at the caret of a statement of SQL: tables, columns and functions, and between quotes the
// paths of attributes, all of it asked for by statements, so that it is what the store has; and of an expression over states:
// what is known of a state, and between quotes what states are called.

import * as api from "./api.js";
import { element } from "./panel.js";

const SHOWN_MAX = 12;
const WAIT_MS = 80; // for who types
// [name, what it is, of a table what it is given, of a column its tables].  A hidden column that has a type is told, and not given.
const WORDS = `WITH t AS (SELECT name, schema FROM pragma_table_list WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\')
	SELECT name, 'table', coalesce((SELECT group_concat(name, ', ') FROM pragma_table_xinfo(t.name, t.schema) WHERE hidden = 1 AND type = '' AND name <> 'twin'), '') FROM t GROUP BY name
	UNION ALL SELECT c.name, 'column', group_concat(DISTINCT t.name) FROM t, pragma_table_xinfo(t.name, t.schema) AS c WHERE c.hidden <> 1 OR c.type <> '' GROUP BY c.name
	UNION ALL SELECT DISTINCT name || '(', 'function', '' FROM pragma_function_list ORDER BY 1`;

const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

// Names of attributes below a path, or below all that match a pattern.
const pathsOf = (typed) => `SELECT DISTINCT name, 'attribute', '' FROM attributes
	WHERE depth = ${typed.split("/").length} AND path GLOB ${quoted(`${typed}*`)} LIMIT ${SHOWN_MAX}`;

// Where words come from, and what may stand between quotes: of SQL, of which `ask(statement)` promises rows.
export const wordsOfSql = (ask) => ({ words: () => ask(WORDS), inQuotes: (typed) => ask(pathsOf(typed)) });

// As the server knows them (state_filter.c).
const KNOWN = [["Label", "what a state says"], ["State", "what it is called"], ["Value", "of the attribute"], ["Duration", "as in 1ms"], ['"Start Time"', "a time"],
	['"End Time"', "a time"], ["host", "of a row"], ["TID", "of a thread"], ["PID", "of its process"], ["PTID", "of its parent"], ["Exec_Name", "of a thread"],
	["CPU", "a number"], ['"System call"', "its name"], ["Priority", "a number"], ["contains", "a part of a text"], ["matches", "a pattern"],
	["present", "anything is known"]].map(([name, what]) => [name, what, ""]);

export const wordsOfStates = (experiment) => ({
	words: async () => KNOWN,
	inQuotes: async (typed) => {
		const names = Object.values(await api.json("legend", { experiment: experiment().uuid })).flat().map(({ name }) => name);
		return [...new Set(names)].filter((name) => name.toLowerCase().startsWith(typed.toLowerCase())).map((name) => [name, "state", ""]);
	},
});

export class Completion {
	isOn = true;
	#words = null;
	#timer = 0;
	#turn = 0;
	#shown = []; // [name, what it is, more]
	#chosen = 0;

	constructor(box, source, failed) {
		Object.assign(this, { box, source, failed });
		this.list = element("div", { className: "completion", role: "listbox", ariaLabel: "what may stand here", hidden: true });
		box.addEventListener("input", () => this.#later());
		box.addEventListener("blur", () => this.close());
	}

	close() {
		clearTimeout(this.#timer);
		this.#turn++;
		this.list.hidden = true;
	}

	// Whether a key was meant for the list.
	key({ key, ctrlKey }) {
		if (this.isOn && ctrlKey && key === " ") {
			this.#show(true).catch(this.failed);
			return true;
		}
		const by = { ArrowDown: 1, ArrowUp: -1 }[key];
		if (this.list.hidden || (key === "Enter" && ctrlKey) || !(by || key === "Tab" || key === "Escape"))
			return false;
		if (by)
			this.#choose(this.#chosen + by);
		else if (key === "Tab")
			this.#take(this.#chosen);
		else
			this.close();
		return true;
	}

	#later() {
		this.close();
		if (!this.isOn)
			return;
		this.#timer = setTimeout(() => this.#show(false).catch(this.failed), WAIT_MS);
	}

	// What stands before the caret and is to be completed, and whether it is within quotes.
	get #typed() {
		const before = this.box.value.slice(0, this.box.selectionStart), quotes = before.split("'");
		const isPath = quotes.length % 2 === 0;
		return { isPath, text: isPath ? quotes.at(-1) : /[A-Za-z_]*\w*$/.exec(before)[0] };
	}

	async #show(isWanted) {
		const { isPath, text } = this.#typed, turn = ++this.#turn;
		if (text === "" && !isWanted)
			return;
		const found = isPath ? await this.source.inQuotes(text) : this.#wordsLike(text, this.#words ??= await this.source.words());
		if (turn !== this.#turn)
			return;
		this.#shown = found.slice(0, SHOWN_MAX);
		this.list.replaceChildren(...this.#shown.map(([name, what, more], i) => element("div", { role: "option", onpointerdown: (event) => {
			event.preventDefault(); // the box keeps the focus
			this.#take(i);
		} }, element("span", { textContent: name }), element("span", { className: "number", textContent: [what, more && (what === "table" ? `of ${more}` : `in ${more.replaceAll(",", ", ")}`)].filter(Boolean).join(" ") }))));
		this.list.hidden = this.#shown.length === 0;
		this.#choose(0);
	}

	// Columns of tables that the statement names come first, then tables, other columns and functions.
	#wordsLike(text, words) {
		const named = new Set(this.box.value.match(/\w+/g)), like = text.toLowerCase();
		const isNamed = ([, what, more]) => what === "column" && more.split(",").some((table) => named.has(table));
		const rank = (word) => isNamed(word) ? 0 : ["", "table", "column", "function"].indexOf(word[1]);
		return words.filter(([name]) => name.toLowerCase().replace(/^"/, "").startsWith(like) && name !== text).sort((one, other) => rank(one) - rank(other));
	}

	#choose(number) {
		this.#chosen = Math.min(Math.max(number, 0), this.#shown.length - 1);
		[...this.list.children].forEach((line, i) => line.setAttribute("aria-selected", i === this.#chosen));
	}

	// Of a path, what is after its last slash is replaced.
	#take(number) {
		const { isPath, text } = this.#typed, [name, what, more] = this.#shown[number];
		const end = this.box.selectionStart, before = end - (isPath ? text.length - text.lastIndexOf("/") - 1 : text.length);
		const start = name.startsWith('"') && this.box.value[before - 1] === '"' ? before - 1 : before;
		this.box.setRangeText(what === "table" && more ? `${name}(` : name, start, end, "end");
		this.close();
	}
}
