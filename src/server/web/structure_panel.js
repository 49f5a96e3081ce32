// SPDX-License-Identifier: MIT
// structure_panel.js - the tree on disk (thesis 3.1): the root a square, core nodes triangles, leaves circles, red to green
// by fill. The server says where each node stands; a click says what is in it.

import * as api from "./api.js";
import { Cells, pixelColour } from "./cells.js";
import { canvas, element, Panel } from "./panel.js";
import { colour, eachFrame, fit } from "./viewport.js";
import * as time from "./time.js";

const MARGIN = 24; // px around the whole
const WIDTH = 1200; // of the picture in which the server finds positions; one of many nodes is wider
const SHADES = 32; // of fill: nodes of one are drawn at once
const CURVES_MAX = 800; // more lines than that are a fan from a parent to all of its children
const LINE_HEIGHT = 13, TEXT_SPACE = 6;
const SYMBOL_MIN = 8; // px: what is smaller is a cell, without a shape
const ZOOM_MIN = 0.2, ZOOM_MAX = 400;
const NONE = 0xffffffff;
const SPACED_MIN = 3; // px from node to node
const FAR_OPAQUE = 0.2; // nodes out of the visible range
const DAMAGED = [0x7a, 0x4f, 0xb5]; // no colour of a fill
const RED = [0xc4, 0x34, 0x2b], YELLOW = [0xec, 0xc5, 0x4a], GREEN = [0x1f, 0x8a, 0x4c];

const mix = (from, to, share) => from.map((low, i) => Math.round(low + (to[i] - low) * share));
const fillColour = (fill) => fill < 0.5 ? mix(RED, YELLOW, fill * 2) : mix(YELLOW, GREEN, fill * 2 - 1);
const shadeColour = (shade) => shade === SHADES ? DAMAGED : fillColour(shade / (SHADES - 1));

export class StructurePanel extends Panel {
	chosen = -1; // index of a node
	isComplete = false;
	#view = { zoom: 1, x: 0, y: 0 }; // of the picture, around the position where all of it is seen
	#asked = 0; // trees
	#came = 0;
	#cells = new Cells();

	constructor(viewport, experiment, failed) {
		super("structure", viewport, experiment, failed);
		this.tree = null;
		this.draw = eachFrame(() => this.#draw(), () => (this.isComplete = false));
		this.what = element("span");
		this.analysis = element("select", { title: "of which analysis", ariaLabel: "of which analysis", hidden: true });
		this.analysis.onchange = () => this.#fetch(this.analysis.value).catch(failed);
		this.host = element("select", { title: "of which host", ariaLabel: "of which host", hidden: true });
		this.host.onchange = () => this.#fetch(this.analysis.value).catch(failed);
		const whole = element("button", { type: "button", textContent: "Whole tree", title: "all nodes" });
		whole.onclick = () => this.#show({ zoom: 1, x: 0, y: 0 });
		this.damaged = element("span", { hidden: true }, "   ", element("i", { className: "damaged" }), "");
		const legend = element("span", { className: "scale" }, "■ root  ▲ core node  ● leaf   empty ", element("i"), " full", this.damaged);
		this.canvas = canvas("nodes of the tree on disk", { tabIndex: 0 });
		this.details = element("div", { className: "details", hidden: true });
		this.build({ title: "Structure", className: "chart panel structure" }, [this.host, this.analysis, whole, this.what, legend],
			element("div", { className: "body" }, this.canvas, this.details));
		this.#listen();
		new ResizeObserver(this.draw).observe(this.canvas);
	}

	// ---- mouse ----

	#listen() {
		this.canvas.onwheel = (event) => {
			event.preventDefault();
			this.#zoom(Math.exp(-event.deltaY * 0.002), event.offsetX, event.offsetY);
		};
		this.canvas.onpointerdown = (down) => {
			const { x, y } = this.#view;
			let moved = false;
			this.canvas.setPointerCapture(down.pointerId);
			this.canvas.onpointermove = (event) => {
				const [right, below] = [event.clientX - down.clientX, event.clientY - down.clientY];
				moved ||= Math.hypot(right, below) > 3;
				if (moved)
					this.#show({ ...this.#view, x: x + right, y: y + below });
			};
			this.canvas.onpointerup = (event) => {
				this.canvas.onpointermove = this.canvas.onpointerup = null;
				if (!moved)
					this.choose(this.nodeAt(event.offsetX, event.offsetY));
			};
		};
	}

