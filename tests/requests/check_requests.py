#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Spans of requests in each form in which they are written: what histree says of them, against a slow reckoning by microseconds.

usage: check_requests.py HISTREE

The spans of a build are those that were drawn, whatever the form; `self` is the number of microseconds of a span in which no span
that it caused lasted; `critical` is found by asking, for each microsecond of the outermost span, for whom the request waited.
Spans of one track lie in one another, inside of the one that caused them, or do not overlap.  A file that is cut at any byte
is read to its end, and its spans are some of the whole file's.  HISTREE_ROUNDS files, HISTREE_SEED is the seed of the first.
"""
import collections
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "support"))
import request_files  # noqa: E402 (beside this file)
from data import QUICK  # noqa: E402


def reckon_self(span, below):
    return 1000 * sum(not any(child["begin"] <= at < child["end"] for child in below)
                      for at in range(span["begin"], span["end"], 1000))


def walk_path(span, children, begin, end, out):
    """The request waits for `span` from begin to end: back from the end, for the child that ended last, else for itself."""
    at = end
    while True:
        ended = [child for child in children[span["id"]] if min(child["end"], end) <= at and max(child["begin"], begin) < min(child["end"], end)
                 and child["id"] not in out["taken"]]
        if not ended:
            break
        last = max(ended, key=lambda child: (child["end"], child["number"]))
        out["taken"].add(last["id"])
        # Those that end after it and begin later than `at` are passed over; so is what overlaps the one taken before.
        out[span["id"]] += at - min(last["end"], end)
        walk_path(last, children, max(last["begin"], begin), min(last["end"], end), out)
        at = max(last["begin"], begin)
    out[span["id"]] += at - begin


def expected(spans):
    known = {span["id"] for span in spans}
    children = collections.defaultdict(list)
    for number, span in enumerate(spans):
        span["number"] = number
        if span["parent"] in known:
            children[span["parent"]].append(span)
    critical = collections.defaultdict(int, {"taken": set()})
    for span in spans:
        if span["parent"] not in known:
            walk_path(span, children, span["begin"], span["end"], critical)
    rows = {}
    for span in spans:
        rows[span["id"]] = (span["begin"], span["end"] - span["begin"], span["name"], span["service"], span["kind"],
                            "error" if span["error"] else None, span["trace"], span["parent"], reckon_self(span, children[span["id"]]),
                            critical[span["id"]], span["tags"])
    return rows


class Checker:
    def __init__(self, histree, folder):
        self.histree, self.folder = histree, folder

    def ask(self, *arguments, may_fail=False):
        result = subprocess.run([self.histree, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=120)
        if result.returncode != 0 and not (may_fail and result.returncode in (1, 3)):
            raise SystemExit("%s: exit %d: %s" % (" ".join(arguments), result.returncode, result.stderr))
        return result.stdout if result.returncode != 1 else None

    def spans_of(self, name, content, may_fail=False):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content)
        if self.ask("build", "-q", "-f", name, "-o", "store", may_fail=may_fail) is None:
            return None
        return json.loads(self.ask("segments", "store", "track-spans", "--format", "json", may_fail=may_fail) or "[]")

    def check_tracks(self, rows, spans):
        by_track = collections.defaultdict(list)
        parents = {span["id"]: span["parent"] for span in spans}
        for row in rows:
            by_track[row["track"]].append(row)
        for mine in by_track.values():
            assert len({row["pid"] for row in mine}) == 1
            for one in mine:
                for other in mine:
                    apart = one["end"] <= other["start"] or other["end"] <= one["start"]
                    above, over = one["span_id"], False
                    while above is not None and not over:
                        above = parents.get(above)
                        over = above == other["span_id"]
                    inside = over and other["start"] <= one["start"] and one["end"] <= other["end"]
                    above, under = other["span_id"], False
                    while above is not None and not under:
                        above = parents.get(above)
                        under = above == one["span_id"]
                    assert one is other or apart or inside or under, (one, other)

    def check(self, seed):
        spans = request_files.draw(random.Random(seed))
        for form, write in request_files.WRITERS.items():
            content = write(spans)
            if seed % 3 == 0:
                content = gzip.compress(content)
            rows = self.spans_of(form, content)
            # Of what ends at one time, the one that is later in the file is later: forms have orders of their own.
            want = expected(self.in_order_of(form, spans))
            assert len(rows) == len(want), (seed, form, len(rows), len(want))
            for row in rows:
                args = json.loads(row["args"] or "{}")
                got = (row["start"], row["duration"], row["name"], row["service"],
                       row["kind"] or ("internal" if form == "zipkin.json" else None), row["status"], row["trace_id"],
                       row["parent_id"], row["self"], row["critical"], {key: args.get(key) for key in ("http.route", "n")})
                assert got == want[row["span_id"]], (seed, form, row["span_id"], got, want[row["span_id"]])
            self.check_tracks(rows, spans)
            instants = self.ask("segments", "store", "track-instants", "--format", "tsv", may_fail=True) or "\n"
            assert len(instants.splitlines()) - 1 == sum(len(span["events"]) for span in spans), (seed, form)
        self.check_cut(random.Random(seed), spans)
        self.check_parts(spans)

    def check_parts(self, spans):
        """Files of one recording are one trace: a service is one process in all of them."""
        for part in (0, 1):
            with open(os.path.join(self.folder, "part%d.jsonl" % part), "wb") as file:
                file.write(request_files.otlp_lines(spans[part::2]))
        if len(spans) > 1:
            self.ask("build", "-q", "-f", "part0.jsonl", "part1.jsonl", "-o", "store")
            rows = json.loads(self.ask("segments", "store", "track-spans", "--format", "json"))
            ids = {span["id"]: (span["service"], span["instance"]) for span in spans}
            assert sorted(row["span_id"] for row in rows) == sorted(ids)
            assert len({(row["pid"], ids[row["span_id"]]) for row in rows}) == len(set(ids.values()))
            assert len({row["pid"] for row in rows}) == len(set(ids.values()))

    @staticmethod
    def in_order_of(form, spans):
        if form in ("otlp.json", "otlp.pb"):
            return [span for _, mine in request_files.by_resource(spans) for span in mine]
        if form in ("otlp.jsonl", "otlp.framed"):
            size = 3 if form == "otlp.jsonl" else 4
            return [span for i in range(0, len(spans), size) for _, mine in request_files.by_resource(spans[i:i + size]) for span in mine]
        if form == "jaeger.json":
            traces = list(dict.fromkeys(span["trace"] for span in spans))
            return sorted(spans, key=lambda span: traces.index(span["trace"]))
        return list(spans)

    def check_cut(self, draw, spans):
        form = draw.choice(list(request_files.WRITERS))
        content = request_files.WRITERS[form](spans)
        rows = self.spans_of(form, content[:draw.randrange(len(content))], may_fail=True)
        known = {span["id"] for span in spans}
        # The id of the last one may itself be cut.
        assert rows is None or sum(row["span_id"] not in known for row in rows) <= 1, (form, rows)


def main():
    rounds = int(os.environ.get("HISTREE_ROUNDS", 4 if QUICK else 60))
    first = int(os.environ.get("HISTREE_SEED", 1))
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(os.path.abspath(sys.argv[1]), folder)
        for seed in range(first, first + rounds):
            checker.check(seed)
    print("%d files of requests in %d forms" % (rounds, len(request_files.WRITERS)))


if __name__ == "__main__":
    main()
