#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What analyses from files cost beside the same in C: user time of whole builds with one thread and without overviews, in
turn, medians; and, with --instructions, what valgrind counts.  Analyses in C make segments alone, where files of Trace
Compass make states of each scenario, too; so the instructions that the tree takes for states are also counted apart:
"x same" compares with an analysis in C that writes the same states.

usage: definitions.py HISTREE TRACE XML-FOLDER [--runs 5] [--instructions]

TRACE is a kernel trace of LTTng, XML-FOLDER has syscallSegments.xml, futex_analysis_lttng.xml and irq_analysis_lttng.xml of
Trace Compass.
"""
import argparse
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

from measuring import ROOT, circumstances

OURS = ROOT / "docs" / "analyses"
CASES = [  # what, in C, Trace Compass's XML, our language
    ("system calls", "system-calls", "syscallSegments.xml", "thread-calls.histree-analysis"),
    ("futex calls", "futex", "futex_analysis_lttng.xml", "futex-contention.histree-analysis"),
    ("interrupts", "irqs", "irq_analysis_lttng.xml", "interrupts.histree-analysis"),
]


def build(chosen, options, store, before=()):
    """What a build says at its end, and the user time of it in seconds."""
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [*before, chosen.histree, "build", "--threads", "1", "--no-overviews", "--publish", "1000000000000", "--force",
               "-o", store, *options, chosen.trace]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stderr, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began


def instructions(chosen, options, folder):
    """In millions: all, and those of the tree, from a state that has ended to its place in the file."""
    said, _ = build(chosen, options, folder / "store",
                    ("valgrind", "--tool=callgrind", f"--callgrind-out-file={folder / 'counts'}"))
    listed = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(folder / "counts")],
                            capture_output=True, text=True, check=True).stdout
    tree = re.search(r"([\d,]+) \([^)]*\)\s+\S*:state_add_interval\b", listed)
    return [int(found[1].replace(",", "")) / 1e6 if found else 0.0
            for found in (re.search(r"I\s+refs:\s+([\d,]+)", said), tree)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histree", type=pathlib.Path)
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("xml", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--instructions", action="store_true")
    chosen = parser.parse_args()
    if chosen.instructions and not shutil.which("valgrind"):
        sys.exit("--instructions needs valgrind")
    print(*circumstances("bench/definitions.py HISTREE TRACE XML-FOLDER"), sep="\n")
    print("\n| what | by | states | user ms | x C | Minstructions | x C | of the tree | x same |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, in_c, xml, ours in [*CASES, ("states of a kernel", "kernel", None, None)]:
            ways = [("C", ["-a", in_c])]
            ways += [("XML", ["-x", chosen.xml / xml]), ("language", ["-x", OURS / ours])] if xml else []
            runs = {way: [] for way, _ in ways}
            for _ in range(chosen.runs):
                for way, options in ways:
                    said, seconds = build(chosen, options, folder / "store")
                    runs[way].append((seconds, re.search(r"(\d+) intervals", said)[1]))
            counts = {way: instructions(chosen, options, folder) if chosen.instructions else None for way, options in ways}
            first = statistics.median(seconds for seconds, _ in runs["C"])
            for way, _ in ways:
                time = statistics.median(seconds for seconds, _ in runs[way])
                counted = " |  |  | "
                if chosen.instructions:
                    (every, tree), (in_c, in_c_tree) = counts[way], counts["C"]
                    same = in_c - in_c_tree + tree
                    counted = f"{every:.0f} | {every / in_c:.2f} | {tree:.0f} | {every / same:.2f}"
                print(f"| {what} | {way} | {runs[way][0][1]} | {1e3 * time:.0f} | {time / first:.2f} | {counted} |")


if __name__ == "__main__":
    main()
