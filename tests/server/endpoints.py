# SPDX-License-Identifier: MIT
"""Every endpoint against every kind of store: each answers with a status of HTTP, and the server lives.

    endpoints.py HISTREE

A store may lack histories, segments, events or all of them, may be damaged, still be built, or have a part that was
made to do harm (tests/support/hostile.py).  What the routes are is read from the table in src/server/server.c, so that
a new one is tried as well.  Neither to begin nor to answer takes more than two seconds of the server's time, and all
together takes no more than 256 MiB of its memory.
"""
import http.client
import json
import pathlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request

from serving import SMALL_TRACE, SOURCE, Server, build
from data import QUICK
from hostile import CASES, hostile_store, seal_manifest

LIMIT_SECONDS = 20
CPU_SECONDS_MAX = 2
MEMORY_MAX = 256 << 20
OUTPUT = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus.ThreadStatusDataProvider"
QUERIES = ("", "&from=0&to=1&pixels=10", "&view=control-flow&row=0&rows=0,1&time=0&text=a&number=0",
           "&analysis=kernel&store=system-calls&width=800&where=duration>0",
           "&by=thread,cpu,had-by&from=1&sort=blocked&where=cpu==0", "&by=state&limit=1&sort=time&descending=0",
           "&experimentB=EXPERIMENT&host=a&toB=1", "&experimentB=EXPERIMENT&fromB=5&segments=system-calls&limit=1")
BODIES = ({}, {"parameters": {}}, {"parameters": {"requested_times": [0], "requested_items": [0]}},
          {"parameters": {"requested_timerange": {"start": 0, "end": 1, "nbTimes": 2}, "requested_items": [0, 1]}})


def routes():
    """(method, path pattern) of each row of the table of routes."""
    text = (SOURCE / "src" / "server" / "server.c").read_text()
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
        "whole": ("-a", "kernel,system-calls"), "states-only": ("-a", "kernel"), "segments-only": ("-a", "system-calls"),
        "no-events": (), "damaged": (), "no-events-no-states": ("-a", "system-calls")}.items()}
    for name in ("no-events", "no-events-no-states"):
        for index in stores[name].glob("events*"):
            index.unlink()
    history = next(stores["damaged"].glob("*.sht"))
    content = bytearray(history.read_bytes())
    for at in range(len(content) // 3, len(content) // 2, 4096):  # of its node; without a section it does not open
        content[at] ^= 0x55
    history.write_bytes(content)
    return stores


class Visitor:
    """Asks a server, and knows what that costs it; with a sanitizer, which has costs of its own, only what it says."""

    def __init__(self, server):
        self.server = server
        self.count, self.slowest = 0, (0, "")
        self.sanitized = b"__asan_init" in pathlib.Path(server.process.args[0]).read_bytes()
        self.connection = http.client.HTTPConnection(*urllib.parse.urlsplit(server.url).netloc.split(":"), timeout=LIMIT_SECONDS)
        assert self.cpu_seconds() <= CPU_SECONDS_MAX or self.sanitized, f"to begin takes {self.cpu_seconds()} s"

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def answer(self, method, path, data):
        """Over the connection that there is, or a new one where the server has ended that."""
        for is_last in False, True:
            try:
                self.connection.request(method, path, data, {"Content-Type": "application/json"})
                answer = self.connection.getresponse()
                return answer.status, answer.read()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                self.connection.close()
                if is_last:
                    raise

    def ask(self, method, path, body=None):
        """The status of the answer and its content."""
        data = None if body is None else json.dumps(body).encode()
        before = self.cpu_seconds()
        status, content = self.answer(method, f"/{path.lstrip('/')}", data)
        seconds = self.cpu_seconds() - before
        self.count += 1
        self.slowest = max(self.slowest, (seconds, f"{method} {path}"))
        assert 200 <= status < 600, f"{method} {path}: {status}"
        assert seconds <= CPU_SECONDS_MAX or self.sanitized, f"{method} {path}: {seconds} s"
        return status, content

    def listed(self, what):
        """Members of a list of the protocol; none if that is refused."""
        status, content = self.ask("GET", what)
        return json.loads(content) if status == 200 else []

    def leave(self):
        """The server still answers, and has not taken much."""
        assert self.ask("GET", "tsp/api/health")[0] == 200
        most = self.server.most_resident_bytes()
        assert most < MEMORY_MAX or self.sanitized, f"{most >> 20} MiB"
        self.connection.close()
        return self.count


def requests(experiment, outputs, step):
    """Every route with its question marks filled in, once for each body or query, or for one in `step` of them, which differ from
    route to route; what removes something comes last."""
    for place, (method, pattern) in enumerate(sorted(routes(), key=lambda route: route[0] == "DELETE")):
        if pattern == "*":
            continue
        for output in outputs if "/outputs/" in pattern else outputs[:1]:
            path = pattern.replace("?", experiment, 1).replace("?", output).replace("*", "some")
            if method == "GET":
                for query in QUERIES[place % step::step]:
                    yield method, f"{path}?experiment={experiment}{query}".replace("EXPERIMENT", experiment), None
            elif method == "DELETE":
                yield method, path, {"deleteTrace": True}
            else:
                for body in BODIES[place % min(step, len(BODIES))::step]:
                    yield method, path, body


def visit(visitor, step=4 if QUICK else 1):
    """Every request, of every experiment and of one that there is not; then the traces are removed."""
    nothing = "00000000-0000-0000-0000-000000000000"
    traces = [each["UUID"] for each in visitor.listed("tsp/api/traces")]
    for experiment in [*(each["UUID"] for each in visitor.listed("tsp/api/experiments")), nothing]:
        outputs = visitor.listed(f"tsp/api/experiments/{experiment}/outputs")
        for method, path, body in requests(experiment, [*(each["id"] for each in outputs), OUTPUT], step):
            visitor.ask(method, path, body)
    for trace in [*traces, nothing]:
        visitor.ask("DELETE", f"tsp/api/traces/{trace}")
    assert visitor.listed("tsp/api/traces") == [] == visitor.listed("tsp/api/experiments"), "what was removed is there"


def try_store(histree, folder, store):
    """How many requests were answered."""
    with Server(histree, folder, [store]) as server:
        visitor = Visitor(server)
        visit(visitor)
        return visitor.leave()


def stopped_build(histree, folder, attempts=100):
    """A build that was stopped when it had published something, and the folder that it makes."""
    store, building = folder / "live.histree", folder / "live.histree.building"
    command = [histree, "build", "--force", "--publish", "1ns", "-t", "esht", "--node-size", "4K",
               "-a", "kernel,system-calls", "-o", store, SMALL_TRACE]
    for _ in range(attempts):
        process = subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL)
        while not (building / "manifest.json").exists() and process.poll() is None:
            pass
        if process.returncode is not None:
            continue  # it was too quick
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)  # it comes when it comes
        if (building / "manifest.json").exists():
            return process, building
        process.send_signal(signal.SIGCONT)  # it was too quick
        process.wait(LIMIT_SECONDS)
    raise AssertionError("no build could be stopped before it was complete")


