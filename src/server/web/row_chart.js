// SPDX-License-Identifier: MIT
// row_chart.js - a chart with a row a thread, a CPU or an attribute: names on the left, states over time on the right.
//
// Only rows in view exist: names are a few elements that are used again, states are blocks.  So a million rows scroll
// as fast as forty.

import * as api from "./api.js";
import { Arrows } from "./arrows.js";
import { PathOverlay, threadOf } from "./critical_path.js";
import { BLOCK_ROWS, Blocks, pictureOf } from "./blocks.js";
import { NO_STYLE, OPEN_STATE, OTHER_STATES, SPAN_FIELDS } from "./api.js";
import { Matches } from "./matches.js";
import { inkOn } from "./paint.js";
import { canvas, element } from "./panel.js";
import { isOfKernel, RowNames } from "./row_names.js";
import { colour, drawMarkers, eachFrame, fit } from "./viewport.js";

export const ROW_HEIGHT = 18;
export const ORDERS = { active: "busiest here", tree: "as a tree", tid: "by tid", name: "by name", first: "by first time", cpu: "by CPU time" };
const TOGGLES_MAX = 1000; // the server takes 1,024
const ROWS_ASKED_MAX = 512;
const PINNED_MAX = BLOCK_ROWS; // they are of the first block
const FOLDS = [false, true, "hosts"]; // what is folded, but for the rows that are toggled: nothing, all, hosts
const HOSTS_UNFOLDED_MAX = 4; // more of them begin folded
const PIXELS_MAX = 8192;
const TEXT_WIDTH_MIN = 24;
const THIN = 0.4; // of a row: a line and no bar
const WAIT = "Wait"; // the key of a wait whose cause is unknown
const NAMED_BY_TEXT = { spans: true, calls: true }; // views
const LETTERS_MIN = 2; // of a name that is cut
const TEETH = 4; // of an edge that is torn
const ACTIVE_AFTER_MS = 200; // a range that moves is not asked about
const STRETCHED = 1.5; // a picture that will be replaced: its texts would be many, and not where they will be

// Whether a span is what another one is, but for pixels that had other states too: they have one text.
function hasSameText(spans, one, other) {
	return other < spans.length && spans[other] === spans[other - SPAN_FIELDS] + spans[other - SPAN_FIELDS + 1] && spans[one + 2] === spans[other + 2] &&
		spans[one + 4] === spans[other + 4] && spans[one + 5] === spans[other + 5];
}

// Teeth of the ground in the end of a span.
function tear(context, right, top) {
	const tooth = ROW_HEIGHT / TEETH;
	context.beginPath();
	context.moveTo(right + 1, top);
	for (let i = 0; i < TEETH; i++) {
		context.lineTo(right - tooth, top + (i + 0.5) * tooth);
		context.lineTo(right + 1, top + (i + 1) * tooth);
	}
	context.fill();
}

// Of the canvas of a chart, by the style sheet.
function widthOfCharts() {
	const style = getComputedStyle(document.documentElement);
	return innerWidth - parseFloat(style.getPropertyValue("--label-width")) - parseFloat(style.getPropertyValue("--scrollbar-width"));
}

export class RowChart extends EventTarget {
	total = 0;
	top = 0; // px that are scrolled away
	height = 0; // px of the rows in view
	chosen = -1; // position of the selected row
	chosenRow = -1; // and its number in the model
	chosenInfo = null; // what the server said of it, also while it is out of view
	pinned = 0; // rows that stay on top
	rest = 0; // rows that did nothing in the range by which they are sorted
	isEarly = false; // the rows are not those of the view yet: the server is putting them in order
	// By activity, processes are folded unless they are `split`, and those that did nothing are hidden without `rest`.
	settings = { sort: "tree", filter: "", folded: false, toggled: [], split: false, rest: false, pinned: [], arrows: true, path: "" };
	#isAwaitingOrder = false;
	#activeIn = { from: 0, to: 0 }; // the range by which rows are sorted that are active in it
	#activeTimer = 0;
	#sought = 0; // number of the latest search for a row
	#keptRow = -1; // the row that stays chosen when the order of the rows changes
	#isKeptInView = false; // and is scrolled to
	#isStandIn = false; // the chosen row is that of its process, in which it is folded
	#isUntold = false; // the row that was chosen last has not been told to those who listen: it is on its way
	#areInOrder = false; // on the server: early rows are of no use any more

