#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layouts.py HISTREE - views of a store that has only kernel-compact say what those of one with kernel say: threads,
their states, facts and arrows, resources, the usage of CPUs, searches that filter by facts, and pictures."""
import contextlib
import pathlib
import subprocess
import sys
import tempfile

from protocol import CONTROL_FLOW, CPU_USAGE, RESOURCES, Client, sampled_range
from serving import SMALL_TRACE, Tally, large_trace, serving


def same(clients, what, ask):
    plain, compact = map(ask, clients)
    assert plain == compact, (what, plain, compact)
    return plain


def trees_and_states(clients):
    for output in CONTROL_FLOW, RESOURCES:
        entries = same(clients, output, lambda client: client.model(f"timeGraph/{output}/tree")["entries"])
        assert len(entries) > 5
        for count in 2, 300:
            same(clients, output, lambda client: client.model(
                f"timeGraph/{output}/states", requested_timerange=sampled_range(client.experiment(), count)[0],
                requested_items=[one["id"] for one in entries[:400]])["rows"])


def filters_by_facts(clients):
    """Of facts that are halves of pairs, too."""
    entries = clients[0].model(f"timeGraph/{CONTROL_FLOW}/tree")["entries"]
    tells_apart = set()
    for expression in "CPU == 0", "Priority > 0 && Priority != 19", "PTID > 5", "CPU == 1 && Priority >= 20":
        rows = same(clients, expression, lambda client: client.model(
            f"timeGraph/{CONTROL_FLOW}/states", requested_timerange=sampled_range(client.experiment(), 200)[0],
            requested_items=[one["id"] for one in entries[:400]],
            filter_query_parameters={"strategy": "SAMPLED", "filter_expressions_map": {"1": [expression]}})["rows"])
        if len({state.get("tags") for row in rows for state in row["states"]}) > 1:
            tells_apart.add(expression)
    assert len(tells_apart) >= 3, tells_apart


def tooltips(clients):
    entries = clients[0].model(f"timeGraph/{CONTROL_FLOW}/tree")["entries"]
    experiment = clients[0].experiment()
    known = set()
    for part in range(1, 10):
        time = experiment["start"] + (experiment["end"] - experiment["start"]) * part // 10
        for entry in entries[1:40]:
            told = same(clients, entry, lambda client: client.model(
                f"timeGraph/{CONTROL_FLOW}/tooltip", requested_times=[time], requested_items=[entry["id"]]))
            known |= set(told)
    assert {"CPU", "Priority"} <= known, known


def usage_and_arrows(clients):
    times = sampled_range(clients[0].experiment(), 100)[0]
    same(clients, "usage", lambda client: client.model(f"XY/{CPU_USAGE}/tree", requested_timerange=times))
    for output in CONTROL_FLOW, RESOURCES:
        same(clients, output, lambda client: client.model(f"timeGraph/{output}/arrows", requested_timerange=times))


def pictures(clients):
    with tempfile.TemporaryDirectory() as folder:
        for view in "control-flow", "resources":
            drawn = []
            for i, client in enumerate(clients):
                file = pathlib.Path(folder) / f"{view}{i}.svg"
                subprocess.run([client.histree, "draw", "--title", "same", "--view", view, "-o", file, client.store()],
                               check=True)
                drawn.append(file.read_bytes())
            assert drawn[0] == drawn[1], view


def main():
    tally = Tally()
    for trace in filter(None, (SMALL_TRACE, large_trace())):
        with contextlib.ExitStack() as stack:
            clients = []
            for analysis in "kernel", "kernel-compact":
                server = stack.enter_context(serving(sys.argv[1], trace, build_options=("-a", analysis)))
                clients.append(Client(sys.argv[1], server, trace))
            for test in trees_and_states, filters_by_facts, tooltips, usage_and_arrows, pictures:
                tally.run(f"{test.__name__} {trace.name}", lambda: test(clients))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
