#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hosts.py HISTREE - a store of two hosts, which are two copies of one trace, the second one's clock 1 ms off: whatever
is said of a host is what the store of the trace alone says, below the host; and a host that is missing says so."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from protocol import CONTROL_FLOW, CPU_USAGE, EVENTS, EXPLORER, RESOURCES, STATISTICS, Client
from serving import SMALL_TRACE, Server, Tally

LATER = 1_000_000  # ns of the second host's clock
SEGMENTS = "org.eclipse.tracecompass.analysis.timing.core.segmentstore.SegmentStore"
ANALYSES = "kernel,wakeups,system-calls"
HOSTS = {"A": 0, "B": LATER}


def run(*words):
    subprocess.run([str(word) for word in words], check=True, stderr=subprocess.DEVNULL)


class Stores:
    """The trace alone, and both hosts."""

    def __init__(self, histree, folder):
        self.one, self.both = folder / "one.histree", folder / "both.histree"
        for name in HOSTS:
            shutil.copytree(SMALL_TRACE, folder / name)
        run(histree, "build", "-q", "-a", ANALYSES, "-o", self.one, SMALL_TRACE)
        run(histree, "build", "-q", "-a", ANALYSES, "-o", self.both, "--clock", f"B={LATER}",
            "--host-dir", f"A={folder / 'A'}", "--host-dir", f"B={folder / 'B'}")


def page(client, path, **parameters):
    query = urllib.parse.urlencode({"experiment": client.experiment()["UUID"], **parameters})
    status, _, content = client.ask("GET", f"/api/v1/{path}?{query}")
    assert status == 200, (path, content)
    return content


def ask(client, path, **parameters):
    return json.loads(page(client, path, **parameters))


def rows_of(client, view, **parameters):
    """What the server says of the rows of a window, after their cells."""
    content = page(client, "rows", view=view, first=0, count=512, pixels=10, **parameters)
    at, (span, end) = 4, (12, 0xffffffff)
    while (count := int.from_bytes(content[at:at + 4], "little")) != end:
        at += 4 + count * span
    return json.loads(content[at + 4:])


def later(one, by, *names):
    return {**one, **{name: one[name] + by for name in names if name in one}}


def entries_of_hosts(alone, both, output):
    """The entries of each host, as if they were alone, and how they are numbered here."""
    single = alone.model(f"timeGraph/{output}/tree")["entries"]
    entries = both.model(f"timeGraph/{output}/tree")["entries"]
    store, experiment = entries[0], both.experiment()
    assert store["id"] == 1 and store["parentId"] == -1 and store["start"] == experiment["start"], store
    hosts = [one for one in entries if one["parentId"] == 1]
    assert [one["labels"] for one in hosts] == [[name] for name in HOSTS], hosts
    assert len(entries) == 1 + 2 * len(single)
    ids = {}
    for host, by in zip(hosts, HOSTS.values()):
        own = entries[entries.index(host) + 1:][:len(single) - 1]
        shift = host["id"] - 1
        for found, wanted in zip(own, single[1:]):
            metadata = {**wanted["metadata"], "host": host["labels"]} if "metadata" in wanted else None
            wanted = later(wanted, by, "start", "end") | {"id": wanted["id"] + shift, "parentId": wanted["parentId"] + shift}
            assert found == wanted | ({"metadata": metadata} if metadata else {}), (found, wanted)
        ids[host["labels"][0]] = shift
    return single, ids