	constructor(viewport, experiment, view, failed) {
		super();
		this.viewport = viewport;
		this.experiment = experiment;
		this.view = view;
		this.failed = failed;
		this.draw = eachFrame(() => this.#draw(), () => (this.isComplete = false)); // until it is known what is missing
		this.blocks = new Blocks((window) => this.#arrived(window), failed);
		this.arrows = new Arrows(this, failed);
		this.matches = new Matches(this, failed);
		this.path = new PathOverlay(this, failed);
		if (experiment.hosts?.length > HOSTS_UNFOLDED_MAX)
			this.settings.folded = "hosts";
		else if (view.sorts) // who was busy comes first
			this.settings.sort = "active";
		this.#activeIn = { from: viewport.from, to: viewport.to };
		this.#build();
	}

	// ---- elements ----

	#build() {
		this.sort = element("select", { title: "order of the rows", "ariaLabel": "order of the rows" });
		for (const [value, textContent] of Object.entries(ORDERS))
			this.sort.append(element("option", { value, textContent }));
		this.sort.hidden = !this.view.sorts;
		this.filter = element("input", { type: "search", placeholder: "Filter", ariaLabel: `filter ${this.view.title}` });
		this.fold = element("button", { type: "button", textContent: "Fold all", title: "fold or unfold all" });
		this.count = element("span");
		this.arrowsButton = element("button", { type: "button", textContent: "Arrows", hidden: !this.view.hasArrows });
		this.pathButton = element("button", { type: "button", textContent: "Path", title: "what the chosen thread waited for, and what that waited for in turn",
			hidden: !(this.experiment.hasPaths && this.view.name === "control-flow") });
		this.rowNames = new RowNames(this, ROW_HEIGHT, (info) => this.pin(info));
		this.names = this.rowNames.root;
		this.restButton = element("button", { type: "button", className: "rest", hidden: true, onclick: () => this.set({ rest: !this.settings.rest }) });
		this.canvas = canvas(`states of ${this.view.title} over time`, { tabIndex: 0 });
		this.thumb = element("div", { className: "thumb" });
		this.scrollbar = element("div", { className: "scrollbar" }, this.thumb);
		this.body = element("div", { className: "body" }, this.names, this.canvas, this.scrollbar);
		this.root = element("section", { className: "chart", ariaLabel: this.view.title },
			element("div", { className: "bar" }, element("strong", { textContent: this.view.title }), this.sort, this.filter, this.fold, this.arrowsButton, this.pathButton, this.count),
			this.body, this.restButton);
		this.root.dataset.view = this.view.name;
		this.sort.onchange = () => this.set({ sort: this.sort.value });
		this.filter.oninput = () => this.set({ filter: this.filter.value });
		this.fold.onclick = () => this.set(this.#isActive ? { split: !this.settings.split, toggled: [] } : { folded: !this.settings.folded, toggled: [] });
		this.arrowsButton.onclick = () => {
			this.settings.arrows = !this.settings.arrows;
			this.draw();
			this.dispatchEvent(new Event("settings"));
		};
		this.pathButton.onclick = () => this.#togglePath();
		this.body.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
		this.scrollbar.onpointerdown = (event) => this.#dragThumb(event);
		new ResizeObserver(() => this.#resized()).observe(this.body);
	}

	// Asked for more than once a frame, and asking the element makes the browser lay out the page.
	#resized() {
		const isInView = this.#isInView(this.chosen);
		this.height = this.body.clientHeight;
		if (isInView) // a panel that opens does not hide what was chosen
			this.reveal(this.chosen);
		this.draw();
	}

	// ---- what is shown ----

	// Rows are asked for before the browser has laid out the page, which takes it longer than the server needs for them: as
	// wide as the page will be.  If it is not, they are asked for again.
	begin() {
		const first = Math.floor(this.top / ROW_HEIGHT / BLOCK_ROWS);
		this.blocks.setOrder(JSON.stringify(this.parameters));
		this.blocks.get([first], { from: this.viewport.from, to: this.viewport.to, pixels: this.#pixels(widthOfCharts()) }, this.parameters);
		this.draw();
	}

	#pixels(width) {
		return Math.min(Math.max(Math.round(width * (devicePixelRatio || 1)), 1), PIXELS_MAX);
	}

	set(changes) {
		const isInView = this.#isInView(this.chosen);
		Object.assign(this.settings, changes);
		this.sort.value = this.settings.sort;
		if (this.filter.value !== this.settings.filter)
			this.filter.value = this.settings.filter;
		this.fold.textContent = this.#isActive ? (this.settings.split ? "Fold processes" : "Unfold processes") : this.settings.folded ? "Unfold all" : "Fold all";
		this.fold.hidden = this.settings.sort !== "tree" && !this.#isActive;
		if ("sort" in changes || "filter" in changes)
			this.top = 0;
		if (changes.sort === "active")
			this.#activeIn = { from: this.viewport.from, to: this.viewport.to };
		this.#keepChosen(isInView);
		this.draw();
		this.dispatchEvent(new Event("settings"));
	}

	get parameters() {
		const { sort, filter, folded, split, rest, pinned, toggled } = this.settings;
		// What is dimmed is seen thread by thread.
		const isSplit = split || this.viewport.filter !== "";
		const how = this.#isActive ? { activeFrom: this.#activeIn.from, activeTo: this.#activeIn.to, rest: rest ? 1 : 0, folded: isSplit ? 0 : 1 }
			: { folded: FOLDS.indexOf(folded) };
		const on = pinned.length > 0 ? { pinned: pinned.join() } : {};
		return { ...how, ...on, experiment: this.experiment.uuid, view: this.view.name, sort, filter, toggled: toggled.join() };
	}

	get #isActive() {
		return this.settings.sort === "active";
	}

	// Rows that are sorted by what they did in the visible range are sorted anew once that stands still.
	get #isOutOfOrder() {
		const { from, to } = this.viewport;
		return this.#isActive && (this.#activeIn.from !== from || this.#activeIn.to !== to);
	}

	#followActive() {
		if (!this.#isOutOfOrder)
			return;
		clearTimeout(this.#activeTimer);
		this.#activeTimer = setTimeout(() => {
			const isInView = this.#isInView(this.chosen);
			this.#sortAnew();
			this.top = 0;
			this.#keepChosen(isInView);
			this.draw();
		}, ACTIVE_AFTER_MS);
	}

