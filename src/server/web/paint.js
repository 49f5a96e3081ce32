// SPDX-License-Identifier: MIT
// paint.js - spans of pixels to a picture: one pixel of the canvas is one pixel of the server.

import { OTHER_STATES, SPAN_FIELDS } from "./api.js";

const MORE_HEIGHT = 0.12; // of a row: the line at its foot that says "there were others"
const SHORT_STATE = 2; // it had less than half of its pixel
const SHORT_ALPHA = 0xb0;
const ROOM_AT_EDGE = 0.08; // between rows, above and below

// "#2a6cb8" as a pixel of an ImageData: bytes red, green, blue, alpha.
export function pixelOf(text) {
	const number = parseInt(text.slice(1), 16);
	return (0xff000000 | (number & 0xff) << 16 | (number & 0xff00) | number >> 16) >>> 0;
}

// The lines of a row at which its picture can change: styles have heights, and there is the line at the foot.
function zonesOf(styles, rowHeight, moreTop) {
	const edges = new Set([moreTop, rowHeight]);
	for (const { top, bottom } of styles)
		edges.add(top).add(bottom);
	const sorted = [...edges].sort((one, other) => one - other);
	return sorted.slice(1).map((bottom, i) => ({ top: sorted[i], bottom }));
}

// Scan lines instead of rectangles: rows have thousands of spans of a pixel each, and a rectangle costs a call. The
// lines of a zone are alike, so the picture has one for each zone of each row, and who draws it stretches them. Returns
// {canvas, zones}; at the edges of rows, where there is nothing, is no zone.
export function paint(block, rowHeight, { dark, more }) {
	const width = block.range.pixels, rows = block.spans.length;
	const styles = block.styles.map((style) => ({
		pixel: pixelOf(dark ? style.dark : style.light),
		top: Math.round(rowHeight * (0.5 - style.height * (0.5 - ROOM_AT_EDGE))),
		bottom: Math.round(rowHeight * (0.5 + style.height * (0.5 - ROOM_AT_EDGE))),
	}));
	const moreTop = Math.round(rowHeight * (1 - MORE_HEIGHT));
	const zones = zonesOf(styles, rowHeight, moreTop);
	const look = { styles, moreTop, morePixel: pixelOf(more) };
	const canvas = document.createElement("canvas");
	canvas.width = width;
	canvas.height = Math.max(1, rows * zones.length);
	const context = canvas.getContext("2d");
	const image = context.createImageData(canvas.width, canvas.height);
	const pixels = new Uint32Array(image.data.buffer);
	block.spans.forEach((spans, row) =>
		zones.forEach(({ top }, i) => paintLine(pixels, (row * zones.length + i) * width, spans, top, look)));
	context.putImageData(image, 0, 0);
	return { canvas, zones };
}

function paintLine(pixels, base, spans, y, { styles, moreTop, morePixel }) {
	for (let at = 0; at < spans.length; at += SPAN_FIELDS) {
		const style = styles[spans[at + 2]], more = spans[at + 3] & OTHER_STATES; // undefined for NO_STYLE
		let pixel = 0;
		if (more !== 0 && y >= moreTop)
			pixel = morePixel;
		else if (style !== undefined && y >= style.top && y < style.bottom)
			pixel = more === SHORT_STATE ? ((style.pixel & 0xffffff) | SHORT_ALPHA << 24) >>> 0 : style.pixel;
		else
			continue;
		const first = base + spans[at], end = first + spans[at + 1];
		for (let i = first; i < end; i++)
			pixels[i] = pixel;
	}
}

// Black or white, whichever can be read on a colour.
export function inkOn(text) {
	const number = parseInt(text.slice(1), 16);
	const light = 0.3 * (number >> 16) + 0.59 * (number >> 8 & 0xff) + 0.11 * (number & 0xff);
	return light > 140 ? "#000000cc" : "#ffffffee";
}
