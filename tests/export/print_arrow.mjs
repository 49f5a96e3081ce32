// SPDX-License-Identifier: MIT
// print_arrow.mjs NODE_MODULES FILE... - what apache-arrow reads in Arrow files and streams, as write_columns.c
// writes what they must hold: FILE.read.jsonl, a line for each row.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import * as zlib from 'node:zlib';

const require = createRequire(resolve(process.argv[2], 'x.js'));
const arrow = require('apache-arrow');

// Zstd is in node from 22.15 on, else in a package; without either, compressed files are left alone.
function zstdDecoder() {
	if (typeof zlib.zstdDecompressSync === 'function')
		return (data) => zlib.zstdDecompressSync(data);
	try {
		const { decompress } = require('fzstd');
		return (data) => new Uint8Array(decompress(data)); // in memory that is aligned
	} catch {
		return null;
	}
}
const decode = arrow.compressionRegistry === undefined ? null : zstdDecoder();
if (decode !== null)
	arrow.compressionRegistry.set(arrow.CompressionType.ZSTD, { decode });

/** A function from a row to its cell.  Numbers are taken from the buffers: a time as a number of JavaScript is less. */
function cells(vector) {
	const data = vector.data[0];
	const { type } = data;
	const ifValid = (cell) => (row) => (vector.nullCount > 0 && !vector.isValid(row) ? null : cell(row));
	if (arrow.DataType.isDictionary(type) || arrow.DataType.isUtf8(type))
		return ifValid((row) => vector.get(row));
	if (arrow.DataType.isBool(type))
		return ifValid((row) => (vector.get(row) ? '1' : '0'));
	let { values } = data;
	if (arrow.DataType.isFloat(type)) {
		const Bits = values.BYTES_PER_ELEMENT === 4 ? Uint32Array : BigUint64Array;
		values = new Bits(values.buffer, values.byteOffset, data.length);
	}
	if (values.length < data.length)
		throw new Error(`a column of ${values.length} values for ${data.length} rows`);
	return ifValid((row) => String(values[row]));
}

function print(file) {
	const lines = [];
	const reader = arrow.RecordBatchReader.from(readFileSync(file));
	for (const batch of reader) {
		const columns = batch.schema.fields.map((_, at) => cells(batch.getChildAt(at)));
		for (let row = 0; row < batch.numRows; row++)
			lines.push(JSON.stringify(columns.map((cell) => cell(row))) + '\n');
	}
	writeFileSync(`${file}.read.jsonl`, lines.join(''));
}

for (const file of process.argv.slice(3)) {
	if (file.includes('.zstd.') && decode === null)
		continue;
	try {
		print(file);
	} catch (error) {
		console.error(`${file}: ${error.stack.split('\n').slice(0, 3).join(' ')}`);
		process.exitCode = 1;
	}
}
