#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""protocol.py HISTREE - the calls of the Trace Server Protocol from a plain script: answers are compared with what
`histree states` and `histree info --attributes` say of the same store; and what a hostile client may not do."""
import gzip
import http.client
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

from serving import SMALL_NODES, SMALL_TRACE, SOURCE, Server, Tally, build, damage, large_trace, serving

LINUX = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus."
CONTROL_FLOW = LINUX + "ThreadStatusDataProvider"
RESOURCES = LINUX + "ResourcesStatusDataProvider"
CPU_USAGE = "org.eclipse.tracecompass.analysis.os.linux.core.cpuusage.CpuUsageDataProvider"
HISTOGRAM = "org.eclipse.tracecompass.internal.tmf.core.histogram.HistogramDataProvider"
EVENTS = "org.eclipse.tracecompass.internal.provisional.tmf.core.model.events.TmfEventTableDataProvider"
STATISTICS = "org.eclipse.tracecompass.analysis.timing.core.event.statistics.EventStatisticsDataProvider"
EXPLORER = "org.eclipse.tracecompass.internal.tmf.core.statesystem.provider.StateSystemDataProvider"
CALL_STACK = "org.eclipse.tracecompass.internal.analysis.profiling.callstack.provider.CallStackDataProvider"
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
    rows = client.command("states", client.store(), "--from", times["start"], "--to", times["end"], "--step", step,
                          "--format", "tsv", *[path.replace("*", "\\*") for path in paths])
    for path, start, end, *_ in rows:
        found[path].append((int(start), int(end)))
    return found


def states_of_control_flow(client):
    entries = client.model(f"timeGraph/{CONTROL_FLOW}/tree")["entries"]
    threads = {path for _, path in client.command("info", "--attributes", client.store(), "Threads/*", "--format", "tsv")}
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
        [[_, _, _, kind, value]] = client.command("states", client.store(), "--at", state["start"],
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
    # Below the trace is each history, with its attributes; that of the kernel is the first.
    histories = [at for at, one in enumerate(entries) if one["parentId"] == entries[0]["id"]] + [len(entries)]
    entries = entries[:histories[1]]
    for one in entries[2:]:
        parent = paths.get(one["parentId"])
        name = one["labels"][0].replace("\\", "\\\\").replace("/", "\\/")
        paths[one["id"]] = f"{parent}/{name}" if parent else name
    listed = [path for _, path in client.command("info", "--attributes", client.store(), "--format", "tsv")]
    assert sorted(paths.values()) == sorted(path.replace("\\\\", "\\") for path in listed)
    some = entries[2:300]
    found = states_by_path(client, EXPLORER, some, lambda one: paths[one["id"]], 64)
    assert found == expected_states(client, list(found), 64)


def cpu_usage(client):
    """The curves of the threads that ran longest and that of all others add up to that of the total, and so do their times."""
    entries = client.model(f"XY/{CPU_USAGE}/tree")["entries"]
    threads = [one for one in entries if one["labels"][1]]
    seconds = lambda one: float(one["labels"][2].split()[0])
    assert [seconds(one) for one in threads] == sorted(map(seconds, threads), reverse=True) and len(threads) <= 100
    others = [one for one in entries if one["labels"][0].startswith("Others, ")]
    assert len(others) == (len(threads) == 100)
    assert abs(sum(map(seconds, threads + others)) - seconds(entries[0])) < 0.01 * len(entries)
    times, _ = sampled_range(client.experiment(), 11)
    model = client.model(f"XY/{CPU_USAGE}/xy", requested_timerange=times, requested_items=[one["id"] for one in entries])
    total, *threads = [one["yValues"] for one in model["series"] if one["seriesName"] != "Unknown"]
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
    is_exact = all(value == int(value) for value in curve[0]["yValues"])
    assert is_exact == (curve[0]["yValuesDescription"]["label"] == "Events"), curve[0]["yValuesDescription"]
    assert is_exact or len(lines) > 16384
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


def older_forms(client):
    """A list of times in place of a range; the python client's bodies without an envelope; slashes at the end."""
    experiment = client.experiment()
    uuid, middle = experiment["UUID"], (experiment["start"] + experiment["end"]) // 2
    rows = client.model(f"timeGraph/{CONTROL_FLOW}/states", requested_times=[middle], requested_items=[2, 3, 10**9])["rows"]
    assert [row["entryId"] for row in rows] == [2, 3]
    assert all(len(row["states"]) == 1 for row in rows)
    for name in CONTROL_FLOW, urllib.parse.quote(CONTROL_FLOW, safe=""):
        assert client.json("POST", f"/experiments/{uuid}/outputs/data/{name}/tree/", {})["status"] == "COMPLETED"
    assert client.json("GET", "/config/types/") == client.json("GET", "/config/types")
    status, _, _ = client.ask("DELETE", "/tsp/api/traces/no", b'{"deleteTrace":"true"}',
                              {"Content-Type": "application/x-www-form-urlencoded"})
    assert status == 404


