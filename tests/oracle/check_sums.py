#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Running sums by thread and CPU, the analyses `switches` and `kernel-memory`: every change of every attribute equal to a
model in Python that keeps everything in dictionaries, on random traces.

usage: check_sums.py HISTREE
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
CPUS, THREADS = 3, [10, 11, 12, 13, 14]
STATES = [0, 0, 0x100, 0x400, 1, 2, 16, 64, 0x402]
RUNS_ON, DEAD = {0, 0x100}, {16}  # 64 is parked where nobody says which kernel it was


class Trace:
    """A machine that does what comes to its mind: events as objects."""

    def __init__(self, pick):
        self.pick, self.time, self.events = pick, 1000, []
        self.runs = {}                  # thread by CPU; nobody knows before the first switch
        self.blocks, self.pieces = {}, set()

    def say(self, name, cpu, **fields):
        self.time += self.pick.choice([0, 1, 1, 7, 300])
        self.events.append({"time": self.time, "name": name, "cpu": cpu, **fields})

    def switch(self, cpu):
        before = self.runs.get(cpu, 0)
        after = self.pick.choice([0, *(set(THREADS) - set(self.runs.values()))])
        if after == before:
            return
        self.runs[cpu] = after
        self.say("sched_switch", cpu, prev_comm=f"t{before}", prev_tid=before, prev_prio=20,
                 prev_state=self.pick.choice(STATES), next_comm=f"t{after}", next_tid=after, next_prio=20)

    def fork(self, cpu):
        """A thread that runs nowhere, so that its number may be another's from now on."""
        child = self.pick.choice(sorted(set(THREADS) - set(self.runs.values())))
        self.say("sched_process_fork", cpu, parent_comm="p", parent_tid=1, parent_pid=1, child_comm=f"t{child}",
                 child_tid=child, child_pid=child)

    def pages(self, cpu):
        order = self.pick.choice([0, 0, 1, 3])
        first = self.pick.randrange(64) << order
        if any(first < at + (1 << size) and at < first + (1 << order) for at, size in self.blocks.items()):
            return
        self.blocks[first] = order
        self.say("kmem_mm_page_alloc", cpu, page=1 << 20, pfn=first, order=order, gfp_flags=0, migratetype=0)

    def free(self, cpu):
        """A block, or a part of one, or what nobody saw allocated."""
        if not self.blocks or self.pick.random() < 0.1:
            self.say("kmem_mm_page_free", cpu, page=1 << 20, pfn=self.pick.randrange(10**6, 10**7), order=0)
            return
        first, order = self.pick.choice(sorted(self.blocks.items()))
        del self.blocks[first]
        wanted, at = self.pick.randint(0, order), first
        part = first + (self.pick.randrange(1 << order - wanted) << wanted)
        while at < first + (1 << order):
            size = next(size for size in range(order, -1, -1)
                        if at % (1 << size) == 0 and at + (1 << size) <= first + (1 << order)
                        and (at == part and size == wanted or not at <= part < at + (1 << size)))
            if at != part:
                self.blocks[at] = size
            at += 1 << size
        self.say("kmem_mm_page_free", cpu, page=1 << 20, pfn=part, order=wanted)

    def heap(self, cpu):
        name = self.pick.choice(["kmem_kmalloc", "kmem_kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node"])
        size = self.pick.choice([0, 8, 64, 4096])  # at an address that was not freed now and then
        self.say(name, cpu, call_site=1, ptr=self.pick.choice([0, *range(4096, 4160, 8)]), bytes_req=size,
                 bytes_alloc=size, gfp_flags=0)

    def release(self, cpu):
        self.say(self.pick.choice(["kmem_kfree", "kmem_cache_free"]), cpu, call_site=1,
                 ptr=self.pick.choice([0, *range(4096, 4168, 8)]))

    def run(self, count):
        for _ in range(count):
            what = self.pick.choice([self.switch, self.switch, self.fork, self.pages, self.free, self.heap, self.release])
            what(self.pick.randrange(CPUS))
        return self.events


