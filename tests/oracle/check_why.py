#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Paths by our own rules, and what `histree why` adds up of them: of random graphs, which `histree load` makes histories of,
and of the demo's recording, equal to a model in Python that builds a path forwards, all of it in memory.

usage: check_why.py HISTREE
HISTREE_ROUNDS graphs are made, and HISTREE_SEED is the seed of the first.
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

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from check_graph import STATES, Store  # noqa: E402
from data import QUICK  # noqa: E402
from model_graph import Arrow, Edge  # noqa: E402

START = 1_000_000_000_000_000_000
THREADS = [-1, 0, 11, 12, 13, 14, 15]
ENDED = ("BLOCKED", "NETWORK", "TIMER", "BLOCK_DEVICE", "INTERRUPTED")  # by a wake-up
CAUSES = {"RUNNING": "ran", "PREEMPTED": "waiting", "NETWORK": "network", "BLOCK_DEVICE": "disk", "TIMER": "timer",
          "INTERRUPTED": "interrupt", "BLOCKED": "blocked", "UNKNOWN": "unknown", "DEFAULT": "unknown"}
Step = collections.namedtuple("Step", "kind start end tid state to_tid")


class RandomGraph:
    """Threads that run, wait and wake each other, and some that do what no kernel does."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.edges, self.arrows, self.last, self.time = [], {}, {}, START
        self.odd = self.random.random() < 0.5
        for _ in range(self.random.randrange(1, 400)):
            self.time += self.random.choice([0, 0, 1, 1, 2, 3, 9, 50])
            self.happen()

    def append(self, tid, state):
        last = self.last.get(tid)
        if last is not None and self.time <= last:
            return
        if last is not None:
            self.edges.append(Edge(tid, last, self.time, state))
        self.last[tid] = self.time

    def happen(self):
        pick = self.random
        tid = pick.choice(THREADS)
        state = pick.choice(["RUNNING"] * 3 + ["PREEMPTED"] * 2 + ["BLOCKED"] * 4 + ["NETWORK"] * 2 + STATES[:8])
        origin = pick.choice(THREADS if self.odd else [one for one in THREADS if one != tid])
        sent = pick.choice([edge.end for edge in self.edges if edge.tid == origin] or [None])
        if self.last.get(tid) == self.time:
            return
        self.append(tid, state)
        if state in ("BLOCKED", "NETWORK") and pick.random() < 0.8 or self.odd and pick.random() < 0.2 or len(self.edges) < 9:
            if sent is not None and pick.random() < (0.6 if state == "NETWORK" else 0.1):
                self.arrows[tid, self.time] = Arrow(sent, origin, self.time, tid, "NETWORK")
            else:
                self.append(origin, pick.choice(["RUNNING"] * 6 + STATES[:8]))
                self.arrows[tid, self.time] = Arrow(self.time, origin, self.time, tid, "DEFAULT")

    def rows(self):
        for edge in self.edges:
            yield f"Threads/{edge.tid}", edge.start, edge.end - 1, "int", STATES.index(edge.state)
        for (tid, time), arrow in self.arrows.items():
            if arrow.state == "DEFAULT":
                yield f"Threads/{tid}/Woken_by", time, time, "int", arrow.tid
            else:
                yield f"Threads/{tid}/Received_from", time, time, "int", arrow.tid
                yield f"Threads/{tid}/Sent_at", time, time, "long", arrow.start

    def write(self, path):
        rows = sorted(self.rows(), key=lambda row: row[2])
        with open(path, "w", encoding="utf-8") as file:
            file.write("path\tstart\tend\ttype\tvalue\n")
            file.writelines("\t".join(str(cell) for cell in row) + "\n" for row in rows)


class StoredGraph:
    """What the analysis made of a trace."""

    def __init__(self, store):
        self.edges, self.arrows = [], {}
        for (kind, start, end, tid, to_tid, state), count in store.graph().items():
            assert count == 1
            if kind == "h":
                self.edges.append(Edge(tid, start, end, state))
            elif (to_tid, end) not in self.arrows or state == "DEFAULT":
                self.arrows[to_tid, end] = Arrow(start, tid, end, to_tid, state)


class Reasoned:
    """Paths by the rules of docs/design/09-kernel-analyses.md."""

    def __init__(self, graph):
        self.before = {(edge.tid, edge.end): edge for edge in graph.edges}
        self.lines = collections.defaultdict(list)
        for edge in sorted(graph.edges, key=lambda edge: edge.start):
            self.lines[edge.tid].append(edge)
        self.into = graph.arrows

    def true(self, edge):
        """Who was woken, and again, waits for a CPU."""
        earlier = self.before.get((edge.tid, edge.start))
        again = earlier is not None and earlier.state in ENDED and edge.state in ENDED
        return Edge(edge.tid, edge.start, edge.end, "PREEMPTED") if again else edge

    def waker(self, tid, time, since):
        arrow = self.into.get((tid, time))
        if arrow is None or arrow.tid in (0, tid) or arrow.start <= since:
            return None
        return None if arrow.tid < 0 and arrow.state != "NETWORK" else arrow

    def resolve(self, wait, bound):
        """The steps over a wait from `bound` on, in their order; none if nobody is known who ended it."""
        since = max(wait.start, bound)
        arrow = self.waker(wait.tid, wait.end, since)
        if arrow is None:
            return []
        steps = [Step("arrow", arrow.start, arrow.end, arrow.tid, arrow.state, wait.tid)]
        tid, time = arrow.tid, arrow.start
        while time > since and tid > 0:
            edge = self.before.get((tid, time))
            if edge is not None:
                edge = self.true(edge)
                inner = self.resolve(edge, since) if edge.state in ("BLOCKED", "NETWORK") else []
                steps[:0] = inner or [Step("state", max(edge.start, since), edge.end, tid, edge.state, tid)]
                time = edge.start
                continue
            arrow = self.waker(tid, time, since)
            if arrow is None:
                break
            steps.insert(0, Step("arrow", arrow.start, arrow.end, arrow.tid, arrow.state, tid))
            tid, time = arrow.tid, arrow.start
        first = steps[0].tid
        if time > since:
            rest = Step("state", since, time, wait.tid, wait.state, wait.tid)
            entry = [Step("arrow", time, time, wait.tid, "DEFAULT", first)] if first != wait.tid else []
            return [rest, *entry, *steps]
        if wait.start >= bound and first != wait.tid:
            steps.insert(0, Step("arrow", since, since, wait.tid, "DEFAULT", first))
        return steps

    def path(self, tid, start, end):
        steps = []
        for edge in self.lines[tid]:
            if edge.end <= start or edge.start >= end:
                continue
            true = self.true(edge)
            clipped = Edge(tid, max(edge.start, start), edge.end, true.state)
            waits = true.state in ("BLOCKED", "NETWORK")
            steps += (self.resolve(clipped, start) if waits else []) or [Step("state", *clipped[1:3], tid, true.state, tid)]
        return [step._replace(end=min(step.end, end)) for step in steps if step.start < end]


def shown(steps):
    return [(step.kind, step.start, step.end, step.tid, step.state, step.to_tid if step.kind == "arrow" else None)
            for step in steps]


def causes_of(steps, tid):
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for step in steps:
        who = step.to_tid if step.kind == "arrow" else step.tid
        sums[CAUSES[step.state]][0 if who == tid else 1] += step.end - step.start
        sums[CAUSES[step.state]][2] += step.end > step.start
    return {cause: tuple(one) for cause, one in sums.items() if one[2]}


def threads_of(steps):
    sums = collections.Counter()
    for step in steps:
        sums[step.to_tid if step.kind == "arrow" else step.tid, CAUSES[step.state]] += step.end - step.start
    return {key: ns for key, ns in sums.items() if ns and key[1] != "unknown"}


def waits_of(steps, tid):
    """[start, duration, who woke it last], of each time between two at which it ran."""
    waits, wait = [], None
    for step in steps:
        if step.kind == "state" and step.tid == tid and step.state == "RUNNING":
            wait = None
            continue
        if wait is None:
            wait = [step.start, 0, None]
            waits.append(wait)
        wait[1] = step.end - wait[0]
        if step.kind == "arrow" and step.to_tid == tid:
            wait[2] = step.tid
    return sorted(([start, ns, by] for start, ns, by in waits if ns), key=lambda wait: (-wait[1], wait[0]))


class Checker:
    def __init__(self, histree):
        self.histree, self.wrong, self.steps, self.lasting = histree, False, 0, 0

    def differ(self, what, wanted, found):
        if wanted == found:
            return
        self.wrong = True
        print(f"{what}:\n  wanted {wanted}\n  found  {found}")

    def ask(self, store, *words):
        done = subprocess.run([self.histree, *words[:1], *words[1:], "--format", "json", "--", store, str(self.tid)],
                              capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"histree {words}: {done.stderr}")
        return json.loads(done.stdout) if done.returncode == 0 else []

    def check(self, what, store, model, tid, span):
        self.tid, what = tid, f"{what}: thread {tid}, {span}"
        words = ["--from", str(span[0]), "--to", str(span[1] - 1)]
        span = span[0], span[1] - 1
        steps = model.path(tid, *span)
        self.steps += len(steps)
        self.lasting += sum(1 for step in steps if step.tid != tid)
        found = [(one["kind"], one["start"], one["end"], one["tid"], one["state"], one["to_tid"])
                 for one in self.ask(store, "why", "--table", "steps", *words)]
        self.differ(f"{what}: the path", shown(steps), found)
        found = self.ask(store, "why", *words)
        self.differ(f"{what}: causes", causes_of(steps, tid),
                    {one["cause"]: (one["itself"], one["others"], one["steps"]) for one in found})
        found = self.ask(store, "why", "--table", "threads", "--limit", "1000", *words)
        self.differ(f"{what}: threads", threads_of(steps),
                    {(one["thread"], one["did"]): one["duration"] for one in found if one["did"] != "unknown"})
        found = self.ask(store, "why", "--table", "waits", "--limit", "5", *words)
        self.differ(f"{what}: waits", waits_of(steps, tid)[:5],
                    [[one["start"], one["duration"], one["woken_by"]] for one in found])

    def check_random(self, seed, folder):
        graph, store = RandomGraph(seed), f"{folder}/{seed}.histree"
        if not graph.edges:
            return
        graph.write(f"{folder}/{seed}.tsv")
        subprocess.run([self.histree, "load", "-q", "-a", "graph", "-o", store, "--start", str(START), "--end", str(graph.time),
                        f"{folder}/{seed}.tsv"], check=True)
        pick, model = random.Random(seed), Reasoned(graph)
        for tid in pick.sample(sorted(model.lines), min(3, len(model.lines))):
            start = pick.randrange(START, graph.time)
            spans = [(START, graph.time), (start, pick.randrange(start, graph.time) + 1)]
            self.check(f"HISTREE_SEED={seed}", store, model, tid, spans[pick.random() < 0.6])


def main():
    checker = Checker(sys.argv[1])
    first = int(os.environ.get("HISTREE_SEED", "1"))
    rounds = int(os.environ.get("HISTREE_ROUNDS", "1")) * (25 if QUICK else 150)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + rounds):
            checker.check_random(seed, folder)
        store = Store(checker.histree, f"{folder}/demo.histree")
        subprocess.run([checker.histree, "build", "-q", "-a", "graph", "-o", store.path, HERE.parent / "data" / "demo-trace"],
                       check=True)
        graph = StoredGraph(store)
        end = max(edge.end for edge in graph.edges)
        busiest = collections.Counter(edge.tid for edge in graph.edges if edge.tid > 0).most_common(8)
        for tid, _ in busiest:
            checker.check("the demo", store.path, Reasoned(graph), tid, (min(edge.start for edge in graph.edges), end))
    print(f"{checker.steps} steps, {checker.lasting} of them on other threads")
    return 1 if checker.wrong or checker.lasting < checker.steps / 50 else 0


if __name__ == "__main__":
    sys.exit(main())
