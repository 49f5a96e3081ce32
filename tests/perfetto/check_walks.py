#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Traces of Perfetto, read twice: by histree and by walk_trace.py.  Every event, field and loss is the same.

usage: check_walks.py PRINT_EVENTS [--seed N] [--count N] [FILE...]    without a FILE: random ones
"""
import argparse
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import random_traces
import walk_trace


def differ(program, path):
    data = path.read_bytes()
    read = subprocess.run([program, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    found, expected = read.stdout.splitlines(), walk_trace.Walk(data).lines()
    if not expected and "neither events of ftrace nor of tracks" in read.stderr:
        return 0, False
    different = [(a, b) for a, b in itertools.zip_longest(found, expected) if a != b]
    for one, other in different[:2]:
        print(f"  found    {one}\n  expected {other}")
    if read.returncode != 0 or different:
        print(f"not ok {path.name}: {len(different)} of {len(expected)} lines differ, exit {read.returncode}: "
              f"{read.stderr[-300:]}", flush=True)
    return len(expected), bool(different) or read.returncode != 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("HISTREE_SEED", "1")))
    parser.add_argument("--count", type=int, default=150 if os.environ.get("HISTREE_TESTS") == "quick" else 1000)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    failed = lines = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = list(arguments.files)
        for seed in range(arguments.seed, arguments.seed + arguments.count) if not paths else ():
            paths.append(pathlib.Path(folder) / f"{seed}.pftrace")
            paths[-1].write_bytes(random_traces.Trace(seed).data())
        for path in paths:
            count, is_wrong = differ(arguments.program, path)
            lines += count
            failed += is_wrong
    print(f"{len(paths)} traces, {lines} events and gaps, {failed} differ")
    sys.exit(failed > 0)


main()
