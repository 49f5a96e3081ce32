#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Recordings of real work: whether what histree says of them is so.

For each recording (a folder that guest/run made) stores are built of what LTTng, perf and, of some works, trace-cmd
recorded.  What they say is compared with sums over what babeltrace2, `perf script` and `trace-cmd report` print of the
same files (kernel_sums.py), each event with libbabeltrace2, and LTTng with the others, which saw the same work.

usage: judge.py HISTREE DIFFERENTIAL FOLDER...
Prints a line of facts for each recording and recorder, then what does not hold.  Exit: 0 all holds, 1 not.
"""
import collections
import glob
import os
import re
import subprocess
import sys
import tempfile

import kernel_events
import kernel_sums
import store_sums

COLUMNS = "recording by MB events lost threads possible running busy in-doubt calls irqs softirqs".split()
WIDTHS = 10, 6, 6, 9, 7, 8, 10, 10, 10, 9, 8, 6, 8


class Judgement:
    """What was found of all recordings."""

    def __init__(self):
        self.wrong = []
        self.remarks = []
        self.checks = 0

    def hold(self, what, is_so, detail=""):
        self.checks += 1
        if not is_so:
            self.wrong.append(f"{what}: {detail}")

    def equal(self, what, judge, histree):
        differ = {key: (judge[key], histree[key]) for key in set(judge) | set(histree) if judge[key] != histree[key]}
        self.hold(what, not differ, f"judge and histree differ: {dict(list(differ.items())[:5])}")

    def within(self, what, least, most, histree, doubt, slack):
        """What histree says is no more than may be so, and no less than what is so without what it calls unknown."""
        for key in set(least) | set(histree):
            self.hold(f"{what} {key}", least[key] - doubt[key] - slack <= histree[key] <= most[key] + slack,
                      f"{least[key]} to {most[key]} ns, histree {histree[key]} ns, unknown {doubt[key]} ns")


def megabytes(path):
    if os.path.isfile(path):
        return os.path.getsize(path) / 1e6
    return sum(megabytes(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def row(*cells):
    print("".join(f"{cell:>{width}}" if at > 1 else f"{cell:<{width}}"
                  for at, (cell, width) in enumerate(zip(cells, WIDTHS))), flush=True)


def facts(name, recorder, size, sums, lost, store):
    def seconds(ns):
        return f"{ns / 1e9:.3f}"

    most = sums.running_at_most if recorder == "LTTng" else sums.running
    row(name, recorder, f"{size:.1f}", sums.events, lost, len(sums.threads - {0}),
        seconds((sums.end - sums.start + 1) * len(sums.cpus)), seconds(sum(store.running.values())),
        seconds(sum(store.busy.values())), seconds(sum(most.values()) - sum(store.running.values())),
        sum(store.calls.values()), sum(store.irqs.values()), sum(store.softirqs.values()))


def compare(judgement, what, sums, store, has_gaps):
    possible = (sums.end - sums.start + 1) * len(sums.cpus)
    judgement.hold(f"{what}: the sum of running", sum(store.running.values()) <= possible, "more than the CPUs have")
    # A state that is denied ends a nanosecond after the event that said it.
    slack = sums.denials + 1
    running, busy = (sums.running_at_most, sums.busy_at_most) if has_gaps else (sums.running, sums.busy)
    judgement.within(f"{what}: running of thread", sums.running, running, store.running, store.in_doubt, slack)
    judgement.within(f"{what}: busy of CPU", sums.busy, busy, store.busy, store.unknown, slack)
    for name in ("calls", "call_time", "irqs", "softirqs"):
        counted, said = getattr(sums, name), getattr(store, name)
        if has_gaps:  # what may have ended in a gap is no segment
            judgement.hold(f"{what}: {name}", all(said[key] <= counted[key] for key in said), "more than there are")
        else:
            judgement.equal(f"{what}: {name}", counted, said)
    judgement.hold(f"{what}: verify --states", store.states[0].startswith("ok"), "".join(store.states))


def decodes(judgement, what, differential, folders):
    done = subprocess.run([differential, *folders], capture_output=True, text=True, check=False)
    judgement.hold(f"{what}: events and fields", done.returncode == 0, done.stdout[-300:] + done.stderr[-300:])


def traces_below(folder):
    return sorted(os.path.dirname(path) for path in glob.glob(f"{glob.escape(folder)}/**/metadata", recursive=True))


def judge_lttng(judgement, tools, recording, scratch):
    name = os.path.basename(recording)
    what = f"{name}, LTTng"
    traces = traces_below(os.path.join(recording, "lttng"))
    kernels = [trace for trace in traces if os.path.basename(trace) == "kernel"]
    decodes(judgement, what, tools.differential, traces)
    sums = kernel_sums.sum_up(kernel_events.lttng(kernels))
    store = store_sums.StoreSums(tools.histree, kernels, os.path.join(scratch, "lttng.histree"))
    discarded = sum(map(kernel_events.lttng_discarded, kernels))
    compare(judgement, what, sums, store, discarded > 0)
    judgement.hold(f"{what}: discarded events", int(store.facts["discarded_events"]) == discarded, store.facts)
    if discarded == 0:
        judgement.hold(f"{what}: nothing is missing", "are missing" not in store.said, store.said)
    if len(kernels) > 1:
        judgement.hold(f"{what}: overlapping traces", int(store.facts["repeated_packets"]) > 0, "no packet is twice there")
    facts(name, "LTTng", megabytes(os.path.join(recording, "lttng")), sums, discarded, store)
    return sums, kernels


def judge_perf(judgement, tools, recording, scratch):
    name = os.path.basename(recording)
    what = f"{name}, perf"
    path = os.path.join(recording, "perf.data")
    folder = os.path.join(scratch, "ctf")
    subprocess.run(["perf", "data", "convert", "--to-ctf", folder, "--force", "-i", path], capture_output=True,
                   check=True)
    decodes(judgement, what, tools.differential, [folder])
    sums = kernel_sums.sum_up(kernel_events.converted(folder))
    store = store_sums.StoreSums(tools.histree, [folder], os.path.join(scratch, "perf.histree"))
    compare(judgement, what, sums, store, False)
    lost = [0]
    recorded = sorted(kernel_events.perf(path, lost), key=lambda event: event.time)
    moved = sum((collections.Counter((event.cpu, event.time, event.kind) for event in recorded) -
                 collections.Counter((event.cpu, event.time, event.kind)
                                     for event in kernel_events.converted(folder))).values())
    if moved > 0:
        judgement.remarks.append(f"{name}: the conversion gives {moved} of {len(recorded)} events of perf other times")
    if lost[0] > 0:
        judgement.hold(f"{what}: the loss is said", "are missing" in store.said, store.said)
    if "are missing" in store.said:
        judgement.remarks.append(f"{name}, perf: histree says: {store.said.split('warning: ')[1].splitlines()[0]}")
    facts(name, "perf", megabytes(path), sums, lost[0], store)
    sums = kernel_sums.sum_up(recorded)
    direct = store_sums.StoreSums(tools.histree, [path], os.path.join(scratch, "direct.histree"))
    if lost[0] == 0:
        compare(judgement, f"{what} without conversion", sums, direct, False)
    judgement.hold(f"{what}: what is lost", int(direct.facts["discarded_events"]) >= lost[0], direct.facts)
    return sums, lost[0]


def judge_trace_cmd(judgement, tools, recording, scratch):
    """It loses nothing: its buffers are large, and the works that it records small."""
    name = os.path.basename(recording)
    path = os.path.join(recording, "trace.dat")
    sums = kernel_sums.sum_up(kernel_events.trace_cmd(path))
    store = store_sums.StoreSums(tools.histree, [path], os.path.join(scratch, "trace-cmd.histree"))
    compare(judgement, f"{name}, trace-cmd", sums, store, False)
    facts(name, "trace-cmd", megabytes(path), sums, 0, store)
    return sums


# ---- one work, two recorders ---------------------------------------------------------------------------------


APART = 50_000_000  # ns: what may lie between the two recorders of one event, on a busy machine


def pairs(of_perf, of_lttng):
    """The switches that both have, as positions in the two lists, and how many of perf LTTng has not."""
    found, missing, at = [], 0, 0
    for i, (time, *threads) in enumerate(of_perf):
        j = at
        while j < len(of_lttng) and of_lttng[j][0] <= time + APART:
            if list(of_lttng[j][1:]) == threads and of_lttng[j][0] >= time - APART:
                found.append((i, j))
                at = j + 1
                break
            j += 1
        else:
            missing += 1
    return found, missing


def agree(judgement, name, other, of_lttng, of_other, offset):
    """Each CPU switched as the other says where LTTng recorded too; threads ran as long, but for what an event takes."""
    matched = unmatched = 0
    times = collections.Counter(), collections.Counter()
    for cpu, seen in of_other.switches.items():
        there = [(time - offset, *threads) for time, *threads in of_lttng.switches[cpu]]
        seen = [switch for switch in seen if there and there[0][0] <= switch[0] <= there[-1][0]]
        found, missing = pairs(seen, there)
        matched, unmatched = matched + len(found), unmatched + missing
        for (i, j), (next_i, next_j) in zip(found, found[1:]):
            if (next_i, next_j) == (i + 1, j + 1) and seen[i][2] > 0:
                times[0][seen[i][2]] += seen[next_i][0] - seen[i][0]
                times[1][seen[i][2]] += there[next_j][0] - there[j][0]
    total = sum(times[0].values())
    apart = sum(abs(times[0][tid] - times[1][tid]) for tid in times[0])
    judgement.hold(f"{name}: switches, by {other} and LTTng", unmatched <= (matched + unmatched) / 1000 + 1,
                   f"{unmatched} of {matched + unmatched} of {other} are not LTTng's")
    judgement.hold(f"{name}: running, by {other} and LTTng", apart <= total / 50, f"{apart} ns of {total} apart")
    judgement.remarks.append(f"{name}: of {matched + unmatched} switches of {other}, LTTng has {matched}; threads ran "
                             f"{total / 1e9:.3f} s between them, {100 * apart / max(total, 1):.3f} % apart")


# ---- what some recordings have besides -----------------------------------------------------------------------


def judge_live(judgement, tools, recording, kernels, scratch):
    store = os.path.join(scratch, "lttng.histree")
    live = os.path.join(recording, "live.histree")
    dumps = [store_sums.run(tools.histree, "states", "--format", "tsv", "-a", "kernel", path)[0]
             for path in (store, live)]
    judgement.hold("live: the store that grew", dumps[0] == dumps[1], f"is not that of {kernels[0]}")


def judge_programs(judgement, tools, recording, scratch):
    for trace in traces_below(os.path.join(recording, "lttng", "ust")):
        store = os.path.join(scratch, "programs.histree")
        store_sums.run(tools.histree, "build", "--force", "-a", "function-calls", "-o", store, trace)
        said = sum(1 for _ in store_sums.rows(tools.histree, "segments", store, "function-calls"))
        depth, ended = collections.Counter(), 0
        for line in kernel_events.lines_of(["babeltrace2", trace]):
            thread = re.search(r"vtid = (\d+)", line)[1]
            if "func_entry" in line:
                depth[thread] += 1
            elif "func_exit" in line and depth[thread] > 0:
                depth[thread] -= 1
                ended += 1
        judgement.hold("function calls", said == ended, f"{ended}, histree {said}")
        judgement.remarks.append(f"{os.path.basename(recording)}: {ended} function calls of {len(depth)} threads")


Tools = collections.namedtuple("Tools", "histree differential")


def judge(judgement, tools, recording):
    name = os.path.basename(recording)
    with tempfile.TemporaryDirectory(prefix="histree-recordings-") as scratch:
        of_lttng, kernels = judge_lttng(judgement, tools, recording, scratch)
        if os.path.exists(os.path.join(recording, "live.histree")):
            judge_live(judgement, tools, recording, kernels, scratch)
        judge_programs(judgement, tools, recording, scratch)
        of_perf, lost = judge_perf(judgement, tools, recording, scratch)
        clock = kernel_events.lttng_clock(kernels[0])
        if lost == 0:
            agree(judgement, name, "perf", of_lttng, of_perf, clock)
        if os.path.exists(os.path.join(recording, "trace.dat")):
            agree(judgement, name, "trace-cmd", of_lttng, judge_trace_cmd(judgement, tools, recording, scratch), clock)


def main():
    tools = Tools(*map(os.path.abspath, sys.argv[1:3]))
    judgement = Judgement()
    row(*COLUMNS)
    for recording in sys.argv[3:]:
        judge(judgement, tools, os.path.abspath(recording))
    print()
    for remark in judgement.remarks:
        print(remark)
    for wrong in judgement.wrong:
        print(f"WRONG: {wrong}")
    print(f"{judgement.checks} comparisons, {len(judgement.wrong)} do not hold")
    return 1 if judgement.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
