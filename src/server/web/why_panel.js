// SPDX-License-Identifier: MIT
// why_panel.js - what the chosen thread waited for, between the markers or in the visible range: a row for each thread on its critical path, in
// the order in which it comes to them, and arrows along it.

import { isArrow, nameOf, paintArrow, PathAnswer, sharesOf, textOf, threadOf } from "./critical_path.js";
import { canvas, element, Panel } from "./panel.js";
import { colour, drawMarkers, eachFrame, fit, sizeOf } from "./viewport.js";

const ROW_HEIGHT = 18;
const ROWS_MAX = 400; // the canvas has them all
const PIXELS_MAX = 8192;
const NEAR = 3; // px, to be pointed at

export class WhyPanel extends Panel {
	settings = { thread: "" };
	#names = "";

	constructor(viewport, experiment, failed, settings) {
		super("why", viewport, experiment, failed);
		Object.assign(this.settings, settings);
		this.draw = eachFrame(() => this.#draw());
		this.answer = new PathAnswer(() => this.draw(), failed);
		this.what = element("span", { className: "what" });
		this.names = element("div", { className: "path-names" });
		this.canvas = canvas("the critical path, a row for each thread on it");
		this.body = element("div", { className: "lines path" }, this.names, this.canvas);
		this.build({ title: "Why", label: "Why a thread took so long" }, [this.what], this.body);
		this.canvas.onpointermove = (event) => (this.canvas.title = this.textAt(event.offsetX, event.offsetY));
		this.names.onclick = (event) => this.#clickName(event);
		const watch = new ResizeObserver(() => this.draw());
		watch.observe(this.body);
		watch.observe(this.canvas); // it is as high as its rows
	}

	// A row was chosen in a chart.
	onChosen(info) {
		const thread = threadOf(info);
		if (thread !== "" && thread !== this.settings.thread)
			this.set({ thread });
	}

	get path() {
		return this.settings.thread === "" ? null : this.answer.path;
	}

	get #wanted() {
		const { viewport: { selected: { from, to } }, experiment, settings } = this;
		return { experiment: experiment.uuid, thread: settings.thread, from, to: Math.max(to - 1, from),
			pixels: Math.min(Math.max(sizeOf(this.canvas).width, 1), PIXELS_MAX) };
	}

	get isComplete() {
		return this.settings.thread === "" || this.answer.isOf(this.#wanted);
	}

	#draw() {
		if (!this.root.isConnected)
			return;
		if (this.settings.thread === "") {
			this.what.textContent = "choose a thread in Control Flow";
			return;
		}
		this.answer.follow(this.#wanted);
		const { path } = this;
		if (!path)
			return;
		const rows = Math.min(path.threads.length, ROWS_MAX);
		const more = path.threads.length > rows ? ` (${path.threads.length - rows} threads more: zoom in)` : "";
		this.what.textContent = `${this.settings.thread}: ` + (path.steps.length === 0 ? `nothing of it ${this.viewport.selectedSaid}` :
			`${sharesOf(path)}, ${this.viewport.selectedSaid}`) + (path.all ? "" : " (up to here: the path is longer, zoom in)") + more;
		this.#drawNames(path, rows);
		this.canvas.style.height = `${Math.max(rows, 1) * ROW_HEIGHT}px`;
		this.#drawPath(path, rows);
	}

	#drawNames(path, rows) {
		const said = path.threads.slice(0, rows).map(nameOf);
		if (said.join("\n") === this.#names)
			return;
		this.#names = said.join("\n");
		this.names.replaceChildren(...said.map((name) => element("div", { className: "path-name", textContent: name })));
	}

	#drawPath(path, rows) {
		const { context, width, height } = fit(this.canvas);
		const { viewport } = this;
		const x = (at) => (at - viewport.from) / viewport.span * width;
		context.clearRect(0, 0, width, height);
		for (const [thread, to, state, start, end] of path.steps) {
			if (to >= 0 || thread >= rows)
				continue;
			const style = path.states[state].style, high = Math.max((style?.height ?? 0.3) * (ROW_HEIGHT - 4), 3);
			context.fillStyle = style ? (viewport.dark ? style.dark : style.light) : colour("quiet");
			context.fillRect(x(start), (thread + 0.5) * ROW_HEIGHT - high / 2, Math.max(x(end) - x(start), 1), high);
		}
		context.strokeStyle = context.fillStyle = colour("accent");
		context.lineWidth = 1.3;
		const y = (thread) => (thread + 0.5) * ROW_HEIGHT;
		const arrows = path.steps.filter((step) => isArrow(step) && step[0] < rows && step[1] < rows);
		if (arrows.length <= width / 2)
			for (const [from, to, , start, end] of arrows)
				paintArrow(context, x(start), y(from), x(end), y(to));
		drawMarkers(context, viewport, width, height);
	}

	textAt(x, y) {
		const { path, viewport } = this, { width } = sizeOf(this.canvas);
		const thread = Math.floor(y / ROW_HEIGHT), ns = viewport.span / width;
		const at = viewport.from + x * ns;
		const step = path?.steps.find((one) => !isArrow(one) && one[0] === thread && one[3] <= at + NEAR * ns && one[4] >= at - NEAR * ns);
		return step ? textOf(path, step) : "";
	}

	#clickName(event) {
		const position = [...this.names.children].indexOf(event.target);
		if (position >= 0)
			this.chose?.(this.path.threads[position]);
	}
}
