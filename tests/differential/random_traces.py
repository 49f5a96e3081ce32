# SPDX-License-Identifier: MIT
"""
Random CTF traces: metadata that declares any layout of types, and packets of random bytes behind sound heads.

Lengths are short and tags have a choice for most numbers, so that many events can be decoded before one cannot;
that both readers find the same end is a part of what is compared.
"""
import os
import random
import struct

MAGIC = 0xC1FC1FC1


class Layout:
    """Draws types as TSDL; what can be a length or a tag is remembered in the structure that it is in."""

    def __init__(self, draw, packed):
        self.draw, self.packed, self.names = draw, packed, 0

    def name(self):
        self.names += 1
        return self.draw.choice(("", "", "_", "__")) + "f%d" % self.names

    def integer(self, size=None, signed=None, align=None, extra=""):
        draw = self.draw
        whole = not self.packed or draw.random() < 0.5
        size = size or (draw.choice((8, 16, 32, 64)) if whole else draw.randint(1, 64))
        align = align or draw.choice((1, 1, 1, 2, 4, 8, 32) if self.packed else (8, 8, 8, 16, 32, 64))
        signed = draw.random() < 0.4 if signed is None else signed
        # Within a byte the order of bits may not change.
        order = " byte_order = %s;" % draw.choice(("le", "be")) if not self.packed and draw.random() < 0.2 else ""
        return "integer { size = %d; align = %d; signed = %s;%s%s }" % (
            size, align, "true" if signed else "false", order, extra)

    def length(self):
        return self.integer(size=self.draw.choice((3, 4)) if self.packed else 8, signed=False)

    def character(self):
        return "integer { size = 8; align = 8; signed = false; encoding = UTF8; }"

    def scalar(self):
        pick = self.draw.random()
        if pick < 0.55:
            return self.integer()
        if pick < 0.7:
            digits = self.draw.choice(((8, 24), (11, 53)))
            return "floating_point { exp_dig = %d; mant_dig = %d; align = 8; }" % digits
        if pick < 0.85:
            return "string"
        return self.enumeration()[0]

    def enumeration(self):
        bits = self.draw.choice((1, 2, 3)) if self.packed else 8
        names, text, at, last = [], [], 0, (1 << bits) - 1
        signed = self.draw.random() < 0.3
        low = -(1 << (bits - 1)) if signed else 0
        while at <= last and len(names) < 4:
            name = "l%d" % len(names)
            end = last if len(names) == 3 else min(last, at + self.draw.randint(0, last))
            text.append("%s = %d ... %d" % (name, at + low, end + low))
            names.append(name)
            at = end + 1
        base = self.integer(size=bits, signed=signed)
        return "enum : %s { %s }" % (base, ", ".join(text)), names

    def field(self, depth):
        """Some declarations, of which the last one may need those before it."""
        draw, pick, name = self.draw, self.draw.random(), self.name()
        if depth > 3 or pick < 0.5:
            return "%s %s;" % (self.scalar(), name)
        if pick < 0.6:
            element = self.character() if draw.random() < 0.5 else self.scalar()
            return "%s %s[%d];" % (element, name, draw.randint(0, 9))
        if pick < 0.72:
            length = self.name()
            element = self.character() if draw.random() < 0.5 else self.element(depth)
            return "%s %s; %s %s[%s];" % (self.length(), length, element, name, length)
        if pick < 0.82:
            return "%s %s;" % (self.structure(depth + 1), name)
        if pick < 0.9:
            return "%s %s[%d];" % (self.element(depth), name, draw.randint(0, 4))
        tag, (enumeration, names) = self.name(), self.enumeration()
        options = " ".join("%s %s;" % (self.element(depth), option) for option in names)
        return "%s %s; variant <%s> { %s } %s;" % (enumeration, tag, tag, options, name)

    def element(self, depth):
        return self.structure(depth + 1) if self.draw.random() < 0.4 else self.scalar()

    def structure(self, depth=0, count=None):
        fields = " ".join(self.field(depth) for _ in range(self.draw.randint(0, 4) if count is None else count))
        align = " align(%d)" % self.draw.choice((8, 32)) if self.draw.random() < 0.1 else ""
        return "struct { %s }%s" % (fields, align)


