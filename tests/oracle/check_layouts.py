#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The two layouts of the kernel analysis say the same: the states of `kernel` are derived from `kernel-compact`, and those
of `kernel-compact` from `kernel`, by the rules of histree-states(7) alone, and compared interval by interval.

What is no state is not compared: that there is an attribute which is null throughout.

usage: check_layouts.py HISTREE TRACE...
TRACE is in tests/data, or below the folder HISTREE_SHARED.  Exit: 0 equal, 1 different, 77 without any of the traces.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from data import SOURCE, shared

PAIRS = {"Process": ("PPID", "PID"), "Scheduling": ("Current_cpu_rq", "Prio")}
HALVES = {half: (pair, part) for pair, halves in PAIRS.items() for part, half in enumerate(halves)}
FOLDERS = {"kernel": ["Threads", "CPUs", "IRQs", "Soft_IRQs"], "kernel-compact": []}
NULL, UNKNOWN = ("null", ""), ("unknown", "")


def dump(histree, store, analysis):
    """path -> [(start, end, (type, value))], by start."""
    text = subprocess.run([histree, "states", store, "-a", analysis, "--format", "tsv"], check=True, text=True,
                          errors="surrogateescape", stdout=subprocess.PIPE).stdout
    states = collections.defaultdict(list)
    for line in text.split("\n")[1:-1]:
        path, start, end, kind, value = line.split("\t")
        states[path].append((int(start), int(end), (kind, value)))
    return states


def merged(intervals):
    """Intervals that follow one another with one value are one."""
    out = []
    for start, end, value in intervals:
        if out and out[-1][2] == value:
            out[-1] = (out[-1][0], end, value)
        else:
            out.append((start, end, value))
    return out


def half(value, part):
    if value[0] != "string":
        return value
    text = value[1].split("/")[part]
    return {"-": NULL, "?": UNKNOWN}.get(text, ("int", text))


def joined(first, second):
    if first[0] != "int" and first == second:
        return first
    return "string", "/".join(v[1] if v[0] == "int" else "?" if v == UNKNOWN else "-" for v in (first, second))


def zipped(firsts, seconds):
    """Two attributes as one of pairs; each reaches over the whole history."""
    i = j = 0
    while i < len(firsts) and j < len(seconds):
        start, end = max(firsts[i][0], seconds[j][0]), min(firsts[i][1], seconds[j][1])
        yield start, end, joined(firsts[i][2], seconds[j][2])
        i, j = i + (firsts[i][1] == end), j + (seconds[j][1] == end)


def plain_name(path):
    """Of an interrupt, as `kernel` calls it."""
    found = re.fullmatch(r"(CPUs/\d+/|)(?:Interrupts/)?(-?)(\d.*)", path)
    if not found or found[1] == "" and not path.startswith("Interrupts/"):
        return path
    above, sign, name = found.groups()
    if sign and "\\/" in name:
        return above + "IRQs/-" + name.removesuffix("\\/")
    return above + ("Soft_IRQs/" if sign else "IRQs/") + name


def compact_name(path):
    found = re.fullmatch(r"(CPUs/\d+/|)(IRQs|Soft_IRQs)/(.*)", path)
    if not found:
        return path
    above, group, name = found.groups()
    if group == "IRQs" and re.fullmatch(r"-\d+", name):
        name += "\\/"
    return (above or "Interrupts/") + ("-" if group == "Soft_IRQs" else "") + name


def to_plain(compact):
    for path, intervals in compact.items():
        above, _, name = path.rpartition("/")
        if above.startswith("Threads/") and name in PAIRS:
            for part in (0, 1):
                yield f"{above}/{PAIRS[name][part]}", merged((s, e, half(v, part)) for s, e, v in intervals)
        else:
            yield plain_name(path), intervals


def to_compact(plain):
    for path, intervals in plain.items():
        above, _, name = path.rpartition("/")
        if not above.startswith("Threads/") or name not in HALVES:
            yield compact_name(path), intervals
            continue
        pair, part = HALVES[name]
        other = plain.get(f"{above}/{PAIRS[pair][1 - part]}")
        if other is None:
            other = [(intervals[0][0], intervals[-1][1], NULL)]
        elif part == 1:
            continue  # its partner is there, and has made the pair
        yield f"{above}/{pair}", merged(zipped(*((intervals, other) if part == 0 else (other, intervals))))


def with_states(states):
    return {path: intervals for path, intervals in states if any(v != NULL for _, _, v in intervals)}


def differences(what, found, expected):
    count = 0
    for path in sorted(found.keys() | expected.keys()):
        if found.get(path) != expected.get(path):
            count += 1
            if count <= 5:
                print(f"  {what}: {path}:\n    {found.get(path, [])[:6]}\n    {expected.get(path, [])[:6]}")
    return count


def check(histree, trace, folder):
    store = os.path.join(folder, "store")
    subprocess.run([histree, "build", "-q", "-f", "-a", "kernel,kernel-compact", "-o", store, trace], check=True,
                   stderr=subprocess.DEVNULL)
    plain, compact = dump(histree, store, "kernel"), dump(histree, store, "kernel-compact")
    wrong = differences("to kernel", with_states(to_plain(compact)), with_states(plain.items()))
    wrong += differences("to kernel-compact", with_states(to_compact(plain)), with_states(compact.items()))
    for analysis, states in (("kernel", plain), ("kernel-compact", compact)):
        for folder_path in ("Threads", "CPUs"):
            if (folder_path in states) != (folder_path in FOLDERS[analysis]):
                wrong += 1
                print(f"  {analysis}: '{folder_path}' is not what it is said to be")
    print(f"{'not ok' if wrong else 'ok'} {os.path.basename(trace)}: {len(plain)} attributes, {len(compact)} with "
          f"states in kernel-compact, {wrong} differ")
    return wrong


def main():
    histree, names = sys.argv[1], sys.argv[2:]
    traces = [SOURCE / "tests" / "data" / name if "/" not in name else shared(name) for name in names]
    traces = [str(trace) for trace in traces if trace is not None and trace.exists()]
    if not traces:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        return 1 if sum(check(histree, trace, folder) for trace in traces) else 0


if __name__ == "__main__":
    sys.exit(main())
