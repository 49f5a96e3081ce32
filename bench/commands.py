#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Commands from start to end, as a person or a script runs them: processor time, wall time and peak memory, medians, as Markdown.

spans		a trace of spans, which is the states of TRACE as JSON and as a file of Perfetto, read by `histree build`, and by
		trace_processor, if it is on the path or named by TRACE_PROCESSOR
questions	one question each to the store of TRACE, next to `babeltrace2 -o dummy`: what reading the trace costs at least
exports		the store's states in each format

usage: commands.py [--build build-bench] [--runs 5] spans|questions|exports TRACE
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile

from measuring import measure, median, memory_text, output, paragraph, table, text_of, times_of

MB = 10**6


def medians(commands, runs):
    """Of each wall s, processor s and MB; all in turn, and once before, so that files are in the page cache."""
    samples = {name: [] for name in commands}
    for number in range(runs + 1):
        for name, command in commands.items():
            sample = measure(command, allowed=(0, 1))  # 1: nothing was found
            if number > 0:
                samples[name].append(sample)
    return {name: [median(column) for column in zip(*rows)] for name, rows in samples.items()}


def put_table(costs, base, more):
    """`more`: name -> cells; the ratios are to the cost of `base`."""
    rows = [[name, *more.get(name, []), f"{wall:.3f}", f"{cpu:.3f}", memory_text(memory),
             text_of(cpu / costs[base][1], 2)] for name, (wall, cpu, memory) in costs.items()]
    heads = max((len(cells) for cells in more.values()), default=0)
    print(table(["", *["MB of the file", "M/s"][:heads], "wall s", "processor s", "peak MB", f"processor / {base}"], rows))


def put_spans(histree, trace, folder, runs):
    store = folder / "states.histree"
    output(histree, "build", "-q", "-f", "-a", "kernel", "-o", store, trace)
    files = {"JSON": folder / "spans.json", "Perfetto": folder / "spans.pftrace"}
    for path, kind in zip(files.values(), ("chrome", "perfetto")):
        output(histree, "export", "--progress", "none", "--format", kind, "-o", path, store)
    shell = os.environ.get("TRACE_PROCESSOR") or shutil.which("trace_processor_shell") or shutil.which("trace_processor")
    commands = {}
    for name, path in files.items():
        commands[f"{name}: histree, one thread"] = [histree, "build", "-q", "-f", "--threads", "1", "-o", folder / name, path]
        commands[f"{name}: histree"] = [histree, "build", "-q", "-f", "-o", folder / name, path]
        if shell:
            commands[f"{name}: trace_processor"] = [shell, "-Q", "select count(*) from slice", path]
    costs = medians(commands, runs)
    spans = int(output(histree, "sql", folder / "JSON", "SELECT count(*) FROM track_spans", "--format", "tsv").split()[-1])
    more = {name: [f"{files[name.split(':')[0]].stat().st_size / MB:.1f}", f"{spans / MB / cost[0]:.2f}"]
            for name, cost in costs.items()}
    said = f"{spans:,} spans of a trace, as JSON ({more['JSON: histree'][0]} MB) and as a file of Perfetto " \
           f"({more['Perfetto: histree'][0]} MB), read into a store that can be asked: "
    said += " and ".join(f"{text_of(costs[f'{name}: histree'][0], 2)} s and {costs[f'{name}: histree'][2]:.0f} MB of memory for "
                         f"the {'one' if name == 'JSON' else 'other'}" for name in files) + "."
    if shell:
        said += " trace_processor, which keeps its tables in memory, takes " + " and ".join(
            f"{text_of(costs[f'{name}: trace_processor'][0] / costs[f'{name}: histree'][0], 2)} times as long and "
            f"{text_of(costs[f'{name}: trace_processor'][2] / costs[f'{name}: histree'][2], 2)} times the memory"
            for name in files) + "."
    else:
        said += " trace_processor was not found on the machine."
    print(paragraph(said))
    put_table(costs, "JSON: histree", more)


