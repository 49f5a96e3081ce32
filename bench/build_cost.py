#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Processor time, wall time and peak memory of `histree build`, of the states of a kernel and of everything, with one thread and
with several, next to `babeltrace2 -o dummy` on the same trace, which only decodes it: all in turn, medians, and the ratios.

With --by-analysis: what each analysis of a kernel adds to a build of `kernel`, in instructions of valgrind, which do
not depend on how busy the machine is; with --manual, too, as a table in the form of a manual page (scdoc).

usage: build_cost.py HISTREE TRACE [--runs 11] [--by-analysis [--manual]] [-- BUILD-OPTION...]
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from measuring import measure, median, memory_text, paragraph, table, text_of

DECODING, STATES, EVERYTHING, ALONE_NAME = "histree, decoding alone", "states of the kernel", "all analyses", "one thread"
# Nothing is published: that depends on the clock.
ALONE = ["--threads", "1", "--publish", str(10**18)]


def instructions(build, trace, *analyses):
    """In millions, of a build by one thread of these analyses, or of all."""
    chosen = ["-a", ",".join(analyses)] if analyses else []
    counts = os.path.join(os.path.dirname(build[-1]), "counts")
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={counts}", *build, *ALONE, *chosen,
                           trace], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(done.stderr)
    return int(found[1].replace(",", "")) / 1e6


def analyses_of(store):
    """Those that a store has something of, by the names of their files."""
    names = [name.rsplit(".", 1) for name in os.listdir(store)]
    return sorted(name[0] for name in names if name[-1] in ("sht", "seg") and name[0] != "kernel")


def put_analyses(build, trace, manual):
    """The most expensive first."""
    everything = instructions(build, trace)
    names = analyses_of(build[-1])
    kernel = instructions(build, trace, "kernel")
    added = {name: instructions(build, trace, "kernel", name) - kernel for name in names}
    dear = sorted(added.items(), key=lambda row: -row[1])
    rows = [("kernel alone", kernel), *dear, ("all", everything)]
    if manual:
        print("[[ *analyses*\n:] *million instructions*\n:] *of kernel alone*")
        for name, millions in rows:
            print(f"|  {name}\n:  {millions:,.0f}\n:  {millions / kernel:.2f}")
        return
    print(paragraph(f"What each of {len(names)} analyses adds to a build of the kernel's states by one thread, in instructions, "
                    f"which do not depend on the load: {dear[0][0]} most, {100 * dear[0][1] / kernel:.0f} % of the states; all "
                    f"together take {everything / kernel:.1f} times the states alone."))
    print(table(["analysis", "million instructions", "of kernel alone"],
                [[name, f"{millions:,.0f}", f"{millions / kernel:.2f}"] for name, millions in rows]))


def put_times(commands, runs, trace):
    """The first command is what the others are compared with."""
    samples = {name: [] for name in commands}
    for number in range(runs + 1):
        for name, command in commands.items():
            sample = measure(command)
            if number > 0:  # the first run warms the page cache
                samples[name].append(sample)
    costs = {name: [median(column) for column in zip(*rows)] for name, rows in samples.items()}
    base = next(iter(costs.values()))
    ratios = {name: cost[1] / base[1] for name, cost in costs.items()}
    said = f"A trace of LTTng, {os.path.basename(trace)}, decoded by babeltrace2, which drops the events, and built into stores: "
    if DECODING in ratios:
        said += f"decoding alone takes histree {text_of(ratios[DECODING], 2)} of its processor time, "
    print(paragraph(said + "a build of the kernel's states by one thread, with decoding and all states on disk, "
                    f"{text_of(ratios[f'{STATES}, {ALONE_NAME}'], 2)} times as much, and one of all analyses "
                    f"{text_of(ratios[f'{EVERYTHING}, {ALONE_NAME}'], 2)} times."))
    print(table(["", "wall s", "processor s", "peak MB", "wall / babeltrace2", "processor / babeltrace2"],
                [[name, f"{wall:.3f}", f"{cpu:.3f}", memory_text(memory), text_of(wall / base[0], 2), text_of(cpu / base[1], 2)]
                 for name, (wall, cpu, memory) in costs.items()]))
    print(f"Medians of {runs} runs.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histree", type=pathlib.Path)
    parser.add_argument("trace")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--by-analysis", action="store_true")
    parser.add_argument("--manual", action="store_true")
    options, build_options = parser.parse_known_args()
    build_options = [option for option in build_options if option != "--"]
    lacking = [tool for tool in (["valgrind"] if options.by_analysis else ["babeltrace2"]) if not shutil.which(tool)]
    if lacking:
        sys.exit(f"build_cost.py: {lacking[0]} is missing; scripts/install-deps.sh bench installs babeltrace2, ci valgrind")

    with tempfile.TemporaryDirectory() as folder:
        build = [str(options.histree), "build", "--quiet", "--force", *build_options, "-o",
                 os.path.join(folder, "store")]
        if options.by_analysis:
            put_analyses(build, options.trace, options.manual)
            return 0
        decode = options.histree.parent.parent.parent / "bench" / "events"
        commands = {"babeltrace2 -o dummy": ["babeltrace2", "-o", "dummy", options.trace]}
        if decode.exists():
            commands[DECODING] = [decode, "decode", options.trace]
        for what, analyses in ((STATES, ["-a", "kernel"]), (EVERYTHING, [])):
            for name, threads in ((ALONE_NAME, ["--threads", "1"]), ("threads by default", [])):
                commands[f"{what}, {name}"] = [*build, *analyses, *threads, options.trace]
        put_times(commands, options.runs, options.trace)
    return 0


if __name__ == "__main__":
    sys.exit(main())
