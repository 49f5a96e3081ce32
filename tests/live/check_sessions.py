#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Live sessions of LTTng, event by event: what a relay daemon passes on is what it wrote into files.

Each case records a session of its own while trace_cat reads it live; the lines that it prints, events with all of
their fields and gaps, in order, must be those that it prints of the files.  Where the command babeltrace2 is
installed, it is the judge of the files: the same times and names.

usage: check_sessions.py TRACE_CAT [CASE]...
Exit: 0 right, 1 wrong, 77 (skipped) where LTTng's daemons, its libraries or a compiler are not installed.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from session import Session, Wrong, is_installed, library, run, wait_for  # noqa: E402 (beside this file)

PROGRAM = """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) static int depth(int n) { return n < 1 ? 1 : depth(n - 1) + n; }
int main(int count, char **words)
{
	volatile int sum = 0;
	int rounds = count > 1 ? atoi(words[1]) : 1000, pause = count > 2 ? atoi(words[2]) : 1000;
	for (int i = 0; i < rounds; i++) {
		sum += depth(i % 7);
		free(strdup("a text"));
		if (pause > 0)
			usleep(pause);
	}
	return sum == 0;
}
"""
CALLS, MEMORY = "liblttng-ust-cyg-profile-fast.so", "liblttng-ust-libc-wrapper.so"


class Reader:
    """trace_cat, while it reads a session."""

    def __init__(self, session, trace_cat):
        self.session = session
        self.trace_cat = trace_cat
        self.lines = os.path.join(session.folder, "live.txt")
        with open(self.lines, "w", encoding="utf-8") as out:
            self.process = session.begin([trace_cat, session.address], stdout=out, stderr=subprocess.PIPE, text=True)
        wait_for("a reader", session.is_read)

    def end(self):
        """What it has printed, and said."""
        said = self.process.communicate(timeout=90)[1]
        if self.process.returncode != 0:
            raise Wrong(f"trace_cat: exit {self.process.returncode}: {said}")
        with open(self.lines, encoding="utf-8") as file:
            return file.read().splitlines(), said


def read_files(trace_cat, traces):
    done = subprocess.run([trace_cat, *traces], capture_output=True, text=True, timeout=90, check=False)
    if done.returncode != 0:
        raise Wrong(f"trace_cat of files: exit {done.returncode}: {done.stderr}")
    return done.stdout.splitlines(), done.stderr


def by_judge(traces):
    """How often babeltrace2 finds each time and name in files; None if it is not installed."""
    if shutil.which("babeltrace2") is None:
        return None
    text = run("babeltrace2", "--clock-seconds", "--no-delta", "--fields=", *traces)
    return collections.Counter(tuple(found) for found in re.findall(r"^\[(\d+\.\d+)\] (?:\S+ )*?(\S+): \{", text + "\n", re.M))


def by_us(lines):
    events = (line.split(" ", 3) for line in lines if "(gap to" not in line)
    return collections.Counter((f"{int(words[0]) // 10**9}.{int(words[0]) % 10**9:09d}", words[2]) for words in events)


def compare(live, files):
    if live == files:
        return
    at = next((i for i, pair in enumerate(zip(live, files)) if pair[0] != pair[1]), min(len(live), len(files)))
    raise Wrong(f"{len(live)} lines live, {len(files)} of files; line {at}:\n  live {live[at:at + 3]}\n"
                f"  file {files[at:at + 3]}")


def check_part(part, whole):
    """All lines of the one are in the other, in the same order."""
    rest = iter(whole)
    for line in part:
        if line not in rest:
            raise Wrong(f"'{line}' is missing, or not in its place")


def finish(session, reader, at_least):
    """End a session that nobody records into any more, and compare."""
    session.end()
    live, said = reader.end()
    files, _ = read_files(reader.trace_cat, session.traces())
    compare(live, files)
    judged = by_judge(session.traces())
    if judged is not None and judged != by_us(files):
        raise Wrong(f"babeltrace2 finds {sum(judged.values())} events: {(judged - by_us(files)).most_common(3)} more, "
                    f"{(by_us(files) - judged).most_common(3)} less")
    if len(live) < at_least:
        raise Wrong(f"{len(live)} lines are too few")
    return live, said


