# SPDX-License-Identifier: MIT
"""Every endpoint against every kind of store: each answers with a status of HTTP, and the server lives.

    endpoints.py HISTREE

A store may lack histories, segments, events or all of them, and may be damaged.  What the routes are is read from
the table in src/server/routes.c, so that a new one is tried as well.
"""
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from serving import SMALL_TRACE, SOURCE, Server, build

LIMIT_SECONDS = 20
OUTPUT = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus.ThreadStatusDataProvider"
QUERIES = ("", "&from=0&to=1&pixels=10", "&view=control-flow&row=0&rows=0,1&time=0&text=a&number=0",
           "&analysis=kernel&store=system-calls&width=800&where=duration>0")
BODIES = ({}, {"parameters": {}}, {"parameters": {"requested_times": [0], "requested_items": [0]}},
          {"parameters": {"requested_timerange": {"start": 0, "end": 1, "nbTimes": 2}, "requested_items": [0, 1]}})


def routes():
    """(method, path pattern) of each row of the table of routes."""
    text = (SOURCE / "src" / "server" / "routes.c").read_text()
    prefixes = {}
    for name, value in re.findall(r"#define (\w+) (.+)", text):
        prefixes[name] = expand(value, prefixes)
    rows = re.findall(r"\{ HTTP_(\w+), ((?:\w+ )?\"[^\"]*\"), \w+ \}", text)
    assert len(rows) > 50, "the table of routes has another form"
    return [(method, expand(path, prefixes)) for method, path in rows]


def expand(words, prefixes):
    return "".join(word[1:-1] if word[0] == '"' else prefixes[word] for word in words.split())


def kinds_of_stores(histree, folder):
    """A store of each kind; name: path."""
    def made(name, *options):
        return build(histree, SMALL_TRACE, folder / f"{name}.histree", *options)

    stores = {name: made(name, *options) for name, options in {
        "whole": (), "states-only": ("-a", "kernel"), "segments-only": ("-a", "system-calls"),
        "no-events": (), "damaged": (), "no-events-no-states": ("-a", "system-calls")}.items()}
    for name in ("no-events", "no-events-no-states"):
        for index in stores[name].glob("events*"):
            index.unlink()
    history = next(stores["damaged"].glob("*.sht"))
    content = bytearray(history.read_bytes())
    for at in range(len(content) // 3, len(content), 4096):
        content[at] ^= 0x55
    history.write_bytes(content)
    return stores


def ask(url, method, path, body):
    """The status of the answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path.lstrip("/"), data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=LIMIT_SECONDS) as answer:
            answer.read()
            return answer.status
    except urllib.error.HTTPError as error:
        error.read()
        return error.code


def requests(experiment, outputs):
    """Every route with its question marks filled in, once for each body or query."""
    for method, pattern in routes():
        if method == "DELETE" or pattern == "*":
            continue
        for output in outputs if "/outputs/" in pattern else outputs[:1]:
            path = pattern.replace("?", experiment, 1).replace("?", output).replace("*", "some")
            if method == "GET":
                for query in QUERIES:
                    yield method, f"{path}?experiment={experiment}{query}", None
            else:
                for body in BODIES:
                    yield method, path, body


def try_store(histree, folder, store):
    """How many requests were answered."""
    count = 0
    with Server(histree, folder, [store]) as server:
        listed = urllib.request.urlopen(server.url + "tsp/api/experiments", timeout=LIMIT_SECONDS).read()
        for experiment in [*(each["UUID"] for each in json.loads(listed)), "00000000-0000-0000-0000-000000000000"]:
            reply = f"tsp/api/experiments/{experiment}/outputs"
            try:
                found = json.loads(urllib.request.urlopen(server.url + reply, timeout=LIMIT_SECONDS).read())
            except urllib.error.HTTPError:
                found = []
            for method, path, body in requests(experiment, [*(each["id"] for each in found), OUTPUT]):
                status = ask(server.url, method, path, body)
                assert 200 <= status < 600, f"{method} {path}: {status}"
                count += 1
        assert ask(server.url, "GET", "tsp/api/health", None) == 200
    return count


def second_server_is_refused(histree, folder, store):
    """Two servers do not share a port."""
    with Server(histree, folder, [store]) as server:
        port = re.search(r":(\d+)/", server.url)[1]
        second = subprocess.run([str(histree), "serve", "--port", port, "--stores", str(folder), str(store)],
                                stderr=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS, check=False)
        assert second.returncode != 0 and "in use" in second.stderr, second.stderr


def crowd_is_answered(histree, folder, store, size=400):
    """Many connections at once, of which one in ten sends half a request and waits: none is reset."""
    with Server(histree, folder, [store]) as server:
        host, port = re.search(r"//([\d.]+):(\d+)/", server.url).groups()
        crowd = [socket.create_connection((host, int(port)), LIMIT_SECONDS) for _ in range(size)]
        for i, client in enumerate(crowd):
            request = f"GET /tsp/api/traces HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"
            client.sendall(request[:30 if i % 10 == 0 else None].encode())
        for i, client in enumerate(crowd):
            if i % 10 != 0:
                assert re.match(rb"HTTP/1.1 (200|503) ", client.recv(64)), f"connection {i}"
        for client in crowd:
            client.close()
    print(f"{size} connections at once: answered", flush=True)


def events_answer(server):
    """What a page gets that asks for the first events."""
    listed = json.loads(urllib.request.urlopen(server.url + "tsp/api/experiments", timeout=LIMIT_SECONDS).read())
    query = f"api/v1/events?experiment={listed[0]['UUID']}&first=0&count=3"
    try:
        return urllib.request.urlopen(server.url + query, timeout=LIMIT_SECONDS).read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def store_is_not_believed(histree, folder, store):
    """The trace that a store names is read below what was named only, or on request; a live address never."""
    with Server(histree, folder, [store], ()) as server:
        assert "--trust-stores" in events_answer(server)
    with Server(histree, folder, [store, SMALL_TRACE.resolve()], ()) as server:
        assert "sched_switch" in events_answer(server)
    with Server(histree, folder, [store], ("--trust-stores",)) as server:
        assert "sched_switch" in events_answer(server)
    manifest = store / "manifest.json"
    whole = manifest.read_text()
    manifest.write_text(whole.replace(json.dumps(str(SMALL_TRACE.resolve())), json.dumps("net://127.0.0.1:1/host/h/s")))
    assert "net://" in manifest.read_text()
    with Server(histree, folder, [store], ("--trust-stores",)) as server:
        assert "live trace" in events_answer(server)
    manifest.write_text(whole)


def main():
    histree = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stores = kinds_of_stores(histree, folder)
        store_is_not_believed(histree, folder, stores["whole"])
        crowd_is_answered(histree, folder, stores["states-only"])
        second_server_is_refused(histree, folder, stores["states-only"])
        for kind, store in stores.items():
            print(f"{kind}: {try_store(histree, folder, store)} requests answered", flush=True)


if __name__ == "__main__":
    main()
