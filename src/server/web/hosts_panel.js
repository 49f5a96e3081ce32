// SPDX-License-Identifier: MIT
// hosts_panel.js - the hosts of a trace: when each recorded, how its times came to those of the reference, and how wrong they
// are at most.

import { element, Panel } from "./panel.js";
import { errorOf } from "./row_names.js";
import * as time from "./time.js";
import { eachFrame } from "./viewport.js";

const COLUMNS = ["Host", "Events", "Recorded from", "to", "Clock", "Wrong by at most"];

// How its times came to be those of the reference.
function clockOf({ clock }) {
	if (!clock)
		return "not corrected, as was asked for";
	return { reference: "the reference: all times are by its clock", absent: "not corrected: no packet tells how it differs", given: "corrected as it was told" }[clock.quality] ??
		`corrected by ${clock.matches.toLocaleString("en")} packets${clock.neighbour ? ` with ${clock.neighbour}` : ""}${clock.quality === "approximate" ? ", which do not tell how fast it goes" : ""}`;
}

const wrongBy = (host) => errorOf(host) || (!host.clock || host.clock.quality === "reference" ? "" : "not known");

export class HostsPanel extends Panel {
	isComplete = true; // all of it came with the trace

	constructor(viewport, experiment, failed) {
		super("hosts", viewport, experiment, failed);
		this.draw = eachFrame(() => this.#draw());
		this.body = element("tbody");
		const head = element("tr", {}, ...COLUMNS.map((textContent) => element("th", { textContent })));
		this.build({ title: "Hosts" }, [element("span", { textContent: `${experiment.hosts.length.toLocaleString("en")} hosts` })],
			element("div", { className: "lines" }, element("table", { className: "hosts" }, element("thead", {}, head), this.body)));
	}

	#draw() {
		const at = (ns) => ns === undefined ? "" : time.clock(this.viewport.start, ns);
		this.body.replaceChildren(...this.experiment.hosts.map((host) => {
			const cells = host.why ? [host.name, "", "", "", host.why, ""]
				: [host.name, host.events.toLocaleString("en"), at(host.from), at(host.to), clockOf(host), wrongBy(host)];
			return element("tr", {}, ...cells.map((textContent) => element("td", { textContent })));
		}));
	}
}
