// SPDX-License-Identifier: MIT
// flame_panel.js - call stacks between the markers or in the visible range, added up: a box for each function, as wide as its share, below the one
// that called it, as in Call Stack.  A click makes a box as wide as the panel, and its callers.

import { inkOn } from "./paint.js";
import { canvas, element, Panel } from "./panel.js";
import { RangedAnswer } from "./ranged_answer.js";
import * as time from "./time.js";
import { hideTip, showTip } from "./tip.js";
import { colour, eachFrame, fit, sizeOf } from "./viewport.js";

const ROW_HEIGHT = 18;
const ROWS_MAX = 400; // the canvas has them all
const PIXELS_MAX = 8192;
const VISIBLE = 0.5; // px
const TEXT_MIN = 24; // px

// Nodes with their children and callers, of the answer's depth first list.
function treeOf({ total, nodes }) {
	const root = { name: "all", depth: 0, total, self: 0, style: -1, children: [], parent: null };
	const callers = [root];
	for (const [name, depth, nodeTotal, self, style] of nodes) {
		const parent = callers[depth - 1];
		const node = { name, depth, total: nodeTotal, self, style, children: [], parent };
		parent.children.push(node);
		callers.length = depth;
		callers.push(node);
	}
	return root;
}

const stackOf = (node) => (node.parent ? [...stackOf(node.parent), node.name] : []);

// The node of a stack, or of as much of it as is there.
function find(root, stack) {
	let node = root;
	for (const name of stack) {
		const child = node.children.find((one) => one.name === name);
		if (!child)
			break;
		node = child;
	}
	return node;
}

export class FlamePanel extends Panel {
	// What the address says: all threads together or apart, what is searched, the stack that is as wide as the panel.
	settings = { by: "", search: "", stack: [] };
	#tree = null;
	#boxes = [];

	constructor(viewport, experiment, failed, settings) {
		super("flame", viewport, experiment, failed);
		Object.assign(this.settings, settings);
		if (!Array.isArray(this.settings.stack))
			this.settings.stack = [];
		this.draw = eachFrame(() => this.#draw());
		this.answer = new RangedAnswer("flame", () => this.#came(), failed);
		this.what = element("span", { className: "what" });
		this.by = element("button", { textContent: "by thread", title: "keep the stacks of each thread apart", ariaPressed: this.settings.by === "thread" });
		this.by.onclick = () => this.set({ by: this.settings.by === "thread" ? "" : "thread", stack: [] });
		this.search = element("input", { type: "search", className: "filter", placeholder: "search functions", ariaLabel: "search functions",
			value: this.settings.search });
		this.search.oninput = () => this.set({ search: this.search.value.trim() });
		this.search.onkeydown = (event) => event.stopPropagation();
		this.canvas = canvas("call stacks, as wide as their time");
		this.canvas.onpointermove = (event) => this.#point(event);
		this.canvas.onpointerleave = hideTip;
		this.canvas.onclick = (event) => this.#click(event);
		const body = element("div", { className: "lines flame" }, this.canvas);
		this.build({ title: "Flame graph" }, [this.by, this.search, this.what], body);
		const watch = new ResizeObserver(() => this.draw());
		watch.observe(body);
		watch.observe(this.canvas); // it is as high as its rows
	}

	set(changed) {
		super.set(changed);
		this.by.ariaPressed = this.settings.by === "thread";
	}

	get isComplete() {
		return this.answer.isLatest;
	}

	#came() {
		this.#tree = treeOf(this.answer.answer);
		this.draw();
	}

	#ask() {
		const { viewport: { selected: { from, to }, isMarked }, experiment, settings } = this;
		const pixels = Math.min(Math.max(sizeOf(this.canvas).width, 1), PIXELS_MAX);
		this.answer.ask({ experiment: experiment.uuid, by: settings.by }, { from, to: isMarked ? to - 1 : to, pixels });
	}

	get #shown() {
		return find(this.#tree, this.settings.stack);
	}

