// SPDX-License-Identifier: MIT
// palette.js - all that the page can do, by name: Ctrl + K, some letters, Enter.  Each action says its key.

import { element } from "./panel.js";

export class Palette {
	#chosen = 0;
	#shown = [];

	// `actions()` lists what can be done now: [{title, key, run}].
	constructor(dialog, actions) {
		Object.assign(this, { dialog, actions });
		this.box = element("input", { type: "search", placeholder: "What do you want to do?", ariaLabel: "an action" });
		this.list = element("div", { className: "actions", role: "listbox" });
		dialog.append(this.box, this.list);
		this.box.oninput = () => this.#fill();
		dialog.onkeydown = (event) => this.#key(event);
		dialog.onclick = (event) => event.target === dialog && this.close();
	}

	open() {
		this.box.value = "";
		this.#fill();
		this.dialog.showModal();
		this.box.focus();
	}

	close() {
		this.dialog.close();
	}

	// All words of what is typed are in the title, in any order.
	#fill() {
		const words = this.box.value.toLowerCase().split(/\s+/).filter(Boolean);
		this.#shown = this.actions().filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
		this.#chosen = 0;
		this.list.replaceChildren(...this.#shown.map(({ title, key = "" }, i) => {
			const line = element("div", { role: "option", onclick: () => this.#run(i) }, element("span", { textContent: title }), element("kbd", { textContent: key, hidden: key === "" }));
			line.setAttribute("aria-selected", i === this.#chosen);
			return line;
		}));
		if (this.#shown.length === 0)
			this.list.append(element("p", { textContent: "no action is called so" }));
	}

	#choose(number) {
		this.#chosen = Math.min(Math.max(number, 0), this.#shown.length - 1);
		[...this.list.children].forEach((line, i) => line.setAttribute("aria-selected", i === this.#chosen));
		this.list.children[this.#chosen]?.scrollIntoView({ block: "nearest" });
	}

	#run(number) {
		this.close();
		this.#shown[number]?.run();
	}

	#key(event) {
		event.stopPropagation();
		const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (by)
			this.#choose(this.#chosen + by);
		else if (event.key === "Enter")
			this.#run(this.#chosen);
		else if (event.key === "Escape") // which would but empty the box
			this.close();
		else
			return;
		event.preventDefault();
	}
}
