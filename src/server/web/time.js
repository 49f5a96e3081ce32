// SPDX-License-Identifier: MIT
// time.js - times as people read and write them.  Inside the page a time is a number: ns after the start of the trace.

const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
const DAY = 86400n * 1000000000n;

// How times are written: of the UTC day, of the day of this machine, since the start of the trace, or since marker A.
export const CLOCKS = ["UTC", "local", "since start", "since A"];
let chosenClock = "UTC", mark = 0;

export const isSince = () => chosenClock.startsWith("since");
const origin = () => chosenClock === "since A" ? mark : 0; // from which it counts

export function setMark(at) {
	mark = at;
}

export const clockName = () => chosenClock;

export function setClock(name) {
	chosenClock = CLOCKS.includes(name) ? name : "UTC";
}

// A trace whose clock began with the machine or the program, as those of Chrome and of tests do, has no day.
export const usualClock = (start) => start < 10n * 365n * DAY ? "since start" : "UTC";

// The start of the trace in the clock that is chosen, ns since the epoch.
export function clockStart(start) {
	if (isSince())
		return BigInt(-origin());
	const minutes = chosenClock === "local" ? new Date(Number(start / 1000000n)).getTimezoneOffset() : 0;
	return start - BigInt(minutes) * 60n * 1000000000n;
}

// "12.345 ms", with as many decimals as `step` can tell apart.
export function duration(ns, step = 0) {
	const [unit, size] = UNITS.find(([, size]) => Math.abs(ns) >= size) ?? UNITS[3];
	const decimals = size === 1 ? 0 : Math.max(0, Math.min(Math.round(Math.log10(size)), step > 0 ? Math.ceil(Math.log10(size / step)) : 3));
	return `${(ns / size).toFixed(decimals)} ${unit}`;
}

// "17:46:22.794565804" by the clock that is chosen, "+3.794565804 s" since the start; `start` is the start of the trace,
// a BigInt of ns since the epoch.
export function clock(start, offset, decimals = 9) {
	const since = Math.round(offset) - origin();
	if (isSince())
		return `${since < 0 ? "−" : "+"}${(Math.abs(since) / 1e9).toFixed(decimals)} s`;
	const ns = (clockStart(start) + BigInt(Math.round(offset))) % DAY;
	const second = ns / 1000000000n;
	const two = (number) => String(number).padStart(2, "0");
	const fraction = String(ns % 1000000000n).padStart(9, "0").slice(0, decimals);
	return `${two(second / 3600n)}:${two(second / 60n % 60n)}:${two(second % 60n)}${decimals > 0 ? "." + fraction : ""}`;
}

// "2016-03-04", the day of a time after the start.
export function date(start, offset = 0) {
	const ns = clockStart(start) + BigInt(Math.round(offset));
	return new Date(Number(ns / 1000000n)).toISOString().slice(0, 10);
}

// What stands at a tick: the time of the day, and the day where `span` has several.
export function tick(start, offset, step, span) {
	const decimals = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(step))));
	const said = clock(start, offset, decimals);
	return span >= Number(DAY) && !isSince() ? `${date(start, offset)} ${said}` : said;
}

// What a user types, as ns after the start: ns since the epoch, seconds with a point by the clock of the trace, "+12.5ms", which is
// ns without a unit, or a time of the day, with a date or without.  NaN: none of these.
export function parse(text, start) {
	text = text.trim();
	if (/^-?\d{1,19}$/.test(text))
		return Number(BigInt(text) - start);
	const seconds = /^(-?\d+)\.(\d{1,9})$/.exec(text);
	if (seconds)
		return Number(BigInt(seconds[1] + seconds[2].padEnd(9, "0")) - start);
	const after = /^([+−-]?)(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|m|h)$/.exec(text) ?? /^(\+)(\d+(?:\.\d+)?)()$/.exec(text);
	if (after)
		return origin() + (/[−-]/.test(after[1]) ? -1 : 1) * Number(after[2]) * { "": 1, ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 }[after[3]];
	const day = /^(?:(\d{4}-\d{2}-\d{2})[ T])?(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?$/.exec(text);
	if (!day)
		return NaN;
	const first = isSince() ? start : clockStart(start);
	const whole = BigInt(day[2]) * 3600n + BigInt(day[3]) * 60n + BigInt(day[4]);
	const ns = whole * 1000000000n + BigInt((day[5] ?? "").padEnd(9, "0")), midnight = day[1] ? Date.parse(`${day[1]}T00:00:00Z`) : 0;
	if (day[1])
		return Number.isNaN(midnight) ? NaN : Number(BigInt(midnight) * 1000000n + ns - first);
	const offset = Number(ns - first % DAY);
	return offset < 0 ? offset + Number(DAY) : offset;
}

// Where ticks stand in [from, to], about `count` of them: at 1, 2 or 5 times a power of ten.
export function ticks(from, to, count) {
	const rough = Math.max((to - from) / Math.max(count, 1), 1);
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = power * [1, 2, 5, 10].find((factor) => power * factor >= rough);
	const positions = [];
	for (let at = Math.ceil(from / step) * step; at <= to; at += step)
		positions.push(at);
	return { step, positions };
}
