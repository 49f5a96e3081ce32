#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""load.py HISTREE [REQUESTS [STORE]] - eight clients at once, 10,000 requests, one in a hundred given up in the middle of
its answer: every other answer is whole and right, memory stays flat, no connection is left behind.  With STORE, which may
be of millions of threads, whole trees are not asked for: each is 180 bytes a thread."""
import contextlib
import gzip
import http.client
import json
import os
import pathlib
import random
import socket
import struct
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse

from serving import SMALL_TRACE, Server, finish, large_trace, serving

CLIENTS = 8
GIVEN_UP = 0.01
GROWTH_MAX = 16 << 20  # bytes
IDS = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus."
EXPLORER = "org.eclipse.tracecompass.internal.tmf.core.statesystem.provider.StateSystemDataProvider"


class Requests:
    """Random ones, as viewers send them."""

    def __init__(self, server, seed, has_trees):
        self.has_trees = has_trees
        self.place = urllib.parse.urlparse(server.url)
        self.random = random.Random(seed)
        connection = http.client.HTTPConnection(self.place.hostname, self.place.port)
        connection.request("GET", "/tsp/api/experiments")
        self.experiment = json.loads(connection.getresponse().read())[0]
        connection.close()

    def range(self):
        start, end = self.experiment["start"], self.experiment["end"]
        from_ = self.random.randrange(start, end)
        return {"start": from_, "end": self.random.randrange(from_, end), "nbTimes": self.random.choice([2, 100, 1000])}

    def next(self):
        outputs = f"/tsp/api/experiments/{self.experiment['UUID']}/outputs"
        output = self.random.choice([IDS + "ThreadStatusDataProvider", IDS + "ResourcesStatusDataProvider", EXPLORER])
        items = [self.random.randrange(1, 2000) for _ in range(self.random.randrange(40))]
        parameters = {"parameters": {"requested_timerange": self.range(), "requested_items": items}}
        offset = self.random.randrange(self.experiment["end"] - self.experiment["start"])
        page = f"experiment={self.experiment['UUID']}&view=control-flow&from={offset}&pixels=700"
        return self.random.choice([
            ("GET", "/tsp/api/health", None),
            ("GET", "/tsp/api/experiments", None),
            ("GET", "/", None),
            ("POST", f"{outputs}/timeGraph/{output}/tree", {}) if self.has_trees else ("GET", "/api/v1/experiments", None),
            ("POST", f"{outputs}/timeGraph/{output}/states", parameters),
            ("POST", f"{outputs}/timeGraph/{output}/states", parameters),
            ("GET", f"/api/v1/rows?{page}&first={self.random.randrange(100)}&count=64&sort={self.random.choice(['tree', 'tid'])}", None),
            ("GET", f"/api/v1/usage?{page}", None),
            ("GET", "/tsp/api/experiments/none", None),
        ])


class Client(threading.Thread):
    def __init__(self, server, seed, count, has_trees):
        super().__init__()
        self.requests, self.count, self.fault, self.given_up = Requests(server, seed, has_trees), count, None, 0

    def run(self):
        try:
            place = self.requests.place
            connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
            for _ in range(self.count):
                method, path, body = self.requests.next()
                if self.requests.random.random() < GIVEN_UP:
                    self.give_up(method, path, body)
                else:
                    self.ask(connection, method, path, body)
            connection.close()
        except Exception:
            self.fault = traceback.format_exc()

    def ask(self, connection, method, path, body):
        content = json.dumps(body).encode() if body is not None else None
        connection.request(method, path, content, {"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        received = answer.read()
        assert answer.status == (404 if path.endswith("/none") else 200), (answer.status, path, received[:200])
        if answer.headers["Content-Encoding"] == "gzip":
            received = gzip.decompress(received)
        if answer.headers["Content-Type"] == "application/json":
            model = json.loads(received)
            assert not isinstance(model, dict) or model.get("status", "COMPLETED") in ("COMPLETED", "UP"), received[-200:]

    def give_up(self, method, path, body):
        """A part of the answer is read, and the connection reset; or not even the request is sent to its end."""
        content = json.dumps(body or {}).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n\r\n".encode()
        with socket.create_connection((self.requests.place.hostname, self.requests.place.port)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            whole = head + content
            if self.requests.random.random() < 0.3:
                connection.sendall(whole[: self.requests.random.randrange(1, len(whole))])
            else:
                connection.sendall(whole)
                connection.recv(self.requests.random.choice([1, 100, 5000]))
        self.given_up += 1


def run(server, count, seed, has_trees):
    clients = [Client(server, seed * CLIENTS + i, count // CLIENTS, has_trees) for i in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    faults = [client.fault for client in clients if client.fault]
    assert not faults, faults[0]
    return sum(client.given_up for client in clients)


def threads_of(server):
    return len(list(pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()))


@contextlib.contextmanager
def serving_store(histree, store):
    with tempfile.TemporaryDirectory() as folder, Server(histree, folder, [store]) as server:
        yield server


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    # Under AddressSanitizer freed memory must not pile up: it is what is measured.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    store = sys.argv[3] if len(sys.argv) > 3 else None
    with serving_store(sys.argv[1], store) if store else serving(sys.argv[1], large_trace() or SMALL_TRACE) as server:
        run(server, count // 2, 1, not store)  # caches fill, the allocator finds its size
        before, threads = server.resident_bytes(), threads_of(server)
        begun = time.monotonic()
        given_up = run(server, count, 2, not store)
        seconds = time.monotonic() - begun
        after = server.resident_bytes()
        end = time.monotonic() + 10
        while threads_of(server) > threads and time.monotonic() < end:
            time.sleep(0.1)
        print(f"{count / seconds:.0f} requests/s, {given_up} given up, {before / 2**20:.1f} MiB before, {after / 2**20:.1f} after, "
              f"{threads} threads before, {threads_of(server)} after")
        assert after - before < GROWTH_MAX, "memory grows"
        assert threads_of(server) <= threads + 1, "connections are left behind"
    return finish(1)


if __name__ == "__main__":
    sys.exit(main())
