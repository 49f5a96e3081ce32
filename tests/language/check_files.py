#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Analyses in our own language against those in C, and Trace Compass's: check_files.py HISTREE

The files of docs/analyses and the examples of histree-analysis(5) are built, a folder of each at once, with the analyses
in C in the same pass.  Each file has less than 30 lines.  Every example makes states or segments of the demo trace, and
those that an analysis in C makes too are equal to that.  With the shared traces, system calls, interrupts and futex calls
are equal to those in C, or to what Trace Compass makes of its own files in XML.
"""
import csv
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "support")]
from data import SOURCE as ROOT, shared  # noqa: E402

HISTREE = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
csv.field_size_limit(1 << 30)


def run(*arguments):
    done = subprocess.run([HISTREE, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"histree {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def table(text):
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def segments(store, name, *columns):
    return sorted(tuple(row[column] for column in ("start", "end", *columns))
                  for row in table(run("segments", store, name, "--format", "tsv")))


def states(store, name, pattern):
    return sorted((row["path"], row["start"], row["end"], row["value"])
                  for row in table(run("states", store, "-a", name, "--format", "tsv")) if re.fullmatch(pattern, row["path"]))


def equal(what, ours, theirs, may_be_empty=False):
    if ours == theirs and (ours or may_be_empty):
        print(f"{what}: {len(ours)} equal")
        return True
    only, lacks = set(ours) - set(theirs), set(theirs) - set(ours)
    print(f"{what}: {len(ours)} and {len(theirs)}; only ours: {sorted(only)[:3]}, only theirs: {sorted(lacks)[:3]}")
    return False


def oracle(name):
    with gzip.open(shared("oracle/xml") / name, "rt", encoding="utf-8") as file:
        return table(file.read())


def against_oracle(store, trace):
    """Names of fields in XML have types, and the name of the thread is called "name" there."""
    rows = oracle(f"irq_analysis_lttng@{trace}.segments.tsv.gz")
    theirs = sorted((row["start"], row["end"], row["name"], row["content"]) for row in rows)
    ours = [(start, end, name, f"cpu:long={cpu};irq:long={irq};ret:long={ret}") for start, end, name, cpu, irq, ret
            in segments(store, "interrupts", "name", "cpu", "irq", "ret")]
    yield equal(f"interrupts of {trace}, XML", ours, theirs)
    rows = oracle(f"futex_analysis_lttng@{trace}.segments.tsv.gz")
    theirs = sorted((row["start"], row["end"], row["name"], row["content"]) for row in rows)
    ours = [(start, end, name, f"name:string={comm};thread:string={thread};uaddr:string={uaddr}")
            for start, end, name, comm, thread, uaddr
            in segments(store, "futex-contention", "name", "comm", "thread", "uaddr")]
    yield equal(f"futex calls of {trace}, XML", ours, theirs, trace == "scp_dest")
    pattern = r"(CPUs/.*/.*|lock/.*/.*)"
    theirs = sorted((row["path"], row["start"], row["end"], row["value"])
                    for row in oracle(f"futex_analysis_lttng@{trace}.states.tsv.gz")
                    if re.fullmatch(pattern, row["path"]))
    yield equal(f"states of futex calls of {trace}, XML", states(store, "futex-contention", pattern), theirs)


def of_lttng(folder, trace):
    store = folder / trace
    run("build", "-x", ROOT / "docs/analyses", "-a", "system-calls,irqs", "-o", store, "--force",
        shared("traces/lttng-kernel") / trace)
    yield equal(f"system calls of {trace}, C", segments(store, "thread-calls", "name", "tid", "return"),
                segments(store, "system-calls", "name", "tid", "return"), trace == "scp_dest")
    yield equal(f"interrupts of {trace}, C", segments(store, "interrupts", "name", "irq", "cpu"),
                segments(store, "irqs", "name", "irq", "cpu"))
    yield from against_oracle(store, trace)


def examples(folder):
    page = (ROOT / "docs/man/histree-analysis.5.scd").read_text(encoding="utf-8").split("# EXAMPLES", 1)[1]
    found = re.findall(r"^```\n(analysis (\S+) .*?)^```$", page, re.M | re.S)
    for text, name in found:
        (folder / f"{name}.histree-analysis").write_text(text, encoding="utf-8")
    return [name for _, name in found]


def of_manual(folder):
    texts = folder / "examples"
    texts.mkdir()
    names = examples(texts)
    yield len(names) >= 10
    store = folder / "demo"
    run("build", "-x", texts, "-a", "kernel-tc,irqs,softirqs,system-calls", "-o", store, ROOT / "demo/trace")
    made = {path.stem for path in store.iterdir()}
    for name in names:
        rows = []
        if (store / f"{name}.seg").exists():
            rows += table(run("segments", store, name, "--format", "tsv"))
        if (store / f"{name}.sht").exists():
            rows += [row for row in table(run("states", store, "-a", name, "--format", "tsv")) if row["type"] != "null"]
        print(f"{name}: {len(rows)} rows of the demo trace")
        yield name in made and (bool(rows) or name == "interrupts")  # of which the trace has none
    yield equal("who-runs, C", states(store, "who-runs", "CPUs/.*/Current_thread"),
                states(store, "kernel-tc", "CPUs/.*/Current_thread"))
    yield equal("interrupts, C", segments(store, "interrupts", "name", "irq", "cpu"),
                segments(store, "irqs", "name", "irq", "cpu"), may_be_empty=True)
    yield equal("soft-interrupts, C", segments(store, "soft-interrupts", "name", "vec", "cpu"),
                segments(store, "softirqs", "name", "vec", "cpu"))
    theirs = segments(store, "system-calls", "tid", "return")
    ours = segments(store, "calls", "tid", "return")
    yield bool(ours) and equal("calls, C, of threads that are known", ours,
                               [row for row in theirs if row in set(ours) or row[2]])


def short():
    for path in sorted((ROOT / "docs/analyses").glob("*.histree-analysis")):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines >= 30:
            print(f"{path.name}: {lines} lines, and what the language is for is said in fewer than 30")
        yield lines < 30


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        results = [*short(), *of_manual(folder)]
        for trace in ("many-threads", "scp_dest"):
            if shared("oracle/xml") and shared(f"traces/lttng-kernel/{trace}"):
                results += of_lttng(folder, trace)
            else:
                print(f"{trace} is not here: not compared")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
