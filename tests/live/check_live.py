#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A live trace: LTTng records a program, a relay daemon passes it on, and a history grows while others ask it.

While `histree build` reads the live session, the store is opened again and again: its end only moves forward, and every
interval that it has is one of the complete store, cut at that end.  In the end the store says the same as one that is
built from the trace that the relay daemon wrote.

usage: check_live.py HISTREE
Exit: 0 right, 1 wrong, 77 (skipped) where LTTng's daemons, its library or a compiler are not installed.
"""
import csv
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from session import Session, Wrong, is_installed, library, run, wait_for  # noqa: E402 (beside this file)

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


def intervals(histree, store):
    """The rows of a store and its end; None if there is none yet."""
    done = subprocess.run([histree, "states", "--format", "tsv", store], capture_output=True, text=True, check=False)
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


def record(histree, session):
    folder = session.folder
    session.start()
    store = os.path.join(folder, "live.histree")
    build = session.begin([histree, "build", "--publish", "50ms", "-o", store, session.address],
                          stderr=subprocess.PIPE, text=True)
    wait_for("a reader", session.is_read)
    program = session.trace([os.path.join(folder, "program")], LIBRARY)
    looks = []
    while program.poll() is None:
        seen = intervals(histree, store)
        if seen:
            looks.append(seen)
        time.sleep(0.2)
    session.end()
    said = build.communicate(timeout=60)[1]
    if build.returncode != 0:
        raise Wrong(f"the build: exit {build.returncode}: {said}")
    return store, looks


def check(histree, folder):
    source = os.path.join(folder, "program.c")
    with open(source, "w", encoding="ascii") as file:
        file.write(PROGRAM)
    run("cc", "-O0", "-finstrument-functions", "-o", os.path.join(folder, "program"), source)
    with Session(folder) as session:
        store, looks = record(histree, session)
        whole = intervals(histree, store)
        ends = [compare(look, whole) for look in looks]
        if len(set(ends)) < 3 or ends != sorted(ends):
            raise Wrong(f"the ends that were stated: {ends}")
        run(histree, "build", "-q", "-o", store + ".again", session.traces()[0])
        if intervals(histree, store + ".again") != whole:
            raise Wrong("the live history is another than that of the trace on disk")
        print(f"{len(looks)} looks at {len(set(ends))} ends, {len(whole)} intervals in the end")


def main():
    histree = os.path.abspath(sys.argv[1])
    if not is_installed() or library(LIBRARY) is None:
        print("skipped: LTTng is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="histree-live-", ignore_cleanup_errors=True) as folder:
        try:
            check(histree, folder)
        except Wrong as wrong:
            print(f"check_live: {wrong}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