	#show(view) {
		this.#view = view;
		this.draw();
	}

	#zoom(factor, x, y) {
		const { zoom, x: left, y: top } = this.#view;
		const next = Math.min(Math.max(zoom * factor, ZOOM_MIN), ZOOM_MAX);
		this.#show({ zoom: next, x: x - (x - left) * next / zoom, y: y - (y - top) * next / zoom });
	}

	// ---- nodes ----

	async #fetch(analysis) {
		const turn = ++this.#asked;
		const tree = await api.nodes({
			experiment: this.experiment.uuid, ...analysis ? { analysis } : {}, ...this.host.value ? { host: this.host.value } : {},
			width: WIDTH, height: Math.round(WIDTH * this.canvas.clientHeight / this.canvas.clientWidth),
		});
		if (turn !== this.#asked)
			return;
		this.#came = turn;
		this.tree = tree;
		this.chosen = -1;
		this.#sortByShade();
		this.#findFans();
		this.analysis.replaceChildren(...tree.analyses.map((name) => new Option(name, name, false, name === (analysis ?? tree.analyses[0]))));
		this.analysis.hidden = tree.analyses.length < 2;
		this.host.replaceChildren(...(tree.hosts ?? []).map((name) => new Option(name, name, false, name === tree.host)));
		this.host.hidden = !tree.hosts;
		const sound = tree.used.filter((used) => used !== NONE), damaged = tree.count - sound.length;
		const fill = sound.reduce((sum, used) => sum + used, 0) / Math.max(sound.length * tree.nodeSize, 1);
		this.damaged.hidden = damaged === 0;
		this.damaged.lastChild.textContent = ` ${damaged} damaged`;
		this.what.textContent = `tree ${tree.variant}, ${tree.count.toLocaleString("en")} node${tree.count === 1 ? "" : "s"} of ` +
			`${tree.nodeSize >> 10} KiB in ${tree.depth} level${tree.depth === 1 ? "" : "s"}, ${Math.round(100 * fill)} % full, ` +
			`${tree.intervals.toLocaleString("en")} intervals`;
		this.#showDetails();
		this.#show({ zoom: 1, x: 0, y: 0 });
	}

	// The nodes of each shade, for a path costs more than what is in it.
	#sortByShade() {
		const { tree } = this;
		this.shades = Array.from({ length: SHADES + 1 }, () => []); // after the shades, what is damaged
		for (let i = 0; i < tree.count; i++) {
			const shade = Math.min(Math.floor(tree.used[i] / tree.nodeSize * SHADES), SHADES - 1);
			this.shades[tree.used[i] === NONE ? SHADES : shade].push(i);
		}
		const last = tree.levels[0];
		this.size = { width: tree.width, height: last.bottom };
	}

	// The first and the last child of each column of a level, of which a wall has fewer than nodes.
	#findFans() {
		const { count, parent, height, x } = this.tree, open = [];
		this.fans = [];
		for (let i = 1; i < count; i++) {
			const level = height[parent[i]];
			if (!open[level] || x[open[level].parent] !== x[parent[i]])
				this.fans.push(open[level] = { parent: parent[i], left: i });
			open[level].right = i;
		}
	}

	// From a point of the picture to CSS pixels: across and down have scales of their own, so that all of it fits.
	#scale(width, height) {
		const { zoom, x, y } = this.#view;
		const across = Math.max(width - 2 * MARGIN, 1) / this.size.width;
		const down = Math.max(height - 2 * MARGIN, 1) / this.size.height;
		return { left: x + MARGIN * zoom, top: y + MARGIN * zoom, across: across * zoom, down: down * zoom };
	}

	#position(i, scale) {
		return [scale.left + this.tree.x[i] * scale.across, scale.top + this.tree.y[i] * scale.down];
	}

	#symbolSize(level, scale) {
		return Math.max(2, Math.min(level.size * Math.min(scale.across, scale.down), 26));
	}

	get #scaleNow() {
		return this.#scale(this.canvas.clientWidth, this.canvas.clientHeight);
	}

	// Where a node is, in CSS pixels of the canvas.
	positionOf(i) {
		return this.#position(i, this.#scaleNow);
	}

	nodeAt(x, y) {
		if (!this.tree)
			return -1;
		const scale = this.#scaleNow;
		let found = -1, closest = Infinity;
		for (let i = 0; i < this.tree.count; i++) {
			const [at, down] = this.#position(i, scale);
			const reach = this.#symbolSize(this.tree.levels[this.tree.height[i]], scale) / 2 + 3;
			const distance = Math.hypot(at - x, down - y);
			if (distance <= reach && distance < closest)
				[found, closest] = [i, distance];
		}
		return found;
	}

	choose(i) {
		this.chosen = i;
		this.#showDetails();
		this.draw();
	}

	// ---- details ----

	#showDetails() {
		const { tree, chosen: i } = this;
		this.details.hidden = i < 0;
		if (i < 0)
			return;
		const kind = tree.parent[i] === NONE ? "root" : tree.height[i] > 0 ? "core node" : "leaf";
		const clock = (at) => time.clock(this.viewport.start, at);
		const facts = [
			["kind", kind], ["height", tree.height[i]], ["children", tree.children[i].toLocaleString("en")],
			["from", clock(tree.start[i])], ["to", clock(tree.end[i])], ["for", time.duration(tree.end[i] - tree.start[i])],
			["keys", tree.keyMin[i] <= tree.keyMax[i] ? `${tree.keyMin[i]} – ${tree.keyMax[i]}` : "none of its own"],
			["intervals", tree.intervalCount[i].toLocaleString("en")],
			["bytes", tree.used[i] === NONE ? "damaged" : `${tree.used[i].toLocaleString("en")}, ${this.#fullness(i)}`],
		];
		const table = element("table");
		for (const [name, value] of facts) {
			const row = table.insertRow();
			row.append(element("th", { textContent: name }));
			row.insertCell().textContent = value;
		}
		const button = (textContent, onclick) => element("button", { type: "button", textContent, onclick });
		this.details.replaceChildren(element("h2", { textContent: `Node ${tree.number[i]}` }), table, element("div", { className: "buttons" },
			button("Show its time", () => this.viewport.show(tree.start[i], tree.end[i])),
			button("Mark it", () => {
				this.viewport.mark("a", tree.start[i]);
				this.viewport.mark("b", tree.end[i]);
			}),
			...tree.parent[i] === NONE ? [] : [button(`To parent ${tree.number[tree.parent[i]]}`, () => this.choose(tree.parent[i]))]));
	}

	// ---- drawing ----

	#draw() {
		if (!this.root.isConnected)
			return;
		const { context, width, height, ratio } = fit(this.canvas);
		context.clearRect(0, 0, width, height);
		if (width < 2)
			return;
		if (this.#asked === 0)
			this.#fetch().catch(this.failed);
		if (!this.tree)
			return;
		const scale = this.#scale(width, height);
		if (this.tree.count <= CURVES_MAX)
			this.#drawCurves(context, scale);
		else
			this.#drawFans(context, scale);
		this.#cells.begin(this.canvas, ratio);
		this.#drawNodes(context, scale, width, height);
		this.#cells.paint(context);
		this.#drawTexts(context, scale, width, height);
		this.#drawChosen(context, scale);
		this.isComplete = this.#came === this.#asked;
	}

	#drawCurves(context, scale) {
		context.strokeStyle = colour("line");
		context.beginPath();
		for (let i = 1; i < this.tree.count; i++) {
			const parent = this.tree.parent[i];
			const [x, y] = this.#position(i, scale), [above] = this.#position(parent, scale), top = this.#bottomOf(parent, scale);
			context.moveTo(above, top);
			context.bezierCurveTo(above, (top + y) / 2, x, (top + y) / 2, x, y);
		}
		context.stroke();
	}

	// From each column of a level to all of its children, which stand side by side.  One path of all fans would take a second.
	#drawFans(context, scale) {
		const { tree } = this;
		context.fillStyle = colour("line");
		context.globalAlpha = 0.4;
		for (const { parent, left, right } of this.fans) {
			const above = tree.levels[tree.height[parent]], below = tree.levels[tree.height[left]];
			const [x] = this.#position(parent, scale), [from] = this.#position(left, scale), [to] = this.#position(right, scale);
			const bottom = scale.top + below.top * scale.down;
			context.beginPath();
			context.moveTo(x, above.rows > 1 ? scale.top + above.bottom * scale.down : this.#bottomOf(parent, scale));
			context.lineTo(to, bottom);
			context.lineTo(from, bottom);
			context.fill();
		}
		context.globalAlpha = 1;
	}

	// Those that a query of the visible range would visit stand out.
	#drawNodes(context, scale, width, height) {
		const { tree, viewport } = this;
		const sizes = tree.levels.map((level) => this.#symbolSize(level, scale));
		const cells = tree.levels.map((level, i) => sizes[i] < SYMBOL_MIN && level.rows > 1 && this.#cellOf(level, scale));
		this.shades.forEach((nodes, shade) => {
			const near = new Path2D(), far = new Path2D(), tint = shadeColour(shade);
			const pixel = pixelColour(...tint), farPixel = pixelColour(...tint, Math.round(255 * FAR_OPAQUE));
			for (const i of nodes) {
				const level = tree.height[i], size = sizes[level], cell = cells[level];
				const x = scale.left + tree.x[i] * scale.across, y = scale.top + tree.y[i] * scale.down;
				if (x < -size || x > width + size || y < -size || y > height + size)
					continue;
				const isNear = tree.start[i] <= viewport.to && tree.end[i] >= viewport.from;
				if (cell)
					this.#cells.add(x - cell.width / 2, y - cell.height / 2, cell.width, cell.height, isNear ? pixel : farPixel);
				else
					this.#addSymbol(isNear ? near : far, i, x, y, size);
			}
			context.fillStyle = `rgb(${tint})`;
			context.fill(near);
			context.globalAlpha = FAR_OPAQUE;
			context.fill(far);
			context.globalAlpha = 1;
		});
	}

	// A node of a wall; where nodes are too close for a space between them, there is none.
	#cellOf(level, scale) {
		const size = (pitch) => pitch < SPACED_MIN ? pitch : pitch - Math.max(1, pitch / 4);
		return { width: size(level.distance * scale.across), height: size((level.size + 1) * scale.down) };
	}

	#addSymbol(path, i, x, y, size) {
		const half = size / 2, { tree } = this;
		if (tree.parent[i] === NONE || size < SYMBOL_MIN / 2)
			path.rect(x - half, y - half, size, size);
		else if (tree.height[i] > 0) {
			path.moveTo(x, y - half);
			path.lineTo(x + half, y + half);
			path.lineTo(x - half, y + half);
			path.closePath();
		} else {
			path.moveTo(x + half, y);
			path.arc(x, y, half, 0, 2 * Math.PI);
		}
	}

	// As many as there is room for, next to the next node and above the next level, which a zoom makes.
	#linesOf(height, scale) {
		const { levels } = this.tree, level = levels[height];
		const room = level.distance * scale.across;
		const below = height > 0 ? (levels[height - 1].top - level.top - level.size / 2) * scale.down - this.#symbolSize(level, scale) / 2 : Infinity;
		const linesMax = Math.floor((below - TEXT_SPACE) / LINE_HEIGHT);
		return level.rows > 1 ? 0 : room >= 145 && linesMax >= 4 ? 4 : room >= 56 && linesMax >= 2 ? 2 : 0;
	}

	// Where lines to its children begin: below its texts.
	#bottomOf(i, scale) {
		const height = this.tree.height[i], level = this.tree.levels[height], lines = this.#linesOf(height, scale);
		return this.#position(i, scale)[1] + this.#symbolSize(level, scale) / 2 + LINE_HEIGHT * lines + (lines > 0 ? TEXT_SPACE : 0);
	}

	#drawTexts(context, scale, width, height) {
		const { tree } = this;
		context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
		context.textAlign = "center";
		context.fillStyle = colour("quiet");
		const linesOf = tree.levels.map((_, height) => this.#linesOf(height, scale));
		for (let i = 0; i < tree.count; i++) {
			const level = tree.levels[tree.height[i]], lines = linesOf[tree.height[i]];
			if (lines === 0)
				continue;
			const room = level.distance * scale.across, size = this.#symbolSize(level, scale);
			const [x, y] = this.#position(i, scale);
			if (x < -room || x > width + room || y < -60 || y > height + 60)
				continue;
			this.#textsOf(i).slice(0, lines).forEach((text, line) => context.fillText(text, x, y + size / 2 + LINE_HEIGHT * (line + 1)));
		}
		context.textAlign = "start";
	}

	#fullness(i) {
		return `${Math.round(100 * this.tree.used[i] / this.tree.nodeSize)} % full`;
	}

	#textsOf(i) {
		const { tree } = this;
		return [
			tree.parent[i] === NONE ? `${tree.number[i]}, root` : `${tree.number[i]}, of ${tree.number[tree.parent[i]]}`,
			tree.used[i] === NONE ? "damaged" : this.#fullness(i),
			`+${time.duration(tree.start[i])}, ${time.duration(tree.end[i] - tree.start[i])}`,
			tree.keyMin[i] <= tree.keyMax[i] ? `${tree.keyMin[i]} – ${tree.keyMax[i]}` : "no intervals",
		];
	}

	#drawChosen(context, scale) {
		if (this.chosen < 0)
			return;
		const [x, y] = this.#position(this.chosen, scale);
		const size = this.#symbolSize(this.tree.levels[this.tree.height[this.chosen]], scale);
		context.strokeStyle = colour("accent");
		context.lineWidth = 2;
		context.beginPath();
		context.arc(x, y, size / 2 + 4, 0, 2 * Math.PI);
		context.stroke();
		context.lineWidth = 1;
	}
}