def time_graphs(alone, both):
    """States, tooltips and arrows of each host are those of the trace alone."""
    experiment = alone.experiment()
    for output in CONTROL_FLOW, RESOURCES, EXPLORER:
        single, ids = entries_of_hosts(alone, both, output)
        own = [one["id"] for one in single[1:]]
        times = [experiment["start"] + (experiment["end"] - experiment["start"]) * i // 60 for i in range(60)]
        wanted = alone.model(f"timeGraph/{output}/states", requested_times=times, requested_items=own)["rows"]
        for host, by in HOSTS.items():
            found = both.model(f"timeGraph/{output}/states", requested_times=[one + by for one in times],
                               requested_items=[one + ids[host] for one in own])["rows"]
            assert [row["entryId"] - ids[host] for row in found] == own
            assert found == [{"entryId": row["entryId"] + ids[host], "states": [later(one, by, "start", "end") for one in row["states"]]}
                             for row in wanted], (output, host)
        # Of all hosts at once: the same rows again.
        together = both.model(f"timeGraph/{output}/states", requested_times=[times[30]],
                              requested_items=[one + ids[host] for host in HOSTS for one in own])["rows"]
        assert len(together) == 2 * len(own)
        span = {"start": experiment["start"], "end": experiment["end"], "nbTimes": 500}
        arrows = alone.model(f"timeGraph/{output}/arrows", requested_timerange=span)
        shown = both.model(f"timeGraph/{output}/arrows", requested_timerange={**span, "end": span["end"] + LATER, "nbTimes": 65536})
        shown = [json.dumps(one) for one in shown]
        for host, by in HOSTS.items() if arrows else ():
            some = [json.dumps(later(one, by, "start", "end") | {end: one[end] + ids[host] for end in ("sourceId", "targetId")})
                    for one in arrows]
            assert len(set(some) & set(shown)) > len(some) * 0.9, (output, host)
        at = times[20]
        for one in own[:40]:
            tip = alone.model(f"timeGraph/{output}/tooltip", requested_times=[at], requested_items=[one])
            for host, by in HOSTS.items():
                if output != EXPLORER:
                    found = both.model(f"timeGraph/{output}/tooltip", requested_times=[at + by], requested_items=[one + ids[host]])
                    assert found == {"Host": host, **tip}, (found, tip)


def filtered_by_host(alone, both):
    """An expression may name the host; of one host there is none."""
    _, ids = entries_of_hosts(alone, both, CONTROL_FLOW)
    start = both.experiment()["start"]
    times = [start + LATER + 1000000 * i for i in range(30)]
    items = [3 + shift for shift in ids.values()]
    tags = lambda client, items: [
        {one.get("tags", 0) for one in row["states"] if "style" in one} for row in client.model(
            f"timeGraph/{CONTROL_FLOW}/states", requested_times=times, requested_items=items, filter_query_parameters={
                "strategy": "SAMPLED", "filter_expressions_map": {"1": ["host == A"]}})["rows"]]
    assert tags(both, items) == [{0}, {1}]
    assert tags(alone, [3]) == [{1}]


def usage(alone, both):
    """The total is that of the hosts, and theirs are those of the trace alone."""
    wanted = alone.model(f"XY/{CPU_USAGE}/tree")["entries"]
    entries = both.model(f"XY/{CPU_USAGE}/tree")["entries"]
    hosts = [one for one in entries if one["labels"][0] in HOSTS]
    assert len(hosts) == 2 and all(one["parentId"] == 1 for one in hosts)
    threads = lambda of: [(one["labels"][0], one["labels"][1], one["labels"][3]) for one in of if one["labels"][1]]
    others = lambda of: sum(int(one["labels"][0].split()[1]) for one in of if one["labels"][0].startswith("Others, "))
    assert others(entries) == 2 * others(wanted) > 0, (others(entries), others(wanted))
    for host in hosts:
        assert host["labels"][3] == wanted[0]["labels"][3]
        own = threads(one for one in entries if one["parentId"] == host["id"])
        assert own == threads(wanted[1:]), (own, threads(wanted[1:]))
    experiment = both.experiment()
    times = {"start": experiment["start"], "end": experiment["end"], "nbTimes": 80}
    thread = next(one for one in entries if one["parentId"] == hosts[1]["id"])
    series = both.model(f"XY/{CPU_USAGE}/xy", requested_timerange=times,
                        requested_items=[1, hosts[0]["id"], hosts[1]["id"], thread["id"]])["series"]
    curves = {one["seriesId"]: one["yValues"] for one in series}
    for total, first, second in zip(*(curves[one] for one in (1, hosts[0]["id"], hosts[1]["id"]))):
        assert abs(total - first - second) < 1e-5, (total, first, second)
    assert any(curves[thread["id"]]) and {one["seriesName"].split(",")[0] for one in series} >= {"Total", "A", "B"}


def tables(alone, both):
    """Events and segments of all hosts are in one order, and say which host's they are."""
    names = lambda client, output: [one["name"] for one in client.model(f"table/{output}/columns")]
    assert names(both, EVENTS) == [*names(alone, EVENTS), "Host"]
    lines = lambda client, **more: [[cell["content"] for cell in line["cells"]] for line in client.model(
        f"table/{EVENTS}/lines", requested_table_index=0, requested_table_count=2000, **more)["lines"]]
    wanted, found = lines(alone), lines(both)
    times = [int(one[4]) for one in found]
    assert times == sorted(times)
    for host, by in HOSTS.items():
        own = [one for one in found if one[5] == host]
        for one, alone_one in zip(own, wanted):
            assert [int(one[4]) - by, *one[1:4]] == [int(alone_one[4]), *alone_one[1:4]], (host, one, alone_one)
        assert own
    table = f"{SEGMENTS}TableDataProvider:system-calls"
    assert names(both, table) == [*names(alone, table)[:-1], "host", names(alone, table)[-1]]
    found = ask(both, "segments", analysis="system-calls", filter="host == B", first=0, count=50)
    wanted = ask(alone, "segments", analysis="system-calls", first=0, count=50)
    assert found["total"] == wanted["total"]
    shift = both.experiment()["start"] + (0 - alone.experiment()["start"])
    assert [[one[0] + shift - LATER, *one[1:-1]] for one in found["rows"]] == wanted["rows"]


def statistics(alone, both):
    wanted = [one["labels"] for one in alone.model(f"data/{STATISTICS}/tree")["entries"]]
    entries = both.model(f"data/{STATISTICS}/tree")["entries"]
    assert entries[0]["labels"][1] == str(2 * int(wanted[0][1]))
    for host in entries:
        if host["labels"][0] in HOSTS:
            own = [one["labels"][:2] for one in entries if one["parentId"] == host["id"]]
            assert own == [one[:2] for one in wanted[1:]] and host["labels"][1] == wanted[0][1]
    output = f"{SEGMENTS}StatisticsDataProvider:system-calls"
    wanted = alone.model(f"data/{output}/tree")["entries"]
    entries = both.model(f"data/{output}/tree")["entries"]
    tops = [one for one in entries if one["parentId"] == -1]
    assert [one["labels"][0] for one in tops] == ["Total", "A", "B"]
    for top in tops[1:]:
        assert top["labels"][1:7] == wanted[0]["labels"][1:7]
        below = [one["labels"][:7] for one in entries if one["parentId"] == top["id"]]
        assert sorted(below) == sorted(one["labels"][:7] for one in wanted[1:])
    assert len({one["id"] for one in entries}) == len(entries)


def rows(alone, both):
    """The page's rows: each below its host, folded or not; found, sorted, searched with the host they are of."""
    experiment, = ask(both, "experiments")
    assert [host["name"] for host in experiment["hosts"]] == list(HOSTS) and not any("why" in host for host in experiment["hosts"])
    [first, *others] = experiment["hosts"]
    assert all(host["events"] == first["events"] and host["to"] - host["from"] == first["to"] - first["from"] for host in others), experiment["hosts"]
    assert "hosts" not in ask(alone, "experiments")[0]
    for view in "control-flow", "resources", "attributes":
        single, found = rows_of(alone, view), rows_of(both, view)
        assert found["total"] == 2 * single["total"] + 2
        assert found["rows"][0]["isHost"] and found["rows"][0]["below"] == single["total"]
        for one, own in zip(found["rows"][1:], single["rows"]):
            assert (one["name"], one["depth"], one["host"]) == (own["name"], own["depth"] + 1, "A")
        folded = rows_of(both, view, folded=2)
        assert [one["name"] for one in folded["rows"]] == list(HOSTS)
        opened = rows_of(both, view, folded=2, toggled=folded["rows"][1]["row"])
        assert opened["total"] == 2 + single["total"] and opened["rows"][2]["host"] == "B"
        assert rows_of(both, view, filter="B")["total"] >= 1 + single["total"]
    single, found = rows_of(alone, "control-flow", sort="tid"), rows_of(both, "control-flow", sort="tid")
    assert found["total"] == 2 * single["total"] and not any(one.get("isHost") for one in found["rows"])
    some = next(one for one in single["rows"] if one["tid"] > 0 and "first" in one)
    at = some["first"] + 1
    for host, by in HOSTS.items():
        place = ask(both, "find-row", view="control-flow", tid=some["tid"], host=host, at=at + by)
        state = ask(both, "state", view="control-flow", row=place["row"], at=at + by)
        own = ask(alone, "find-row", view="control-flow", tid=some["tid"], at=at)
        wanted = ask(alone, "state", view="control-flow", row=own["row"], at=at)
        assert state == later(wanted, by, "start", "end", "first", "last") | {"host": host}, (state, wanted)
    found = ask(both, "search-state", view="control-flow", text="host == B && TID > 0", at=0, position=-1)
    assert found["found"] and found["start"] >= 0
    assert ask(both, "state", view="control-flow", row=found["row"], at=found["start"])["host"] == "B"
    arrows, single = ask(both, "arrows", view="control-flow", pixels=4000), ask(alone, "arrows", view="control-flow", pixels=2000)
    assert len(arrows["arrows"]) > len(single["arrows"])
    assert ask(both, "arrows", view="control-flow", pixels=4000, folded=2)["arrows"] == []
    lines = ask(both, "events", first=0, count=5)["lines"]
    assert {one["host"] for one in lines} <= set(HOSTS)
    assert page(both, "nodes", host="B")[:4] == b"HTN1"


def compared(alone, both):
    """Segments of a host are those of the trace alone; of a host that there is not, the page is told so."""
    of = lambda client, **more: ask(client, "compare", experimentB=client.experiment()["UUID"], segments="system-calls", **more)
    wanted, found = of(alone), of(both, host="A", hostB="B")
    counts = lambda answer, side: {one["name"]: (one[side]["count"], one[side]["total"]) for one in [answer["all"], *answer["groups"]]}
    assert len(wanted["groups"]) > 1 and counts(found, "a") == counts(found, "b") == counts(wanted, "a"), (found, wanted)
    uuid = both.experiment()["UUID"]
    for segments in "", "system-calls":
        words = {"experiment": uuid, "experimentB": uuid, "segments": segments, "hostB": 'C" || duration > 0 || name == "'}
        status, _, content = both.ask("GET", f"/api/v1/compare?{urllib.parse.urlencode(words)}")
        assert status == 404 and b"of host" in content, (status, content)


def missing(histree, folder, stores):
    """A host without its folder has a row that is unknown and says why; the other one is as it was."""
    store = folder / "missing.histree"
    shutil.copytree(stores.both, store)
    shutil.rmtree(store / "hosts" / "B")
    with Server(histree, folder, [store]) as server, Server(histree, folder, [stores.both]) as whole:
        client, both = Client(histree, server), Client(histree, whole)
        experiment, = ask(client, "experiments")
        assert "why" not in experiment["hosts"][0] and "B" in experiment["hosts"][1]["why"]
        for output in CONTROL_FLOW, RESOURCES, EXPLORER:
            entries, all_entries = (one.model(f"timeGraph/{output}/tree")["entries"] for one in (client, both))
            gone = entries[-1]
            assert gone["labels"] == ["B"] and gone["hasData"] and gone["parentId"] == 1
            assert [one["labels"] for one in entries[1:]] == [one["labels"] for one in all_entries[1:len(entries)]]
            middle = experiment["duration"] // 2 + int(experiment["start"])
            row, = client.model(f"timeGraph/{output}/states", requested_times=[middle], requested_items=[gone["id"]])["rows"]
            assert row["states"][0]["label"] == experiment["hosts"][1]["why"], row
        tip = client.model(f"timeGraph/{CONTROL_FLOW}/tooltip", requested_times=[middle],
                           requested_items=[client.model(f"timeGraph/{CONTROL_FLOW}/tree")["entries"][-1]["id"]])
        assert tip == {"Host": "B", "Unknown": experiment["hosts"][1]["why"]}, tip
        for view in "control-flow", "resources", "attributes":
            last = rows_of(client, view, folded=2)["rows"][-1]
            assert last["isHost"] and last["why"] == experiment["hosts"][1]["why"]
            state = ask(client, "state", view=view, row=last["row"], at=experiment["duration"] // 2)
            assert state["value"] == "unknown" and state["text"] == last["why"], state
        assert client.model(f"XY/{CPU_USAGE}/tree")["entries"][0]["labels"][0].startswith("Total")
        assert ask(client, "events", first=0, count=3)["lines"][0]["host"] == "A"


def main():
    tally = Tally()
    histree = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stores = Stores(histree, folder)
        with Server(histree, folder, [stores.one]) as one, Server(histree, folder, [stores.both]) as two:
            alone, both = Client(histree, one), Client(histree, two)
            for test in time_graphs, filtered_by_host, usage, tables, statistics, rows, compared:
                tally.run(test.__name__, lambda: test(alone, both))
        tally.run("missing", lambda: missing(histree, folder, stores))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
