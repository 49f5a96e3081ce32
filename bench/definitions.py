#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What analyses from files cost beside the same in C: user time of whole builds with one thread and without overviews, in
turn, medians; and, with --instructions, what valgrind counts.  Analyses in C make segments alone, where files of Trace
Compass make states of each scenario, too; so the instructions that the tree takes for states are also counted apart:
"times C with the same states" compares with an analysis in C that writes the same states.

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

from measuring import ROOT, paragraph, table, times_of

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
    rows, ratios = [], {}
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
                row = [what, way, f"{int(runs[way][0][1]):,}", f"{1e3 * time:.0f}", f"{time / first:.2f}"]
                ratios.setdefault(way, []).append(time / first)
                if chosen.instructions:
                    (every, tree), (c_all, c_tree) = counts[way], counts["C"]
                    row += [f"{every:,.0f}", f"{every / c_all:.2f}", f"{tree:,.0f}", f"{every / (c_all - c_tree + tree):.2f}"]
                rows.append(row)
    print(paragraph("Analyses of a kernel trace that are read from files, beside the same in C, in user time of whole builds by "
                    f"one thread: the XML of Trace Compass takes {times_of(ratios['XML'])} the time of C, and our own language "
                    f"{times_of(ratios['language'])}; both make states of what they follow, which the analyses in C do not."))
    more = ["million instructions", "times C", "of them the tree's", "times C with the same states"]
    print(table(["what", "by", "states", "user ms", "times C", *(more if chosen.instructions else [])], rows))


if __name__ == "__main__":
    main()
