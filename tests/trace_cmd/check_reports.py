#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Every event and field of a trace.dat, as histree and as `trace-cmd report` read it: the demo trace in some forms, and what
`trace-cmd convert` makes of it; or the files that are named.

usage: check_reports.py PRINT_EVENTS [FILE...]    exit 77 where trace-cmd is not installed
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import demo_dat
import trace_dat

LINE = re.compile(r" *(?:(?P<buffer>\w+): +)?.*-(?P<pid>\d+) +\[(?P<cpu>\d+)\] +(?P<time>\d+\.\d{9}): (?P<name>\S+): *(?P<rest>.*)")
DROPPED = re.compile(r"EVENTS DROPPED|EVENTS LOST|MISSED EVENTS")


def reported(path):
    """[(time, CPU, name, pid, text of fields)], and how often events were dropped."""
    text = subprocess.run(["trace-cmd", "report", "-R", "-t", "-N", "-i", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout.decode(errors="replace")
    events, dropped = [], 0
    for line in text.splitlines():
        dropped += DROPPED.search(line) is not None
        found = LINE.match(line)
        if found:
            seconds, ns = found["time"].split(".")
            events.append((int(seconds) * 10**9 + int(ns), int(found["cpu"]), found["name"], int(found["pid"]),
                           found["rest"].rstrip()))
    return events, dropped


def printed(program, path):
    """[(time, CPU, name, pid, [(field, value)])], and how many gaps."""
    read = subprocess.run([program, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    events, gaps = [], 0
    for line in read.stdout.decode().splitlines():
        time, cpu, name, *fields = line.split(" ")
        if name == "gap":
            gaps += 1
            continue
        fields = [field.partition("=")[::2] for field in fields]
        pid = int(dict(fields)["common_pid"])
        events.append((int(time), int(cpu), name.partition(":")[2], pid,
                       [field for field in fields if not field[0].startswith("common_")]))
    return events, gaps


def text_of(value):
    return re.sub(r"\\([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), value[1:])


def is_same(ours, theirs):
    if ours[:4] != theirs[:4]:
        return False
    pattern = " ".join(re.escape(name) + "=(.*?)" for name, _ in ours[4]) + "$"
    found = re.match(pattern, theirs[4], re.DOTALL)
    if found is None:
        return False
    for (_, value), other in zip(ours[4], found.groups()):
        if value.startswith("'"):
            if text_of(value).rstrip() != other.rstrip():
                return False
        elif value and int(other, 16 if other.startswith("0x") else 10) % 2**64 != int(value) % 2**64:
            return False
    return True


def check(program, path):
    (ours, gaps), (theirs, dropped) = printed(program, path), reported(path)
    ours, theirs = (sorted(events, key=lambda event: event[:2]) for events in (ours, theirs))
    wrong = [(a, b) for a, b in zip(ours, theirs) if not is_same(a, b)]
    ok = ours and len(ours) == len(theirs) and not wrong and gaps == dropped
    print(f"{'ok' if ok else 'not ok'} {pathlib.Path(path).name}: {len(ours)} events, trace-cmd {len(theirs)}; "
          f"{gaps} gaps, trace-cmd {dropped}; {len(wrong)} differ", flush=True)
    for pair in wrong[:2]:
        print("  ", *pair, sep="\n  ")
    return not ok


def made(folder):
    # trace-cmd 3.1 writes an empty one, and reads what is in memory behind it: with a "[" there it prints times of another
    # clock.
    trace_dat.CLOCK_OF_VERSION_6 = b"\0"
    for form in ({"version": 6}, {"version": 7}, {"version": 6, "big": True, "long_size": 4},
                 {"version": 7, "packing": "zstd", "page_size": 16384}):
        if form.get("packing") == "zstd" and trace_dat.PACKERS["zstd"] is None:
            continue
        dat, pages = demo_dat.demo(variety=True, lost={0: {100: 7}, 1: {200: 0}}, **form)
        path = folder / f"{'-'.join(str(value) for value in form.values())}.dat"
        path.write_bytes(dat.file({"": pages}, demo_dat.OPTIONS))
        yield path
    for options in (["--file-version", "6"], ["--compression", "none"], ["--compression", "any"]):
        converted = folder / f"converted-{options[1]}.dat"
        if subprocess.run(["trace-cmd", "convert", *options, "-i", path, "-o", converted], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0:
            yield converted


def main():
    program, paths = sys.argv[1], sys.argv[2:]
    if shutil.which("trace-cmd") is None:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        failed = sum(check(program, path) for path in paths or made(pathlib.Path(name)))
    sys.exit(failed > 0)


main()
