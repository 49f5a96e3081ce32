#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Whole-process time and peak memory of `histree build` with one thread and with several, next to
`babeltrace2 -o dummy` on the same trace, which only decodes it: all in turn, medians, and the ratios.

With --by-analysis: what each analysis of a kernel adds to a build of `kernel`, in instructions of valgrind, which do
not depend on how busy the machine is, as a table in the form of a manual page (scdoc).

usage: build_cost.py HISTREE TRACE [--runs 11] [--threads 2] [--by-analysis] [-- BUILD-OPTION...]
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

from measuring import measure

# Nothing is published: that depends on the clock.
ALONE = ["--threads", "1", "--publish", str(10**18)]


def instructions(build, trace, *analyses):
    """In millions, of a build by one thread of these analyses, or of all."""
    chosen = ["-a", ",".join(analyses)] if analyses else []
    counts = os.path.join(os.path.dirname(build[-1]), "counts")
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", *build, *ALONE, *chosen,
                           trace], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(done.stderr)
    return int(found[1].replace(",", "")) / 1e6


def analyses_of(store):
    """Those that a store has something of, by the names of their files."""
    names = [name.rsplit(".", 1) for name in os.listdir(store)]
    return sorted(name[0] for name in names if name[-1] in ("sht", "seg") and name[0] != "kernel")


def put_analyses(build, trace):
    """A table of scdoc, the most expensive first."""
    everything = instructions(build, trace)
    store = build[-1]
    names = analyses_of(store)
    kernel = instructions(build, trace, "kernel")
    added = {name: instructions(build, trace, "kernel", name) - kernel for name in names}
    rows = [("kernel alone", kernel), *sorted(added.items(), key=lambda row: -row[1]), ("all", everything)]
    print("[[ *analyses*\n:] *million instructions*\n:] *of kernel alone*")
    for name, millions in rows:
        print(f"|  {name}\n:  {millions:,.0f}\n:  {millions / kernel:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histree")
    parser.add_argument("trace")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--by-analysis", action="store_true")
    options, build_options = parser.parse_known_args()
    build_options = [option for option in build_options if option != "--"]

    with tempfile.TemporaryDirectory() as folder:
        build = [options.histree, "build", "--quiet", "--force", *build_options, "-o",
                 os.path.join(folder, "store")]
        if options.by_analysis:
            put_analyses(build, options.trace)
            return 0
        several = f"histree, {options.threads} threads"
        commands = {
            "babeltrace2 -o dummy": ["babeltrace2", "-o", "dummy", options.trace],
            "histree, 1 thread": [*build, "--threads", "1", options.trace],
            several: [*build, "--threads", str(options.threads), options.trace],
        }
        samples = {name: [] for name in commands}
        for number in range(options.runs + 1):
            for name, command in commands.items():
                sample = measure(command)
                if number > 0:  # the first run warms the page cache
                    samples[name].append(sample)
    print(f"{os.path.basename(options.trace)}, median of {options.runs} runs")
    print(f"{'':22} {'wall s':>8} {'cpu s':>8} {'peak MB':>8}")
    medians = {}
    for name, rows in samples.items():
        medians[name] = [statistics.median(column) for column in zip(*rows)]
        print(f"{name:22} {medians[name][0]:8.3f} {medians[name][1]:8.3f} {medians[name][2]:8.1f}")
    decoding, one, many = medians.values()
    for name, ours, base in (("1 thread / decoding", one, decoding), ("1 thread / several", one, many)):
        print(f"{name:22} {ours[0] / base[0]:8.2f} {ours[1] / base[1]:8.2f} {ours[2] / base[2]:8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
