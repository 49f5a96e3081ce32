#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Addresses of live traces that lead to nothing: each build says what is wrong, and the way out.

A relay daemon that is made up answers on the loopback as the protocol of LTTng's viewers says (2.4), for as much of it
as lists sessions and attaches to one that has not been started.  It may fall silent at a command, or answer as no
daemon does.

usage: check_addresses.py HISTREE
"""
import concurrent.futures
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

CONNECT, LIST_SESSIONS, ATTACH, GET_NEW_STREAMS, CREATE_SESSION, DETACH = 1, 2, 3, 7, 8, 9
OK, NO_NEW_STREAMS = 1, 2


class Relay:
    """Answers until its listening socket is closed; never the command `silent_at`."""

    def __init__(self, sessions, silent_at=None):
        self.sessions = sessions
        self.silent_at = silent_at
        self.asked = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"net://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        with connection, connection.makefile("rb") as requests:
            while len(head := requests.read(16)) == 16:
                size, command, _ = struct.unpack(">QII", head)
                answer = self.reply(command, requests.read(size))
                self.asked.set()
                if command != self.silent_at:
                    connection.sendall(answer)

    def reply(self, command, request):
        if command == CONNECT:
            return struct.pack(">QIII", 1, 2, 4, 1)
        if command == LIST_SESSIONS:
            return struct.pack(">I", len(self.sessions)) + b"".join(
                struct.pack(">QIII64s255s", number, 1000000, 0, 0, b"made", name.encode())
                for number, name in enumerate(self.sessions))
        if command == ATTACH:
            return struct.pack(">II", OK, 0)
        if command == GET_NEW_STREAMS:
            return struct.pack(">II", NO_NEW_STREAMS, 0)
        return struct.pack(">I", OK)


class Stranger(Relay):
    """Answers anything by the same bytes, and closes the connection."""

    def __init__(self, bytes_of_answer):
        self.bytes = bytes_of_answer
        super().__init__([])

    def answer(self, connection):
        with connection:
            connection.recv(1000)
            connection.sendall(self.bytes)


def closed_port():
    """A socket with a port at which nobody listens, and which nobody else can take meanwhile."""
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    return server


def build(histree, folder, address):
    return subprocess.run([histree, "build", "-o", os.path.join(folder, "store"), address], capture_output=True,
                          text=True, timeout=60, check=False)


def expect(done, *words):
    """Fails unless the build failed, and said one sentence with all of the words."""
    said = done.stderr
    if done.returncode != 3 or said.count("\n") != 1 or any(word not in said for word in words):
        raise AssertionError(f"exit {done.returncode}, says {said!r}, expected {words}")


def refused(histree, folder):
    with closed_port() as server:
        port = server.getsockname()[1]
        expect(build(histree, folder, f"net://127.0.0.1:{port}/host/made/app"), "no relay daemon answers",
               f"127.0.0.1:{port}", "start lttng-relayd")


def no_session(histree, folder):
    relay = Relay([])
    expect(build(histree, folder, f"{relay.url}/host/made/app"), "has no session", "lttng create --live")
    relay = Relay(["one", "two"])
    there = f"it has {relay.url}/host/made/one, {relay.url}/host/made/two"
    expect(build(histree, folder, f"{relay.url}/host/made/app"), "has no such session", there)
    expect(build(histree, folder, relay.url), "has no such session", there)


def not_started(histree, folder):
    """It waits, says so once, and a signal ends it."""
    relay = Relay(["app"])
    process = subprocess.Popen([histree, "build", "-o", os.path.join(folder, "store"), f"{relay.url}/host/made/app"],
                               stderr=subprocess.PIPE, text=True)
    stuck = threading.Timer(60, process.kill)
    stuck.start()
    first = process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    rest = process.communicate()[1]
    stuck.cancel()
    if "waits for the first event" not in first or "'lttng start'" not in first:
        raise AssertionError(f"says {first!r}")
    if rest != "histree: cancelled; there is no new store\n" or process.returncode != -signal.SIGTERM:
        raise AssertionError(f"exit {process.returncode}, says {rest!r} after the signal")


def silent_at_first(histree, folder, command=CONNECT):
    """Each of the two questions has its time."""
    relay = Relay(["app"], silent_at=command)
    begin = time.monotonic()
    expect(build(histree, folder, f"{relay.url}/host/made/app"), "there was no answer", "port of lttng-relayd")
    if time.monotonic() - begin > 30:
        raise AssertionError(f"silent at command {command}: {time.monotonic() - begin:.0f} s")


def silent_at_sessions(histree, folder):
    silent_at_first(histree, folder, LIST_SESSIONS)


def silent_later(histree, folder):
    """A daemon that falls silent, or breaks off, when somebody has attached."""
    relay = Relay(["app"], silent_at=GET_NEW_STREAMS)
    done = build(histree, folder, f"{relay.url}/host/made/app")
    if done.returncode != 3 or "has no events: the relay daemon" not in done.stderr \
            or "has not answered for 5 s" not in done.stderr:
        raise AssertionError(f"exit {done.returncode}, says {done.stderr!r} of a daemon that fell silent")
    relay = Relay(["app"])
    reply = relay.reply
    relay.reply = lambda command, request: reply(command, request) if command != GET_NEW_STREAMS else b"\xff" * 8
    done = build(histree, folder, f"{relay.url}/host/made/app")
    if done.returncode != 3 or "has no events" not in done.stderr:
        raise AssertionError(f"exit {done.returncode}, says {done.stderr!r} of a daemon that talks nonsense")


def silent_and_interrupted(histree, folder):
    """One Ctrl-C ends the wait, long before its time is over."""
    relay = Relay(["app"], silent_at=CONNECT)
    process = subprocess.Popen([histree, "build", "-o", os.path.join(folder, "store"), f"{relay.url}/host/made/app"],
                               stderr=subprocess.PIPE, text=True)
    relay.asked.wait(60)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    if said != "histree: cancelled; there is no new store\n" or process.returncode != -signal.SIGINT:
        raise AssertionError(f"exit {process.returncode}, says {said!r} after Ctrl-C")


def no_daemon(histree, folder):
    """Another protocol, a connection that is closed, and more sessions than there can be."""
    for answer in b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"\0" * 7:
        expect(build(histree, folder, f"{Stranger(answer).url}/host/made/app"), "is no relay daemon of LTTng")
    relay = Relay(["app"])
    relay.reply = lambda command, _: (struct.pack(">QIII", 1, 2, 4, 1) if command == CONNECT
                                      else struct.pack(">I", 0xFFFFFFFF))
    expect(build(histree, folder, f"{relay.url}/host/made/app"), "is no relay daemon of LTTng")


def main():
    histree = os.path.abspath(sys.argv[1])

    def try_it(check):
        with tempfile.TemporaryDirectory() as folder:
            check(histree, folder)
            if os.listdir(folder):
                raise AssertionError(f"{check.__name__}: leaves {os.listdir(folder)}")

    # Most of them wait, for seconds that a daemon is given: they wait at the same time.
    checks = (refused, no_session, not_started, silent_at_first, silent_at_sessions, silent_later, silent_and_interrupted,
              no_daemon)
    with concurrent.futures.ThreadPoolExecutor(len(checks)) as pool:
        for done in [pool.submit(try_it, check) for check in checks]:
            done.result()
    return 0


if __name__ == "__main__":
    sys.exit(main())
