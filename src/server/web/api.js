// SPDX-License-Identifier: MIT
// api.js - what the page asks the server for; the formats are in src/server/api/api.h.

let underWay = 0;
let onBusy = () => {};

export function whenBusy(listener) {
	onBusy = listener;
}

const BUSY = 503;
const ASKED_AGAIN_MAX = 20; // of one question; each waited for its turn before it was refused

const passed = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

// A server that is busy says when to come back.
async function ask(url, options) {
	for (let again = 0; ; again++) {
		const response = await fetch(url, options);
		const wait = Number(response.headers.get("Retry-After") ?? NaN);
		if (response.status !== BUSY || !(wait >= 0) || again === ASKED_AGAIN_MAX)
			return response;
		await passed(wait);
	}
}

async function get(path, parameters, signal) {
	const query = new URLSearchParams(parameters);
	if (++underWay === 1)
		onBusy(true);
	try {
		const response = await ask(`api/v1/${path}?${query}`, { signal });
		if (response.ok)
			return response;
		const error = await response.json().catch(() => ({}));
		throw Object.assign(new Error(error.title ?? `the server answered ${response.status}`), { isAnswer: true, status: response.status });
	} finally {
		if (--underWay === 0)
			onBusy(false);
	}
}

// The page asks for it before any of its code is there (index.html).
export async function experiments() {
	const response = await ask("api/v1/experiments");
	if (!response.ok)
		throw Object.assign(new Error(`the server answered ${response.status}`), { isAnswer: true });
	return response.json();
}

export async function json(path, parameters, signal) {
	return (await get(path, parameters, signal)).json();
}

export async function file(path, parameters) {
	return (await get(path, parameters)).blob();
}

// What changes something goes by the protocol unless the page has a path for it, and so does its answer; the body is JSON already.
export async function change(method, path, body, root = "tsp/api") {
	const response = await ask(`${root}/${path}`, { method, headers: { "Content-Type": "application/json" }, body });
	if (response.ok)
		return response;
	const error = await response.json().catch(() => ({}));
	throw Object.assign(new Error(error.title ?? `the server answered ${response.status}`), { isAnswer: true });
}

export async function curve(path, parameters, signal) {
	return new Float32Array(await (await get(path, parameters, signal)).arrayBuffer());
}

const END_OF_ROWS = 0xffffffff;
const SPAN_SIZE = 12;

export const OTHER_STATES = 3, OPEN_STATE = 4; // of what is said of a span: its pixels had others; it was open at the end

// A window of rows: what the JSON says, and for each row its spans as an Uint16Array of (start, length, style, more,
// value low, value high).
export async function rows(parameters, signal) {
	const buffer = await (await get("rows", parameters, signal)).arrayBuffer();
	const view = new DataView(buffer);
	if (view.getUint32(0, true) !== 0x31525448)
		throw new Error("the server answered something that is no window of rows");
	const spans = [];
	let at = 4;
	for (;;) {
		const count = view.getUint32(at, true);
		at += 4;
		if (count === END_OF_ROWS)
			break;
		spans.push(new Uint16Array(buffer, at, count * SPAN_SIZE / 2));
		at += count * SPAN_SIZE;
	}
	return { ...JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at))), spans };
}

const NODE_SIZE = 56;

// The nodes of a tree as columns, and what the JSON says. `width` there is that of the picture in which they have
// places; it has the shape that is asked for.
export async function nodes(parameters, signal) {
	const buffer = await (await get("nodes", parameters, signal)).arrayBuffer();
	const view = new DataView(buffer);
	if (view.getUint32(0, true) !== 0x314e5448)
		throw new Error("the server answered something that is no list of nodes");
	const count = view.getUint32(4, true), end = 8 + count * NODE_SIZE;
	const column = (Type, read, offset) => Type.from({ length: count }, (_, i) => view[read](8 + i * NODE_SIZE + offset, true));
	const whole = (offset) => column(Uint32Array, "getUint32", offset);
	return {
		...JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, end))), count,
		start: column(Float64Array, "getFloat64", 0), end: column(Float64Array, "getFloat64", 8),
		x: column(Float32Array, "getFloat32", 16), y: column(Float32Array, "getFloat32", 20),
		number: whole(24), parent: whole(28), height: whole(32), children: whole(36),
		keyMin: whole(40), keyMax: whole(44), intervalCount: whole(48), used: whole(52),
	};
}

export const SPAN_FIELDS = SPAN_SIZE / 2;
export const NO_STYLE = 0xffff;

// A text as a filter expression writes it.
export const quoted = (text) => `"${text.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"`;
