// SPDX-License-Identifier: MIT
// app.js - the page: which trace, which views, what keys and mouse do, and all of it in the address.

import * as api from "./api.js";
import { listActions } from "./actions.js";
import { Bookmarks } from "./bookmarks.js";
import { divider, Dock } from "./dock.js";
import { GapBands } from "./gap_bands.js";
import { Hover } from "./hover.js";
import { toggleLegend } from "./legend.js";
import { Marks } from "./marks.js";
import { Palette } from "./palette.js";
import { ROW_HEIGHT, RowChart } from "./row_chart.js";
import { Search } from "./search.js";
import { Selection } from "./selection.js";
import { Axis, onDrag, Overview, Usage } from "./strips.js";
import { Viewport } from "./viewport.js";
import * as time from "./time.js";

const $ = (id) => document.getElementById(id);
const POLL_MS = 400;
const ADDRESS_MS = 200; // a movement in time is over then
// Their code is fetched when they are first wanted: the page is there sooner.
const PANELS = [
	{ name: "time", title: "Time", load: async () => (await import("./time_panel.js")).TimePanel, applies: (one) => one.hasThreads },
	{ name: "events", title: "Events", load: async () => (await import("./events_panel.js")).EventsPanel, applies: (one) => one.hasEvents },
	{ name: "types", title: "Event types", load: async () => (await import("./types_panel.js")).TypesPanel, applies: (one) => one.hasEvents },
	{ name: "latencies", title: "Latencies", load: async () => (await import("./latencies_panel.js")).LatenciesPanel, applies: (one) => one.hasSegments },
	{ name: "charts", title: "Charts", load: async () => (await import("./charts_panel.js")).ChartsPanel, applies: (one) => one.hasCharts },
	{ name: "why", title: "Why", load: async () => (await import("./why_panel.js")).WhyPanel, applies: (one) => one.hasPaths },
	{ name: "flame", title: "Flame graph", load: async () => (await import("./flame_panel.js")).FlamePanel, applies: (one) => one.hasStacks },
	{ name: "hosts", title: "Hosts", load: async () => (await import("./hosts_panel.js")).HostsPanel, applies: (one) => Boolean(one.hosts) },
	{ name: "compare", title: "Compare", load: async () => (await import("./compare_panel.js")).ComparePanel, applies: (one) => one.hasStates },
	{ name: "ask", title: "Ask", load: async () => (await import("./ask_panel.js")).AskPanel, applies: () => true },
	{ name: "structure", title: "Structure", load: async () => (await import("./structure_panel.js")).StructurePanel, applies: () => true, isForDevelopers: true },
];
const USAGE_CHART = "cpu-usage-by-thread";
const panelsOf = (experiment) => PANELS.filter(({ applies }) => applies(experiment));

const viewport = new Viewport();
const hover = new Hover($("tip"), $("pointed"), viewport);
const overview = new Overview($("overview").querySelector("canvas"), $("overview-what"), viewport, fail);
const usage = new Usage($("usage").querySelector("canvas"), $("usage-scale"), viewport, fail);
const axis = new Axis($("axis").querySelector("canvas"), $("axis-label"), viewport);
const gaps = new GapBands(viewport, fail);
const bookmarks = new Bookmarks($("bookmarks"), viewport, fail);
const marks = new Marks(viewport);
viewport.overlays.push(gaps, bookmarks, marks);
const selection = new Selection(viewport, () => charts, fail);
let experiment = null;
let charts = []; // that are shown
let panels = []; // below the charts, that are shown
let wanted = []; // names of the views that are shown, or will be when their code is there
let active = null; // the one that keys speak to
const searches = new Search({ box: $("search-text"), said: $("search-result"), list: $("hits") }, viewport, () => active, (states) => marks.show("search", states), fail);
const dock = new Dock($("dock"), $("dock-divider"), clickTab, addressChanged);
let made = new Map(); // panels of this trace, by name: what is behind another tab stays as it was

// ---- warnings, errors and loading ----

// What is wrong with the trace: nothing failed, and it holds for all that is shown of it.  Or what was done, which is news.
function warn(text, isNews = false) {
	$("warning").classList.toggle("is-news", isNews);
	$("warning").querySelector("span").textContent = text ?? "";
	$("warning").hidden = !text;
}