def pages_have_a_policy(client):
    for path in "/", "/index.html":
        status, headers, _ = client.ask("GET", path)
        assert status == 200 and "default-src 'none'" in headers["Content-Security-Policy"], headers
    for path in "/app.js", "/tsp/api/health":
        assert "Content-Security-Policy" not in client.ask("GET", path)[1], path


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


def every_format_is_opened(histree, folder):
    """What `histree build` reads is listed and opened, be it a folder or a file; what is no trace is not."""
    served = folder / "served"
    (served / "deep").mkdir(parents=True)
    (served / "notes.md").write_text("# Notes\n\nno event here\n")
    (served / "deep" / "spans.json").write_text(json.dumps({"traceEvents": [
        {"name": "load", "ph": "X", "ts": 5, "dur": 7, "pid": 3, "tid": 4}, {"name": "draw", "ph": "X", "ts": 20, "dur": 2, "pid": 3, "tid": 4}]}))
    (served / "switches.txt").write_text("          <idle>-0       [001] d..2.   12.000100: sched_switch: prev_comm=swapper/1 prev_pid=0 "
                                         "prev_prio=120 prev_state=R ==> next_comm=make next_pid=77 next_prio=120\n"
                                         "            make-77      [001] d..2.   12.000900: sched_switch: prev_comm=make prev_pid=77 "
                                         "prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120\n")
    (folder / "stores").mkdir()
    with Server(histree, folder / "stores", [served]) as server:
        client = Client(histree, server)
        listed = json.loads(client.ask("GET", "/api/v1/traces")[2])
        assert listed["all"] and {one["name"]: one["isStore"] for one in listed["traces"]} == {
            "served/deep/spans.json": False, "served/switches.txt": False}, listed
        opens = lambda path: client.ask("POST", "/tsp/api/traces", {"parameters": {"uri": str(path), "name": path.name}})
        assert opens(served / "notes.md")[0] != 200
        for one in listed["traces"]:
            status, _, content = opens(pathlib.Path(one["path"]))
            assert status == 200, content
            trace = json.loads(content)
            while client.json("GET", f"/traces/{trace['UUID']}")["indexingStatus"] == "RUNNING":
                time.sleep(0.02)
            assert client.json("GET", f"/traces/{trace['UUID']}")["nbEvents"] > 0


def hosts_stay_apart(histree, folder):
    """An experiment of traces of two hosts is made of both; one of one host is made as ever."""
    data = SOURCE / "tests" / "data" / "ctf-calls"
    for name, host in ("one", "somewhere"), ("other", "elsewhere"), ("third", "somewhere"):
        shutil.copytree(data, folder / name, copy_function=shutil.copyfile)
        metadata = folder / name / "metadata"
        metadata.chmod(0o644)
        metadata.write_text(metadata.read_text().replace('"somewhere"', f'"{host}"'))
    with Server(histree, folder, [folder]) as server:
        client = Client(histree, server)
        uuids = {name: client.json("POST", "/traces", {"parameters": {"uri": str(folder / name), "name": name}})["UUID"]
                 for name in ("one", "other", "third")}
        ask = lambda *names: client.ask("POST", "/tsp/api/experiments", {
            "parameters": {"name": "-".join(names), "traces": [uuids[name] for name in names]}})
        status, _, content = ask("one", "other")
        assert status == 200, content
        while client.experiment()["indexingStatus"] == "RUNNING":
            time.sleep(0.02)
        entries = client.model(f"timeGraph/{CALL_STACK}/tree")["entries"]
        assert [one["labels"] for one in entries if one["parentId"] == 1] == [["somewhere"], ["elsewhere"]], entries
        assert any(one.get("metadata", {}).get("host") == ["elsewhere"] for one in entries)
        status, _, content = ask("one", "third")
        assert status == 200, content


