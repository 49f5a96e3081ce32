# SPDX-License-Identifier: MIT
"""
The demo trace, which was recorded by perf and converted to CTF, as a recording of perf again.

Its metadata, as `perf data convert` writes it, is regular: one field a line, without holes between them.
"""
import pathlib
import re
import struct

from perf_data import Recording, Tracepoint

TRACE = pathlib.Path(__file__).parents[1] / "data/demo-trace"
CLASS = re.compile(r'event \{\n\tid = (\d+);\n\tname = "([^"]*)";.*?fields := struct \{\n(.*?)\n\t\} align', re.S)
FIELD = re.compile(r"\t\t(?:integer \{ size = (\d+); align = \d+; signed = (\w+);[^}]*\}|(string) \{[^}]*\}) "
                   r"(\w+)(?:\[(\d+)\])?;")
OFFSET = int(re.search(r"\toffset = (\d+);", (TRACE / "metadata").read_text())[1])  # of the clock


def classes():
    """{id: (name, [(name, struct code or 's', count)])}"""
    text = (TRACE / "metadata").read_text()
    codes = {"8": "B", "16": "H", "32": "I", "64": "Q"}
    found = {}
    for number, name, fields in CLASS.findall(text):
        found[int(number)] = name, [(field, "s" if string else codes[size].lower() if signed == "true" else codes[size],
                                     int(count or 1)) for size, signed, string, field, count in FIELD.findall(fields)]
    return found


def events():
    """Yield (CPU, time of the clock, name, {field: value}), CPU by CPU."""
    known = classes()
    for path in sorted(TRACE.glob("perf_stream_*")):
        data, at = path.read_bytes(), 0
        while at < len(data):
            magic, = struct.unpack_from("<I", data, at)
            assert magic == 0xC1FC1FC1
            head = at + 4 + 16 + 4
            _, _, content, size, _, cpu = struct.unpack_from("<QQQQQI", data, head)
            begin, end = head + 44, at + content // 8
            place = begin
            while place < end:
                number, time = struct.unpack_from("<IQ", data, place)
                place += 12
                name, fields = known[number]
                values = {}
                for field, code, count in fields:
                    if code == "s":
                        zero = data.index(b"\0", place)
                        values[field], place = data[place:zero], zero + 1
                    else:
                        parts = struct.unpack_from(f"<{count}{code}", data, place)
                        values[field] = parts if count > 1 else parts[0]
                        place += struct.calcsize(f"<{count}{code}")
                yield cpu, time, name, values
            at += size // 8


def tracepoint(number, name, fields):
    """The same fields as the kernel has them: texts of 16 bytes, or at a distance as the names of interrupts are."""
    kinds = {"b": "char", "B": "unsigned char", "h": "short", "H": "unsigned short", "i": "int", "I": "unsigned int",
             "q": "long", "Q": "unsigned long"}
    at, own = 8, []
    for field, code, count in fields:
        if field.startswith(("perf_", "common_")):
            continue
        if code == "s" and field == "name":
            own.append(("__data_loc char[]", field, at + -at % 4, 4, 0))
        elif code == "s":
            own.append(("char[16]", field, at, 16, 0))
        else:
            size = struct.calcsize(f"<{code}")
            at += -at % size
            own.append((kinds[code] + (f"[{count}]" if count > 1 else ""), field, at, size * count,
                        int(code.islower())))
        at = own[-1][2] + own[-1][3]
    return Tracepoint(number, *name.split(":"), own)


def raw(recording, point, values):
    """The raw data of an event."""
    out = bytearray(recording.pack("HBBi", point.number, values["common_flags"], values["common_preempt_count"],
                                   values["common_pid"]))
    out = out.ljust(max((offset + size for _, _, offset, size, _ in point.fields), default=8), b"\0")
    for kind, field, offset, size, signed in point.fields:
        value = values[field]
        if kind.startswith("__data_loc"):
            out[offset:offset + 4] = recording.pack("I", len(out) | (len(value) + 1) << 16)
            out += value + b"\0"
        elif kind == "char[16]":
            out[offset:offset + 16] = value.ljust(16, b"\0")
        else:
            parts = value if isinstance(value, tuple) else (value,)
            code = {1: "b", 2: "h", 4: "i", 8: "q"}[size // len(parts)]
            out[offset:offset + size] = recording.pack(f"{len(parts)}{code if signed else code.upper()}", *parts)
    return bytes(out)


def demo(**options):
    """(recording, [(CPU, time, record)] in the order of the streams)"""
    known = classes()
    points = {name: tracepoint(100 + number, name, fields) for number, (name, fields) in known.items() if
              name != "dummy:HG"}
    recording = Recording(list(points.values()), **options)
    index = {name: i for i, name in enumerate(points)}
    return recording, [(cpu, time, recording.sample(index[name], cpu, time, raw(recording, points[name], values),
                                                    tid=values["perf_tid"] & 0xffffffff,
                                                    pid=values["perf_pid"] & 0xffffffff))
                       for cpu, time, name, values in events()]


def rounds(entries, step):
    """Cut into rounds of so many ns: in each the records of one CPU after another, as perf empties its buffers."""
    cut = {}
    for cpu, time, record in entries:
        # The buffer of a CPU is read a little later than that of the CPU before it.
        cut.setdefault((time - cpu * step // 3) // step, {}).setdefault(cpu, []).append(record)
    return [[record for cpu in sorted(cut[number]) for record in cut[number][cpu]] for number in sorted(cut)]
