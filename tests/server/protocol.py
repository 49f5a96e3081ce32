#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""protocol.py HISTREE - the calls of the Trace Server Protocol from a plain script: answers are compared with what
`histree query` and `histree ls` say of the same store; and what a hostile client may not do."""
import gzip
import http.client
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse

from serving import SMALL_TRACE, SOURCE, build, calls_trace, finish, large_trace, Server, serving

LINUX = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus."
CONTROL_FLOW = LINUX + "ThreadStatusDataProvider"
RESOURCES = LINUX + "ResourcesStatusDataProvider"
CALL_STACK = "org.eclipse.tracecompass.internal.analysis.profiling.callstack.provider.CallStackDataProvider"
CPU_USAGE = "org.eclipse.tracecompass.analysis.os.linux.core.cpuusage.CpuUsageDataProvider"
HISTOGRAM = "org.eclipse.tracecompass.internal.tmf.core.histogram.HistogramDataProvider"
EVENTS = "org.eclipse.tracecompass.internal.provisional.tmf.core.model.events.TmfEventTableDataProvider"
STATISTICS = "org.eclipse.tracecompass.analysis.timing.core.event.statistics.EventStatisticsDataProvider"
EXPLORER = "org.eclipse.tracecompass.internal.tmf.core.statesystem.provider.StateSystemDataProvider"
JSON = {"Content-Type": "application/json"}


class Client:
    """One connection that is kept."""

    def __init__(self, histree, server, trace=None):
        self.histree, self.server, self.trace = histree, server, trace
        place = urllib.parse.urlparse(server.url)
        self.connection = http.client.HTTPConnection(place.hostname, place.port, timeout=30)

    def ask(self, method, path, body=None, headers=None):
        content = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        self.connection.request(method, path, content, headers if headers is not None else JSON)
        answer = self.connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()

    def json(self, method, path, body=None, status=200):
        found, headers, content = self.ask(method, "/tsp/api" + path, body)
        assert found == status, (method, path, found, content[:300])
        assert headers["Content-Type"] == "application/json", headers
        return json.loads(content)

    def experiment(self):
        return self.json("GET", "/experiments")[0]

    def model(self, path, **parameters):
        answer = self.json("POST", f"/experiments/{self.experiment()['UUID']}/outputs/{path}", {"parameters": parameters})
        assert answer["status"] == "COMPLETED", answer
        return answer["model"]

    def store(self):
        return self.json("GET", "/traces")[0]["properties"]["store"]

    def command(self, *words):
        done = subprocess.run([self.histree, *map(str, words)], check=True, capture_output=True, text=True)
        return [line.split("\t") for line in done.stdout.splitlines()[1:]]


def sampled_range(experiment, count):
    """A range of whole steps, and its step."""
    step = (experiment["end"] - experiment["start"]) // (count - 1)
    return {"start": experiment["start"], "end": experiment["start"] + step * (count - 1), "nbTimes": count}, step


def states_by_path(client, output, entries, path_of, count):
    """{path: [(start, end)]} of all rows of a time graph; ends inclusive, as everywhere else here."""
    times, _ = sampled_range(client.experiment(), count)
    model = client.model(f"timeGraph/{output}/states", requested_timerange=times, requested_items=[one["id"] for one in entries])
    paths = {one["id"]: path_of(one) for one in entries}
    return {paths[row["entryId"]]: [(state["start"], state["end"] - 1) for state in row["states"]] for row in model["rows"]}


def expected_states(client, paths, count):
    times, step = sampled_range(client.experiment(), count)
    found = {path: [] for path in paths}
    rows = client.command("query", client.store(), "--from", times["start"], "--to", times["end"], "--step", step,
                          "--format", "tsv", *[path.replace("*", "\\*") for path in paths])
    for path, start, end, *_ in rows:
        found[path].append((int(start), int(end)))
    return found


def states_of_control_flow(client):
    entries = client.model(f"timeGraph/{CONTROL_FLOW}/tree")["entries"]
    threads = {path for _, path in client.command("ls", client.store(), "Threads/*", "--format", "tsv")}
    named = [one for one in entries[1:] if one["metadata"]["TID"][0] > 0]
    assert {f"Threads/{one['metadata']['TID'][0]}" for one in named} == {path for path in threads if path.split("/")[1].isdigit()}
    some = named[:200]
    path_of = lambda one: f"Threads/{one['metadata']['TID'][0]}"
    for count in 2, 50, 1500:
        found = states_by_path(client, CONTROL_FLOW, some, path_of, count)
        assert found == expected_states(client, [path_of(one) for one in some], count), count


def labels_of_system_calls(client):
    """A state in a system call has the name that System_call had then."""
    entries = client.model(f"timeGraph/{CONTROL_FLOW}/tree")["entries"]
    times, _ = sampled_range(client.experiment(), 400)
    rows = client.model(f"timeGraph/{CONTROL_FLOW}/states", requested_timerange=times,
                        requested_items=[one["id"] for one in entries])["rows"]
    tids = {one["id"]: one["metadata"]["TID"][0] for one in entries if "metadata" in one}
    labelled = [(tids[row["entryId"]], state) for row in rows for state in row["states"] if "label" in state]
    for tid, state in labelled[:40]:
        [[_, _, _, kind, value]] = client.command("query", client.store(), "--at", state["start"],
                                                  f"Threads/{tid}/System_call", "--format", "tsv")
        assert (kind, value) == ("string", state["label"]), (tid, state)


def states_of_resources_and_explorer(client):
    for output in RESOURCES, EXPLORER:
        entries = client.model(f"timeGraph/{output}/tree")["entries"]
        times, _ = sampled_range(client.experiment(), 100)
        rows = client.model(f"timeGraph/{output}/states", requested_timerange=times,
                            requested_items=[one["id"] for one in entries])["rows"]
        assert [row["entryId"] for row in rows] == [one["id"] for one in entries]
        for row in rows:
            ends = [state["end"] for state in row["states"]]
            assert ends == sorted(ends)
    paths = {}
    for one in entries[2:]:
        parent = paths.get(one["parentId"])
        name = one["labels"][0].replace("\\", "\\\\").replace("/", "\\/")
        paths[one["id"]] = f"{parent}/{name}" if parent else name
    listed = [path for _, path in client.command("ls", client.store(), "--format", "tsv")]
    assert sorted(paths.values()) == sorted(path.replace("\\\\", "\\") for path in listed)
    some = entries[2:300]
    found = states_by_path(client, EXPLORER, some, lambda one: paths[one["id"]], 64)
    assert found == expected_states(client, list(found), 64)


def cpu_usage(client):
    """The curves of all threads together add up to that of the total."""
    entries = client.model(f"XY/{CPU_USAGE}/tree")["entries"]
    times, _ = sampled_range(client.experiment(), 11)
    model = client.model(f"XY/{CPU_USAGE}/xy", requested_timerange=times, requested_items=[one["id"] for one in entries[:200]])
    total, *threads = [one["yValues"] for one in model["series"]]
    if len(entries) <= 200:
        for i, value in enumerate(total):
            assert abs(sum(curve[i] for curve in threads) - value) < 0.01 + value / 1e6
    assert max(total) > 0
    xs = model["series"][0]["xValues"]
    assert xs[0] == times["start"] and xs[-1] == times["end"] and xs == sorted(xs)


def events_of(client):
    """[(time, cpu, type, contents)] of all events, by the table; the first lines in pages, the others at random."""
    model = client.model(f"table/{EVENTS}/lines", requested_table_index=0, requested_table_count=0)
    lines = []
    while len(lines) < model["size"]:
        page = client.model(f"table/{EVENTS}/lines", requested_table_index=len(lines), requested_table_count=2000,
                            requested_table_column_ids=[4, 1, 2, 3])
        assert page["columnIds"] == [4, 1, 2, 3] and page["lowIndex"] == len(lines)
        lines += [[cell["content"] for cell in line["cells"]] for line in page["lines"]]
    return lines


def event_table(client):
    """All events are in the table, as babeltrace2 has them, and are found by index, by time and by expression."""
    path = f"table/{EVENTS}/lines"
    lines = events_of(client)
    trace = client.json("GET", "/traces")[0]
    assert len(lines) == trace["nbEvents"]
    text = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", client.trace], capture_output=True, text=True,
                          check=True).stdout.splitlines()
    assert len(text) == len(lines)
    for said, (_, cpu, kind, _) in zip(text, lines):
        assert f" {kind}: " in said and f"cpu_id = {cpu} " in said or cpu == "", (said, kind, cpu)
    columns = client.json("POST", f"/experiments/{client.experiment()['UUID']}/outputs/table/{EVENTS}/columns", {})["model"]
    assert [one["name"] for one in columns] == ["Timestamp", "CPU", "Event type", "Contents", "Timestamp ns"]
    assert [one["id"] for one in columns] == [0, 1, 2, 3, 4]

    time_of = lambda model: int(model["lines"][0]["cells"][-1]["content"])
    for index in len(lines) - 1, 0, len(lines) // 2, len(lines) // 3:
        model = client.model(path, requested_table_index=index, requested_table_count=3)
        assert model["lines"][0]["index"] == index and len(model["lines"]) == min(3, len(lines) - index)
        assert [cell["content"] for cell in model["lines"][0]["cells"]][1:4] == lines[index][1:]
        at = int(lines[index][0])
        model = client.model(path, requested_times=[at], requested_table_count=1)
        assert time_of(model) == at and (index == 0 or model["lowIndex"] <= index)
    assert client.model(path, requested_times=[2**62], requested_table_count=1)["lowIndex"] == len(lines) - 1
    assert client.model(path, requested_table_index=len(lines) + 5, requested_table_count=1)["lines"] == []

    kind = lines[len(lines) // 2][2]
    here = [i for i, line in enumerate(lines) if line[2] == kind]
    search = lambda index, direction, **more: client.model(
        path, requested_table_index=index, requested_table_count=4, table_search_direction=direction,
        table_search_expressions={"2": f"^{kind}$", **more})
    found = search(here[0] + 1, "NEXT")
    assert found["lowIndex"] == (here[1] if len(here) > 1 else 0)
    assert search(here[-1], "NEXT")["lines"][0]["tags"] == 8
    assert search(len(lines) - 1, "PREVIOUS")["lowIndex"] == here[-1]
    assert search(0, "NEXT", **{"3": "no such text anywhere"})["lines"] == []
    page = client.model(path, requested_table_index=here[0], requested_table_count=50,
                        table_search_expressions={"2": f"^{kind}$"})["lines"]
    assert [line["index"] for line in page if line.get("tags") == 8] == [i for i in here if i < here[0] + 50]
    outputs = f"/tsp/api/experiments/{client.experiment()['UUID']}/outputs"
    for bad in {"2": "("}, {"2": "a{1000}"}, {"2": "(a)\\1"}, {"9": "a"}, {"2": "a" * 1000}, {"2": 3}:
        body = {"parameters": {"requested_table_index": 0, "requested_table_count": 1, "table_search_expressions": bad}}
        assert client.ask("POST", f"{outputs}/{path}", body)[0] == 400, bad
    for bad in {"requested_table_count": 10**9}, {"requested_table_index": -1}, {"requested_times": ["x"]}:
        assert client.ask("POST", f"{outputs}/{path}", {"parameters": bad})[0] == 400, bad


def histogram_and_statistics(client):
    """Counts by time and by type are those of the lines of the table."""
    lines = events_of(client)
    stamps = [int(line[0]) for line in lines]
    experiment = client.experiment()
    times, _ = sampled_range(experiment, 50)
    curve = client.model(f"XY/{HISTOGRAM}/xy", requested_timerange={**times, "end": experiment["end"]}, requested_items=[1, 2])["series"]
    assert [one["seriesId"] for one in curve] == [2]
    assert abs(sum(curve[0]["yValues"]) - len(lines)) < 0.01 * len(lines) ** 0.5 + 0.5
    some = len(lines) // 3
    start, end = stamps[some], stamps[some + min(400, some)]
    [zoomed] = client.model(f"XY/{HISTOGRAM}/xy", requested_timerange={"start": start, "end": end, "nbTimes": 20},
                            requested_items=[2])["series"]
    expected = [sum(from_ < stamp <= to for stamp in stamps) for from_, to in zip(zoomed["xValues"], zoomed["xValues"][1:])]
    assert zoomed["yValues"][1:] == expected, (zoomed, expected)

    for selection in None, {"start": start, "end": end}:
        more = {"requested_timerange": selection, "isFiltered": True} if selection else {}
        entries = client.model(f"data/{STATISTICS}/tree", **more)["entries"]
        chosen = [line[2] for line, stamp in zip(lines, stamps) if not selection or start <= stamp <= end]
        assert entries[0]["labels"][1] == str(len(chosen))
        found = {one["labels"][0]: int(one["labels"][1]) for one in entries[1:]}
        assert found == {kind: chosen.count(kind) for kind in found} and set(chosen) <= set(found)
        assert list(found.values()) == sorted(found.values(), reverse=True)


def events_of_the_page(client):
    """The page's own calls say the same."""
    lines = events_of(client)
    experiment = client.experiment()
    start = int(lines[0][0])
    ask = lambda path, **query: json.loads(client.ask(
        "GET", f"/api/v1/{path}?" + urllib.parse.urlencode({"experiment": experiment["UUID"], **query}))[2])
    middle = len(lines) // 2
    page = ask("events", first=middle, count=5)
    assert page["total"] == len(lines) and page["first"] == middle
    assert [[str(one["time"] + start), str(one["cpu"]), one["type"], one["text"]] for one in page["lines"]] == lines[middle:middle + 5]
    assert ask("events", at=int(lines[middle][0]) - start, count=1)["lines"][0]["time"] == int(lines[middle][0]) - start
    kind = lines[middle][2]
    assert ask("event-search", text=f"^{kind}$", after=middle - 1)["number"] == middle
    assert ask("event-search", text="no such text anywhere")["number"] == -1
    last = max(i for i in range(middle) if lines[i][2] == lines[middle - 1][2])
    assert ask("event-search", text=f"^{lines[last][2]}$", after=middle, backwards=1)["number"] == last
    types = ask("event-types")
    assert sum(one["count"] for one in types) == sum(one["total"] for one in types) == len(lines)
    assert client.ask("GET", f"/api/v1/events?experiment={experiment['UUID']}&count=100000")[0] == 400


