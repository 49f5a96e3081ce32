#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Flame graphs of random traces in the Trace Event Format, added up twice: by histree, and here from every state.

usage: check_flames.py HISTREE

In windows drawn at random, the stacks with their times must be the same, of all threads together and by thread, as must
the rows.  HISTREE_ROUNDS traces, HISTREE_SEED is the seed of the first.
"""
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "support"))
import random_tracks  # noqa: E402 (beside this file)
from data import QUICK  # noqa: E402

State = collections.namedtuple("State", "start end kind value")
UNESCAPED = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}


def unescaped(text):
    return re.sub(r"\\[\\tnr]", lambda found: UNESCAPED[found[0]], text)


def in_line(name):
    """A name in a folded line."""
    return "".join(":" if char == ";" else " " if char < " " else char for char in name)


class Checker:
    def __init__(self, histree, folder):
        self.histree, self.folder, self.faults, self.stacks = histree, folder, 0, 0

    def run(self, *words):
        done = subprocess.run([self.histree, *words], capture_output=True, check=False, timeout=300, cwd=self.folder)
        if done.returncode > 1:
            raise RuntimeError(done.stderr.decode())
        return done.stdout.decode()

    def read(self):
        """The levels of each stack, from the outermost one on, and the names of their threads."""
        states = collections.defaultdict(list)
        for line in self.run("states", "-a", "tracks", "--format", "tsv", "x.histree").splitlines()[1:]:
            path, start, end, kind, value = line.split("\t")
            states[path].append(State(int(start), int(end), kind, unescaped(value)))
        stacks = collections.defaultdict(dict)
        for path in states:
            found = re.fullmatch(r"((?:.*/)?CallStack)/([1-9]\d*)", path)
            if found:
                stacks[found[1]][int(found[2])] = states[path]
        return states, {path: [levels[level] for level in sorted(levels)] for path, levels in stacks.items()}

    def thread(self, states, stack, end):
        owner = stack[:-len("/CallStack")] if "/" in stack else ""
        path = owner.replace("\\t", "\t") or "CallStack"
        for state in states.get(owner, []):
            if state.start <= end <= state.end and state.kind == "string" and state.value:
                return "%s (%s)" % (state.value, path)
        return path

    def sums(self, states, stacks, begin, end, by_thread):
        sums = collections.Counter()
        for stack, levels in stacks.items():
            times = sorted({begin, end + 1} | {state.start for level in levels for state in level if begin < state.start <= end})
            at = [0] * len(levels)
            group = [in_line(self.thread(states, stack, end))] if by_thread else []
            for first, after in zip(times, times[1:]):
                frames = []
                for i, level in enumerate(levels):
                    while level[at[i]].end < first:
                        at[i] += 1
                    state = level[at[i]]
                    if state.kind == "unknown":
                        frames.append("(unknown)")
                        break
                    if state.kind != "null":
                        frames.append(in_line(state.value))
                if frames:
                    sums[";".join(group + frames)] += after - first
        return sums

    def compare(self, seed, what, got, wanted):
        if got == wanted:
            return
        self.faults += 1
        for stack in sorted(set(got) | set(wanted)):
            if got.get(stack) != wanted.get(stack):
                print("seed %d: %s: %r: got %s, wanted %s" % (seed, what, stack, got.get(stack), wanted.get(stack)))
                return

    def check(self, seed):
        draw = random.Random(seed)
        with open(os.path.join(self.folder, "x.json"), "wb") as file:
            file.write(random_tracks.make(draw, draw.choice([30, 300])))
        self.run("build", "-q", "--force", "-o", "x.histree", "x.json")
        states, stacks = self.read()
        if not stacks:
            return
        first = min(state.start for levels in stacks.values() for level in levels for state in level)
        last = max(state.end for levels in stacks.values() for level in levels for state in level)
        for _ in range(3):
            begin = draw.choice([first, draw.randint(first, last)])
            end = draw.choice([last, draw.randint(begin, last)])
            for words in ([], ["--by", "thread"]):
                words = ["--from", str(begin), "--to", str(end), "x.histree", *words]
                wanted = self.sums(states, stacks, begin, end, "--by" in words)
                got = collections.Counter()
                for line in self.run("flame", "--folded", *words).split("\n")[:-1]:
                    stack, _, ns = line.rpartition(" ")
                    got[stack] += int(ns)
                self.compare(seed, "folded", got, wanted)
                self.stacks += len(got)
                rows = [line.split("\t") for line in self.run("flame", "--format", "tsv", *words).splitlines()[1:]]
                by_rows = collections.Counter()
                for row in rows:
                    by_rows[unescaped(row[6])] += int(row[3])
                self.compare(seed, "rows", +by_rows, wanted)
                total = sum(int(row[4]) for row in rows if row[0] == "1")
                self.compare(seed, "total", {"all": total}, {"all": sum(wanted.values())})


def main():
    rounds = int(os.environ.get("HISTREE_ROUNDS", 4 if QUICK else 100))
    seed = int(os.environ.get("HISTREE_SEED", 1))
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(os.path.abspath(sys.argv[1]), folder)
        for each in range(seed, seed + rounds):
            checker.check(each)
    print("%d traces, %d stacks; %d faults" % (rounds, checker.stacks, checker.faults))
    return checker.faults > 0 or checker.stacks == 0


if __name__ == "__main__":
    sys.exit(main())
