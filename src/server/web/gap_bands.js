// SPDX-License-Identifier: MIT
// gap_bands.js - when events are missing: hatched bands over all charts of the visible range.

import * as api from "./api.js";
import { colour } from "./viewport.js";

const WAIT_MS = 80; // for a range that is being dragged
const WIDTH_LEAST = 2; // px: a gap shall be seen however short it is
const HATCH = 10; // px from line to line

export class GapBands {
	bands = [];
	#asked = "";
	#timer = 0;
	#hatch = { ink: "", pattern: null };

	constructor(viewport, failed) {
		Object.assign(this, { viewport, failed });
		viewport.addEventListener("range", () => this.#follow());
	}

	open(experiment) {
		Object.assign(this, { experiment, bands: [] });
		this.#asked = "";
		this.#follow();
	}

	#follow() {
		if (!(this.experiment?.gaps > 0))
			return;
		const { from, to } = this.viewport;
		const range = { from, to, pixels: Math.min(innerWidth, 8192) };
		const asked = JSON.stringify(range);
		if (asked === this.#asked)
			return;
		this.#asked = asked;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#fetch(asked, range).catch(this.failed), WAIT_MS);
	}

	async #fetch(asked, range) {
		const bands = await api.json("gaps", { experiment: this.experiment.uuid, ...range });
		if (asked !== this.#asked)
			return;
		this.bands = bands;
		this.viewport.tell("overlays");
	}

	#pattern(context) {
		const ink = colour("bad");
		if (this.#hatch.ink !== ink) {
			const tile = Object.assign(document.createElement("canvas"), { width: HATCH, height: HATCH });
			const strokes = tile.getContext("2d");
			strokes.strokeStyle = ink;
			strokes.lineWidth = 1;
			for (const at of [-HATCH, 0, HATCH]) {
				strokes.moveTo(at - 1, HATCH + 1);
				strokes.lineTo(at + HATCH + 1, -1);
			}
			strokes.stroke();
			this.#hatch = { ink, pattern: context.createPattern(tile, "repeat") };
		}
		return this.#hatch.pattern;
	}

	// Where a band lies on a chart that is `width` px wide: [left, right].
	#place(band, width) {
		const { from, span } = this.viewport;
		const left = (band.from - from) / span * width, right = (band.to + 1 - from) / span * width;
		return right - left >= WIDTH_LEAST ? [left, right] : [(left + right - WIDTH_LEAST) / 2, (left + right + WIDTH_LEAST) / 2];
	}

	draw(context, width, height) {
		for (const band of this.bands) {
			const [left, right] = this.#place(band, width);
			context.fillStyle = this.#pattern(context);
			context.fillRect(left, 0, right - left, height);
			context.globalAlpha = 0.12;
			context.fillStyle = colour("bad");
			context.fillRect(left, 0, right - left, height);
			context.globalAlpha = 1;
		}
	}

	// What is said of a place `x` px from the left.
	textsAt(x, width) {
		return this.bands.filter((band) => {
			const [left, right] = this.#place(band, width);
			return x >= left - 1 && x <= right + 1;
		}).map((band) => band.text);
	}
}
