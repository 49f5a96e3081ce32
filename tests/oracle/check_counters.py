#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Counters in the contexts of events: the analysis `counters` of random traces, equal to a model in Python, and what was
counted in a random window, as `histree states --growth` says.

CPUs switch between threads; each event has counters of its CPU, some lack one, and now and then one begins anew.
Threads of programs have counters of their own.

usage: check_counters.py HISTREE
Exit: 0 equal, 1 different.
"""
import collections
import csv
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile


def random_kernel(generator, count):
    time, running, value = 0, {}, collections.Counter()
    for _ in range(count):
        time += generator.choice([0, 1, 50])
        cpu = generator.randrange(3)
        name = generator.choice(["irq_handler_exit", "sched_switch", "sched_switch"])
        row = {"time": time, "cpu": cpu, "event": name}
        if name == "sched_switch":
            before = running.get(cpu, generator.randrange(9))
            before = before if generator.random() < 0.95 else generator.randrange(9)
            running[cpu] = generator.randrange(9)
            row.update(prev_comm="a", prev_tid=before, prev_prio=20, prev_state=0, next_comm="b", next_tid=running[cpu],
                       next_prio=20)
        else:
            row.update(irq=1, ret=1)
        for name in ("perf_cpu_cycles", "perf_cache_misses"):
            value[cpu, name] += generator.choice([0, 3, 1000, 1 << 33])
            value[cpu, name] *= generator.random() > 0.02
            if generator.random() < 0.9:
                row[name] = value[cpu, name]
        yield row


def random_programs(generator, count):
    time, value = 0, collections.Counter()
    for _ in range(count):
        time += generator.choice([0, 1, 50])
        tid = generator.randrange(40, 45)
        value[tid] += generator.randrange(100)
        row = {"time": time, "cpu": generator.randrange(2), "event": "my:event", "perf_thread_instructions": value[tid]}
        if generator.random() < 0.9:
            row["vtid"] = tid
        yield row


class Model:
    def __init__(self):
        self.sums, self.states = collections.Counter(), collections.defaultdict(list)
        self.last, self.shared, self.running = {}, {}, {}

    def add(self, time, path, amount):
        self.sums[path] += amount
        states = self.states[path]
        if states and states[-1][0] == time:
            states.pop()
        if not states or states[-1][1] != self.sums[path]:
            states.append((time, self.sums[path]))

    def take(self, row):
        time, cpu, is_switch = row["time"], row["cpu"], row["event"] == "sched_switch"
        ran = self.running.get(cpu)
        if is_switch and ran not in (None, row["prev_tid"]):
            ran = "denied"
        elif is_switch:
            ran = row["prev_tid"]
        for name, value in row.items():
            if name.startswith("perf_thread_"):
                if "vtid" in row:
                    tid = row["vtid"]
                    self.add(time, f"Threads/{tid}/{name}", max(0, value - self.last.get((tid, name), value)))
                    self.last[tid, name] = value
            elif name.startswith("perf_"):
                self.add(time, f"CPUs/{cpu}/{name}", max(0, value - self.last.get((cpu, name), value)))
                self.last[cpu, name] = value
                if (cpu, name) in self.shared and ran is None:
                    continue
                if (cpu, name) in self.shared and ran != "denied":
                    self.add(time, f"Threads/{ran}/{name}", max(0, value - self.shared[cpu, name]))
                self.shared[cpu, name] = value
        if is_switch:
            self.running[cpu] = row["next_tid"]


def states_of(histree, store):
    done = subprocess.run([histree, "states", store, "-a", "counters", "--format", "csv"], capture_output=True, text=True,
                          check=True)
    found = collections.defaultdict(list)
    for row in csv.DictReader(done.stdout.splitlines()):
        if row["type"] == "null":
            continue
        states = found[row["path"]]
        if not states or states[-1][1] != int(row["value"]):
            states.append((int(row["start"]), int(row["value"])))
    return found


def check_window(histree, store, model, generator, first, last):
    window = sorted(generator.randint(first, last) for _ in range(2))

    def value(states, at):
        return max([(time, value) for time, value in states if time <= at], default=(0, None))[1]
    wanted = {}
    for path, states in model.states.items():
        before, after = (value(states, at) for at in window)
        if after is not None:
            wanted[path] = after - (before or 0)
    done = subprocess.run([histree, "states", store, "-a", "counters", "--growth", "--from", str(window[0]), "--to",
                           str(window[1]), "--format", "csv", "**"], capture_output=True, text=True, check=False)
    found = {row["path"]: int(row["change"]) for row in csv.DictReader(done.stdout.splitlines())}
    amounts = list(found.values())
    if found == wanted and amounts == sorted(amounts, reverse=True):
        return False
    print(f"window {window}: {dict(found.items() ^ wanted.items())}")
    return True


def check(histree, folder, seed):
    generator, model = random.Random(seed), Model()
    tracer = generator.choice(["lttng", "ust"])
    events = list({"lttng": random_kernel, "ust": random_programs}[tracer](generator, generator.choice([5, 100, 2000])))
    text, store = folder / f"{seed}.json", folder / f"{seed}.histree"
    text.write_text("".join(json.dumps(row) + "\n" for row in events))
    for row in events:
        model.take(row)
    subprocess.run([histree, "build", "--quiet", "-a", "counters", "-o", store, f"text:tracer={tracer}:{text}"],
                   check=True, stderr=subprocess.DEVNULL)
    states = states_of(histree, store)
    if states == model.states:
        return check_window(histree, store, model, generator, events[0]["time"], events[-1]["time"])
    path = min(path for path in states.keys() | model.states.keys() if states[path] != model.states[path])
    print(f"seed {seed}: {path}: {states[path][:9]} for {model.states[path][:9]}")
    return True


def main():
    histree = sys.argv[1]
    first = int(os.environ.get("HISTREE_SEED", "1"))
    count = 4 if os.environ.get("HISTREE_TESTS") == "quick" else 30
    with tempfile.TemporaryDirectory() as folder:
        return int(any([check(histree, pathlib.Path(folder), seed) for seed in range(first, first + count)]))


if __name__ == "__main__":
    sys.exit(main())
