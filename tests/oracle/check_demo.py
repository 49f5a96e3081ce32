#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Every interval of the demo trace, compared with what a second reading of it gave: tests/data/demo-states has the states
that model_kernel.py computed of babeltrace2's text, so that this needs nothing that is not in the repository.  Where
babeltrace2 is installed they are computed again, and must be those.

usage: check_demo.py HISTREE [--accept]
--accept writes what the model computes.  Exit: 0 equal, 1 different.
"""
import gzip
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent / "data"
TRACE, STATES = DATA / "demo-trace", DATA / "demo-states"
ANALYSES = ("kernel", "kernel-tc")
TREES = [[], ["--nulls", "keep"]] + [["-t", variant, "--nulls", nulls] for variant, nulls in itertools.product(
    ("sht", "osht", "esht", "rsht", "vrsht"), ("keep", "leave-out"))]


def model(analysis):
    return subprocess.run([sys.executable, HERE / "model_kernel.py", analysis, TRACE], check=True,
                          stdout=subprocess.PIPE).stdout


def compare(what, found, expected):
    """Returns how many lines differ, and shows the first."""
    pairs = list(itertools.zip_longest(found.splitlines(), expected.splitlines()))
    different = [(one, other) for one, other in pairs if one != other]
    for one, other in different[:5]:
        print(f"  found    {one}\n  expected {other}")
    print(f"{'not ok' if different else 'ok'} {what}: {len(pairs) - 1} intervals, {len(different)} differ", flush=True)
    return len(different)


def main():
    histree = sys.argv[1]
    if "--accept" in sys.argv:
        STATES.mkdir(exist_ok=True)
        for analysis in ANALYSES:
            (STATES / f"{analysis}.tsv.gz").write_bytes(gzip.compress(model(analysis), mtime=0))
    expected = {analysis: gzip.decompress((STATES / f"{analysis}.tsv.gz").read_bytes()) for analysis in ANALYSES}
    wrong = 0
    if shutil.which("babeltrace2"):
        wrong += sum(compare(f"model of {analysis}", model(analysis), expected[analysis]) for analysis in ANALYSES)
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        for tree in TREES:
            subprocess.run([histree, "build", "-q", "-f", "-a", ",".join(ANALYSES), *tree, "-o", store, TRACE],
                           check=True, stderr=subprocess.DEVNULL)
            for analysis in ANALYSES:
                dump = subprocess.run([histree, "states", store, "-a", analysis, "--format", "tsv"], check=True,
                                      stdout=subprocess.PIPE).stdout
                wrong += compare(f"{analysis} {' '.join(tree) or 'default'}", dump, expected[analysis])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
