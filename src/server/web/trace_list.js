// SPDX-License-Identifier: MIT
// trace_list.js - what lies in the folders that the server was started with; a click opens it.

import * as api from "./api.js";
import { element } from "./panel.js";

async function open({ path, name }) {
	const trace = await (await api.change("POST", "traces", JSON.stringify({ parameters: { uri: path, name } }))).json();
	return (await api.change("POST", "experiments", JSON.stringify({ parameters: { name: trace.name, traces: [trace.UUID] } }))).json();
}

// A page is told the name of what is dropped, and not where it lies: the server opens what is in its folders.
export async function openDropped(name, opened) {
	const isCalled = (path) => path?.split("/").at(-1) === name, known = (await api.experiments()).find(({ store }) => isCalled(store));
	if (known)
		return opened(known.uuid);
	const { traces } = await api.json("traces", {}), found = traces.filter(({ path }) => isCalled(path));
	if (found.length !== 1)
		throw Object.assign(new Error(found.length === 0 ? `'${name}' is not in a folder that the server was started with, and a page is not told where a file lies: ` +
			`histree serve FOLDER, with the folder that has it` : `there are ${found.length} traces called '${name}': ${found.map((one) => one.name).join(", ")}; open one of them from the list`), { isAnswer: true });
	return opened((await open(found[0])).UUID);
}

function lineOf(trace, opened, failed) {
	const button = element("button", { type: "button", textContent: trace.name, title: trace.path });
	button.onclick = () => {
		button.disabled = true;
		open(trace).then(({ UUID }) => opened(UUID)).catch(failed).finally(() => (button.disabled = false));
	};
	return element("li", {}, button, element("span", { textContent: trace.isStore ? "store" : "trace, read when it is opened" }));
}

// `opened(uuid)` is called with the experiment that is there then, or on its way.  Where there is one trace and nothing else
// is open, nobody has to be asked which.
export async function traceList(opened, failed, isFirst) {
	const { traces, all } = await api.json("traces", {});
	if (traces.length === 1 && isFirst)
		open(traces[0]).then(({ UUID }) => opened(UUID)).catch(failed);
	if (traces.length === 0)
		return element("p", { className: "empty", textContent: "There is no trace here. Start the server with a store, a trace, or a folder " +
			"that has traces or stores in it: histree serve STORE|TRACE|FOLDER" });
	return element("section", { className: "traces" },
		element("p", { textContent: "Open a trace" + (all ? "" : " (there are more: name a folder further down when you start the server)") }),
		element("ul", {}, ...traces.map((trace) => lineOf(trace, opened, failed))));
}
