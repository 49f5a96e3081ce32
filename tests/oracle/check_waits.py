#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What threads waited for: `histree flame --waits` of random traces, of random threads, times and depths, equal to a model
in Python that goes forwards and keeps for each thread who woke it last, and who had woken that one by then.

usage: check_waits.py HISTREE
HISTREE_SEED and HISTREE_ROUNDS make traces again.
Exit: 0 equal, 1 different.
"""
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from data import QUICK  # noqa: E402

HISTREE = str(pathlib.Path(sys.argv[1]).resolve())
CPUS, THREADS = 3, list(range(10, 17))
CALLS = ["read", "futex", "poll"]

Wait = collections.namedtuple("Wait", "tid start end reason waker calls")
# Who woke a thread, when, and who had woken that one by then, as such a one.
Waker = collections.namedtuple("Waker", "tid time before")


class Machine:
    """Threads that run, sleep, wake each other and make system calls: events, and what they waited for."""

    def __init__(self, pick):
        self.pick, self.time, self.events, self.waits = pick, 1000, [], []
        self.runs = [0] * CPUS
        self.sleeps, self.ready = {}, {}            # since when
        self.again = set()                          # those that are ready as they were woken
        self.woken = dict.fromkeys(THREADS)         # Waker, or None
        self.calls = {tid: [] for tid in THREADS}   # (time, name or None)
        for number, tid in enumerate(THREADS):      # each is seen once
            self.switch(number % CPUS, 1, tid)
        for cpu in range(CPUS):
            self.switch(cpu, 1, 0)
        self.known = self.time

    def say(self, name, cpu, **fields):
        self.time += self.pick.choice([1, 2, 9, 400])
        self.events.append({"time": self.time, "name": name, "cpu": cpu, **fields})

    def end(self, tid, since, reason, waker=None):
        if tid in since:
            self.waits.append(Wait(tid, since.pop(tid), self.time, reason, waker, self.calls[tid]))

    def switch(self, cpu, state, after):
        before = self.runs[cpu]
        self.say("sched_switch", cpu, prev_comm=f"t{before}", prev_tid=before, prev_prio=20,
                 prev_state=state if before else 0, next_comm=f"t{after}", next_tid=after, next_prio=20)
        self.runs[cpu] = after
        self.again.discard(after)
        if before:
            (self.sleeps if state else self.ready)[before] = self.time
        self.end(after, self.ready, "waits for a CPU")

    def step(self, cpu):
        runs, what = self.runs[cpu], self.pick.random()
        if what < 0.45:
            after = self.pick.choice([0, *self.ready]) if self.ready else 0
            if after != runs:
                self.switch(cpu, self.pick.choice([0, 1, 1]), after)
        elif what < 0.8 and len(self.sleeps) + len(self.ready) > 0:
            tid = self.pick.choice([*self.sleeps, *self.sleeps, *self.ready])
            self.say("sched_wakeup", cpu, comm=f"t{tid}", tid=tid, prio=20, success=1, target_cpu=cpu)
            if tid in self.sleeps:
                waker = Waker(runs, self.time, self.woken[runs]) if runs else None
                self.end(tid, self.sleeps, "blocked", waker)
                self.woken[tid], self.ready[tid] = waker or Waker(0, self.time, None), self.time
                self.again.add(tid)
            elif tid in self.again:  # so much is known of a wait that the trace does not end
                self.end(tid, self.ready, "waits for a CPU")
                self.ready[tid] = self.time
        elif runs:
            call = self.pick.choice(CALLS) if not self.calls[runs] or self.calls[runs][-1][1] is None else None
            self.say(f"syscall_entry_{call}" if call else f"syscall_exit_{self.calls[runs][-1][1]}", cpu,
                     **({"fd": 1} if call else {"ret": 0}))
            self.calls[runs].append((self.time, call))


def stacks(waits, threads, first, last, depth):
    """The lines of --folded."""
    found = collections.Counter()
    for wait in waits:
        start, end = max(wait.start, first), min(wait.end, last + 1)
        if wait.tid not in threads or start >= end:
            continue
        call = next((name for time, name in reversed(wait.calls) if time <= start), None)
        frames, waker = [f"t{wait.tid} ({wait.tid})", call or "no system call", wait.reason], wait.waker
        while waker is not None and waker.tid and waker.time > start and len(frames) < 3 + depth:
            frames.append(f"t{waker.tid} ({waker.tid})")
            waker = waker.before
        found[";".join(frames)] += end - start
    return found


def ask(*words):
    done = subprocess.run([HISTREE, *map(str, words)], check=False, capture_output=True, text=True)
    said = {0: "", 1: "histree: no such thread waited in that time\n"}
    assert said.get(done.returncode) == done.stderr, (words, done.returncode, done.stderr)
    return done.stdout


def check(pick, number, folder):
    machine = Machine(pick)
    for _ in range(pick.choice([50, 400, 1500])):
        machine.step(pick.randrange(CPUS))
    file, store = pathlib.Path(folder, "events.json"), pathlib.Path(folder, "store")
    file.write_text("".join(json.dumps(event) + "\n" for event in machine.events), encoding="utf-8")
    ask("build", "--quiet", "--force", "--map", "tracer=lttng", "-a", "kernel,graph", "-o", store, file)
    for _ in range(4):
        first, last = sorted(pick.randint(machine.known, machine.time) for _ in range(2))
        threads, depth = pick.sample(THREADS, pick.randint(1, len(THREADS))), pick.randrange(6)
        words = threads if len(threads) < len(THREADS) else []
        said = ask("flame", store, "--waits", "--by", "thread", "--folded", "--depth", depth, "--from", first, "--to", last,
                   *words)
        lines = [line.rpartition(" ") for line in said.splitlines()]
        found = collections.Counter({stack: int(ns) for stack, _, ns in lines})
        wanted = stacks(machine.waits, threads, first, last, depth)
        if found != wanted:
            print(f"HISTREE_SEED={number}: from {first} to {last}, {threads}, depth {depth}: "
                  f"only wanted {list((wanted - found).items())[:5]}, only found {list((found - wanted).items())[:5]}")
            return False
    return True


def main():
    seed, rounds = int(os.environ.get("HISTREE_SEED", "20130704")), int(os.environ.get("HISTREE_ROUNDS", "0"))
    rounds = rounds or (8 if QUICK else 60)
    with tempfile.TemporaryDirectory() as folder:
        return 0 if all([check(random.Random(number), number, folder) for number in range(seed, seed + rounds)]) else 1


if __name__ == "__main__":
    sys.exit(main())