$("warning").querySelector("button").onclick = () => warn(null);

// An error is there long enough to be read, whatever is asked meanwhile; then it goes with the next question.
const ERROR_MS_MIN = 5000;
let failedAt = -Infinity;

function fail(error) {
	failedAt = performance.now();
	$("error").textContent = error.isAnswer ? error.message : `${error.message} — is the server still there?`;
	$("error").hidden = false;
	console.error(error);
}

api.whenBusy((busy) => {
	$("loading").hidden = !busy;
	if (busy && performance.now() - failedAt > ERROR_MS_MIN)
		$("error").hidden = true;
});

// ---- the address ----

const address = () => new URLSearchParams(location.hash.slice(1));

function writeAddress() {
	// Who went back is elsewhere already, before the page is told so: nothing is written over that.
	if (!experiment || (writtenPlace !== "" && location.hash !== writtenHash))
		return;
	const parts = new URLSearchParams({ trace: experiment.uuid, from: viewport.from, to: viewport.to });
	for (const which of ["a", "b"])
		if (viewport[which] !== null)
			parts.set(which, viewport[which]);
	parts.set("views", wanted.join());
	for (const { view, settings, top } of charts) {
		const said = { ...settings, top: Math.round(top / ROW_HEIGHT) };
		parts.set(view.name, JSON.stringify(said));
	}
	for (const { name, settings } of panels)
		if (settings)
			parts.set(name, JSON.stringify(settings));
	if (dock.height > 0)
		parts.set("dock", dock.height);
	if (viewport.filter !== "")
		parts.set("filter", viewport.filter);
	if (time.clockName() !== time.usualClock(viewport.start))
		parts.set("clock", time.clockName());
	parts.set("theme", viewport.dark ? "dark" : "light");
	// Each range that was looked at is a place to go back to.
	const place = `${experiment.uuid} ${viewport.from} ${viewport.to}`;
	history[place === writtenPlace || writtenPlace === "" ? "replaceState" : "pushState"](null, "", `#${parts}`);
	writtenPlace = place;
	writtenHash = location.hash;
}

let writtenPlace = "", writtenHash = "";
let addressTimer = 0;
function addressChanged() {
	clearTimeout(addressTimer);
	addressTimer = setTimeout(writeAddress, ADDRESS_MS);
}

function readViewport(parts) {
	const from = Number(parts.get("from") ?? 0), to = Number(parts.get("to") ?? viewport.duration);
	if (to > from)
		viewport.show(from, to);
	for (const which of ["a", "b"])
		viewport.mark(which, parts.has(which) ? Number(parts.get(which)) : null);
}

// Back, forward, and an address that was pasted.
function followAddress() {
	const parts = address();
	clearTimeout(addressTimer);
	writtenHash = location.hash;
	if (!experiment || (parts.get("trace") ?? experiment.uuid) !== experiment.uuid) {
		load().catch(fail);
		return;
	}
	readViewport(parts);
	writtenPlace = `${experiment.uuid} ${viewport.from} ${viewport.to}`;
	if (parts.has("views") && parts.get("views") !== wanted.join())
		showViews(parts.get("views").split(","), parts);
}

// ---- views ----

// What the address says of a view.
function settingsOf(name, parts) {
	try {
		return JSON.parse(parts.get(name) ?? "{}");
	} catch {
		return {}; // an address that someone typed: as if it said nothing
	}
}

function makePanel({ name, Panel }, parts) {
	const panel = new Panel(viewport, experiment, fail, settingsOf(name, parts));
	panel.addEventListener?.("settings", addressChanged);
	panel.chose = (info) => selection.of(panel, info, viewport.from);
	panel.sought = (text, span) => searches.first(charts.find(({ view }) => view.sorts) ?? active, text, span).then((found) => {
		marks.show(name, found ? [found] : []);
		warn(found ? null : "No such state begins in the selected span", true);
	}).catch(fail);
	panel.found = (places) => marks.show(name, places);
	made.set(name, panel);
	return panel;
}

