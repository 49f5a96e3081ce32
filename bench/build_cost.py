#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Whole-process time and peak memory of `histree build` with one thread and with several, next to
`babeltrace2 -o dummy` on the same trace, which only decodes it: all in turn, medians, and the ratios.

usage: build_cost.py HISTREE TRACE [--runs 11] [--threads 2] [-- BUILD-OPTION...]
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time


def measure(command):
    """Wall and processor seconds, and the peak memory in MB, of one run."""
    begun = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {process.returncode}")
    return time.monotonic() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histree")
    parser.add_argument("trace")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--threads", type=int, default=2)
    options, build_options = parser.parse_known_args()
    build_options = [option for option in build_options if option != "--"]

    with tempfile.TemporaryDirectory() as folder:
        build = [options.histree, "build", "--quiet", "--force", "-o", os.path.join(folder, "store"), *build_options]
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
