#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Every event of a recording of perf, and what it lost: a second reading that shares nothing with the first.  It takes the
whole file into memory and sorts it at once, and reads the descriptions of tracepoints by itself.  Of a folder of
`perf record --threads`, it reads one file after the other.

usage: walk_recording.py FILE    prints a line an event, as print_events.c does
"""
import ctypes
import pathlib
import re
import struct
import sys

SIDES = {1: ("perf_mmap", ["pid", "tid", "start", "len", "pgoff"], "filename", 40), 3: ("perf_comm", ["pid", "tid"], "comm", 16),
         4: ("perf_exit", ["pid", "ppid", "tid", "ptid", "time"], None, 0),
         7: ("perf_fork", ["pid", "ppid", "tid", "ptid", "time"], None, 0),
         10: ("perf_mmap2", ["pid", "tid", "start", "len", "pgoff"], "filename", 72)}
LONG = ("start", "len", "pgoff", "time")
FIELD = re.compile(rb"\tfield:(.*?);\toffset:(\d+);\tsize:(\d+);\tsigned:(\d+);")


class Unpacker:
    def __init__(self):
        self.zstd = ctypes.CDLL("libzstd.so.1")
        self.zstd.ZSTD_createDStream.restype = ctypes.c_void_p
        self.zstd.ZSTD_decompressStream.restype = ctypes.c_size_t
        self.stream = ctypes.c_void_p(self.zstd.ZSTD_createDStream())

    def __call__(self, packed):
        class Buffer(ctypes.Structure):
            _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]
        source, plain = ctypes.create_string_buffer(packed, len(packed)), b""
        given = Buffer(ctypes.cast(source, ctypes.c_void_p), len(packed), 0)
        while True:
            room = ctypes.create_string_buffer(1 << 17)
            out = Buffer(ctypes.cast(room, ctypes.c_void_p), len(room), 0)
            self.zstd.ZSTD_decompressStream(self.stream, ctypes.byref(out), ctypes.byref(given))
            plain += room.raw[:out.pos]
            if out.pos == 0:
                return plain


class Walk:
    def __init__(self, path):
        path = pathlib.Path(path)
        self.parts = sorted(path.glob("data.*"), key=lambda part: int(part.suffix[1:])) if path.is_dir() else []
        self.data = (path / "data" if path.is_dir() else path).read_bytes()
        self.order = "<" if self.data[:8] == b"PERFILE2" else ">"
        self.points, self.attributes, self.ids, self.wall = {}, [], {}, 0
        self.entries, self.losses, self.lost, self.counted = [], [], 0, 0
        self.last, self.latest = {}, None
        self.names, self.build_ids = {}, {}

    def get(self, layout, at, data=None):
        return struct.unpack_from(self.order + layout, self.data if data is None else data, at)

    def add_attribute(self, data, ids):
        kind, _, config, period, sample_type, read_format = self.get("IIQQQQ", 0, data)
        is_frequency = data[41] >> 2 & 1 if self.order == "<" else data[41] >> 5 & 1  # bit 10, counted from either end
        for i in range(0, len(ids) // 8 * 8, 8):
            self.ids[self.get("Q", i, ids)[0]] = len(self.attributes)
        self.attributes.append((kind, config, sample_type, read_format, 0 if is_frequency else period))

    def feature(self, number, data):
        if number == 1:
            self.tracing(data)
        elif number == 2:
            self.read_build_ids(data)
        elif number == 29:
            _, _, wall, clock = self.get("IIQQ", 0, data)
            self.wall = wall - clock
        elif number == 12:
            count, size = self.get("II", 0, data)
            at = 8
            for i in range(count):
                id_count, room = self.get("II", at + size, data)
                begin = at + size + 8
                self.names[i] = data[begin:begin + room].split(b"\0")[0].decode()
                at = begin + room + 8 * id_count

    def read_build_ids(self, data):
        at = 0
        while at + 36 < len(data):
            misc, size = self.get("HH", at + 4, data)
            length = data[at + 32] if misc >> 15 else 20
            self.build_ids[data[at + 36:at + size].split(b"\0")[0]] = data[at + 12:at + 12 + length]
            at += size

    def tracing(self, data):
        at = data.index(b"\0", 10) + 1 + 2 + 4
        for _ in range(2):
            at = data.index(b"\0", at) + 1
            at += 8 + self.get("Q", at, data)[0]
        count, at = self.get("I", at, data)[0], at + 4
        for _ in range(count):
            at += 8 + self.get("Q", at, data)[0]
        systems, at = self.get("I", at, data)[0], at + 4
        for _ in range(systems):
            end = data.index(b"\0", at)
            system, count, at = data[at:end].decode(), self.get("I", end + 1, data)[0], end + 5
            for _ in range(count):
                size = self.get("Q", at, data)[0]
                text, at = data[at + 8:at + 8 + size], at + 8 + size
                name = re.search(rb"name: (.*)", text)[1].decode()
                self.points[int(re.search(rb"ID: (\d+)", text)[1])] = f"{system}:{name}", [
                    (kind.decode(), int(offset), int(size), signed == b"1")
                    for kind, offset, size, signed in FIELD.findall(text)]

    def head(self):
        if self.get("Q", 8)[0] == 16:
            return 16, len(self.data)
        attribute_size, begin, size, records, records_size = self.get("QQQQQ", 16)
        for at in range(begin, begin + size, attribute_size):
            ids, ids_size = self.get("QQ", at + attribute_size - 16)
            self.add_attribute(self.data[at:at + attribute_size - 16], self.data[ids:ids + ids_size])
        at = records + records_size
        for number in range(256):
            if self.get("Q", 72 + number // 64 * 8)[0] >> number % 64 & 1:
                offset, length = self.get("QQ", at)
                self.feature(number, self.data[offset:offset + length])
                at += 16
        return records, records + records_size

    def records(self):
        own = list(self.records_in(*self.head()))
        for part in self.parts:
            self.data = part.read_bytes()
            yield from self.records_in(0, len(self.data))
        yield from own

    def records_in(self, at, end):
        unpack, plain = None, b""
        while at < end:
            kind, _, size = self.get("IHH", at)
            data, at = self.data[at:at + size], at + size
            if kind == 66:
                length = self.get("I", 8, data)[0]
                self.tracing(self.data[at:at + length])
                at += (length + 7) // 8 * 8
            elif kind == 71:
                at += self.get("Q", 8, data)[0]
            elif kind == 64:
                length = self.get("I", 12, data)[0]
                self.add_attribute(data[8:8 + length], data[8 + length:])
            elif kind == 80:
                self.feature(self.get("Q", 8, data)[0], data[16:])
            elif kind == 78 and self.get("Q", 8, data)[0] == 2:
                self.names[self.ids[self.get("Q", 16, data)[0]]] = data[24:].split(b"\0")[0].decode()
            elif kind in (81, 83):
                unpack = unpack or Unpacker()
                packed = data[8:] if kind == 81 else data[16:16 + self.get("Q", 8, data)[0]]
                plain += unpack(packed)
                while len(plain) >= 8 and len(plain) >= self.get("H", 6, plain)[0]:
                    length = self.get("H", 6, plain)[0]
                    yield self.get("I", 0, plain)[0], plain[:length]
                    plain = plain[length:]
            else:
                yield kind, data

    # ---- events

    def sample(self, data):
        first = self.attributes[0][2]
        place = 8 if first & 1 << 16 else 8 + 8 * sum(first >> bit & 1 for bit in (0, 1, 2, 3))
        index = self.ids[self.get("Q", place, data)[0]] if len(self.attributes) > 1 else 0
        kind, config, sample_type, read_format, period = self.attributes[index]
        at, parts, number = 8, [], None
        time = cpu = None
        for bit in (16, 0, 1, 2, 3, 6, 9, 7, 8):
            if not sample_type >> bit & 1:
                continue
            value, = self.get("Q", at, data)
            if bit in (16, 6):
                number = value
            elif bit == 0:
                parts.append(("perf_ip", value))
            elif bit == 1:
                pid, tid = self.get("ii", at, data)
                parts += [("perf_tid", tid), ("perf_pid", pid)]
            elif bit == 2:
                time = value
            elif bit == 7:
                cpu, = self.get("I", at, data)
            elif bit == 8:
                parts += [("perf_id", number)] if number is not None else []
                parts.append(("perf_period", value))
                number = None
            at += 8
        if number is not None:
            parts.append(("perf_id", number))
        if sample_type >> 4 & 1:
            at += 8 * (1 + bin(read_format & 0x17).count("1"))
        if kind != 2:
            if not sample_type >> 8 & 1 and period:
                parts.append(("perf_period", period))
            parts.append(("perf_mode", self.get("H", 4, data)[0] & 7))
        if sample_type >> 5 & 1:
            count, = self.get("Q", at, data)
            parts.append(("perf_callchain", Shown("[" + "".join(f" {ip}" for ip in self.get(f"{count}Q", at + 8, data)) + " }")))
            at += 8 + 8 * count
        name = self.names.get(index, f"perf:{kind}:{config}")
        if kind == 2 and config in self.points and sample_type >> 10 & 1:
            size, = self.get("I", at, data)
            name, fields = self.points[config]
            parts += [self.field(data[at + 4:at + 4 + size], *field) for field in fields]
        return time + self.wall, cpu, name, parts

    def field(self, raw, kind, offset, size, signed):
        kind, _, name = kind.rpartition(" ")
        is_array = name.endswith("]")
        name = name.partition("[")[0]
        if "_loc" in kind:
            where, = self.get("I", offset, raw)
            begin = (where & 0xffff) + (offset + 4 if "__rel_loc" in kind else 0)
            return name, raw[begin:begin + (where >> 16)].split(b"\0")[0] if "char" in kind else ""
        if is_array:
            return name, raw[offset:offset + size].split(b"\0")[0] if "char" in kind else ""
        code = {1: "b", 2: "h", 4: "i", 8: "q"}.get(size)
        return name, self.get(code if signed or size == 8 else code.upper(), offset, raw)[0] if code else ""

    def trailer(self, data):
        """Time and CPU at the end of a record; every attribute has them at the same places."""
        sample_type = self.attributes[0][2]
        size = 8 * sum(sample_type >> bit & 1 for bit in (1, 2, 6, 9, 7, 16))
        at = len(data) - size + 8 * (sample_type >> 1 & 1)
        time, = self.get("Q", at, data)
        at += 8 * (1 + (sample_type >> 6 & 1) + (sample_type >> 9 & 1))
        return data[:len(data) - size], time, self.get("I", at, data)[0]

    def side(self, kind, data):
        name, numbers, text, at = SIDES[kind]
        body, time, cpu = self.trailer(data)
        if time == 0:
            return None
        parts, place = [], 8
        for number in numbers:
            code, size = ("q", 8) if number in LONG else ("i", 4)
            parts.append((number, self.get(code, place, body)[0]))
            place += size
        if text:
            path = body[at:].split(b"\0")[0]
            parts.append((text, path))
        misc, = self.get("H", 4, data)
        if kind == 3:
            parts.append(("exec", misc >> 13 & 1))
        if kind in (1, 10):
            has_own = kind == 10 and misc >> 14 & 1
            build_id = data[44:44 + data[40]] if has_own else self.build_ids.get(path, b"")
            parts.append(("build_id", Shown("#" + build_id.hex() if build_id else "")))
        return time + self.wall, cpu, name, parts

    def meet(self, kind, data):
        if kind == 2:
            count = self.get("Q", 16, data)[0]
            _, time, cpu = self.trailer(data)
            self.lost += count
            if cpu in self.last:
                self.losses.append((self.last[cpu] + 1, cpu, max(time + self.wall, self.last[cpu] + 1), count))
        elif kind == 13:
            self.counted += self.get("Q", 8, data)[0]
        event = self.sample(data) if kind == 9 else self.side(kind, data) if kind in SIDES else None
        if event is None:
            return
        if kind == 9:
            self.last[event[1]] = event[0]
            self.latest = max(event[0], self.latest or event[0])
        self.entries.append((event[0], event[1], 1, len(self.entries), event))

    def lines(self):
        for kind, data in self.records():
            self.meet(kind, data)
        if self.counted > self.lost:
            self.losses.append((self.latest + 1, -1, 2**63 - 1, self.counted - self.lost))
        # A loss comes before an event of its time.
        gaps = sorted(self.losses)
        for time, cpu, _, _, (_, _, name, parts) in sorted(self.entries, key=lambda entry: entry[:4]):
            while gaps and gaps[0][0] <= time:
                yield "{} {} gap {} {}".format(*gaps.pop(0))
            yield f"{time} {cpu} {name}" + "".join(f" {field}={shown(value)}" for field, value in parts)
        for gap in gaps:
            yield "{} {} gap {} {}".format(*gap)


class Shown(str):
    """As it is printed."""


def shown(value):
    if isinstance(value, Shown):
        return value
    if not isinstance(value, bytes):
        return str(value - 2**64 if isinstance(value, int) and value >= 2**63 else value)
    return "'" + "".join(chr(byte) if 0x20 < byte < 0x7f and byte != 0x5c else f"\\{byte:02x}" for byte in value)


if __name__ == "__main__":
    for line in Walk(sys.argv[1]).lines():
        print(line)
