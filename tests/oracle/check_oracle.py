#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Compare what the command answers with what Trace Compass computed, interval by interval.

For each trace and analysis of the oracle, and each variant of the tree: build, verify, dump and compare line for
line; then single, full and 2D queries at random places (the seed is printed) against the same file.

The smallest of them is asked in each variant, the others in the default one.  A quick run (HISTREE_TESTS) asks the
smallest in the default variant only.

usage: check_oracle.py HISTREE [--variants NAME,...] [--seed N]
Exit: 0 equal, 1 different, 77 (skipped) without the traces and histories that are compared.
"""
import argparse
import bisect
import gzip
import itertools
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from data import QUICK, shared

CASES = [
    # trace, analysis, oracle file, intervals, attributes
    ("many-threads", "kernel-tc", "many-threads.tsv.gz", 821120, 58428),
    ("many-threads", "kernel-2016", "many-threads.kernel-2016.tsv.gz", 741492, 50598),
    ("scp_dest", "kernel-tc", "scp_dest.tsv.gz", 64814, 453),
]
VARIANTS = {
    "sht": ["-t", "sht"],
    "osht": ["-t", "osht"],
    "esht": ["-t", "esht"],
    "rsht2": ["-t", "rsht", "--r-depth", "2"],
    "rsht3": ["-t", "rsht", "--r-depth", "3"],
    "rsht4": ["-t", "rsht", "--r-depth", "4"],
    "vrsht": ["-t", "vrsht"],
    "cluster": ["-t", "cluster"],
    "default": [],
}
HEADER = b"path\tstart\tend\ttype\tvalue"


def source(case):
    """Its trace; None without."""
    return shared(f"traces/lttng-kernel/{case[0]}")


def expected(case):
    """What Trace Compass made of it; None without."""
    return shared(f"oracle/{case[2]}")


class Different(Exception):
    pass


class Oracle:
    """The lines of one file, by path, each path's in the order of time."""

    def __init__(self, path, intervals, attributes):
        with gzip.open(path, "rb") as file:
            self.lines = file.read().split(b"\n")[:-1]
        self.by_path = {}
        for path, lines in itertools.groupby(self.lines, key=lambda line: line.split(b"\t", 1)[0]):
            lines = list(lines)
            starts = [int(line.split(b"\t")[1]) for line in lines]
            self.by_path[path] = (starts, lines)
        if len(self.lines) != intervals or len(self.by_path) != attributes:
            raise Different(f"the oracle has {len(self.lines)} intervals of {len(self.by_path)} attributes")
        self.paths = sorted(self.by_path)
        fields = self.by_path[self.paths[0]][1]
        self.start = int(fields[0].split(b"\t")[1])
        self.end = int(fields[-1].split(b"\t")[2])

    def at(self, path, time):
        starts, lines = self.by_path[path]
        return lines[bisect.bisect_right(starts, time) - 1]

    def between(self, path, first, last):
        starts, lines = self.by_path[path]
        return lines[bisect.bisect_right(starts, first) - 1 : bisect.bisect_right(starts, last)]


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise Different(f"{' '.join(map(os.fsdecode, command))}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def rows(output):
    lines = output.split(b"\n")[:-1]
    if not lines or lines[0] != HEADER:
        raise Different(f"no header line, but {lines[:1]}")
    return lines[1:]


def compare(what, found, expected):
    if found == expected:
        return
    for number, (one, other) in enumerate(itertools.zip_longest(found, expected), 1):
        if one != other:
            raise Different(f"{what}: line {number} of {len(found)} and {len(expected)}:\n  {one}\n  {other}")


def check_queries(histree, store, oracle, random, singles):
    def query(*arguments):
        return rows(run(histree, "states", store, "--format", "tsv", *arguments))

    def some_time():
        return random.randint(oracle.start, oracle.end)

    for _ in range(singles):
        path, time = random.choice(oracle.paths), some_time()
        compare(f"single at {time}", query("--at", str(time), path), [oracle.at(path, time)])
    for _ in range(20):
        time = some_time()
        compare(f"full at {time}", query("--at", str(time)), [oracle.at(path, time) for path in oracle.paths])
    for number in range(20):
        paths = sorted(random.sample(oracle.paths, 50))
        first, last = sorted((some_time(), some_time()))
        if number % 2 == 0:
            expected = [line for path in paths for line in oracle.between(path, first, last)]
            found = query("--from", str(first), "--to", str(last), *paths)
        else:
            step = max(1, (last - first) // 200)
            times = range(first, last + 1, step)
            expected = [
                line
                for path in paths
                for line in dict.fromkeys(oracle.at(path, time) for time in times)
            ]
            found = query("--from", str(first), "--to", str(last), "--step", str(step), *paths)
        compare(f"2D from {first} to {last}", found, expected)


def check_case(histree, folder, case, variant, random):
    trace, analysis, file, intervals, attributes = case
    oracle = check_case.oracles.get(file)
    if oracle is None:
        oracle = check_case.oracles[file] = Oracle(expected(case), intervals, attributes)
    store = os.path.join(folder, f"{trace}-{analysis}-{variant}")
    run(histree, "build", "--quiet", "-o", store, "-a", analysis, *VARIANTS[variant], source(case))
    run(histree, "verify", store)
    compare("states", rows(run(histree, "states", store, "--format", "tsv")), oracle.lines)
    check_queries(histree, store, oracle, random, 200 if variant == "default" and not QUICK else 20)


check_case.oracles = {}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("histree")
    parser.add_argument("--variants", default="default" if QUICK else ",".join(VARIANTS))
    parser.add_argument("--seed", type=int, default=20160627)
    options = parser.parse_args()
    cases = [case for case in (CASES[-1:] if QUICK else CASES) if expected(case) and source(case)]
    if not cases:
        print("skipped: no oracle")
        return 77
    print(f"seed {options.seed}")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for case, variant in itertools.product(cases, options.variants.split(",")):
            if variant not in ("default", options.variants) and case is not cases[-1]:
                continue
            name = f"{case[0]} {case[1]} {variant}"
            try:
                check_case(options.histree, folder, case, variant, random.Random(options.seed))
                print(f"ok {name}", flush=True)
            except Different as difference:
                failures += 1
                print(f"not ok {name}: {difference}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
