// SPDX-License-Identifier: MIT
// read_parquet.mjs NODE_MODULES FOLDER FILE... - what hyparquet and DuckDB read in Parquet files, as random_columns.c writes
// what they must hold: FILE.hyparquet.jsonl and FILE.duckdb.jsonl, a line for each row.
//
// DuckDB has instants of ns in microseconds: such a cell is "123us".  Bounds of chunks and of pages are compared with the
// values that hyparquet reads.  Prints the encodings that were met.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const modules = resolve(process.argv[2]);
const require = createRequire(resolve(modules, 'x.js'));
const load = (name) => import(pathToFileURL(resolve(modules, name)));
const { DuckDBInstance } = require('@duckdb/node-api');
const { parquetMetadata, parquetReadObjects } = await load('hyparquet/src/index.js');
const { readOffsetIndex } = await load('hyparquet/src/indexes.js');
const { convertMetadata } = await load('hyparquet/src/metadata.js');
const { deserializeTCompactProtocol } = await load('hyparquet/src/thrift.js');
const { compressors } = await load('hyparquet-compressors/src/index.js');

const parsers = {
	timestampFromMilliseconds: (number) => number,
	timestampFromMicroseconds: (number) => number,
	timestampFromNanoseconds: (number) => number,
	stringFromBytes: (bytes) => bytes && new TextDecoder().decode(bytes),
};

function bitsOf(real) {
	if (Number.isNaN(real))
		return 'nan';
	return String(new BigUint64Array(new Float64Array([real]).buffer)[0]);
}

/** A cell of hyparquet. */
function cell(value, element) {
	if (value === null || value === undefined)
		return null;
	if (element.type === 'BYTE_ARRAY')
		return value;
	if (element.type === 'DOUBLE')
		return bitsOf(value);
	return String(typeof value === 'boolean' ? Number(value) : value);
}

/** Values in the order that statistics have: numbers, or texts by their bytes. */
const order = (one, other) =>
	typeof one === 'string' ? Buffer.compare(Buffer.from(one), Buffer.from(other)) : Number(one > other) - Number(one < other);

/** Complains unless the bounds are those of the values, of which nulls and NaN are left out. */
function checkBounds(what, values, min, max) {
	const known = values.filter((value) => value !== null && value !== undefined && !Number.isNaN(value));
	if (known.length === 0 || min === undefined || max === undefined)
		return;
	let least = known[0], greatest = known[0];
	for (const value of known) {
		least = order(value, least) < 0 ? value : least;
		greatest = order(value, greatest) > 0 ? value : greatest;
	}
	if (order(least, min) !== 0 || order(greatest, max) !== 0)
		throw new Error(`${what}: bounds ${min} to ${max} for values from ${least} to ${greatest}`);
}

function checkPages(file, bytes, chunk, element, values) {
	if (chunk.offset_index_offset === undefined)
		throw new Error(`${file}: a chunk without an index of its pages`);
	const view = (offset, length) => ({
		view: new DataView(bytes.buffer, bytes.byteOffset + Number(offset), length), offset: 0 });
	const places = readOffsetIndex(view(chunk.offset_index_offset, chunk.offset_index_length)).page_locations;
	const end = chunk.meta_data.data_page_offset + places.reduce((sum, place) => sum + BigInt(place.compressed_page_size), 0n);
	const begin = chunk.meta_data.dictionary_page_offset ?? chunk.meta_data.data_page_offset;
	if (end !== begin + chunk.meta_data.total_compressed_size)
		throw new Error(`${file}: pages end at ${end}`);
	if (chunk.column_index_offset === undefined)
		return 0;
	// Fields as parquet.thrift numbers them: hyparquet itself expects bounds of a page of nulls, too.
	const { field_1: nullPages, field_2: mins, field_3: maxs, field_5: nullCounts } =
		deserializeTCompactProtocol(view(chunk.column_index_offset, chunk.column_index_length));
	places.forEach((place, at) => {
		const from = Number(place.first_row_index);
		const to = at + 1 < places.length ? Number(places[at + 1].first_row_index) : values.length;
		const rows = values.slice(from, to);
		const nulls = rows.filter((value) => value === null || value === undefined).length;
		if (Number(nullCounts[at]) !== nulls || nullPages[at] !== (nulls === rows.length))
			throw new Error(`${file}: page ${at} of ${element.name} has ${nulls} nulls`);
		if (!nullPages[at])
			checkBounds(`${file}: page ${at} of ${element.name}`, rows, convertMetadata(mins[at], element, parsers),
				convertMetadata(maxs[at], element, parsers));
	});
	return places.length;
}

const encodings = new Set();

