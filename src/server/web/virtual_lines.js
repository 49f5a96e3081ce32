// SPDX-License-Identifier: MIT
// virtual_lines.js - a list of any length.  Only lines in view exist; pages of lines are kept while they are near.

import { element } from "./panel.js";
import { eachFrame } from "./viewport.js";

export const LINE_HEIGHT = 18;
const PAGE_LINES = 128;
const PAGES_KEPT = 16;
const SCROLL_HEIGHT_MAX = 8e6; // px; browsers stop at about four times that

export class VirtualLines {
	chosen = -1; // number of the selected line
	isComplete = false; // all that is in view is there
	#pages = new Map(); // number of a page: its lines, or null while they are on their way
	#lines = [];
	#turn = 0;

	// `fetch(first, count)` promises lines, `make()` an element for one, `fill(element, line)` shows it, where `line`
	// is undefined while it is on its way; `clicked(number, line)`; `failed(error)`.
	constructor(list, total, told) {
		Object.assign(this, { list, total, told });
		this.draw = eachFrame(() => this.#draw(), () => (this.isComplete = false)); // until it is known what is missing
		this.space = element("div", { className: "space" });
		list.append(this.space);
		list.addEventListener("scroll", this.draw);
		this.space.style.height = `${this.#height}px`;
		new ResizeObserver(this.draw).observe(list);
	}

	// Of all lines together, as the scroll bar has it; it stands for more where there are too many.
	get #height() {
		return Math.min(this.total * LINE_HEIGHT, SCROLL_HEIGHT_MAX);
	}

	get visible() {
		return Math.max(Math.floor(this.list.clientHeight / LINE_HEIGHT), 1);
	}

	get first() {
		const max = Math.max(this.#height - this.list.clientHeight, 1);
		return Math.round(Math.min(this.list.scrollTop / max, 1) * Math.max(this.total - this.visible, 0));
	}

	// Other lines instead of these; those on their way are not waited for.
	reset(total = this.total) {
		this.#turn++;
		this.#pages.clear();
		this.chosen = -1;
		this.resize(total);
		this.list.scrollTop = 0;
		this.draw();
	}

	resize(total) {
		this.total = total;
		this.space.style.height = `${this.#height}px`;
	}

	show(number) {
		const max = Math.max(this.total - this.visible, 1);
		const first = Math.min(Math.max(number - Math.floor(this.visible / 2), 0), max);
		this.list.scrollTop = first / max * Math.max(this.#height - this.list.clientHeight, 0);
		this.chosen = number;
		this.draw();
	}

	at(number) {
		return this.#pages.get(Math.floor(number / PAGE_LINES))?.[number % PAGE_LINES];
	}

	async #fetch(page) {
		const turn = this.#turn;
		this.#pages.set(page, null);
		for (const far of [...this.#pages.keys()].filter((one) => Math.abs(one - page) > PAGES_KEPT / 2))
			this.#pages.delete(far);
		try {
			const lines = await this.told.fetch(page * PAGE_LINES, PAGE_LINES);
			if (turn !== this.#turn)
				return;
			this.#pages.set(page, lines);
			this.draw();
		} catch (error) {
			if (turn !== this.#turn)
				return;
			this.#pages.set(page, []); // not asked for again with each frame
			this.told.failed(error);
		}
	}

	#lineAt(index) {
		while (this.#lines.length <= index) {
			const line = this.told.make();
			line.setAttribute("role", "row");
			line.onclick = () => line.content && this.told.clicked(line.number, line.content);
			this.#lines.push(line);
			this.list.append(line);
		}
		return this.#lines[index];
	}

	#draw() {
		const first = this.first, end = Math.min(first + this.visible + 1, this.total);
		this.isComplete = end > first;
		for (let number = first; number < end; number++) {
			const page = Math.floor(number / PAGE_LINES);
			if (!this.#pages.has(page))
				this.#fetch(page);
			const content = this.at(number);
			const line = this.#lineAt(number - first);
			Object.assign(line, { number, content, hidden: false });
			line.style.top = `${this.list.scrollTop + (number - first) * LINE_HEIGHT}px`;
			line.classList.toggle("chosen", number === this.chosen);
			this.told.fill(line, content);
			this.isComplete &&= content !== undefined;
		}
		this.#lines.slice(end - first).forEach((line) => (line.hidden = true));
	}
}
