// SPDX-License-Identifier: MIT
// typescript_client.mjs PACKAGES URL TRACES - every call of tsp-typescript-client 0.9.0, in the order of a viewer.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [packages, url, traces] = process.argv.slice(2);
const require = createRequire(`${packages}/`);
const { HttpTspClient } = require("tsp-typescript-client/lib/protocol/http-tsp-client");
const { QueryHelper } = require("tsp-typescript-client/lib/models/query/query-helper");
const { ConfigurationQuery, OutputConfigurationQuery } = require("tsp-typescript-client/lib/models/query/query");

const client = new HttpTspClient(`${url}tsp/api`);
const tests = [];
const test = (name, run) => tests.push({ name, run });
const seen = {}; // what one test leaves to those behind it

// The model of an answer, as viewers take it: only with status 200, and never absent.
function model(response) {
	assert.ok(response.isOk(), `${response.getStatusCode()} ${response.getText()}`);
	const body = response.getModel();
	assert.ok(body !== undefined, "the client dropped the model: is the Content-Type exactly application/json?");
	return body;
}

function envelope(response) {
	const body = model(response);
	assert.equal(body.status, "COMPLETED", body.statusMessage);
	return body.model;
}

async function until(what, read, done) {
	for (let i = 0; i < 200; i++) {
		const value = await read();
		if (done(value))
			return value;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	assert.fail(`${what} did not come`);
}

const times = (count, items) => QueryHelper.selectionTimeRangeQuery(seen.start, seen.end, count, items);
const range = (count) => QueryHelper.timeRangeQuery(seen.start, seen.end, count);

function outputOf(type, part) {
	const found = seen.outputs.find((output) => output.type === type && output.id.includes(part));
	assert.ok(found, `no output of type ${type} named ${part}`);
	return found.id;
}

test("health and identifier", async () => {
	assert.equal(model(await client.checkHealth()).status, "UP");
	const identifier = model(await client.fetchIdentifier());
	assert.equal(identifier.tspVersion, "0.6.0");
	for (const key of ["version", "os", "osArch", "productId"])
		assert.ok(identifier[key].length > 0, key);
});

test("the store of the command line is there", async () => {
	const experiments = model(await client.fetchExperiments());
	assert.deepEqual(experiments.map((experiment) => experiment.name), ["demo-trace"]);
	assert.equal(experiments[0].indexingStatus, "COMPLETED");
	assert.equal(typeof experiments[0].start, "bigint");
	assert.equal(model(await client.fetchTraces()).length, 1);
});

test("open a trace and an experiment", async () => {
	const path = `${traces}/ctf-perf-small`;
	const query = QueryHelper.query({ name: "small", uri: path });
	const trace = model(await client.openTrace(query));
	assert.equal(trace.path, path);
	assert.equal(model(await client.openTrace(query)).UUID, trace.UUID, "twice is once");
	const read = async () => model(await client.fetchTrace(trace.UUID));
	const ready = await until("the store", read, (now) => now.indexingStatus !== "RUNNING");
	assert.equal(ready.indexingStatus, "COMPLETED", JSON.stringify(ready.properties));
	assert.ok(Number(ready.nbEvents) > 0);

	const create = QueryHelper.query({ name: "small", traces: [trace.UUID] });
	const experiment = model(await client.createExperiment(create));
	assert.equal(experiment.traces[0].UUID, trace.UUID);
	assert.equal(model(await client.createExperiment(create)).UUID, experiment.UUID);
	assert.equal(model(await client.fetchExperiment(experiment.UUID)).name, "small");
	seen.small = { trace: trace.UUID, experiment: experiment.UUID };
});

test("several traces make one experiment", async () => {
	const uuids = [];
	for (const name of ["ctf-made", "ctf-perf-small"])
		uuids.push(model(await client.openTrace(QueryHelper.query({ uri: `${traces}/${name}` }))).UUID);
	const both = model(await client.createExperiment(QueryHelper.query({ name: "both", traces: uuids })));
	assert.equal(both.traces.length, 2);
	const read = async () => model(await client.fetchExperiment(both.UUID));
	const ready = await until("the experiment", read, (now) => now.indexingStatus !== "RUNNING");
	assert.equal(ready.indexingStatus, "COMPLETED");
	assert.ok(model(await client.deleteExperiment(both.UUID)));
	for (const uuid of uuids)
		model(await client.deleteTrace(uuid));
});

test("errors have the codes that viewers expect", async () => {
	const status = async (call) => (await call).getStatusCode();
	const open = (parameters) => client.openTrace(QueryHelper.query(parameters));
	assert.equal(await status(open({})), 400);
	assert.equal(await status(open({ uri: `${traces}/nothing` })), 404);
	assert.equal(await status(open({ uri: "/usr" })), 403);
	assert.equal(await status(open({ uri: `${traces}/make-ctf-made.py` })), 406);
	const clash = await open({ name: "small", uri: `${traces}/ctf-made` });
	assert.equal(clash.getStatusCode(), 409);
	assert.equal(JSON.parse(clash.getText()).trace.UUID, seen.small.trace);
	assert.equal(await status(client.fetchTrace("no")), 404);
	assert.equal(await status(client.fetchExperiment("no")), 404);
	assert.equal(await status(client.createExperiment(QueryHelper.query({ name: "x", traces: ["no"] }))), 404);
	assert.equal(await status(client.createExperiment(QueryHelper.query({ name: "x" }))), 400);
	assert.equal(await status(client.deleteTrace(seen.small.trace)), 409);
	assert.equal(await status(client.fetchTimeGraphTree(seen.small.experiment, "no", QueryHelper.query())), 405);
	const [first] = model(await client.experimentOutputs(seen.small.experiment));
	assert.equal(await status(client.fetchTableLines(seen.small.experiment, first.id, QueryHelper.query())), 405);
});

test("outputs", async () => {
	const [experiment] = model(await client.fetchExperiments());
	Object.assign(seen, { uuid: experiment.UUID, start: experiment.start, end: experiment.end });
	seen.outputs = model(await client.experimentOutputs(seen.uuid));
	const names = seen.outputs.map((output) => output.name);
	assert.deepEqual(names, [...names].sort(), "by name");
	assert.deepEqual(envelope(await client.fetchMarkerSets(seen.uuid)), []);
});

test("every tree, by each of the four endpoints", async () => {
	const calls = ["fetchTimeGraphTree", "fetchXYTree", "fetchGenericXYTree", "fetchDataTree"];
	for (const output of seen.outputs.filter((one) => one.type !== "TABLE")) {
		for (const call of calls) {
			const tree = envelope(await client[call](seen.uuid, output.id, range(2)));
			const ids = new Set(tree.entries.map((entry) => entry.id));
			assert.equal(ids.size, tree.entries.length, `${output.name}: ids are unique`);
			for (const entry of tree.entries) {
				assert.ok(entry.id > 0 && entry.id < 2 ** 31);
				assert.ok(entry.parentId === -1 || ids.has(entry.parentId), `${output.name}: parents are there`);
			}
		}
	}
});

test("time graphs: states, arrows, tooltip, styles, annotations", async () => {
	for (const output of seen.outputs.filter((one) => one.type === "TIME_GRAPH")) {
		const tree = envelope(await client.fetchTimeGraphTree(seen.uuid, output.id, range(2)));
		assert.equal(tree.entries[0].start, seen.start, "viewers subtract this from the times of arrows");
		const items = tree.entries.map((entry) => entry.id);
		const { rows } = envelope(await client.fetchTimeGraphStates(seen.uuid, output.id, times(400, items)));
		assert.deepEqual(rows.map((row) => row.entryId), items, "a row that is missing is taken for filtered");
		const { styles } = envelope(await client.fetchStyles(seen.uuid, output.id, QueryHelper.query()));
		const states = rows.flatMap((row) => row.states);
		if (output.name === "Critical Path") { // of no thread until one is asked for
			assert.equal(states.length, 0);
			continue;
		}
		assert.ok(states.length > 0);
		for (const row of rows)
			row.states.forEach((state, i) => assert.ok(i === 0 || state.start >= row.states[i - 1].end));
		for (const state of states) {
			assert.equal(typeof state.start, "bigint");
			assert.ok(!state.style || state.style.parentKey in styles, JSON.stringify(state.style?.parentKey));
		}
		const row = rows.find((one) => one.states.some((state) => state.style));
		const state = row.states.find((one) => one.style);
		const element = { elementType: "state", time: state.start, duration: state.end - state.start };
		const query = QueryHelper.selectionTimeQuery([state.start], [row.entryId], { requested_element: element });
		assert.equal(typeof envelope(await client.fetchTimeGraphTooltip(seen.uuid, output.id, query)), "object");
		const arrows = envelope(await client.fetchTimeGraphArrows(seen.uuid, output.id, range(400)));
		for (const arrow of arrows) {
			assert.equal(typeof arrow.start, "bigint");
			assert.ok(items.includes(arrow.sourceId) && items.includes(arrow.targetId) && arrow.start <= arrow.end);
			assert.ok(arrow.style.parentKey in styles, arrow.style.parentKey);
		}
		const categories = envelope(await client.fetchAnnotationsCategories(seen.uuid, output.id));
		assert.ok(Array.isArray(categories.annotationCategories));
		assert.ok(envelope(await client.fetchAnnotations(seen.uuid, output.id, times(10, items))).annotations);
	}
});

test("the arrows of Control Flow", async () => {
	const id = outputOf("TIME_GRAPH", "ThreadStatusDataProvider");
	const arrows = envelope(await client.fetchTimeGraphArrows(seen.uuid, id, range(400)));
	const kinds = new Set(arrows.map((arrow) => arrow.style.parentKey));
	assert.ok(kinds.has("CPU transition") && kinds.has("Fork"), [...kinds].join());
});

test("search and filter of states, sampled and deep", async () => {
	const id = outputOf("TIME_GRAPH", "ThreadStatusDataProvider");
	const tree = envelope(await client.fetchTimeGraphTree(seen.uuid, id, range(2)));
	const items = tree.entries.map((entry) => entry.id);
	const states = async (strategy, map) => {
		const query = QueryHelper.selectionTimeRangeQuery(seen.start, seen.end, 50, items,
			{ filter_query_parameters: { strategy, filter_expressions_map: map } });
		return envelope(await client.fetchTimeGraphStates(seen.uuid, id, query)).rows.flatMap((row) => row.states);
	};
	const plain = await states("SAMPLED", {});
	const searched = await states("SAMPLED", { 1: ["duration > 1ms"] });
	assert.equal(searched.length, plain.length);
	for (const state of searched.filter((one) => one.style))
		assert.equal(state.tags ?? 0, state.end - state.start > 1000000n ? 0 : 1);
	const filtered = await states("SAMPLED", { 4: ["duration > 1ms"] });
	assert.ok(filtered.some((state) => state.tags === 4) && filtered.every((state) => !(state.tags === 4 && state.style)));
	assert.ok((await states("DEEP", { 1: ["duration < 100us"] })).length > plain.length, "short ones are found between the samples");
	const bad = QueryHelper.selectionTimeRangeQuery(seen.start, seen.end, 50, items,
		{ filter_query_parameters: { filter_expressions_map: { 1: ["duration >"] } } });
	assert.equal((await client.fetchTimeGraphStates(seen.uuid, id, bad)).getStatusCode(), 400);
});

test("lost events are annotations of every output", async () => {
	const trace = model(await client.openTrace(QueryHelper.query({ uri: `${traces}/ctf-made` })));
	const made = model(await client.createExperiment(QueryHelper.query({ name: "made", traces: [trace.UUID] })));
	const read = async () => model(await client.fetchExperiment(made.UUID));
	const ready = await until("the store", read, (now) => now.indexingStatus !== "RUNNING");
	const whole = QueryHelper.selectionTimeRangeQuery(ready.start, ready.end, 1000, []);
	for (const output of model(await client.experimentOutputs(made.UUID))) {
		const { annotationCategories } = envelope(await client.fetchAnnotationsCategories(made.UUID, output.id, "-1"));
		assert.deepEqual(annotationCategories, ["Lost Events"]);
		const { annotations } = envelope(await client.fetchAnnotations(made.UUID, output.id, whole));
		const [first] = annotations["Lost Events"];
		assert.equal(first.time, 1000000000141n);
		assert.equal(first.duration, 50n);
		assert.deepEqual([first.entryId, first.type, first.label], [-1, "CHART", "7 events lost on CPU 0"]);
	}
	model(await client.deleteExperiment(made.UUID));
	model(await client.deleteTrace(trace.UUID));
});

test("charts", async () => {
	for (const output of seen.outputs.filter((one) => one.type === "TREE_TIME_XY")) {
		const tree = envelope(await client.fetchXYTree(seen.uuid, output.id, range(2)));
		if (tree.entries.length === 1) // a chart of what the trace has none of, such as disks
			continue;
		assert.ok(tree.entries.some((entry) => entry.isDefault), "else nothing is shown at first");
		const items = tree.entries.map((entry) => entry.id);
		for (const call of ["fetchXY", "fetchGenericXY"]) {
			const { series } = envelope(await client[call](seen.uuid, output.id, times(100, items)));
			assert.ok(series.length > 0);
			for (const one of series) {
				assert.equal(one.xValues.length, one.yValues.length);
				if (!output.id.includes(":")) // points of segments have each their own times
					assert.deepEqual(one.xValues, series[0].xValues);
				assert.ok(one.yValues.every((y) => typeof y === "number" && y >= 0));
			}
		}
	}
});

test("tables", async () => {
	for (const output of seen.outputs.filter((one) => one.type === "TABLE")) {
		const columns = envelope(await client.fetchTableColumns(seen.uuid, output.id, QueryHelper.query()));
		assert.ok(columns.length > 0);
		const lines = envelope(await client.fetchTableLines(seen.uuid, output.id, QueryHelper.tableQuery([], 3, 5)));
		assert.deepEqual(lines.lines.map((line) => line.index), [3, 4, 5, 6, 7]);
		assert.equal(lines.lines[0].cells.length, columns.length);
		assert.equal(lines.lowIndex, 3);
	}
});

test("latencies: a table, a scatter chart, a density and statistics of each store", async () => {
	const { experiment } = seen.small;
	const { start, end } = model(await client.fetchExperiment(experiment));
	const outputs = model(await client.experimentOutputs(experiment)).filter((output) => output.id.endsWith(":system-calls"));
	assert.deepEqual(outputs.map((output) => output.type), ["TREE_GENERIC_XY", "TREE_TIME_XY", "DATA_TREE", "TABLE"]);
	const [density, scatter, statistics, table] = outputs.map((output) => output.id);
	const items = (tree) => tree.entries.map((entry) => entry.id);

	const columns = envelope(await client.fetchTableColumns(experiment, table, QueryHelper.query()));
	const last = columns.at(-1);
	assert.equal(last.name, "Timestamp ns", "by this viewers know the time of a line");
	const { size, lines } = envelope(await client.fetchTableLines(experiment, table, QueryHelper.tableQuery([], 3, 5)));
	assert.deepEqual(lines.map((line) => line.index), [3, 4, 5, 6, 7]);
	assert.equal(lines[0].cells.length, columns.length);
	const at = BigInt(lines[0].cells[columns.indexOf(last)].content);
	assert.ok(at >= start && at <= end);
	const found = envelope(await client.fetchTableLines(experiment, table, QueryHelper.query({ requested_times: [at], requested_table_count: 1 })));
	assert.ok(found.lowIndex <= 3 && found.lines[0].cells.at(-1).content === String(at));

	const names = envelope(await client.fetchXYTree(experiment, scatter, QueryHelper.timeRangeQuery(start, end, 2)));
	assert.ok(names.entries.some((entry) => entry.isDefault), "else nothing is shown at first");
	const points = envelope(await client.fetchXY(experiment, scatter, QueryHelper.selectionTimeRangeQuery(start, end, 1000, items(names))));
	assert.ok(points.series.length > 0);
	for (const one of points.series) {
		assert.ok(items(names).includes(one.seriesId), "legends look it up");
		assert.equal(one.style.values["series-type"], "scatter");
		assert.equal(one.xValues.length, one.yValues.length);
		assert.ok(one.xValues.every((x) => x >= start && x <= end) && one.yValues.every((y) => typeof y === "number" && y >= 0));
	}

	const query = QueryHelper.query({ requested_timerange: { start, end, nbSamples: 20 }, requested_items: [1] });
	const [counts] = envelope(await client.fetchGenericXY(experiment, density, query)).series;
	assert.equal(counts.xRanges.length, 20);
	assert.equal(counts.yValues.reduce((sum, one) => sum + one, 0), size);
	assert.equal(counts.xValuesDescription.axisDomain.type, "range");

	const all = envelope(await client.fetchDataTree(experiment, statistics, QueryHelper.timeRangeQuery(start, end, 2)));
	assert.deepEqual(all.headers.map((header) => header.name),
		["Label", "Minimum", "Maximum", "Average", "Std Dev", "Count", "Total", "Min Time Range", "Max Time Range"]);
	assert.equal(Number(all.entries[0].labels[5]), size);
	assert.match(all.entries[0].labels[8], /^\[\d+,\d+\]$/);
	const selected = envelope(await client.fetchDataTree(experiment, statistics, QueryHelper.timeRangeQuery(start, end, 2, { isFiltered: true })));
	assert.equal(selected.entries.length, 2 * all.entries.length, "and the same of the selection");
	assert.equal(new Set(items(selected)).size, selected.entries.length);
});

test("configurations: files that define analyses", async () => {
	const id = seen.outputs[0].id;
	const status = async (call) => (await call).getStatusCode();
	const types = model(await client.fetchConfigurationSourceTypes());
	assert.deepEqual(types.map((type) => type.id), ["org.eclipse.tracecompass.tmf.core.config.xmlsourcetype", "histree.definitions"]);
	for (const { id: type } of types) {
		assert.deepEqual(model(await client.fetchConfigurations(type)), []);
		assert.equal(await status(client.createConfiguration(type, new ConfigurationQuery("n", "", { path: "/nowhere.xml" }))), 400);
		assert.equal(await status(client.createConfiguration(type, new ConfigurationQuery("n", "", { path: "/etc/passwd" }))), 403);
		assert.equal(await status(client.createConfiguration(type, new ConfigurationQuery("n", "", {}))), 400);
	}
	assert.deepEqual(model(await client.fetchOutputConfigurationTypes(seen.uuid, id)), []);
	assert.equal(await status(client.fetchConfigurationSourceType("no")), 404);
	assert.equal(await status(client.fetchConfigurations("no")), 404);
	assert.equal(await status(client.fetchConfiguration("no", "no")), 404);
	assert.equal(await status(client.createConfiguration("no", new ConfigurationQuery("n", "", {}))), 404);
	assert.equal(await status(client.updateConfiguration("no", "no", new ConfigurationQuery("n", "", {}))), 404);
	assert.equal(await status(client.deleteConfiguration("no", "no")), 404);
	assert.equal(await status(client.fetchOutputConfigurationType(seen.uuid, id, "no")), 404);
	const derived = new OutputConfigurationQuery("n", "", "no", {});
	assert.equal(await status(client.createDerivedOutput(seen.uuid, id, derived)), 404);
	assert.equal(await status(client.deleteDerivedOutput(seen.uuid, id, "no")), 404);
});

test("close what was opened", async () => {
	assert.equal(model(await client.deleteExperiment(seen.small.experiment)).UUID, seen.small.experiment);
	assert.equal(model(await client.deleteTrace(seen.small.trace, true, true)).UUID, seen.small.trace);
	assert.equal(model(await client.fetchTraces()).length, 1);
});

let failed = 0;
for (const { name, run } of tests) {
	try {
		await run();
	} catch (error) {
		failed++;
		console.log(`${name}: ${error.stack}`);
	}
}
// In the words of cmocka, by which the tests are counted.
console.log(`[  PASSED  ] ${tests.length - failed} test(s).`);
if (failed > 0)
	console.log(`[  FAILED  ] ${failed} test(s).`);
process.exit(failed > 0 ? 1 : 0);