function makeChart(view, parts) {
	const chart = new RowChart(viewport, experiment, view, fail);
	const { top = 0, ...settings } = settingsOf(view.name, parts);
	chart.set(settings);
	chart.top = top * ROW_HEIGHT;
	chart.addEventListener("settings", addressChanged);
	chart.addEventListener("drawn", () => addressChanged());
	chart.addEventListener("clicked", () => {
		dragged = null;
		showSelection();
	});
	chart.addEventListener("chosen", () => {
		active = chart;
		selection.of(chart, chart.chosenInfo);
		for (const panel of panels)
			panel.onChosen?.(chart.chosenInfo, chart);
	});
	onDrag(chart.canvas, (...drag) => dragChart(chart, ...drag), (x, event) => clickChart(chart, event));
	chart.canvas.addEventListener("pointermove", (event) => hover.move(chart, event));
	chart.canvas.addEventListener("pointerleave", () => hover.leave());
	chart.body.addEventListener("pointerdown", () => (active = chart), true);
	return chart;
}

let dragFrom = 0, draggedRow = -1; // where the drag that is under way began

// A drag selects a span; with Shift it zooms to it, with Ctrl it moves what is seen.
function dragChart(chart, from, to, isOver, down, event) {
	hover.leave();
	const width = chart.canvas.clientWidth;
	const at = (x) => viewport.from + x / width * viewport.span;
	chart.canvas.classList.toggle("dragging", !isOver && down.ctrlKey);
	if (down.ctrlKey) {
		if (chart.dragging !== down) {
			chart.dragging = down;
			dragFrom = viewport.from;
		}
		viewport.pan(dragFrom - (to - from) / width * viewport.span - viewport.from);
	} else if (down.shiftKey) {
		axis.dragged = isOver ? null : [from, to];
		if (isOver)
			viewport.show(...[at(from), at(to)].sort((a, b) => a - b));
		axis.draw();
	} else
		selectSpan(chart, [at(from), at(to)].sort((a, b) => a - b), isOver, down, event);
}

function selectSpan(chart, [first, last], isOver, down, event) {
	if (chart.dragging !== down) {
		chart.dragging = down;
		draggedRow = chart.nearestTo(down.clientY);
	}
	viewport.mark("a", first);
	viewport.mark("b", last);
	draggedTo = viewport.b;
	chart.scrollBeyond(event.clientY);
	if (!isOver)
		return;
	const [top, bottom] = [draggedRow, chart.nearestTo(event.clientY)].sort((a, b) => a - b);
	chart.infosOf(top, bottom).then((infos) => {
		dragged = [infos, chart];
		for (const panel of panels)
			panel.onDraggedOver?.(...dragged);
		showSelection();
	}).catch(fail);
}

// What is selected is told in the panel Time: it opens, unless another one is open or the user has closed it.
let dragged = null; // the rows of what is selected, and their chart
let isTimeClosed = false;
function showSelection() {
	if (!experiment.hasThreads || isTimeClosed || wanted.includes("time") || dock.current)
		return;
	showViews([...wanted, "time"]);
}

// A click chooses a state; the span that was dragged is selected no more.
let draggedTo = null;
function clickChart(chart, event) {
	if (!event.shiftKey && viewport.b !== null && viewport.b === draggedTo)
		viewport.mark("b", null);
	viewport.mark(event.shiftKey ? "b" : "a", chart.timeAt(event.clientX));
	chart.choose(chart.positionAt(event.clientY));
	chart.canvas.focus({ preventScroll: true });
	chart.dispatchEvent(new Event("clicked"));
}

async function loadPanel(panel, parts) {
	panel.Panel = await panel.load();
	showViews(wanted, parts);
}

