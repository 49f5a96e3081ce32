// SPDX-License-Identifier: MIT
// panel.js - what the panels below the charts have in common: a bar with a title above a body, and settings that the address
// keeps; and how their elements are made.

// An element with properties and children.
export function element(tag, properties = {}, ...children) {
	const made = Object.assign(document.createElement(tag), properties);
	made.append(...children);
	return made;
}

// What is drawn, with what it shows for those who do not see it.
export function canvas(ariaLabel, properties = {}) {
	return element("canvas", { role: "img", ariaLabel, ...properties });
}

// The colour of a line or of points, beside its name.
export function swatch(colour) {
	const made = element("span", { className: "swatch" });
	made.style.background = colour;
	return made;
}

// A button that copies what `text()` is then, and says so for a moment.
export function copyButton(textContent, title, text, failed) {
	return element("button", { type: "button", textContent, title, onclick: async ({ target }) => {
		await navigator.clipboard.writeText(text()).then(() => (target.textContent = "Copied"), failed);
		setTimeout(() => (target.textContent = textContent), 1500);
	} });
}

// The head of a column that a click sorts by; `isDescending` is undefined where another one is sorted by.
export function sortHead(textContent, title, isDescending, onclick) {
	const head = element("th", {}, element("button", { type: "button", textContent, title, onclick }));
	head.setAttribute("aria-sort", isDescending === undefined ? "none" : isDescending ? "descending" : "ascending");
	return head;
}

// Of a class of its own: draw(), isComplete, and settings where the address has some.
export class Panel extends EventTarget {
	constructor(name, viewport, experiment, failed) {
		super();
		Object.assign(this, { name, viewport, experiment, failed });
	}

	// What is in the bar after the title, and what is below it.
	build({ title, label = title, className = "chart panel" }, bar, ...body) {
		this.root = element("section", { className, ariaLabel: label },
			element("div", { className: "bar" }, element("strong", { textContent: title }), ...bar), ...body);
		this.root.dataset.view = this.name;
	}

	set(changed) {
		Object.assign(this.settings, changed);
		this.dispatchEvent(new Event("settings"));
		this.draw();
	}

	// Markers are followed by what is drawn.
	async follow() {
		this.draw();
	}
}
