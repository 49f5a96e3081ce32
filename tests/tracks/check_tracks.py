#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Random traces in the Trace Event Format, read twice: by histree and by walk_tracks.py.

usage: check_tracks.py HISTREE PRINT_VALUES

Events with all of their fields, states and spans must be the same; packed by gzip, in two members, a trace is the same,
too.  A trace that is cut at any byte, or changed at random, is read to its end without a crash, and what was before the cut
is there.  HISTREE_ROUNDS traces, HISTREE_SEED is the seed of the first.
"""
import gzip
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "support"))
import random_tracks  # noqa: E402 (beside this file)
import walk_tracks  # noqa: E402
from data import QUICK  # noqa: E402


def quoted(text):
    return '"%s"' % "".join(chr(byte) if 0x20 <= byte < 0x7f and byte not in b'"\\' else "\\x%02x" % byte for byte in text.encode())


def real(number):
    """As C's %a."""
    if not math.isfinite(float(number)):
        return str(float(number))
    mantissa, exponent = float(number).hex().split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return "%sp%s" % (mantissa, exponent)


def printed(value):
    """A value as print_values prints it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, walk_tracks.Number):
        is_integer = value.lstrip("-").isdigit() and -2**63 <= int(value) < 2**64
        return str(int(value)) if is_integer else real(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float):
        return real(value)
    if isinstance(value, dict):
        return "{%s}" % " ".join("%s=%s" % (key, printed(inner)) for key, inner in value.items())
    if isinstance(value, list):
        return "[%s]" % " ".join(printed(inner) for inner in value)
    return str(value)


def comparable(value):
    """Arguments, of which numbers are as a double has them: as text, whose order does not matter."""
    if isinstance(value, dict):
        return "{%s}" % ",".join(sorted("%s:%s" % (key, comparable(inner)) for key, inner in value.items()))
    if isinstance(value, list):
        return "[%s]" % ",".join(comparable(inner) for inner in value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (walk_tracks.Number, int, float)):
        return "%.12g" % float(value)
    return value if value in ("nan", "inf", "-inf") else repr(value)


def lines_of(events):
    for time, name, fields in events:
        yield "%d -1 %s %s" % (time, name, " ".join("%s=%s" % (field, printed(fields.get(field))) for field in walk_tracks.FIELDS))


class Checker:
    def __init__(self, histree, print_values, folder):
        self.histree, self.print_values, self.folder = histree, print_values, folder
        self.faults = self.events = self.spans = self.states = 0

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def run(self, *words):
        return subprocess.run(words, capture_output=True, check=False, timeout=300, cwd=self.folder)

    def fail(self, seed, what, got, wanted):
        self.faults += 1
        for one, other in zip(got + [None], wanted + [None]):
            if one != other:
                print("seed %d: %s: got\n  %s\nbut wanted\n  %s" % (seed, what, one, other))
                return

    def compare(self, seed, what, got, wanted):
        if got != wanted:
            self.fail(seed, what, got, wanted)

    def check_events(self, seed, path, events, what):
        done = self.run(self.print_values, path)
        got = done.stdout.decode().splitlines()
        self.events += len(got)
        if done.returncode != 0:
            self.fail(seed, what, [done.stderr.decode()[-300:]], [])
        self.compare(seed, what, got, list(lines_of(events)))

    def rows(self, *words):
        done = self.run(self.histree, *words)
        if done.returncode > 1:
            print(done.stderr.decode())
        return [line.split("\t") for line in done.stdout.decode().splitlines()[1:]]

    def check_states(self, seed, tracks, begin, end):
        wanted = []
        for path, changes in tracks.states.items():
            name = "/".join(part.replace("\\", "\\\\").replace("/", "\\/") for part in path)
            times = sorted(changes)
            pieces = [(begin, None)] if times[0] > begin else []
            for time in times:
                if not pieces or pieces[-1][1] != changes[time]:
                    pieces.append((time, changes[time]))
            for i, (time, value) in enumerate(pieces):
                until = pieces[i + 1][0] - 1 if i + 1 < len(pieces) else end
                wanted.append((name, time, until, "" if value is None else value if isinstance(value, str) else
                               "%d" % value if isinstance(value, int) else repr(float(value))))
        got = []
        for path, start, until, kind, value in self.rows("states", "-a", "tracks", "--format", "tsv", "x.histree"):
            got.append((path, int(start), int(until), repr(float(value)) if kind == "double" else value))
        escape = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
        wanted = [(name.replace("\t", "\\t"), start, until, value.translate(escape))
                  for name, start, until, value in wanted]
        known = {row[0] for row in wanted}
        got = [row for row in merged(got) if row[0] in known or row[3] != ""]
        self.states += len(got)
        self.compare(seed, "states", sorted(got), sorted(merged(sorted(wanted))))

    def check_spans(self, seed, tracks):
        wanted = []
        for start, end, fields, track, depth, ending in tracks.spans:
            args = fields.get("args")
            wanted.append((start, end, fields.get("name") or "", str(depth), fields.get("track") or "", ending or "",
                           "" if args is None else comparable(args)))
        got = []
        for row in json.loads(self.run(self.histree, "segments", "--format", "json", "x.histree", "track-spans").stdout):
            got.append((row["start"], row["end"], row["name"] or "", str(row["depth"]), row["track"] or "", row["ending"] or "",
                        "" if row["args"] is None else comparable(json.loads(row["args"]))))
        self.spans += len(got)
        self.compare(seed, "spans", sorted(got), sorted(wanted))

    def check(self, seed):
        draw = random.Random(seed)
        data = random_tracks.make(draw, draw.choice([3, 30, 300]))
        events = walk_tracks.events_of(data)
        self.check_events(seed, self.write("x.json", data), events, "events")
        half = draw.randrange(len(data))
        packed = gzip.compress(data[:half]) + gzip.compress(data[half:])
        self.check_events(seed, self.write("x.json.gz", packed), events, "packed events")
        if not events:
            return
        done = self.run(self.histree, "build", "-q", "--force", "-o", "x.histree", "x.json")
        if done.returncode != 0:
            self.fail(seed, "build", [done.stderr.decode()], [])
            return
        tracks, end = walk_tracks.tracks_of(events)
        self.check_states(seed, tracks, events[0][0], end)
        self.check_spans(seed, tracks)
        verified = self.run(self.histree, "verify", "x.histree")
        self.compare(seed, "verify", [verified.returncode], [0])

    def check_harm(self, seed, data, what):
        done = self.run(self.print_values, self.write("harm.json", data))
        if done.returncode not in (0, 1) or b"ERROR" in done.stderr:
            self.fail(seed, what, [done.returncode, done.stderr.decode(errors="replace")[-600:]], [])
        return done.stdout.decode().splitlines()


def merged(rows):
    """Neighbours with one value are one state."""
    out = []
    for row in rows:
        if out and out[-1][0] == row[0] and out[-1][3] == row[3] and out[-1][2] + 1 == row[1]:
            out[-1] = (row[0], out[-1][1], row[2], row[3])
        else:
            out.append(row)
    return out


def check_harm(checker, seed, rounds):
    """A list that is cut has the events before the cut; whatever else is done to it, reading ends."""
    draw = random.Random(seed)
    events = ['{"ph":"i","name":"%d \\u00e9","ts":%d,"pid":1,"args":{"a":[1,{"b":2.5}]}}' % (i, i) for i in range(6)]
    whole = ("[" + ",\n".join(events) + "]").encode()
    for size in range(1, len(whole), 1 if not QUICK else 23):
        count = sum(len("[" + ",\n".join(events[:i + 1])) <= size for i in range(len(events)))
        got = checker.check_harm(seed, whole[:size], "cut at %d" % size)
        names = [line for line in got if "instant" in line]
        checker.compare(seed, "cut at %d" % size, [len(names)], [count])
    quoted_events = ['{"name":"n%d","ph":"i","ts":%d,"args":{"path":"a, {b}: [c]","s":{"name":"x","ph":"long"}}}' % (i, i) for i in range(6)]
    for _ in range(rounds):
        which = draw.randrange(len(quoted_events))
        event = quoted_events[which]
        at = draw.choice([i for i, char in enumerate(event) if char == '"'])
        mark = draw.choice(["", "", '""', '\\"', "{", "}", "]", ":", "\0"])
        harmed = quoted_events[:which] + [event[:at] + mark + event[at + 1:]] + quoted_events[which + 1:]
        text = draw.choice(["[%s]", '{"traceEvents":[%s]}', "%s" if which > 0 else "[%s]"]) % draw.choice([",", ",\n", "\n"]).join(harmed)
        got = checker.check_harm(seed, text.encode(), "one bad event")
        names = {name for name in re.findall(r'name="(n\d)"', "\n".join(got)) if name != "n%d" % which}
        checker.compare(seed, "one bad event: %r" % text, sorted(names), ["n%d" % i for i in range(6) if i != which])
    bad = "[%s]" % ",".join('{"ph":"i","name":"%d","ts":%d},{x}' % (i, i) for i in range(400))
    got = [line for line in checker.check_harm(seed, bad.encode(), "bad in many places") if "instant" in line]
    checker.compare(seed, "bad in many places", [len(got)], [400])
    data = random_tracks.make(draw, 20)
    for _ in range(rounds):
        harmed = bytearray(data)
        for _ in range(draw.randint(1, 6)):
            at = draw.randrange(len(harmed))
            harmed[at:at + draw.choice([0, 1, 1, 9])] = draw.choice([b"", b'"', b"{", b"[" * 200, b"\\", b"\0", b"1e999999999",
                                                                   bytes([draw.randrange(256)])])
        checker.check_harm(seed, bytes(harmed), "changed")


def main():
    rounds = int(os.environ.get("HISTREE_ROUNDS", 6 if QUICK else 150))
    seed = int(os.environ.get("HISTREE_SEED", 1))
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), folder)
        for each in range(seed, seed + rounds):
            checker.check(each)
        check_harm(checker, seed, 5 * rounds)
    print("%d traces: %d events, %d spans, %d states; %d faults" % (rounds, checker.events, checker.spans, checker.states, checker.faults))
    return checker.faults > 0


if __name__ == "__main__":
    sys.exit(main())
