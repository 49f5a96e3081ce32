// SPDX-License-Identifier: MIT
// compare_panel.js - what differs between two spans, two hosts or two traces, as `histree compare` counts it.  A side is a
// place: a trace, a host of it or all, and a span, which is all of it, the selected one, or one that was kept.

import * as api from "./api.js";
import { copyButton, element, Panel } from "./panel.js";
import { RangedAnswer } from "./ranged_answer.js";
import * as time from "./time.js";
import { eachFrame } from "./viewport.js";

const ROWS_MAX = 500;
const SIDES = ["a", "b"];
const TEXTS = ["What", "State", "Name", "Verdict"];
const kept = []; // spans of whatever trace, while the page is open: of two traces too, one is looked at after the other

const average = (number) => number.toFixed(4), signed = (number) => `${number < 0 ? "−" : "+"}${average(Math.abs(number))}`;
const hostsOf = ({ hosts }) => ["", ...(hosts ?? []).filter(({ why }) => !why).map(({ name }) => name)];
const isSpanOf = (span, { duration }) => Array.isArray(span) && span.length === 2 && span.every(Number.isFinite) && span[0] >= 0 && span[0] < span[1] && span[1] <= duration;
const lasted = (ns) => ns === undefined ? "" : time.duration(ns);

const STATES = [["What", ({ what }) => what], ["State", ({ state }) => state === null ? "(unknown)" : String(state)],
	["A", ({ a }) => average(a), "how many were in the state, on average"], ["B", ({ b }) => average(b), "how many were in the state, on average"],
	["Difference", ({ a, b }) => signed(b - a)], ["Noise", ({ noise }) => average(noise), "by how much halves of A, or of B, differ from each other"],
	["Verdict", ({ said }) => said]];
const SEGMENTS = [["Name", ({ name }) => name === null ? "(unknown)" : String(name)], ["A", ({ a }) => a.count.toLocaleString("en"), "how many there were"],
	["B", ({ b }) => b.count.toLocaleString("en"), "how many there were"], ["A p50", ({ a }) => lasted(a.p50)], ["B p50", ({ b }) => lasted(b.p50)],
	["A p99", ({ a }) => lasted(a.p99)], ["B p99", ({ b }) => lasted(b.p99)],
	["Longer", ({ longer }) => longer.toFixed(3), "of all pairs of one of A and one of B, the share in which that of B lasts longer"],
	["Noise", ({ noise }) => noise.toFixed(3), "how far this is from a half between halves of A, or of B"],
	["p", ({ p }) => p.toExponential(1), "how likely it is that chance alone does as much"], ["Verdict", ({ said }) => said]];

export class ComparePanel extends Panel {
	// Sides are {trace, host, span}; a span is "all", "selected" or [from, to].  `of`: segments of an analysis, or "" for states.
	settings = { a: null, b: null, of: "" };
	#traces = [];
	#stores = []; // of segments