def prepared(client, trace):
    """Asks for a trace; returns what its experiment offers once it is there."""
    made = client.json("POST", "/traces", {"parameters": {"uri": str(trace)}})
    while client.json("GET", f"/traces/{made['UUID']}")["indexingStatus"] == "RUNNING":
        time.sleep(0.02)
    experiment = client.json("POST", "/experiments", {"parameters": {"name": "made", "traces": [made["UUID"]]}})
    while client.json("GET", f"/experiments/{experiment['UUID']}")["indexingStatus"] == "RUNNING":
        time.sleep(0.02)
    assert client.json("GET", f"/experiments/{experiment['UUID']}")["indexingStatus"] == "COMPLETED"
    return {one["id"].rpartition(":")[2] for one in client.json("GET", f"/experiments/{experiment['UUID']}/outputs") if ":" in one["id"]}


def what_is_lacking_is_added(histree, folder):
    """A store that an older histree made by itself has fewer analyses: they are added; without its trace it is shown as it is."""
    trace, stores = folder / "trace", folder / "stores"
    shutil.copytree(SMALL_TRACE, trace, copy_function=shutil.copyfile)
    stores.mkdir()
    with Server(histree, stores, [folder]) as server:
        offered = prepared(Client(histree, server), trace)
        assert {"futex", "wakeups", "thread-bytes"} <= offered, offered
    store = next(stores.glob("*.histree"))
    whole = sorted(file.name for file in store.iterdir())
    subprocess.run([histree, "build", "-q", "-f", "-a", "kernel,futex", "-o", store, trace], check=True)
    before = (store / "kernel.sht").read_bytes()
    with Server(histree, stores, [folder]) as server:
        assert prepared(Client(histree, server), trace) == offered
    assert sorted(file.name for file in store.iterdir()) == whole and (store / "kernel.sht").read_bytes() == before
    made = (store / "manifest.json").stat().st_mtime_ns
    with Server(histree, stores, [folder]) as server: # nothing is lacking any more
        assert prepared(Client(histree, server), trace) == offered
    assert (store / "manifest.json").stat().st_mtime_ns == made
    # Another trace by that name is none that anything can be added from.
    subprocess.run([histree, "build", "-q", "-f", "-a", "kernel,futex", "-o", store, trace], check=True)
    shutil.rmtree(trace)
    shutil.copytree(SOURCE / "tests" / "data" / "ctf-calls", trace, copy_function=shutil.copyfile)
    with Server(histree, stores, [folder]) as server:
        assert prepared(Client(histree, server), trace) == {"futex"}


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
    store = build(histree, SMALL_TRACE, folder / "damaged.histree", *SMALL_NODES)
    damage(store)
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


def ids_and_labels(histree, folder):
    """Trace Compass's names of analyses are known, other ones are not, whether a trace is ready or not; no row is without
    a label, and of a deep tree not all is shown at once."""
    segments = "org.eclipse.tracecompass.analysis.timing.core.segmentstore.SegmentStoreStatisticsDataProvider:"
    calls = "org.eclipse.linuxtools.lttng2.ust.analysis.callstack"
    stores = [build(histree, SMALL_TRACE.parent / "ctf-calls", folder / "calls.histree", "-a", "ust-calls,function-calls"),
              build(histree, SMALL_TRACE, folder / "kernel.histree", "-a", "kernel,system-calls")]
    with Server(histree, folder, [*stores, SMALL_TRACE.parent]) as server:
        client = Client(histree, server)
        program, kernel = sorted(client.json("GET", "/experiments"), key=lambda one: one["name"])
        for experiment, theirs, ours in ((program, calls, "function-calls"),
                                         (kernel, "org.eclipse.tracecompass.analysis.os.linux.latency.syscall", "system-calls")):
            outputs = f"/experiments/{experiment['UUID']}/outputs"
            answers = [client.json("POST", f"{outputs}/data/{segments}{name}/tree", {"parameters": {}}) for name in (theirs, ours)]
            assert answers[0] == answers[1] and answers[0]["model"]["entries"]
            client.json("POST", f"{outputs}/data/{segments}no-such/tree", {"parameters": {}}, status=405)
        tree = client.json("POST", f"/experiments/{kernel['UUID']}/outputs/timeGraph/{CONTROL_FLOW}/tree", {"parameters": {}})["model"]
        assert all(one["labels"][0] for one in tree["entries"]) and tree["autoExpandLevel"] == 3
        # One that cannot be read never becomes ready.
        (folder / "broken").mkdir()
        (folder / "broken" / "metadata").write_text("no metadata")
    with Server(histree, folder, [folder / "broken"]) as server:
        client = Client(histree, server)
        trace = client.json("POST", "/traces", {"parameters": {"uri": str(folder / "broken")}})
        broken = client.json("POST", "/experiments", {"parameters": {"name": "broken", "traces": [trace["UUID"]]}})
        outputs = f"/experiments/{broken['UUID']}/outputs"
        client.json("POST", f"{outputs}/data/{segments}no-such/tree", {"parameters": {}}, status=405)
        assert client.json("POST", f"{outputs}/data/{segments}{calls}/tree", {"parameters": {}})["status"] in ("RUNNING", "FAILED")