function showViews(names, parts = address()) {
	wanted = names.filter((name) => [...experiment.views, ...panelsOf(experiment)].some((one) => one.name === name));
	const known = new Set(made.keys());
	const asked = panelsOf(experiment).filter(({ name }) => names.includes(name));
	panels = asked.filter(({ Panel }) => Panel).map((panel) => made.get(panel.name) ?? makePanel(panel, parts));
	const shown = wanted.findLast((name) => asked.some((panel) => panel.name === name));
	for (const panel of asked.filter(({ Panel }) => !Panel))
		loadPanel(panel, parts).catch(fail);
	const kept = new Map(charts.map((chart) => [chart.view.name, chart]));
	charts = experiment.views.filter((view) => names.includes(view.name)).map((view) => kept.get(view.name) ?? makeChart(view, parts));
	active = charts.includes(active) ? active : charts[0] ?? null;
	const parent = $("charts");
	parent.replaceChildren();
	charts.forEach((one, i) => {
		if (i > 0)
			parent.append(divider(charts[i - 1], one));
		parent.append(one.root);
	});
	for (const chart of charts)
		kept.has(chart.view.name) ? chart.draw() : chart.begin();
	for (const panel of panels.filter(({ name }) => !known.has(name))) {
		if (active?.chosenInfo)
			panel.onChosen?.(active.chosenInfo, active);
		if (dragged)
			panel.onDraggedOver?.(...dragged);
	}
	dock.show(panels.find(({ name }) => name === shown) ?? null);
	dock.current?.draw();
	dock.current?.follow().catch(fail);
	for (const button of document.querySelectorAll("#panes button, #developers button"))
		button.setAttribute("aria-pressed", names.includes(button.dataset.view));
	addressChanged();
}

// A tab shows its panel; that of the panel which is shown hides it.
function clickTab(name) {
	const isShown = dock.current?.name === name;
	isTimeClosed ||= name === "time" && isShown;
	const isPanel = (one) => PANELS.some((panel) => panel.name === one);
	showViews(isShown ? wanted.filter((one) => !isPanel(one)) : [...wanted.filter((one) => one !== name), name]);
}

function viewButton(view) {
	const button = Object.assign(document.createElement("button"), { textContent: view.title, type: "button" });
	button.dataset.view = view.name;
	button.onclick = () => {
		showViews(wanted.includes(view.name) ? wanted.filter((name) => name !== view.name) : [...wanted, view.name]);
	};
	return button;
}

// Who had the CPUs, of which the strip above has the sum.
function showThreadsOfUsage() {
	made.get("charts")?.set({ chart: USAGE_CHART });
	showViews([...wanted.filter((one) => one !== "charts"), "charts"], new URLSearchParams({ charts: JSON.stringify({ chart: USAGE_CHART }) }));
}

// ---- traces ----

function openExperiment(chosen, parts) {
	if (experiment?.uuid !== chosen.uuid) {
		hover.leave();
		searches.clear();
		marks.clear();
	}
	experiment = chosen;
	time.setClock(parts.get("clock") ?? time.usualClock(BigInt(chosen.start)));
	$("jump-text").title = `a time to go to: ${time.isSince() ? "+12.5ms, or 85423.1 by the clock of the trace" : "17:46:23.1, 2016-03-04 17:46:23.1 or +12.5ms"}, or nanoseconds since the epoch`;
	document.title = `${chosen.name} – histree`;
	charts = [];
	panels = [];
	made = new Map();
	const isKernel = chosen.views.some((view) => view.name === "control-flow");
	$("usage").hidden = !isKernel;
	usage.open(isKernel ? chosen : null); // each before the range changes, of which it would ask the one before
	overview.open(chosen);
	viewport.open(BigInt(chosen.start), chosen.duration);
	readViewport(parts);
	viewport.setFilter(parts.get("filter") ?? "");
	const [forDevelopers, forAll] = [true, false].map((is) => panelsOf(chosen).filter(({ isForDevelopers = false }) => isForDevelopers === is));
	$("panes").replaceChildren(...chosen.views.map(viewButton));
	dock.open([...forAll, ...forDevelopers.filter(({ name }) => parts.get("views")?.split(",").includes(name))]);
	dock.setHeight(Number(parts.get("dock") ?? 0));
	$("developers").replaceChildren(...forDevelopers.map(viewButton));
	overview.what = chosen.hasEvents ? "events" : "states that begin";
	const usual = chosen.views.filter((view) => view.name !== "attributes").map((view) => view.name);
	if (chosen.hasCharts && !isKernel) // counters and memory are what such a trace is of; a kernel's states come first
		usual.push("charts");
	const instead = chosen.views.length > 0 ? "attributes" : chosen.hasStacks ? "flame" : "events"; // samples have no rows, some traces only events
	showViews(parts.has("views") ? parts.get("views").split(",") : usual.length > 0 ? usual : [instead], parts);
	gaps.open(chosen);
	bookmarks.open(chosen).catch(fail);
	warn(chosen.warning);
}

