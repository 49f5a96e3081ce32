// SPDX-License-Identifier: MIT
// completion.js - what may stand at the caret of a statement of SQL: tables, columns and functions, and between quotes the
// paths of attributes.  All of it is asked for by statements, so that it is what the store has.

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

export class Completion {
	#words = null;
	#timer = 0;
	#turn = 0;
	#shown = []; // [name, what it is, more]
	#chosen = 0;

	// `ask(statement)` promises rows.
	constructor(box, ask, failed) {
		Object.assign(this, { box, ask, failed });
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
		if (ctrlKey && key === " ") {
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
		const found = isPath ? await this.ask(pathsOf(text)) : this.#wordsLike(text, this.#words ??= await this.ask(WORDS));
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
		return words.filter(([name]) => name.toLowerCase().startsWith(like) && name !== text).sort((one, other) => rank(one) - rank(other));
	}

	#choose(number) {
		this.#chosen = Math.min(Math.max(number, 0), this.#shown.length - 1);
		[...this.list.children].forEach((line, i) => line.setAttribute("aria-selected", i === this.#chosen));
	}

	// Of a path, what is after its last slash is replaced.
	#take(number) {
		const { isPath, text } = this.#typed, [name, what, more] = this.#shown[number];
		const end = this.box.selectionStart, start = end - (isPath ? text.length - text.lastIndexOf("/") - 1 : text.length);
		this.box.setRangeText(what === "table" && more ? `${name}(` : name, start, end, "end");
		this.close();
	}
}