def try_live_store(histree, folder):
    """The same of a store that is being built, while it grows and when its folder gets another name."""
    process, building = stopped_build(histree, folder)
    try:
        # It is found under the name that it is to have, too.
        with Server(histree, folder, [building.with_suffix("")]) as server:
            assert Visitor(server).listed("tsp/api/experiments")
        with Server(histree, folder, [building]) as server:
            visitor = Visitor(server)
            [experiment] = visitor.listed("tsp/api/experiments")
            process.send_signal(signal.SIGCONT)
            while process.poll() is None:
                for path in "tsp/api/experiments", f"api/v1/events?experiment={experiment['UUID']}&first=0&count=3":
                    visitor.ask("GET", path)
            assert process.returncode == 0
            visit(visitor)
            return visitor.leave()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def try_hostile_store(histree, folder, sound, case):
    """A hostile store, asked for by its name on the command line if that is not refused, or by a client."""
    home = folder / case.__name__
    home.mkdir()
    store = hostile_store(sound, home, case)
    with Server(histree, folder, [home]) as server:
        visitor = Visitor(server)
        status, content = visitor.ask("POST", "tsp/api/traces", {"parameters": {"uri": str(store), "name": "x"}})
        if status == 200:
            trace = json.loads(content)["UUID"]
            visitor.ask("POST", "tsp/api/experiments", {"parameters": {"name": "x", "traces": [trace]}})
        else:
            assert json.loads(content)["title"], content
        visit(visitor)
        return visitor.leave()


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
    manifest.write_text(seal_manifest(whole.replace(json.dumps(str(SMALL_TRACE.resolve())),
                                                    json.dumps("net://127.0.0.1:1/host/h/s"))))
    assert "net://" in manifest.read_text()
    with Server(histree, folder, [store], ("--trust-stores",)) as server:
        assert "live trace" in events_answer(server)
    manifest.write_text(whole)


def costly_requests_share_memory(histree, folder, store):
    """Forty requests at once, each of which is worth 40 MiB while it is read, within one ceiling: they are answered, or
    told to come back.  Without a ceiling they take 160 MiB where there are two processors, and more on others."""
    body = '{"parameters": {"requested_items": [' + ",".join(["{}"] * 70000) + "]}}"
    with Server(histree, folder, [store], ("--memory", "64M")) as server:
        visitor = Visitor(server)
        path = f"/tsp/api/experiments/{visitor.listed('tsp/api/experiments')[0]['UUID']}/outputs/timeGraph/{OUTPUT}/states"
        answers = []

        def ask():
            connection = http.client.HTTPConnection("localhost", urllib.parse.urlsplit(server.url).port, timeout=60)
            connection.request("POST", path, body)
            answer = connection.getresponse()
            answer.read()
            answers.append((answer.status, answer.getheader("Retry-After")))

        crowd = [threading.Thread(target=ask) for _ in range(40)]
        for one in crowd:
            one.start()
        for one in crowd:
            one.join()
        assert len(answers) == 40 and all(status == 503 and again or status in (200, 400, 404) for status, again in answers), answers
        assert any(status != 503 for status, _ in answers), answers
        assert server.most_resident_bytes() < 128 << 20 or visitor.sanitized, server.most_resident_bytes()
        visitor.leave()


def main():
    histree = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stores = kinds_of_stores(histree, folder)
        store_is_not_believed(histree, folder, stores["whole"])
        crowd_is_answered(histree, folder, stores["states-only"])
        costly_requests_share_memory(histree, folder, stores["states-only"])
        second_server_is_refused(histree, folder, stores["states-only"])
        for case in CASES[::4] if QUICK else CASES:
            count = try_hostile_store(histree, folder, stores["whole"], case)
            print(f"{case.__name__}: {count} requests answered", flush=True)
        print(f"live: {try_live_store(histree, folder)} requests answered", flush=True)
        for kind, store in stores.items():
            print(f"{kind}: {try_store(histree, folder, store)} requests answered", flush=True)


if __name__ == "__main__":
    main()
