# SPDX-License-Identifier: MIT
"""
Random CTF 2 traces: metadata that declare any field classes, and packets that are encoded value by value.

What an event holds is drawn first and encoded then, so that the line that print_values must print for it is known
without any decoding.  Bits are put one by one, as CTF2-SPEC-2.0, section 6.4 reads them: slow, and unlike the reader.
"""
import math
import os
import random
import struct

import twin

ENCODINGS = {"utf-8": 1, "utf-16le": 2, "utf-16be": 2, "utf-32le": 4, "utf-32be": 4}
SMALL = "attributes"  # of an integer: it may be a length or a selector
CHARACTERS = "aZ09 ~\"\\é߿ࠀ￿\U00010000\U0010ffff"
SCOPES = ("packet-context", "event-record-header", "event-record-common-context", "event-record-specific-context",
          "event-record-payload")


class Bits:
    """Bits from the start of a packet."""

    def __init__(self):
        self.bytes, self.at, self.order = bytearray(), 0, None

    def align(self, to, order=None):
        self.at = (self.at + to - 1) // to * to
        if order is not None and self.at % 8 != 0 and order != self.order:
            self.at = (self.at + 7) // 8 * 8  # within a byte the order of bits may not change: drawn anew instead
        self.grow()

    def grow(self):
        self.bytes.extend(bytes((self.at + 7) // 8 - len(self.bytes)))

    def put(self, number, length, order, reversed_bits):
        """An array of bits of which the first is the lowest of `number`, unless the bits are reversed."""
        last_to_first = (order == "big-endian") != reversed_bits
        for i in range(length):
            bit = number >> (length - 1 - i if last_to_first else i) & 1
            byte, place = divmod(self.at, 8)
            if byte == len(self.bytes):
                self.bytes.append(0)
            self.bytes[byte] |= bit << (7 - place if order == "big-endian" else place)
            self.at += 1
        self.order = order

    def put_bytes(self, data):
        self.align(8)
        self.bytes += data
        self.at += 8 * len(data)


def digits(number, length):
    """What has no room in a number of 64 bits."""
    return '"0x%0*x"' % ((length + 3) // 4, number & (1 << length) - 1)


def alignment_of(made):
    kind = made["type"]
    if kind == "structure":
        return max([made.get("minimum-alignment", 1)] +
                   [alignment_of(member["field-class"]) for member in made.get("member-classes", [])])
    if kind.endswith("-array") and kind != "fixed-length-bit-array":
        return max(made.get("minimum-alignment", 1), alignment_of(made["element-field-class"]))
    if kind in ("optional", "variant"):
        return 1
    return made.get("alignment", 1) if kind.startswith("fixed-length") else 8


def escape(data):
    return "".join(chr(byte) if 0x20 <= byte < 0x7f and byte not in b'"\\' else "\\x%02x" % byte for byte in data)


def hexadecimal(number):
    """As C's %a."""
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "-inf" if number < 0 else "inf"
    sign = "-" if math.copysign(1, number) < 0 else ""
    if number == 0:
        return sign + "0x0p+0"
    mantissa, exponent = number.hex().lstrip("-")[2:].split("p")
    fraction = mantissa[2:].rstrip("0")
    if mantissa[0] == "0":  # a small one: C has the same form of it
        return sign + "0x0." + fraction + "p" + exponent
    return sign + "0x1" + ("." + fraction if fraction else "") + "p%+d" % int(exponent)


def leb128(number, signed, padding=0):
    out = bytearray()
    while True:
        byte, number = number & 0x7f, number >> 7
        done = (number == 0 and not (signed and byte & 0x40)) or (number == -1 and signed and byte & 0x40)
        out.append(byte | (0 if done else 0x80))
        if done:
            break
    if padding and len(out) + padding < 10:
        fill = 0x7f if signed and out[-1] & 0x40 else 0
        out[-1] |= 0x80
        out += bytes([fill | 0x80] * (padding - 1) + [fill])
    return bytes(out)


class Layout:
    """Draws field classes, and values of them at the same places again."""

    def __init__(self, draw):
        self.draw, self.count, self.aliases, self.orders = draw, 0, [], ("little-endian", "big-endian")

    def name(self):
        self.count += 1
        return self.draw.choice(("f%d", "_f%d", "a field.%d", "f[%d]", "é%d")) % self.count

    def bits(self, kind, length, **more):
        draw, order = self.draw, self.draw.choice(self.orders)
        made = {"type": "fixed-length-" + kind, "length": length, "byte-order": order, **more}
        if draw.random() < 0.2:
            made["bit-order"] = draw.choice(("first-to-last", "last-to-first"))
        if draw.random() < 0.6:
            made["alignment"] = draw.choice((1, 2, 8, 8, 16, 64))
        # Within a byte the order of bits may not change: what is not aligned to bytes has the order of the trace.
        if made.get("alignment", 1) < 8 or length % 8 != 0:
            made["byte-order"] = self.packed_order
        return made

    def integer(self, signed=None, small=False):
        draw = self.draw
        signed = draw.random() < 0.4 if signed is None else signed
        kind = ("signed" if signed else "unsigned") + "-integer"
        if draw.random() < 0.3:
            made = {"type": "variable-length-" + kind}
        else:
            length = draw.choice((3, 5, 8)) if small else draw.choice((1, 7, 8, 13, 16, 32, 33, 63, 64, 65, 96, 128, 201))
            made = self.bits(kind, length)
        if small:
            made[SMALL] = {"made": "small"}
        if draw.random() < 0.2:
            made["mappings"] = {"low": [[0, 3], [5, 5]], "high": [[4, 4], [2**63, 2**64 - 1]]}
        if draw.random() < 0.2:
            made["preferred-display-base"] = draw.choice((2, 8, 10, 16))
        return made

    def scalar(self):
        draw, pick = self.draw, self.draw.random()
        if pick < 0.35:
            return self.integer()
        if pick < 0.45:
            return self.bits("boolean", draw.choice((1, 3, 8, 64)))
        if pick < 0.52:
            return self.bits("bit-array", draw.choice((1, 8, 12, 64, 65)))
        if pick < 0.58:
            return self.bits("bit-map", 8, flags={"one": [[0, 0]], "rest": [[1, 3], [5, 7]]})
        if pick < 0.7:
            return self.bits("floating-point-number", draw.choice((16, 32, 64, 128, 160)))
        if pick < 0.8:
            return {"type": "static-length-blob", "length": draw.randint(0, 5)}
        encoding = draw.choice(list(ENCODINGS))
        made = {"type": "null-terminated-string", "encoding": encoding}
        if pick < 0.9:
            made = {"type": "static-length-string", "encoding": encoding, "length": 4 * draw.randint(0, 5)}
        if encoding == "utf-8" and draw.random() < 0.5:
            del made["encoding"]
        return made

    def location(self, scope, path, inside, name):
        """Where a member of the structure at `path` is; from here, or from the root."""
        if inside and self.draw.random() < 0.5:
            return {"path": [name]}
        return {"origin": scope, "path": path + [name]}

    def fields(self, scope, path, depth, draw_inside=True):
        """Members, of which the last one may need those before it."""
        draw, pick, name = self.draw, self.draw.random(), self.name()
        if depth > 2 or pick < 0.4:
            return [(name, self.scalar())]
        if pick < 0.5:
            return [(name, self.structure(scope, path + [name], depth + 1))]
        if pick < 0.6:
            made = {"type": "static-length-array", "length": draw.randint(0, 4)}
            made["element-field-class"] = self.element(scope, path + [name], depth)
            return [(name, self.aligned(made))]
        needed = self.name()
        if pick < 0.8:
            length = self.integer(signed=False, small=True)
            kind = draw.choice(("array", "array", "string", "blob"))
            made = {"type": "dynamic-length-" + kind,
                    "length-field-location": self.location(scope, path, True, needed)}
            if kind == "array":
                made["element-field-class"] = self.element(scope, path + [name], depth)
                made = self.aligned(made)
            if kind == "string":
                made["encoding"] = draw.choice(list(ENCODINGS))
            return [(needed, length), (name, made)]
        if pick < 0.9:
            boolean = draw.random() < 0.5
            made = {"type": "optional", "selector-field-location": self.location(scope, path, True, needed)}
            selector = self.bits("boolean", 8) if boolean else self.integer(small=True)
            if not boolean:
                made["selector-field-ranges"] = [[-3, 1], [3, 2**64 - 1]]
            made["field-class"] = self.element(scope, path + [name], depth)
            return [(needed, selector), (name, made)]
        ranges = [[[-2**63, 0]], [[1, 1], [4, 2**64 - 1]], [[2, 3]]]
        options = [{"selector-field-ranges": each, "field-class": self.element(scope, path + [name], depth)}
                   for each in ranges]
        options[draw.randrange(3)]["name"] = "named"
        made = {"type": "variant", "selector-field-location": self.location(scope, path, True, needed),
                "options": options}
        out = [(needed, self.integer(small=True)), (name, made)]
        if draw.random() < 0.3:  # a length that is one of three fields of the variant (example 90)
            made["options"] = [{"selector-field-ranges": each, "field-class": self.integer(signed=False, small=True)}
                               for each in ranges]
            out.append((self.name(), {"type": "dynamic-length-blob",
                                      "length-field-location": {"origin": scope, "path": path + [name]}}))
        return out

    def aligned(self, made):
        if self.draw.random() < 0.3:
            made["minimum-alignment"] = self.draw.choice((1, 8, 32))
        return made

    def element(self, scope, path, depth):
        if self.draw.random() < 0.4:
            return self.structure(scope, path, depth + 1)
        made = self.scalar()
        if self.draw.random() < 0.2:
            self.aliases.append(("alias %d" % len(self.aliases), made))
            return self.aliases[-1][0]
        return made

    def structure(self, scope, path, depth=0, count=None):
        members = [member for _ in range(self.draw.randint(0, 3) if count is None else count)
                   for member in self.fields(scope, path, depth)]
        made = {"type": "structure",
                "member-classes": [{"name": name, "field-class": each} for name, each in members]}
        return self.aligned(made)


class Encoder:
    """Draws values of field classes, puts their bits, and says how they are printed."""

    def __init__(self, draw, aliases, bits):
        self.draw, self.aliases, self.bits, self.roots = draw, dict(aliases), bits, {}

    def real(self, made):
        return self.aliases[made] if isinstance(made, str) else made

    def located(self, location, chain):
        """The number at a location: `chain` has the members of the structures around, the outermost first."""
        at = chain[-1] if "origin" not in location else self.roots[location["origin"]]
        depth = len(chain) - 1 if "origin" not in location else (0 if at is chain[0] else None)
        for name in location["path"]:
            if name in at:
                at = at[name]
                depth = None
            elif depth is not None and depth + 1 < len(chain):  # what is being encoded
                depth += 1
                at = chain[depth]
            else:
                raise KeyError(name)
        return at

    def number(self, made):
        draw, kind = self.draw, made["type"]
        signed = "-signed-" in kind
        length = made["length"] if kind.startswith("fixed") else 64
        low, high = (-(1 << length - 1), (1 << length - 1) - 1) if signed else (0, (1 << length) - 1)
        number = draw.choice((0, 1, 2, 3, 4, 5, 7)) if SMALL in made or draw.random() < 0.8 else draw.choice(
            (low, high, draw.randint(low, high)))
        return max(low, min(high, number))

    def put_integer(self, made, number):
        signed = "-signed-" in made["type"]
        if made["type"].startswith("variable"):
            self.bits.put_bytes(leb128(number, signed, self.draw.choice((0, 0, 1, 3))))
        else:
            self.put_bits(made, number & (1 << made["length"]) - 1)

    def put_bits(self, made, number):
        order = made["byte-order"]
        usual = "first-to-last" if order == "little-endian" else "last-to-first"
        self.bits.align(alignment_of(made))
        assert self.bits.at % 8 == 0 or self.bits.order == order, "the order of bits changes within a byte"
        self.bits.put(number, made["length"], order, made.get("bit-order", usual) != usual)

    def floating(self, made):
        length = made["length"]
        number = self.draw.choice((0.0, -0.0, 1.0, -1.5, 2.0**-14, 1e3, float("inf"), float("-inf"), float("nan"),
                                   self.draw.uniform(-1, 1), 2.0**-24, 65504.0))
        if length in (16, 32, 64):
            kind = {16: "e", 32: "f", 64: "d"}[length]
            data = struct.pack("<" + kind, number)
            number = struct.unpack("<" + kind, data)[0]
            return int.from_bytes(data, "little"), number
        bits = round(4 * math.log2(length)) - 13
        sign = 1 if math.copysign(1, number) < 0 else 0
        if math.isnan(number) or math.isinf(number):
            rest = ((1 << bits) - 1) << (length - 1 - bits) | (1 << (length - 2 - bits) if math.isnan(number) else 0)
        elif number == 0:
            rest = 0
        else:
            mantissa, exponent = math.frexp(abs(number))
            whole = int(mantissa * 2**53)  # with its first bit
            field = exponent - 1 + (1 << bits - 1) - 1
            size = length - 1 - bits
            kept = whole >> 6 << 6  # the reader has the upper 64 bits: what is below would be lost in some
            number = math.copysign(math.ldexp(kept, exponent - 53), number)
            rest = field << size | (kept - (1 << 52)) << (size - 52)
        return sign << (length - 1) | rest, number

    def text(self, made, size=None):
        """The bytes, and how they are printed."""
        encoding = made.get("encoding", "utf-8")
        unit = ENCODINGS[encoding]
        text = "".join(self.draw.choice(CHARACTERS) for _ in range(self.draw.randint(0, 4)))
        data = text.encode(encoding)
        if size is None:
            return data + bytes(unit), '"%s"' % escape(text.encode())
        while len(data) > size:
            text = text[:-1]
            data = text.encode(encoding)
        if size - len(data) >= unit:  # garbage behind the zero
            data += bytes(unit) + bytes(self.draw.randrange(256) for _ in range(size - len(data) - unit))
        elif size > len(data):  # a part of a unit
            data += b"\1" * (size - len(data))
        return data, '"%s"' % escape(text.encode())

    def put(self, made, chain):
        """Put a value; returns it, for those that need it, and as it is printed."""
        made = self.real(made)
        kind = made["type"]
        if kind.endswith("-integer"):
            number = self.number(made)
            self.put_integer(made, number)
            return number, str(number) if made.get("length", 0) <= 64 else digits(number, made["length"])
        if kind == "fixed-length-boolean":
            number = self.draw.choice((0, 1, 1 << made["length"] - 1))
            self.put_bits(made, number)
            return number != 0, str(int(number != 0))
        if kind in ("fixed-length-bit-array", "fixed-length-bit-map"):
            number = self.draw.getrandbits(made["length"])
            self.put_bits(made, number)
            return None, str(number) if made["length"] <= 64 else digits(number, made["length"])
        if kind.startswith("fixed"):
            number, value = self.floating(made)
            self.put_bits(made, number)
            return None, hexadecimal(value)
        return self.put_sized(made, kind, chain)

    def put_sized(self, made, kind, chain):
        if kind == "null-terminated-string":
            data, printed = self.text(made)
            self.bits.put_bytes(data)
            return None, printed
        size = made.get("length")
        if "length-field-location" in made:
            size = self.located(made["length-field-location"], chain)
        if kind.endswith("-string"):
            data, printed = self.text(made, size)
            self.bits.put_bytes(data)
            return None, printed
        if kind.endswith("-blob"):
            data = bytes(self.draw.randrange(256) for _ in range(size))
            self.bits.put_bytes(data)
            return None, "#" + data.hex()
        if kind.endswith("-array"):
            self.bits.align(alignment_of(self.resolved(made)))
            printed = []
            for _ in range(size):
                before = self.bits.at
                printed.append(self.put(made["element-field-class"], chain)[1])
                if self.bits.at == before:  # elements of no bits are told once
                    break
            return None, "[" + " ".join(printed) + "]"
        return self.put_compound(made, kind, chain)

    def resolved(self, made):
        """Without names of aliases, where alignments need the classes."""
        made = dict(self.real(made))
        if "element-field-class" in made:
            made["element-field-class"] = self.resolved(made["element-field-class"])
        if "member-classes" in made:
            made["member-classes"] = [dict(each, **{"field-class": self.resolved(each["field-class"])})
                                      for each in made["member-classes"]]
        return made

    def put_compound(self, made, kind, chain):
        if kind == "structure":
            return self.put_structure(made, chain, {})
        selector = self.located(made["selector-field-location"], chain)
        if kind == "optional":
            enabled = selector if isinstance(selector, bool) else any(
                low <= selector <= high for low, high in made["selector-field-ranges"])
            return self.put(made["field-class"], chain) if enabled else (None, "-")
        for option in made["options"]:
            if any(low <= selector <= high for low, high in option["selector-field-ranges"]):
                return self.put(option["field-class"], chain)
        raise AssertionError("no option")

    def put_structure(self, made, chain, members):
        self.bits.align(alignment_of(self.resolved(made)))
        printed = []
        for member in made["member-classes"]:
            value, text = self.put(member["field-class"], chain + [members])
            members[member["name"]] = value
            printed.append("%s=%s" % (member["name"], text))
        return members, "{" + " ".join(printed) + "}"

    def put_scope(self, scope, made):
        """A root structure; returns its members as they are printed."""
        self.roots[scope] = {}
        _, printed = self.put_structure(made, [], self.roots[scope])
        return printed[1:-1]


def small(number, members, align=8):
    return {"type": "fixed-length-unsigned-integer", "length": number, "byte-order": "little-endian",
            "alignment": align, **members}


def make(folder, seed):
    """Write the trace of a seed; returns the lines of its events."""
    draw = random.Random(seed)
    layout = Layout(draw)
    layout.packed_order = draw.choice(layout.orders)
    header = {"type": "structure", "member-classes": [
        {"name": "magic", "field-class": small(32, {"roles": ["packet-magic-number"]})},
        {"name": "uuid", "field-class": {"type": "static-length-blob", "length": 16,
                                         "roles": ["metadata-stream-uuid"]}},
        {"name": "class", "field-class": {"type": "variable-length-unsigned-integer",
                                          "roles": ["data-stream-class-id"]}}]}
    size = small(32, {"roles": ["packet-total-length"]})
    context = {"type": "structure", "member-classes": [
        {"name": "size", "field-class": size},
        {"name": "lengths", "field-class": {"type": "structure", "member-classes": [
            {"name": "content", "field-class": small(32, {"roles": ["packet-content-length"]})}]}},
        {"name": "begin", "field-class": small(64, {"roles": ["default-clock-timestamp"]})},
        {"name": "cpu_id", "field-class": small(8, {})}]}
    event_header = {"type": "structure", "member-classes": [
        {"name": "number", "field-class": draw.choice((
            {"type": "variable-length-unsigned-integer", "roles": ["event-record-class-id"]},
            small(8, {"roles": ["event-record-class-id"]})))},
        {"name": "time", "field-class": draw.choice((
            small(16, {"roles": ["default-clock-timestamp"]}),
            {"type": "variable-length-unsigned-integer", "roles": ["default-clock-timestamp"]}))}]}
    common = layout.structure(SCOPES[2], []) if draw.random() < 0.4 else None
    classes = []
    for number in range(draw.randint(1, 4)):
        own = layout.structure(SCOPES[3], []) if draw.random() < 0.3 else None
        classes.append((3 * number, own, layout.structure(SCOPES[4], [], count=draw.randint(1, 6))))
    uuid = bytes(draw.randrange(256) for _ in range(16))
    fragments = [{"type": "preamble", "version": 2, "uuid": list(uuid), "attributes": {"made": {"by": seed}}}]
    fragments += [{"type": "field-class-alias", "name": name, "field-class": made} for name, made in layout.aliases]
    fragments += [
        {"type": "trace-class", "name": "made", "packet-header-field-class": header,
         "environment": {"hostname": "somewhere", "number": 2**64 - 1}},
        {"type": "clock-class", "id": "the clock", "frequency": 10**9, "precision": 5,
         "origin": draw.choice(("unix-epoch", {"name": "start", "uid": "7"})),
         "offset-from-origin": {"seconds": 1000, "cycles": 77}}]
    data_stream = {"type": "data-stream-class", "id": 5, "default-clock-class-id": "the clock",
                   "packet-context-field-class": context, "event-record-header-field-class": event_header}
    if common:
        data_stream["event-record-common-context-field-class"] = common
    fragments.append(data_stream)
    for number, own, payload in classes:
        event = {"type": "event-record-class", "id": number, "data-stream-class-id": 5, "name": "e%d" % number,
                 "payload-field-class": payload}
        if own:
            event["specific-context-field-class"] = own
        fragments.append(event)
    os.makedirs(folder, exist_ok=True)
    twin.write_metadata(folder, fragments)
    lines = []
    with open(os.path.join(folder, "stream"), "wb") as file:
        time = 0
        for _ in range(draw.randint(1, 3)):
            packet, time = make_packet(draw, layout, uuid, classes, (event_header, common), time, lines)
            file.write(packet)
    return lines


def make_packet(draw, layout, uuid, classes, stream, time, lines):
    """A packet of some events, of which the lines are added; returns its bytes and the time behind it."""
    event_header, common = stream
    bits = Bits()
    bits.put_bytes(struct.pack("<I", 0xC1FC1FC1) + uuid + b"\5")
    places = len(bits.bytes)
    cpu = draw.randrange(4)
    bits.put_bytes(struct.pack("<IIQB", 0, 0, time, cpu))
    for _ in range(draw.randint(0, 30)):
        number, own, payload = draw.choice(classes)
        encoder = Encoder(draw, layout.aliases, bits)
        time += draw.randrange(100)
        for member, value in zip(event_header["member-classes"], (number, time)):
            made = member["field-class"]
            if made["type"].startswith("variable"):
                bits.put_bytes(leb128(value, False))
            else:
                encoder.put_bits(made, value & (1 << made["length"]) - 1)
        contexts = [encoder.put_scope(scope, made) for scope, made in ((SCOPES[2], common), (SCOPES[3], own)) if made]
        printed = [encoder.put_scope(SCOPES[4], payload)] + contexts[::-1]
        lines.append(" ".join(["%d %d e%d" % (1000 * 10**9 + 77 + time, cpu, number)] +
                              [each for each in printed if each]))
    content = bits.at
    bits.put_bytes(bytes(draw.randint(0, 9)))
    struct.pack_into("<II", bits.bytes, places, 8 * len(bits.bytes), content)
    return bytes(bits.bytes), time
