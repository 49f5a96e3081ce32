#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
CSV and SQLite that histree exports, value by value against what histree states and histree segments print; and files of all
formats that cannot be written.

usage: check_tables.py HISTREE

CSV is read by Python's csv, strictly; databases by Python's sqlite3, without any extension.  A disk that is full after each
number of KiB (RLIMIT_FSIZE) leaves the older file as it was, and nothing else.
"""
import collections
import csv
import io
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "support"))
from data import QUICK, SOURCE  # noqa: E402

TEXTS = ["", "a", "two words", "com,ma", "quo\"te", "\"", "new\nline", "cr\rlf\r\n", "tab\t", "ünï☃", " lead", "a" * 300_000]


class Checker:
    def __init__(self, histree, folder):
        self.histree, self.folder = histree, folder
        self.faults = self.cells = 0

    def run(self, *words, status=0, limit=None):
        def lower():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        done = subprocess.run([self.histree, *words], capture_output=True, check=False, timeout=300, cwd=self.folder,
                              preexec_fn=lower if limit is not None else None)
        if status is not None and done.returncode != status:
            self.fail("%s: exit %d: %s" % (" ".join(words), done.returncode, done.stderr.decode()[-300:]))
        return done

    def rows(self, *words):
        return json.loads(self.run(*words, "--format", "json").stdout or b"[]")

    def csv(self, *words):
        text = self.run("export", *words, "--format", "csv").stdout.decode("utf-8")
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))

    def fail(self, text):
        self.faults += 1
        print(text[:500])

    def compare(self, what, got, wanted):
        got, wanted = collections.Counter(got), collections.Counter(wanted)
        self.cells += sum(map(len, got))
        for each in list((got - wanted))[:3]:
            self.fail("%s: has %r" % (what, each))
        for each in list((wanted - got))[:3]:
            self.fail("%s: lacks %r" % (what, each))

    def path(self, name):
        return os.path.join(self.folder, name)


def real(text):
    """Of dump, whose JSON has a text where a number is none."""
    return repr(float(text))


def columns_of(row):
    """value, real and text of a row of a dump."""
    kind, value = row["type"], row["value"]
    if kind in ("int", "long"):
        return str(value), None, None
    if kind == "bool":
        return str(int(value)), None, None
    if kind == "double":
        return None, real(value), None
    return None, None, value if kind in ("string", "custom") else None


def check_states(checker, store, *patterns):
    rows = [row for row in checker.rows("states", store)]
    wanted = []
    for row in rows:
        number, floating, text = columns_of(row)
        wanted.append((row["path"], str(row["start"]), str(row["end"]), str(row["end"] - row["start"] + 1), row["type"],
                       number or "", floating or "", text or ""))
    got = [(row["path"], row["start"], row["end"], row["duration"], row["type"], row["value"],
            real(row["real"]) if row["real"] else "", row["text"]) for row in checker.csv(store, *patterns)]
    checker.compare("CSV of %s" % store, got, wanted)
    name = checker.path("states.sqlite")
    checker.run("export", store, *patterns, "-f", "-o", name)
    database = sqlite3.connect(name)
    got = []
    for path, start, end, duration, kind, value in database.execute(
            'SELECT path, start, "end", duration, type, value FROM named_states'):
        got.append((path, str(start), str(end), str(duration), kind,
                    str(value) if isinstance(value, int) else "", repr(value) if isinstance(value, float) else
                    "nan" if kind == "double" and value is None else "", value if isinstance(value, str) else ""))
    checker.compare("SQLite of %s" % store, got, wanted)
    plan = " ".join(str(row) for row in database.execute(
        "EXPLAIN QUERY PLAN SELECT * FROM named_states WHERE path = 'x' AND start < 5"))
    if ("SCAN" in plan and len(rows) > 1000) or database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
        checker.fail("SQLite of %s: no index serves, or it is damaged: %s" % (store, plan))
    if database.execute("PRAGMA journal_mode").fetchone()[0] not in ("delete", "off"):
        checker.fail("a database that wants another mode")
    return database


def check_segments(checker, store, name, table):
    rows = checker.rows("segments", store, name)
    fields = [field for field in rows[0] if field not in ("start", "end", "duration", "clock", "lasts")]
    wanted = [tuple(str(value) if value is not None else "" for value in
                    [row["start"], row["end"], row["end"] - row["start"]] + [row[field] for field in fields]) for row in rows]
    head = ["start", "end", "duration"] + fields
    got = [tuple(row[field] for field in head) for row in checker.csv(store, "-a", name)]
    checker.compare("CSV of %s" % name, got, wanted)
    database = sqlite3.connect(checker.path("all.sqlite"))
    got = [tuple(str(value) if value is not None else "" for value in row) for row in
           database.execute("SELECT %s FROM %s" % (", ".join('"%s"' % field for field in head), table))]
    checker.compare("SQLite of %s" % name, got, wanted)


def check_random(checker, seed):
    """Values of each type, texts of any kind."""
    draw = random.Random(seed)
    with open(checker.path("random.json"), "w", encoding="utf-8") as file:
        for number in range(draw.randrange(1, 12)):
            path = "".join(each for each in draw.choice(TEXTS)[:50] if each not in "\\/") + "x%d" % number
            time, kinds = 0, draw.choice((("int",), ("bool",), ("long",), ("string",), ("double",)))
            while time < 1000:
                end = min(1000, time + draw.randrange(1, 300))
                kind = draw.choice(kinds + ("null",))
                value = {"null": None, "int": draw.randrange(-9, 9), "bool": draw.random() < .5,
                         "long": draw.choice((-2**63, 2**63 - 1)), "string": draw.choice(TEXTS[:-1]),
                         "double": draw.choice((0.1, -1e300, 5e-324))}[kind]
                file.write(json.dumps({"path": path, "start": time, "end": end, "type": kind, "value": value}) + "\n")
                time = end + 1
    checker.run("load", "-q", "-f", "-o", "random.histree", "random.json")
    check_states(checker, "random.histree")


def check_long_text(checker):
    with open(checker.path("long.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps({"path": "A", "start": 0, "end": 9, "type": "string", "value": ("\"" * 20_000 + "b")}) + "\n")
    checker.run("load", "-q", "-f", "-o", "long.histree", "long.json")
    check_states(checker, "long.histree")


def check_full_disks(checker, store):
    """Each format, with room for some of its file only."""
    for ending in ("csv", "arrow", "arrows", "parquet", "sqlite", "json", "pftrace"):
        name = checker.path("full." + ending)
        with open(name, "w", encoding="ascii") as file:
            file.write("older")
        checker.run("export", store, "-o", checker.path("whole." + ending))
        size = os.path.getsize(checker.path("whole." + ending))
        step = max(1024, size // (4 if QUICK else 12))
        for limit in [0, 1, 4096] + list(range(step, size, step)) + [size - 1]:
            done = checker.run("export", store, "-f", "-o", name, status=3, limit=limit)
            if not done.stderr.startswith(b"histree: "):
                checker.fail("%s with %d bytes of room: %r" % (ending, limit, done.stderr))
            with open(name, encoding="ascii", errors="replace") as file:
                if file.read() != "older":
                    checker.fail("%s with %d bytes of room: the older file is gone" % (ending, limit))
            left = [each for each in os.listdir(checker.folder) if each.startswith("full.") and
                    each not in ("full." + ending,) and each.endswith((".part", "-journal"))]
            if left:
                checker.fail("%s with %d bytes of room: leaves %s" % (ending, limit, left))
        checker.run("export", store, "-f", "-o", name)
        with open(name, "rb") as one, open(checker.path("whole." + ending), "rb") as other:
            if ending != "sqlite" and one.read() != other.read():
                checker.fail("%s: twice the same store gives two files" % ending)
        os.remove(name)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rounds = int(os.environ.get("HISTREE_ROUNDS", "5" if QUICK else "40"))
    first = int(os.environ.get("HISTREE_SEED", "1"))
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(os.path.abspath(sys.argv[1]), folder)
        demo = str(SOURCE / "tests" / "data" / "demo-trace")
        checker.run("build", "-q", "-a", "kernel,system-calls,wakeups", "-o", "demo.histree", demo)
        check_states(checker, "demo.histree")
        checker.run("export", "demo.histree", "-o", "all.sqlite")
        check_segments(checker, "demo.histree", "system-calls", "system_calls")
        check_segments(checker, "demo.histree", "wakeups", "wakeups")
        check_long_text(checker)
        for seed in range(first, first + rounds):
            check_random(checker, seed)
        check_full_disks(checker, "demo.histree")
        print("%d cells, %d faults" % (checker.cells, checker.faults))
        return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
