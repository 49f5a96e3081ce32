// SPDX-License-Identifier: MIT
// dock.js - the panels below the charts: a tab for each, one of them shown, as high as the user wants it.  What is behind
// another tab stays as it was.

import { element } from "./panel.js";

const HEIGHT_MIN = 90, ABOVE_MIN = 120; // px, of the dock and of what is above it
const STEP = 24; // px, of a key

// Between two charts: a drag gives room of one to the other.
export function divider(above, below) {
	const line = Object.assign(document.createElement("div"), { className: "divider" });
	line.onpointerdown = (down) => {
		const [high, low] = [above.root.offsetHeight, below.root.offsetHeight];
		line.setPointerCapture(down.pointerId);
		line.onpointermove = (event) => {
			const by = Math.max(60 - high, Math.min(event.clientY - down.clientY, low - 60));
			above.root.style.flex = `${high + by} 1 0`;
			below.root.style.flex = `${low - by} 1 0`;
		};
		line.onpointerup = () => (line.onpointermove = null);
	};
	return line;
}

export class Dock {
	height = 0; // px; 0: nobody has said

	// `clicked(name)` is told of a tab, `changed()` of another height.
	constructor(root, divider, clicked, changed) {
		Object.assign(this, { root, divider, clicked, changed });
		[this.tabs, this.body] = root.children;
		divider.onpointerdown = (event) => this.#drag(event);
		divider.onkeydown = (event) => this.#key(event);
		this.tabs.onkeydown = (event) => this.#walk(event);
	}

	// The panels that there are, as [{name, title}], in the order of their tabs.
	open(panels) {
		this.body.replaceChildren();
		this.tabs.replaceChildren(...panels.map(({ name, title }) => {
			const tab = element("button", { type: "button", role: "tab", textContent: title, onclick: () => this.clicked(name) });
			tab.dataset.view = name;
			return tab;
		}));
		this.show(null);
	}

	// Shows one of the panels, or none.
	show(panel) {
		this.current = panel;
		if (panel && panel.root.parentElement !== this.body)
			this.body.append(panel.root);
		for (const root of this.body.children)
			root.hidden = root !== panel?.root;
		for (const tab of this.tabs.children) {
			tab.setAttribute("aria-selected", tab.dataset.view === panel?.name);
			tab.title = tab.dataset.view === panel?.name ? "hide it" : "";
		}
		this.body.hidden = this.divider.hidden = panel === null;
		this.setHeight(this.height);
	}

	setHeight(height) {
		this.height = height;
		this.root.style.flexBasis = this.current && height > 0 ? `${height}px` : "";
		this.root.classList.toggle("is-open", this.current !== null);
	}

	#resize(height) {
		const room = this.root.parentElement.clientHeight;
		this.setHeight(Math.round(Math.max(HEIGHT_MIN, Math.min(height, room - ABOVE_MIN))));
		this.changed();
	}

	#drag(down) {
		const before = this.root.offsetHeight;
		this.divider.setPointerCapture(down.pointerId);
		this.divider.onpointermove = (event) => this.#resize(before + down.clientY - event.clientY);
		this.divider.onpointerup = () => (this.divider.onpointermove = null);
	}

	#key(event) {
		const by = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
		if (by === undefined)
			return;
		event.preventDefault();
		event.stopPropagation();
		this.#resize(this.root.offsetHeight + by);
	}

	// Left and right go from tab to tab.
	#walk(event) {
		const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], tabs = [...this.tabs.children];
		if (by === undefined)
			return;
		event.preventDefault();
		event.stopPropagation();
		tabs[(tabs.indexOf(document.activeElement) + by + tabs.length) % tabs.length].focus();
	}
}
