# SPDX-License-Identifier: MIT
"""What histree says of a recording: the sums of kernel_sums.py, from what its command prints."""
import collections
import csv
import re
import subprocess

ANALYSES = "kernel,system-calls,irqs,softirqs"
RUNS = {"2", "3", "4"}  # user mode, system call, interrupted


class Failed(Exception):
    """The command did not do what it was asked for."""


def run(*command, allowed=(0,)):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in allowed:
        raise Failed(f"{' '.join(command)}: exit {done.returncode}: {done.stderr[-500:]}")
    return done.stdout, done.stderr


def rows(*command, allowed=(0,)):
    text = run(*command, "--format", "tsv", allowed=allowed)[0]
    return csv.reader(text.splitlines()[1:], delimiter="\t", quoting=csv.QUOTE_NONE)


class StoreSums:
    """A store is built of the trace, and asked."""

    def __init__(self, histree, traces, store):
        self.said = run(histree, "build", "--force", "-a", ANALYSES, "-o", store, *traces, allowed=(0, 3))[1]
        self.states = run(histree, "verify", "--states", store, allowed=(0, 1))
        names, facts = run(histree, "info", store, "--format", "tsv", allowed=(0, 3))[0].splitlines()[:2]
        self.facts = dict(zip(names.split("\t"), facts.split("\t")))
        self._states(histree, store)
        self.calls, self.call_time = self._segments(histree, store, "system-calls", 3)
        self.irqs, self.softirqs = (self._by_number(histree, store, name) for name in ("irqs", "softirqs"))

    def _by_number(self, histree, store, analysis):
        return collections.Counter({int(number): n for number, n in self._segments(histree, store, analysis, 4)[0].items()})

    def _states(self, histree, store):
        self.running = collections.Counter()
        self.busy = collections.Counter()
        self.unknown = collections.Counter()  # by CPU: it is not known whom it ran
        self.in_doubt = collections.Counter()  # by thread: it is not known what it did
        for path, start, end, kind, value in rows(histree, "states", "-a", "kernel", store, allowed=(0, 3)):
            time = int(end) - int(start) + 1
            if thread := re.fullmatch(r"Threads/(\d+)", path):
                if kind == "int" and value in RUNS:
                    self.running[int(thread[1])] += time
                elif kind == "unknown":
                    self.in_doubt[int(thread[1])] += time
            elif cpu := re.fullmatch(r"CPUs/(\d+)/Current_thread", path):
                if kind != "int" or int(value) < 0:
                    self.unknown[int(cpu[1])] += time
                elif int(value) > 0:
                    self.busy[int(cpu[1])] += time

    @staticmethod
    def _segments(histree, store, analysis, column):
        counts, times = collections.Counter(), collections.Counter()
        for row in rows(histree, "segments", store, analysis, allowed=(0, 1, 3)):
            counts[row[column]] += 1
            times[row[column]] += int(row[2])
        return counts, times