def moved_trace(histree, folder):
    """Without its trace a store still shows states and counts; its table says what is missing."""
    trace = folder / "trace"
    subprocess.run(["cp", "-r", SMALL_TRACE, trace], check=True)
    store = build(histree, trace, folder / "moved.histree")
    subprocess.run(["rm", "-r", trace], check=True)
    with Server(histree, folder, [store]) as server:
        client = Client(histree, server)
        times, _ = sampled_range(client.experiment(), 50)
        [curve] = client.model(f"XY/{HISTOGRAM}/xy", requested_timerange=times, requested_items=[2])["series"]
        assert sum(curve["yValues"]) > 0
        outputs = f"/tsp/api/experiments/{client.experiment()['UUID']}/outputs"
        status, _, content = client.ask("POST", f"{outputs}/table/{EVENTS}/lines", {"parameters": {"requested_table_count": 5}})
        assert status == 500 and str(trace) in content.decode(), (status, content)


def expected_switches(client, cpus):
    """{(cpu, from tid, to tid, start, end)} of all switches, from who had each CPU one after the other."""
    found = set()
    for cpu in cpus:
        rows = client.command("query", client.store(), "--from", "+0ns", "--to", client.experiment()["end"],
                              f"CPUs/{cpu}/Current_thread", "--format", "tsv")
        last = None  # (tid, its end) of the last who was there; idle time leaves it
        for _, start, end, kind, value in sorted(rows, key=lambda row: int(row[1])):
            tid = int(value) if kind == "int" else -1
            if tid > 0 and last:
                found.add((cpu, *last, tid, int(start)))
            last = (tid, int(end) + 1) if tid > 0 else last if tid == 0 else None
    return {(cpu, tid, to, start, end) for cpu, tid, start, to, end in found}


