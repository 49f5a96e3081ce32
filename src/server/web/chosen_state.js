// SPDX-License-Identifier: MIT
// chosen_state.js - the state of the chosen row at marker A: its bounds, what was before and after it, what else was known
// then; and why it was so: who woke a thread that was blocked, who had the CPU that it waited for.

import * as api from "./api.js";
import { isArrow, nameOf, sharesOf, threadOf } from "./critical_path.js";
import { element } from "./panel.js";
import { factsOf, groupNameOf, isFoldedGroup } from "./row_names.js";
import * as time from "./time.js";

const PIXELS = 1024; // of the path of one state: all of its steps, as a rule
const HAD_BY_MAX = 3;

const BLOCKED = "blocked", WAITS = "waits for a CPU";

const said = (state) => !state ? "" : [state.style?.name, state.text].filter((text, i, all) => text && all.indexOf(text) === i).join(": ") || "nothing";

export class ChosenState {
	isComplete = true;
	range = null; // of the state: its first ns and the first that it is not there any more
	#chart = null;
	#info = null;
	#turn = 0;

	// `changed()` is called when it is known what is chosen.
	constructor(viewport, experiment, failed, changed) {
		Object.assign(this, { viewport, experiment, failed, changed });
		this.root = element("div", { className: "chosen-state lines" });
		this.#put(["", "click on a state"]);
	}

	of(chart, info) {
		this.#chart = chart;
		this.#info = info;
		this.ask();
	}

	// What is chosen is another one, or marker A has moved.
	ask() {
		const turn = ++this.#turn, { a } = this.viewport, info = this.#info, isGroup = Boolean(info) && isFoldedGroup(info);
		this.range = null;
		this.isComplete = !info || isGroup || a === null;
		if (isGroup)
			this.#showGroup(info);
		if (!this.isComplete)
			this.#fetch(turn, a).catch(this.failed).finally(() => {
				this.isComplete ||= turn === this.#turn;
				this.changed();
			});
	}

	async #fetch(turn, at) {
		const info = this.#info, { row } = info, chart = this.#chart;
		const state = await chart.state(row, at);
		if (state.start === undefined || turn !== this.#turn)
			return;
		this.range = { from: state.start, to: state.end + 1 };
		const beside = async (at) => at >= 0 && at <= this.viewport.duration ? chart.state(row, at) : null;
		const [before, after] = await Promise.all([beside(state.start - 1), beside(state.end + 1)]);
		const why = await this.#why(info, state, after).catch(() => []); // it is more than was asked for
		if (turn === this.#turn)
			this.#show(info, state, before, after, why);
	}

	async #why(info, state, after) {
		const thread = threadOf(info);
		if (thread === "" || !this.experiment.hasThreads)
			return [];
		if (state.style?.name === WAITS)
			return this.#hadBy(info, state);
		return state.style?.name === BLOCKED && this.experiment.hasPaths ? this.#wokenBy(thread, state, after) : [];
	}

	// Who had the CPU meanwhile.
	async #hadBy(info, state) {
		const where = `thread == ${info.tid}${info.host ? ` && host == ${api.quoted(info.host)}` : ""} && state == waiting`;
		const { rows } = await api.json("time-use", { experiment: this.experiment.uuid, by: "had-by", where, from: state.start,
			to: state.end, limit: HAD_BY_MAX });
		return rows.map((one, i) => [i === 0 ? "CPU had by" : "",
			`${[one.hadByName, one.had_by].filter((part) => part !== "" && part !== undefined).join(" ") || "nobody that is known"}, ` +
			time.duration(one.ns.reduce((all, ns) => all + ns, 0))]);
	}

	// What woke it, when, how long until it ran, and the chain behind.
	async #wokenBy(thread, state, after) {
		const path = await api.json("path", { experiment: this.experiment.uuid, thread, from: state.start, to: state.end + 1, pixels: PIXELS });
		const wakes = path.steps.filter((step) => isArrow(step) && step[1] === 0).sort((one, other) => other[4] - one[4]);
		const lines = [];
		if (wakes.length > 0)
			lines.push(["woken by", `${nameOf(path.threads[wakes[0][0]])} at ${time.clock(this.viewport.start, wakes[0][4])}`]);
		if (after?.style?.name === WAITS)
			lines.push(["ran after", time.duration(after.end + 1 - after.start)]);
		const chain = path.threads.slice(1).map(nameOf);
		if (chain.length > 1)
			lines.push(["chain", chain.join(" ← ")]);
		return path.steps.length > 0 ? [...lines, ["waited for", sharesOf(path)]] : lines;
	}

	#show(info, state, before, after, why) {
		const { start } = this.viewport;
		const brief = (one) => one?.start === undefined ? "" : `${said(one)}, ${time.duration(one.end + 1 - one.start)}`;
		this.#put(["", `${info.name || info.track || "unknown"}${info.tid > 0 ? ` ${info.tid}` : ""}`], ["state", said(state)],
			["from", time.clock(start, state.start)], ["to", time.clock(start, state.end + 1)],
			[state.open ? "for at least" : "for", time.duration(state.end + 1 - state.start)], ...why,
			["before", brief(before)], ["after", brief(after)],
			...factsOf(info, state, ["pid", "ppid"]));
	}

	// A process has no states of its own, but threads that did something in the visible range.
	#showGroup(info) {
		const { name, tid, ran, waited, below } = info, count = (number) => number.toLocaleString("en");
		this.#put(["", groupNameOf(info)], ["threads", count(below + 1)], ["ran here", count(ran)],
			["only waited for a CPU", count(waited)], ["blocked, idle or not there", count(below + 1 - ran - waited)], ["busiest here", `${name || "thread"} ${tid}`]);
	}

	#put(...lines) {
		this.root.replaceChildren(element("table", {}, element("tbody", {}, ...lines.filter(([, value]) => value !== "").map(([name, value]) =>
			element("tr", {}, element("th", { textContent: name }), element("td", { textContent: value }))))));
	}
}
