#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The demo trace, which perf recorded, as ftrace events of Perfetto: in bundles of several lengths, CPU after CPU, compressed,
by other clocks.  Every interval that histree makes of each is that of
tests/data/demo-states.  With compact scheduling events it is that but for the few that these leave out.

usage: check_demo_traces.py HISTREE
"""
import gzip
import pathlib
import subprocess
import sys
import tempfile

import perfetto_trace as pt

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "perf"))
import demo_events  # noqa: E402 (a folder beside this one)

STATES = HERE.parent / "data/demo-states"
CLOCKS = pt.clocks((pt.BOOTTIME, 5000), (pt.REALTIME, demo_events.OFFSET + 5000), (pt.MONOTONIC, 4000))


def states(histree, folder, name, trace, analyses=("kernel", "kernel-tc")):
    path, store = folder / name, folder / "store"
    path.write_bytes(trace)
    built = subprocess.run([histree, "build", "-f", "-a", ",".join(analyses), "-o", store, path],
                           stderr=subprocess.PIPE, text=True, check=False)
    if built.returncode != 0:
        return {}, built.stderr
    return {analysis: subprocess.run([histree, "dump", store, "-a", analysis, "--format", "tsv"], check=True,
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


def compact_bundles(events):
    """Switches in columns, everything else as it is."""
    out = []
    for cpu in sorted({event[0] for event in events}):
        mine = [event for event in events if event[0] == cpu]
        for at in range(0, len(mine), 100):
            part = mine[at:at + 100]
            switches = [(time, v["prev_state"], v["next_pid"], v["next_prio"], v["next_comm"])
                        for _, time, name, v in part if name == "sched:sched_switch"]
            rest = [pt.ftrace_event(time, v["common_pid"] & 0xffffffff, name, v) for _, time, name, v in part
                    if name != "sched:sched_switch"]
            out.append(pt.bundle(cpu, rest, compact=pt.compact(switches)))
    return out


def traces():
    events = demo()
    machine = [CLOCKS, pt.system()]
    whole = bundles(events, 100)
    yield "plain", pt.trace(machine + whole)
    yield "single", pt.trace(machine + bundles(events, 1))
    yield "long", pt.trace(machine + bundles(events, 10**6))
    yield "clocks-last", pt.trace(whole + machine)
    yield "compressed", pt.trace(machine + [pt.compressed(whole[at:at + 50]) for at in range(0, len(whole), 50)])
    yield "marked", pt.trace(machine + [pt.marker()] + whole)
    yield "own-clock", pt.trace(machine + bundles(events, 100, shift=12345, clock=(12345, 0)))
    yield "monotonic", pt.trace([pt.clocks((pt.BOOTTIME, 5000), (pt.MONOTONIC, 4000),
                                           (pt.REALTIME, demo_events.OFFSET + 5000), primary=pt.MONOTONIC),
                                 pt.system()] + whole)


def main():
    histree = sys.argv[1]
    expected = {analysis: gzip.decompress((STATES / f"{analysis}.tsv.gz").read_bytes())
                for analysis in ("kernel", "kernel-tc")}
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for name, trace in traces():
            found, said = states(histree, folder, name, trace)
            if "built without zlib" in said:
                continue
            ok = found == expected
            failed += not ok
            print(f"{'ok' if ok else 'not ok'} {name}: {len(trace)} bytes{'' if ok else ': ' + said}", flush=True)
    sys.exit(failed > 0)


main()
