// SPDX-License-Identifier: MIT
// build_progress.js - a trace that is being read: how far it is, in bytes and in time, and the end of it if nobody wants it.

import * as api from "./api.js";
import { element } from "./panel.js";
import * as time from "./time.js";

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];
const SHARE_MIN = 0.02; // of the work, before the rest can be guessed

// "12.3 MiB"
function bytesSaid(bytes) {
	let unit = 0;
	for (; bytes >= 1024 && unit < UNITS.length - 1; unit++)
		bytes /= 1024;
	return `${bytes.toLocaleString("en", { maximumFractionDigits: unit > 0 ? 1 : 0 })} ${UNITS[unit]}`;
}

const seconds = (ns) => time.duration(ns, ns >= 1e9 ? 1e8 : 1e6);

export class BuildProgress {
	// `cancelled()` is called once the server has forgotten the trace.
	constructor({ uuid, name, traces }, cancelled, failed) {
		Object.assign(this, { uuid, traces });
		this.bar = element("progress", { max: 1, ariaLabel: `how much of ${name} is read` });
		this.said = element("p", { className: "said" });
		this.button = element("button", { type: "button", textContent: "Cancel", title: "read no more of it; the trace itself stays as it is",
			onclick: () => this.#cancel().then(cancelled).catch(failed) });
		this.root = element("section", { className: "building" }, element("h2", { textContent: `${name} is being read` }), this.bar, this.said, this.button);
	}

	// What the server says of the experiment now.
	tell({ progress, bytes, bytesTotal, events, elapsed }) {
		if (progress > 0)
			this.bar.value = progress;
		const parts = [`${Math.round(100 * progress)} %`, bytesTotal > 0 ? `${bytesSaid(bytes)} of ${bytesSaid(bytesTotal)}` : bytes > 0 ? bytesSaid(bytes) : "",
			events > 0 ? `${events.toLocaleString("en")} events` : "", elapsed > 0 ? `${seconds(elapsed)} so far` : "",
			progress >= SHARE_MIN ? `about ${seconds(elapsed * (1 - progress) / progress)} left` : ""];
		this.said.textContent = parts.filter(Boolean).join(" · ");
	}

	// An experiment is what names its traces, which are forgotten after it: then nobody wants what is made of them.
	async #cancel() {
		this.button.disabled = true;
		await api.change("DELETE", `experiments/${this.uuid}`);
		for (const trace of this.traces)
			await api.change("DELETE", `traces/${trace}`);
	}
}
