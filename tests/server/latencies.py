#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""latencies.py HISTREE - segments over HTTP: what tables, charts and statistics say is compared with what `histree
segments` and `histree segments --by name` say of the same store, which the server has made itself."""
import bisect
import contextlib
import csv
import functools
import io
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse

from protocol import Client
from serving import SMALL_TRACE, Server, build, finish, large_trace

TIMING = "org.eclipse.tracecompass.analysis.timing.core.segmentstore."
TABLE = TIMING + "SegmentStoreTableDataProvider:"
STATISTICS = TIMING + "SegmentStoreStatisticsDataProvider:"
DENSITY = TIMING + "SegmentStoreDensityDataProvider:"
SCATTER = "org.eclipse.tracecompass.internal.analysis.timing.core.segmentstore.scatter.dataprovider:"
KINDS = {TABLE: "TABLE", STATISTICS: "DATA_TREE", DENSITY: "TREE_GENERIC_XY", SCATTER: "TREE_TIME_XY"}
TIMES = ("start", "end", "duration")
LARGE = 20000


@functools.lru_cache(maxsize=30)
def command(*words):
    done = subprocess.run(words, capture_output=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@functools.lru_cache(maxsize=6)
def parsed(said):
    lines = csv.DictReader(io.StringIO(said.decode(), newline=""))
    return [{name: int(text) if name in TIMES else text for name, text in line.items()} for line in lines]


class Latencies(Client):
    """The segments of one analysis, and what the command says of them."""

    def __init__(self, histree, server, analysis="system-calls"):
        super().__init__(histree, server)
        self.analysis = analysis
        self.path = self.store()
        self.start, self.end = self.experiment()["start"], self.experiment()["end"]

    def said(self, verb, *options):
        return command(self.histree, verb, self.path, self.analysis, "--format", "csv", *map(str, options))

    def segments(self, *options):
        """[{start, end, duration, field...}], as texts but for the times."""
        return parsed(self.said("segments", *options))

    def lines(self, index, count, **parameters):
        return self.model(f"table/{TABLE}{self.analysis}/lines", requested_table_index=index, requested_table_count=count,
                          **parameters)

    def page(self, path, status=200, **query):
        query = urllib.parse.urlencode({"experiment": self.experiment()["UUID"], "analysis": self.analysis, **query})
        found, _, content = self.ask("GET", f"/api/v1/{path}?{query}")
        assert found == status, (path, query, found, content[:300])
        return json.loads(content) if path != "segments-csv" else content


def some(names, segments):
    """All orders of a small store; of a large one, whose lists take long, one of the tree and one that is sorted."""
    return [name for name in names if len(segments) < LARGE or name in ("duration", "name")]


def cells(line):
    return [cell["content"] for cell in line["cells"]]


def clock(ns):
    seconds = ns // 10**9 % 86400
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{ns % 10**9:09}"


def outputs_of_each_store(client):
    """A trace that a client opens has all its latencies; their ids and types are those of Trace Compass."""
    uuid = client.experiment()["UUID"]
    outputs = client.json("GET", f"/experiments/{uuid}/outputs")
    assert [one["name"] for one in outputs] == sorted(one["name"] for one in outputs)
    found = {one["id"]: one["type"] for one in outputs if ":" in one["id"] and ".xml." not in one["id"]}
    analyses = {one["analysis"] for one in client.page("segment-stores")}
    assert {"system-calls", "wakeups", "softirqs", "preemptions"} <= analyses
    assert found == {kind + analysis: KINDS[kind] for kind in KINDS for analysis in analyses}
    assert client.json("GET", f"/experiments/{uuid}/outputs/{TABLE}system-calls")["name"] == "Latencies of system calls: table"
    client.json("GET", f"/experiments/{uuid}/outputs/{TABLE}no", status=404)
    for unknown in TABLE + "no", TABLE, TABLE[:-1]:
        client.json("POST", f"/experiments/{uuid}/outputs/table/{unknown}/columns", {}, status=405)


def table_is_the_command(client):
    """Every line, by pages; any line, by number and by time."""
    expected = client.segments()
    columns = client.model(f"table/{TABLE}{client.analysis}/columns")
    fields = list(expected[0])[3:]
    assert [one["name"] for one in columns] == ["Start Time", "End Time", "Duration", *fields, "Timestamp ns"]
    assert [one["id"] for one in columns] == list(range(len(columns)))
    lines = []
    while len(lines) < len(expected):
        page = client.lines(len(lines), 2000)
        assert page["size"] == len(expected) and page["lowIndex"] == len(lines)
        lines += page["lines"]
    for i, (line, segment) in enumerate(zip(lines, expected)):
        said = [clock(segment["start"]), clock(segment["end"]), str(segment["duration"]),
                *[segment[name] for name in fields], str(segment["start"])]
        assert line["index"] == i and cells(line) == said, (line, segment)
    starts = [segment["start"] for segment in expected]
    for index in len(expected) - 1, 0, len(expected) // 2, len(expected) // 3:
        page = client.lines(index, 3, requested_table_column_ids=[2, 0, 99])
        assert page["columnIds"] == [2, 0] and page["lines"][0]["index"] == index
        assert cells(page["lines"][0]) == cells(lines[index])[2::-2], page
        at = starts[index] + random.randrange(2)
        first = min(bisect.bisect_left(starts, at), len(starts) - 1)
        assert client.lines(0, 1, requested_times=[at])["lowIndex"] == first
    assert client.lines(0, 1, requested_times=[-2**63])["lowIndex"] == 0
    assert client.lines(0, 1, requested_times=[2**62])["lowIndex"] == len(expected) - 1
    assert client.lines(len(expected) + 5, 1)["lines"] == []


def table_by_any_column(client):
    expected = client.segments()
    for column, name in enumerate(expected[0]):
        if name not in some(expected[0], expected):
            continue
        in_order = client.segments("--sort", "+" + name)
        for index in 0, len(expected) - 7, len(expected) // 2:
            page = client.lines(index, 7, table_comparator_expression=column, requested_table_column_ids=[column])
            said = [clock(one[name]) if name in ("start", "end") else str(one[name]) for one in in_order[index:index + 7]]
            assert [cells(line)[0] for line in page["lines"]] == said, name


def table_is_searched(client):
    expected = client.segments()
    name = expected[len(expected) // 2]["name"]
    here = [i for i, one in enumerate(expected) if one["name"] == name]
    search = lambda index, direction, **more: client.lines(index, 4, table_search_direction=direction,
                                                           table_search_expressions={"3": f"^{name}$", **more})
    assert search(0, "NEXT")["lowIndex"] == here[0] and search(0, "NEXT")["lines"][0]["tags"] == 8
    assert search(here[0] + 1, "NEXT")["lowIndex"] == (here[1] if len(here) > 1 else 0)
    assert search(len(expected) - 1, "PREVIOUS")["lowIndex"] == here[-1]
    assert search(0, "NEXT", **{"2": "no digits"})["lines"] == []
    page = client.lines(here[0], 50, table_search_expressions={"3": f"^{name}$"})["lines"]
    assert [line["index"] for line in page if line.get("tags") == 8] == [i for i in here if i < here[0] + 50]
    outputs = f"/tsp/api/experiments/{client.experiment()['UUID']}/outputs/table/{TABLE}{client.analysis}/lines"
    for bad in {"table_search_expressions": {"3": "("}}, {"table_search_expressions": {"99": "a"}}, \
            {"requested_table_count": 10**9}, {"requested_table_index": -1}, {"requested_times": ["x"]}, \
            {"table_comparator_expression": 99}, {"table_comparator_expression": 2, "requested_times": [client.start]}:
        assert client.ask("POST", outputs, {"parameters": bad})[0] == 400, bad


def statistics_are_the_command(client):
    """Of all and of a selection; ids mean the same name in both."""
    third = (client.end - client.start) // 3
    selection = {"start": client.start + third, "end": client.start + 2 * third}
    ids = {}
    for more, options in ({}, ()), ({"requested_timerange": selection, "isFiltered": True},
                                    ("--from", selection["start"], "--to", selection["end"])):
        entries = client.model(f"data/{STATISTICS}{client.analysis}/tree", **more)["entries"]
        roots = [one for one in entries if one["parentId"] == -1]
        assert [one["labels"][0] for one in roots] == ["Total", "Selection"][:len(roots)] and len(roots) == 1 + bool(more)
        assert len({one["id"] for one in entries}) == len(entries)
        segments = client.segments(*options)
        groups = {}
        for one in segments:
            groups.setdefault(one["name"], []).append(one)
        below = [one for one in entries if one["parentId"] == roots[-1]["id"]]
        assert {one["labels"][0] for one in below} == set(groups)
        for one in below:
            assert ids.setdefault(one["labels"][0], one["id"] - roots[-1]["id"]) == one["id"] - roots[-1]["id"]
        for one, group in [(one, groups[one["labels"][0]]) for one in below] + [(roots[-1], segments)]:
            least, most = (choose(group, key=lambda segment: segment["duration"])["duration"] for choose in (min, max))
            assert int(one["labels"][5]) == len(group)
            for label, duration in zip(one["labels"][7:], (least, most)):
                start, end = map(int, label.strip("[]").split(","))
                assert end - start == duration
                assert start == min(segment["start"] for segment in group if segment["duration"] == duration)
    said = {line["value"]: line for line in csv.DictReader(io.StringIO(client.said("stats").decode()))}
    page = client.page("segment-stats")
    assert [one["name"] for one in page["names"]] == list(said)
    for one in page["names"]:
        line = said[one["name"]]
        assert [str(one[key]) for key in ("count", "min", "max", "total", "p50", "p90", "p99", "p999")] == \
            [line[key] for key in ("count", "min", "max", "total", "p50", "p90", "p99", "p99.9")]
        assert math.isclose(one["mean"], float(line["mean"]), rel_tol=1e-6)


def scatter_has_segments(client):
    """Each point is a segment, and each name's longest has one; with pixels enough, so has every segment."""
    segments = {(one["name"], one["start"], one["duration"]) for one in client.segments()}
    tree = client.model(f"XY/{SCATTER}{client.analysis}/tree")["entries"]
    names = {one["id"]: one["labels"][0] for one in tree[1:]}
    assert set(names.values()) == {name for name, _, _ in segments} and any(one.get("isDefault") for one in tree)
    times = {"start": client.start, "end": client.end, "nbTimes": 300}
    few = list(names)[:3]
    for items in list(names), few, []:
        model = client.model(f"XY/{SCATTER}{client.analysis}/xy", requested_timerange=times, requested_items=[1, *items])
        assert {one["seriesId"] for one in model["series"]} == set(items)
        for one in model["series"]:
            assert one["seriesName"] == names[one["seriesId"]] and one["style"]["values"]["series-type"] == "scatter"
            mine = {(start, duration) for name, start, duration in segments if name == one["seriesName"]}
            assert math.isclose(max(one["yValues"]), max(duration for _, duration in mine), rel_tol=1e-8)
            rounded = {(start, f"{duration:.9g}") for start, duration in mine}
            assert {(x, f"{y:.9g}") for x, y in zip(one["xValues"], one["yValues"])} <= rounded
    page = client.page("segment-scatter", pixels=8192, height=8192)
    found = {(one["name"], x + client.start, y) for one in page["series"] for x, y in zip(one["points"][::2], one["points"][1::2])}
    assert found <= segments and page["segments"] == len(client.segments())
    assert len(found) > 0.9 * len(segments) or len(segments) > LARGE


def density_counts_all(client):
    durations = sorted(one["duration"] for one in client.segments())
    model = client.model(f"genericXY/{DENSITY}{client.analysis}/xy", requested_items=[1],
                         requested_timerange={"start": client.start, "end": client.end, "nbSamples": 37})
    [series] = model["series"]
    edges = [one["start"] for one in series["xRanges"]] + [series["xRanges"][-1]["end"]]
    page = client.page("segment-density", buckets=64)
    for edges, counts in (edges, series["yValues"]), (page["edges"], page["counts"]):
        assert edges[0] == durations[0] and edges[-1] == durations[-1] + 1
        assert counts == [bisect.bisect_left(durations, high) - bisect.bisect_left(durations, low)
                          for low, high in zip(edges, edges[1:])]
    # All but the last end where the chart's do; of large stores there may be fewer than asked for, the rest is empty.
    inner = sorted(set(page["edges"]))[24:-1]
    ratios = [high / low for low, high in zip(inner, inner[1:])]
    assert max(ratios) < 1.05 * min(ratios), "logarithmic"
    half = client.start + (client.end - client.start) // 2
    half_of_them = [one for one in client.segments("--to", half)]
    page = client.page("segment-density", buckets=8, to=half - client.start)
    assert sum(page["counts"]) == len(half_of_them)


def rows_of_the_page(client):
    """Any order, any filter, any page: what a list in Python says."""
    expected = client.segments()
    types = {one["name"]: one["type"] for store in client.page("segment-stores") if store["analysis"] == client.analysis
             for one in store["fields"]}
    name = max({one["name"] for one in expected}, key=lambda name: sum(one["name"] == name for one in expected))
    middle = sorted(one["duration"] for one in expected)[len(expected) // 2]
    filters = {"": lambda one: True, f"name == '{name}'": lambda one: one["name"] == name,
               f"duration > {middle} && name != '{name}'": lambda one: one["duration"] > middle and one["name"] != name,
               "duration < 0": lambda one: False}
    as_text = lambda value, kind: "" if value is None else str(value).lower() if kind == "bool" else str(value)
    for sort in some((*TIMES, *types), expected):
        in_order = client.segments("--sort", "+" + sort)
        for descending in 0, 1:
            for text, passes in filters.items():
                wanted = [one for one in in_order if passes(one)][::-1 if descending else 1]
                for first in {0, max(len(wanted) - 3, 0), len(wanted) // 2}:
                    page = client.page("segments", sort=sort, descending=descending, filter=text, first=first, count=5)
                    assert page["total"] == len(wanted) and page["first"] == first
                    found = [(row[0] + client.start, row[1], *map(as_text, row[2:], types.values())) for row in page["rows"]]
                    said = [(one["start"], one["duration"], *[one[name] for name in types]) for one in wanted[first:first + 5]]
                    if sort in TIMES:
                        assert [row[:2] for row in found] == [row[:2] for row in said]
                    assert sorted(found) == sorted(said) or len(set(found)) == len(set(said)), (sort, text, found, said)
    at = expected[len(expected) // 2]["start"]
    page = client.page("segments", at=at - client.start, count=1)
    assert page["rows"][0][0] + client.start == at
    for bad in {"sort": "no"}, {"filter": "name =="}, {"filter": "nme == 1"}, {"first": -1}, {"count": 10**6}, \
            {"descending": 2}, {"at": 5, "sort": "name"}:
        client.page("segments", status=400, **bad)
    said = json.loads(client.ask("GET", "/api/v1/segments?" + urllib.parse.urlencode(
        {"experiment": client.experiment()["UUID"], "analysis": client.analysis, "filter": "duration > 1parsec"}))[2])["title"]
    assert "1parsec" in said and "12" in said, said
    client.page("segments", status=404, analysis="no")


def file_is_the_command(client):
    assert client.page("segments-csv") == client.said("segments")
    assert client.page("segments-csv", sort="duration", descending=1) == client.said("segments", "--sort", "duration", "--reverse")
    name = client.segments()[0]["name"]
    lines = client.page("segments-csv", filter=f"name == {name}").decode().splitlines()
    assert len(lines) - 1 == sum(one["name"] == name for one in client.segments())
    client.page("segment-scatter", status=400, pixels=0, height=5)
    client.page("segment-density", status=400, buckets=5000)


def an_empty_store(client):
    """Nothing is an answer too."""
    empty = [one["analysis"] for one in client.page("segment-stores") if one["count"] == 0]
    for client.analysis in empty[:1]:
        times = {"start": client.start, "end": client.end, "nbTimes": 10, "nbSamples": 10}
        nothing = client.lines(0, 5)
        assert (nothing["size"], nothing["lowIndex"], nothing["lines"]) == (0, 0, [])
        assert client.lines(0, 5, requested_times=[client.start])["lines"] == []
        assert len(client.model(f"data/{STATISTICS}{client.analysis}/tree")["entries"]) == 1
        assert client.model(f"XY/{SCATTER}{client.analysis}/xy", requested_timerange=times, requested_items=[1, 2])["series"] == []
        [series] = client.model(f"genericXY/{DENSITY}{client.analysis}/xy", requested_timerange=times, requested_items=[1])["series"]
        assert set(series["yValues"]) == {0}
        assert client.page("segments", sort="name", count=5)["rows"] == []
        assert client.page("segment-stats")["names"] == []
        assert len(client.page("segments-csv").splitlines()) == 1


def many_at_once(client):
    """More orders than are kept, from several clients at the same time."""
    sorts = [(sort, descending) for sort in (*TIMES, "name", "tid") for descending in (0, 1)]
    expected = {key: client.page("segments", sort=key[0], descending=key[1], first=100, count=50) for key in sorts}
    wrong = []

    def ask(seed):
        mine, chance = Latencies(client.histree, client.server), random.Random(seed)
        for _ in range(25):
            key = chance.choice(sorts)
            if mine.page("segments", sort=key[0], descending=key[1], first=100, count=50) != expected[key]:
                wrong.append(key)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def store_without_segments(histree, folder):
    """Only what a store has is listed."""
    with Server(histree, folder, [build(histree, SMALL_TRACE, folder / "plain.histree", "-a", "kernel")]) as server:
        client = Client(histree, server)
        uuid = client.experiment()["UUID"]
        assert not [one for one in client.json("GET", f"/experiments/{uuid}/outputs") if ":" in one["id"]]
        client.json("POST", f"/experiments/{uuid}/outputs/table/{TABLE}system-calls/columns", {}, status=405)
        assert client.ask("GET", f"/api/v1/segment-stores?experiment={uuid}")[2] == b"[]"
        assert client.ask("GET", f"/api/v1/segments?experiment={uuid}&analysis=system-calls")[0] == 404


def damaged_store(histree, folder):
    """A store of segments that cannot be read is said to be; all else goes on."""
    store = build(histree, SMALL_TRACE, folder / "damaged.histree", "-a", "kernel,system-calls,wakeups")
    (store / "system-calls.seg").write_bytes(b"\xff" * 5000)
    with Server(histree, folder, [store]) as server:
        client = Latencies(histree, server, "wakeups")
        uuid = client.experiment()["UUID"]
        status, _, content = client.ask("POST", f"/tsp/api/experiments/{uuid}/outputs/table/{TABLE}system-calls/lines", {})
        assert status == 500 and b"system-calls.seg" in content, (status, content)
        assert client.lines(0, 5)["lines"] and client.json("GET", "/health")["status"] == "UP"


def store_with_damaged_node(histree, folder):
    """Of system calls; wake-ups are sound."""
    store = build(histree, SMALL_TRACE, folder / "damaged.histree", "-a", "kernel,system-calls,wakeups")
    with open(store / "system-calls.seg", "r+b") as file:
        file.seek(9000)
        file.write(b"\xff")
    return store


def damaged_node(histree, folder):
    """What a damaged node held is missing, and every answer says so; those of other stores do not."""
    store = store_with_damaged_node(histree, folder)
    with Server(histree, folder, [store]) as server:
        for analysis, is_damaged in ("system-calls", True), ("wakeups", False):
            client = Latencies(histree, server, analysis)
            rows = client.page("segments", count=100)
            assert rows.get("isDamaged", False) == is_damaged and (len(rows["rows"]) < 100) == is_damaged, rows
            for what, query in ("segment-scatter", {"pixels": 100, "height": 100}), ("segment-density", {"buckets": 10}), ("segment-stats", {}):
                assert client.page(what, **query).get("isDamaged", False) == is_damaged, what


def damaged_node_in_the_protocol(histree, folder):
    """Each answer that has read the store says so in its statusMessage, whoever asked before."""
    store = store_with_damaged_node(histree, folder)
    window = lambda client: {"requested_timerange": {"start": client.start, "end": client.end, "nbTimes": 50}, "requested_items": [1, 2, 3]}
    calls = (("table", TABLE, "lines", lambda _: {"requested_table_index": 0, "requested_table_count": 100}),
             ("data", STATISTICS, "tree", lambda _: {}), ("XY", SCATTER, "tree", lambda _: {}), ("XY", SCATTER, "xy", window),
             ("genericXY", DENSITY, "xy", window))
    for kind, output, what, parameters in calls:
        with Server(histree, folder, [store]) as server:
            for analysis, is_damaged in ("system-calls", True), ("wakeups", False):
                client = Latencies(histree, server, analysis)
                path = f"/experiments/{client.experiment()['UUID']}/outputs/{kind}/{output}{analysis}/{what}"
                answer = client.json("POST", path, {"parameters": parameters(client)})
                said = answer["statusMessage"]
                assert answer["status"] == "COMPLETED" and answer["model"], (path, answer)
                assert ("segments are missing" in said if is_damaged else said == "Completed"), (path, said)


TESTS = [outputs_of_each_store, table_is_the_command, table_by_any_column, table_is_searched, statistics_are_the_command,
         scatter_has_segments, density_counts_all, rows_of_the_page, file_is_the_command, an_empty_store, many_at_once]


@contextlib.contextmanager
def opened(histree, trace):
    """A server that was asked to open a trace, and has."""
    with tempfile.TemporaryDirectory() as name, Server(histree, pathlib.Path(name), [trace.parent]) as server:
        client = Client(histree, server)
        made = client.json("POST", "/traces", {"parameters": {"uri": str(trace)}})["UUID"]
        client.json("POST", "/experiments", {"parameters": {"name": "one", "traces": [made]}})
        while client.experiment()["indexingStatus"] == "RUNNING":
            time.sleep(0.05)
        yield server


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    histree = sys.argv[1]
    passed = failed = 0

    def run(name, test):
        nonlocal passed, failed
        try:
            test()
            passed += 1
        except Exception:  # the others are run all the same
            failed += 1
            print(f"{name}: {traceback.format_exc()}")

    for trace in filter(None, (SMALL_TRACE, large_trace())):
        with opened(histree, trace) as server:
            for test in TESTS:
                run(f"{trace.name}: {test.__name__}", lambda: test(Latencies(histree, server)))
    for test in store_without_segments, damaged_store, damaged_node, damaged_node_in_the_protocol:
        with tempfile.TemporaryDirectory() as name:
            run(test.__name__, lambda: test(histree, pathlib.Path(name)))
    return finish(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
