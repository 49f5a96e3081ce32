#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
How long threads ran: the analysis `cpu-usage` of traces in the repository, and of others where they are, equal to a
model in Python, to what Trace Compass made of them where that is, and to what `histree top` adds up.

usage: check_usage.py HISTREE TRACE...
Exit: 0 equal, 1 different.
"""
import collections
import csv
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "support")]
from data import shared  # noqa: E402

FIELD = re.compile(r"\b(prev_tid|prev_pid)=(-?\d+)")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False, errors="surrogateescape")
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def rows(histree, *words):
    return list(csv.reader(run(histree, *words, "--format", "tsv").splitlines()[1:], delimiter="\t",
                           quoting=csv.QUOTE_NONE))


def model(histree, store):
    """The last value of each counter, from the events."""
    events = json.loads(run(histree, "events", store, "--format", "json"), strict=False)
    start, since, sums = events[0]["time"], {}, collections.Counter()
    for event in events:
        if event["type"].rpartition(":")[2] != "sched_switch":
            continue
        cpu, tid = event["cpu"], int(FIELD.search(event["contents"])[2])
        sums[f"CPUs/{cpu}/{tid}"] += event["time"] - since.get(cpu, start)
        since[cpu] = event["time"]
    return sums


def check_top(histree, store, usage):
    """
    Between the first switch and the last one of its CPU, `top` has what the counters have; less where events are
    missing that nobody said were lost, as a counter takes whoever is switched from for who ran.
    """
    wrong, misses = False, "events are missing" in run(histree, "info", store)
    for cpu in sorted({path.split("/")[1] for path, *_ in usage if path.count("/") == 2}):
        times = sorted(int(start) for path, start, _, _, value in usage if path.startswith(f"CPUs/{cpu}/") and value)
        if len(times) < 2:
            continue
        first, last, found = times[0], times[-1], collections.Counter()
        for row in rows(histree, "top", store, "--by", "thread", "--where", f"cpu == {cpu}", "--from", str(first), "--to",
                        str(last - 1)):
            found[row[1]] += sum(map(int, row[3:6]))
        wanted = collections.Counter()
        for path, start, end, _, value in usage:
            names = path.split("/")
            if len(names) != 3 or names[1] != cpu or names[2] == "0" or not value:
                continue
            wanted[names[2]] += int(value) * ((int(start) <= last <= int(end)) - (int(start) <= first <= int(end)))
        wanted, found = +wanted, +found
        if wanted != found and not (misses and all(found[tid] <= wanted[tid] for tid in found)):
            different = [tid for tid in wanted | found if wanted[tid] != found[tid]]
            print(f"CPU {cpu}: top differs for {len(different)} threads of {len(wanted)}:",
                  [(tid, wanted[tid], found[tid]) for tid in different][:5])
            wrong = True
    return wrong


def check_oracle(path, usage):
    with gzip.open(path, "rt", newline="") as file:
        wanted = [line.rstrip("\n").split("\t") for line in file][1:]
    if usage == wanted:
        return False
    left, right = collections.Counter(map(tuple, wanted)), collections.Counter(map(tuple, usage))
    print(f"{path.name}: {sum((left - right).values())} missing, {sum((right - left).values())} extra",
          list((left - right).elements())[:3], list((right - left).elements())[:3])
    return True


def main():
    histree, *traces = sys.argv[1:]
    oracle, wrong = shared("oracle"), False
    with tempfile.TemporaryDirectory() as folder:
        for trace in traces:
            at = HERE.parent / "data" / trace
            if not at.exists():
                at = shared(trace)
            if at is None:
                continue
            name = pathlib.Path(trace).name
            store = f"{folder}/{name}.histree"
            subprocess.run([histree, "build", "--quiet", "-a", "kernel,cpu-usage", "-o", store, at], check=True)
            usage = rows(histree, "states", store, "-a", "cpu-usage")
            last = {path: int(value) for path, _, _, _, value in usage if value}
            counted = model(histree, store)
            if {path: ns for path, ns in counted.items() if ns} != {path: ns for path, ns in last.items() if ns}:
                print(f"{name}: not what the model counts")
                wrong = True
            wrong |= check_top(histree, store, usage)
            if oracle is not None and (oracle / f"{name}.cpu-usage.tsv.gz").exists():
                wrong |= check_oracle(oracle / f"{name}.cpu-usage.tsv.gz", usage)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
