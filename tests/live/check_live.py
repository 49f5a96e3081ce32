#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A live trace: LTTng records a program, a relay daemon passes it on, and a history grows while others ask it.

Everything is for this test only: a session of its own, a relay daemon on ports of the loopback that are free, a small
instrumented program.  (root has one session daemon for the machine: one that runs already is used.)  While `histree build` reads the live session, the store is
opened again and again: its end only moves forward, and every interval that it has is one of the complete store, cut at
that end.  In the end the store says the same as one that is built from the trace that the relay daemon wrote.

usage: check_live.py HISTREE
Exit: 0 right, 1 wrong, 77 (skipped) where LTTng's daemons, its library or a compiler are not installed.
"""
import csv
import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAM = """
#include <unistd.h>
__attribute__((noinline)) static int depth(int n) { return n < 1 ? 1 : depth(n - 1) + n; }
int main(void)
{
	volatile int sum = 0;
	for (int i = 0; i < 1200; i++) {
		sum += depth(i % 7);
		usleep(2500);
	}
	return sum == 0;
}
"""
LIBRARY = "liblttng-ust-cyg-profile-fast.so"


class Wrong(Exception):
    """What the test found."""


def run(*command, env=None, check=True):
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60, check=False)
    if check and done.returncode != 0:
        raise Wrong(f"{' '.join(command)}: exit {done.returncode}: {done.stderr[-800:]}")
    return done.stdout


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def wait_for(what, condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Wrong(f"{what} did not happen in {seconds} s")
        time.sleep(0.05)


def is_connected(port):
    """Whether a connection to a port of the loopback is established."""
    with open("/proc/net/tcp", encoding="ascii") as file:
        rows = [line.split() for line in file][1:]
    return any(row[2].endswith(f":{port:04X}") and row[3] == "01" for row in rows)


def intervals(histree, store):
    """The rows of a store and its end; None if there is none yet."""
    done = subprocess.run([histree, "dump", "--format", "tsv", store], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None
    rows = list(csv.reader(done.stdout.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return {(path, int(start)): (int(end), kind, value) for path, start, end, kind, value in rows}


def compare(before, after):
    """What was said while the history grew is what it says in the end, cut there."""
    end = max(row[0] for row in before.values())
    for (path, start), (last, kind, value) in before.items():
        known = after.get((path, start))
        if known is None or known[1:] != (kind, value) or last != min(known[0], end):
            raise Wrong(f"{path} at {start}: {kind} {value} to {last} while growing, {known} in the end")
    paths = {path for path, _ in before}
    for (path, start), (_, kind, _) in after.items():
        if start <= end and (path, start) not in before and (path in paths or kind != "null"):
            raise Wrong(f"{path} at {start} is missing in a history that reaches {end}")
    return end


def record(histree, folder, processes):
    env = dict(os.environ, LTTNG_HOME=folder)
    session = f"histree-{os.getpid()}"
    control, data, live = free_ports(3)
    relay = os.path.join(folder, "relay")
    processes.append(
        subprocess.Popen(["lttng-relayd", "-o", relay, "-C", f"tcp://127.0.0.1:{control}", "-D",
                          f"tcp://127.0.0.1:{data}", "-L", f"tcp://127.0.0.1:{live}"], env=env,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    processes.append(
        subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=env, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL))
    create = ["lttng", "create", session, "--live=100000", "-C", f"tcp4://127.0.0.1:{control}", "-D",
              f"tcp4://127.0.0.1:{data}"]
    wait_for("a session", lambda: subprocess.run(create, env=env, capture_output=True, check=False).returncode == 0)
    run("lttng", "enable-event", "-u", "-a", env=env)
    run("lttng", "add-context", "-u", "-t", "vtid", "-t", "procname", env=env)
    run("lttng", "start", env=env)

    store = os.path.join(folder, "live.histree")
    address = f"net://127.0.0.1:{live}/host/{socket.gethostname()}/{session}"
    build = subprocess.Popen([histree, "build", "--publish", "50ms", "-o", store, address], stderr=subprocess.PIPE,
                             text=True)
    processes.append(build)
    # Of streams that are there when it attaches, a reader gets the newest packet first: those before are not for it.
    wait_for("a reader", lambda: is_connected(live))
    time.sleep(1)
    program = subprocess.Popen([os.path.join(folder, "program")], env=dict(env, LD_PRELOAD=LIBRARY))
    processes.append(program)
    looks = []
    while program.poll() is None:
        seen = intervals(histree, store)
        if seen:
            looks.append(seen)
        time.sleep(0.2)
    run("lttng", "stop", env=env)
    run("lttng", "destroy", session, env=env)
    said = build.communicate(timeout=60)[1]
    if build.returncode != 0:
        raise Wrong(f"the build: exit {build.returncode}: {said}")
    return store, relay, looks


def check(histree, folder, processes):
    source = os.path.join(folder, "program.c")
    with open(source, "w", encoding="ascii") as file:
        file.write(PROGRAM)
    run("cc", "-O0", "-finstrument-functions", "-o", os.path.join(folder, "program"), source)
    store, relay, looks = record(histree, folder, processes)
    whole = intervals(histree, store)
    ends = [compare(look, whole) for look in looks]
    if len(set(ends)) < 3 or ends != sorted(ends):
        raise Wrong(f"the ends that were stated: {ends}")
    trace = os.path.dirname(glob.glob(f"{relay}/**/metadata", recursive=True)[0])
    run(histree, "build", "-q", "-o", store + ".again", trace)
    if intervals(histree, store + ".again") != whole:
        raise Wrong("the live history is another than that of the trace on disk")
    print(f"{len(looks)} looks at {len(set(ends))} ends, {len(whole)} intervals in the end")


def main():
    histree = os.path.abspath(sys.argv[1])
    found = [shutil.which(name) for name in ("lttng", "lttng-sessiond", "lttng-relayd", "cc")]
    libraries = glob.glob(f"/usr/lib/*/{LIBRARY}") + glob.glob(f"/usr/local/lib/{LIBRARY}")
    if None in found or not libraries:
        print("skipped: LTTng is not installed")
        return 77
    processes = []
    with tempfile.TemporaryDirectory(prefix="histree-live-", ignore_cleanup_errors=True) as folder:
        try:
            check(histree, folder, processes)
        except Wrong as wrong:
            print(f"check_live: {wrong}", file=sys.stderr)
            return 1
        finally:
            for process in reversed(processes):
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                    try:
                        process.wait(timeout=10)
                    except subprocess.TimeoutExpired:
                        process.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
