// SPDX-License-Identifier: MIT
// Ask DuckDB: ask_duckdb.mjs NODE_MODULES DATABASE < {"setup": [...], "questions": [...]}; answers as ask_sqlite.py has
// them. It runs in one thread, as the others do.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const ROUNDS = 7, ENOUGH_S = 3;
const [modules, place] = process.argv.slice(2);
const require = createRequire(pathToFileURL(modules + "/"));
const { DuckDBInstance } = await import(pathToFileURL(require.resolve("@duckdb/node-api")));
const db = await (await DuckDBInstance.create(place, { threads: "1" })).connect();
const { setup, questions } = JSON.parse(readFileSync(0, "utf8"));
const answers = [];
const plain = (cell) => typeof cell === "bigint" ? Number(cell) : cell === null || typeof cell !== "object" ? cell : Number(cell);
for (const statement of setup) await db.run(statement);
for (const statement of questions) {
  const took = [];
  let rows = [];
  try {
    while (took.length < ROUNDS && (took.length < 1 || took.reduce((a, b) => a + b) < ENOUGH_S)) {
      const began = process.cpuUsage();
      rows = (await db.runAndReadAll(statement)).getRows();
      const used = process.cpuUsage(began);
      took.push((used.user + used.system) / 1e6);
    }
    answers.push({ rows: rows.map((row) => row.map(plain)), took: took.length > 1 ? took.slice(1) : took });
  } catch (error) {
    answers.push({ error: String(error) });
  }
}
const memory = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
process.stdout.write(JSON.stringify({ answers, memory_kib: memory }) + "\n");