function say(text) {
	$("charts").replaceChildren(Object.assign(document.createElement("p"), { className: "empty", textContent: text }));
}

async function showTraces() {
	const { traceList } = await import("./trace_list.js");
	const list = await traceList(showTrace, fail, !experiment && !hasCancelled);
	if (experiment)
		showViews([]);
	$("charts").replaceChildren(list);
}

// What a link says of a trace holds once that is open, too.
function showTrace(uuid) {
	const parts = address();
	if (parts.get("trace") === uuid)
		load().catch(fail);
	else
		location.hash = parts.has("trace") ? `trace=${uuid}` : `trace=${uuid}&${parts}`; // followAddress() does the rest
}

let building = null, pollTimer = 0;
let hasCancelled = false; // the only trace that there is: it is not opened again by itself

// A build was cancelled: what else there is.
function forgetBuild() {
	clearTimeout(pollTimer);
	building = null;
	hasCancelled = true;
	history.replaceState(null, "", location.pathname);
	return load();
}

async function load() {
	clearTimeout(pollTimer);
	const experiments = await api.experiments();
	const wanted = address().get("trace");
	const chosen = experiments.find((one) => one.uuid === wanted) ?? experiments[0];
	$("experiment").replaceChildren(...experiments.map((one) => new Option(one.name, one.uuid, false, one === chosen)),
		new Option(chosen ? "Open another…" : "Open a trace…", "", false, !chosen));
	$("main").classList.toggle("is-empty", chosen?.status !== "ready"); // nothing has a time yet
	if (!chosen)
		await showTraces();
	else if (chosen.status === "ready")
		openExperiment(chosen, address());
	else if (chosen.status === "running") {
		if (building?.uuid !== chosen.uuid) {
			const { BuildProgress } = await import("./build_progress.js");
			building = new BuildProgress(chosen, forgetBuild, fail);
		}
		building.tell(chosen);
		if (!building.root.isConnected)
			$("charts").replaceChildren(building.root);
		pollTimer = setTimeout(() => load().catch(fail), POLL_MS);
	} else
		say(`${chosen.name}: ${chosen.error}`);
}

// ---- search, jump ----

function showSearchKind() {
	const byState = $("search-kind").value === "states";
	$("search-filter").hidden = !byState;
	if (byState)
		completeStates().catch(fail);
	else if (completion)
		completion.isOn = false;
	$("search-text").placeholder = byState ? "label == read && duration > 1ms" : "Name or number  /";
}

let completion = null; // of the box at the top, while it takes expressions
async function completeStates() {
	const { Completion, wordsOfStates } = await import("./completion.js");
	if (!completion) {
		completion = new Completion($("search-text"), wordsOfStates(() => experiment), fail);
		$("search").append(completion.list);
		$("search-text").onkeydown = (event) => {
			if (!completion.key(event))
				return;
			event.preventDefault();
			event.stopPropagation();
		};
	}
	completion.isOn = $("search-kind").value === "states";
}

const search = (backwards) => searches.next($("search-kind").value === "rows", backwards);

// Dim what the expression of the search box does not match, or nothing any more.
function toggleFilter() {
	const { text } = searches;
	viewport.setFilter(viewport.filter === "" || (viewport.filter !== text && text !== "") ? text : "");
}

function showFilter() {
	$("search-filter").setAttribute("aria-pressed", viewport.filter !== "");
	$("search-filter").title = viewport.filter === "" ? "dim the states that do not match" : `dimmed: all but ${viewport.filter}`;
	redraw();
}