def two_programs(session, trace_cat, program):
    """Buffers of a user: one program runs before somebody reads, one begins after that."""
    session.start()
    first = session.trace([program, "1500", "1000"], library(CALLS), library(MEMORY))
    time.sleep(1)
    reader = Reader(session, trace_cat)
    second = session.trace([program, "800", "1000"], library(CALLS))
    if first.wait(60) != 0 or second.wait(60) != 0:
        raise Wrong("a program fails")
    finish(session, reader, 20000)


def processes(session, trace_cat, program):
    """Buffers of a process: traces come and go while somebody reads.  Of one that exits the end may be missing."""
    session.start()
    reader = Reader(session, trace_cat)
    for _ in range(3):
        some = [session.trace([program, "200", "2000"], library(CALLS)) for _ in range(3)]
        if any(each.wait(60) != 0 for each in some):
            raise Wrong("a program fails")
    last = session.trace([program, "100000", "1000"], library(CALLS))
    time.sleep(1)
    session.end()
    last.kill()
    live, said = reader.end()
    files, _ = read_files(trace_cat, session.traces())
    if len(session.traces()) != 10:
        raise Wrong(f"{len(session.traces())} traces")
    whole = re.compile(rf"vtid={last.pid}\b")
    compare([line for line in live if whole.search(line)], [line for line in files if whole.search(line)])
    check_part(live, files)
    if len(live) < len(files) and "last events of a process" not in said:
        raise Wrong(f"{len(files) - len(live)} lines are missing, and nothing says so: {said}")


def small_buffers(session, trace_cat, program):
    """Events are discarded, and said so."""
    session.start()
    reader = Reader(session, trace_cat)
    if session.trace([program, "100000", "0"], library(CALLS)).wait(60) != 0:
        raise Wrong("a program fails")
    live, _ = finish(session, reader, 1000)
    if not any("(gap to" in line for line in live):
        raise Wrong("nothing is discarded")


def stops(session, trace_cat, program):
    """A session that is stopped and started again while a program runs and somebody reads."""
    session.start()
    reader = Reader(session, trace_cat)
    running = session.trace([program, "3000", "1000"], library(CALLS))
    for _ in range(3):
        time.sleep(0.5)
        session.lttng("stop")
        time.sleep(0.3)
        session.lttng("start")
    running.wait(60)
    finish(session, reader, 2000)


def written_over(session, trace_cat, program):
    """Files that are written over: what is there no more is said to be missing, and the end is that of the files."""
    session.start()
    running = session.trace([program, "6000", "500"], library(CALLS))
    time.sleep(1.5)
    reader = Reader(session, trace_cat)
    running.wait(60)
    session.end()
    live, said = reader.end()
    files, _ = read_files(trace_cat, session.traces())
    events = [line for line in live if "(gap to" not in line]
    there = [line for line in files if "(gap to" not in line]
    check_part(there, events)
    if len(events) <= len(there):
        raise Wrong(f"{len(events)} events live are not more than the {len(there)} of the files")
    if "does not pass on what was recorded before" not in said:
        raise Wrong(f"begins late, and nothing says so: {said}")


CASES = {
    two_programs: (), processes: ("--buffers-pid",), small_buffers: ("--subbuf-size=4k", "--num-subbuf=2"),
    stops: (), written_over: ("--subbuf-size=4k", "--tracefile-size=16k", "--tracefile-count=2"),
}


def main():
    trace_cat = os.path.abspath(sys.argv[1])
    if not is_installed() or None in (library(CALLS), library(MEMORY)):
        print("skipped: LTTng is not installed")
        return 77
    failed = False
    with tempfile.TemporaryDirectory(prefix="histree-live-") as home:
        program = os.path.join(home, "program")
        with open(program + ".c", "w", encoding="ascii") as file:
            file.write(PROGRAM)
        run("cc", "-O0", "-finstrument-functions", "-o", program, program + ".c")
        for case, options in CASES.items():
            if len(sys.argv) > 2 and case.__name__ not in sys.argv[2:]:
                continue
            with tempfile.TemporaryDirectory(prefix="histree-live-", ignore_cleanup_errors=True) as folder:
                try:
                    with Session(folder, *options) as session:
                        case(session, trace_cat, program)
                except (Wrong, subprocess.TimeoutExpired) as wrong:
                    print(f"{case.__name__}: {wrong}", file=sys.stderr)
                    failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