	constructor(viewport, experiment, failed, settings) {
		super("compare", viewport, experiment, failed);
		Object.assign(this.settings, settings);
		this.draw = eachFrame(() => this.#ask(), () => (this.isAsked = false));
		this.data = new RangedAnswer("compare", () => this.#show(), failed);
		this.sides = SIDES.map((side) => element("select", { ariaLabel: `side ${side.toUpperCase()}`, title: `what is ${side.toUpperCase()}`,
			onchange: ({ target }) => this.set({ [side]: JSON.parse(target.value) }) }));
		this.of = element("select", { ariaLabel: "what is compared", title: "what is compared", onchange: () => this.set({ of: this.of.value }) });
		this.keep = element("button", { type: "button", textContent: "Keep as A", title: "keep the selected span as A, and compare what is selected next with it",
			onclick: () => this.#keep() });
		const swap = element("button", { type: "button", textContent: "⇄", title: "swap A and B", ariaLabel: "swap A and B",
			onclick: () => this.set({ a: this.settings.b, b: this.settings.a }) });
		this.said = element("span", { className: "said", role: "status" });
		this.head = element("tr");
		this.body = element("tbody");
		const label = (text, select) => element("label", {}, `${text} `, select);
		this.build({ title: "Compare", label: "What differs between two spans, hosts or traces" },
			[label("A", this.sides[0]), label("B", this.sides[1]), swap, this.keep, this.of, this.said, element("span", { className: "spring" }),
				copyButton("Copy as command", "the same as a command of a shell", () => this.command, failed)],
			element("div", { className: "lines" }, element("table", { className: "statistics compared" }, element("thead", {}, this.head), this.body)));
		this.#load().catch(failed);
	}

	get isComplete() {
		return this.isAsked && this.data.isLatest;
	}

	get #usual() {
		const of = (host, span) => ({ trace: this.experiment.uuid, host, span });
		const [, ...hosts] = hostsOf(this.experiment);
		return hosts.length > 1 ? [of(hosts[0], "all"), of(hosts[1], "all")] : [of("", "all"), of("", "selected")];
	}

	async #load() {
		const { uuid } = this.experiment;
		[this.#traces, this.#stores] = await Promise.all([api.experiments(), this.experiment.hasSegments ? api.json("segment-stores", { experiment: uuid }) : []]);
		this.#traces = this.#traces.filter(({ status }) => status === "ready");
		SIDES.forEach((side, i) => {
			if (!this.#isThere(this.settings[side]))
				this.settings[side] = this.#usual[i];
		});
		if (!this.#stores.some(({ analysis }) => analysis === this.settings.of))
			this.settings.of = "";
		this.of.replaceChildren(new Option("time in states", ""), ...this.#stores.map(({ analysis }) => new Option(`how long ${analysis.replaceAll("-", " ")} last`, analysis)));
		this.draw();
	}

	// An address may say anything.
	#isThere(place) {
		const trace = place && this.#traceOf(place);
		return Boolean(trace) && hostsOf(trace).includes(place.host) &&
			(place.span === "all" || (place.span === "selected" && trace.uuid === this.experiment.uuid) || isSpanOf(place.span, trace));
	}

	// The selected span is A from now on, and what is selected next is B.
	#keep() {
		const { from, to } = this.viewport.selected;
		const place = { trace: this.experiment.uuid, host: this.settings.b.host, span: [from, to] };
		this.set({ a: place, b: { ...place, span: "selected" } });
	}

	#traceOf({ trace }) {
		return this.#traces.find(({ uuid }) => uuid === trace);
	}

	// In words: "a trace, host, 17:46:23.100 – 17:46:23.200".
	#nameOf(place) {
		const { name, start } = this.#traceOf(place), at = (ns) => time.clock(BigInt(start), ns, 6);
		const span = place.span === "all" ? "all of it" : place.span === "selected" ? "the selected span" : `${at(place.span[0])} – ${at(place.span[1])}`;
		return [this.#traces.length > 1 ? name : "", place.host, span].filter((part) => part !== "").join(", ");
	}

	// All that a side may be.
	get #places() {
		const own = this.experiment.uuid, settled = SIDES.map((side) => this.settings[side]);
		for (const place of settled)
			if (Array.isArray(place.span) && !kept.some((one) => JSON.stringify(one) === JSON.stringify(place)))
				kept.push(place);
		return [...this.#traces.flatMap((trace) => hostsOf(trace).flatMap((host) =>
			["selected", "all"].filter((span) => span === "all" || trace.uuid === own).map((span) => ({ trace: trace.uuid, host, span })))),
		...kept.filter((place) => this.#traceOf(place))];
	}

	// From where to where, both inclusive.
	#rangeOf(place) {
		const { from, to } = this.viewport.selected;
		return place.span === "all" ? [0, this.#traceOf(place).duration] : place.span === "selected" ? [from, Math.max(to - 1, from)]
			: [place.span[0], Math.max(place.span[1] - 1, place.span[0])];
	}

	// As `histree compare` takes it.
	get command() {
		const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
		const words = SIDES.map((side) => shell(this.#traceOf(this.settings[side]).store));
		SIDES.forEach((side, i) => {
			const place = this.settings[side], end = i === 0 ? "" : "-b";
			const { start } = this.#traceOf(place), [from, to] = this.#rangeOf(place);
			words.push(`--from${end} ${BigInt(start) + BigInt(from)} --to${end} ${BigInt(start) + BigInt(to)}`);
			if (place.host !== "")
				words.push(`--host${end} ${shell(place.host)}`);
		});
		if (this.settings.of !== "")
			words.push(`-a ${shell(this.settings.of)}`);
		return `histree compare ${words.join(" ")}`;
	}

	#ask() {
		const { a, b, of } = this.settings;
		if (this.#traces.length === 0)
			return;
		const places = this.#places;
		this.sides.forEach((select, i) => {
			select.replaceChildren(...places.map((place) => new Option(this.#nameOf(place), JSON.stringify(place))));
			select.value = JSON.stringify(this.settings[SIDES[i]]);
		});
		this.of.value = of;
		const [from, to] = this.#rangeOf(a), [fromB, toB] = this.#rangeOf(b);
		this.data.ask({ experiment: a.trace, experimentB: b.trace, host: a.host, hostB: b.host, segments: of, limit: ROWS_MAX }, { from, to, fromB, toB });
		this.isAsked = true;
	}

	#show() {
		const { answer } = this.data, columns = answer.states ? STATES : SEGMENTS;
		const rows = answer.states ?? [answer.all, ...answer.groups];
		const most = Math.max(...rows.map((row) => this.#changeOf(row)), 1e-12);
		this.head.replaceChildren(...columns.map(([name, , title = ""]) => element("th", { textContent: name, title, className: TEXTS.includes(name) ? "text" : "" })), element("th"));
		this.body.replaceChildren(...rows.map((row, i) => this.#rowOf(row, columns, most, !answer.states && i === 0)));
		const differ = rows.filter(({ verdict }) => !["noise", "too few"].includes(verdict)).length;
		this.said.textContent = `${differ.toLocaleString("en")} of ${rows.length.toLocaleString("en")} differ by more than noise${answer.isDamaged ? "; parts of a store cannot be read" : ""}`;
	}

	#changeOf(row) {
		return row.longer === undefined ? Math.abs(row.b - row.a) : Math.abs(row.longer - 0.5);
	}

	// With a bar to the right for what became more, or longer, and to the left for what became less.
	#rowOf(row, columns, most, isAll) {
		const line = element("tr", { className: [isAll ? "all" : "", ["noise", "too few"].includes(row.verdict) ? "is-noise" : ""].join(" ") },
			...columns.map(([name, text]) => element("td", { textContent: isAll && name === "Name" ? "(all)" : text(row), className: TEXTS.includes(name) ? "text" : "" })));
		const bar = element("span", { className: row.longer === undefined ? (row.b > row.a ? "more" : "less") : row.longer > 0.5 ? "more" : "less" });
		bar.style.width = `${(50 * this.#changeOf(row) / most).toFixed(1)}%`;
		line.append(element("td", { className: "change" }, bar));
		return line;
	}
}