// Goes to the state before or after that at marker A, of the selected row.
async function stepState(backwards) {
	if (!active || active.chosenRow < 0)
		return;
	const at = viewport.a ?? viewport.from;
	const state = await active.state(active.chosenRow, backwards ? Math.max(at - 1, 0) : at);
	const next = backwards ? state.start : Math.min(state.end + 1, viewport.duration);
	viewport.mark("a", Math.max(next, 0));
	viewport.reveal(viewport.a);
}

// To the next match of what is searched, or to the one before; where nothing is searched every state is one.
const step = (backwards) => searches.text === "" ? stepState(backwards) : search(backwards);

// Goes along an arrow of the selected row: to where the next one leads, or where the last one came from.
async function stepArrow(backwards) {
	const arrow = active && active.chosen >= 0 ? active.arrows.step(active.chosen, viewport.a ?? viewport.from, backwards) : null;
	if (!arrow)
		return;
	const at = backwards ? arrow.start : arrow.end;
	viewport.reveal(at);
	await active.seek({ row: backwards ? arrow.fromRow : arrow.toRow });
	viewport.mark("a", at);
}

function jump() {
	const at = time.parse($("jump-text").value, viewport.start);
	$("jump-text").setCustomValidity(Number.isFinite(at) && at >= 0 && at <= viewport.duration ? "" : "no time of this trace");
	if (!$("jump-text").reportValidity())
		return;
	viewport.mark("a", at);
	viewport.reveal(at);
}

// ---- legend, help, status line ----

// All times of the page are written by it.
function setClock(name) {
	time.setClock(name);
	redraw();
}

function toggleBookmarks() {
	$("bookmarks").hidden = !$("bookmarks").hidden;
	if (!$("bookmarks").hidden)
		bookmarks.name.focus();
}

function showMarkers() {
	const parts = [];
	for (const which of ["a", "b"])
		if (viewport[which] !== null)
			parts.push(Object.assign(document.createElement("span"), {
				className: which, textContent: `${which.toUpperCase()} ${time.clock(viewport.start, viewport[which])}   `,
			}));
	if (parts.length === 2)
		parts.push(`B − A ${time.duration(viewport.b - viewport.a, 1)}   `);
	$("markers").replaceChildren(...parts);
	$("visible").textContent = `visible ${time.duration(viewport.span)}`;
}

function redraw() {
	for (const one of [overview, usage, axis, ...charts, ...(dock.current ? [dock.current] : [])])
		one.draw();
	showMarkers();
	addressChanged();
}

// ---- keys ----

const PAN = 0.15, ZOOM = 1.4;
const pointerTime = () => viewport.a !== null && viewport.a >= viewport.from && viewport.a <= viewport.to ? viewport.a : viewport.from + viewport.span / 2;

const keys = {
	w: () => viewport.zoom(1 / ZOOM, pointerTime()),
	s: () => viewport.zoom(ZOOM, pointerTime()),
	a: () => viewport.pan(-PAN * viewport.span),
	d: () => viewport.pan(PAN * viewport.span),
	0: () => viewport.show(0, viewport.duration),
	z: () => viewport.isMarked && viewport.show(viewport.selected.from, viewport.selected.to),
	n: () => step(false).catch(fail),
	N: () => step(true).catch(fail),
	p: () => step(true).catch(fail),
	b: () => toggleBookmarks(),
	t: () => setClock(time.CLOCKS[(time.CLOCKS.indexOf(time.clockName()) + 1) % time.CLOCKS.length]),
	"[": () => stepArrow(true).catch(fail),
	"]": () => stepArrow(false).catch(fail),
	u: () => history.back(),
	U: () => history.forward(),
	"/": () => $("search-text").focus(),
	"?": () => ($("help").hidden = !$("help").hidden),
	ArrowUp: () => active?.choose(Math.max(active.chosen - 1, 0)),
	ArrowDown: () => active?.choose(active.chosen + 1),
	PageUp: () => active?.scrollTo(active.top - active.height),
	PageDown: () => active?.scrollTo(active.top + active.height),
	Home: () => active?.scrollTo(0),
	End: () => active?.scrollTo(active.total * ROW_HEIGHT),
	ArrowLeft: () => stepState(true).catch(fail),
	ArrowRight: () => stepState(false).catch(fail),
	Enter: () => active?.infoAt(active.chosen)?.below > 0 && active.toggle(active.infoAt(active.chosen)),
	k: () => active?.pin(active.infoAt(active.chosen)),
	Escape: () => {
		viewport.mark("a", null);
		viewport.mark("b", null);
		marks.clear();
		$("legend").hidden = $("help").hidden = $("bookmarks").hidden = $("hits").hidden = true;
	},
};

