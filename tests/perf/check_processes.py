#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
perf's own records say whose a thread is: of one that is made and of one with another program, whoever its samples say
it is; but not where perf ran in a container, and counts threads otherwise than the kernel does.

usage: check_processes.py HISTREE
"""
import pathlib
import subprocess
import sys
import tempfile

import perf_data

TEXTS = [("char[16]", "prev_comm", 8, 16, 0), ("int", "prev_pid", 24, 4, 1), ("int", "prev_prio", 28, 4, 1),
         ("long", "prev_state", 32, 8, 1), ("char[16]", "next_comm", 40, 16, 0), ("int", "next_pid", 56, 4, 1),
         ("int", "next_prio", 60, 4, 1)]


def recording(outside):
    """`outside`: so much greater are the numbers of the kernel than perf's."""
    made = perf_data.Recording([perf_data.Tracepoint(300, "sched", "sched_switch", TEXTS)])

    def switch(time, before, after):
        raw = made.pack("HBBi", 300, 0, 0, before + outside)
        raw += made.pack("16siiq16sii", b"mill", before + outside, 120, 1, b"mill", after + outside, 120)
        return made.sample(0, 0, time, raw, tid=before, pid=90)

    def fork(time, child, process):
        return made.side(perf_data.FORK, made.pack("IIIIQ", process, 90, child, 91, time), 0, time)

    records = [made.side(perf_data.FORK, made.pack("IIIIQ", 90, 17, child, 17, 0), 0, 0) for child in (91, 90)]
    records += [fork(50, 95, 95),  # before the first event of the kernel
                switch(100, 90, 91), fork(200, 92, 90), fork(300, 93, 93), switch(400, 91, 92),
                made.comm(0, 500, 93, b"sieve"), switch(600, 92, 93)]
    return made.file(made.records([records]))


def states(histree, folder, data):
    (folder / "perf.data").write_bytes(data)
    subprocess.run([histree, "build", "-f", "-q", "-a", "kernel", "-o", folder / "store", folder / "perf.data"], check=True)
    dumped = subprocess.run([histree, "states", folder / "store", "--format", "tsv"], check=True, stdout=subprocess.PIPE, text=True)
    rows = (line.split("\t") for line in dumped.stdout.splitlines()[1:])
    return {(path, int(start)): value for path, start, _, kind, value in rows if kind != "null"}


def main():
    histree = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        found = states(histree, pathlib.Path(name), recording(0))
        assert found[("Threads/92/PID", 200)] == "90" and found[("Threads/92/PPID", 200)] == "91", found
        assert found[("Threads/92", 200)] == "5" and found[("Threads/92/Exec_name", 200)] == "mill", found
        assert found[("Threads/93/PPID", 300)] == "91" and found[("Threads/93/PID", 300)] == "93", found
        assert found[("Threads/93/Exec_name", 500)] == "sieve", found
        assert found[("Threads/90/PPID", 100)] == "17" and ("Threads/91/PPID", 400) not in found, found
        assert not any(path.startswith("Threads/95") for path, _ in found), found
        found = states(histree, pathlib.Path(name), recording(4000))
        assert found[("Threads/4092", 400)] == "2", found
        assert not any(path.startswith("Threads/9") or path.endswith("PID") for path, _ in found), found
    return 0


if __name__ == "__main__":
    sys.exit(main())
