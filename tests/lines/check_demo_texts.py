#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The demo trace as text, in the forms of several tools.  With times in nanoseconds each interval that histree makes is
that of tests/data/demo-states, which a model in Python computed; with times in microseconds all forms give the same
states.  And with losses: what is not unknown is as without.

usage: check_demo_texts.py HISTREE
"""
import gzip
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import text_forms

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from data import QUICK, without_processes  # noqa: E402

STATES = pathlib.Path(__file__).parents[1] / "data/demo-states"
# Times to the nanosecond; to the microsecond; of states too only the bits that the plugins have letters for.
WHOLE, ROUNDED, MASKED = range(3)
MACHINE = ["--map", "machine=x86_64"]


def states(histree, folder, name, data, *options):
    """What `histree states` prints of the states of two analyses, and what the build says."""
    path, store = folder / name, folder / "store"
    path.write_bytes(data)
    built = subprocess.run([histree, "build", "-f", "-a", "kernel,kernel-tc", *options, "-o", store, path],
                           stderr=subprocess.PIPE, text=True, check=False)
    if built.returncode != 0:
        return {}, built.stderr
    return {analysis: subprocess.run([histree, "states", store, "-a", analysis, "--format", "tsv"], check=True,
                                     stdout=subprocess.PIPE).stdout for analysis in ("kernel", "kernel-tc")}, built.stderr


def disordered(text):
    """Lines up to two thousand places from their own; those of one time stay as they are."""
    rows = text.splitlines(keepends=True)
    first = next(i for i, row in enumerate(rows) if not row.startswith("#"))
    keys = {}
    for number, row in enumerate(rows[first:]):
        keys.setdefault(row.split("]")[1].split(":")[0], number)
    chance = random.Random(1)
    places = {time: number + chance.randrange(2000) for time, number in keys.items()}
    return "".join(rows[:first] + sorted(rows[first:], key=lambda row: places[row.split("]")[1].split(":")[0]]))


def latencies(text):
    """The CPU in front of flags, as "trace-cmd report -l" has it, and names of eight bytes."""
    return re.sub(r"^ *(.*?)-(\d+) +\[(\d+)\] +",
                  lambda found: f"{found[1][:8]:>8}-{found[2]:<5} {int(found[3]):3}d...2.  ", text, flags=re.MULTILINE)


def texts(events):
    """(name, what is the same as in which others, text, options)"""
    whole = "".join(text_forms.perf_script(events))
    yield "perf-ns", WHOLE, whole, []
    yield "perf-ns-crlf", WHOLE, whole.replace("\n", "\r\n"), []
    yield "perf-ns-disordered", WHOLE, disordered(whole), []
    yield "perf-ns-pid", WHOLE, "".join(text_forms.perf_script(events, process=True)), []
    yield "perf-ns-chains", WHOLE, "".join(text_forms.perf_script(events, chains=True)), []
    yield "perf-us", ROUNDED, "".join(text_forms.perf_script(events, digits=6)), []
    yield "trace", ROUNDED, "".join(text_forms.ftrace(events)), MACHINE
    yield "trace-tgid", ROUNDED, "".join(text_forms.ftrace(events, process=True)), MACHINE
    yield "trace-old", ROUNDED, "".join(text_forms.ftrace(events, old=True)), MACHINE
    yield "trace-pipe", ROUNDED, "".join(text_forms.ftrace(events, pipe=True)), MACHINE
    yield "perf-us-masked", MASKED, "".join(text_forms.perf_script(events, digits=6, mask=0xff)), []
    yield "report", MASKED, "".join(text_forms.trace_cmd(events)), MACHINE
    yield "report-plain", ROUNDED, "".join(text_forms.trace_cmd(events, plugins=False)), MACHINE
    yield "report-latency", ROUNDED, latencies("".join(text_forms.trace_cmd(events, plugins=False))), MACHINE
    yield "report-flags", MASKED, "".join(text_forms.trace_cmd(events, flags=True)), MACHINE


def with_loss(events):
    """Events of one CPU are left out, and a line in front of its next one says so."""
    mine = [i for i, line in enumerate(events) if line.cpu == 1]
    gone = mine[len(mine) // 3:len(mine) // 2]
    after = mine[len(mine) // 2]
    kept = [line for i, line in enumerate(events) if i not in set(gone)]
    text = list(text_forms.ftrace(kept))
    text.insert(1 + kept.index(events[after]), f"CPU:1 [LOST {len(gone)} EVENTS]\n")
    return len(gone), "".join(text)


def intervals(text):
    for line in text.decode().splitlines()[1:]:
        path, start, end, kind, value = line.split("\t")
        yield path, int(start), int(end), kind, value


def check_loss(histree, folder, events, expected):
    count, text = with_loss(events)
    found, said = states(histree, folder, "loss", text.encode(), *MACHINE)
    whole = {}
    for path, start, end, kind, value in intervals(expected["kernel"]):
        whole.setdefault(path, []).append((start, end, kind, value))
    unknown = wrong = 0
    begin = min(spans[0][0] for spans in whole.values())
    for path, start, end, kind, value in intervals(found.get("kernel", b"")):
        unknown += kind == "unknown"
        if kind == "unknown" or (kind == "null" and start == begin):  # of the second nobody had heard
            continue
        wrong += any(other_start <= end and other_end >= start and (other_kind, other_value) != (kind, value) and
                     other_kind != "unknown" for other_start, other_end, other_kind, other_value in whole.get(path, []))
    ok = found and unknown > 0 and wrong == 0 and f"lost {count} events" in said
    print(f"{'ok' if ok else 'not ok'} loss: {unknown} intervals unknown, {wrong} wrong{'' if ok else ': ' + said}",
          flush=True)
    return not ok


def plain(states_of):
    return {analysis: without_processes(text) for analysis, text in states_of.items()}


def main():
    histree = sys.argv[1]
    events = list(text_forms.lines())
    whole = {analysis: gzip.decompress((STATES / f"{analysis}.tsv.gz").read_bytes())
             for analysis in ("kernel", "kernel-tc")}
    expected = {WHOLE: plain(whole)}
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for name, kind, text, options in texts(events):
            for packed in (False,) if QUICK and kind != ROUNDED else (False, True):
                data = gzip.compress(text.encode()) if packed else text.encode()
                found, said = states(histree, folder, name, data, *options)
                if packed and "without zlib" in said:
                    continue
                says_process = name.endswith(("-pid", "-tgid"))
                if kind != WHOLE and says_process:
                    ok = b"/PID\t" in found.get("kernel", b"")
                    found = plain(found)
                else:
                    ok = bool(found)
                ok &= found == (whole if says_process and kind == WHOLE else expected.setdefault(kind, found))
                failed += not ok
                print(f"{'ok' if ok else 'not ok'} {name}{'.gz' * packed}: {len(data)} bytes{'' if ok else ': ' + said}",
                      flush=True)
        failed += check_loss(histree, folder, events, expected[ROUNDED])
    sys.exit(failed > 0)


main()
