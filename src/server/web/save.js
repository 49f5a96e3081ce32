// SPDX-License-Identifier: MIT
// save.js - what is shown as a file: SVG and PNG as a picture, CSV with the states that it shows; and the span that is selected as
// the server writes it, for Perfetto or as a store.

import * as api from "./api.js";
import { BLOCK_ROWS } from "./blocks.js";
import { NO_STYLE, OPEN_STATE, OTHER_STATES, SPAN_FIELDS } from "./api.js";
import { ROW_HEIGHT } from "./row_chart.js";
import { colour } from "./viewport.js";
import * as time from "./time.js";

const LABEL_WIDTH = 240;

export function offer(name, type, content) {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([content], { type }));
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Rows of a chart that are in view: what the server said of each, its spans, and the block that they are of.
function* visibleRows(chart) {
	const first = Math.floor(chart.top / ROW_HEIGHT);
	const end = Math.min(chart.total, Math.ceil((chart.top + chart.height) / ROW_HEIGHT));
	for (let position = first; position < end; position++) {
		const block = chart.shown.find((one) => one?.index === Math.floor(position / BLOCK_ROWS));
		const info = block?.rows[position % BLOCK_ROWS];
		if (info)
			yield { info, block, spans: block.spans[position % BLOCK_ROWS] };
	}
}

function* spansOf({ block, spans }) {
	const pixel = (block.range.to - block.range.from) / block.range.pixels;
	for (let at = 0; at < spans.length; at += SPAN_FIELDS)
		yield {
			from: block.range.from + spans[at] * pixel,
			to: block.range.from + (spans[at] + spans[at + 1]) * pixel,
			style: spans[at + 2] === NO_STYLE ? null : block.styles[spans[at + 2]],
			more: (spans[at + 3] & OTHER_STATES) !== 0,
			isOpen: (spans[at + 3] & OPEN_STATE) !== 0,
			text: block.texts[spans[at + 4] | spans[at + 5] << 16] ?? "",
		};
}

const nameOf = (info) => `${info.name}${info.tid >= 0 ? ` (${info.tid})` : ""}`;
const escape = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

export function svg(charts, viewport) {
	const width = charts[0].canvas.clientWidth;
	const xOf = (at) => LABEL_WIDTH + (at - viewport.from) / viewport.span * width;
	const parts = [];
	let y = 24;
	const { positions, step } = time.ticks(viewport.from, viewport.to, width / 130);
	for (const at of positions)
		parts.push(`<text x="${xOf(at).toFixed(1)}" y="14" fill="${colour("quiet")}">+${time.duration(at, step)}</text>`,
			`<path d="M${xOf(at).toFixed(1)} 18v6" stroke="${colour("quiet")}"/>`);
	for (const chart of charts) {
		for (const row of visibleRows(chart)) {
			const indent = 4 + 10 * Math.min(row.info.depth, 12);
			parts.push(`<text x="${indent}" y="${y + 13}">${escape(nameOf(row.info))}</text>`);
			for (const { from, to, style } of spansOf(row)) {
				if (!style)
					continue;
				const high = (ROW_HEIGHT - 3) * style.height;
				parts.push(`<rect x="${xOf(from).toFixed(2)}" y="${(y + (ROW_HEIGHT - high) / 2).toFixed(1)}" width="${(xOf(to) - xOf(from)).toFixed(2)}" height="${high.toFixed(1)}" fill="${viewport.dark ? style.dark : style.light}"/>`);
			}
			y += ROW_HEIGHT;
		}
		y += 8;
	}
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${LABEL_WIDTH + width}" height="${y}" font-family="sans-serif" font-size="11" fill="${colour("ink")}">` +
		`<rect width="100%" height="100%" fill="${colour("ground")}"/>${parts.join("")}</svg>\n`;
}

const quote = (value) => /[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value;

// One line a span: times are ns since the epoch, `to` is exclusive.
export function csv(charts, viewport) {
	const lines = [["view", "row", "tid", "from", "to", "state", "text", "others"]];
	const absolute = (at) => viewport.start + BigInt(Math.round(at));
	for (const chart of charts)
		for (const row of visibleRows(chart))
			for (const { from, to, style, more, text } of spansOf(row))
				if (style)
					lines.push([chart.view.name, row.info.name, row.info.tid ?? "", absolute(from), absolute(to), style.name, text, more ? 1 : 0]);
	return lines.map((line) => line.map(quote).join(",") + "\r\n").join("");
}

// The SVG as the browser draws it, twice as large for screens that are.
async function png(charts, viewport) {
	const source = svg(charts, viewport);
	const image = new Image();
	image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
	await image.decode();
	const canvas = Object.assign(document.createElement("canvas"), { width: image.width * 2, height: image.height * 2 });
	canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
	return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

// The span between the markers, or what is visible.
function spanOf({ uuid }, { selected: { from, to } }) {
	return { experiment: uuid, from, to: Math.max(to - 1, from) };
}

// What there is to say of it, if anything.
export async function save(kind, experiment, charts, viewport) {
	const { name } = experiment;
	if (kind === "store") {
		const { path } = await (await api.change("POST", `cut-store?${new URLSearchParams(spanOf(experiment, viewport))}`, undefined, "api/v1")).json();
		return `${time.duration(viewport.selected.to - viewport.selected.from)} are now a store of their own: ${path}`;
	}
	if (kind === "perfetto")
		offer(`${name}.pftrace`, "application/octet-stream", await api.file("perfetto", spanOf(experiment, viewport)));
	else if (kind === "svg")
		offer(`${name}.svg`, "image/svg+xml", svg(charts, viewport));
	else if (kind === "csv")
		offer(`${name}.csv`, "text/csv", csv(charts, viewport));
	else
		offer(`${name}.png`, "image/png", await png(charts, viewport));
	return "";
}
