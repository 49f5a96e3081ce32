// SPDX-License-Identifier: MIT
// row_names.js - the names on the left of a chart: a few elements that are used again, whatever the number of rows.

import { element } from "./panel.js";
import * as time from "./time.js";

const INDENT = 12;
const UNFOLDED = "▾", FOLDED = "▸";

// Whether a row stands for several: the threads of a process.
export const isFoldedGroup = (info) => info?.group !== undefined && info.folded;

// Whether a process stands for all threads of the kernel, each of which has one of its own.
const KTHREADD = 2;
export const isOfKernel = (info) => info.ppid === KTHREADD;

export const groupNameOf = (info) => ["process", info.groupName || "unknown", info.pid > 0 && !isOfKernel(info) ? info.pid : "",
	info.host ? `on ${info.host}` : ""].filter((part) => part !== "").join(" ");

// What else was known in a state, and of its row, as [name, value]: by one name each, in the words of the command.
const WORDS = { Exec_name: "name", Prio: "priority", System_call: "system call" };
export function factsOf(info, state, ids) {
	const said = Object.entries(state.others ?? {}).filter(([name, value]) => !(name.toLowerCase() in info) && value !== info.name);
	return [...said.map(([name, value]) => [WORDS[name] ?? name.replaceAll("_", " "), value]),
		...info.host && !info.isHost ? [["host", info.host]] : [], ...ids.filter((name) => info[name] >= 0).map((name) => [name, info[name]])];
}

// "12 µs": how wrong the times of a host are at most; "" where they are those of the reference or nothing bounds them.
export const errorOf = ({ clock }) => clock?.error > 0 ? time.duration(clock.error) : "";

// "7 ran, 3 waited, of 90", of the first row of a process.
function countsOf({ ran, waited, below }) {
	const parts = [ran > 0 ? `${ran.toLocaleString("en")} ran` : "", waited > 0 ? `${waited.toLocaleString("en")} waited` : ""];
	return [...parts.filter(Boolean), `of ${(below + 1).toLocaleString("en")}`].join(", ");
}

function titleOf(info) {
	if (info?.why)
		return info.why;
	if (info?.isHost)
		return "a host, and how wrong its times are at most; the panel Hosts says more";
	if (info?.group === undefined)
		return "";
	const still = info.below + 1 - info.ran - info.waited;
	return `process ${info.groupName || "unknown"}, ${(info.below + 1).toLocaleString("en")} threads: in the visible range ${info.ran.toLocaleString("en")} ran, ` +
		`${info.waited.toLocaleString("en")} only waited for a CPU, ${still.toLocaleString("en")} were blocked, idle or not there`;
}

export class RowNames {
	#names = [];

	// `pin(info)` pins a row, or unpins it.
	constructor(chart, rowHeight, pin) {
		Object.assign(this, { chart, rowHeight, pin });
		this.root = element("div", { className: "names" });
		this.root.onclick = (event) => this.#click(event);
		this.root.ondblclick = (event) => this.#toggleAt(event);
	}

	#nameAt(index) {
		while (this.#names.length <= index) {
			const pin = element("button", { type: "button", className: "pin", tabIndex: -1 });
			this.#names.push(this.root.appendChild(element("div", { className: "name" },
				element("span", { className: "fold" }), element("span", { className: "text" }), element("span", { className: "number" }), pin)));
		}
		return this.#names[index];
	}

	// Pinned rows stay where they are; the others scroll below them.
	draw() {
		const { top, height, total, pinned } = this.chart;
		const first = Math.max(Math.floor(top / this.rowHeight), pinned);
		const count = Math.max(Math.min(Math.ceil(height / this.rowHeight) + 1, total - first), 0);
		for (let i = 0; i < pinned; i++)
			this.#draw(this.#nameAt(i), i);
		for (let i = 0; i < count; i++)
			this.#draw(this.#nameAt(pinned + i), first + i);
		this.#names.forEach((name, i) => (name.hidden = i >= pinned + count));
	}

	#numberOf(info, isTree) {
		const { sort } = this.chart.settings;
		if (info?.isHost) {
			const host = this.chart.experiment.hosts.find(({ name }) => name === info.name);
			const error = host ? errorOf(host) : "";
			return error && `±${error}`;
		}
		return isFoldedGroup(info) ? countsOf(info) : [
			info?.cpu > 0 && sort === "cpu" ? time.duration(info.cpu) : "",
			info?.tid >= 0 ? info.tid : "",
			info?.host && !isTree ? info.host : "",
		].filter((part) => part !== "").join("  ");
	}

	#draw(name, position) {
		const { chart } = this, info = chart.infoAt(position), isPinned = position < chart.pinned;
		const own = info ? info.name || (info.tid === -1 ? "unknown" : "") : "…";
		const said = [
			position === chart.chosen,
			info?.below > 0 ? (info.folded ? FOLDED : UNFOLDED) : "",
			isFoldedGroup(info) ? info.groupName || own : own,
			this.#numberOf(info, chart.settings.sort === "tree"),
			2 + INDENT * Math.min(info?.depth ?? 0, 12),
			chart.middleOf(position) - this.rowHeight / 2,
			info?.isHost ? "host" : "",
			titleOf(info),
			isPinned,
			info?.tid > 0,
		];
		// Mostly all is as it was, and what is not touched costs the browser nothing.
		if (name.said?.every((one, i) => one === said[i]))
			return;
		name.said = said;
		const [fold, text, number, pin] = name.children;
		let left, top;
		[, fold.textContent, text.textContent, number.textContent, left, top] = said;
		name.classList.toggle("chosen", said[0]);
		name.classList.toggle("host", said[6] !== "");
		name.classList.toggle("pinned", isPinned);
		name.title = said[7];
		pin.hidden = !said[9];
		pin.textContent = isPinned ? "unpin" : "pin";
		pin.title = isPinned ? "back to its place (K)" : "keep it on top (K)";
		name.style.paddingLeft = `${left}px`;
		name.style.transform = `translateY(${top}px)`;
	}

	#click(event) {
		const position = this.chart.positionAt(event.clientY), info = this.chart.infoAt(position);
		if (event.target.className === "pin") {
			this.pin(info);
			return;
		}
		this.chart.choose(position);
		this.chart.dispatchEvent(new Event("clicked"));
		if (event.target.className === "fold" && info?.below > 0)
			this.chart.toggle(info);
	}

	#toggleAt(event) {
		const info = this.chart.infoAt(this.chart.positionAt(event.clientY));
		if (info?.below > 0 && event.target.className !== "fold")
			this.chart.toggle(info);
	}
}