async function readByHyparquet(file) {
	const bytes = readFileSync(file);
	const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
	const metadata = parquetMetadata(buffer, { parsers });
	const elements = metadata.schema.slice(1);
	const lines = [];
	let first = 0;
	for (const group of metadata.row_groups) {
		const count = Number(group.num_rows);
		const read = await parquetReadObjects({ file: buffer, metadata, compressors, parsers, rowStart: first,
			rowEnd: first + count });
		const rows = read.map((row) => elements.map((element) => row[element.name]));
		if (rows.length !== count)
			throw new Error(`${file}: ${rows.length} rows instead of ${count}`);
		group.columns.forEach((chunk, at) => {
			const values = rows.map((row) => row[at]);
			const { statistics, encodings: met } = chunk.meta_data;
			met.forEach((each) => encodings.add(`${elements[at].type} ${each}`));
			const nulls = values.filter((value) => value === null || value === undefined).length;
			if (Number(statistics.null_count) !== nulls)
				throw new Error(`${file}: ${statistics.null_count} nulls of ${elements[at].name}, not ${nulls}`);
			checkBounds(`${file}: ${elements[at].name}`, values, statistics.min_value, statistics.max_value);
			checkPages(file, bytes, chunk, elements[at], values);
		});
		for (const row of rows)
			lines.push(JSON.stringify(elements.map((element, at) => cell(row[at], element))) + '\n');
		first += count;
	}
	writeFileSync(`${file}.hyparquet.jsonl`, lines.join(''));
	return elements;
}

/** What DuckDB is asked for to learn a column exactly. */
function expression(name, type, element) {
	const column = `"${name}"`;
	const isNanos = element.logical_type?.unit === 'NANOS';
	if (type === 'BOOLEAN')
		return `CAST(CAST(${column} AS INT) AS VARCHAR)`;
	if (type === 'DOUBLE' || type === 'VARCHAR')
		return column;
	if (type === 'TIMESTAMP_NS')
		return `CAST(epoch_ns(${column}) AS VARCHAR)`;
	if (type.startsWith('TIMESTAMP'))
		return isNanos ? `CAST(epoch_us(${column}) AS VARCHAR) || 'us'`
			: element.logical_type?.unit === 'MILLIS' ? `CAST(epoch_ms(${column}) AS VARCHAR)`
			: `CAST(epoch_us(${column}) AS VARCHAR)`;
	return `CAST(${column} AS VARCHAR)`;
}

const connection = await (await DuckDBInstance.create(':memory:')).connect();

async function readByDuckdb(file, elements) {
	const types = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${file}')`)).getRows();
	const columns = types.map((row, at) => expression(row[0], row[1], elements[at]));
	const rows = (await connection.runAndReadAll(`SELECT ${columns.join(', ')} FROM read_parquet('${file}')`)).getRows();
	const lines = rows.map((row) =>
		JSON.stringify(row.map((value) => (typeof value === 'number' ? bitsOf(value) : value))) + '\n');
	writeFileSync(`${file}.duckdb.jsonl`, lines.join(''));
}

const all = async (query) => (await connection.runAndReadAll(query)).getRows();

/** Rows of a folder by day: those of a day are in its files only, and whoever asks for one reads no other. */
async function readParts(folder) {
	const parts = `read_parquet('${folder}/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)`;
	const rows = await all(`SELECT CAST(quark AS VARCHAR), CAST(epoch_us("start") AS VARCHAR) || 'us', analysis, day,
		strftime("start" AT TIME ZONE 'UTC', '%Y-%m-%d') FROM ${parts} ORDER BY ALL`);
	if (rows.some((row) => row[2] !== 'kernel' || row[3] !== row[4]))
		throw new Error(`${folder}: a row is not in the slice in which it starts`);
	writeFileSync(`${folder}.duckdb.jsonl`, rows.map((row) => JSON.stringify(row.slice(0, 2)) + '\n').join(''));
	const days = [...new Set(rows.map((row) => row[3]))].sort();
	const groups = await all(`SELECT file_name, stats_min_value, stats_max_value FROM
		parquet_metadata('${folder}/**/*.parquet') WHERE path_in_schema = 'start'`);
	for (const day of days) {
		const bounded = groups.filter((group) => group[1] <= `${day} 99` && group[2] >= day);
		const inside = groups.filter((group) => group[0].includes(`day=${day}/`));
		if (bounded.length === 0 || bounded.length !== inside.length)
			throw new Error(`${folder}: ${bounded.length} row groups of ${day} by bounds, ${inside.length} by name`);
	}
	const plan = (await all(`EXPLAIN ANALYZE SELECT sum(quark) FROM ${parts} WHERE day = '${days[0]}'`)).flat().join('\n');
	const files = new Set(groups.map((group) => group[0])).size;
	if (days.length < 3 || !plan.includes(`1/${files}`))
		throw new Error(`${folder}: one day of ${days.length} reads more than one file of ${files}: ${plan}`);
}

try {
	await readParts(process.argv[3]);
} catch (error) {
	console.error(error.stack);
	process.exitCode = 1;
}
for (const file of process.argv.slice(4)) {
	try {
		await readByDuckdb(file, await readByHyparquet(file));
	} catch (error) {
		console.error(`${file}: ${error.stack.split('\n').slice(0, 4).join(' ')}`);
		process.exitCode = 1;
	}
}
console.log([...encodings].sort().join('\n'));
