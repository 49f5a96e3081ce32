#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What histree exports for viewers, read by viewer_files.py, against what histree states prints.

usage: check_viewers.py HISTREE

Each state of the demo trace is a span with its words, value and times, and nothing else is; spans nest, times ascend, and
flows begin and end on spans.  Random traces of tracks go through either format and our own readers, and come back as they
were.  Values of any bytes and numbers leave JSON valid.  HISTREE_ROUNDS traces, HISTREE_SEED is the seed of the first.
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "support"))
import viewer_files  # noqa: E402 (beside this file)
from data import QUICK, SOURCE  # noqa: E402

THREAD_WORDS = ["unknown", "blocked", "user mode", "system call", "interrupted", "waits for a CPU", "waits, cause unknown", "just made"]
IDLE_WORDS = {2: "idle loop", 4: "idle loop, interrupted", 5: "idle loop off CPU"}  # and "idle loop, other"
CPU_WORDS = {0: "idle", 2: "user mode", 4: "system call", 8: "softirq", 16: "interrupt"}
SOFT_IRQ_WORDS = {1: "softirq raised", 8: "softirq", 9: "softirq"}


class Checker:
    def __init__(self, histree, folder):
        self.histree, self.folder = histree, folder
        self.faults = self.spans = 0

    def run(self, *words, status=0):
        done = subprocess.run([self.histree, *words], capture_output=True, check=False, timeout=300, cwd=self.folder)
        if done.returncode != status:
            self.fail("%s: exit %d: %s" % (" ".join(words), done.returncode, done.stderr.decode()[-300:]))
        return done.stdout

    def rows(self, *words):
        return json.loads(self.run(*words, "--format", "json") or b"[]")

    def fail(self, text):
        self.faults += 1
        print(text)

    def compare(self, what, got, wanted):
        got, wanted = collections.Counter(got), collections.Counter(wanted)
        self.spans += sum(got.values())
        for each, count in ((got - wanted).most_common(3)):
            self.fail("%s: has %s %d times too often" % (what, each, count))
        for each, count in ((wanted - got).most_common(3)):
            self.fail("%s: lacks %s %d times" % (what, each, count))

    def viewed(self, *words, status=0):
        chrome = viewer_files.read_chrome(self.run("export", *words, "--format", "chrome", status=status))
        perfetto = viewer_files.read_perfetto(self.run("export", *words, "--format", "perfetto", status=status))
        for name, viewed in (("chrome", chrome), ("perfetto", perfetto)):
            broken = viewer_files.nests(viewed)
            if broken:
                self.fail("%s %s: a span outlives another: %s" % (name, words, broken))
            for track, times in viewed.times.items():
                if any(a > b for a, b in zip(times, times[1:])):
                    self.fail("%s %s: track %s is not in the order of time" % (name, words, track))
        # What is asynchronous has another category and track in JSON.
        self.compare("perfetto and chrome", [span[2:] for span in perfetto.spans], [span[2:] for span in chrome.spans])
        if chrome.names != perfetto.names:
            self.fail("%s: names of threads differ" % (words,))
        self.compare("flows", [(flow.is_end, flow.time) for flow in perfetto.flows],
                     [(flow.is_end, flow.time) for flow in chrome.flows])
        return chrome, perfetto


# ---- a kernel

def words_of(row, parts):
    """(category, name, value) of a state that a viewer shows; None: it shows none."""
    value, kind = row["value"], row["type"]
    if kind == "null":
        return None
    if parts[0] == "Threads" and parts[1].startswith("0_") and len(parts) == 2 and kind != "unknown":
        return ("status", IDLE_WORDS.get(value, "idle loop, other"))
    if parts[0] == "Threads" and len(parts) == 2:
        return ("status", "unknown" if kind == "unknown" else THREAD_WORDS[value])
    if parts[0] == "Threads" and parts[2] == "System_call":
        return ("system call", "unknown" if kind == "unknown" else value)
    if parts[0] == "CPUs" and len(parts) == 2:
        return ("status", "unknown" if kind == "unknown" else CPU_WORDS[value])
    if parts[0] == "CPUs" and parts[2] == "Current_thread":
        return ("thread", value)
    if "IRQs" in parts[-2:-1]:
        return ("interrupt", None)
    if "Soft_IRQs" in parts[-2:-1]:
        return ("softirq", "unknown" if kind == "unknown" else SOFT_IRQ_WORDS[value])
    return None


