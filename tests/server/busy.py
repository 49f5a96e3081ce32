#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""busy.py HISTREE - rows in the order of what they did in a range, by processes: each number, and what a row that stands
for a process shows in a pixel, against `histree top`."""
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from serving import SMALL_TRACE, Server, Tally, build, large_trace, serving

RANGES, PIXELS, SEEN = 4, 40, 25
# What top calls a state: what the page does, and its worth.
STATES = {"user": ("user mode", 5), "system": ("system call", 5), "interrupted": ("interrupted", 4), "waiting": ("waits for a CPU", 3),
          "blocked": ("blocked", 2), "other": ("waits, cause unknown", 2)}


class Busy:
    def __init__(self, histree, server, seed):
        self.histree, self.server, self.random = histree, server, random.Random(seed)
        [self.one] = [one for one in self.ask("experiments") if one["status"] == "ready"][:1]
        self.start, self.duration = int(self.one["start"]), self.one["duration"]

    def get(self, path, **query):
        with urllib.request.urlopen(f"{self.server.url}api/v1/{path}?{urllib.parse.urlencode(query)}") as answer:
            return answer.read()

    def ask(self, path, **query):
        return json.loads(self.get(path, **query))

    def rows(self, **query):
        """What is said of a window of rows, and the spans of each."""
        bytes_ = self.get("rows", **{"experiment": self.one["uuid"], "view": "control-flow", "count": 256, "from": 0, "to": self.duration,
                                     "pixels": 1, **query})
        at, spans = 4, []
        while (count := struct.unpack_from("<I", bytes_, at)[0]) != 0xffffffff:
            spans.append([struct.unpack_from("<HHHHI", bytes_, at + 4 + 12 * i) for i in range(count)])
            at += 4 + 12 * count
        return json.loads(bytes_[at + 4:]), spans

    def active(self, since, until, **query):
        return self.rows(sort="active", activeFrom=since, activeTo=until, **query)

    def top(self, first, last, *options):
        done = subprocess.run([self.histree, "top", self.one["store"], "--from", str(self.start + first), "--to", str(self.start + last),
                               "--format", "json", *options], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else []

    def ranges(self):
        yield 0, self.duration
        for _ in range(RANGES):
            span = max(self.duration >> self.random.randrange(1, 8), 1000)
            first = self.random.randrange(self.duration - span)
            yield first, first + span

    def order_is_that_of_top(self):
        for first, last in self.ranges():
            did = {row["thread"]: (row["user"] + row["system"] + row["interrupted"], row["waiting"]) for row in self.top(first, last)}
            said, _ = self.active(first, last, folded=0)
            everything, _ = self.active(first, last, folded=0, rest=1)
            tree, _ = self.rows(sort="tree")
            assert everything["total"] == tree["total"] == said["total"] + said["rest"], (everything["total"], said["total"], said["rest"])
            groups = []
            for row in said["rows"]:
                if row["depth"] == 0:
                    groups.append([])
                groups[-1].append(row)
            if said["total"] > len(said["rows"]):
                groups.pop()  # it is cut
            keys = []
            for group in groups:
                own = [did.get(row["tid"], (0, 0)) for row in group]
                assert own == sorted(own, key=lambda one: (-one[0], -one[1] if one[0] == 0 else 0)), (first, last, group)
                ran, waited = sum(one[0] for one in own), sum(one[1] for one in own)
                assert ran + waited > 0, group
                keys.append((-ran, -waited if ran == 0 else 0))
                if len(group) > 1:
                    lead = group[0]
                    assert lead["below"] == len(group) - 1
                    assert lead["ran"] == sum(one[0] > 0 for one in own)
                    assert lead["waited"] == sum(one[0] == 0 and one[1] > 0 for one in own)
            assert keys == sorted(keys), (first, last, keys)
            shown = {row["tid"] for row in said["rows"]}
            if said["total"] <= len(said["rows"]):
                assert {tid for tid, (ran, waited) in did.items() if ran + waited > 0} <= shown

    def a_process_shows_what_its_threads_did(self):
        """A pixel has the state of greatest worth, of equals the longest, that its threads had, added up, for half of it."""
        checked = groups = 0
        for first, last in self.ranges():
            said, spans = self.active(first, last, folded=1, pixels=PIXELS, **{"from": first, "to": last})
            for index, row in enumerate(said["rows"]):
                if "group" not in row or row["below"] > 60:
                    continue
                groups += 1
                split, _ = self.active(first, last, folded=1, toggled=row["group"], first=index)
                members = split["rows"][:row["below"] + 1]
                assert [member["depth"] for member in members] == [0] + [1] * row["below"]
                where = " || ".join(f"thread == {member['tid']}" for member in members)
                for pixel in self.random.sample(range(1, PIXELS - 1), min(SEEN, 3)):
                    width = (last - first + 1) / PIXELS
                    from_, to = first + round(pixel * width), first + round((pixel + 1) * width) - 1
                    times = {state["state"]: state["duration"] for state in self.top(from_, to, "--by", "state", "--where", where)}
                    long = [(STATES[name][1], time, STATES[name][0]) for name, time in times.items() if name in STATES and time >= width / 2]
                    if not long or any(abs(time / width - 0.5) < 0.01 for time in times.values()):
                        continue
                    shown = next(span for span in spans[index] if span[0] <= pixel < span[0] + span[1])
                    assert said["styles"][shown[2]]["name"] == max(long)[2], (row["name"], pixel, said["styles"][shown[2]]["name"], times, width)
                    checked += 1
        assert checked > 3 or groups == 0, "hardly any pixel of a process was compared"

    def states_of_top_have_the_words_of_rows(self):
        answer = self.ask("time-use", experiment=self.one["uuid"], by="state")
        words = {state: style["name"] for state, style in zip(answer["states"], answer["styles"])}
        assert words == {**{state: word for state, (word, _) in STATES.items()}, "idle": "idle", "unknown": "unknown"}, words

    def pinned_rows_come_first(self):
        for sort in "tree", "tid", "active":
            plain, _ = self.rows(sort=sort)
            pinned = [row["row"] for row in self.random.sample(plain["rows"], min(3, len(plain["rows"]))) if not row.get("isHost")]
            said, _ = self.rows(sort=sort, pinned=",".join(map(str, pinned)))
            assert said["pinned"] == len(pinned) and [row["row"] for row in said["rows"]][:len(pinned)] == pinned
            rest = [row["row"] for row in said["rows"][len(pinned):] if row["row"] not in pinned]
            assert rest == [row["row"] for row in plain["rows"] if row["row"] not in pinned][:len(rest)], sort

    def a_thread_is_found_in_its_process(self):
        split, _ = self.active(0, self.duration, folded=0)
        said, _ = self.active(0, self.duration, folded=1)
        member = next(row for row in split["rows"] if row["depth"] == 1 and row["tid"] > 0)
        found = self.ask("find-row", experiment=self.one["uuid"], view="control-flow", sort="active", folded=1, tid=member["tid"], at=self.duration)
        assert found["position"] >= 0, found
        group = said["rows"][found["position"]]
        assert group.get("below", 0) > 0 and found["hiders"] == [group["group"]], found
        place = self.ask("find-row", experiment=self.one["uuid"], view="control-flow", sort="active", folded=1, toggled=group["group"],
                         row=found["row"])
        assert place["position"] > found["position"] and not place["hiders"], place

    def a_row_is_found_in_a_tree(self):
        """What is folded is shown once all that hides it is toggled."""
        plain, _ = self.rows(sort="tree")
        deepest = max(plain["rows"], key=lambda row: row["depth"])
        ask = lambda **query: self.ask("find-row", experiment=self.one["uuid"], view="control-flow", row=deepest["row"], **query)
        assert ask() == {"position": deepest["row"], "row": deepest["row"], "hiders": []}
        hiders = ask(folded=1)["hiders"]
        assert len(hiders) == deepest["depth"] > 0, hiders
        assert ask(folded=1, toggled=",".join(map(str, hiders)))["position"] >= len(hiders)


# Two processes, each on a CPU of its own: one of many threads, one of few.  Each has more states than a picture is made of.
CROWDS = [(1000, 2000), (5000, 8)]
SWITCHES, STILL = 270_000, 60  # of each process; and then one in so many of them in the same time again
SWITCH = ("      crowd-{one} ( {process}) [00{cpu}] d..2. {ms:.6f}: sched_switch: prev_comm=crowd prev_pid={one} prev_prio=120 "
          "prev_state=S ==> next_comm={comm} next_pid={next} next_prio=120\n")


def write_crowds(path):
    """In the first half of the trace each process runs all the time, in the second one hardly ever."""
    with open(path, "w", encoding="ascii") as file:
        file.write("# tracer: nop\n")
        for at in [*range(SWITCHES), *range(SWITCHES, 2 * SWITCHES, STILL)]:
            for cpu, (process, threads) in enumerate(CROWDS):
                one, next_ = process + at % threads, process + (at + 1) % threads
                if at < SWITCHES - 1:
                    file.write(SWITCH.format(one=one, process=process, cpu=cpu, ms=10 + at / 1e5, comm="crowd", next=next_))
                    continue
                file.write(SWITCH.format(one=process + at % threads, process=process, cpu=cpu, ms=10 + at / 1e5, comm=f"swapper/{cpu}", next=0))
                file.write(SWITCH.format(one=0, process=process, cpu=cpu, ms=10 + (at + STILL - 1) / 1e5, comm="crowd",
                                         next=process + (at + STILL) % threads).replace(f"crowd-0 ( {process})", "<idle>-0 (-----)")
                           .replace("prev_comm=crowd", f"prev_comm=swapper/{cpu}"))


def a_picture_costs_what_is_drawn(histree):
    """Of too many states it is an estimate from some of the threads, which is said, and shows what all of them did."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_crowds(folder / "crowds.txt")
        with Server(histree, folder, [build(histree, folder / "crowds.txt", folder / "crowds.histree", "-a", "kernel")]) as server:
            busy = Busy(histree, server, 1)
            said, spans = busy.active(0, busy.duration, folded=1, pixels=PIXELS)
            groups = {row["below"] + 1: (row, spans[index]) for index, row in enumerate(said["rows"]) if "group" in row}
            assert sorted(groups) == sorted(threads for _, threads in CROWDS), said["rows"]
            for threads, (row, shown) in groups.items():
                assert 0 < row.get("estimatedFrom", 0) <= min(threads, 1000), row
                names = [said["styles"][span[2]]["name"] for span in shown for _ in range(span[1])]
                assert set(names[2:PIXELS // 2 - 2]) == {"user mode"}, (threads, names)
                assert set(names[PIXELS // 2 + 2:]) == {"blocked"}, (threads, names)
            since = busy.duration // 3
            said, _ = busy.active(since, since + 10_000_000, folded=1, pixels=PIXELS, **{"from": since, "to": since + 10_000_000})
            assert not any("estimatedFrom" in row for row in said["rows"]), "of few states all are added up"


def a_long_trace_is_shown_to_its_end(histree):
    """A browser has numbers of 53 bits, so that the end of a trace of more than 104 days comes back rounded, if by a few ns."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        length = next(us * 1000 for us in range(180 * 10**12, 180 * 10**12 + 100) if int(float(us * 1000)) > us * 1000)
        lines = [SWITCH.format(one=1000, process=1000, cpu=0, ms=0, comm="crowd", next=1001).replace(" 0.000000:", f" {time // 10**6}.{time % 10**6:06}:")
                 for time in (10**6, 2 * 10**6, 10**6 + length // 1000)]
        (folder / "long.txt").write_text("# tracer: nop\n" + "".join(lines))
        with Server(histree, folder, [build(histree, folder / "long.txt", folder / "long.histree", "-a", "kernel")]) as server:
            busy = Busy(histree, server, 1)
            end = int(float(busy.duration))
            assert end > busy.duration == length, (end, busy.duration, length)
            said, _ = busy.active(0, end, to=end)
            assert said["total"] > 0, said
            try:
                busy.active(0, end, to=end + 1000)
            except urllib.error.HTTPError as error:
                assert error.code == 400
            else:
                raise AssertionError("what is beyond the end is refused")


def main():
    tally = Tally()
    tally.run(a_long_trace_is_shown_to_its_end.__name__, lambda: a_long_trace_is_shown_to_its_end(sys.argv[1]))
    tally.run(a_picture_costs_what_is_drawn.__name__, lambda: a_picture_costs_what_is_drawn(sys.argv[1]))
    for trace in (SMALL_TRACE, *([large_trace()] if large_trace() else [])):
        with serving(sys.argv[1], trace, build_options=("-a", "kernel")) as server:
            busy = Busy(sys.argv[1], server, int(os.environ.get("HISTREE_SEED", "1")))
            for test in (busy.order_is_that_of_top, busy.a_process_shows_what_its_threads_did,
                         busy.states_of_top_have_the_words_of_rows, busy.pinned_rows_come_first,
                         busy.a_thread_is_found_in_its_process, busy.a_row_is_found_in_a_tree):
                tally.run(f"{test.__name__}, {trace.name}", test)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
