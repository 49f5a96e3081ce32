// SPDX-License-Identifier: MIT
// bookmarks.js - times that have a name: lines over all charts, names on the axis, and a list to go to them.

import * as api from "./api.js";
import { element } from "./panel.js";
import { colour } from "./viewport.js";
import * as time from "./time.js";

const NEAR = 3; // px, to be pointed at

export class Bookmarks {
	list = [];

	constructor(panel, viewport, failed) {
		Object.assign(this, { panel, viewport, failed });
		this.name = element("input", { placeholder: "Name", ariaLabel: "name of the bookmark", maxLength: 80 });
		const form = element("form", {}, this.name, element("button", { type: "submit", textContent: "Add at A" }));
		form.onsubmit = (event) => {
			event.preventDefault();
			this.add(this.name.value.trim()).catch(failed);
		};
		this.lines = element("div", { className: "bookmarks" });
		panel.replaceChildren(element("h2", { textContent: "Bookmarks" }), form, this.lines,
			element("p", { textContent: "A bookmark keeps the time of marker A, or the range from A to B. The server keeps bookmarks when it is restarted." }));
	}

	async open(experiment) {
		this.experiment = experiment;
		await this.#reload();
	}

	async #reload() {
		const { experiment } = this;
		const list = await api.json("bookmarks", { experiment: experiment.uuid });
		if (this.experiment !== experiment)
			return;
		this.list = list;
		this.lines.replaceChildren(...list.map((one) => this.#line(one)));
		this.viewport.tell("overlays");
	}

	#line(bookmark) {
		const go = element("button", { type: "button", textContent: bookmark.name, title: time.clock(this.viewport.start, bookmark.start) });
		go.onclick = () => this.goTo(bookmark);
		const drop = element("button", { type: "button", textContent: "\u00d7", title: `remove ${bookmark.name}` });
		drop.onclick = () => this.remove(bookmark).catch(this.failed);
		return element("div", {}, go, drop);
	}

	goTo({ start, end }) {
		this.viewport.mark("a", start);
		this.viewport.mark("b", end > start ? end : null);
		this.viewport.reveal(start);
	}

	// Of marker A, or from A to B.
	async add(name) {
		const { a, b, start } = this.viewport;
		if (name === "" || a === null)
			throw Object.assign(new Error(name === "" ? "a bookmark needs a name" : "a bookmark needs marker A: click where it shall be"), { isAnswer: true });
		const [from, to] = [a, b ?? a].sort((one, other) => one - other).map((at) => start + BigInt(at));
		// By hand: these numbers have more digits than the browser writes.
		await this.#change("POST", "", `{"parameters":{"name":${JSON.stringify(name)},"start":${from},"end":${to}}}`);
		this.name.value = "";
	}

	async remove(bookmark) {
		await this.#change("DELETE", `/${bookmark.uuid}`);
	}

	async #change(method, path, body) {
		await api.change(method, `experiments/${this.experiment.uuid}/bookmarks${path}`, body);
		await this.#reload();
	}

	#bounds({ start, end }, width) {
		const { from, span } = this.viewport;
		return [(start - from) / span * width, (end - from) / span * width];
	}

	draw(context, width, height) {
		context.fillStyle = colour("bookmark");
		for (const bookmark of this.list) {
			const [left, right] = this.#bounds(bookmark, width);
			context.globalAlpha = 0.1;
			context.fillRect(left, 0, right - left, height);
			context.globalAlpha = 1;
			for (const x of new Set([left, right]))
				context.fillRect(Math.round(x), 0, 1.5, height);
		}
	}

	// On the axis: those that begin in view, as far as there is room.
	drawNames(context, width) {
		context.fillStyle = colour("bookmark");
		let free = -Infinity;
		for (const bookmark of this.list) {
			const x = this.#bounds(bookmark, width)[0] + 3;
			if (x < 0 || x > width || x < free)
				continue;
			context.fillText(bookmark.name, x, 9);
			free = x + context.measureText(bookmark.name).width + 6;
		}
	}

	textsAt(x, width) {
		return this.list.filter((bookmark) => {
			const [left, right] = this.#bounds(bookmark, width);
			return x >= left - NEAR && x <= right + NEAR;
		}).map((bookmark) => bookmark.name);
	}
}
