# SPDX-License-Identifier: MIT
"""Traces of Perfetto with a bit of everything, drawn at random: the same seed makes the same trace."""
import gzip
import random

import perfetto_trace as pt

NAMES = ["swapper", "bash", "a name", "\u00e9t\u00e9", "", "x" * 31]
EDGES = [0, 1, 2, 127, 128, 2**31 - 1, 2**31, 2**32, 2**63 - 1]
WALL = 1_700_000_000_000_000_000


class Writer:
    """A sequence of packets of tracks."""

    def __init__(self, draw, number):
        self.draw, self.number = draw, number
        self.clock = draw.choice([None, pt.BOOTTIME, pt.MONOTONIC, 64, 65])
        self.texts, self.last, self.fresh = {}, 0, True

    def intern(self, table, text):
        """The number of a text, and what defines it if that is new."""
        if (table, text) in self.texts:
            return self.texts[table, text], b""
        number = len(self.texts) + 1
        self.texts[table, text] = number
        return number, pt.data(table, pt.number(1, number) + pt.data(2, text))


class Trace:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.time = 1_000_000
        self.cpus = self.draw.randrange(1, 5)
        self.tracks = [self.draw.randrange(1, 2**64) for _ in range(8)]
        self.writers = [Writer(self.draw, 10 + i) for i in range(self.draw.randrange(4))]
        self.bundled = {cpu: [] for cpu in range(self.cpus)}

    def later(self):
        self.time += self.draw.choice([0, 1, 7, 1000, 123456])
        return self.time

    # ---- ftrace

    def values(self, fields):
        out = {}
        for field in fields:
            if self.draw.random() < 0.1:
                continue
            if field in ("buf", "rwbs", "cmd", "filename", "name") or field.endswith("comm"):
                out[field] = self.draw.choice(NAMES)
            elif field == "args":
                out[field] = [self.draw.choice(EDGES) for _ in range(self.draw.randrange(4))]
            else:
                small = self.draw.randrange(-5, 300)
                unsigned = field in ("ip", "state", "cpu_id", "vec", "handler", "dev", "sector", "nr_sector", "bytes",
                                     "clone_flags", "load")
                out[field] = abs(small) if unsigned else self.draw.choice([small, self.draw.choice(EDGES)])
        return out

    def event(self):
        name = self.draw.choice([*pt.FTRACE, 5000])
        if name == 5000:
            return pt.ftrace_event(self.later(), 7, 5000, b"\x08\x01")
        return pt.ftrace_event(self.later(), self.draw.choice([0, 1, 4242]), name, self.values(pt.FTRACE[name][1]))

    def columns(self):
        switches = [(self.later(), self.draw.choice([0, 1, 2]), self.draw.randrange(5), 120, self.draw.choice(NAMES))
                    for _ in range(self.draw.randrange(5))]
        wakings = [(self.later(), self.draw.randrange(5), self.draw.randrange(4), -2, self.draw.choice(NAMES))
                   for _ in range(self.draw.randrange(4))]
        return pt.compact(switches, wakings)

    def bundle(self):
        draw = self.draw
        return pt.bundle(draw.randrange(self.cpus), [self.event() for _ in range(draw.randrange(6))],
                         lost=draw.random() < 0.1, compact=self.columns() if draw.random() < 0.3 else None,
                         clock=(self.time + 50, self.time + 60) if draw.random() < 0.1 else None,
                         previous=self.time - 10 if draw.random() < 0.05 else None,
                         dropped=1 if draw.random() < 0.03 else None)

    # ---- tracks

    def descriptor(self, i):
        draw, uuid = self.draw, self.tracks[i]
        out = pt.number(1, uuid)
        if i and draw.random() < 0.7:
            out += pt.number(5, self.tracks[draw.randrange(i)])
        kind = draw.choice(["process", "thread", "counter", "named", "named"])
        if kind == "process":
            out += pt.data(3, pt.number(1, 100 + i) + pt.data(draw.choice([2, 6]), "browser"))
        elif kind == "thread":
            out += pt.data(4, pt.number(1, 100) + pt.number(2, 200 + i) + pt.data(5, "worker")
                           + (pt.number(3, draw.choice([-4, 9])) if draw.random() < 0.1 else b""))
        elif kind == "counter":
            out += pt.data(8, (pt.number(1, 1) if draw.random() < 0.2 else b"") + pt.number(4, draw.choice([0, 1, 1000]))
                           + pt.number(5, draw.randrange(2)))
        if draw.random() < 0.05:
            out += pt.number(12, draw.randint(-2, 2))
        if kind in ("counter", "named") and draw.random() < 0.8:
            out = pt.data(draw.choice([2, 10, 13]), f"track {i}") + out
        return pt.packet(pt.data(60, out), sequence=10)

    def annotation(self, writer, depth, named=True):
        draw, out, interned = self.draw, b"", b""
        if named:
            if draw.random() < 0.5:
                number, interned = writer.intern(3, f"arg {draw.randrange(5)}")
                out += pt.number(1, number)
            else:
                out += pt.data(10, f"own {draw.randrange(5)}")
        kind = draw.choice([2, 3, 4, 5, 6, 7, 9, 17, 11, 12] if depth < 4 else [3])
        if kind in (11, 12):
            for _ in range(draw.randrange(1, 4)):
                inner, more = self.annotation(writer, depth + 1, kind == 11)
                out, interned = out + pt.data(kind, inner), interned + more
        elif kind == 17:
            number, more = writer.intern(29, f"text {draw.randrange(5)}")
            out, interned = out + pt.number(17, number), interned + more
        elif kind == 5:
            out += pt.real(5, draw.choice([0.5, -1e300, 3.0]))
        elif kind in (6, 9):
            out += pt.data(kind, draw.choice(NAMES))
        else:
            out += pt.number(kind, draw.choice([-1, *EDGES]) if kind == 4 else draw.choice([0, 1]))
        return out, interned

    def track_event(self, writer):
        draw, out, interned = self.draw, b"", b""
        kind = draw.choice([1, 1, 2, 3, 4])
        out += pt.number(9, kind)
        if draw.random() < 0.8:
            out += pt.number(11, draw.choice([*self.tracks, 12345]))
        if draw.random() < 0.7 and kind != 2:
            number, more = writer.intern(2, f"span {draw.randrange(6)}")
            out, interned = out + pt.number(10, number), interned + more
        elif kind != 2:
            out += pt.data(23, "plain name")
        for _ in range(draw.randrange(3)):
            number, more = writer.intern(1, f"cat{draw.randrange(3)}")
            out, interned = out + pt.number(3, number), interned + more
        if draw.random() < 0.2:
            out += pt.data(22, "own")
        if kind == 4:
            out += pt.number(30, draw.choice([-5, 0, 77])) if draw.random() < 0.6 else pt.real(44, 1.25)
        for _ in range(draw.choice([0, 0, 1, 3])):
            inner, more = self.annotation(writer, 1)
            out, interned = out + pt.data(4, inner), interned + more
        if draw.random() < 0.2:
            out += pt.packed(31, self.tracks[:2]) + pt.packed(12, [5, -3])
        elif draw.random() < 0.2:
            out += pt.number(12, 9)
        if draw.random() < 0.3:
            out += pt.number(draw.choice([2, 2, 17]), draw.choice([0, 7, 12345]))
        if draw.random() < 0.1:
            out += pt.number(45, self.tracks[3]) + pt.real(46, 0.1)
        if draw.random() < 0.2:
            out += draw.choice([pt.fixed64(47, 2**63 + 1), pt.number(36, 77), pt.fixed64(48, 5)])
        if draw.random() < 0.1:
            out += pt.data(33, pt.data(2, "file.c") + pt.data(3, "f") + pt.number(4, 12))
        if draw.random() < 0.1:
            out += draw.choice([pt.number(52, 9), pt.data(53, "request"), pt.number(54, 999)])
        return out, interned

    def tracked(self, writer):
        """A packet with an event, and what goes before it."""
        draw, packets = self.draw, []
        if writer.fresh or draw.random() < 0.05:
            writer.texts, writer.fresh = {}, False
            defaults = pt.number(58, writer.clock) if writer.clock else b""
            track = pt.number(11, self.tracks[1]) + pt.number(31, self.tracks[2])
            defaults += pt.data(11, track) if draw.random() < 0.7 else b""
            now = self.later()
            writer.last = now
            packets.append(pt.clocks((pt.BOOTTIME, now), (64, now, 1, 1), (65, now // 1000, 0, 1000),
                                     sequence=writer.number))
            packets.append(pt.packet(pt.data(59, defaults), sequence=writer.number, flags=1))
        now = self.later()
        time = {None: now, pt.BOOTTIME: now, pt.MONOTONIC: now - 7000, 64: now - writer.last, 65: now // 1000}[writer.clock]
        writer.last = now
        body, interned = self.track_event(writer)
        packets.append(pt.packet(pt.data(11, body), pt.data(12, interned) if interned else b"", time=time,
                                 sequence=writer.number, flags=2, dropped=1 if draw.random() < 0.03 else None))
        return packets

    # ---- all of it

    def packets(self):
        draw = self.draw
        yield pt.clocks((pt.BOOTTIME, 900_000), (pt.REALTIME, WALL), (pt.MONOTONIC, 893_000), sequence=1)
        if draw.random() < 0.5:
            yield pt.clocks((pt.BOOTTIME, 2_000_000), (pt.REALTIME, WALL + 999), (pt.MONOTONIC, 1_993_011), sequence=1)
        yield pt.system(name="box")
        for i in range(len(self.tracks) - 1):
            yield self.descriptor(i)
        has_ftrace = draw.random() < 0.8
        for _ in range(draw.randrange(1, 60)):
            if has_ftrace and draw.random() < 0.4:
                yield self.bundle()
            elif self.writers and draw.random() < 0.8:
                yield from self.tracked(draw.choice(self.writers))
            elif draw.random() < 0.3:
                yield pt.process_tree([(1, 0, ["/sbin/init", "x"]), (300, 1, ["a-very-long-command-name"])],
                                      [(301, 300, "worker")], time=self.time, sequence=2)
            elif draw.random() < 0.2:
                yield pt.marker()
            elif draw.random() < 0.2:
                yield pt.packet(pt.data(1, pt.number(1, 0)), pt.number(98, 5))
            elif draw.random() < 0.1:
                yield pt.uuid(draw.randrange(2**63), 5)

    def data(self):
        draw, packets = self.draw, list(self.packets())
        if draw.random() < 0.3:
            cut = draw.randrange(len(packets))
            packets = packets[:cut] + [pt.compressed(packets[cut:])]
        data = pt.trace(packets)
        return gzip.compress(data) if draw.random() < 0.2 else data
