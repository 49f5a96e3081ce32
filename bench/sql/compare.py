#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ask a store by SQL, and SQLite and DuckDB with ordinary tables of the same rows.

    compare.py BUILD STORE FOLDER [--generated ATTRIBUTES] [--without-sqlite] [--modules NODE_MODULES] [--parquet FILE]
        [--only NAMES]

The tables of the peers are made in FOLDER, once, of what `histree sql` prints, DuckDB's of the states in
the file of `histree export` where one is named; SQLite's have the indexes that somebody
would make who asks such questions. Prints Markdown: medians of processor time, ratios, and who gave another answer. DuckDB takes part if
its module for Node is found. Without
--generated, the questions are those of docs/cookbook.md. It needs a Python whose SQLite loads extensions, as Debian's.
"""
import argparse
import json
import math
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys

sys.path += [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1])]
import questions  # noqa: E402
from measuring import paragraph, table, text_of, times_of  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
INDEXES = {
    "states": ["quark, start", "path, start", "start", "\"end\""],
    "attributes": ["path", "quark"],
    "": ["start", "duration"],  # of any segments
}


def say(text):
    print(text, file=sys.stderr, flush=True)


def attach(library, store):
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(library)
    db.execute("SELECT histree_attach(?)", (str(store),)).fetchall()
    return db


def tables_of(db):
    segments = [row[0].replace("-", "_") for row in db.execute("SELECT name FROM analyses WHERE kind = 'segments'")]
    return ["states", "attributes", "info", "gaps", *segments]


def fill_sqlite(db, path):
    if path.exists():
        return
    say("filling SQLite's tables")
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    db.execute("ATTACH ? AS peer", (str(part),))
    db.execute("PRAGMA peer.journal_mode = OFF")
    db.execute("PRAGMA peer.synchronous = OFF")
    for table in tables_of(db):
        db.execute(f"CREATE TABLE peer.{table} AS SELECT * FROM temp.{table}")
        for i, columns in enumerate(INDEXES.get(table, INDEXES[""] if table not in ("info", "gaps") else [])):
            db.execute(f"CREATE INDEX peer.{table}_{i} ON {table}({columns})")
        db.commit()
    db.execute("ANALYZE peer")
    db.commit()
    db.execute("DETACH peer")
    part.rename(path)


def of_parquet(options):
    # DuckDB reads times of a zone in microseconds. Those of the generated history start at whole ones; ends do not.
    return (f"SELECT quark, path, epoch_ns(start) AS start, epoch_ns(start) + duration - 1 AS \"end\", duration, type, value "
            f"FROM read_parquet('{options.parquet}')")


def fill_duckdb(options, db, path):
    """By CSV; of states, what is text gets a column of its own."""
    if path.exists():
        return
    say("filling DuckDB's tables")
    setup, files = [], []
    for table in tables_of(db):
        if table == "states" and options.parquet:
            setup.append(f"CREATE TABLE states AS {of_parquet(options)}")
            continue
        names = [row[1] for row in db.execute(f"PRAGMA temp.table_info({table})")]
        columns = ", ".join(f'"{name}"' for name in names if name != "value" or table != "states")
        if table == "states":
            columns += ", CASE WHEN typeof(value) IN ('integer', 'real') THEN value END AS value, "
            columns += "CASE WHEN typeof(value) = 'text' THEN value END AS text"
        file = path.with_name(table + ".csv")
        files.append(file)
        with open(file, "wb") as out:
            subprocess.run([options.histree, "sql", options.store, f"SELECT {columns} FROM {table}", "--format", "csv",
                            "--progress", "none"], stdout=out, check=False)
        # Tables may be empty, and then no row says what their columns are.
        kinds = {name: "BIGINT" for name in names if name in ("start", "end", "duration", "quark", "value")}
        kinds.update({name: "VARCHAR" for name in (*names, "text") if name in ("path", "name", "text", "label")})
        kinds = {name: kinds[name] for name in kinds if name in (*names, *["text"] * (table == "states"))}
        kinds = {} if table == "info" else kinds
        kinds = f"types={kinds}, " if kinds else ""
        setup.append(f"CREATE TABLE {table} AS SELECT * FROM read_csv('{file}', header=true, {kinds}sample_size=-1)")
    ask_duckdb(options, path, setup, [])
    for file in files:
        file.unlink()


def ask(words, request):
    done = subprocess.run(words, input=json.dumps(request), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def ask_sqlite(library, place, statements):
    return ask([sys.executable, str(HERE / "ask_sqlite.py"), library, str(place)], statements)


def ask_duckdb(options, place, setup, statements):
    return ask(["node", str(HERE / "ask_duckdb.mjs"), options.modules, str(place)], {"setup": setup, "questions": statements})


def cell(value):
    """What two programs may well write in two ways is one."""
    if value is None:
        return ""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return value
    return f"{value:.7g}" if math.isfinite(value) else str(value)


def checksum(answer):
    return sorted(tuple(map(cell, row)) for row in answer["rows"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("store", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--generated", type=int)
    parser.add_argument("--without-sqlite", action="store_true")
    parser.add_argument("--modules", default="node_modules")
    parser.add_argument("--parquet")
    parser.add_argument("--only", default="", help="questions whose names begin so, a regular expression")
    options = parser.parse_args()
    options.histree = str(options.build / "src" / "cli" / "histree")
    library = str(options.build / "src" / "sql" / "libhistree_sqlite.so")
    options.folder.mkdir(exist_ok=True)
    db = attach(library, options.store)
    info = dict(db.execute("SELECT name, value FROM info"))
    times = {"ns": 1, "us": 1000, "ms": 1000000, "s": 1000000000}
    asked = list(questions.generated(info["start"], info["end"], options.generated) if options.generated else
                 questions.cookbook(lambda text: info["start"] + int(text.strip("+nums")) *
                                    times[text.lstrip("+0123456789")]))
    asked = [each for each in asked if re.match(options.only, each[0])]
    columns = [("histree", lambda: ask_sqlite(library, options.store, [each[1] for each in asked]))]
    if not options.without_sqlite:
        fill_sqlite(db, options.folder / "peer.sqlite")
        columns.append(("SQLite", lambda: ask_sqlite("-", options.folder / "peer.sqlite", [each[2] for each in asked])))
    has_duckdb = (pathlib.Path(options.modules) / "@duckdb").exists()
    if has_duckdb:
        fill_duckdb(options, db, options.folder / "peer.duckdb")
        columns.append(("DuckDB", lambda: ask_duckdb(options, options.folder / "peer.duckdb", [], [each[3] for each in asked])))
    if options.parquet and has_duckdb:
        view = f"CREATE VIEW states AS {of_parquet(options)}"
        names = "CREATE VIEW attributes AS SELECT DISTINCT quark, path FROM states"
        columns.append(("DuckDB on our Parquet", lambda: ask_duckdb(options, ":memory:", [view, names],
                                                                    [each[3] for each in asked])))
    db.close()
    results = []
    for name, run in columns:
        say(f"asking {name}")
        results.append(run())
    rows, ratios = [], {name: [] for name, _ in columns[1:]}
    for i, each in enumerate(asked):
        answers = [result["answers"][i] for result in results]
        for (name, _), answer in zip(columns, answers):
            if "error" in answer:
                say(f"{name}: {each[0]}: {answer['error']}")
        sums = [checksum(answer) if "rows" in answer else None for answer in answers]
        other = [name for (name, _), got in zip(columns, sums) if got != sums[0]]
        times = [1000 * statistics.median(answer["took"]) if "error" not in answer else None for answer in answers]
        beside = [time / times[0] if time and times[0] else None for time in times[1:]]
        for (name, _), ratio in zip(columns[1:], beside):
            ratios[name] += [ratio] if ratio else []
        rows.append([each[0], *map(text_of, times), *(text_of(ratio, 2) for ratio in beside), len(answers[0].get("rows", [])),
                     "yes" if not other else "not " + ", ".join(other)])
    rows.append(["resident memory, MB", *(f"{result['memory_kib'] / 1024:.0f}" for result in results), *[""] * len(beside), "", ""])
    names = [name for name, _ in columns]
    print(paragraph(f"{len(asked)} questions in SQL to {options.store.name.removesuffix('.histree')}, asked of its store through "
                    "SQLite's virtual tables, and of ordinary tables of the same rows, with the indexes that somebody would "
                    "make: " + "; ".join(f"{name} takes {times_of(some)} histree's processor time, the median question "
                                         f"{statistics.median(some):.2g} times, and histree is ahead in "
                                         f"{sum(ratio > 1 for ratio in some)} of {len(some)}" for name, some in ratios.items())
                    + "." + ("" if has_duckdb else " DuckDB was not found on the machine.")))
    print(table(["question, ms", *names, *(f"{name} / histree" for name in names[1:]), "rows", "same answer"], rows))


if __name__ == "__main__":
    main()