	// Boxes from the outermost one on: callers of what was clicked are as wide as it.
	#layOut(width) {
		const shown = this.#shown, boxes = [];
		const add = (node, x, wide) => {
			if (wide < VISIBLE || node.depth >= ROWS_MAX)
				return;
			boxes.push({ node, x, width: wide, row: node.depth });
			let at = x;
			for (const child of node.children) {
				add(child, at, child.total / node.total * wide);
				at += child.total / node.total * wide;
			}
		};
		for (let caller = shown.parent; caller; caller = caller.parent)
			boxes.unshift({ node: caller, x: 0, width, row: caller.depth });
		if (shown.total > 0)
			add(shown, 0, width);
		return boxes;
	}

	#draw() {
		if (!this.root.isConnected)
			return;
		this.#ask();
		if (!this.#tree)
			return;
		const matches = this.#matches();
		this.#say(matches);
		this.#boxes = this.#layOut(sizeOf(this.canvas).width);
		const rows = this.#boxes.reduce((most, { row }) => Math.max(most, row + 1), 1);
		this.canvas.style.height = `${rows * ROW_HEIGHT}px`;
		const { context, width, height } = fit(this.canvas);
		context.clearRect(0, 0, width, height);
		context.font = "11px sans-serif";
		context.textBaseline = "middle";
		for (const box of this.#boxes)
			this.#drawBox(context, box, matches);
	}

	#drawBox(context, { node, x, width, row }, matches) {
		const style = this.answer.answer.styles[node.style];
		const isFaded = matches !== null && !matches.has(node);
		context.globalAlpha = isFaded ? 0.25 : 1;
		context.fillStyle = style ? (this.viewport.dark ? style.dark : style.light) : colour("line");
		context.fillRect(x, row * ROW_HEIGHT, Math.max(width - (width > 2 ? 0.6 : 0), VISIBLE), ROW_HEIGHT - 1);
		if (width < TEXT_MIN)
			return;
		context.save();
		context.beginPath();
		context.rect(x, row * ROW_HEIGHT, width - 3, ROW_HEIGHT);
		context.clip();
		context.globalAlpha = isFaded ? 0.6 : 1;
		context.fillStyle = style && !isFaded ? inkOn(this.viewport.dark ? style.dark : style.light) : colour("ink");
		context.fillText(node.name, x + 4, (row + 0.5) * ROW_HEIGHT);
		context.restore();
		context.globalAlpha = 1;
	}

	// The nodes whose names have what is searched; null: nothing is.
	#matches() {
		const text = this.settings.search.toLowerCase();
		if (text === "")
			return null;
		const found = new Set();
		const visit = (node) => {
			if (node.parent && node.name.toLowerCase().includes(text))
				found.add(node);
			node.children.forEach(visit);
		};
		visit(this.#tree);
		return found;
	}

	// Samples may count events in place of ns.
	#weight(weight) {
		const { unit } = this.answer.answer;
		return unit ? `${weight.toLocaleString("en")} ${unit}` : time.duration(weight);
	}

	#say(matches) {
		const { total } = this.#tree;
		const said = [total > 0 ? this.#weight(total) : "no function is going on in the visible range"];
		if (matches) {
			// A match below another one is in it already.
			let sum = 0;
			for (const node of matches) {
				let above = node.parent;
				while (above && !matches.has(above))
					above = above.parent;
				sum += above ? 0 : node.total;
			}
			said.push(`${matches.size} found, ${(100 * sum / Math.max(total, 1)).toFixed(2)} %`);
		}
		if (this.answer.answer.isDamaged)
			said.push("the store is damaged");
		this.what.textContent = said.join(" · ");
	}

	boxAt(x, y) {
		const row = Math.floor(y / ROW_HEIGHT);
		return this.#boxes.find((box) => box.row === row && box.x <= x && x < box.x + box.width) ?? null;
	}

	#point(event) {
		const node = this.boxAt(event.offsetX, event.offsetY)?.node;
		if (!node) {
			hideTip();
			return;
		}
		const share = (weight) => `${this.#weight(weight)}, ${(100 * weight / Math.max(this.#tree.total, 1)).toFixed(2)} %`;
		showTip(event, node.name, node.parent ? [["total", share(node.total)], ["itself", share(node.self)]] : [["total", share(node.total)]]);
	}

	#click(event) {
		const node = this.boxAt(event.offsetX, event.offsetY)?.node;
		if (node)
			this.set({ stack: node === this.#shown ? [] : stackOf(node) });
	}
}
