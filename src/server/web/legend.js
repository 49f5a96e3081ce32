// SPDX-License-Identifier: MIT
// legend.js - what the colours of states and arrows mean.

import * as api from "./api.js";
import { element, swatch } from "./panel.js";

export async function toggleLegend(panel, experiment, isDark) {
	panel.hidden = !panel.hidden;
	if (panel.hidden)
		return;
	const meanings = await api.json("legend", experiment ? { experiment: experiment.uuid } : {});
	panel.replaceChildren(...Object.entries(meanings).flatMap(([name, styles]) => [
		element("h2", { textContent: name }),
		...styles.map((style) => element("div", {}, swatch(isDark ? style.dark : style.light), style.name)),
	]));
}
