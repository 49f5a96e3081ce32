#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Conversations with a relay daemon of LTTng, recorded and played again: requests and answers, each after its size.

usage: recorded.py record TRACE_CAT FOLDER	record a small session: conversation.gz, and its files' events.txt
       recorded.py check TRACE_CAT FOLDER	play it; what is read must be those events
"""
import gzip
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(__file__))

PROGRAM = """
#include <unistd.h>
__attribute__((noinline)) static int depth(int n) { return n < 1 ? 1 : depth(n - 1) + n; }
int main(void) { for (volatile int i = 0; i < 40; i++) { depth(i % 3); usleep(10000); } return 0; }
"""
CALLS = "liblttng-ust-cyg-profile-fast.so"
INDEX, NEW_STREAMS = 4, 7
HUNG_UP = struct.pack(">7Q2I", 0, 0, 0, 0, 0, 0, 0, 3, 0)
SESSION_OVER = struct.pack(">2I", 4, 0)


def receive(connection, size):
    parts = b""
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            return None
        parts += part
    return parts


def receive_request(connection):
    head = receive(connection, 16)
    return None if head is None else head + receive(connection, struct.unpack(">Q", head[:8])[0])


def serve(handle):
    """The port of a server for one connection."""
    server = socket.create_server(("127.0.0.1", 0))

    def run():
        connection = server.accept()[0]
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with server, connection:
            handle(connection)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return server.getsockname()[1], thread


def proxy(port, pairs):
    """Pass a conversation on to a daemon, and keep it: a request ends the answer before it."""
    def handle(viewer):
        with socket.create_connection(("127.0.0.1", port)) as daemon:
            while (request := receive_request(viewer)) is not None:
                daemon.sendall(request)
                pairs.append([request, b""])
                while viewer not in select.select([viewer, daemon], [], [])[0]:
                    part = daemon.recv(1 << 16)
                    if not part:
                        return
                    pairs[-1][1] += part
                    viewer.sendall(part)
    return serve(handle)


def player(pairs):
    """Answer each request as it was answered; what was not asked then is over."""
    answers = {}
    for request, answer in pairs:
        answers.setdefault(request, []).append(answer)

    def handle(viewer):
        while (request := receive_request(viewer)) is not None:
            left = answers.get(request)
            command = struct.unpack(">I", request[8:12])[0]
            if left:
                viewer.sendall(left.pop(0))
            elif command in (INDEX, NEW_STREAMS):
                viewer.sendall(HUNG_UP if command == INDEX else SESSION_OVER)
            else:
                return
    return serve(handle)


def record(trace_cat, out):
    from session import Session, library, run, wait_for  # pylint: disable=import-outside-toplevel
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        program = os.path.join(folder, "program")
        with open(program + ".c", "w", encoding="ascii") as file:
            file.write(PROGRAM)
        run("cc", "-O0", "-finstrument-functions", "-o", program, program + ".c")
        with Session(folder, "--subbuf-size=4k", "--num-subbuf=8") as session:
            session.start()
            pairs = []
            port, thread = proxy(session.port, pairs)
            address = session.address.replace(f":{session.port}/", f":{port}/")
            reader = session.begin([trace_cat, address], stdout=subprocess.DEVNULL)
            wait_for("a reader", session.is_read)
            session.trace([program], library(CALLS)).wait()
            session.end()
            reader.wait(60)
            thread.join(10)
            events = run(trace_cat, *session.traces())
        path = address.split("/", 3)[3]
    with gzip.open(os.path.join(out, "conversation.gz"), "wb") as file:
        for part in [path.encode()] + [each for pair in pairs for each in pair]:
            file.write(struct.pack(">I", len(part)) + part)
    with open(os.path.join(out, "events.txt"), "w", encoding="utf-8") as file:
        file.write(events)


def check(trace_cat, folder):
    parts = []
    with gzip.open(os.path.join(folder, "conversation.gz"), "rb") as file:
        while head := file.read(4):
            parts.append(file.read(struct.unpack(">I", head)[0]))
    port, _ = player(list(zip(parts[1::2], parts[2::2])))
    done = subprocess.run([trace_cat, f"net://127.0.0.1:{port}/{parts[0].decode()}"], capture_output=True, text=True,
                          timeout=60, check=False)
    with open(os.path.join(folder, "events.txt"), encoding="utf-8") as file:
        events = file.read()
    if done.returncode != 0 or done.stdout != events or "warning" in done.stderr:
        print(f"exit {done.returncode}, {len(done.stdout.splitlines())} lines, {len(events.splitlines())} recorded: "
              f"{done.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit((record if sys.argv[1] == "record" else check)(*sys.argv[2:]))
