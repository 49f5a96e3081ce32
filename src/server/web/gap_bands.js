// SPDX-License-Identifier: MIT
// gap_bands.js - when events are missing: hatched bands over all charts of the visible range, and over
// that of the whole trace.

import * as api from "./api.js";
import { colour } from "./viewport.js";

const WAIT_MS = 80; // for a range that is being dragged
const WIDTH_MIN = 2; // px: a gap shall be seen however short it is
const HATCH = 10; // px from line to line

export class GapBands {
	bands = []; // of the visible range
	whole = []; // of all of the trace
	#asked = "";
	#timer = 0;
	#hatch = { ink: "", pattern: null };

	constructor(viewport, failed) {
		Object.assign(this, { viewport, failed });
		viewport.addEventListener("range", () => this.#follow());
	}

	open(experiment) {
		Object.assign(this, { experiment, bands: [], whole: [] });
		this.#asked = "";
		clearTimeout(this.#timer);
		this.#follow();
		this.#fetchWhole(experiment).catch(this.failed);
	}

	#ask(experiment, range) {
		return api.json("gaps", { experiment: experiment.uuid, ...range, pixels: Math.min(innerWidth, 8192) });
	}

	async #fetchWhole(experiment) {
		if (!(experiment.gaps > 0))
			return;
		const bands = await this.#ask(experiment, { from: 0, to: this.viewport.duration });
		if (experiment !== this.experiment)
			return;
		this.whole = bands;
		this.viewport.tell("overlays");
	}

	#follow() {
		if (!(this.experiment?.gaps > 0))
			return;
		const { from, to } = this.viewport;
		const range = { from, to };
		const asked = JSON.stringify(range);
		if (asked === this.#asked)
			return;
		this.#asked = asked;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#fetch(asked, range).catch(this.failed), WAIT_MS);
	}

	async #fetch(asked, range) {
		const bands = await this.#ask(this.experiment, range);
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

	// Where a band lies on a chart of a range that is `width` px wide: [left, right].
	#bounds(band, width, { from, span }) {
		const left = (band.from - from) / span * width, right = (band.to + 1 - from) / span * width;
		return right - left >= WIDTH_MIN ? [left, right] : [(left + right - WIDTH_MIN) / 2, (left + right + WIDTH_MIN) / 2];
	}

	draw(context, width, height) {
		this.#draw(context, width, height, this.bands, this.viewport);
	}

	// Over a chart of all of the trace.
	drawWhole(context, width, height) {
		this.#draw(context, width, height, this.whole, { from: 0, span: this.viewport.duration });
	}

	#draw(context, width, height, bands, range) {
		for (const band of bands) {
			const [left, right] = this.#bounds(band, width, range);
			context.fillStyle = this.#pattern(context);
			context.fillRect(left, 0, right - left, height);
			context.globalAlpha = 0.12;
			context.fillStyle = colour("bad");
			context.fillRect(left, 0, right - left, height);
			context.globalAlpha = 1;
		}
	}

	// What is said of a point `x` px from the left.
	textsAt(x, width) {
		return this.bands.filter((band) => {
			const [left, right] = this.#bounds(band, width, this.viewport);
			return x >= left - 1 && x <= right + 1;
		}).map((band) => band.text);
	}
}