def split(path):
    parts, at = [""], 0
    while at < len(path):
        if path[at] == "\\":
            at += 1
            parts[-1] += path[at]
        elif path[at] == "/":
            parts.append("")
        else:
            parts[-1] += path[at]
        at += 1
    return parts


def seen(span):
    """A span as words_of() has it: where names need a table, by the value."""
    if span.category == "thread":
        return (span.category, int(dict(span.arguments).get("value", 0)), span.start, span.end)
    return (span.category, None if span.category == "interrupt" else span.name, span.start, span.end)


def check_kernel(checker, store, *region):
    chrome, perfetto = checker.viewed(store, *region)
    wanted, per_thread, counts = [], [], []
    for row in checker.rows("states", store):
        parts = split(row["path"])
        words = words_of(row, parts)
        if words is not None and not (words[0] == "thread" and row["type"] == "unknown"):
            wanted.append((*words, row["start"], row["end"] + 1))
        if words is not None and parts[0] == "Threads" and not parts[1].startswith(("0_", "-")):
            per_thread.append((int(parts[1]), *words, row["start"], row["end"] + 1))
        if parts[-1] == "Frequency" and row["type"] in ("int", "long"):
            counts.append((row["start"], row["value"]))
    for name, viewed in (("chrome", chrome), ("perfetto", perfetto)):
        checker.compare("%s of %s" % (name, store), [seen(span) for span in viewed.spans if span.name != "unknown" or
                                                     span.category not in ("thread",)], wanted)
        checker.compare("threads in %s of %s" % (name, store),
                        [(span.track[2], span.category, span.name, span.start, span.end) for span in viewed.spans
                         if span.track[0] == "thread"], per_thread)
        checker.compare("counters in %s of %s" % (name, store), [(time, value) for _, time, value in viewed.counts], counts)
        check_flows(checker, store, name, viewed)
        for span in viewed.spans:
            value = dict(span.arguments).get("value")
            if span.category == "status" and span.name == "blocked" and value != "1":
                checker.fail("%s: a status without its value: %s" % (name, span))
    return chrome


def check_flows(checker, store, name, viewed):
    """Each end lies on a span of its thread, and each flow has two."""
    by_track = collections.defaultdict(list)
    for span in viewed.spans:
        by_track[span.track].append((span.start, span.end))
    ids = collections.Counter()
    for flow in viewed.flows:
        ids[flow.id] += 1
        if not any(start <= flow.time < end for start, end in by_track[flow.track]):
            checker.fail("%s of %s: a flow meets no span: %s" % (name, store, flow))
    if any(count != 2 for count in ids.values()):
        checker.fail("%s of %s: a flow has not two ends" % (name, store))
    if store.startswith("demo") and not ids:
        checker.fail("%s of %s: no wake-up is a flow" % (name, store))


def check_region(checker, store, chrome):
    """What goes beyond a range is cut at its ends."""
    start = min(span.start for span in chrome.spans)
    begin, end = start + 10_000_000, start + 12_000_000
    part, _ = checker.viewed(store, "--from", str(begin), "--to", str(end))
    wanted = [(span.track, span.category, span.name, max(span.start, begin), min(span.end, end + 1))
              for span in chrome.spans if span.start <= end and span.end > begin]
    checker.compare("a range of %s" % store,
                    [(span.track, span.category, span.name, span.start, span.end) for span in part.spans], wanted)


def check_built_again(checker, store, chrome):
    """Our own readers find the spans that were written."""
    for ending in ("json", "pftrace"):
        checker.run("export", store, "-o", "again." + ending)
        checker.run("build", "-q", "-f", "-o", "again.histree", "again." + ending)
        got = [(row["name"], row["start"], row["end"])
               for row in checker.rows("segments", "again.histree", "track-spans")]
        checker.compare("built again of %s" % ending, got, [(span.name, span.start, span.end) for span in chrome.spans])
        os.remove(os.path.join(checker.folder, "again." + ending))


def check_segments(checker, store, name):
    chrome, perfetto = checker.viewed(store, "-a", name)
    rows = checker.rows("segments", store, name)
    wanted = [(row["name"], row["start"], row["end"]) for row in rows]
    for viewed in (chrome, perfetto):
        checker.compare("segments of %s" % store, [span[2:3] + span[4:] for span in viewed.spans], wanted)
    tids = [(row["tid"], row["start"]) for row in rows if row.get("tid") is not None]
    if tids:
        checker.compare("threads of segments", [(span.track[2], span.start) for span in chrome.spans
                                                if span.track[0] == "thread"], tids)


