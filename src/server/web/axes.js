// SPDX-License-Identifier: MIT
// axes.js - numbers on an axis, and how it is drawn; and the colours of the lines and points beside it.

import { colour } from "./viewport.js";

const TICK_DISTANCE = 34; // px, of a linear axis
export const AXIS_FONT = "11px system-ui, 'DejaVu Sans', sans-serif";

// Positive numbers on a logarithmic axis.
export class LogScale {
	// From `low` to `high`, 0 < low, onto pixels from `begin` to `end`.
	constructor(low, high, begin, end) {
		Object.assign(this, { low: Math.log10(low), begin, end });
		this.width = Math.max(Math.log10(high) - this.low, 1e-9);
	}

	at(number) {
		return this.begin + (Math.log10(Math.max(number, 1e-300)) - this.low) / this.width * (this.end - this.begin);
	}

	numberAt(position) {
		return 10 ** (this.low + (position - this.begin) / (this.end - this.begin) * this.width);
	}

	// Powers of ten; and twos and fives between them, where there is room for 40 pixels each.
	get ticks() {
		const room = Math.abs(this.end - this.begin) / this.width;
		const factors = room > 160 ? [1, 2, 5] : [1];
		const every = Math.max(1, Math.ceil(30 / room));
		const found = [];
		for (let power = Math.floor(this.low); power <= this.low + this.width; power++)
			for (const factor of factors) {
				const tick = factor * 10 ** power, log = Math.log10(tick);
				if (log >= this.low - 1e-9 && log <= this.low + this.width + 1e-9 && power % every === 0)
					found.push(tick);
			}
		return found;
	}
}

export class LinearScale {
	constructor(low, high, begin, end) {
		const least = (high - low) * TICK_DISTANCE / Math.abs(end - begin);
		const power = 10 ** Math.floor(Math.log10(least));
		this.step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
		this.low = Math.floor(low / this.step) * this.step;
		this.high = Math.ceil(high / this.step) * this.step;
		Object.assign(this, { begin, end });
	}

	at(number) {
		return this.begin + (number - this.low) / (this.high - this.low) * (this.end - this.begin);
	}

	get ticks() {
		const count = Math.round((this.high - this.low) / this.step);
		return Array.from({ length: count + 1 }, (_, i) => Number((this.low + i * this.step).toPrecision(12)));
	}
}

// Those of the palette of the server, which those who see red and green alike can tell apart.  After them come hues a golden
// angle apart.
const LIGHT = ["#2a6cb8", "#dd6b1f", "#12936a", "#a8408c", "#c49a1a", "#5d5bb5", "#6bb3dc", "#8c5a3c", "#4f9d3f", "#d98aa8", "#2c8c99", "#7d8794"];
const DARK = ["#5c9df0", "#f08a3c", "#35b98c", "#d879bb", "#dfb93f", "#9290e6", "#4c93bd", "#b9835f", "#7cc46b", "#b56a88", "#52b8c4", "#9aa4b2"];

export const COLOURS = LIGHT.length;
export const colourOfSeries = (index, dark) => (dark ? DARK : LIGHT)[index] ?? `hsl(${Math.round(index * 137.5) % 360} 55% ${dark ? 65 : 42}%)`;

// A line across for each tick of an axis that goes up.
export function drawTicks(context, scale, width) {
	context.fillStyle = colour("line");
	for (const tick of scale.ticks)
		context.fillRect(0, Math.round(scale.at(tick)), width, 1);
}

// What the ticks are, over what was drawn and on a ground of their own.
export function nameTicks(context, scale, textOf) {
	context.font = AXIS_FONT;
	for (const tick of scale.ticks) {
		const text = textOf(tick), y = Math.round(scale.at(tick));
		context.globalAlpha = 0.75;
		context.fillStyle = colour("ground");
		context.fillRect(2, y - 13, context.measureText(text).width + 4, 13);
		context.globalAlpha = 1;
		context.fillStyle = colour("ink");
		context.fillText(text, 4, y - 3);
	}
}
