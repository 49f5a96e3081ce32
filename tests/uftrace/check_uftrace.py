#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Programs are recorded by uftrace, and what histree reads is what uftrace says: each entry and exit of `uftrace dump`
with its time, thread and function, and the calls and times of each function of `uftrace report`.

usage: check_uftrace.py HISTREE     (77, skipped, where uftrace or a compiler is not there)
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
EVENT = re.compile(r"(\d+)\.(\d{9}) +(\d+): \[(entry|exit ?)\] (.*)\(([0-9a-f]+)\) depth: (\d+)$")
REPORT = re.compile(r" +([\d.]+) (\w+) +[\d.]+ \w+ +(\d+)  (.*)$")
# Whose times uftrace counts otherwise: in a recursion once, and around a longjmp as far as it follows that.
APART = ("recurse", "jump", "main", "longjmp", "_setjmp", "<0>")
UNITS = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6, "m": 6e7}
RECORDINGS = (  # name, how it is compiled, how it is recorded, its arguments
    ("mcount", ["-pg"], [], []),
    ("functions", ["-finstrument-functions"], [], ["exec"]),
    ("no-pie", ["-pg", "-no-pie"], [], []),
    ("arguments", ["-pg"], ["-A", "recurse@arg1", "-R", "recurse@retval", "-A", "named@arg1/s,arg2/f64"], []),
    ("automatic", ["-pg", "-g"], ["-a"], []),
    ("no-libraries", ["-pg"], ["--no-libcall"], []),
    ("filtered", ["-pg"], ["-N", "leaf", "-t", "1us"], []),
    ("events", ["-pg"], ["-T", "middle@read=proc/statm"], []),
    ("switches", ["-pg"], ["-E", "linux:schedule"], []),
)


def run(*words, **options):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options).stdout


def dumped(folder):
    """[(time, tid, entry or exit, name)] of the tasks' own files, sorted."""
    found = []
    for line in run("uftrace", "dump", "-d", folder, "--no-pager", "--demangle=no").splitlines():
        match = EVENT.match(line)
        if match:
            seconds, ns, tid, what, name, address, depth = match.groups()
            name = "0x" + address if name.startswith("<") else name
            found.append((int(seconds) * 10**9 + int(ns), int(tid), what.strip(), name, int(depth)))
    return sorted(found)


def read(histree, store):
    found = []
    for line in run(histree, "events", store, "--format", "tsv").splitlines()[1:]:
        _, time, _, kind, fields = line.split("\t", 4)
        if kind.startswith("uftrace:sched_"):  # of perf's files, and compared as calls
            continue
        fields = dict(field.split("=", 1) for field in fields.split(", ") if "=" in field)
        name = fields.get("name", hex(int(fields["addr"])))
        found.append((int(time), int(fields["vtid"]), kind.removeprefix("uftrace:func_"), name, int(fields["depth"])))
    return sorted(found)


def same_calls(histree, store, folder, has_switches):
    """Functions of which a call was open at the end or began before the trace count otherwise in both."""
    sums = collections.defaultdict(lambda: [0.0, 0])
    for line in run(histree, "segments", store, "function-calls", "--format", "tsv").splitlines()[1:]:
        start, end, _, name = line.split("\t")[:4]
        sums[name][0] += (int(end) - int(start)) / 1e3
        sums[name][1] += 1
    events = collections.Counter((name, what) for _, _, what, name, _ in dumped(folder))
    wrong = same = 0
    options = [] if has_switches else ["--no-event"]
    for line in run("uftrace", "report", "-d", folder, "--no-pager", *options, "--demangle=no").splitlines()[2:]:
        match = REPORT.match(line)
        if not match or match[4] in APART or events[match[4], "entry"] != events[match[4], "exit"]:
            continue
        total, unit, calls, name = match.groups()
        is_same = int(calls) == sums[name][1] and abs(float(total) * UNITS[unit] - sums[name][0]) <= UNITS[unit] * 1e-3
        same, wrong = same + is_same, wrong + (not is_same)
        if not is_same:
            print(f"    {name}: {sums[name]}, not {total} {unit}, {calls} calls")
    return same, wrong


def main():
    histree = str(pathlib.Path(sys.argv[1]).resolve())
    if not shutil.which("uftrace") or not shutil.which("gcc"):
        sys.exit(77)
    environment = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "MALLOC_PERTURB_")}
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        run("gcc", "-pg", "-shared", "-fPIC", "-o", work / "libplugin.so", HERE / "plugin.c")
        for name, flags, options, arguments in RECORDINGS:
            run("gcc", *flags, "-O0", "-o", work / name, HERE / "program.c", "-lpthread", "-ldl")
            folder, store = work / f"{name}.data", work / f"{name}.store"
            try:
                run("uftrace", "record", *(["--no-event"] if name != "switches" else []), *options, "-d", folder, work / name, *arguments, cwd=work,
                    env=environment)
            except subprocess.CalledProcessError as error:
                print(f"skipped {name}: uftrace does not record it: {error.stderr.strip()}")
                continue
            run(histree, "build", "-a", "ust-calls,function-calls", "-o", store, folder)
            expected, found = dumped(folder), read(histree, store)
            same, wrong = same_calls(histree, store, folder, name == "switches")
            ok = found == expected and len(found) > 0 and same > 0 and wrong == 0
            failed += not ok
            print(f"{'ok' if ok else 'not ok'} {name}: {len(found)} of {len(expected)} entries and exits, "
                  f"{same} functions the same, {wrong} not", flush=True)
            for event in sorted(set(expected) ^ set(found))[:5 * (not ok)]:
                print("   ", event)
    sys.exit(failed > 0)


main()