document.addEventListener("keydown", (event) => {
	const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
	if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
		event.preventDefault();
		palette.open();
	}
	if (event.ctrlKey || event.metaKey || event.altKey || palette.dialog.open)
		return;
	if (isTyping) {
		if (event.key === "Escape")
			event.target.blur();
		return;
	}
	const run = keys[event.key] ?? keys[event.key.toLowerCase()];
	if (!run || (event.key === "Enter" && event.target.tagName === "BUTTON"))
		return;
	event.preventDefault();
	run();
});

// ---- actions ----

const palette = new Palette($("palette"), () => listActions({ keys, experiment, wanted, panels: experiment ? panelsOf(experiment) : [], showViews, clickTab,
	saveAs, toggleFilter, active }));

function saveAs(kind) {
	import("./save.js").then(({ save }) => save(kind, experiment, charts, viewport)).then((said) => said && warn(said, true)).catch(fail);
}

// ---- what is dropped ----

// A text is dropped into a box, which takes it by itself.
const hasFiles = ({ dataTransfer }) => dataTransfer.types.includes("Files");

addEventListener("dragover", (event) => {
	if (!hasFiles(event))
		return;
	event.preventDefault();
	$("main").classList.add("takes-drop");
});
addEventListener("dragleave", () => $("main").classList.remove("takes-drop"));
addEventListener("drop", (event) => {
	if (!hasFiles(event))
		return;
	event.preventDefault();
	$("main").classList.remove("takes-drop");
	const [file] = event.dataTransfer.files;
	if (file)
		import("./trace_list.js").then(({ openDropped }) => openDropped(file.name, showTrace)).catch(fail);
});

// ---- beginning ----

addEventListener("hashchange", followAddress);
viewport.addEventListener("range", redraw);
viewport.addEventListener("overlays", redraw);
viewport.addEventListener("filter", showFilter);
viewport.addEventListener("markers", () => time.setMark(viewport.a ?? 0));
viewport.addEventListener("markers", redraw);
viewport.addEventListener("markers", () => dock.current?.follow().catch(fail));
viewport.addEventListener("theme", () => {
	charts.forEach((chart) => chart.blocks.repaint());
	redraw();
});
$("experiment").onchange = () => {
	const uuid = $("experiment").value;
	if (uuid === "")
		showTraces().catch(fail);
	else
		showTrace(uuid);
};
$("search").onsubmit = (event) => {
	event.preventDefault();
	completion?.close();
	search(false).catch(fail);
};
$("search-previous").onclick = () => search(true).catch(fail);
$("search-filter").onclick = toggleFilter;
$("search-kind").onchange = showSearchKind;
$("jump").onsubmit = (event) => {
	event.preventDefault();
	jump();
};
$("jump-text").oninput = () => $("jump-text").setCustomValidity("");
$("whole").onclick = keys[0];
$("help-button").onclick = keys["?"];
$("axis-label").onclick = keys.t;
$("usage").querySelector(".label").onclick = showThreadsOfUsage;
$("bookmarks-button").onclick = toggleBookmarks;
$("legend-button").onclick = () => toggleLegend($("legend"), experiment, viewport.dark).catch(fail);
$("theme").onclick = () => viewport.setDark(!viewport.dark);
$("export").onchange = () => {
	const kind = $("export").value;
	$("export").value = "";
	if (kind !== "")
		saveAs(kind);
};
$("palette-button").onclick = () => palette.open();
showSearchKind();
const theme = address().get("theme");
viewport.setDark(theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
window.page = { // for tests and the curious
	viewport, bookmarks, marks, selection,
	get charts() { return charts; },
	get panels() { return panels; },
	get isLoading() { return Boolean(experiment) && panelsOf(experiment).some(({ name, Panel }) => wanted.includes(name) && !Panel); },
};
load().catch(fail);