def header(layout, clock):
    """The header of events: one of LTTng's, a plain one, or one that only says the time."""
    mapped = " map = clock.%s.value;" % clock
    kind = layout.draw.choice(("compact", "large", "plain", "plain", "time"))

    def number(size, align, extra=""):
        return "integer { size = %d; align = %d; signed = false;%s }" % (size, align, extra)

    if kind in ("compact", "large"):
        bits, time, last = (5, 27, 31) if kind == "compact" else (16, 32, 65535)
        align = 1 if kind == "compact" else 8
        return """struct { enum : %s { compact = 0 ... %d, extended = %d } id;
            variant <id> { struct { %s timestamp; } compact;
            struct { %s id; %s timestamp; } extended; } v; } align(8)""" % (
            number(bits, align), last - 1, last, number(time, align, mapped), number(32, 8), number(64, 8, mapped))
    time = layout.integer(size=layout.draw.choice((8, 16, 32)), signed=False, extra=mapped)
    if kind == "time":
        return "struct { %s timestamp; }" % time
    return "struct { %s id; %s timestamp; }" % (number(layout.draw.choice((1, 2)) if layout.packed else 8, 1), time)


def body(draw, size):
    """Many zeros and small numbers: ends of strings, short sequences, known ids."""
    return bytes(draw.choice((0, 0, 1, 1, 2, 3, draw.randrange(256))) for _ in range(draw.randint(0, size)))


SHARED = """/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace { major = 1; minor = 8; byte_order = %s;
packet.header := struct { uint32_t magic; uint32_t stream_id; uint32_t stream_instance_id; }; };
stream { id = 0; event.header := struct { uint64_t timestamp; };
packet.context := struct { uint64_t packet_size; uint64_t content_size; uint64_t timestamp_begin;
uint64_t timestamp_end; uint32_t cpu_id; }; };
event { name = e; id = 0; stream_id = 0; fields := struct { uint32_t a; string b; }; };
"""


def make_shared(draw, folder):
    """Two sound streams, each kept in some files: packets are told by their instance and their times."""
    order, files = draw.choice("<>"), {}
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
        file.write(SHARED % ("be" if order == ">" else "le"))
    for number in range(draw.randint(2, 30)):
        instance, begin = draw.randrange(2), 100 * number
        events = b"".join(struct.pack(order + "QI", begin + i, number) + b"b" * i + b"\0"
                          for i in range(draw.randint(0, 50)))
        size = 8 * (12 + 36 + len(events))
        head = struct.pack(order + "IIIQQQQI", MAGIC, 0, instance, size, size, begin, begin + 60, number)
        files.setdefault((instance, draw.randrange(3)), []).append(head + events)
    for (instance, part), packets in files.items():
        with open(os.path.join(folder, "s%d_%d" % (instance, part)), "wb") as file:
            file.write(b"".join(packets))


def make(folder, seed):
    """Write the trace of a seed."""
    draw = random.Random(seed)
    big, packed = draw.random() < 0.4, draw.random() < 0.5
    if draw.random() < 0.1:
        make_shared(draw, folder)
        return
    layout = Layout(draw, packed)
    events = draw.choice((1, 2, 3, 4))
    head = header(layout, "c")
    if "id" not in head.split():
        events = 1 if " id;" not in head else events
    text = ["""/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace { major = 1; minor = 8; byte_order = %s;
packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
clock { name = c; freq = 1000000000; offset_s = %d; offset = %d; };
stream { id = 0; event.header := %s;
packet.context := struct { uint64_t packet_size; uint64_t content_size; uint32_t cpu_id; };""" % (
        "be" if big else "le", draw.randint(0, 10 ** 9), draw.randint(0, 10 ** 9 - 1), head)]
    if draw.random() < 0.4:
        text.append("event.context := %s;" % layout.structure())
    text.append("};")
    for event in range(events):
        context = "context := %s; " % layout.structure() if draw.random() < 0.3 else ""
        text.append("event { name = \"e%d\"; id = %d; stream_id = 0; %sfields := %s; };" % (
            event, event, context, layout.structure(count=draw.randint(1, 8))))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n")
    order = ">" if big else "<"
    for stream in range(draw.randint(1, 2)):
        data = body(draw, 20000)
        size = 8 * (8 + 20 + len(data))
        with open(os.path.join(folder, "s%d" % stream), "wb") as file:
            file.write(struct.pack(order + "IIQQI", MAGIC, 0, size, size, stream) + data)