def usage_of(client):
    """The curves of a usage of CPUs by their names, the labels of its entries, and what the answers say besides."""
    outputs = f"/experiments/{client.experiment()['UUID']}/outputs/XY/{CPU_USAGE}"
    times, _ = sampled_range(client.experiment(), 200)
    tree = client.json("POST", f"{outputs}/tree", {"parameters": {}})
    entries = tree["model"]["entries"]
    curves = client.json("POST", f"{outputs}/xy", {"parameters": {
        "requested_timerange": times, "requested_items": [one["id"] for one in entries]}})
    return ({one["seriesName"]: one["yValues"] for one in curves["model"]["series"]}, [one["labels"][0] for one in entries],
            {tree["statusMessage"], curves["statusMessage"]})


def unknown_usage(histree, folder):
    """Where a damaged node said who had the CPUs, the usage is the least that there was, and all says so."""
    sound = build(histree, SMALL_TRACE, folder / "known.histree", *SMALL_NODES)
    damaged = build(histree, SMALL_TRACE, folder / "unknown.histree", *SMALL_NODES)
    damage(damaged)
    answers = []
    for store in sound, damaged:
        with Server(histree, folder, [store]) as server:
            client = Client(histree, server)
            pixels = struct.iter_unpack("<f", client.ask(
                "GET", f"/api/v1/usage?experiment={client.experiment()['UUID']}&pixels=300")[2])
            answers.append((usage_of(client), [number for number, in pixels]))
    ((sound, _, _), sound_pixels), ((least, entries, more_said), pixels) = answers
    known_before = next(curve for name, curve in sound.items() if name.startswith("Total"))
    assert entries[:2] == ["Total, at least", "Unknown"] and all("not known" in one for one in more_said), (entries, more_said)
    assert all(name == "Unknown" or name.endswith(", at least") for name in least), least.keys()
    for before, doubt, known, unknown in (
            (known_before, sound.get("Unknown", [0] * len(known_before)), least["Total, at least"], least["Unknown"]),
            (sound_pixels[:300], sound_pixels[300:], pixels[:300], pixels[300:])):
        assert len(before) == len(known) == len(unknown) and min(unknown) == 0
        assert any(one > low + 20 for one, low in zip(before, known)), "what was damaged mattered"
        for one, might, low, more in zip(before, doubt, known, unknown):
            assert low - 0.001 <= one and one + might <= low + more + 0.001, (one, might, low, more)


TESTS = [states_of_control_flow, labels_of_system_calls, states_of_resources_and_explorer, cpu_usage, event_table,
         histogram_and_statistics, events_of_the_page, early_rows, nodes_of_the_tree, older_forms, headers_and_methods, pages_have_a_policy,
         guards, hostile_requests, paths_stay_inside]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    histree, tally = sys.argv[1], Tally()
    for trace in filter(None, (SMALL_TRACE, large_trace())):
        with serving(histree, trace) as server:
            for test in TESTS:
                tally.run(f"{trace.name}: {test.__name__}", lambda: test(Client(histree, server, trace)))
    with tempfile.TemporaryDirectory() as name:
        tally.run("hosts_stay_apart", lambda: hosts_stay_apart(histree, pathlib.Path(name)))
    with tempfile.TemporaryDirectory() as name:
        tally.run("every_format_is_opened", lambda: every_format_is_opened(histree, pathlib.Path(name)))
    with tempfile.TemporaryDirectory() as name:
        tally.run("damaged_store", lambda: damaged_store(histree, pathlib.Path(name)))
        tally.run("ids_and_labels", lambda: ids_and_labels(histree, pathlib.Path(name)))
        tally.run("unknown_usage", lambda: unknown_usage(histree, pathlib.Path(name)))
        tally.run("moved_trace", lambda: moved_trace(histree, pathlib.Path(name)))
    with tempfile.TemporaryDirectory() as name:
        tally.run("what_is_lacking_is_added", lambda: what_is_lacking_is_added(histree, pathlib.Path(name)))
    if large_trace():
        with tempfile.TemporaryDirectory() as name:
            tally.run("cancelled_build", lambda: cancelled_build(histree, pathlib.Path(name), large_trace()))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
