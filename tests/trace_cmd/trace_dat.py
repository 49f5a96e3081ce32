# SPDX-License-Identifier: MIT
"""
Write a trace.dat as trace-cmd writes it: version 6 or 7, in either byte order, of 32 and 64 bits, of any page size,
plain or compressed.

Sources: trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5); for pages include/linux/ring_buffer.h and
kernel/trace/ring_buffer.c of Linux.
"""
import ctypes
import ctypes.util
import struct
import zlib

MISSED, MISSED_STORED = 1 << 31, 1 << 30
PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31
(DATE, CPUSTAT, BUFFER, TRACECLOCK, UNAME, HOOK, OFFSET, CPUCOUNT, VERSION, PROCMAPS, TRACEID, TIME_SHIFT, GUEST,
 TSC2NSEC, STRINGS, HEADER_INFO, FTRACE_EVENTS, EVENT_FORMATS, KALLSYMS, PRINTK, CMDLINES, BUFFER_TEXT) = range(1, 23)
SAVED_TGIDS = 32  # of the trace-cmd of GPUVis
CLOCKS = b"[local] global counter mono\n"
CLOCK_OF_VERSION_6 = b""  # in the options; the clocks themselves are at another place
CHUNK_PAGES = 10


def zstd():
    """What compresses by zstd, None where there is no such library."""
    name = ctypes.util.find_library("zstd")
    if name is None:
        return None
    library = ctypes.CDLL(name)
    library.ZSTD_compress.restype = ctypes.c_size_t
    library.ZSTD_compressBound.restype = ctypes.c_size_t
    library.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    library.ZSTD_compress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def pack(plain):
        room = ctypes.create_string_buffer(library.ZSTD_compressBound(len(plain)))
        size = library.ZSTD_compress(room, len(room), plain, len(plain), 3)
        return room.raw[:size]
    return pack


PACKERS = {"none": None, "zlib": zlib.compress, "zstd": zstd()}


