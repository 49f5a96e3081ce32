// SPDX-License-Identifier: MIT
// actions.js - all that the page can do, for the palette: what keys and buttons do, and each view and panel.

import { ORDERS } from "./row_chart.js";

const click = (id) => () => document.getElementById(id).click();

const ofViews = ({ experiment, wanted, showViews }) => (experiment?.views ?? []).map(({ name, title }) => {
	const isOn = wanted.includes(name);
	return [`${isOn ? "Hide" : "Show"} ${title}`, "", () => showViews(isOn ? wanted.filter((one) => one !== name) : [...wanted, name])];
});

const ofPanels = ({ panels, clickTab }) => panels.map(({ name, title, isForDevelopers }) =>
	[`${isForDevelopers ? "For developers: " : "Panel "}${title}`, "", () => clickTab(name)]);

// As [{title, key, run}].
export function listActions(page) {
	const { keys, saveAs, toggleFilter, active } = page;
	return [
		["Show the whole trace", "0", keys[0]], ["Zoom in", "W", keys.w], ["Zoom out", "S", keys.s], ["Earlier", "A", keys.a], ["Later", "D", keys.d],
		["Zoom to the span between the markers", "Z", keys.z], ["Undo the last movement in time", "U", keys.u], ["Redo the last movement in time", "Shift + U", keys.U],
		["Search", "/", keys["/"]], ["Next match, or state of the selected row", "N", keys.n], ["Match before, or state of the selected row", "P", keys.p], ["Dim what does not match", "", toggleFilter],
		["Jump to a time", "", () => document.getElementById("jump-text").focus()],
		["Keep the selected row on top, or no longer", "K", keys.k], ["Fold or unfold the selected row", "Enter", keys.Enter],
		["Fold or unfold all", "", () => active?.fold.click()], ["Filter the rows by name or number", "", () => active?.filter.focus()],
		...Object.entries(ORDERS).map(([sort, title]) => [`Order: ${title}`, "", () => active?.view.sorts && active.set({ sort })]),
		["Select the row above", "↑", keys.ArrowUp], ["Select the row below", "↓", keys.ArrowDown], ["Rows above", "Page Up", keys.PageUp],
		["Rows below", "Page Down", keys.PageDown], ["First rows", "Home", keys.Home], ["Last rows", "End", keys.End],
		["Arrows: show or hide", "", () => active?.arrowsButton.click()], ["Path: what the chosen thread waited for, over the rows", "", () => active?.pathButton.click()],
		["Next state of the selected row", "→", keys.ArrowRight], ["State before, of the selected row", "←", keys.ArrowLeft],
		["Along the next arrow", "]", keys["]"]], ["Along the arrow before", "[", keys["["]],
		["Remove the markers", "Escape", keys.Escape], ["Another clock: UTC, local, since the start", "T", keys.t], ["Bookmarks", "B", keys.b],
		["Legend: what colours and arrows mean", "", click("legend-button")], ["Light or dark", "", click("theme")], ["Help: keys and mouse", "?", keys["?"]],
		...["svg", "png", "csv"].map((kind) => [`Save as ${kind.toUpperCase()}`, "", () => saveAs(kind)]),
		["Save the span as a file of Perfetto", "", () => saveAs("perfetto")], ["Save the span as a store", "", () => saveAs("store")],
		...ofViews(page), ...ofPanels(page),
	].map(([title, key, run]) => ({ title, key, run }));
}
