#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Memory of programs: the analyses `ust-memory` and `allocations` of random traces, equal to a model in Python.

Threads of some processes allocate and free; some calls fail, some frees are of what nobody allocated, and some
addresses are handed out again before anybody freed them.

usage: check_memory.py HISTREE
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

SIZES = {"malloc": lambda fields: fields["size"], "calloc": lambda fields: fields["nmemb"] * fields["size"],
         "realloc": lambda fields: fields["size"], "memalign": lambda fields: fields["size"],
         "posix_memalign": lambda fields: fields["size"]}


def random_events(generator, count):
    """Rows of an event each: calls of libc, and others between them."""
    time, rows = 1000, []
    processes = {pid: [pid + i for i in range(generator.randint(1, 4))] for pid in (100, 200, 300)}
    for _ in range(count):
        time += generator.choice([0, 1, 5, 100])
        pid = generator.choice(list(processes))
        tid = generator.choice(processes[pid])
        row = {"time": time, "cpu": generator.randrange(2), "vtid": tid, "vpid": pid, "procname": f"p{pid}"}
        address = generator.choice([0] + list(range(0x1000, 0x1000 + 64 * 40, 64)))
        size = generator.choice([0, 1, 24, 4096, 1 << 40])
        name = generator.choice(list(SIZES) + ["free"] * 4 + ["other"])
        row["event"] = f"lttng_ust_libc:{name}"
        if name == "calloc":
            row.update(nmemb=generator.choice([0, 1, 7, 1 << 30]), size=size, ptr=address)
        elif name == "realloc":
            row.update(in_ptr=generator.choice([0, address, 0x1000, 0x1040]), size=size, ptr=address)
        elif name == "posix_memalign":
            row.update(out_ptr=address, alignment=16, size=size, result=generator.choice([0, 0, 12]))
        elif name == "free":
            row.update(ptr=address)
        else:
            row.update(alignment=8, size=size, ptr=address)
        rows.append(row)
    return rows


class Model:
    def __init__(self):
        self.live, self.bytes = {}, collections.Counter()
        self.states, self.segments, self.now = collections.defaultdict(list), [], 0

    def note(self, *owners):
        for owner in owners:
            states = self.states[f"{owner}/Memory"]
            if states and states[-1][0] == self.now:
                states.pop()
            if not states or states[-1][1] != self.bytes[owner]:
                states.append((self.now, self.bytes[owner]))

    def end(self, key, row, how):
        block = self.live.pop(key)
        thread, process = f"Threads/{block['tid']}", f"Processes/{row['vpid']}"
        self.bytes[thread] -= block["bytes"]
        self.bytes[process] -= block["bytes"]
        if how:
            self.segments.append((block["start"], self.now, block["name"], block["tid"], row["vpid"], block["bytes"],
                                  hex(key[1]), how, row["vtid"]))
        return thread

    def take(self, row):
        self.now, name = row["time"], row["event"].partition(":")[2]
        tid, pid = row["vtid"], row["vpid"]
        thread, process = f"Threads/{tid}", f"Processes/{pid}"
        if name == "free":
            if (pid, row["ptr"]) in self.live:
                self.note(self.end((pid, row["ptr"]), row, "free"), process)
            return
        size = SIZES[name](row) if name in SIZES else None
        if size is None or size > 1 << 56 or row.get("result"):
            return
        address, touched = row.get("ptr", row.get("out_ptr")), []
        before = (pid, row.get("in_ptr", 0))
        if name == "realloc" and before[1] and (address or size == 0) and before in self.live:
            if self.live[before]["again"] and self.live[before]["tid"] != tid:
                self.live[before]["again"] = False
            else:
                touched.append(self.end(before, row, "realloc"))
        if address:
            again = (pid, address) in self.live
            if again:
                touched.append(self.end((pid, address), row, None))
            self.live[pid, address] = {"start": self.now, "tid": tid, "bytes": size, "name": name, "again": again}
            self.bytes[thread] += size
            self.bytes[process] += size
            touched.append(thread)
        if touched:
            self.note(*touched, process)

    def finish(self):
        for (pid, address), block in self.live.items():
            self.segments.append((block["start"], self.now, block["name"], block["tid"], pid, block["bytes"],
                                  hex(address), "never", ""))


def rows(histree, *words):
    done = subprocess.run([histree, *words, "--format", "csv"], capture_output=True, text=True, check=True)
    return list(csv.DictReader(done.stdout.splitlines()))


def states_of(histree, store):
    found = collections.defaultdict(list)
    for row in rows(histree, "states", store, "-a", "ust-memory"):
        if row["path"].endswith("/Memory") and row["type"] != "null":
            states = found[row["path"]]
            if not states or states[-1][1] != int(row["value"]):
                states.append((int(row["start"]), int(row["value"])))
    return found


def segments_of(histree, store):
    return [(int(row["start"]), int(row["end"]), row["name"], int(row["tid"]), int(row["pid"]), int(row["bytes"]),
             row["address"], row["freed"], int(row["freed_by"]) if row["freed_by"] else "")
            for row in rows(histree, "segments", store, "allocations")]


def check(histree, folder, seed):
    generator = random.Random(seed)
    events, model = random_events(generator, generator.choice([10, 300, 2000])), Model()
    text = folder / f"{seed}.json"
    text.write_text("".join(json.dumps(row) + "\n" for row in events))
    for row in events:
        model.take(row)
    model.now = events[-1]["time"]
    model.finish()
    contents = []
    for threads in ("1", "2"):
        store = folder / f"{seed}-{threads}.histree"
        subprocess.run([histree, "build", "--quiet", "--threads", threads, "-a", "ust-memory,allocations", "-o", store,
                        f"text:tracer=ust:{text}"], check=True)
        contents.append({path.name: path.read_bytes() for path in store.glob("*.s*")})
    states, segments = states_of(histree, store), segments_of(histree, store)
    if states != model.states:
        path = min(path for path in states.keys() | model.states.keys() if states[path] != model.states[path])
        print(f"seed {seed}: {path}: {states[path][:9]} for {model.states[path][:9]}")
        return True
    different = collections.Counter(segments)
    different.subtract(model.segments)
    different = {segment: count for segment, count in different.items() if count}
    if different:
        print(f"seed {seed}: {len(different)} segments differ: {sorted(different.items(), key=str)[:4]}")
        return True
    if contents[0] != contents[1] or not contents[0]:
        print(f"seed {seed}: other files with two threads")
        return True
    return False


def main():
    histree = sys.argv[1]
    first = int(os.environ.get("HISTREE_SEED", "1"))
    count = 3 if os.environ.get("HISTREE_TESTS") == "quick" else 20
    with tempfile.TemporaryDirectory() as folder:
        return int(any([check(histree, pathlib.Path(folder), seed) for seed in range(first, first + count)]))


if __name__ == "__main__":
    sys.exit(main())
