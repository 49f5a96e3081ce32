#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""protocol.py HISTREE - the calls of the Trace Server Protocol from a plain script: answers are compared with what
`histree query` and `histree ls` say of the same store; and what a hostile client may not do."""
import gzip
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse

from serving import SMALL_TRACE, SOURCE, build, finish, large_trace, Server, serving

LINUX = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus."
CONTROL_FLOW = LINUX + "ThreadStatusDataProvider"
RESOURCES = LINUX + "ResourcesStatusDataProvider"
CPU_USAGE = "org.eclipse.tracecompass.analysis.os.linux.core.cpuusage.CpuUsageDataProvider"
EXPLORER = "org.eclipse.tracecompass.internal.tmf.core.statesystem.provider.StateSystemDataProvider"
JSON = {"Content-Type": "application/json"}


class Client:
    """One connection that is kept."""

    def __init__(self, histree, server):
        self.histree, self.server = histree, server
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
    """A node that is damaged is said in the answer; the server goes on."""
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
        assert status == 500 or answer["status"] == "FAILED", (status, content[:200])
        assert "kernel.sht" in content.decode(), content[-300:]
        status, _, content = client.ask("POST", f"{outputs}/timeGraph/{CONTROL_FLOW}/tree", {})
        assert status == 500 and "kernel.sht" in json.loads(content)["title"], content
        assert client.json("GET", "/health")["status"] == "UP"


TESTS = [states_of_control_flow, labels_of_system_calls, states_of_resources_and_explorer, cpu_usage, older_forms,
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
                run(f"{trace.name}: {test.__name__}", lambda: test(Client(histree, server)))
    with tempfile.TemporaryDirectory() as name:
        run("damaged_store", lambda: damaged_store(histree, pathlib.Path(name)))
    if large_trace():
        with tempfile.TemporaryDirectory() as name:
            run("cancelled_build", lambda: cancelled_build(histree, pathlib.Path(name), large_trace()))
    return finish(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