def put_questions(histree, trace, folder, runs):
    store = folder / "store.histree"
    output(histree, "build", "-q", "-f", "-o", store, trace)
    first = output(histree, "states", store, "--at", "+1ms", "CPUs/0/Current_thread", "--format", "tsv", "--columns",
                   "value").split()
    thread = first[-1]
    window = ["--from", "+1ms", "--to", "+11ms"]
    commands = {
        "babeltrace2": ["babeltrace2", "-o", "dummy", trace],
        "histree --version": [histree, "--version"],
        "one state": [histree, "states", store, "--at", "+1ms", f"Threads/{thread}"],
        "all states at a time": [histree, "states", store, "--at", "+1ms"],
        "who had the CPUs in 10 ms": [histree, "states", store, *window, "CPUs/*/Current_thread"],
        "top": [histree, "top", store], "top, 10 ms": [histree, "top", store, *window],
        "the ten longest system calls": [histree, "segments", store, "system-calls", "--sort", "duration", "-r", "-n", "10"],
        "system calls by name": [histree, "segments", "--by", "name", store, "system-calls"],
        "why": [histree, "why", store, thread],
        "report": [histree, "report", store],
        "a picture": [histree, "draw", "--force", "-o", folder / "picture.svg", store],
        "events of 10 ms": [histree, "events", store, *window],
        "SQL: calls by name": [histree, "sql", store, "SELECT name, count(*) FROM system_calls GROUP BY 1"],
    }
    if not shutil.which("babeltrace2"):
        sys.exit("commands.py: babeltrace2 is missing; scripts/install-deps.sh bench installs it on Debian")
    costs = medians(commands, runs)
    base = costs["babeltrace2"][1]
    asked = {name: cost[1] for name, cost in costs.items() if name not in ("babeltrace2", "histree --version")}
    dearest = max(asked, key=asked.get)
    print(paragraph(
        f"One question of the command to the store of {pathlib.Path(trace).name}, with the start of the process: one state takes "
        f"{1e3 * asked['one state']:.0f} ms of processor time, top {1e3 * asked['top']:.0f} ms and the whole report "
        f"{1e3 * asked['report']:.0f} ms, where reading the trace once by babeltrace2, which drops the events, takes "
        f"{1e3 * base:.0f} ms; the dearest, \"{dearest}\", takes {text_of(asked[dearest] / base, 2)} of that."))
    put_table(costs, "babeltrace2", {})


def put_exports(histree, trace, folder, runs):
    store = folder / "store.histree"
    output(histree, "build", "-q", "-f", "-a", "kernel", "-o", store, trace)
    files = {kind: folder / f"states.{kind}" for kind in ("csv", "arrow", "parquet", "sqlite", "chrome", "perfetto")}
    commands = {kind: [histree, "export", "-f", "--progress", "none", "--format", kind, "-o", path, store]
                for kind, path in files.items()}
    costs = medians(commands, runs)
    rows = int(output(histree, "sql", store, "SELECT count(*) FROM states", "--format", "tsv").split()[-1])
    ours = sum(path.stat().st_size for path in store.glob("kernel.sht*"))
    more = {kind: [f"{path.stat().st_size / MB:.1f}", f"{rows / MB / costs[kind][1]:.2f}"] for kind, path in files.items()}
    print(paragraph(f"{rows:,} states, {ours / MB:.1f} MB in our own file, written by `histree export` for other tools: Parquet has "
                    f"{text_of(files['parquet'].stat().st_size / ours, 2)} times and the others "
                    f"{times_of([path.stat().st_size / ours for kind, path in files.items() if kind != 'parquet'])} these bytes; "
                    "rows a second are of processor time."))
    put_table(costs, "csv", more)


def main():
    kinds = {"spans": put_spans, "questions": put_questions, "exports": put_exports}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default="build-bench")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("trace")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kinds[options.kind](options.build / "src" / "cli" / "histree", options.trace, pathlib.Path(folder), options.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
