#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""flame_graphs.py HISTREE - call stacks added up, by the protocol: of random calls, the whole and windows, by thread and of all
threads, every box against sums in Python; what one pixel shows; tooltips; and what is no selection."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from protocol import Client
from serving import Server, Tally

OUTPUT = "org.eclipse.tracecompass.analysis.profiling.core.flamegraph"
LENGTH = 400  # of the trace, in us: each of which is a time that is asked for
ROOT = 1


def calls(pick, tid, start, end, depth=0):
    """Random calls, one inside the other, in whole microseconds: (stack, start, end) of each."""
    while start < end:
        begin = pick.randint(start, end)
        stop = pick.randint(begin, end)
        if stop > begin and pick.random() < 0.9:
            name = pick.choice(["main", "draw", "read", "text", "sort"])
            yield (name,), begin, stop
            if depth < 4:
                yield from (((name, *stack), *rest) for stack, *rest in calls(pick, tid, begin, stop, depth + 1))
        start = stop + pick.randint(0, 3)


def write_trace(path, threads):
    events = [{"ph": "X", "name": stack[-1], "pid": 1, "tid": tid, "ts": start, "dur": end - start}
              for tid, found in threads.items() for stack, start, end in found]
    events.append({"ph": "X", "name": "all", "pid": 1, "tid": 99, "ts": 0, "dur": LENGTH})
    path.write_text(json.dumps(events), encoding="ascii")


def sums(threads, first, last, by_thread):
    """{(group, *stack): ns} in the times from first to last, both inclusive."""
    total = {}
    for tid, found in {**threads, 99: [(("all",), 0, LENGTH)]}.items():
        group = f"Processes/1/{tid}" if by_thread else "all"
        for stack, start, end in found:
            ns = min(end * 1000 - 1, last) - max(start * 1000, first) + 1
            if ns > 0:
                total[(group, *stack)] = total.get((group, *stack), 0) + ns
    return total


def boxes(client, times, **parameters):
    """The same as the server has it: what lies under what, on rows."""
    entries = client.model(f"timeGraph/{OUTPUT}/tree", **parameters)["entries"]
    assert entries[0]["id"] == ROOT and not entries[0]["hasData"] and len({one["id"] for one in entries}) == len(entries)
    groups = {one["id"]: one for one in entries if one["parentId"] == ROOT}
    rows = [one for one in entries if one["hasData"]]
    assert len(rows) + len(groups) + 1 == len(entries)
    states = {one["entryId"]: one["states"] for one in client.model(
        f"timeGraph/{OUTPUT}/states", requested_items=[one["id"] for one in entries], **times, **parameters)["rows"]}
    found, above = {}, {}
    for row in rows:
        group = groups[row["parentId"]]
        depth = int(row["labels"][0])
        at = {}  # by caller: where its next callee begins, and how long the last one was
        for state in states[row["id"]]:
            start, end = state["start"], state["end"]
            stack = (group["labels"][0],) if depth == 0 else next(
                stack for begin, stop, stack in above[row["parentId"], depth - 1] if begin <= start and end <= stop)
            begin = 0 if depth == 0 else next(b for b, _, s in above[row["parentId"], depth - 1] if s == stack)
            place, longest = at.get(stack, (begin, end - start))
            assert start == place and end - start <= longest, (stack, state, place, longest)
            at[stack] = end, end - start
            assert (*stack, state["label"]) not in found and state["style"]["parentKey"]
            found[(*stack, state["label"])] = end - start
            above.setdefault((row["parentId"], depth), []).append((start, end, (*stack, state["label"])))
        assert row["start"] == group["start"] == 0 and row["end"] == group["end"]
    return found, rows, states


def written(ns, whole):
    """A time as tooltips have it, with its share of the group, whose axis ends at `whole`."""
    unit, size = next((unit, size) for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1)) if ns >= size)
    number = f"{ns // size}.{ns % size * 1000 // size:03}" if size > 1 else f"{ns}"
    return f"{number} {unit}, {100 * ns / whole:.2f} %"


def every_box(client, pick, threads):
    for number in range(8):
        first, last = sorted(number * 1000 for number in pick.sample(range(-5, LENGTH + 6), 2))
        last -= 1
        chosen = {} if number < 2 else {"selection_range": [last, first] if number % 3 == 0 else [first, last]}
        grouped = {"group_by": "all"} if number % 2 else {}
        if number < 2:
            first, last = 0, LENGTH * 1000 - 1
        wanted = sums(threads, first, last, not grouped)
        # All boxes begin and end at whole microseconds.
        times = {"requested_timerange": {"start": 0, "end": 4 * LENGTH * 1000, "nbTimes": 4 * LENGTH + 1}}
        found, rows, states = boxes(client, times, **chosen, **grouped)
        assert found == wanted, (number, first, last, set(found.items()) ^ set(wanted.items()))
        for row in pick.sample(rows, min(3, len(rows))):
            one = pick.choice(states[row["id"]])
            told = client.model(f"timeGraph/{OUTPUT}/tooltip", requested_times=[one["end"] - 1], requested_items=[row["id"]],
                                **chosen, **grouped)
            assert told["Function"] == one["label"] and told["Total time"] == written(one["end"] - one["start"], row["end"]), (
                told, one)
            # Of one sample only what is there.
            place = pick.randint(one["start"], one["end"] - 1)
            [few] = client.model(f"timeGraph/{OUTPUT}/states", requested_times=[place], requested_items=[row["id"]],
                                 **chosen, **grouped)["rows"]
            assert few["states"] == [one], (few, one)


def is_listed(client, pick, threads):
    listed = {one["id"]: one for one in client.json("GET", f"/experiments/{client.experiment()['UUID']}/outputs")}
    assert listed[OUTPUT]["type"] == "GANTT_CHART" and listed[OUTPUT]["name"] == "Flame Graph"
    names = [one["name"] for one in listed.values()]
    assert names == sorted(names), names
    base = f"/experiments/{client.experiment()['UUID']}/outputs"
    assert client.json("POST", f"{base}/{OUTPUT}/style", {})["model"]["styles"]
    assert client.json("POST", f"{base}/timeGraph/{OUTPUT}/arrows", {"parameters": {}})["model"] == []
    for bad in 5, [1], [1, "2"], [1, 2, 3], {"start": 1, "end": 2}:
        status, _, content = client.ask("POST", f"/tsp/api{base}/timeGraph/{OUTPUT}/tree", {"parameters": {"selection_range": bad}})
        assert status == 400, (bad, status, content)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tally, histree = Tally(), sys.argv[1]
    seed = int(os.environ.get("HISTREE_SEED", random.randrange(1 << 30)))
    print(f"HISTREE_SEED={seed}")
    pick = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        threads = {tid: list(calls(pick, tid, 0, LENGTH)) for tid in (7, 8, 12)}
        write_trace(folder / "calls.json", threads)
        store = folder / "calls.histree"
        subprocess.run([histree, "build", "-q", "-o", store, folder / "calls.json"], check=True)
        with Server(histree, folder, [store]) as server:
            for test in is_listed, every_box:
                tally.run(test.__name__, lambda test=test: test(Client(histree, server), pick, threads))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
