// SPDX-License-Identifier: MIT
// paint.js - runs of pixels to a picture: one pixel of the canvas is one pixel of the server.

import { NO_STYLE, RUN_FIELDS } from "./api.js";

const MORE_HEIGHT = 0.12; // of a row: the line at its foot that says "there were others"
const SHORT_STATE = 2; // it had less than half of its pixel
const SHORT_ALPHA = 0xb0;
const ROOM_AT_EDGE = 0.08; // between rows, above and below

// "#2a6cb8" as a pixel of an ImageData: bytes red, green, blue, alpha.
export function pixelOf(text) {
	const number = parseInt(text.slice(1), 16);
	return (0xff000000 | (number & 0xff) << 16 | (number & 0xff00) | number >> 16) >>> 0;
}

// Scan lines instead of rectangles: rows have thousands of runs of a pixel each, and a rectangle costs a call.
export function paint(block, rowHeight, { dark, more }) {
	const width = block.range.pixels, rows = block.runs.length;
	const canvas = document.createElement("canvas");
	canvas.width = width;
	canvas.height = Math.max(1, rows * rowHeight);
	const context = canvas.getContext("2d");
	const image = context.createImageData(canvas.width, canvas.height);
	const pixels = new Uint32Array(image.data.buffer);
	const styles = block.styles.map((style) => ({
		pixel: pixelOf(dark ? style.dark : style.light),
		top: Math.round(rowHeight * (0.5 - style.height * (0.5 - ROOM_AT_EDGE))),
		bottom: Math.round(rowHeight * (0.5 + style.height * (0.5 - ROOM_AT_EDGE))),
	}));
	const morePixel = pixelOf(more);
	const moreTop = Math.round(rowHeight * (1 - MORE_HEIGHT));
	block.runs.forEach((runs, row) => {
		const base = row * rowHeight * width;
		for (let at = 0; at < runs.length; at += RUN_FIELDS) {
			const first = runs[at], behind = first + runs[at + 1];
			if (runs[at + 2] !== NO_STYLE)
				fill(pixels, base, width, styles[runs[at + 2]], first, behind, runs[at + 3] === SHORT_STATE ? SHORT_ALPHA : 0xff);
			if (runs[at + 3])
				for (let y = moreTop; y < rowHeight; y++)
					pixels.fill(morePixel, base + y * width + first, base + y * width + behind);
		}
	});
	context.putImageData(image, 0, 0);
	return canvas;
}

function fill(pixels, base, width, { pixel: opaque, top, bottom }, first, behind, alpha) {
	const pixel = ((opaque & 0xffffff) | alpha << 24) >>> 0;
	if (behind - first === 1) {
		for (let y = top; y < bottom; y++)
			pixels[base + y * width + first] = pixel;
		return;
	}
	for (let y = top; y < bottom; y++)
		pixels.fill(pixel, base + y * width + first, base + y * width + behind);
}

// Black or white, whichever can be read on a colour.
export function inkOn(text) {
	const number = parseInt(text.slice(1), 16);
	const light = 0.3 * (number >> 16) + 0.59 * (number >> 8 & 0xff) + 0.11 * (number & 0xff);
	return light > 140 ? "#000000cc" : "#ffffffee";
}
