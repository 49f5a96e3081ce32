#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Recordings of perf, read twice: by histree and by walk_recording.py.  Every event, field and loss is the same, and
those of the forms of one recording are.

usage: check_walks.py PRINT_EVENTS [FILE...]    without a FILE: those of tests/data/perf-made
"""
import itertools
import pathlib
import subprocess
import sys

import walk_recording

MADE = pathlib.Path(__file__).parents[1] / "data/perf-made"
SAMPLES = MADE.parent / "perf-samples" / "samples.data"
FORMS = ("file", "swapped", "pipe", "packed", "threads")  # of the same events


def main():
    program, paths = sys.argv[1], [pathlib.Path(path) for path in sys.argv[2:]]
    failed, texts = 0, {}
    for path in paths or sorted(MADE.glob("*.data")) + [MADE / "threads", SAMPLES]:
        read = subprocess.run([program, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if "built without zstd" in read.stderr:
            continue
        found, expected = read.stdout.splitlines(), list(walk_recording.Walk(path).lines())
        different = [(a, b) for a, b in itertools.zip_longest(found, expected) if a != b]
        for one, other in different[:3]:
            print(f"  found    {one}\n  expected {other}")
        texts[path.stem] = found
        failed += bool(different) or read.returncode != 0
        print(f"{'not ok' if different or read.returncode else 'ok'} {path.name}: {len(found)} events and gaps, "
              f"{len(different)} differ", flush=True)
    same = {tuple(texts[form]) for form in FORMS if form in texts}
    if not paths and len(same) != 1:
        print("not ok: the forms differ")
        failed += 1
    sys.exit(failed > 0)


main()