# ---- tracks

NAMES = ["ask", "draw \"it\"", "line\nbreak", "tab\t", "back\\slash", "a/b", "ünï☃", "handle", "\u0001"]


def random_trace(draw):
    """Spans that nest on threads, asynchronous ones, counters and flows; no two things happen at one time."""
    events, time = [], 1000

    def now():
        nonlocal time
        time += draw.randrange(1, 5000)
        return time / 1000

    stacks = collections.defaultdict(list)
    for pid in (1, 70000):
        events.append({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": draw.choice(NAMES)}})
        for tid in (pid, pid + 1):
            events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": draw.choice(NAMES)}})
    requests = []
    for _ in range(draw.randrange(20, 200)):
        what, pid = draw.randrange(8), draw.choice((1, 70000))
        tid = pid + draw.randrange(2)
        if what < 3 and len(stacks[pid, tid]) < 5:
            stacks[pid, tid].append(draw.choice(NAMES))
            events.append({"ph": "B", "name": stacks[pid, tid][-1], "pid": pid, "tid": tid, "ts": now()})
        elif what < 5 and stacks[pid, tid]:
            stacks[pid, tid].pop()
            events.append({"ph": "E", "pid": pid, "tid": tid, "ts": now()})
        elif what == 5:
            events.append({"ph": "C", "name": draw.choice(NAMES), "pid": pid, "ts": now(),
                           "args": {"value": draw.choice((draw.randrange(100), draw.random(), -1e300))}})
        elif what == 6 and len(requests) < 5:
            requests.append((draw.choice(NAMES), pid, "0x%x" % len(events)))
            events.append({"ph": "b", "cat": "net", "name": requests[-1][0], "pid": pid, "id": requests[-1][2], "ts": now()})
        elif what == 7 and requests:
            name, pid, key = requests.pop(draw.randrange(len(requests)))
            events.append({"ph": "e", "cat": "net", "name": name, "pid": pid, "id": key, "ts": now()})
    for (pid, tid), stack in stacks.items():
        for _ in stack:
            events.append({"ph": "E", "pid": pid, "tid": tid, "ts": now()})
    for name, pid, key in requests:
        events.append({"ph": "e", "cat": "net", "name": name, "pid": pid, "id": key, "ts": now()})
    flow = [event for event in events if event["ph"] == "B"][:10]
    for number, (one, other) in enumerate(zip(flow, flow[1:])):
        events.append({"ph": "s", "name": "post", "cat": "x", "id": number, "pid": one["pid"], "tid": one["tid"],
                       "ts": one["ts"]})
        events.append({"ph": "f", "bp": "e", "name": "post", "cat": "x", "id": number, "pid": other["pid"],
                       "tid": other["tid"], "ts": other["ts"]})
    return events


def meaning(rows):
    """Rows of a dump that matter: null at the ends depends on where the trace begins and ends."""
    out = collections.defaultdict(list)
    for row in rows:
        parts = split(row["path"])
        if row["type"] in ("null",) or parts[-1] == "CallStack" and row["value"] == 0:
            continue
        is_name = len(parts) in (2, 3) and parts[0] == "Processes" and parts[-1].lstrip("-").isdigit()
        value = float(row["value"]) if row["type"] in ("double", "long") else row["value"]
        out[row["path"]].append((None if is_name else row["start"], value))
    return dict(out)


def check_tracks(checker, seed):
    draw = random.Random(seed)
    with open(os.path.join(checker.folder, "tracks.json"), "w", encoding="utf-8") as file:
        json.dump({"traceEvents": random_trace(draw)}, file)
    checker.run("build", "-q", "-f", "-o", "tracks.histree", "tracks.json")
    checker.viewed("tracks.histree")
    rows = checker.rows("states", "tracks.histree")
    wanted = meaning(rows)
    flows = [(row["start"], row["end"], row["from_tid"], row["to_tid"])
             for row in checker.rows("segments", "tracks.histree", "track-flows")]
    for ending in ("json", "pftrace"):
        checker.run("export", "tracks.histree", "-f", "-o", "again." + ending)
        checker.run("build", "-q", "-f", "-o", "again.histree", "again." + ending)
        got = meaning(checker.rows("states", "again.histree"))
        if got != wanted:
            for path in sorted(set(got) | set(wanted)):
                if got.get(path) != wanted.get(path):
                    checker.fail("seed %d: %s: %s: %s, not %s" % (seed, ending, path, got.get(path), wanted.get(path)))
                    break
        again = [(row["start"], row["end"], row["from_tid"], row["to_tid"])
                 for row in checker.rows("segments", "again.histree", "track-flows")] if flows else []
        checker.compare("seed %d: flows in %s" % (seed, ending), again, flows)
        checker.spans += len(rows)


# ---- values of any kind

def check_values(checker):
    lines = [b"path\tstart\tend\ttype\tvalue", b"A/x\t0\t9\tdouble\tnan", b"A/x\t10\t19\tdouble\t-inf",
             b"A/x\t20\t29\tdouble\t1.5", b"A/\"q\\n,\t0\t29\tstring\ta\\tb\"\xff\xed\xa0\x80", b"B\t0\t29\tcustom\t00ff",
             b"C\t5\t29\tbool\ttrue", b"D\t0\t29\tlong\t-9223372036854775808", b"E\t0\t29\tnull\t",
             b"F\\/g/h\t0\t29\tint\t-3"]
    with open(os.path.join(checker.folder, "values.tsv"), "wb") as file:
        file.write(b"\n".join(lines) + b"\n")
    checker.run("load", "-q", "-o", "values.histree", "values.tsv")
    chrome, perfetto = checker.viewed("values.histree")
    spans = {(span.track, span.name, span.start, span.end) for span in chrome.spans}
    wanted = {(("A", "\"q\n,"), "a\tb\"\ufffd\ufffd\ufffd\ufffd", 0, 30), (("states", "B"), "00ff", 0, 30),
              (("states", "C"), "true", 5, 30), (("F/g", "h"), "-3", 0, 30)}
    checker.compare("values", spans, wanted)
    checker.compare("numbers in JSON", [(track, time, float(value)) for track, time, value in chrome.counts],
                    [(("A", "x"), 20, 1.5), (("states", "D"), 0, -2.0**63)])
    checker.compare("numbers of Perfetto", [(time, str(value)) for _, time, value in perfetto.counts],
                    [(0, "nan"), (10, "-inf"), (20, "1.5"), (0, "-9223372036854775808")])
    chrome, perfetto = checker.viewed("values.histree", "E", status=1)
    if chrome.spans or perfetto.spans:
        checker.fail("an empty answer has spans")


def check_overlaps(checker, seed):
    """Segments that overlap are all there, and nest on their tracks."""
    draw = random.Random(seed)
    with open(os.path.join(checker.folder, "overlaps.tsv"), "w", encoding="utf-8") as file:
        file.write("start\tend\tname\ttid\targ\n")
        for number in range(draw.randrange(1, 400)):
            start = draw.randrange(200)
            file.write("%d\t%d\tn%d\t%d\t%d\n" % (start, start + draw.choice((0, 1, draw.randrange(100))), number,
                                                 draw.randrange(3), number))
    checker.run("load", "-q", "-f", "-o", "overlaps.histree", "overlaps.tsv")
    rows = checker.rows("segments", "overlaps.histree", "segments")
    for viewed in checker.viewed("overlaps.histree", "-a", "segments"):
        checker.compare("seed %d: overlaps" % seed,
                        [(span.name, span.start, span.end, dict(span.arguments)["arg"]) for span in viewed.spans],
                        [(row["name"], row["start"], row["end"], str(row["arg"])) for row in rows])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rounds = int(os.environ.get("HISTREE_ROUNDS", "5" if QUICK else "40"))
    first = int(os.environ.get("HISTREE_SEED", "1"))
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(os.path.abspath(sys.argv[1]), folder)
        demo = str(SOURCE / "tests" / "data" / "demo-trace")
        checker.run("build", "-q", "-a", "kernel,wakeups,system-calls,softirqs", "-o", "demo.histree", demo)
        chrome = check_kernel(checker, "demo.histree")
        check_region(checker, "demo.histree", chrome)
        check_built_again(checker, "demo.histree", chrome)
        for name in ("system-calls", "wakeups", "softirqs"):
            check_segments(checker, "demo.histree", name)
        check_values(checker)
        for seed in range(first, first + rounds):
            check_tracks(checker, seed)
            check_overlaps(checker, seed)
        print("%d spans and states, %d faults" % (checker.spans, checker.faults))
        return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
