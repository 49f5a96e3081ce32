#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The graph of who waited for whom and critical paths: those of traces in the repository, and of others where they are,
equal to a model in Python, for every thread; and to what Trace Compass made of them, where that is.

usage: check_graph.py HISTREE TRACE...
Exit: 0 equal, 1 different.
"""
import collections
import csv
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from data import shared  # noqa: E402
from model_graph import Graph, Paths  # noqa: E402

FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|[^,]*)')
STATES = "UNKNOWN RUNNING PREEMPTED BLOCKED NETWORK TIMER BLOCK_DEVICE INTERRUPTED DEFAULT".split()
THEIRS = "--rules", "trace-compass", "--table"
THREADS_MAX = 400  # of one trace whose paths are compared


def fields_of(contents):
    return {name: json.loads(value) if value.startswith('"') else int(value) if value.lstrip("-").isdigit() else value
            for name, value in FIELD.findall(contents)}


def as_lttng(name, fields):
    """perf puts the subsystem before the name and says pid where LTTng says tid."""
    if ":" not in name:
        return name, fields
    return name.partition(":")[2], {re.sub(r"\bpid$|(?<=_)pid$", "tid", field): value for field, value in fields.items()}


class Store:
    def __init__(self, histree, path):
        self.histree, self.path = histree, path

    def rows(self, verb, *options, thread=None):
        words = ["--", self.path] if thread is None else ["--", self.path, str(thread)]
        done = subprocess.run([self.histree, verb, "--format", "tsv", *options, *words], capture_output=True, text=True,
                              check=False, errors="surrogateescape")
        if done.returncode not in (0, 1):
            sys.exit(f"histree {verb}: {done.stderr}")
        return list(csv.reader(done.stdout.splitlines()[1:], delimiter="\t", quoting=csv.QUOTE_NONE))

    def events(self):
        done = subprocess.run([self.histree, "events", self.path, "--format", "json"], capture_output=True, text=True,
                              check=True, errors="surrogateescape")
        return [(event["time"], event["cpu"], *as_lttng(event["type"], fields_of(event["contents"])))
                for event in json.loads(done.stdout, strict=False)]

    def graph(self):
        """Edges and arrows, as the model and the oracle have them."""
        out, sent, received = collections.Counter(), {}, []
        for path, start, end, _, value in self.rows("states", "-a", "graph"):
            names = path.split("/")
            if value == "" or names[0] == "Packets" or names[-1] in ("Name", "Received", "Woken_leaving_by"):
                continue
            tid, start, end = int(names[1]), int(start), int(end) + 1
            if len(names) == 2:
                out["h", start, end, tid, tid, STATES[int(value)]] += 1
            elif names[2] == "Woken_by":
                out["v", start, start, int(value), tid, "DEFAULT"] += 1
            elif names[2] == "Sent_at":
                sent[tid, start] = int(value)
            else:
                received.append((tid, start, int(value)))
        for tid, start, origin in received:
            out["v", sent[tid, start], start, origin, tid, "NETWORK"] += 1
        return out

    def path_of(self, tid):
        return [(kind, int(start), int(end), int(thread), state, int(to) if to else None, name, host, to_host)
                for kind, start, end, host, thread, name, state, to_host, to in self.rows("why", *THEIRS, "steps", thread=tid)]


def differ(what, wanted, found):
    if wanted == found:
        return False
    print(f"{what}: {len(list((wanted - found).elements()))} missing, {len(list((found - wanted).elements()))} extra")
    for row in [*(wanted - found).elements()][:3]:
        print("  missing", row)
    for row in [*(found - wanted).elements()][:3]:
        print("  extra  ", row)
    return True


def check_model(name, store):
    graph = Graph(store.events())
    wanted = collections.Counter(("h", edge.start, edge.end, edge.tid, edge.tid, edge.state) for edge in graph.edges)
    wanted.update(("v", arrow.start, arrow.end, arrow.tid, arrow.to_tid, arrow.state)
                  for arrow in graph.arrows.values())
    wrong = differ(f"{name}: the graph", wanted, store.graph())
    paths = Paths(graph)
    busiest = collections.Counter(edge.tid for edge in graph.edges).most_common(THREADS_MAX)
    for tid, _ in busiest[::max(1, len(busiest) // 50)]:
        path = collections.Counter(paths.path(tid))
        wrong |= differ(f"{name}: the path of {tid}", path, collections.Counter(step[:6] for step in store.path_of(tid)))
    return wrong


def read_oracle(path):
    with gzip.open(path, "rt") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def check_oracle(name, store, folder):
    rows = read_oracle(folder / f"{name}.graph.tsv.gz")
    wanted = collections.Counter((row["kind"], int(row["from_time"]), int(row["to_time"]), int(row["tid"]),
                                  int(row["to_tid"]), row["state"]) for row in rows)
    wrong = differ(f"{name}: the graph of Trace Compass", wanted, store.graph())
    paths = collections.defaultdict(collections.Counter)
    for row in read_oracle(folder / f"{name}.critpath.tsv.gz"):
        to = int(row["to_tid"]) if row["to_tid"] else None
        paths[int(row["path_tid"])][row["kind"], int(row["start"]), int(row["end"]), int(row["tid"]), row["state"], to,
                                    row["name"], row["host"], row["to_host"]] += 1
    for tid, path in paths.items():
        wrong |= differ(f"{name}: the path of {tid} by Trace Compass", path, collections.Counter(store.path_of(tid)))
    return wrong


def check_totals(store, tid):
    sums = collections.Counter()
    for kind, start, end, thread, state, *_ in store.path_of(tid):
        sums[thread, state] += end - start if kind == "state" else 0
    found = {(int(row[1]), row[3]): int(row[4]) for row in store.rows("why", *THEIRS, "totals", thread=tid)}
    return differ(f"totals of {tid}", collections.Counter({key: ns for key, ns in sums.items() if ns}),
                  collections.Counter({key: ns for key, ns in found.items() if ns}))


def main():
    histree, *traces = sys.argv[1:]
    oracle, wrong = shared("oracle"), False
    with tempfile.TemporaryDirectory() as folder:
        for trace in traces:
            at = HERE.parent / "data" / trace
            if not at.exists():
                at = shared(trace)
            if at is None:
                continue
            name, store = pathlib.Path(trace).name, Store(histree, f"{folder}/{pathlib.Path(trace).name}.histree")
            subprocess.run([histree, "build", "--quiet", "-a", "graph", "-o", store.path, at], check=True)
            wrong |= check_model(name, store)
            wrong |= check_totals(store, store.graph().most_common(1)[0][0][3])
            if oracle is not None and (oracle / f"{name}.graph.tsv.gz").exists():
                wrong |= check_oracle(name, store, oracle)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
