# SPDX-License-Identifier: MIT
"""
Read files for viewers of traces with nothing of ours: JSON by json, Perfetto's format by its wire.

Both give a Viewed: spans (track, category, name, arguments, start, end), counts (track, time, value), instants and ends of
flows, in the order of the file, with times in ns since 1970.  A track is ("thread", pid, tid), ("process", pid), or the names
of a lane or counter, outermost first.
"""
import collections
import decimal
import json
import struct

Span = collections.namedtuple("Span", "track category name arguments start end")
Flow = collections.namedtuple("Flow", "track id is_end time")


class Viewed:
    def __init__(self):
        self.spans, self.counts, self.instants, self.flows = [], [], [], []
        self.places = []  # of each span, what tells its track from those of the same name
        self.names = {}  # of processes and threads, by track
        self.times = collections.defaultdict(list)  # of each track, in the order of the file


def ns_of(us):
    ns = decimal.Decimal(us) * 1000
    if ns != int(ns):
        raise ValueError("%s us are no whole ns" % us)
    return int(ns)


def no_constant(text):
    raise ValueError("'%s' is no JSON" % text)


def read_chrome(data):
    text = data.decode("utf-8")  # strict
    file = json.loads(text, parse_float=decimal.Decimal, parse_constant=no_constant)
    origin, viewed, processes, open_lanes = file["baseTimeNanoseconds"], Viewed(), {}, {}
    groups = 1 << 30

    def track_of(event, known):
        pid, tid = event.get("pid"), event.get("tid")
        if event["ph"] in "ben":
            local = event.get("id2", {}).get("local")
            return ("lane", pid, local if local is not None else event["id"])
        if event["ph"] == "C":
            owner = (processes[pid],) if pid in processes else () if pid is None else (("process", pid),)
            return owner + (event["name"],)
        if pid in processes:
            return (processes[pid], known[pid, tid])
        return ("process", pid) if tid is None else ("thread", pid, tid)

    lanes = {}
    for event in file["traceEvents"]:
        phase, pid, tid = event["ph"], event.get("pid"), event.get("tid")
        if phase == "M":
            name = event["args"].get("name")
            if event["name"] == "process_name" and pid >= groups:
                processes[pid] = name
            elif event["name"] == "thread_name" and pid in processes:
                lanes[pid, tid] = name
            elif event["name"] == "process_name":
                viewed.names["process", pid] = name
            elif event["name"] == "thread_name":
                viewed.names["thread", pid, tid] = name
            continue
        track, time = track_of(event, lanes), origin + ns_of(event["ts"])
        arguments = tuple(sorted((key, str(value)) for key, value in event.get("args", {}).items()))
        if phase not in "sf":
            viewed.times[track].append(time)
        if phase == "X":
            viewed.spans.append(Span(track, event["cat"], event["name"], arguments, time, time + ns_of(event["dur"])))
            viewed.places.append((pid, tid))
        elif phase == "b":
            open_lanes.setdefault(track, []).append((event, arguments, time))
        elif phase == "e":
            begin, arguments, start = open_lanes[track].pop()
            assert begin["name"] == event["name"] and begin["cat"] == event["cat"], (begin, event)
            viewed.spans.append(Span(track, begin["cat"], begin["name"], arguments, start, time))
            viewed.places.append(track)
        elif phase == "C":
            for key, value in event["args"].items():
                viewed.counts.append((track if key == "value" else track + (key,), time, value))
        elif phase in "in":
            viewed.instants.append((track, event["name"], arguments, time))
        elif phase in "sf":
            viewed.flows.append(Flow(track, event["id"], phase == "f", time))
    assert not any(open_lanes.values()), "spans without an end"
    return viewed


# ---- the wire

