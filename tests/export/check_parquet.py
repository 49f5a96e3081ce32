#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parquet files of random rows hold these rows: DuckDB and hyparquet read them back.

    check_parquet.py WRITE_PARQUET

Rows are compared cell by cell; the bounds of chunks and pages with the values in them.  The two are looked for in
$HISTREE_NODE_MODULES, else installed from npm into a temporary folder; without them, or without node, the test is
skipped.  HISTREE_SEED chooses other rows.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
FILES = 6 if os.environ.get("HISTREE_TESTS") == "quick" else 60
PACKAGES = ["@duckdb/node-api", "hyparquet", "hyparquet-compressors"]
# Each form that a chunk can have must have been met, or the test is not worth its name.
ENCODINGS = {"INT32 PLAIN", "INT32 DELTA_BINARY_PACKED", "INT32 RLE_DICTIONARY", "INT64 PLAIN",
             "INT64 DELTA_BINARY_PACKED", "INT64 RLE_DICTIONARY", "BOOLEAN PLAIN", "DOUBLE PLAIN",
             "DOUBLE RLE_DICTIONARY", "BYTE_ARRAY RLE_DICTIONARY", "BYTE_ARRAY DELTA_LENGTH_BYTE_ARRAY"}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def node_modules(folder):
    """Where the two readers are."""
    given = os.environ.get("HISTREE_NODE_MODULES")
    if given:
        missing = [name for name in PACKAGES if not (pathlib.Path(given) / name).is_dir()]
        if missing:
            skip(f"there is no {' and no '.join(missing)} in {given} ($HISTREE_NODE_MODULES)")
        return given
    if shutil.which("npm") is None:
        skip("npm is not installed, which gets DuckDB and hyparquet (Debian: npm)")
    done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", *PACKAGES], cwd=folder,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=240, check=False)
    if done.returncode != 0:
        skip("npm could not get DuckDB and hyparquet")
    return str(pathlib.Path(folder) / "node_modules")


def is_same(wanted, found):
    """A cell in ns and what a reader that has microseconds made of it, or two cells that are equal."""
    if isinstance(found, str) and isinstance(wanted, str) and found.endswith("us") and wanted.lstrip("-").isdigit():
        return abs(int(wanted) - 1000 * int(found[:-2])) < 1000
    return wanted == found


def sort_key(row):
    """Rows of which the first two cells, which are exact or nearly so, and all others make one order."""
    return [(cell is None, str(cell)) for cell in row[:1] + row[2:14] + row[17:]]


def compare(expected, found, is_sorted):
    """Yields what differs between two files of lines."""
    wanted, read = ([json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
                    for file in (expected, found))
    if is_sorted:
        wanted.sort(key=sort_key)
        read.sort(key=sort_key)
    if len(wanted) != len(read):
        yield f"{found.name}: {len(read)} rows instead of {len(wanted)}"
    for number, (one, other) in enumerate(zip(wanted, read), 1):
        for column, (a, b) in enumerate(zip(one, other)):
            if not is_same(a, b):
                yield f"{found.name}: row {number}, column {column}: {b!r} instead of {a!r}"
                return


def compare_parts(expected, found):
    """Yields what differs between the first two columns of a folder and those of all rows."""
    wanted = [json.loads(line)[:2] for line in expected.read_text(encoding="utf-8").splitlines()]
    read = [json.loads(line) for line in found.read_text(encoding="utf-8").splitlines()]
    wanted = sorted((int(row[0]), int(row[1])) for row in wanted)
    read = sorted((int(row[0]), 1000 * int(row[1][:-2])) for row in read)
    if len(wanted) != len(read) or any(a[0] != b[0] or abs(a[1] - b[1]) >= 1000 for a, b in zip(wanted, read)):
        yield f"{found.name}: {len(read)} rows, not the {len(wanted)} that there are"


def check(write_parquet, modules, seed):
    """Exits with what differs, or returns how many files were compared."""
    here = pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([write_parquet, str(seed), str(FILES), name], check=True)
        files = sorted(folder.glob("*.parquet"))
        done = subprocess.run(["node", str(here / "read_parquet.mjs"), modules, str(folder / "parts"),
                               *map(str, files)], check=False,
                              stdout=subprocess.PIPE, text=True)
        faults = [] if done.returncode == 0 else ["not all of them could be read"]
        for file in files:
            for reader in ("hyparquet", "duckdb"):
                read = folder / f"{file.name}.{reader}.jsonl"
                if read.exists():
                    faults += compare(folder / f"{file.name.split('.')[0]}.jsonl", read, ".sorted." in file.name)
        parts = folder / "parts.duckdb.jsonl"
        faults += compare_parts(folder / "parts.jsonl", parts) if parts.exists() else []
        missing = ENCODINGS - set(done.stdout.split("\n"))
        if missing:
            faults.append(f"nothing was written as {', '.join(sorted(missing))}")
    if faults:
        print("\n".join(faults[:20]))
        sys.exit(f"HISTREE_SEED={seed} runs it again")
    return len(files)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if shutil.which("node") is None:
        skip("node is not installed, which runs DuckDB and hyparquet (Debian: nodejs)")
    with tempfile.TemporaryDirectory() as folder:
        files = check(sys.argv[1], node_modules(folder), int(os.environ.get("HISTREE_SEED", "1")))
    print(f"{files} files read back by two readers")


if __name__ == "__main__":
    main()