	#sortAnew() {
		clearTimeout(this.#activeTimer);
		this.#activeIn = { from: this.viewport.from, to: this.viewport.to };
	}

	#isInView(position) {
		const top = position * ROW_HEIGHT;
		return position >= 0 && (position < this.pinned || (top >= this.top && top < this.top + this.height));
	}

	// The chosen row stays chosen where the new order shows it, if only by the row of its process.
	async #keepChosen(isInView = false, turn = ++this.#sought) {
		if (this.chosenRow >= 0 && !this.#isStandIn)
			[this.#keptRow, this.#isKeptInView] = [this.chosenRow, isInView];
		const row = this.#keptRow; // which may be looked for already
		this.chosen = this.chosenRow = -1;
		if (row < 0)
			return;
		try {
			const { position, hiders } = await this.#find({ row });
			if (turn !== this.#sought || position < 0)
				return;
			this.#isStandIn = hiders.length > 0;
			[this.chosen, this.chosenRow] = [position, this.#isStandIn ? -1 : row];
			this.total = Math.max(this.total, position + 1); // more rows may be on their way
			if (this.#isKeptInView)
				this.reveal(position);
			this.draw();
		} catch (error) {
			this.failed(error);
		}
	}

	#find(wanted, hidden = {}) {
		return api.json("find-row", { ...this.parameters, ...hidden, ...wanted });
	}

	// All rows, each in a place of its own.
	get unfolded() {
		return { ...this.parameters, folded: 0, toggled: "", pinned: "", rest: 1 };
	}

	// Chooses what is meant: {row}, or what was selected elsewhere.  What hides it is unfolded.
	async seek(wanted, isQuiet = false) {
		const turn = ++this.#sought;
		if (this.#isOutOfOrder)
			this.#sortAnew();
		let found = await this.#find(wanted);
		const isOfRest = found.row < 0 && this.#isActive && !this.settings.rest;
		if (isOfRest) // it may have done nothing here
			found = await this.#find(wanted, { rest: 1 });
		if (turn !== this.#sought || found.row < 0)
			return;
		if (isOfRest || found.hiders.length > 0) {
			this.set({ ...isOfRest ? { rest: true } : {}, toggled: this.#toggledBut(found.hiders) });
			const again = ++this.#sought;
			found = await this.#find({ row: found.row });
			if (again !== this.#sought)
				return;
		}
		this.choose(found.position, found.row, isQuiet);
	}

	#toggledBut(rows) {
		const { toggled } = this.settings;
		return [...toggled.filter((one) => !rows.includes(one)), ...rows.filter((one) => !toggled.includes(one))].slice(-TOGGLES_MAX);
	}

	// Of the chosen thread, and from then on of whichever is chosen.
	#togglePath() {
		const isOn = this.settings.path !== "";
		this.settings.path = isOn ? "" : threadOf(this.infoAt(this.chosen));
		this.pathButton.textContent = isOn || this.settings.path !== "" ? "Path" : "Path: choose a thread";
		this.draw();
		this.dispatchEvent(new Event("settings"));
	}

	#followPath(info) {
		const thread = threadOf(info);
		if (this.settings.path === "" || thread === "" || thread === this.settings.path)
			return;
		this.settings.path = thread;
		this.dispatchEvent(new Event("settings"));
	}

	// A row that has others below it is folded or unfolded.
	toggle({ row: own, group: row = own }) {
		this.set({ toggled: this.#toggledBut([row]) });
	}

	// A row is kept on top, or goes back to its place.
	pin(info) {
		if (!info || info.isHost || this.isEarly)
			return;
		const { pinned } = this.settings, without = pinned.filter((row) => row !== info.row);
		this.set({ pinned: without.length < pinned.length ? without : [...pinned, info.row].slice(-PINNED_MAX) });
	}

	scrollTo(top) {
		const before = this.top;
		this.top = Math.max(0, Math.min(top, this.total * ROW_HEIGHT - this.height));
		if (this.top !== before)
			this.draw();
	}

	reveal(position) {
		const top = position * ROW_HEIGHT;
		if (position >= this.pinned && (top < this.top + this.pinned * ROW_HEIGHT || top + ROW_HEIGHT > this.top + this.height))
			this.scrollTo(top - this.height / 2);
	}

	// Quietly where the selection comes from another view.
	choose(position, row = this.infoAt(position)?.row ?? -1, isQuiet = false) {
		if (row >= 0) // the server knows it: more rows may be on their way
			this.total = Math.max(this.total, position + 1);
		if (position < 0 || position >= this.total)
			return;
		this.#sought++;
		this.#keptRow = -1;
		this.#isStandIn = false;
		this.chosen = position;
		this.chosenRow = row;
		this.chosenInfo = null;
		this.#isUntold = !isQuiet;
		this.reveal(position);
		this.#tellChosen();
		this.draw();
	}

	// What is known of the chosen row comes with it.
	#tellChosen() {
		const info = this.infoAt(this.chosen);
		if (!info || (this.chosenRow >= 0 && info.row !== this.chosenRow)) // not yet, or of an order before this one
			return;
		this.chosenRow = info.row;
		this.chosenInfo = info;
		this.#followPath(info);
		if (!this.#isUntold)
			return;
		this.#isUntold = false;
		this.dispatchEvent(new Event("chosen"));
	}

	// What the server said of the row at a position; undefined while it is not there.
	infoAt(position) {
		const block = this.shown?.find((one) => one?.index === Math.floor(position / BLOCK_ROWS));
		return block?.rows[position % BLOCK_ROWS];
	}

	// The same of several, also of those that are out of view; as many as the server says at once.
	async infosOf(first, last) {
		const count = Math.min(last - first + 1, ROWS_ASKED_MAX), infos = Array.from({ length: count }, (_, i) => this.infoAt(first + i));
		return infos.every(Boolean) ? infos : (await api.rows({ ...this.parameters, first, count, from: 0, to: 1, pixels: 1 })).rows;
	}

	// Rows that stand for a folded process: its own, which tells its number, or those of the threads of the kernel.
	async threadsOf(info) {
		if (!isOfKernel(info))
			return [info];
		const unfolded = { rest: 1, toggled: this.#toggledBut([info.group]).join() };
		const { position: first } = await this.#find({ row: info.row }, unfolded); // the busiest, which comes first
		const count = Math.min(info.below + 1, ROWS_ASKED_MAX);
		return (await api.rows({ ...this.parameters, ...unfolded, first, count, from: 0, to: 1, pixels: 1 })).rows;
	}

	// A drag that leaves the chart takes the rows along.
	scrollBeyond(clientY) {
		const y = clientY - this.body.getBoundingClientRect().top;
		if (y < 0 || y > this.height)
			this.scrollTo(this.top + (y < 0 ? y : y - this.height));
	}

	// px from the top of the canvas.
	middleOf(position) {
		return (position + 0.5) * ROW_HEIGHT - (position < this.pinned ? 0 : this.top);
	}

	positionAt(clientY) {
		const position = this.#placeAt(clientY);
		return position < this.total ? position : -1;
	}

	// Of the row there, or of the one that is nearest to it.
	nearestTo(clientY) {
		return Math.max(Math.min(this.#placeAt(clientY), this.total - 1), 0);
	}

	#placeAt(clientY) {
		const y = clientY - this.body.getBoundingClientRect().top;
		return Math.floor((y < this.pinned * ROW_HEIGHT ? y : y + this.top) / ROW_HEIGHT);
	}

	timeAt(clientX) {
		const box = this.canvas.getBoundingClientRect();
		return this.viewport.from + (clientX - box.left) / box.width * this.viewport.span;
	}

	// ---- drawing ----

	#arrived(window) {
		if (window.early && this.#areInOrder) { // they were sent before that, and came late
			this.#expireEarly();
			return;
		}
		if (window.early)
			this.#awaitOrder();
		else if (this.isEarly) // the row at that position is another one now
			this.#keepChosen(this.#isInView(this.chosen), this.#sought); // it ends no search
		this.#areInOrder = !window.early;
		this.isEarly = window.early;
		Object.assign(this, { total: window.total, pinned: window.pinned ?? 0, rest: window.rest ?? 0 });
		this.scrollTo(this.top);
		this.draw();
	}

	#expireEarly() {
		this.blocks.expireEarly();
		this.draw();
	}

	// The server answers once the rows are in order.
	async #awaitOrder() {
		if (this.#isAwaitingOrder)
			return;
		this.#isAwaitingOrder = true;
		try {
			await api.rows({ ...this.parameters, first: 0, count: 0, from: 0, to: 0, pixels: 1 });
			this.#areInOrder = true;
			this.#expireEarly();
		} catch (error) {
			this.failed(error);
		} finally {
			this.#isAwaitingOrder = false;
		}
	}

	#draw() {
		if (!this.root.isConnected)
			return;
		const { context, width, height, ratio } = fit(this.canvas);
		const range = { from: this.viewport.from, to: this.viewport.to, pixels: this.#pixels(width) };
		const first = Math.floor(this.top / ROW_HEIGHT / BLOCK_ROWS);
		const last = Math.max(first, Math.floor((Math.min(this.top + height, this.total * ROW_HEIGHT) - 1) / ROW_HEIGHT / BLOCK_ROWS));
		this.blocks.setOrder(JSON.stringify(this.parameters));
		this.#followActive();
		const indexes = Array.from({ length: last - first + 1 }, (_, i) => first + i);
		this.shown = this.blocks.get(first > 0 && this.pinned > 0 ? [0, ...indexes] : indexes, range, this.parameters);
		this.#tellChosen();
		this.isComplete = this.shown.every((block) => block && block.early === this.isEarly &&
			block.range.from === range.from && block.range.to === range.to) && !this.#isOutOfOrder;
		context.clearRect(0, 0, width, height);
		this.#drawHosts(context, width, first, last);
		this.#drawChosen(context, width);
		this.matches.begin();
		this.#drawBlocks(context, width, (block, top) => this.#drawBlock(context, block, width, ratio, top));
		this.arrows.draw(context, width, height);
		this.path.draw(context, width, height);
		this.#drawBlocks(context, width, (block, top) => this.#drawOverBlock(context, block, width, ratio, top), true);
		this.isComplete &&= this.matches.isComplete;
		this.pathButton.setAttribute("aria-pressed", this.settings.path !== "");
		drawMarkers(context, this.viewport, width, height);
		for (const overlay of this.viewport.overlays)
			overlay.drawRows?.(context, this, width);
		this.#drawArrowsButton();
		this.rowNames.draw();
		this.#drawThumb();
		this.#drawRest();
		this.count.textContent = (this.total === 1 ? "1 row" : `${this.total.toLocaleString("en")} rows`) +
			(this.isEarly ? ", being put in order…" : "") +
			(this.matches.areAll ? "" : ", too many states to filter all: zoom in");
		this.dispatchEvent(new Event("drawn"));
	}

	#drawArrowsButton() {
		this.arrowsButton.setAttribute("aria-pressed", this.settings.arrows);
		this.arrowsButton.textContent = this.arrows.areTooMany ? "Arrows: zoom in" : "Arrows";
	}

	// What did nothing here is one line at the foot, which unfolds.
	#drawRest() {
		const isThere = this.#isActive && this.rest > 0 && !this.isEarly && this.settings.filter === "";
		this.restButton.hidden = !isThere;
		if (isThere)
			this.restButton.textContent = `${this.settings.rest ? "▾" : "▸"} ${this.rest === 1 ? "1 thread" : `${this.rest.toLocaleString("en")} threads`} ` +
				`neither ran nor waited for a CPU here${this.settings.rest ? ", after the others" : ""}`;
	}

	// Each block that is there, scrolled to its place; over what scrolls below them the rows that are pinned, on a ground of
	// their own unless it is there.
	#drawBlocks(context, width, draw, hasGround = false) {
		const first = this.shown.find((one) => one?.index === 0), height = first ? this.pinned * ROW_HEIGHT : 0;
		const within = (top, bottom, drawAll) => {
			context.save();
			context.beginPath();
			context.rect(0, top, width, bottom - top);
			context.clip();
			drawAll();
			context.restore();
		};
		within(this.top > 0 ? height : 0, this.height, () => this.shown.forEach((block) => block && draw(block, this.top)));
		if (height === 0)
			return;
		if (this.top > 0)
			within(0, height, () => {
				if (!hasGround)
					context.clearRect(0, 0, width, height);
				if (!hasGround && this.chosen >= 0 && this.chosen < this.pinned)
					this.#drawChosen(context, width);
				draw(first, 0);
			});
		context.fillStyle = colour("accent");
		context.fillRect(0, height - 1, width, 1);
	}

	// A band over the rows of hosts, which stand above their own.
	#drawHosts(context, width, first, last) {
		context.fillStyle = colour("panel");
		for (let position = first * BLOCK_ROWS; position < (last + 1) * BLOCK_ROWS; position++)
			if (this.infoAt(position)?.isHost)
				context.fillRect(0, position * ROW_HEIGHT - this.top, width, ROW_HEIGHT);
	}

	#drawChosen(context, width) {
		if (this.chosen < 0)
			return;
		context.fillStyle = colour("chosen");
		context.fillRect(0, this.middleOf(this.chosen) - ROW_HEIGHT / 2, width, ROW_HEIGHT);
	}

	// px: where a block begins, how wide it is, and each of its pixels.
	#placeOf({ range, index }, width, ratio, scrolled) {
		const { from, span } = this.viewport, wide = (range.to - range.from) / span * width;
		return { left: (range.from - from) / span * width, wide, pixel: wide / range.pixels,
			y: Math.round((index * BLOCK_ROWS * ROW_HEIGHT - scrolled) * ratio) / ratio };
	}

	#drawBlock(context, block, width, ratio, scrolled) {
		const { left, wide, pixel, y } = this.#placeOf(block, width, ratio, scrolled);
		const picture = pictureOf(block, Math.round(ROW_HEIGHT * ratio), { dark: this.viewport.dark, more: colour("quiet") });
		context.imageSmoothingEnabled = false;
		this.#drawRows(context, picture, left, y, wide, ratio);
		this.#drawOpen(context, block, left, pixel, y);
	}

	// Arrows lie below the texts, so that these can be read, and what is dimmed is so with all that crosses it.
	#drawOverBlock(context, block, width, ratio, scrolled) {
		const { left, pixel, y } = this.#placeOf(block, width, ratio, scrolled);
		if (pixel * ratio < STRETCHED)
			this.#drawTexts(context, block, left, pixel, y, width);
		this.matches.draw(context, block, left, pixel, y, ROW_HEIGHT);
	}

	// What was open at the end of the trace has a torn edge there.
	#drawOpen(context, block, left, pixel, y) {
		context.fillStyle = colour("panel");
		block.spans.forEach((spans, row) => {
			const at = spans.length - SPAN_FIELDS; // nothing comes after it, but nothing
			for (let span = at; span >= 0 && span > at - 2 * SPAN_FIELDS; span -= SPAN_FIELDS)
				if (spans[span + 3] & OPEN_STATE)
					tear(context, left + (spans[span] + spans[span + 1]) * pixel, y + row * ROW_HEIGHT);
		});
	}

	// A line of the picture for each zone of a row, of the rows in view.
	#drawRows(context, { canvas, zones }, left, top, wide, ratio) {
		for (let line = 0, y = top; line < canvas.height; line += zones.length, y += ROW_HEIGHT) {
			if (y + ROW_HEIGHT < 0 || y > this.height)
				continue;
			zones.forEach((zone, i) =>
				context.drawImage(canvas, 0, line + i, canvas.width, 1, left, y + zone.top / ratio, wide, (zone.bottom - zone.top) / ratio));
		}
	}

	#drawTexts(context, block, left, pixel, y, width) {
		const isCrossed = this.settings.path !== "" || this.arrows.arePainted;
		context.lineWidth = 3;
		context.lineJoin = "round";
		context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
		context.textBaseline = "middle";
		block.spans.forEach((spans, row) => {
			const middle = y + (row + 0.5) * ROW_HEIGHT;
			if (middle < 0 || middle > this.height)
				return;
			for (let at = 0, next; at < spans.length; at = next) {
				for (next = at + SPAN_FIELDS; hasSameText(spans, at, next); next += SPAN_FIELDS)
					;
				const from = Math.max(left + spans[at] * pixel, 0), last = next - SPAN_FIELDS;
				const wide = Math.min(left + (spans[last] + spans[last + 1]) * pixel, width) - from;
				if (wide < TEXT_WIDTH_MIN || spans[at + 2] === NO_STYLE)
					continue;
				const text = this.#fitting(context, block.texts[spans[at + 4] | spans[at + 5] << 16], wide - 6);
				if (!text)
					continue;
				const style = block.styles[spans[at + 2]];
				if (style.key === WAIT) // its colour says enough of what nobody knows
					continue;
				if (block.rows[row].isHost || style.height < THIN) { // readable over the line of what is unknown
					context.fillStyle = colour(block.rows[row].isHost ? "panel" : "ground");
					context.fillRect(from, middle - ROW_HEIGHT / 2 + 1, context.measureText(text).width + 8, ROW_HEIGHT - 2);
					context.fillStyle = colour("quiet");
				} else {
					const ground = this.viewport.dark ? style.dark : style.light;
					if (isCrossed) { // an arrow ends around the letters
						context.strokeStyle = ground;
						context.strokeText(text, from + 3, middle);
					}
					context.fillStyle = inkOn(ground);
				}
				context.fillText(text, from + 3, middle);
			}
		});
	}

	// A text if there is room for it.  Of a span or call, whose name is all that it is known by, as much as there is room for.
	#fitting(context, text, room) {
		const width = text ? context.measureText(text).width : 0;
		if (width <= room)
			return text;
		const letters = Math.floor(room / width * text.length) - 1;
		return this.view.name in NAMED_BY_TEXT && letters >= LETTERS_MIN ? `${text.slice(0, letters)}…` : null;
	}

	#drawThumb() {
		const all = this.total * ROW_HEIGHT;
		this.thumb.hidden = all <= this.height;
		const size = Math.max(20, this.height * this.height / Math.max(all, 1));
		this.thumb.style.height = `${size}px`;
		this.thumb.style.top = `${this.top / Math.max(all - this.height, 1) * (this.height - size)}px`;
	}

	// ---- mouse ----

	#wheel(event) {
		event.preventDefault();
		const lines = event.deltaMode === 1 ? ROW_HEIGHT * 3 : 1;
		const sideways = event.deltaX || (event.shiftKey ? event.deltaY : 0);
		if (event.ctrlKey || event.metaKey)
			this.viewport.zoom(Math.exp(event.deltaY * lines * 0.002), this.timeAt(event.clientX));
		else if (sideways !== 0)
			this.viewport.pan(sideways * lines / this.canvas.clientWidth * this.viewport.span);
		else
			this.scrollTo(this.top + event.deltaY * lines);
	}

	#dragThumb(event) {
		event.preventDefault();
		const box = this.scrollbar.getBoundingClientRect();
		const size = this.thumb.clientHeight;
		const inThumb = event.target === this.thumb ? event.clientY - this.thumb.getBoundingClientRect().top : size / 2;
		const move = ({ clientY }) => {
			const share = (clientY - inThumb - box.top) / Math.max(box.height - size, 1);
			this.scrollTo(share * (this.total * ROW_HEIGHT - this.height));
		};
		move(event);
		this.scrollbar.setPointerCapture(event.pointerId);
		this.scrollbar.onpointermove = move;
		this.scrollbar.onpointerup = () => (this.scrollbar.onpointermove = null);
	}

	// The span of pixels at a point, with its style: what the picture shows there.
	spanAt(clientX, clientY) {
		const position = this.positionAt(clientY);
		const block = this.shown?.find((one) => one?.index === Math.floor(position / BLOCK_ROWS));
		if (position < 0 || !block)
			return null;
		const pixel = (this.timeAt(clientX) - block.range.from) / (block.range.to - block.range.from) * block.range.pixels;
		const spans = block.spans[position % BLOCK_ROWS];
		for (let at = 0; at < (spans?.length ?? 0); at += SPAN_FIELDS)
			if (pixel >= spans[at] && pixel < spans[at] + spans[at + 1])
				return {
					position,
					more: (spans[at + 3] & OTHER_STATES) !== 0,
					isOpen: (spans[at + 3] & OPEN_STATE) !== 0,
					style: block.styles[spans[at + 2]],
				};
		return { position, more: false };
	}

	state(row, at) {
		return api.json("state", { experiment: this.experiment.uuid, view: this.view.name, row, at: Math.floor(at), early: this.isEarly ? 2 : 0 });
	}
}
