// SPDX-License-Identifier: MIT
// mcp_client.mjs FOLDER HISTREE TRACES - asks every tool by the client of the protocol, which checks each answer.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, histree, traces] = process.argv.slice(2);
const require = createRequire(folder + "/package.json");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");

const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command: histree, args: ["mcp", traces], env: process.env }));
assert.equal(client.getServerVersion().name, "histree");

const { tools } = await client.listTools();
const names = tools.map((tool) => tool.name);
for (const name of ["list", "open", "info", "report", "top", "why", "states", "segments", "events", "flame", "compare", "sql", "draw"])
	assert(names.includes(name), name);
for (const { inputSchema, name } of tools)
	for (const [option, schema] of Object.entries(inputSchema.properties))
		assert(schema.type && schema.description, `${name} ${option}`);

async function ask(name, given) {
	const { content, isError } = await client.callTool({ name, arguments: given });
	assert(!isError, `${name}: ${content[0].text}`);
	return content[0];
}

const store = "demo.histree";
assert.match((await ask("open", { path: "demo" })).text, /2 CPUs were busy/);
assert.match((await ask("list", {})).text, /demo\.histree \(store\)/);
const threads = JSON.parse((await ask("top", { store, limit: 2, format: "json" })).text);
assert.equal(threads.length, 2);
assert(threads[0].user >= 0 && threads[0].thread > 0, JSON.stringify(threads[0]));
const steps = (await ask("why", { store, thread: [String(threads[0].thread)] })).text;
assert.match(steps, /blocked|waited|ran/);
for (const [name, given] of Object.entries({ info: {}, report: {}, states: { patterns: ["CPUs/*/Current_thread"], at: "+12ms" },
	segments: { analysis: "system-calls", by: "name" }, events: { limit: 3 }, flame: { waits: true }, compare: { other: store },
	sql: { statement: ["SELECT count(*) FROM states"] } }))
	assert((await ask(name, { store, ...given })).text.length > 10, name);
const picture = await client.callTool({ name: "draw", arguments: { store, size: "300" } });
assert(picture.isError ? picture.content[0].text.includes("built without") : picture.content[0].mimeType === "image/png");
assert((await client.callTool({ name: "top", arguments: { store: "/" } })).isError);
await assert.rejects(client.callTool({ name: "nothing", arguments: {} }));
await client.close();