def arrows(client):
    """Switches are those of the history, in any window; forks and migrations join rows that there are; the page's own
    call says the same; the styles of arrows are known."""
    experiment = client.experiment()
    trees = {output: client.model(f"timeGraph/{output}/tree")["entries"] for output in (CONTROL_FLOW, RESOURCES)}
    tids = {one["id"]: one["metadata"]["TID"][0] for one in trees[CONTROL_FLOW] if "metadata" in one}
    cpus = {one["id"]: one["metadata"]["CPU"][0] for one in trees[RESOURCES] if "metadata" in one}
    assert all(entries[0]["start"] == experiment["start"] for entries in trees.values())
    known = expected_switches(client, set(cpus.values()))
    plain = {key[1:] for key in known}
    middle, width = (experiment["start"] + experiment["end"]) // 2, (experiment["end"] - experiment["start"]) // 200
    seen = set()
    for start, end in (experiment["start"], experiment["end"]), (middle, middle + width), (middle, middle + width // 50):
        window = {"start": start, "end": end, "nbTimes": 2000}
        model = client.model(f"timeGraph/{CONTROL_FLOW}/arrows", requested_timerange=window)
        assert len(model) <= 16384
        switches = {(tids[one["sourceId"]], tids[one["targetId"]], one["start"], one["end"]) for one in model
                    if one["style"]["parentKey"] == "CPU transition"}
        assert switches <= plain
        assert all(one["start"] <= end and one["end"] >= start and one["start"] <= one["end"] for one in model)
        seen |= {one["style"]["parentKey"] for one in model}
        page = json.loads(client.ask("GET", "/api/v1/arrows?" + urllib.parse.urlencode({
            "experiment": experiment["UUID"], "view": "control-flow", "from": start - experiment["start"],
            "to": end - experiment["start"], "pixels": 1999}))[2])
        if page["all"]:
            # As a tree that is not folded, every row is shown, in the order of the entries.
            assert [(one["from"] + 2, one["to"] + 2, one["start"] + experiment["start"]) for one in page["arrows"]] == \
                [(one["sourceId"], one["targetId"], one["start"]) for one in model]
            assert switches == {key for key in plain if key[2] <= end and key[3] >= start}
        moved = client.model(f"timeGraph/{RESOURCES}/arrows", requested_timerange=window)
        assert all(cpus[one["sourceId"]] != cpus[one["targetId"]] for one in moved)
        seen |= {one["style"]["parentKey"] for one in moved}
    assert page["all"], "nothing is left out of the smallest window"
    assert "CPU transition" in seen
    for output in trees:
        styles = client.json("POST", f"/experiments/{experiment['UUID']}/outputs/{output}/style", {})["model"]["styles"]
        assert set(styles) & {"CPU transition", "Fork", "Wake-up", "CPU migration"}
    if client.trace.name == "many-threads":
        assert {"Fork", "CPU migration"} <= seen
    far = client.model(f"timeGraph/{CONTROL_FLOW}/arrows", requested_timerange={"start": 1, "end": 2, "nbTimes": 5})
    assert far == []


def wakeups(histree, folder):
    """Of a store with the segments of wake-ups, each with a known waker is an arrow; without them there are none."""
    store = build(histree, SMALL_TRACE, folder / "wakeups.histree", "-a", "kernel,wakeups")
    with Server(histree, folder, [store]) as server:
        client = Client(histree, server)
        experiment = client.experiment()
        entries = client.model(f"timeGraph/{CONTROL_FLOW}/tree")["entries"]
        tids = {one["id"]: one["metadata"]["TID"][0] for one in entries if "metadata" in one}
        header, *lines = subprocess.run([histree, "segments", store, "wakeups", "--format", "tsv"], check=True,
                                        capture_output=True, text=True).stdout.splitlines()
        rows = [dict(zip(header.split("\t"), line.split("\t"))) for line in lines]
        known = {(int(row["waker"] or 0), int(row["tid"]), int(row["start"]), int(row["end"])) for row in rows}
        found = set()
        step = (experiment["end"] - experiment["start"]) // 50
        for start in range(experiment["start"], experiment["end"], step):
            window = {"start": start, "end": start + step, "nbTimes": 4000}
            found |= {(tids[one["sourceId"]], tids[one["targetId"]], one["start"], one["end"])
                      for one in client.model(f"timeGraph/{CONTROL_FLOW}/arrows", requested_timerange=window)
                      if one["style"]["parentKey"] == "Wake-up"}
        assert found and found <= known
        assert len(found) >= 0.9 * len([row for row in known if row[0] > 0]), (len(found), len(known))


def lost_events(client):
    """Gaps are bands over every chart, in any window; a trace without losses has none."""
    warned = client.json("POST", "/traces", {"parameters": {"uri": str(SOURCE / "tests" / "data" / "ctf-made")}})
    made = client.json("POST", "/experiments", {"parameters": {"name": "made", "traces": [warned["UUID"]]}})
    while (made := client.json("GET", f"/experiments/{made['UUID']}"))["indexingStatus"] == "RUNNING":
        time.sleep(0.02)
    outputs = f"/experiments/{made['UUID']}/outputs"
    window = {"start": made["start"], "end": made["end"], "nbTimes": 1000}

    def bands(output, **parameters):
        return client.json("POST", f"{outputs}/{output}/annotations", {"parameters": parameters})["model"]["annotations"]

    second = 1000000000
    for output in [one["id"] for one in client.json("GET", outputs)]:
        assert client.json("GET", f"{outputs}/{output}/annotations?markerSetId=-1")["model"] == {
            "annotationCategories": ["Lost Events"]}
        [first, *_] = found = bands(output, requested_timerange=window)["Lost Events"]
        assert (first["time"], first["time"] + first["duration"]) == (1000 * second + 141, 1000 * second + 191)
        assert first["label"] == "7 events lost on CPU 0" and first["type"] == "CHART" and first["entryId"] == -1
        assert len(found) == 2 and found[1]["time"] == 1000 * second + 191 and found[1]["label"] == "events lost on CPU 0"
        assert bands(output, requested_timerange=window, requested_marker_categories=["other"]) == {}
        assert bands(output, requested_timerange={"start": made["start"], "end": 1000 * second + 140}) == {"Lost Events": []}
        [both] = bands(output, requested_timerange={"start": made["start"] - second, "end": made["end"], "nbTimes": 9})["Lost Events"]
        assert both["label"] == "7 events lost in 2 gaps on CPU 0", both
    client.json("POST", f"{outputs}/no/annotations", {}, status=405)
    client.json("POST", f"{outputs}/{output}/annotations", {}, status=400)
    page = json.loads(client.ask("GET", f"/api/v1/gaps?experiment={made['UUID']}&pixels=1000")[2])
    assert [(one["from"] + made["start"], one["text"]) for one in page] == [(one["time"], one["label"]) for one in found]
    whole = client.experiment()
    assert client.model(f"{CONTROL_FLOW}/annotations", requested_timerange={"start": whole["start"], "end": whole["end"]}) == \
        {"annotations": {}}
    client.json("DELETE", f"/experiments/{made['UUID']}")
    client.json("DELETE", f"/traces/{warned['UUID']}")


def filtered_states(client):
    """Tags say what does not match; a deep search finds every state that is too short for the samples; both against
    the states of the history."""
    experiment = client.experiment()
    entries = client.model(f"timeGraph/{CONTROL_FLOW}/tree")["entries"]
    tids = {one["id"]: one["metadata"]["TID"][0] for one in entries if "metadata" in one}
    some = [entry for entry, tid in tids.items() if tid > 0][:30]
    times, step = sampled_range(experiment, 40)
    path = f"timeGraph/{CONTROL_FLOW}/states"

    def states(strategy, **keys):
        given = {"strategy": strategy, "filter_expressions_map": keys}
        model = client.model(path, requested_timerange=times, requested_items=some, filter_query_parameters=given)
        return {row["entryId"]: row["states"] for row in model["rows"]}

    plain = states("SAMPLED")
    limit = step // 3
    searched = states("SAMPLED", **{"1": [f"Duration > {limit}"]})
    excluded = states("SAMPLED", **{"4": [f"duration > {limit}ns", "label present || State == 'user mode'"]})
    dimmed = blank = 0
    for entry in some:
        bounds = [(state["start"], state["end"]) for state in plain[entry]]
        assert bounds == [(state["start"], state["end"]) for state in searched[entry]]
        assert bounds == [(state["start"], state["end"]) for state in excluded[entry]]
        for before, one, other in zip(plain[entry], searched[entry], excluded[entry]):
            is_long = before["end"] - before["start"] > limit
            if "style" in before:
                assert one.get("tags", 0) == (0 if is_long else 1), one
                is_wanted = is_long and ("label" in before or before["style"]["parentKey"] == "Usermode")
                assert other.get("tags", 0) == (0 if is_wanted else 4), other
                assert ("style" in other) == is_wanted and ("label" in other) == (is_wanted and "label" in before)
                blank += not is_wanted
            dimmed += one.get("tags") == 1
    assert dimmed > 0 and blank > 0

    rows = client.command("query", client.store(), "--from", times["start"], "--to", times["end"],
                          *[f"Threads/{tids[entry]}" for entry in some], "--format", "tsv")
    samples = [times["start"] + i * step for i in range(40)]
    gap_of = lambda start, end: None if any(start <= at <= end for at in samples) else sum(at < start for at in samples)
    for expression, wanted in (f"Duration < {limit}", lambda length, value: length < limit), \
            ("State == 'system call'", lambda length, value: value == "3"):
        deep = states("DEEP", **{"1": [expression]})
        for entry in some:
            known = [(int(start), int(end) + 1, value) for path_, start, end, _, value in rows
                     if path_ == f"Threads/{tids[entry]}" and value]
            gaps = {gap_of(start, end - 1) for start, end, value in known if wanted(end - start, value)} - {None}
            shown = [(state["start"], state["end"]) for state in plain[entry]]
            added = [(state["start"], state["end"]) for state in deep[entry] if (state["start"], state["end"]) not in shown]
            assert sorted(gaps) == [gap_of(start, end - 1) for start, end in added], (expression, entry)
            for start, end in added:
                assert any((start, end) == key[:2] and wanted(end - start, key[2]) for key in known)
    tid = tids[some[0]]
    by_tid = states("SAMPLED", **{"4": [f"TID == {tid}"]})
    assert all(("style" in state) <= (entry == some[0]) for entry in some for state in by_tid[entry])
    cpus = states("SAMPLED", **{"1": ["CPU == 0"]})
    for entry in some[:5]:
        for state in [one for one in cpus[entry] if "style" in one][:10]:
            told = client.model(f"timeGraph/{CONTROL_FLOW}/tooltip", requested_times=[state["start"]], requested_items=[entry])
            assert (told.get("CPU") == "0") == (state.get("tags", 0) == 0), (told, state)
    outputs = f"/tsp/api/experiments/{experiment['UUID']}/outputs/{path}"
    for bad in {"filter_expressions_map": {"1": ["duration >"]}}, {"filter_expressions_map": {"4": "x"}}, {"strategy": "NO"}, \
            {"filter_expressions_map": {"1": ["x"] * 40}}, {"filter_expressions_map": {"1": ["nonsense == 1"]}}:
        body = {"parameters": {"requested_timerange": times, "requested_items": some, "filter_query_parameters": bad}}
        status, _, content = client.ask("POST", outputs, body)
        assert status == 400 and len(json.loads(content)["title"]) > 10, (bad, status)
    for output in RESOURCES, EXPLORER:
        items = [one["id"] for one in client.model(f"timeGraph/{output}/tree")["entries"]][:40]
        rows = client.model(f"timeGraph/{output}/states", requested_timerange=times, requested_items=items,
                            filter_query_parameters={"strategy": "DEEP", "filter_expressions_map": {"1": ["Value > 1"]}})["rows"]
        assert any(state.get("tags") == 1 for row in rows for state in row["states"])
        assert any("style" in state and "tags" not in state for row in rows for state in row["states"])
    nobody = client.model(f"timeGraph/{EXPLORER}/states", requested_timerange=times, requested_items=items,
                          filter_query_parameters={"filter_expressions_map": {"4": ["PTID present"]}})["rows"]
    assert not any("style" in state for row in nobody for state in row["states"]), "no attribute has a fact of threads"


def searched_states(client):
    """The page's search goes through the states of all rows in the order of time, and back; what it marks in a
    picture are their pixels.  Both against the states of the history."""
    experiment = client.experiment()
    base = experiment["start"]
    ask = lambda path, **query: json.loads(client.ask("GET", f"/api/v1/{path}?" + urllib.parse.urlencode(
        {"experiment": experiment["UUID"], "view": "control-flow", **query}))[2])
    entries = client.model(f"timeGraph/{CONTROL_FLOW}/tree")["entries"][1:]
    tids = [one["metadata"]["TID"][0] for one in entries]
    of_path = {f"Threads/{tid}": position for position, tid in enumerate(tids) if tid > 0}
    rows = client.command("query", client.store(), "--from", base, "--to", experiment["end"], "Threads/*", "--format", "tsv")
    states = [(int(start), of_path[path], int(end), value) for path, start, end, _, value in rows if path in of_path and value]
    # Between two neighbouring lengths, so that the few longest ones match.
    lengths = sorted({end - start + 1 for start, _, end, _ in states}, reverse=True)
    limit = lengths[min(12, len(lengths) - 1)]
    wanted = sorted((start, position, end) for start, position, end, _ in states if end - start + 1 > limit)
    text = f"Duration > {limit} && TID > 0"
    at, position, found = 0, -1, []
    while len(found) <= len(wanted):
        one = ask("search-state", text=text, at=at, position=position)
        if not one["found"]:
            break
        at, position = one["start"], one["position"]
        found.append((at + base, position, one["end"] + base))
    assert found == wanted, (found, wanted)
    back = []
    while len(back) <= len(wanted):
        one = ask("search-state", text=text, at=at, position=position, backwards=1)
        if not one["found"]:
            break
        at, position = one["start"], one["position"]
        back.append((at + base, position, one["end"] + base))
    assert back == wanted[-2::-1], (back, wanted)

    pixels, duration = 300, experiment["end"] - base
    of_pixel = lambda time: next(pixel for pixel in reversed(range(pixels)) if (duration + 1) * pixel // pixels <= time)
    window = ask("matches", text="State == 'system call' && TID > 0", first=0, count=100, pixels=pixels)
    assert window["all"] and len(window["rows"]) == min(100, len(tids))
    for position, runs in list(enumerate(window["rows"]))[:25]:
        marked = {pixel for first, length in zip(runs[::2], runs[1::2]) for pixel in range(first, first + length)}
        expected = set()
        for start, row, end, value in states:
            if row == position and value == "3":
                expected |= set(range(of_pixel(start - base), of_pixel(end - base) + 1))
        assert marked == expected, (position, tids[position])
    status, _, content = client.ask("GET", f"/api/v1/matches?experiment={experiment['UUID']}&view=control-flow&pixels=9&text=a%3D%3D")
    assert status == 400 and b"Column 1" in content, content


def rows_of_selections(client):
    """The thread that had a CPU, and the CPU that a thread had, are those of Current_thread then."""
    experiment = client.experiment()
    ask = lambda view, **query: json.loads(client.ask("GET", "/api/v1/find-row?" + urllib.parse.urlencode(
        {"experiment": experiment["UUID"], "view": view, **query}))[2])["row"]
    threads = client.model(f"timeGraph/{CONTROL_FLOW}/tree")["entries"][1:]
    resources = client.model(f"timeGraph/{RESOURCES}/tree")["entries"][1:]
    span = experiment["end"] - experiment["start"]
    seen = 0
    for at in span // 3, span // 2, span - 5:
        rows = client.command("query", client.store(), "--at", experiment["start"] + at, "CPUs/*/Current_thread", "--format", "tsv")
        for path, _, _, kind, value in rows:
            cpu = int(path.split("/")[1])
            assert resources[ask("resources", cpu=cpu, at=at)]["labels"] == [f"CPU {cpu}"]
            row = ask("control-flow", cpu=cpu, at=at)
            if kind == "int" and int(value) > 0:
                assert threads[row]["metadata"]["TID"] == [int(value)]
                assert resources[ask("resources", tid=value, at=at)]["labels"] == [f"CPU {cpu}"]
                assert ask("control-flow", tid=value, at=at) == row
                seen += 1
            elif kind == "int":
                assert threads[row]["metadata"]["TID"] == [0] and threads[row]["metadata"]["Exec_Name"][0].endswith(f"/{cpu}")
    assert seen > 0
    assert ask("control-flow", tid=2**31 - 1, at=0) == ask("resources", cpu=9999, at=0) == ask("attributes", tid=1, at=0) == -1


def bookmarks(client):
    """Made, listed by time, looked at, changed, removed; of one experiment only; bounded; what is wrong is refused."""
    experiment = client.experiment()
    path, start = f"/experiments/{experiment['UUID']}/bookmarks", experiment["start"]
    assert client.json("GET", path) == []
    make = lambda name, at, length=0, **more: client.json("POST", path, {"parameters": {"name": name, "start": at, "end": at + length}}, **more)
    late, early = make("late \u00e9\"<", start + 1000), make("early", start + 10, 5)
    assert late == {"uuid": late["uuid"], "name": "late \u00e9\"<", "start": start + 1000, "end": start + 1000}
    assert client.json("GET", path) == [early, late]
    assert client.json("GET", f"{path}/{late['uuid']}") == late
    changed = client.json("PUT", f"{path}/{late['uuid']}", {"parameters": {"name": "first", "start": start, "end": start + 2**40}})
    assert changed == {"uuid": late["uuid"], "name": "first", "start": start, "end": start + 2**40}
    assert client.json("GET", path) == [changed, early]
    far = make("far", -2**63, 1)
    page = json.loads(client.ask("GET", f"/api/v1/bookmarks?experiment={experiment['UUID']}")[2])
    assert [(one["name"], one["start"], one["end"]) for one in page] == \
        [("first", 0, min(2**40, experiment["end"] - start)), ("early", 10, 15)]
    for body in {}, {"name": "x"}, {"name": "x", "start": 1}, {"name": "x", "start": 2, "end": 1}, {"name": "", "start": 1, "end": 1}, \
            {"name": "x" * 300, "start": 1, "end": 1}, {"name": "x", "start": "1", "end": 1}, {"name": "x", "start": 1.5, "end": 2}:
        client.json("POST", path, {"parameters": body}, status=400)
        client.json("PUT", f"{path}/{early['uuid']}", {"parameters": body}, status=400)
    for method in "GET", "PUT", "DELETE":
        client.json(method, f"{path}/no", {"parameters": {"name": "x", "start": 1, "end": 1}}, status=404)
    client.json("GET", "/experiments/no/bookmarks", status=404)
    client.json("POST", "/experiments/no/bookmarks", {"parameters": {"name": "x", "start": 1, "end": 1}}, status=404)
    for one in changed, early, far:
        assert client.json("DELETE", f"{path}/{one['uuid']}") == one
        client.json("GET", f"{path}/{one['uuid']}", status=404)
    made = [make(str(i), start + i % 7) for i in range(4096)]
    assert len({one["uuid"] for one in made} | {early["uuid"], late["uuid"]}) == 4098
    make("one too many", start, status=400)
    for one in made:
        client.json("DELETE", f"{path}/{one['uuid']}")
    assert client.json("GET", path) == []


def older_forms(client):
    """A list of times in place of a range; the python client's bodies without an envelope; slashes at the end."""
    experiment = client.experiment()
    uuid, middle = experiment["UUID"], (experiment["start"] + experiment["end"]) // 2
    rows = client.model(f"timeGraph/{CONTROL_FLOW}/states", requested_times=[middle], requested_items=[2, 3, 10**9])["rows"]
    assert [row["entryId"] for row in rows] == [2, 3]
    assert all(len(row["states"]) == 1 for row in rows)
    for name in CONTROL_FLOW, urllib.parse.quote(CONTROL_FLOW, safe=""):
        assert client.json("POST", f"/experiments/{uuid}/outputs/data/{name}/tree/", {})["status"] == "COMPLETED"
    assert client.json("GET", "/config/types/") == []
    status, _, _ = client.ask("DELETE", "/tsp/api/traces/no", b'{"deleteTrace":"true"}',
                              {"Content-Type": "application/x-www-form-urlencoded"})
    assert status == 404


def headers_and_methods(client):
    uuid = client.experiment()["UUID"]
    status, headers, _ = client.ask("OPTIONS", "/tsp/api/anything", headers={"Origin": "vscode-webview://abc"})
    assert status == 200 and headers["Access-Control-Allow-Origin"] == "*"
    assert "DELETE" in headers["Access-Control-Allow-Methods"]
    status, headers, _ = client.ask("GET", "/tsp/api/nothing")
    assert status == 404 and headers["Access-Control-Allow-Origin"] == "*"
    assert client.ask("HEAD", "/tsp/api/health")[::2] == (200, b"")
    assert client.ask("PATCH", "/tsp/api/health")[0] == 405
    assert client.ask("POST", "/tsp/api/health", b"{}")[0] == 405
    path = f"/tsp/api/experiments/{uuid}/outputs/timeGraph/{EXPLORER}/tree"
    _, plain_headers, plain = client.ask("POST", path, b"{}")
    _, zipped_headers, zipped = client.ask("POST", path, b"{}", {**JSON, "Accept-Encoding": "gzip, deflate"})
    assert "Content-Encoding" not in plain_headers and zipped_headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(zipped) == plain and len(zipped) < len(plain) / 4
    assert "Content-Encoding" not in client.ask("POST", path, b"{}", {**JSON, "Accept-Encoding": "gzip;q=0"})[1]


def guards(client):
    get = lambda **headers: client.ask("GET", "/tsp/api/health", headers=headers)[0]
    port = client.connection.port
    assert get(Host=f"localhost:{port}") == get(Host=f"[::1]:{port}") == 200
    assert get(Host=f"evil.example:{port}") == get(Host="localhost.evil.example") == get(Host="") == 403
    assert get(Origin="http://localhost:3000") == get(Origin="vscode-webview://x") == 200
    assert get(Origin="https://evil.example") == get(Origin="null") == 403
    status, headers, _ = client.ask("POST", "/tsp/api/traces", {"uri": "/"}, {"Origin": "https://evil.example"})
    assert status == 403 and "Access-Control-Allow-Origin" not in headers


def early_rows(client):
    """Rows that are there before the tree of threads is: the same threads, with the same names and the same states."""
    uuid = client.experiment()["UUID"]

    def rows(early):
        query = f"experiment={uuid}&view=control-flow&pixels=50&count=512&early={early}"
        content = client.ask("GET", f"/api/v1/rows?{query}")[2]
        runs, at = [], 4
        while (count := int.from_bytes(content[at:at + 4], "little")) != 0xFFFFFFFF:
            runs.append(content[at + 4:at + 4 + 12 * count])
            at += 4 + 12 * count
        answer = json.loads(content[at + 4:])
        where = [[run[:4] for run in zip(*[iter(row)] * 12)] for row in runs]
        known = {row["tid"]: (row.get("name", ""), row.get("ppid", -1), where[i])
                 for i, row in enumerate(answer["rows"]) if row.get("tid", 0) > 0}
        return answer, known

    final, threads = rows(0)
    early, early_threads = rows(2)
    assert final["early"] is False and early["early"] is True
    assert len(early_threads) >= min(len(threads), 100), (len(early_threads), len(threads))
    both = threads.keys() & early_threads.keys()
    assert len(both) > 3, both
    for tid in both:
        assert early_threads[tid] == threads[tid], (tid, early_threads[tid], threads[tid])
    assert rows(1)[0]["early"] is False, "the tree was made: nothing is early any more"
    state = client.ask("GET", f"/api/v1/state?experiment={uuid}&view=control-flow&row=0&at=0&early=2")
    assert state[0] == 200, state


def nodes_of_the_tree(client):
    """The structure view has every node once, below its parent, with what `histree info` counts in all of them."""
    uuid = client.experiment()["UUID"]
    content = client.ask("GET", f"/api/v1/nodes?experiment={uuid}&width=1000")[2]
    count = int.from_bytes(content[4:8], "little")
    assert content[:4] == b"HTN1" and count > 0, content[:8]
    nodes = list(struct.iter_unpack("<ddff8I", content[8:8 + 56 * count]))
    about = json.loads(content[8 + 56 * count:])
    said = subprocess.run([client.histree, "info", "--format", "json", client.store()], check=True, capture_output=True)
    told = next(one for one in json.loads(said.stdout) if one["analysis"] == about["analysis"])
    assert count == told["node_count"] and about["depth"] == told["depth"], (count, about, told)
    assert len({node[4] for node in nodes}) == count
    assert sum(node[10] for node in nodes) <= told["interval_count"]
    levels = about["levels"]
    for i, (start, end, x, y, _, parent, height, children, *_) in enumerate(nodes):
        assert (parent == 0xFFFFFFFF) == (i == 0) and start <= end and 0 <= x <= 1000, nodes[i]
        assert levels[height]["top"] <= y <= levels[height]["bottom"], nodes[i]
        assert children == sum(node[5] == i for node in nodes)
        if i > 0:
            assert parent < i and nodes[parent][0] <= start and end <= nodes[parent][1], (nodes[i], nodes[parent])
    for query in "width=5", "width=x":
        assert client.ask("GET", f"/api/v1/nodes?experiment={uuid}&{query}")[0] == 400
    assert client.ask("GET", f"/api/v1/nodes?experiment={uuid}&analysis=none")[0] == 404


def hostile_requests(client):
    uuid = client.experiment()["UUID"]
    outputs = f"/tsp/api/experiments/{uuid}/outputs"
    states = f"{outputs}/timeGraph/{CONTROL_FLOW}/states"
    for body in b"{", b"[]", b"null", b"\xff", b'"' + b"a" * 10000, b"[" * 100000, b'{"parameters":{}}', \
            b'{"parameters":{"requested_timerange":{"start":1e3,"end":2e3}}}', \
            b'{"parameters":{"requested_timerange":{"start":0,"end":99999999999999999999}}}', \
            b'{"parameters":{"requested_timerange":{"start":5,"end":1,"nbTimes":2}}}', \
            b'{"parameters":{"requested_timerange":{"start":0,"end":1,"nbTimes":1000000000}}}':
        assert client.ask("POST", states, body)[0] == 400, body[:80]
    # Outside of the history there is nothing, and that is no error.
    far = {"parameters": {"requested_timerange": {"start": -2**63, "end": 2**63 - 1, "nbTimes": 65536}, "requested_items": [2]}}
    assert client.ask("POST", states, far)[0] == 200
    assert client.ask("GET", "/" + "a" * 9000)[0] == 414
    assert client.ask("GET", "/a/%zz")[0] == 400
    assert client.ask("GET", "/..%2f..%2fetc%2fpasswd")[0] == 404
    assert client.ask("GET", "/../../etc/passwd")[0] == 404
    fresh = Client(client.histree, client.server).connection  # what is too large is not read to its end
    fresh.putrequest("POST", states)
    fresh.putheader("Content-Length", str(5 << 20))
    fresh.endheaders()
    assert fresh.getresponse().status == 413
    fresh.close()
    for query in "pixels=0", "pixels=99999", "pixels=x", "pixels=10&from=5&to=3", "pixels=10&sort=no", \
            "pixels=10&toggled=a", "pixels=10&first=-1", "":
        assert client.ask("GET", f"/api/v1/rows?experiment={uuid}&view=control-flow&{query}")[0] == 400, query
    assert client.ask("GET", f"/api/v1/state?experiment={uuid}&view=control-flow&row=99999999&at=0")[0] == 400
    assert client.ask("GET", "/api/v1/rows?experiment=no&view=control-flow&pixels=10")[0] == 404


def paths_stay_inside(client):
    """Links, relative parts and other folders do not lead out of what the command line names."""
    opens = lambda path: client.ask("POST", "/tsp/api/traces", {"parameters": {"uri": str(path), "name": str(path)}})[0]
    data = SOURCE / "tests" / "data"
    for path in "/", "/etc", data.parent, data / "..", f"{data}-x/..":
        assert opens(path) in (403, 404), path
    assert opens(data / "no-such-trace") == 404
    link = client.server.folder / "link"
    link.symlink_to("/etc")
    assert opens(link) == 403
    before = {path for path in client.server.folder.iterdir()}
    status, _, content = client.ask("POST", "/tsp/api/traces", {"parameters": {"uri": str(data / "ctf-made"), "name": "../../x/y"}})
    assert status == 200, content
    trace = json.loads(content)
    while client.json("GET", f"/traces/{trace['UUID']}")["indexingStatus"] == "RUNNING":
        time.sleep(0.02)
    made = {path for path in client.server.folder.iterdir()} - before
    assert [path.name.startswith("ctf-made-") for path in made] == [True], made
    client.json("DELETE", f"/traces/{trace['UUID']}")


def call_stacks(histree, folder):
    """Of a trace of function calls: a row for each depth of each thread, with the states that the history has."""
    store = build(histree, calls_trace(), folder / "calls.histree")
    with Server(histree, folder, [store]) as server:
        client = Client(histree, server)
        outputs = client.json("GET", f"/experiments/{client.experiment()['UUID']}/outputs")
        assert [one["type"] for one in outputs if one["id"] == CALL_STACK] == ["TIME_GRAPH"]
        assert CONTROL_FLOW not in [one["id"] for one in outputs]
        entries = client.model(f"timeGraph/{CALL_STACK}/tree")["entries"]
        by_id = {one["id"]: one for one in entries}
        assert entries[0]["start"] == client.experiment()["start"]
        depths = [one for one in entries if one["hasData"]]
        threads = [one for one in entries[1:] if not one["hasData"]]
        listed = {path for _, path in client.command("ls", store, "Threads/*/CallStack/*", "--format", "tsv")}
        path_of = lambda one: f"Threads/{one['metadata']['TID'][0]}/CallStack/{one['labels'][0]}"
        assert {path_of(one) for one in depths} == listed and len(depths) == len(listed) > 1
        assert all(by_id[one["parentId"]] in threads and one["metadata"] == by_id[one["parentId"]]["metadata"] for one in depths)
        for thread in threads:
            [[_, _, _, _, name]] = client.command("query", store, "--at", client.experiment()["end"], "--format", "tsv",
                                                  f"Threads/{thread['metadata']['TID'][0]}/Name")
            assert thread["labels"] == [f"{name} ({thread['metadata']['TID'][0]})"]
        for count in 2, 700:
            assert states_by_path(client, CALL_STACK, depths, path_of, count) == expected_states(client, list(listed), count)
        times, _ = sampled_range(client.experiment(), 2000)
        rows = client.model(f"timeGraph/{CALL_STACK}/states", requested_timerange=times, requested_items=[one["id"] for one in entries],
                            filter_query_parameters={"filter_expressions_map": {"1": ["Depth == 2"]}})["rows"]
        labelled = [(by_id[row["entryId"]], state) for row in rows for state in row["states"] if "style" in state]
        assert labelled and all(state["label"].startswith("0x") for _, state in labelled)
        assert all((state.get("tags", 0) == 0) == (entry["labels"] == ["2"]) for entry, state in labelled)
        told = client.model(f"timeGraph/{CALL_STACK}/tooltip", requested_times=[labelled[0][1]["start"]],
                            requested_items=[labelled[0][0]["id"]])
        assert told == {"Thread": by_id[labelled[0][0]["parentId"]]["labels"][0]}


def cancelled_build(histree, folder, large):
    """A trace that is forgotten while it is read leaves no store; asked for again, it is read again."""
    with Server(histree, folder, [large.parent]) as server:
        client = Client(histree, server)
        body = {"parameters": {"uri": str(large)}}
        trace = client.json("POST", "/traces", body)
        assert trace["indexingStatus"] == "RUNNING"
        client.json("DELETE", f"/traces/{trace['UUID']}")
        client.json("GET", f"/traces/{trace['UUID']}", status=404)
        end = time.monotonic() + 10
        while list(folder.iterdir()) and time.monotonic() < end:
            time.sleep(0.05)
        assert list(folder.iterdir()) == []
        assert client.json("POST", "/traces", body)["UUID"] == trace["UUID"]
        while (now := client.json("GET", f"/traces/{trace['UUID']}"))["indexingStatus"] == "RUNNING":
            assert "progress" in now["properties"]
            time.sleep(0.02)
        assert now["indexingStatus"] == "COMPLETED" and now["nbEvents"] == 240644


def damaged_store(histree, folder):
    """A node that is damaged costs what it held, and nothing else; the server goes on."""
    store = build(histree, SMALL_TRACE, folder / "damaged.histree", "--node-size", "4096")
    history = store / "kernel.sht"
    with open(history, "r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 4096)
    with Server(histree, folder, [store]) as server:
        client = Client(histree, server)
        experiment = client.experiment()
        outputs = f"/tsp/api/experiments/{experiment['UUID']}/outputs"
        times = {"start": experiment["start"], "end": experiment["end"], "nbTimes": 500}
        body = {"parameters": {"requested_timerange": times, "requested_items": list(range(2, 400))}}
        status, _, content = client.ask("POST", f"{outputs}/timeGraph/{EXPLORER}/states", body)
        answer = json.loads(content)
        assert status == 200 and answer["status"] == "COMPLETED", (status, content[:200])
        states = [state for row in answer["model"]["rows"] for state in row["states"]]
        assert states and all(state["start"] < state["end"] for state in states)
        status, _, content = client.ask("POST", f"{outputs}/timeGraph/{CONTROL_FLOW}/tree", {})
        assert status == 200 and len(json.loads(content)["model"]["entries"]) > 1, content
        assert client.json("GET", "/health")["status"] == "UP"


TESTS = [states_of_control_flow, labels_of_system_calls, states_of_resources_and_explorer, cpu_usage, event_table,
         histogram_and_statistics, events_of_the_page, arrows, lost_events,
         filtered_states, searched_states, rows_of_selections, bookmarks, early_rows, nodes_of_the_tree, older_forms,
         headers_and_methods, guards, hostile_requests, paths_stay_inside]


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
        with serving(histree, trace) as server:
            for test in TESTS:
                run(f"{trace.name}: {test.__name__}", lambda: test(Client(histree, server, trace)))
    with tempfile.TemporaryDirectory() as name:
        run("damaged_store", lambda: damaged_store(histree, pathlib.Path(name)))
        run("wakeups", lambda: wakeups(histree, pathlib.Path(name)))
        run("moved_trace", lambda: moved_trace(histree, pathlib.Path(name)))
    if calls_trace():
        with tempfile.TemporaryDirectory() as name:
            run("call_stacks", lambda: call_stacks(histree, pathlib.Path(name)))
    if large_trace():
        with tempfile.TemporaryDirectory() as name:
            run("cancelled_build", lambda: cancelled_build(histree, pathlib.Path(name), large_trace()))
    return finish(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
