# SPDX-License-Identifier: MIT
"""
Write recordings as `perf record` writes them: in either byte order, as a file, a pipe or a folder, compressed or not.

A recording is a list of rounds; a round is a list of records, of one CPU after another.  Sources: of Linux
tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h; trace-cmd.dat.v6(5) for the
tracing data.
"""
import ctypes
import ctypes.util
import struct

SAMPLE_TYPE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8 | 1 << 10 | 1 << 16  # IP TID TIME CPU PERIOD RAW IDENTIFIER
CALLCHAIN, READ = 1 << 5, 1 << 4
READ_FORMAT = 1 << 2 | 1 << 4  # ID LOST
SAMPLE_ID_ALL, CONTEXT_SWITCH = 18, 26  # bits
(MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2, LOST_SAMPLES) = (1, 2, 3, 4, 7, 9, 10, 13)
(HEADER_ATTR, TRACING_DATA, FINISHED_ROUND, AUXTRACE, EVENT_UPDATE, HEADER_FEATURE, COMPRESSED, COMPRESSED2) = (
    64, 66, 68, 71, 78, 80, 81, 83)
COMMON = [("unsigned short", "common_type", 0, 2, 0), ("unsigned char", "common_flags", 2, 1, 0),
          ("unsigned char", "common_preempt_count", 3, 1, 0), ("int", "common_pid", 4, 4, 1)]


class Tracepoint:
    """Fields are (type, name, offset, size, signed); the common ones are added."""

    def __init__(self, number, system, name, fields, shown='"%d", (((((REC->nothing'):
        self.number, self.system, self.name, self.fields, self.shown = number, system, name, fields, shown

    def description(self):
        def line(kind, name, offset, size, signed):
            if kind.endswith("]") and not kind.startswith("__"):  # an array of C: its size is behind the name
                base, _, length = kind.partition("[")
                kind, name = base, f"{name}[{length}"
            return f"\tfield:{kind} {name};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n"
        text = f"name: {self.name}\nID: {self.number}\nformat:\n"
        text += "".join(line(*field) for field in COMMON) + "\n" + "".join(line(*field) for field in self.fields)
        return (text + f"\nprint fmt: {self.shown}\n").encode()


