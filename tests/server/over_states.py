#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""over_states.py HISTREE - what lies over and between states, over HTTP: arrows, lost events, searches and filters,
selections, bookmarks; and call stacks.  Answers are compared with what `histree states` says of the same store."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid
from random import Random

from protocol import CONTROL_FLOW, EXPLORER, RESOURCES, Client, expected_states, sampled_range, states_by_path
from serving import SMALL_TRACE, SOURCE, Server, Tally, build, calls_trace, large_trace, serving

BOOKMARKS = "histree-bookmarks.json"
CALL_STACK = "org.eclipse.tracecompass.internal.analysis.profiling.callstack.provider.CallStackDataProvider"


def expected_switches(client, cpus):
    """{(cpu, from tid, to tid, start, end)} of all switches, from who had each CPU one after the other."""
    found = set()
    for cpu in cpus:
        rows = client.command("states", client.store(), "--from", "+0ns", "--to", client.experiment()["end"],
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
            # As a tree that is not folded, every row is shown, in the order of the entries; no arrow is to itself.
            assert [(one["from"] + 2, one["to"] + 2, one["start"] + experiment["start"]) for one in page["arrows"]] == \
                [(one["sourceId"], one["targetId"], one["start"]) for one in model if one["sourceId"] != one["targetId"]]
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


def random_flows(folder):
    """A trace of spans and of flows between them, each in the middle of one; and where each begins and ends."""
    random = Random(7)
    spans, flows, events = [], [], []
    for tid in range(1, 6):
        for number in range(40):
            depth = random.randrange(1, 4)
            spans.append((tid, depth, 1000 + number * 100))
            for inner in range(depth):
                events.append({"ph": "X", "name": f"{number}", "pid": 1, "tid": tid, "ts": 1000 + number * 100 + inner,
                               "dur": 90 - 2 * inner})
    for number in range(60):
        at, to = sorted(random.sample(spans, 2), key=lambda span: span[2])
        flows.append((f"Processes/1/{at[0]}/CallStack/{at[1]}", f"Processes/1/{to[0]}/CallStack/{to[1]}",
                      (at[2] + 20) * 1000, (to[2] + 21) * 1000))
        for phase, (tid, _, time_), late in ("s", at, 20), ("f", to, 21):
            events.append({"ph": phase, "name": "flow", "id": number, "pid": 1, "tid": tid, "ts": time_ + late})
    trace = folder / "flows.json"
    trace.write_text(json.dumps(events))
    return trace, flows


def flows(histree, folder):
    """Flows of a trace of tracks are arrows between the rows of their spans, for viewers and for the page, in any window."""
    trace, known = random_flows(folder)
    store = build(histree, trace, folder / "flows.histree")
    with Server(histree, folder, [store]) as server:
        client = Client(histree, server)
        experiment = client.experiment()
        paths = {}
        for entry in client.model(f"timeGraph/{EXPLORER}/tree")["entries"]:
            above = paths.get(entry["parentId"], None)
            paths[entry["id"]] = entry["labels"][0] if above is None else f"{above}/{entry['labels'][0]}"
        rows = {number: path.partition("tracks/")[2] for number, path in paths.items()}
        query = {"experiment": experiment["UUID"], "view": "attributes"}
        for start, end in (experiment["start"], experiment["end"]), (1500000, 2500000), (4000000, 4000001):
            window = {"start": start, "end": end, "nbTimes": 4000}
            expected = sorted(flow for flow in known if flow[2] <= end and flow[3] >= start)
            model = client.model(f"timeGraph/{EXPLORER}/arrows", requested_timerange=window)
            found = sorted((rows[one["sourceId"]], rows[one["targetId"]], one["start"], one["end"]) for one in model)
            assert found and set(found) <= set(expected), set(found) - set(expected)
            assert all(one["style"]["parentKey"] == "Flow" for one in model)
            page = json.loads(client.ask("GET", "/api/v1/arrows?" + urllib.parse.urlencode({
                **query, "from": start - experiment["start"], "to": end - experiment["start"], "pixels": 3999}))[2])
            # The page draws none from a row to itself.
            others = [one for one in found if one[0] != one[1]]
            assert others == sorted((one["fromName"], one["toName"], one["start"] + experiment["start"],
                                     one["end"] + experiment["start"]) for one in page["arrows"])
            assert found == expected or not page["all"]
            shown = client.ask("GET", "/api/v1/rows?" + urllib.parse.urlencode({**query, "pixels": 1}))[2]
            names = [row["name"] for row in json.loads(shown.rpartition(b"\xff" * 4)[2])["rows"]]
            assert all(names[one[end]] == one[end + "Name"].rpartition("/")[2] for one in page["arrows"]
                       for end in ("from", "to"))
        styles = client.json("POST", f"/experiments/{experiment['UUID']}/outputs/{EXPLORER}/style", {})["model"]["styles"]
        assert "Flow" in styles


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

    rows = client.command("states", client.store(), "--from", times["start"], "--to", times["end"],
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
    rows = client.command("states", client.store(), "--from", base, "--to", experiment["end"], "Threads/*", "--format", "tsv")
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
    # From anywhere: the nearest start counts, also where longer states that began before are met first.
    limit = lengths[min(200, len(lengths) - 1)]
    wanted = sorted((start - base, position) for start, position, end, _ in states if end - start + 1 > limit)
    for i in range(1, 40):
        at = (experiment["end"] - base) * i // 40
        for backwards in 0, 1:
            one = ask("search-state", text=f"Duration > {limit} && TID > 0", at=at, position=-1, backwards=backwards)
            beyond = [key for key in wanted if (key < (at, -1) if backwards else key > (at, -1))]
            nearest = (beyond[-1] if backwards else beyond[0]) if beyond else None
            assert nearest == ((one["start"], one["position"]) if one["found"] else None), (at, backwards, one, nearest)

    # One that is given little to look at comes further each time, to the same states, and says when that was all.
    limit = lengths[min(5, len(lengths) - 1)]
    wanted = sorted((start - base, position) for start, position, end, _ in states if end - start + 1 > limit)
    for backwards in 0, 1:
        at, position, steps, found = (experiment["end"] - base) * backwards, -1, 0, []
        while True:
            one = ask("search-state", text=f"Duration > {limit} && TID > 0", at=at, position=position,
                      backwards=backwards, states=len(states) // 20)
            if one["found"]:
                found.append((one["start"], one["position"]))
                at, position = found[-1]
            elif "at" in one:
                reached = one["at"], one["position"]
                assert reached < (at, position) if backwards else reached > (at, position), (reached, at, position)
                (at, position), steps = reached, steps + 1
            else:
                break
        assert found == (wanted[::-1] if backwards else wanted), (backwards, found, wanted)
        assert steps > 5, "it was given little"

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
        rows = client.command("states", client.store(), "--at", experiment["start"] + at, "CPUs/*/Current_thread", "--format", "tsv")
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
    file = client.server.folder / BOOKMARKS
    kept = json.loads(file.read_text())
    assert kept["bookmarks"] == []
    kept["bookmarks"] = [{**late, "uuid": str(uuid.UUID(int=i)), "experiment": experiment["UUID"]} for i in range(4095)]
    file.write_text(json.dumps(kept))
    last = make("last", start)
    assert len(client.json("GET", path)) == 4096
    make("one too many", start, status=400)
    client.json("DELETE", f"{path}/{last['uuid']}")
    file.unlink()
    assert client.json("GET", path) == []


def bookmarks_are_kept(histree, folder):
    """After a restart, and by servers that share a folder; a file that is none of bookmarks is told and left alone."""
    store = build(histree, SMALL_TRACE, folder / "kept.histree")
    at = lambda client: f"/experiments/{client.experiment()['UUID']}/bookmarks"
    body = lambda name: {"parameters": {"name": name, "start": 1, "end": 2}}
    with Server(histree, folder, [store]) as server:
        client = Client(histree, server)
        made = client.json("POST", at(client), body("made"))
    with Server(histree, folder, [store]) as one, Server(histree, folder, [store]) as other:
        clients = [Client(histree, server) for server in (one, other) for _ in range(4)]
        assert all(client.json("GET", at(client)) == [made] for client in clients)
        with concurrent.futures.ThreadPoolExecutor(len(clients)) as pool:
            added = pool.map(lambda client: [client.json("POST", at(client), body("x")) for _ in range(5)], clients)
        uuids = {made["uuid"]} | {bookmark["uuid"] for some in added for bookmark in some}
        assert len(uuids) == 41
        assert all({bookmark["uuid"] for bookmark in client.json("GET", at(client))} == uuids for client in clients)
    file = folder / BOOKMARKS
    whole = file.read_text()
    for content in whole[:-100], "a letter to my aunt":
        file.write_text(content)
        with Server(histree, folder, [store]) as server:
            assert BOOKMARKS in server.next_line()
            client = Client(histree, server)
            assert client.json("GET", at(client)) == []
            assert "move it away" in client.json("POST", at(client), body("y"), status=500)["title"]
            assert file.read_text() == content
            file.write_text(whole)
            assert len(client.json("GET", at(client))) == 41
    assert sorted(path.name for path in folder.iterdir()) == [BOOKMARKS, "kept.histree"]
    folder.chmod(0o555)
    try:
        with Server(histree, folder, [store]) as server:
            client = Client(histree, server)
            assert len(client.json("GET", at(client))) == 41
            if os.geteuid() != 0:
                client.json("POST", at(client), body("y"), status=500)
    finally:
        folder.chmod(0o755)


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
        listed = {path for _, path in client.command("info", "--attributes", store, "Threads/*/CallStack/*", "--format", "tsv")}
        path_of = lambda one: f"Threads/{one['metadata']['TID'][0]}/CallStack/{one['labels'][0].removeprefix('depth ')}"
        assert {path_of(one) for one in depths} == listed and len(depths) == len(listed) > 1
        assert all(by_id[one["parentId"]] in threads and one["metadata"] == by_id[one["parentId"]]["metadata"] for one in depths)
        for thread in threads:
            [[_, _, _, _, name]] = client.command("states", store, "--at", client.experiment()["end"], "--format", "tsv",
                                                  f"Threads/{thread['metadata']['TID'][0]}/Name")
            assert thread["labels"] == [f"{name} ({thread['metadata']['TID'][0]})"]
        for count in 2, 700:
            assert states_by_path(client, CALL_STACK, depths, path_of, count) == expected_states(client, list(listed), count)
        times, _ = sampled_range(client.experiment(), 2000)
        rows = client.model(f"timeGraph/{CALL_STACK}/states", requested_timerange=times, requested_items=[one["id"] for one in entries],
                            filter_query_parameters={"filter_expressions_map": {"1": ["Depth == 2"]}})["rows"]
        labelled = [(by_id[row["entryId"]], state) for row in rows for state in row["states"] if "style" in state]
        assert any(state["label"] == "event_loop" for _, state in labelled), "the table beside the trace names them"
        assert all((state.get("tags", 0) == 0) == (entry["labels"] == ["depth 2"]) for entry, state in labelled)
        told = client.model(f"timeGraph/{CALL_STACK}/tooltip", requested_times=[labelled[0][1]["start"]],
                            requested_items=[labelled[0][0]["id"]])
        is_open = labelled[0][1]["end"] >= client.experiment()["end"]
        assert told == {"Thread": by_id[labelled[0][0]["parentId"]]["labels"][0],
                        **({"Ending": "open at the end of the trace"} if is_open else {})}, told


TESTS = [arrows, lost_events, filtered_states, searched_states, rows_of_selections, bookmarks]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    histree, tally = sys.argv[1], Tally()
    for trace in filter(None, (SMALL_TRACE, large_trace())):
        with serving(histree, trace) as server:
            for test in TESTS:
                tally.run(f"{trace.name}: {test.__name__}", lambda: test(Client(histree, server, trace)))
    with tempfile.TemporaryDirectory() as name:
        tally.run("wakeups", lambda: wakeups(histree, pathlib.Path(name)))
        tally.run("flows", lambda: flows(histree, pathlib.Path(name)))
        if calls_trace():
            tally.run("call_stacks", lambda: call_stacks(histree, pathlib.Path(name)))
    with tempfile.TemporaryDirectory() as name:
        tally.run("bookmarks_are_kept", lambda: bookmarks_are_kept(histree, pathlib.Path(name)))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
