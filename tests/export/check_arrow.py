#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arrow files and streams of random histories hold what plain queries say: apache-arrow reads them back.

    check_arrow.py WRITE_COLUMNS

Rows are compared one by one.  apache-arrow is looked for in $HISTREE_NODE_MODULES, else installed from npm into a
temporary folder; without it, or without node, the test is skipped.  HISTREE_SEED chooses other histories.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
ROUNDS = {"full": 5}.get(os.environ.get("HISTREE_TESTS", ""), 2)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def node_modules(folder):
    """Where apache-arrow is."""
    given = os.environ.get("HISTREE_NODE_MODULES")
    if given:
        if not (pathlib.Path(given) / "apache-arrow").is_dir():
            skip(f"there is no apache-arrow in {given} ($HISTREE_NODE_MODULES)")
        return given
    if shutil.which("npm") is None:
        skip("npm is not installed, which gets apache-arrow (Debian: npm)")
    done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", "apache-arrow", "fzstd"], cwd=folder,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=180, check=False)
    if done.returncode != 0:
        skip("npm could not get apache-arrow")
    return str(pathlib.Path(folder) / "node_modules")


def canonical(line):
    """Bits of a NaN are compared as they are, texts character by character."""
    return json.loads(line)


def compare(expected, found):
    """Yields what differs between two files of lines."""
    with open(expected, encoding="utf-8") as one, open(found, encoding="utf-8") as other:
        wanted, read = one.read().split("\n"), other.read().split("\n")
    if len(wanted) != len(read):
        yield f"{found.name}: {len(read) - 1} rows instead of {len(wanted) - 1}"
    for number, (a, b) in enumerate(zip(wanted, read), 1):
        if a != b and (not a or not b or canonical(a) != canonical(b)):
            yield f"{found.name}: row {number}: {b} instead of {a}"
            return


def check(write_columns, modules, seed):
    """Returns how many files were compared; exits with the first that differ."""
    here = pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([write_columns, str(seed), name], check=True)
        files = sorted([*folder.glob("*.arrow"), *folder.glob("*.arrows")])
        done = subprocess.run(["node", str(here / "print_arrow.mjs"), modules, *map(str, files)], check=False)
        faults = [] if done.returncode == 0 else [f"apache-arrow could not read all of them (seed {seed})"]
        compared = 0
        for file in files:
            read = folder / f"{file.name}.read.jsonl"
            if read.exists():
                faults += compare(folder / f"{file.name.split('.')[0]}.jsonl", read)
                compared += 1
    if faults:
        print("\n".join(faults[:20]))
        sys.exit(f"HISTREE_SEED={seed} runs it again")
    return compared


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if shutil.which("node") is None:
        skip("node is not installed, which runs apache-arrow (Debian: nodejs)")
    seed = int(os.environ.get("HISTREE_SEED", "1"))
    with tempfile.TemporaryDirectory() as folder:
        modules = node_modules(folder)
        files = sum(check(sys.argv[1], modules, seed + 1000 * each) for each in range(ROUNDS))
    if files == 0:
        sys.exit("no file was compared")
    print(f"{files} files read back")


if __name__ == "__main__":
    main()