class Recording:
    """What is common to all records of a recording: the byte order, the events, ids of them by CPU."""

    def __init__(self, tracepoints, cpus=2, big=False, extra=0, identifier=True, switches=False,
                 release=b"6.1.0"):
        self.order, self.big, self.cpus, self.tracepoints = ">" if big else "<", big, cpus, tracepoints
        self.sample_type, self.switches, self.release = SAMPLE_TYPE | extra, switches, release
        if not identifier:  # one event needs no id
            self.sample_type &= ~(1 << 16)

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def id(self, event, cpu):
        return 1000 + 64 * event + cpu

    def attribute(self, event):
        bits = sum(1 << (63 - bit if self.big else bit) for bit in [SAMPLE_ID_ALL] + [CONTEXT_SWITCH] * self.switches)
        head = self.pack("IIQQQQQ", 2, 128, self.tracepoints[event].number, 1, self.sample_type, READ_FORMAT, bits)
        return head.ljust(128, b"\0")

    def ids(self, event):
        return b"".join(self.pack("Q", self.id(event, cpu)) for cpu in range(self.cpus))

    # ---- records

    def record(self, kind, body=b"", misc=0):
        return self.pack("IHH", kind, misc, 8 + len(body)) + body

    def sample(self, event, cpu, time, raw, tid=0, pid=None):
        body = b""
        if self.sample_type & 1 << 16:
            body += self.pack("Q", self.id(event, cpu))
        body += self.pack("QIIQIIQ", 0, tid if pid is None else pid, tid, time, cpu, 0, 1)
        if self.sample_type & READ:
            body += self.pack("QQQ", 7, self.id(event, cpu), 0)
        if self.sample_type & CALLCHAIN:
            body += self.pack("QQQQ", 3, 0xffffffffffffff80, 0x1234, 0x5678)
        room = (len(raw) + 4 + 7) // 8 * 8 - 4  # so that what follows begins at a multiple of 8
        return self.record(SAMPLE, body + self.pack("I", room) + raw.ljust(room, b"\0"))

    def trailer(self, cpu, time, tid=0, event=0):
        words = self.pack("IIQII", tid, tid, time, cpu, 0)
        return words + (self.pack("Q", self.id(event, cpu)) if self.sample_type & 1 << 16 else b"")

    def side(self, kind, body, cpu, time, tid=0, misc=0):
        return self.record(kind, body + self.trailer(cpu, time, tid), misc)

    def comm(self, cpu, time, tid, name):
        return self.side(COMM, self.pack("II", tid, tid) + name.ljust((len(name) + 8) // 8 * 8, b"\0"), cpu, time)

    def fork(self, cpu, time, parent, child):
        return self.side(FORK, self.pack("IIIIQ", child, parent, child, parent, time), cpu, time)

    def lost(self, cpu, time, count):
        return self.side(LOST, self.pack("QQ", self.id(0, cpu), count), cpu, time)

    def lost_samples(self, count):
        return self.record(LOST_SAMPLES, self.pack("Q", count) + self.trailer(0, 0))

    def finished_round(self):
        return self.record(FINISHED_ROUND)

    def records(self, rounds, pack=None):
        """All rounds as the bytes of a file; `pack` makes compressed records of the bytes of a round."""
        pack = pack or (lambda plain: plain)
        return b"".join(pack(b"".join(records)) + self.finished_round() for records in rounds)

    # ---- what is said beside them

    def text(self, words):
        room = (len(words) + 64) // 64 * 64
        return self.pack("I", room) + words.ljust(room, b"\0")

    def tracing_data(self):
        def block(data):
            return self.pack("Q", len(data)) + data
        systems = {}
        for tracepoint in self.tracepoints:
            systems.setdefault(tracepoint.system, []).append(tracepoint.description())
        data = b"\x17\x08\x44tracing" + b"0.6\0" + bytes([self.big, 8]) + self.pack("I", 4096)
        data += b"header_page\0" + block(b"page") + b"header_event\0" + block(b"event")
        data += self.pack("I", 1) + block(b"name: function\n")  # of ftrace itself
        data += self.pack("I", len(systems))
        for system, descriptions in systems.items():
            data += system.encode() + b"\0" + self.pack("I", len(descriptions)) + b"".join(map(block, descriptions))
        return data + self.pack("II", 0, 0) + block(b"")  # addresses, formats of printk, names of threads

    def features(self, clock=None, compressed=False, folder=False):
        """By number; `clock` is (time of the day, time of the clock of samples)."""
        known = {1: self.tracing_data(), 3: self.text(b"demo"), 4: self.text(self.release), 5: self.text(b"6.1"),
                 6: self.text(b"x86_64")}
        known[12] = self.pack("II", len(self.tracepoints), 128) + b"".join(
            self.attribute(i) + self.pack("I", self.cpus) + self.text(f"event {i}".encode()) + self.ids(i)
            for i in range(len(self.tracepoints)))
        if folder:
            known[24] = self.pack("Q", 1)
        if compressed:
            known[27] = self.pack("IIIII", 1, 1, 1, 5, 528384)
        if clock:
            known[29] = self.pack("IIQQ", 1, 1, *clock)
        return dict(sorted(known.items()))

    def file(self, records, **options):
        features = self.features(**options)
        ids = b"".join(self.ids(i) for i in range(len(self.tracepoints)))
        attributes = b"".join(self.attribute(i) + self.pack("QQ", 104 + 8 * self.cpus * i, 8 * self.cpus)
                              for i in range(len(self.tracepoints)))
        begin = 104 + len(ids) + len(attributes)
        bits = [0, 0, 0, 0]
        for number in features:
            bits[number // 64] |= 1 << number % 64
        header = (b"2ELIFREP" if self.big else b"PERFILE2") + self.pack(
            "QQQQQQQQQQQQ", 104, 144, 104 + len(ids), len(attributes), begin, len(records), 0, 0, *bits)
        at, table, rest = begin + len(records) + 16 * len(features), b"", b""
        for data in features.values():
            table += self.pack("QQ", at + len(rest), len(data))
            rest += data
        return header + ids + attributes + records + table + rest

    def folder(self, parts, own, **options):
        """The files of `perf record --threads`, by name: the records of each CPU, and perf's own."""
        return {"data": self.file(own, folder=True, **options)} | {f"data.{i}": part for i, part in enumerate(parts)}

    def pipe(self, records, **options):
        out = (b"2ELIFREP" if self.big else b"PERFILE2") + self.pack("Q", 16)
        for i in range(len(self.tracepoints)):
            out += self.record(HEADER_ATTR, self.attribute(i) + self.ids(i))
        features = self.features(**options)
        for number, data in features.items():
            if number not in (1, 12):
                out += self.record(HEADER_FEATURE, self.pack("Q", number) + data)
        for i in range(len(self.tracepoints)):
            out += self.record(EVENT_UPDATE, self.pack("QQ", 2, self.id(i, 0)) + b"an event\0\0\0\0\0\0\0\0")
        data = features[1]
        out += self.record(TRACING_DATA, self.pack("I", len(data))) + data.ljust((len(data) + 7) // 8 * 8, b"\0")
        return out + records


class Packer:
    """Records of type COMPRESSED: one stream of zstd, cut anywhere."""

    def __init__(self, recording, second=False, piece=4000):
        self.recording, self.second, self.piece = recording, second, piece
        self.zstd = ctypes.CDLL("libzstd.so.1")
        self.zstd.ZSTD_createCStream.restype = ctypes.c_void_p
        self.zstd.ZSTD_compressStream2.restype = ctypes.c_size_t
        self.stream = ctypes.c_void_p(self.zstd.ZSTD_createCStream())

    def compress(self, plain):
        class Buffer(ctypes.Structure):
            _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]
        room = ctypes.create_string_buffer(2 * len(plain) + 1024)
        source = ctypes.create_string_buffer(plain, len(plain))
        out = Buffer(ctypes.cast(room, ctypes.c_void_p), len(room), 0)
        given = Buffer(ctypes.cast(source, ctypes.c_void_p), len(plain), 0)
        left = self.zstd.ZSTD_compressStream2(self.stream, ctypes.byref(out), ctypes.byref(given), 1)  # flush
        assert left == 0 and given.pos == len(plain)
        return room.raw[:out.pos]

    def __call__(self, plain):
        packed, out = self.compress(plain), b""
        for at in range(0, len(packed), self.piece):
            part = packed[at:at + self.piece]
            if self.second:  # it says its size, and is filled up
                room = (len(part) + 7) // 8 * 8
                out += self.recording.record(COMPRESSED2, self.recording.pack("Q", len(part)) + part.ljust(room, b"\0"))
            else:
                out += self.recording.record(COMPRESSED, part)
        return out


def can_pack():
    try:
        ctypes.CDLL("libzstd.so.1")
        return True
    except OSError:
        return False
