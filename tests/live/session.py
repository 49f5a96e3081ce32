# SPDX-License-Identifier: MIT
"""
A live session of LTTng for one test: a relay daemon on ports of the loopback that are free, and the programs that are
traced.  (root has one session daemon for the machine: one that runs already is used, so one test has a session at a
time, and the others wait for it.)
"""
import fcntl
import glob
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time


class Wrong(Exception):
    """What a test found."""


def run(*command, env=None, check=True):
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60, check=False)
    if check and done.returncode != 0:
        raise Wrong(f"{' '.join(command)}: exit {done.returncode}: {done.stderr[-800:]}")
    return done.stdout


def free_ports(count):
    """Of those that the system gives to nobody by itself: they are still free when a daemon takes them."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        first = int(file.read().split()[0])
    ports = []
    for port in random.sample(range(1024, first), min(1000, first - 1024)) if first > 2048 else [0] * count:
        try:
            with socket.create_server(("127.0.0.1", port)) as server:
                ports.append(server.getsockname()[1])
        except OSError:
            continue
        if len(ports) == count:
            break
    return ports


def wait_for(what, condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Wrong(f"{what} did not happen in {seconds} s")
        time.sleep(0.05)


def library(name):
    """The path of a library of LTTng's, which LD_PRELOAD loads into a program; None if it is not installed."""
    found = glob.glob(f"/usr/lib/*/{name}") + glob.glob(f"/usr/local/lib/{name}")
    return found[0] if found else None


def is_installed():
    return all(shutil.which(name) for name in ("lttng", "lttng-sessiond", "lttng-relayd", "cc"))


class Session:
    """A session that is made and not started; used in a `with` statement, which ends its daemons."""

    def __init__(self, folder, *options, timer_us=100000):
        self.folder = folder
        self.processes = []
        self.env = dict(os.environ, LTTNG_HOME=folder)
        self.name = f"histree-{os.getpid()}-{time.monotonic_ns()}"
        self.options = options
        self.timer_us = timer_us
        self.relay = os.path.join(folder, "relay")
        self.control, self.data, self.port = free_ports(3)
        self.turn = None
        self.address = f"net://127.0.0.1:{self.port}/host/{socket.gethostname()}/{self.name}"

    def __enter__(self):
        self.turn = open(os.path.join(tempfile.gettempdir(), f"histree-live-{os.getuid()}.lock"), "w", encoding="ascii")
        fcntl.flock(self.turn, fcntl.LOCK_EX)
        quiet = {"env": self.env, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.begin(["lttng-relayd", "-o", self.relay, "-C", f"tcp://127.0.0.1:{self.control}", "-D",
                    f"tcp://127.0.0.1:{self.data}", "-L", f"tcp://127.0.0.1:{self.port}"], **quiet)
        self.begin(["lttng-sessiond", "--no-kernel"], **quiet)
        create = ["lttng", "--no-sessiond", "create", self.name, f"--live={self.timer_us}",
                  "-C", f"tcp4://127.0.0.1:{self.control}", "-D", f"tcp4://127.0.0.1:{self.data}"]
        wait_for("a session", lambda: subprocess.run(create, env=self.env, capture_output=True,
                                                     check=False).returncode == 0)
        if self.options:
            self.lttng("enable-channel", "-u", *self.options, "channel")
            self.lttng("enable-event", "-u", "-a", "-c", "channel")
            self.lttng("add-context", "-u", "-c", "channel", "-t", "vtid", "-t", "procname")
        else:
            self.lttng("enable-event", "-u", "-a")
            self.lttng("add-context", "-u", "-t", "vtid", "-t", "procname")
        return self

    def lttng(self, verb, *words):
        return run("lttng", verb, *words, env=self.env)

    def begin(self, command, **options):
        process = subprocess.Popen(command, **options)
        self.processes.append(process)
        return process

    def trace(self, command, *libraries):
        """Begin a program that is traced."""
        return self.begin(command, env=dict(self.env, LD_PRELOAD=":".join(libraries)))

    def start(self):
        self.lttng("start")

    def end(self):
        self.lttng("stop")
        self.lttng("destroy", self.name)

    def is_read(self):
        """Whether somebody has connected to the relay daemon as a viewer."""
        with open("/proc/net/tcp", encoding="ascii") as file:
            rows = [line.split() for line in file][1:]
        return any(row[2].endswith(f":{self.port:04X}") and row[3] == "01" for row in rows)

    def traces(self):
        """The folders that the relay daemon wrote."""
        return sorted(os.path.dirname(path) for path in glob.glob(f"{self.relay}/**/metadata", recursive=True))

    def __exit__(self, *_):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    process.kill()
        self.turn.close()