def model(events):
    """Paths and their changes: {path: {time: value}}, by analysis."""
    sums = collections.defaultdict(lambda: collections.Counter())
    changes = {"switches": collections.defaultdict(dict), "kernel-memory": collections.defaultdict(dict)}
    runs, places, pages, pieces = {}, {}, {}, {}
    lives, seen, ended = collections.Counter(), set(), set()  # by number: how many had it before, and the one that has it

    def add(analysis, event, amount, *paths):
        for path in paths if amount else []:
            sums[analysis][path] += amount
            changes[analysis][path][event["time"]] = sums[analysis][path]

    def place(event, tid):
        if places.get(tid, event["cpu"]) != event["cpu"]:
            add("switches", event, 1, f"CPUs/{event['cpu']}/migrations", f"Threads/{tid}/migrations")
        places[tid] = event["cpu"]

    def live(tid):
        lives[tid] += tid in ended
        ended.discard(tid)
        seen.add(tid)

    def row(cpu):
        tid = runs.get(cpu)
        return None if tid is None else f"Threads/{tid} (life {lives[tid]})" if lives[tid] else f"Threads/{tid}"

    def held(event, owner, what, amount):
        add("kernel-memory", event, amount, what, *([f"{owner}/{what}"] if owner is not None else []))

    for event in events:
        name, cpu = event["name"], event["cpu"]
        if name == "sched_switch":
            add("switches", event, 1, f"CPUs/{cpu}/switches")
            before, after = event["prev_tid"], event["next_tid"]
            if before:
                place(event, before)
                kind = "involuntary" if event["prev_state"] % 1024 in RUNS_ON else "voluntary"
                add("switches", event, 1, f"CPUs/{cpu}/{kind}", f"Threads/{before}/{kind}")
                if event["prev_state"] in DEAD:
                    places.pop(before)
            if after:
                place(event, after)
            runs[cpu] = after
            live(before)
            if before and event["prev_state"] in DEAD:
                ended.add(before)
            live(after)
        elif name == "sched_process_fork":
            child = event["child_tid"]
            places.pop(child, None)
            lives[child] += child in seen
            seen.add(child)
            ended.discard(child)
        elif name == "kmem_mm_page_alloc":
            for page in range(event["pfn"], event["pfn"] + (1 << event["order"])):
                pages[page] = row(cpu)
            held(event, row(cpu), "pages", 4096 << event["order"])
        elif name == "kmem_mm_page_free":
            mine = [page for page in range(event["pfn"], event["pfn"] + (1 << event["order"])) if page in pages]
            if mine:
                held(event, pages[mine[0]], "pages", -4096 * len(mine))
            for page in mine:
                del pages[page]
        elif event["ptr"]:
            owner, size = pieces.pop(event["ptr"], (None, 0))
            held(event, owner, "heap", -size)
            if event.get("bytes_alloc"):
                pieces[event["ptr"]] = (row(cpu), event["bytes_alloc"])
                held(event, row(cpu), "heap", event["bytes_alloc"])
    return changes


def states(changes):
    """As a history has them: a change that changes nothing is none."""
    found = {}
    for path, times in changes.items():
        last, found[path] = None, []
        for time in sorted(times):
            if times[time] != last:
                found[path].append((time, last := times[time]))
    return found


def ask(*words):
    done = subprocess.run([HISTREE, *map(str, words)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return done.stdout


def read(store, analysis):
    found = collections.defaultdict(list)
    for line in ask("states", store, "-a", analysis, "--format", "tsv").splitlines()[1:]:
        path, start, _, kind, value = line.split("\t")
        # Two changes at one time may be none.
        if kind == "long" and (not found[path] or found[path][-1][1] != int(value)):
            found[path].append((int(start), int(value)))
        assert kind in ("null", "long"), line
    return {path: times for path, times in found.items() if times}


def check_window(pick, store, found, events):
    """What there was in a window is the difference of two single queries."""
    path = pick.choice(sorted(found))
    first, last = sorted(pick.choice(events)["time"] for _ in range(2))

    def at(time):
        row = json.loads(ask("states", store, "-a", "switches", "--at", time, path, "--format", "json"))[0]
        return row["value"] or 0

    wanted = [value for time, value in found[path] if time < first][-1:] or [0]
    until = [value for time, value in found[path] if time <= last][-1:] or [0]
    before = at(first - 1) if first > events[0]["time"] else 0
    assert at(last) - before == until[0] - wanted[0], (path, first, last)


def main():
    seed, rounds = int(os.environ.get("HISTREE_SEED", "20130704")), int(os.environ.get("HISTREE_ROUNDS", "0"))
    rounds = rounds or (6 if QUICK else 40)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + rounds):
            pick = random.Random(number)
            events = Trace(pick).run(pick.choice([30, 300, 2000]))
            file, store = pathlib.Path(folder, "events.json"), pathlib.Path(folder, "store")
            file.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
            ask("build", "--quiet", "--force", "--map", "tracer=lttng", "-a", "switches,kernel-memory", "-o", store,
                file)
            for analysis, changes in model(events).items():
                wanted, found = states(changes), read(store, analysis)
                for path in sorted(wanted | found):
                    if wanted.get(path) != found.get(path):
                        print(f"HISTREE_SEED={number}: {analysis}, {path}: wanted {wanted.get(path, [])[:9]}, "
                              f"found {found.get(path, [])[:9]}")
                        return 1
                if analysis == "switches":
                    check_window(pick, store, found, events)
    return 0


if __name__ == "__main__":
    sys.exit(main())
