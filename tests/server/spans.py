#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""spans.py HISTREE - a hundred random spans of each of five traces: what the page is told of where the time of a span went, and
of what a thread waited for in it, is what `histree top` and `histree why` print.

That the panels show what they are told is for page_time.py and page_paths.py; here are no browser, one server and one
process for each question."""
import json
import os
import random
import subprocess
import sys
import urllib.error

from busy import Busy
from data import QUICK, SOURCE, shared
from serving import SMALL_TRACE, Tally, serving

SPANS = 8 if QUICK else 100
WAYS = ["state", "cpu", "system_call", "thread", "name", "process", "had_by"]
# Of enum histree_graph_state, what `histree why` calls them.
CAUSES = ["unknown", "ran", "waiting", "blocked", "network", "timer", "disk", "interrupt", "unknown"]
TRACES = [one for one in (SMALL_TRACE, SOURCE / "tests" / "data" / "ctf-perf-small",
                          SOURCE / "tests" / "data" / "dat-made" / "zstd.dat", shared("traces/lttng-kernel/many-threads"),
                          shared("traces/lttng-kernel/scp_dest")) if one]


class Spans(Busy):
    """Of one experiment of the server."""

    def __init__(self, histree, server, seed, one):
        super().__init__(histree, server, seed)
        self.one, self.start, self.duration = one, int(one["start"]), one["duration"]

    def thread_of(self, first, last):
        """Some thread that was there."""
        rows = self.ask("time-use", experiment=self.one["uuid"], by="thread", limit=50, **{"from": first, "to": last})["rows"]
        return self.random.choice([row["thread"] for row in rows if row.get("thread", 0) not in (0, "?")] or [1])

    def draw(self):
        """Of any length, from all of the trace to a few nanoseconds."""
        first = self.random.randrange(self.duration)
        return first, min(first + self.random.randrange(max(self.duration >> self.random.randrange(14), 2)), self.duration - 1)

    def is_what_top_prints(self, first, last, by, where):
        answer = self.ask("time-use", experiment=self.one["uuid"], by=by, where=where, **{"from": first, "to": last}, limit=500)
        rows = self.top(first, last, "--by", by.replace("_", "-"), *(["--where", where] if where else []))
        assert answer["total"] == len(rows), (first, last, by, where, answer["total"], len(rows))
        for shown, row in zip(answer["rows"], rows):
            ns = dict(zip(answer["states"], shown["ns"]))
            assert str(shown.get(by)) == str(row[by]) and shown["count"] == row["count"], (first, last, where, shown, row)
            wanted = {row["state"]: row["duration"]} if by == "state" else {name: row[name] for name in ns if name in row}
            assert wanted and all(ns[name] == time for name, time in wanted.items()), (first, last, where, shown, row)
        return len(rows)

    def is_what_why_prints(self, first, last, thread):
        """Whose end is the first nanosecond that is no longer part of the path."""
        try:
            states = self.ask("path", experiment=self.one["uuid"], view="control-flow", thread=thread, **{"from": first, "to": last}, pixels=1000)["states"]
        except urllib.error.HTTPError as error:
            assert error.code == 404, (thread, first, last)
            states = []  # nothing is known of it then
        done = subprocess.run([self.histree, "why", self.one["store"], str(thread), "--table", "causes", "--from", str(self.start + first),
                               "--to", str(self.start + last + 1), "--format", "json"], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        wanted = {row["cause"]: [row["itself"], row["others"]] for row in json.loads(done.stdout or "[]") if row["itself"] + row["others"] > 0}
        found = {}
        for cause, state in zip(CAUSES, states):
            if state["own"] + state["others"] > 0:
                found[cause] = [sum(pair) for pair in zip(found.get(cause, [0, 0]), [state["own"], state["others"]])]
        assert found == wanted, (thread, first, last, found, wanted)
        return len(wanted)

    def are_those_of_the_command(self):
        rows = causes = 0
        for turn in range(SPANS):
            first, last = self.draw()
            thread = self.thread_of(first, last)
            rows += self.is_what_top_prints(first, last, WAYS[turn % len(WAYS)], self.random.choice(["", "", f"thread == {thread}", "cpu == 0", "state == blocked"]))
            if self.one["hasPaths"]:
                causes += self.is_what_why_prints(first, last, thread)
        assert rows > 0 and (causes > 0 or QUICK or not self.one["hasPaths"]), (rows, causes)


def main():
    tally, seed = Tally(), int(os.environ.get("HISTREE_SEED", "1"))
    with serving(sys.argv[1], *TRACES, build_options=("-a", "kernel,graph")) as server:
        known = [one for one in Busy(sys.argv[1], server, seed).ask("experiments") if any(view["name"] == "control-flow" for view in one["views"])]
        assert len(known) == len(TRACES), [one["name"] for one in known]
        for i, one in enumerate(known):
            tally.run(f"are_those_of_the_command, {one['name']}", Spans(sys.argv[1], server, seed + i, one).are_those_of_the_command)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
