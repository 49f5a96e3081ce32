#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""load.py HISTREE [REQUESTS [STORE]] - eight clients at once, 10,000 requests, one in a hundred given up in the middle of
its answer: every other answer is whole and right, memory stays flat, no connection is left behind.  With STORE, which may
be of millions of threads, whole trees are not asked for: each is 180 bytes a thread."""
import concurrent.futures
import contextlib
import gzip
import hashlib
import http.client
import json
import os
import pathlib
import random
import socket
import struct
import sys
import tempfile
import time
import urllib.parse

from serving import SMALL_TRACE, Server, finish, large_trace, serving

CLIENTS = 8
GIVEN_UP = 0.01
GROWTH_MAX = 16 << 20  # bytes
IDS = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus."
EXPLORER = "org.eclipse.tracecompass.internal.tmf.core.statesystem.provider.StateSystemDataProvider"


class Requests:
    """Random ones, as viewers send them."""

    def __init__(self, url, seed, has_trees):
        self.has_trees = has_trees
        place = urllib.parse.urlparse(url)
        self.place = place.hostname, place.port
        self.random = random.Random(seed)
        connection = http.client.HTTPConnection(*self.place)
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
            ("GET", f"/api/v1/arrows?{page}", None),
            ("GET", f"/api/v1/nodes?{page}", None),
            ("GET", "/tsp/api/experiments/none", None),
        ])


class Client:
    """One that keeps its connection.  The clients are processes: in threads of one, they would wait for each other and
    not for the server."""

    def __init__(self, url, seed, has_trees):
        self.requests, self.read = Requests(url, seed, has_trees), set()
        self.connection = http.client.HTTPConnection(*self.requests.place, timeout=60)

    def run(self, count):
        """How many of its requests it gave up."""
        given_up = 0
        for _ in range(count):
            method, path, body = self.requests.next()
            if self.requests.random.random() < GIVEN_UP:
                self.give_up(method, path, body)
                given_up += 1
            else:
                self.ask(method, path, body)
        self.connection.close()
        return given_up

    def ask(self, method, path, body):
        content = json.dumps(body).encode() if body is not None else None
        self.connection.request(method, path, content, {"Accept-Encoding": "gzip"})
        answer = self.connection.getresponse()
        received = answer.read()
        assert answer.status == (404 if path.endswith("/none") else 200), (answer.status, path, received[:200])
        # Whole trees are megabytes of text, and the same each time: to read one again would take longer than to make it.
        checksum = hashlib.sha256(path.encode() + received).digest()
        if checksum not in self.read:
            check(answer, received)
            self.read.add(checksum)

    def give_up(self, method, path, body):
        """A part of the answer is read, and the connection reset; or not even the request is sent to its end."""
        content = json.dumps(body or {}).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n\r\n".encode()
        with socket.create_connection(self.requests.place) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            whole = head + content
            if self.requests.random.random() < 0.3:
                connection.sendall(whole[: self.requests.random.randrange(1, len(whole))])
            else:
                connection.sendall(whole)
                connection.recv(self.requests.random.choice([1, 100, 5000]))


def check(answer, received):
    """It is whole, and says so itself where it can."""
    if answer.headers["Content-Encoding"] == "gzip":
        received = gzip.decompress(received)
    if answer.headers["Content-Type"] == "application/json":
        model = json.loads(received)
        assert not isinstance(model, dict) or model.get("status", "COMPLETED") in ("COMPLETED", "UP"), received[-200:]


def run_client(url, seed, has_trees, count):
    return Client(url, seed, has_trees).run(count)


def run(server, count, seed, has_trees):
    with concurrent.futures.ProcessPoolExecutor(CLIENTS) as pool:
        clients = [pool.submit(run_client, server.url, seed * CLIENTS + i, has_trees, count // CLIENTS)
                   for i in range(CLIENTS)]
        return sum(client.result() for client in clients)


class Held:
    """What the server holds: memory, threads, files, of which sockets are some."""

    def __init__(self, server):
        process = pathlib.Path(f"/proc/{server.process.pid}")
        self.bytes = server.resident_bytes()
        self.threads, self.files = (len(os.listdir(process / name)) for name in ("task", "fd"))

    def __str__(self):
        return f"{self.bytes / 2**20:.1f} MiB, {self.threads} threads, {self.files} files"


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
        before = Held(server)
        begun = time.monotonic()
        given_up = run(server, count, 2, not store)
        seconds = time.monotonic() - begun
        after = Held(server)
        end = time.monotonic() + 10
        while (after.threads > before.threads or after.files > before.files) and time.monotonic() < end:
            time.sleep(0.1)
            after = Held(server)
        print(f"{count} requests, {count / seconds:.0f} a second, {given_up} given up; before: {before}; after: {after}")
        assert after.bytes - before.bytes < GROWTH_MAX, "memory grows"
        assert after.threads <= before.threads + 1 and after.files <= before.files + 1, "connections are left behind"
    return finish(1)


if __name__ == "__main__":
    sys.exit(main())