class TraceDat:
    """What is common to a file: byte order, sizes, and the events that it describes."""

    def __init__(self, tracepoints, big=False, long_size=8, page_size=4096, version=7, packing="none"):
        self.order, self.big, self.tracepoints = ">" if big else "<", big, tracepoints
        self.long_size, self.page_size, self.version = long_size, page_size, version
        self.packing, self.packer = packing, PACKERS[packing]

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def long(self, value):
        return self.pack("Q" if self.long_size == 8 else "I", value)

    # ---- pages

    def word(self, kind, delta):
        return self.pack("I", kind << 27 | delta if self.big else delta << 5 | kind)

    def entry(self, raw, delta, is_long=False):
        raw = raw.ljust((len(raw) + 3) // 4 * 4, b"\0")
        if len(raw) > 28 * 4 or is_long:
            return self.word(0, delta) + self.pack("I", len(raw) + 4) + raw
        return self.word(len(raw) // 4, delta) + raw

    def later(self, before, time, is_whole):
        """What lies between two times that are far apart, and how much is left."""
        delta = time - before
        if is_whole:
            low = time & (1 << 59) - 1
            return self.word(TIME_STAMP, low & (1 << 27) - 1) + self.pack("I", low >> 27), 0
        if delta >> 27:
            return self.word(TIME_EXTEND, delta & (1 << 27) - 1) + self.pack("I", delta >> 27), 0
        return b"", delta

    def page(self, time, entries, lost=None):
        """`lost`: how many events are missing before it, 0: nobody counted; None: none are."""
        commit = len(entries) | (0 if lost is None else MISSED | (MISSED_STORED if lost else 0))
        data = self.pack("Q", time) + self.long(commit) + entries + (self.long(lost) if lost else b"")
        return data.ljust(self.page_size, b"\0")

    def pages(self, events, lost=None, variety=False):
        """Of [(time, raw)], as many to a page as it takes.  `lost`: {index of an event: what is lost before it}."""
        lost, room = lost or {}, self.page_size - 8 - 2 * self.long_size
        begin, before, entries, losses, done = None, 0, b"", None, []
        for i, (time, raw) in enumerate(events):
            gap, delta = self.later(before, time, variety and i % 7 == 3) if begin is not None else (b"", 0)
            entry = gap + self.entry(raw, delta, variety and i % 5 == 2)
            if variety and i % 11 == 4 and delta > 1:  # behind one that was thrown away
                entry = self.word(PADDING, delta - 1) + self.pack("I", 8) + b"gone" + self.entry(raw, 1)
            if begin is not None and (i in lost or len(entries) + len(entry) > room):
                done.append(self.page(begin, entries, losses))
                begin = None
            if begin is None:
                begin, entries, losses, entry = time, b"", lost.get(i), self.entry(raw, 0)
            entries, before = entries + entry, time
        return done + [self.page(begin, entries, losses)] if begin is not None else done

    # ---- what is said beside them

    def block(self, data):
        return self.pack("Q", len(data)) + data

    def header_info(self):
        size = self.long_size
        page = ("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                f"\tfield: local_t commit;\toffset:8;\tsize:{size};\tsigned:1;\n"
                "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                f"\tfield: char data;\toffset:{8 + size};\tsize:{self.page_size - 8 - size};\tsigned:0;\n")
        event = "# compressed entry header\n\ttype_len    :    5 bits\n"
        return b"header_page\0" + self.block(page.encode()) + b"header_event\0" + self.block(event.encode())

    def ftrace_events(self):
        own = [point.description() for point in self.tracepoints if point.system == "ftrace"]
        return self.pack("I", len(own)) + b"".join(map(self.block, own))

    def event_formats(self):
        systems = {}
        for point in self.tracepoints:
            if point.system != "ftrace":
                systems.setdefault(point.system, []).append(point.description())
        return self.pack("I", len(systems)) + b"".join(
            system.encode() + b"\0" + self.pack("I", len(descriptions)) + b"".join(map(self.block, descriptions))
            for system, descriptions in systems.items())

    def sized(self, data):
        return self.pack("I", len(data)) + data

    def option(self, number, data):
        return self.pack("HI", number, len(data)) + data

    def options(self, given):
        return b"".join(self.option(number, data) for number, data in given)

    def head(self):
        return b"\x17\x08\x44tracing" + b"%d\0" % self.version + bytes([self.big, self.long_size]) + self.pack(
            "I", self.page_size)

    # ---- files

    def file(self, buffers, options=(), clock=CLOCKS):
        """`buffers`: {name: {CPU: [page]}}, of which "" is the one that is always there."""
        return (self.row if self.version == 6 else self.sections)(buffers, list(options), clock)

    def table(self, cpus, count, at):
        """The offset and size of each CPU, and the pages from `at` on."""
        table, data = b"", b""
        for cpu in range(count):
            pages = b"".join(cpus.get(cpu, []))
            table += self.pack("QQ", at + len(data) if pages else 0, len(pages))
            data += pages
        return table, data

    def aligned(self, data):
        return data.ljust((len(data) + self.page_size - 1) // self.page_size * self.page_size, b"\0")

    def row(self, buffers, options, clock):
        count = 1 + max((cpu for cpus in buffers.values() for cpu in cpus), default=0)
        begin = self.head() + self.header_info() + self.ftrace_events() + self.event_formats()
        begin += self.sized(b"ffffffff81000000 T _text\n") + self.sized(b"0xffff : \"%s\"\n") + self.block(
            b"1 init\n") + self.pack("I", count) + b"options  \0"
        instances = [name for name in buffers if name]

        def whole(offsets):
            given = options + [(TRACECLOCK, CLOCK_OF_VERSION_6)] + [
                (BUFFER, self.pack("Q", offsets.get(name, 0)) + name.encode() + b"\0") for name in instances]
            return begin + self.options(given) + self.pack("H", 0) + b"flyrecord\0"
        size = len(whole({})) + 16 * count + 8 + len(clock)
        at = (size + self.page_size - 1) // self.page_size * self.page_size
        table, data = self.table(buffers.get("", {}), count, at)
        offsets = {}
        for name in instances:
            offsets[name] = at + len(data)
            head = b"flyrecord\0"
            first = (offsets[name] + len(head) + 16 * count + self.page_size - 1) // self.page_size * self.page_size
            part, pages = self.table(buffers[name], count, first)
            data = (data + head + part).ljust(first - at, b"\0") + pages
        return self.aligned(whole(offsets) + table + self.block(clock)) + data

    def section(self, number, data):
        flags = 0
        if self.packer and number != BUFFER:
            packed = self.packer(data)
            data, flags = self.pack("II", len(packed), len(data)) + packed, 1
        return self.pack("HHIQ", number, flags, 0, len(data)) + data

    def chunks(self, pages):
        cut = [b"".join(pages[i:i + CHUNK_PAGES]) for i in range(0, len(pages), CHUNK_PAGES)]
        packed = [(self.packer(plain), len(plain)) for plain in cut]
        return self.pack("I", len(cut)) + b"".join(
            self.pack("II", len(data), size) + data for data, size in packed)

    def buffer(self, name, cpus, at, clock):
        """A section of pages at an offset, and the option that tells of it."""
        begin = at + 16 if self.packer else (at + 16 + self.page_size - 1) // self.page_size * self.page_size
        data, said = b"", b""
        for cpu, pages in cpus.items():
            part = self.chunks(pages) if self.packer else b"".join(pages)
            # Of chunks, the size is without their count.
            said += self.pack("IQQ", cpu, begin + len(data), len(part) - 4 if self.packer else len(part))
            data += part
        body = data.rjust(begin - at - 16 + len(data), b"\0")
        section = self.pack("HHIQ", BUFFER, int(self.packer is not None), 0, len(body)) + body
        name_of_clock = clock[clock.index(b"[") + 1:clock.index(b"]")]
        return section, (BUFFER, self.pack("Q", at) + name.encode() + b"\0" + name_of_clock + b"\0" +
                         self.pack("II", self.page_size, len(cpus)) + said)

    def sections(self, buffers, options, clock):
        head = self.head() + self.packing.encode() + b"\0" + b"1.0\0"
        data, offsets = head + bytes(8), {}
        for number, body in ((HEADER_INFO, self.header_info()), (FTRACE_EVENTS, self.ftrace_events()),
                             (EVENT_FORMATS, self.event_formats()), (KALLSYMS, self.sized(b"0 T _text\n")),
                             (PRINTK, self.sized(b"")), (CMDLINES, self.block(b"1 init\n"))):
            offsets[number] = len(data)
            data += self.section(number, body)
        parts, at = [], None
        given = options + [(TRACECLOCK, clock)] + [(n, self.pack("Q", where)) for n, where in offsets.items()]

        def first(following):
            return self.section(0, self.options(given) + self.option(0, self.pack("Q", following)))
        # The section that tells of the buffers comes behind them; a compressed one may change its size.
        following = len(data)
        for _ in range(8):
            at = len(data) + len(first(following))
            parts, tail = [], []
            for name, cpus in buffers.items():
                section, option = self.buffer(name, cpus, at + sum(map(len, parts)), clock)
                parts.append(section)
                tail.append(option)
            wanted = at + sum(map(len, parts))
            if wanted == following:
                break
            following = wanted
        begin = len(data)
        data += first(following) + b"".join(parts)
        data += self.section(0, self.options(tail) + self.option(0, self.pack("Q", 0)))
        return data[:len(head)] + self.pack("Q", begin) + data[len(head) + 8:]
