#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The demo trace, which perf recorded, as ftrace events of Perfetto: in bundles of several lengths, CPU after CPU, compressed,
by other clocks.  Every interval that histree makes of each is that of
tests/data/demo-states.  Scheduling in columns gives the states that the same events as such give.

usage: check_demo_traces.py HISTREE
"""
import gzip
import pathlib
import random
import subprocess
import sys
import tempfile

import perfetto_trace as pt

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "perf"))
import demo_events  # noqa: E402 (a folder beside this one)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from data import sample, without_processes  # noqa: E402

STATES = HERE.parent / "data/demo-states"
CLOCKS = pt.clocks((pt.BOOTTIME, 5000), (pt.REALTIME, demo_events.OFFSET + 5000), (pt.MONOTONIC, 4000))


def states(histree, folder, name, trace, analyses=("kernel", "kernel-tc")):
    path, store = folder / name, folder / "store"
    path.write_bytes(trace)
    built = subprocess.run([histree, "build", "-f", "-a", ",".join(analyses), "-o", store, path],
                           stderr=subprocess.PIPE, text=True, check=False)
    if built.returncode != 0:
        return {}, built.stderr
    return {analysis: subprocess.run([histree, "states", store, "-a", analysis, "--format", "tsv"], check=True,
                                     stdout=subprocess.PIPE).stdout for analysis in analyses}, built.stderr


def demo():
    """[(CPU, time, name, values)] of events that Perfetto knows."""
    return [(cpu, time, name, values) for cpu, time, name, values in demo_events.events() if name in pt.FTRACE]


def bundles(events, size, shift=0, **options):
    """CPU after CPU, so many events in each."""
    by_cpu = {}
    for cpu, time, name, values in events:
        by_cpu.setdefault(cpu, []).append(pt.ftrace_event(time + shift, values["common_pid"] & 0xffffffff, name, values))
    return [pt.bundle(cpu, mine[at:at + size], **options) for cpu, mine in by_cpu.items()
            for at in range(0, len(mine), size)]


def traces():
    events = demo()
    machine = [CLOCKS, pt.system()]
    whole = bundles(events, 100)
    yield "plain", pt.trace(machine + whole)
    yield "single", pt.trace(machine + bundles(events, 1))
    yield "long", pt.trace(machine + bundles(events, 10**6))
    yield "clocks-last", pt.trace(whole + machine)
    yield "compressed", pt.trace(machine + [pt.compressed(whole[at:at + 50]) for at in range(0, len(whole), 50)])
    yield "gzip", gzip.compress(pt.trace(machine + whole))
    yield "marked", pt.trace(machine + [pt.marker()] + whole)
    yield "own-clock", pt.trace(machine + bundles(events, 100, shift=12345, clock=(12345, 0)))
    yield "monotonic", pt.trace([pt.clocks((pt.BOOTTIME, 5000), (pt.MONOTONIC, 4000),
                                           (pt.REALTIME, demo_events.OFFSET + 5000), primary=pt.MONOTONIC),
                                 pt.system()] + whole)


def scheduling(seed):
    """Switches and wakings of idle CPUs on which threads come and go: [(CPU, time, name, values)]."""
    draw, runs, out = random.Random(seed), {cpu: 0 for cpu in range(3)}, []
    for time in range(10_000, 400_000, 130):
        cpu = draw.randrange(3)
        free = [tid for tid in [0, *range(50, 60)] if tid == 0 or tid not in runs.values()]
        tid = draw.choice(free)
        named = {"comm": f"thread {tid}", "pid": tid, "prio": 120, "success": 1, "target_cpu": cpu}
        if draw.random() < 0.3 and tid:
            out.append((cpu, time, "sched:sched_waking", named))
        elif tid != runs[cpu]:
            name = {0: "swapper"}
            out.append((cpu, time, "sched:sched_switch", {
                "prev_comm": name.get(runs[cpu], f"thread {runs[cpu]}"), "prev_pid": runs[cpu], "prev_prio": 120,
                "prev_state": draw.choice([0, 1]) if runs[cpu] else 0, "next_comm": name.get(tid, f"thread {tid}"),
                "next_pid": tid, "next_prio": 120}))
            runs[cpu] = tid
    return out


def compact_bundles(events):
    """Switches and wakings in columns."""
    for cpu in range(3):
        mine = [event for event in events if event[0] == cpu]
        for at in range(0, len(mine), 20):
            part = mine[at:at + 20]
            yield pt.bundle(cpu, compact=pt.compact(
                [(time, v["prev_state"], v["next_pid"], v["next_prio"], v["next_comm"]) for _, time, name, v in part
                 if name == "sched:sched_switch"],
                [(time, v["pid"], v["target_cpu"], v["prio"], v["comm"]) for _, time, name, v in part
                 if name == "sched:sched_waking"]))


def who_runs(cpu, events):
    """The events of a CPU, with the thread in which each happens."""
    mine = [event[1:] for event in events if event[0] == cpu]
    runs = next((values["prev_pid"] for _, name, values in mine if name == "sched:sched_switch"), 0)
    for time, name, values in mine:
        yield time, runs, name, values
        if name == "sched:sched_switch":
            runs = values["next_pid"]


def intervals(text):
    for line in text.decode().splitlines()[1:]:
        if not line.startswith("Threads/0_"):
            yield line


def check_compact(histree, folder):
    """Columns leave out who leaves a CPU: the states are the same but for the name of those that idle at first."""
    events, failed = scheduling(5), 0
    whole = [pt.bundle(cpu, [pt.ftrace_event(time, *said) for time, *said in who_runs(cpu, events)]) for cpu in range(3)]
    found = []
    for name, packets in ("whole", whole), ("compact", list(compact_bundles(events))):
        made, said = states(histree, folder, name, pt.trace([CLOCKS, pt.system(), *packets]), ("kernel",))
        found.append(list(intervals(made.get("kernel", b""))))
        failed += "not known" in said
    ok = not failed and found[0] == found[1] and len(found[0]) > 1000
    print(f"{'ok' if ok else 'not ok'} compact: {len(found[1])} intervals, as of {len(found[0])}", flush=True)
    return not ok


def main():
    histree = sys.argv[1]
    expected = {analysis: without_processes(gzip.decompress((STATES / f"{analysis}.tsv.gz").read_bytes()))
                for analysis in ("kernel", "kernel-tc")}
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for name, trace in sample(traces()):
            found, said = states(histree, folder, name, trace)
            if "built without zlib" in said:
                continue
            ok = found == expected
            failed += not ok
            print(f"{'ok' if ok else 'not ok'} {name}: {len(trace)} bytes{'' if ok else ': ' + said}", flush=True)
        
        failed += check_compact(histree, folder)
    sys.exit(failed > 0)


main()
