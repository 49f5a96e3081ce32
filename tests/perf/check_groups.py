#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Counters of groups that samples of perf read: random recordings in either byte order, of CPUs and of threads, against a model;
and what perf itself records here, if it may.

usage: check_groups.py HISTREE
HISTREE_SEED and HISTREE_ROUNDS make recordings again.
"""
import collections
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import drawn_recordings

HISTREE = str(pathlib.Path(sys.argv[1]).resolve())
IP, TID, TIME, READ, ID, CPU, IDENTIFIER = 1 << 0, 1 << 1, 1 << 2, 1 << 4, 1 << 6, 1 << 7, 1 << 16
ENABLED, RUNNING, WITH_ID, GROUP, LOST = (1 << bit for bit in range(5))
EVENT_DESC, MAGIC = 12, 0x32454c4946524550
NAMES = ["cycles", "instructions:u", "page-faults"]
TIMES = {ENABLED: "perf_time_enabled", RUNNING: "perf_time_running"}
LAST = len(NAMES) - 1  # is in no group


class Recording:
    def __init__(self, pick):
        self.pick, self.order = pick, pick.choice("<>")
        self.of_cpus = pick.random() < 0.5
        self.sample_type = IP | TID | TIME | READ | (CPU if self.of_cpus else 0) | pick.choice([ID, IDENTIFIER, ID | IDENTIFIER])
        self.read_format = WITH_ID | GROUP | (LOST if pick.random() < 0.5 else 0)
        for bit in ENABLED, RUNNING:
            self.read_format |= bit if pick.random() < 0.6 else 0
        self.owners = [0, 1, 2] if self.of_cpus else [41, 42]  # CPUs, or threads
        self.values = collections.defaultdict(lambda: pick.randrange(10**6))
        self.times = collections.defaultdict(lambda: [pick.randrange(10**6)] * 2)  # enabled, running
        self.read, self.sums, self.fields, self.records = {}, {}, [], b""
        self.before, self.periods = collections.defaultdict(int), []  # of each event's samples, as perf hands them out

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def id(self, event, owner):
        return 500 + 10 * owner + event

    def attribute(self, event):
        # The last event is counted alone; its samples have the parts of all, as perf has it.
        read_format = self.read_format if event != LAST else WITH_ID
        return self.pack("IIQQQQQ", 1, 128, event, 1000, self.sample_type, read_format, 0).ljust(128, b"\0")

    def sample(self, time):
        owner, pick = self.pick.choice(self.owners), self.pick
        tid = pick.choice([41, 42]) if self.of_cpus else owner
        id_ = self.id(0, owner)
        members = [0, 1]
        for event in members:
            self.values[event, owner] += pick.choice([0, 1, 1000, 1 << 34])
        if pick.random() < 0.05:
            self.values[1, owner] = 3  # begins anew
        body = self.pack("Q", id_) if self.sample_type & IDENTIFIER else b""
        body += self.pack("QiiQ", 0x1000, 40, tid, time)
        if self.sample_type & ID:
            body += self.pack("Q", id_)
        if self.of_cpus:
            body += self.pack("II", owner, 0)
        is_cut = pick.random() < 0.05
        body += self.pack("Q", 1 << 60 if is_cut else len(members))
        times = self.turn(owner)
        body += b"".join(self.pack("Q", times[bit]) for bit in times)
        for event in members:
            body += self.pack("QQ", self.values[event, owner], self.id(event, owner))
            body += self.pack("Q", 9) if self.read_format & LOST else b""
        self.records += self.pack("IHH", 9, 2, 8 + len(body)) + body
        read = {f"perf_read_{NAMES[event]}": self.values[event, owner] for event in members}
        self.fields.append(None if is_cut else {TIMES[bit]: times[bit] for bit in times} | read)
        if is_cut:
            self.periods.append((NAMES[0], 1000))  # as its attribute says
            return
        for event in members:
            now, before = self.values[event, owner], self.before[event, owner]
            count, self.before[event, owner] = max(0, now - before), now
            if event == 0 or count > 0:
                self.periods.append((NAMES[event], count))
        for event in members:
            path = f"{'CPUs' if self.of_cpus else 'Threads'}/{owner}/perf_read_{NAMES[event]}"
            now = self.values[event, owner]
            changes = self.sums.setdefault(path, [])
            total = (changes[-1][1] if changes else 0) + self.counted(event, owner, now, times)
            if not changes or changes[-1][1] != total:
                changes.append((time, total))

    def turn(self, owner):
        """For how long the group was to count so far, and did: not always, and now and then not at all."""
        enabled, pick = self.pick.choice([1, 1000, 10**6]), self.pick
        self.times[owner] = [self.times[owner][0] + enabled,
                             self.times[owner][1] + pick.choice([0, enabled, pick.randint(0, enabled)])]
        if pick.random() < 0.02:
            self.times[owner] = [5, 3]  # begins anew
        return {bit: value for bit, value in zip((ENABLED, RUNNING), self.times[owner]) if self.read_format & bit}

    def counted(self, event, owner, value, times):
        """Since the last reading at which the group had counted, scaled to the time for which it was to."""
        before, before_times = self.read.get((event, owner), (value, times))
        is_first = (event, owner) not in self.read
        enabled, running = (times.get(bit, 0) - before_times.get(bit, 0) for bit in (ENABLED, RUNNING))
        if not is_first and len(times) == 2 and running == 0:
            return 0
        self.read[event, owner] = value, times
        amount = max(0, value - before)
        return (amount * enabled + running // 2) // running if len(times) == 2 and 0 < running < enabled else amount

    def write(self, path):
        head, count = 104, len(NAMES)
        ids = [b"".join(self.pack("Q", self.id(event, owner)) for owner in self.owners) for event in range(count)]
        ids_at = head + 144 * count
        attributes = b""
        for event in range(count):
            attributes += self.attribute(event) + self.pack("QQ", ids_at, len(ids[event]))
            ids_at += len(ids[event])
        words = b""
        for event, name in enumerate(NAMES):
            text = name.encode().ljust(32, b"\0")
            words += self.attribute(event) + self.pack("II", len(self.owners), len(text)) + text + ids[event]
        words = self.pack("II", count, 128) + words
        data_at = ids_at
        behind = data_at + len(self.records)
        path.write_bytes(self.pack("QQQQQQQQQ", MAGIC, head, 144, head, 144 * count, data_at, len(self.records), 0, 0) +
                         self.pack("QQQQ", 1 << EVENT_DESC, 0, 0, 0) + attributes + b"".join(ids) + self.records +
                         self.pack("QQ", behind + 16, len(words)) + words)


def ask(*words):
    done = subprocess.run([HISTREE, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return done.stdout


def sums_of(store):
    sums = {}
    for line in ask("states", store, "-a", "counters", "--format", "tsv").splitlines()[1:]:
        path, start, _, _, value = line.split("\t")
        if value:
            sums.setdefault(path, []).append((int(start), int(value)))
    return sums


def fields_of(store):
    found = []
    for event in json.loads(ask("events", store, "--format", "json"), strict=False):
        found.append({name: int(value) for name, value in re.findall(r"(perf_(?:read|time)_\S+)=(\d+)", event["contents"])} or None)
    return found


def periods_of(store):
    rows = ask("segments", store, "-a", "samples", "--columns", "event,period", "--format", "tsv").splitlines()[1:]
    return [(event, int(period)) for event, period in (row.split("\t") for row in rows)]


def drawn(pick, folder):
    recording, time = Recording(pick), 10**9
    for _ in range(pick.choice([1, 20, 300])):
        time += pick.choice([1, 10, 1000])
        recording.sample(time)
    recording.write(folder / "perf.data")
    ask("build", "-q", "--force", "-a", "counters,samples", "-o", folder / "store", folder / "perf.data")
    found, wanted = collections.Counter(periods_of(folder / "store")), collections.Counter(recording.periods)
    assert found == wanted, (found - wanted, wanted - found)
    found, wanted = sums_of(folder / "store"), {path: changes for path, changes in recording.sums.items()}
    assert found == wanted, (found, wanted)
    found = fields_of(folder / "store")
    assert found == recording.fields, [both for both in zip(found, recording.fields) if both[0] != both[1]][:3]


def recorded(folder):
    """What perf dumps of its own recording.  Returns False if it may not record."""
    if shutil.which("perf") is None:
        return False
    data = folder / "own.data"
    done = subprocess.run(["perf", "record", "-q", "-a", "-F", "200", "-e", "{cpu-clock,page-faults}:S", "-o", data, "--", "sh", "-c",
                           # Some periods of 5 ms, on whatever machine: of one sample there is no difference to the next.
                           "ls / >/dev/null; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; ls / >/dev/null"],
                          capture_output=True)
    if done.returncode != 0 or not data.exists():
        return False
    dump = subprocess.run(["perf", "script", "-D", "-i", data], capture_output=True, text=True).stdout
    # Whole samples only: each with its two values.
    pairs = re.findall(r"\.{4,} id [0-9a-f]+, value ([0-9a-f]+)", dump)
    if not pairs:
        return False
    ask("build", "-q", "--force", "-a", "counters,samples", "-o", folder / "own", data)
    told = subprocess.run(["perf", "script", "-F", "event,period", "-i", data], capture_output=True, text=True).stdout
    told = [(event, int(period)) for period, event in re.findall(r"(\d+) +(\S+): *$", told, re.MULTILINE)]
    assert sorted(periods_of(folder / "own")) == sorted(told), (len(told), periods_of(folder / "own")[:4], told[:4])
    found = [one for one in fields_of(folder / "own") if one]
    values = sorted(value for one in found for name, value in one.items() if name.startswith("perf_read_"))
    assert values == sorted(int(value, 16) for value in pairs), (len(values), len(pairs))
    sums = sums_of(folder / "own")
    assert any(path.endswith("/perf_read_cpu-clock") and changes[-1][1] > 0 for path, changes in sums.items()), sums.keys()
    return True


if __name__ == "__main__":
    sys.exit(drawn_recordings.check(8, drawn, recorded))