def fields(data):
    """(number, value) of each field: an int, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            value = varint()
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 2:
            size = varint()
            value, at = data[at:at + size], at + size
            assert len(value) == size
        else:
            raise ValueError("wire type %d" % kind)
        yield key >> 3, value


def one(data, number, default=None):
    found = default
    for field, value in fields(data):
        if field == number:
            found = value
    return found


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def read_perfetto(data):
    viewed, tracks, open_spans = Viewed(), {}, collections.defaultdict(list)
    interned, clock, last = {}, None, 0

    def track_of(uuid):
        kind, name, parent = tracks[uuid]
        if kind is not None:
            return kind
        owner = track_of(parent) if parent else ()
        return (owner if not owner or isinstance(owner[-1], str) and owner[0] not in ("thread", "process") else (owner,)) + (name,)

    for number, packet in fields(data):
        assert number == 1
        parts = collections.defaultdict(list)
        for field, value in fields(packet):
            parts[field].append(value)
        assert parts[10] == [1], "one sequence"
        if 13 in parts and parts[13][0] & 1:
            interned = {}
            clocks = {one(each, 1): one(each, 2) for field, each in fields(parts[6][0]) if field == 1}
            assert clocks[6] == clocks[1] == clocks[64] and one(parts[59][0], 58) == 64
            last = clocks[64]
            continue
        for descriptor in parts[60]:
            uuid, process, thread = one(descriptor, 1), one(descriptor, 3), one(descriptor, 4)
            name = one(descriptor, 2, b"").decode("utf-8")
            kind = None
            if thread is not None:
                pid = one(thread, 1)
                kind = ("thread", None if pid is None else signed(pid), signed(one(thread, 2)))
                if one(thread, 5) is not None:
                    viewed.names[kind] = one(thread, 5).decode("utf-8")
            elif process is not None:
                kind = ("process", signed(one(process, 1)))
                if one(process, 6) is not None:
                    viewed.names[kind] = one(process, 6).decode("utf-8")
            assert uuid not in tracks, "a track is described once"
            tracks[uuid] = (kind, name, one(descriptor, 5))
        for table in parts[12]:
            for kind, entry in fields(table):
                assert (kind, one(entry, 1)) not in interned
                interned[kind, one(entry, 1)] = one(entry, 2).decode("utf-8")
        for event in parts[11]:
            clock = parts[58][0] if 58 in parts else 64
            time = last + parts[8][0] if clock == 64 else parts[8][0]
            last = max(last, time)
            uuid, kind = one(event, 11), one(event, 9)
            track, name = track_of(uuid), interned.get((2, one(event, 10)))
            category = interned.get((1, one(event, 3)))
            arguments = []
            for field, annotation in fields(event):
                if field == 4:
                    key = interned[3, one(annotation, 1)]
                    for what, value in fields(annotation):
                        if what == 2:
                            arguments.append((key, str(bool(value))))
                        elif what == 3:
                            arguments.append((key, str(value)))
                        elif what == 4:
                            arguments.append((key, str(signed(value))))
                        elif what == 5:
                            arguments.append((key, repr(struct.unpack("<d", value)[0])))
                        elif what == 6:
                            arguments.append((key, value.decode("utf-8")))
            arguments = tuple(sorted(arguments))
            viewed.times[uuid].append(time)
            if kind == 1:
                open_spans[uuid].append((category, name, arguments, time))
            elif kind == 2:
                category, name, arguments, start = open_spans[uuid].pop()
                viewed.spans.append(Span(track, category, name, arguments, start, time))
                viewed.places.append(uuid)
            elif kind == 3:
                flows = [(value, field == 48) for field, value in fields(event) if field in (47, 48)]
                for value, is_end in flows:
                    viewed.flows.append(Flow(track, struct.unpack("<Q", value)[0], is_end, time))
                if not flows:
                    viewed.instants.append((track, name, arguments, time))
            elif kind == 4:
                real = one(event, 44)
                value = signed(one(event, 30)) if real is None else struct.unpack("<d", real)[0]
                viewed.counts.append((track, time, value))
    assert not any(open_spans.values()), "spans without an end"
    return viewed


# ---- what viewers need of either

def nests(viewed):
    """Whether the spans of each track lie in one another; a span that ends where another begins is before it."""
    by_track = collections.defaultdict(list)
    for place, span in zip(viewed.places, viewed.spans):
        by_track[place].append(span)
    for track, list_of in by_track.items():
        stack = []
        for span in sorted(list_of, key=lambda span: (span.start, -span.end)):
            while stack and stack[-1] <= span.start:
                stack.pop()
            if stack and stack[-1] < span.end:
                return "%s: %s" % (track, span)
            stack.append(span.end)
    return None
