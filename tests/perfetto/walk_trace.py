# SPDX-License-Identifier: MIT
"""
A second, slow reader of traces of Perfetto, which keeps everything in memory: what print_events prints of them.

It reads what random_traces.py and perfetto_trace.py write; it knows nothing of the reader in C, whose tables it does
not share.
"""
import gzip
import struct
import zlib

from perfetto_trace import BOOTTIME, FTRACE, REALTIME

NUMBERS = {number: (name, fields) for name, (number, fields) in FTRACE.items()}
TEXTS = {"buf", "prev_comm", "next_comm", "comm", "name", "rwbs", "cmd", "oldcomm", "newcomm", "filename",
         "parent_comm", "child_comm"}
UNSIGNED = {"ip", "state", "cpu_id", "vec", "handler", "dev", "sector", "nr_sector", "bytes", "clone_flags", "load"}
TRACK_FIELDS = ["name", "category", "pid", "tid", "track", "id", "duration", "thread_duration", "thread_time", "series", "value",
                "sort_index", "once", "args"]
NO_TIME = -2**63


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of each field; what is bytes is bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            assert kind == 5, kind
            value, at = int.from_bytes(data[at:at + 4], "little"), at + 4
        yield tag >> 3, value


def message(data):
    """{number: [values]}"""
    out = {}
    for number, value in fields(data):
        out.setdefault(number, []).append(value)
    return out


def last(of, number, default=None):
    return of[number][-1] if number in of else default


def signed(value, bits=64):
    value &= 2**bits - 1
    return value - 2**bits if value >> (bits - 1) else value


def numbers(values, fixed=False):
    """Of a repeated field, in a row or not."""
    for value in values:
        if isinstance(value, int):
            yield value
        elif fixed:
            yield from struct.unpack(f"<{len(value) // 8}Q", value)
        else:
            at = 0
            while at < len(value):
                one, at = varint(value, at)
                yield one


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


# ---- as text

def plain(text):
    return "".join(chr(b) if 0x20 < b < 0x7f and b != 0x5c else f"\\{b:02x}" for b in text)


def shown(value):
    if value is None:
        return ""
    if isinstance(value, bytes):
        return "'" + plain(value)
    if isinstance(value, float):
        return "%.17g" % value
    if isinstance(value, dict):  # {"pairs": [(name, value)]}
        return "{" + "".join(f" {plain(name)}:{shown(one)}" for name, one in value["pairs"]) + " }"
    if isinstance(value, list):
        return "[" + "".join(f" {shown(one)}" for one in value) + " }"
    return str(value)


def line(time, cpu, name, values):
    return f"{time} {cpu} {name}" + "".join(
        f" {field}={shown(signed(value) if isinstance(value, int) else value)}" for field, value in values)


class Walk:
    def __init__(self, data):
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        self.packets = []
        for _, packet in fields(data):
            inner = message(packet)
            if 50 in inner:
                self.packets += [message(one) for _, one in fields(zlib.decompress(inner[50][-1]))]
            else:
                self.packets.append(inner)
        self.packets = [packet for packet in self.packets if not last(packet, 98, 0)]
        self.learn_clocks()
        self.tracks = {}
        for packet in self.packets:
            if 60 in packet:
                self.learn_track(message(packet[60][-1]))

    # ---- clocks

    def snapshot(self, packet):
        body = message(packet[6][-1])
        readings = {}
        for clock in body.get(1, []):
            clock = message(clock)
            readings.setdefault(last(clock, 1, 0), (last(clock, 2, 0), last(clock, 3, 0), last(clock, 4, 1)))
        return readings, last(body, 2, 0)

    def learn_clocks(self):
        self.main, self.wall, self.instants = 0, None, {}
        for packet in self.packets:
            if 6 not in packet:
                continue
            readings, primary = self.snapshot(packet)
            if not self.main:
                self.main = primary if primary in readings else BOOTTIME if BOOTTIME in readings else next(
                    (clock for clock in readings if not 64 <= clock < 128 and clock != REALTIME), 0)
            if self.main not in readings:
                continue
            here = readings[self.main][0]
            if REALTIME in readings and self.wall is None:
                self.wall = readings[REALTIME][0] - here
            for clock, (time, _, _) in readings.items():
                if clock != self.main and not 64 <= clock < 128:
                    self.instants.setdefault(clock, []).append((time, here))
        for instants in self.instants.values():
            instants.sort()

    def convert(self, clock, time):
        """To the main clock; None: nobody knows."""
        if clock == self.main or not self.main:
            return time
        if clock not in self.instants:
            return None
        before = [instant for instant in self.instants[clock] if instant[0] <= time] or [self.instants[clock][0]]
        return before[-1][1] + time - before[-1][0]

    def day(self, time):
        return time + (self.wall or 0)

    # ---- what is common to both parts

    def walk(self, take):
        """Call take(sequence, packet, time) of each packet; time None: it has none."""
        sequences = {}
        for packet in self.packets:
            number = last(packet, 10, 0)
            sequence = sequences.setdefault(number, {
                "id": number, "met": False, "valid": False, "clock": 0, "track": 0, "counters": [], "real": [],
                "generation": 0, "texts": {}, "clocks": {}, "losing": False, "last": None, "ftrace": False})
            flags = last(packet, 13, 0)
            if last(packet, 42, 0) and sequence["met"] and not last(packet, 87, 0):
                sequence["losing"], sequence["valid"] = True, False
            sequence["met"] = True
            if flags & 1 or last(packet, 41, 0):
                sequence.update(valid=True, clock=0, track=0, counters=[], real=[], texts={},
                                generation=sequence["generation"] + 1)
            for default in packet.get(59, [])[-1:]:
                self.learn_defaults(sequence, message(default))
            for interned in packet.get(12, [])[-1:]:
                for table, entry in fields(interned):
                    body = message(entry)
                    sequence["texts"][table, last(body, 1, 0)] = entry if table == 4 else last(body, 2, b"")
            if 6 in packet:
                self.learn_own_clocks(sequence, packet)
            for descriptor in packet.get(60, []) if sequence["valid"] else []:
                for thread in message(descriptor).get(4, []):
                    thread = message(thread)
                    sequence["thread"] = {"pid": last(thread, 1, 0), "tid": last(thread, 2, 0)}
            take(sequence, packet, self.time_of(sequence, packet))
        return sequences

    @staticmethod
    def learn_defaults(sequence, defaults):
        sequence["clock"] = last(defaults, 58, sequence["clock"])
        if 11 in defaults:
            inner = message(defaults[11][-1])
            sequence["track"] = last(inner, 11, sequence["track"])
            sequence["counters"] = list(numbers(inner.get(31, [])))
            sequence["real"] = list(numbers(inner.get(45, [])))

    def learn_own_clocks(self, sequence, packet):
        readings, _ = self.snapshot(packet)
        here = readings[self.main][0] if self.main in readings else next(
            (self.convert(clock, reading[0]) for clock, reading in readings.items()
             if not 64 <= clock < 128 and self.convert(clock, reading[0]) is not None), None)
        for clock, (time, incremental, unit) in readings.items():
            if 64 <= clock < 128 and here is not None:
                sequence["clocks"][clock] = [incremental, unit or 1, time, time, here]

    def time_of(self, sequence, packet):
        if 8 not in packet:
            return None
        time, said = packet[8][-1], last(packet, 58) or sequence["clock"]
        clock = said or BOOTTIME
        if 64 <= clock < 128:
            own = sequence["clocks"].get(clock)
            if own is None:
                return None
            if own[0]:
                own[3] += time
                time = own[3]
            return self.day(own[4] + (time - own[2]) * own[1])
        found = self.convert(clock, time)
        if found is None:
            if said:
                return None
            found = time
        return self.day(found)

    # ---- ftrace

    def ftrace_lines(self):
        entries, cpus = [], {}

        def add(cpu, time, name, values):
            state = cpus[cpu]
            time = self.day(time)
            if state["losing"] and state["last"] is not None:
                entries.append((state["last"] + 1, f"{state['last'] + 1} {cpu} gap {max(state['last'] + 1, time - 1)} 0"))
            state["losing"] = False
            state["last"] = time if state["last"] is None else max(time, state["last"])
            entries.append((time, line(time, cpu, name, values)))

        def lose(state):
            state["losing"], state["runs"] = True, None

        def take(sequence, packet, time):
            if 2 in packet:
                self.tree_lines(entries, message(packet[2][-1]), NO_TIME if time is None else time)
                return
            if sequence["losing"] and sequence["ftrace"]:
                for state in cpus.values():
                    lose(state)
            sequence["losing"] = False
            if 1 not in packet:
                return
            sequence["ftrace"] = True
            bundle = message(packet[1][-1])
            cpu = last(bundle, 1, 0)
            state = cpus.setdefault(cpu, {"last": None, "losing": False, "runs": None})
            shift = last(bundle, 7, 0) - last(bundle, 6, 0) if last(bundle, 5, 0) else 0

            def boot(time):
                found = self.convert(BOOTTIME, time + shift)
                return time + shift if found is None else found

            previous = last(bundle, 10, 0)
            if last(bundle, 3, 0) or (previous and state["last"] is not None and
                                      self.day(boot(previous)) > state["last"]):
                lose(state)
            for columns in bundle.get(4, [])[-1:]:
                for time, name, values in self.compact(state, message(columns)):
                    add(cpu, boot(time), name, values)
            for event in bundle.get(2, []):
                event = list(fields(event))
                content = [(number, value) for number, value in event if isinstance(value, bytes)]
                pids = [signed(value, 32) for number, value in event if number == 2]
                times = [value for number, value in event if number == 1]
                if not content:
                    continue
                number, inner = content[-1]
                values = [("common_pid", pids[-1] if pids else None)]
                if number in NUMBERS:
                    name, names = NUMBERS[number]
                    inner = message(inner)
                    for i, field in enumerate(names):
                        value = last(inner, i + 1, b"" if field in TEXTS else None if field == "args" else 0)
                        if field == "args" and i + 1 in inner:
                            value = list(numbers(inner[i + 1]))
                        values.append((field, value))
                    if name.startswith("sched:sched_wak"):
                        flags = [value for number, value in event if number == 5 and not isinstance(value, bytes)]
                        values.append(("common_flags", flags[-1] if flags else None))
                else:
                    name = f"ftrace:{number}"
                add(cpu, boot(times[-1] if times else 0), name, values)

        self.walk(take)
        for cpu, state in cpus.items():
            if state["losing"] and state["last"] is not None:
                entries.append((state["last"] + 1, f"{state['last'] + 1} {cpu} gap {2**63 - 1} 0"))
        return entries

    @staticmethod
    def compact(state, columns):
        names = columns.get(5, [])
        column = {number: list(numbers(values)) for number, values in columns.items() if number != 5}
        out, time = [], 0
        for delta, before, pid, prio, comm in zip(*(column.get(i, []) for i in (1, 2, 3, 4, 6))):
            time += delta
            out.append((time, 1, "sched:sched_switch", (before, signed(pid, 32), signed(prio, 32), names[comm])))
        time = 0
        for delta, pid, cpu, prio, comm in zip(*(column.get(i, []) for i in (7, 8, 9, 10, 11))):
            time += delta
            out.append((time, 0, "sched:sched_waking", [
                ("common_pid", None), ("comm", names[comm]), ("pid", signed(pid, 32)), ("prio", signed(prio, 32)),
                ("success", 1), ("target_cpu", cpu), ("common_flags", None)]))
        for time, is_switch, name, values in sorted(out, key=lambda entry: entry[:2]):
            if is_switch:
                before, pid, prio, comm = values
                runs = state["runs"] or (None, b"", 0, 0)
                values = [("common_pid", runs[0]), ("prev_comm", runs[1]), ("prev_pid", runs[2]), ("prev_prio", runs[3]),
                          ("prev_state", before), ("next_comm", comm), ("next_pid", pid), ("next_prio", prio)]
                state["runs"] = (pid, comm, pid, prio)
            yield time, name, values

    @staticmethod
    def tree_lines(entries, tree, time):
        for process in tree.get(1, []):
            process = message(process)
            pid, name = last(process, 1, 0), process.get(3, [b""])[0].rpartition(b"/")[2][:15]
            entries.append((time, (-1, "perfetto:thread", [("pid", pid), ("tgid", pid), ("ppid", last(process, 2, 0)),
                                                           ("comm", name), ("status", 0)])))
        for thread in tree.get(2, []):
            thread = message(thread)
            entries.append((time, (-1, "perfetto:thread", [
                ("pid", last(thread, 1, 0)), ("tgid", last(thread, 3, 0)), ("ppid", None),
                ("comm", last(thread, 2, b"")), ("status", 0)])))

    # ---- tracks

    def learn_track(self, body):
        track = self.tracks.setdefault(last(body, 1, 0), {
            "uuid": last(body, 1, 0), "parent": 0, "kind": None, "pid": 0, "tid": 0, "name": b"", "counter": False,
            "incremental": False, "unit": 1, "values": {}, "index": None})
        track["parent"] = last(body, 5, track["parent"])
        if 12 in body:
            track["index"] = signed(last(body, 12))
        names = [last(body, number) for number in (2, 10, 13) if number in body]
        if 4 in body:
            inner = message(body[4][-1])
            track.update(kind="thread", pid=last(inner, 1, 0), tid=last(inner, 2, 0))
            if 3 in inner:
                track["index"] = signed(last(inner, 3))
            names.append(last(inner, 5, b""))
        elif 3 in body:
            inner = message(body[3][-1])
            track.update(kind="process", pid=last(inner, 1, 0))
            names.append(last(inner, 6, last(inner, 2, b"")))
        if 8 in body:
            inner = message(body[8][-1])
            track["time"] = track.get("time", False) or 1 in [value for number, value in fields(body[8][-1]) if number == 1]
            track.update(counter=True, unit=signed(last(inner, 4, 1)) or 1, incremental=bool(last(inner, 5, 0)))
            names.append({1: b"thread time", 2: b"thread instructions"}.get(last(inner, 1, 0), b""))
        track["name"] = track["name"] or next((name for name in names if name), b"")

    def owner(self, uuid):
        for _ in range(64):
            track = self.tracks.get(uuid)
            if track is None or track["kind"]:
                return track
            uuid = track["parent"]
            if not uuid:
                return None
        return None

    def place(self, uuid):
        """Cells of the track of an event."""
        owner = self.owner(uuid)
        cells = {"pid": owner["pid"]} if owner else {}
        if owner and owner["kind"] == "thread":
            cells["tid"] = owner["tid"]
        if uuid and not (owner and owner["uuid"] == uuid):
            cells.pop("tid", None)
            cells["track"] = f"0x{uuid:x}".encode()
        return cells

    def counter_place(self, uuid):
        track, owner = self.tracks.get(uuid), self.owner(uuid)
        cells = {"name": (track["name"] if track else b"") or b"counter"}
        if owner:
            cells["pid"] = owner["pid"]
            if owner["kind"] == "thread":
                cells["tid"] = owner["tid"]
        nested = track and track["parent"] and not (owner and owner["uuid"] == track["parent"])
        if nested or not track:
            cells.pop("tid", None)
            cells["track"] = f"0x{track['parent'] if nested else uuid:x}".encode()
        return cells

    def counter(self, sequence, uuid, value):
        track, cells = self.tracks.get(uuid), self.counter_place(uuid)
        sequence.setdefault("counted", {})[uuid] = True
        if track and track["incremental"] and isinstance(value, int):
            state, before = track["values"].get(sequence["id"], (None, 0))
            value = value + (before if state == sequence["generation"] else 0)
            track["values"][sequence["id"]] = sequence["generation"], value
        if track and track["unit"] != 1:
            value = value * track["unit"]
        cells["value"] = signed(value) if isinstance(value, int) else value
        return cells

    def annotation(self, texts, data, member=True):
        body = list(fields(data))
        name = b""
        for number, value in body:
            if number == 10:
                name = value
            elif number == 1 and member:
                name = texts.get((3, value), b"undefined")
        values = [(number, value) for number, value in body if number in (2, 3, 4, 5, 6, 7, 9, 11, 12, 17)]
        number, value = values[-1] if values else (0, None)
        if number == 2:
            value = int(value != 0)
        elif number == 4:
            value = signed(value)
        elif number == 5:
            value = double(value)
        elif number == 17:
            value = texts.get((29, value), b"undefined")
        elif number == 11:
            value = {"pairs": [self.annotation(texts, one) for which, one in body if which == 11]}
        elif number == 12:
            value = [self.annotation(texts, one, False)[1] for which, one in body if which == 12]
        return name, value

    @staticmethod
    def source(data):
        names = {2: b"file", 3: b"function", 4: b"line"}
        return b"source", {"pairs": [(names[number], value) for number, value in fields(data) if number in names]}

    def arguments(self, sequence, event):
        texts, pairs = sequence["texts"], []
        for number, value in event:
            if number == 4:
                pairs.append(self.annotation(texts, value))
            elif number == 33:
                pairs.append(self.source(value))
            elif number == 34 and (4, value) in texts:
                pairs.append(self.source(texts[4, value]))
            elif number in (52, 53):
                pairs.append((b"correlation_id", value))
            elif number == 54:
                pairs.append((b"correlation_id", texts.get((43, value), b"undefined")))
        return {"pairs": pairs} if pairs else None

    def track_lines(self):
        entries = []

        def add(time, name, cells):
            entries.append((time, (-1, name, [(field, cells.get(field)) for field in TRACK_FIELDS])))

        for uuid, track in self.tracks.items():
            has_index = track["kind"] and any(each["index"] is not None for each in self.tracks.values())
            if (track["name"] or has_index) and not track["counter"]:
                kind = f"{track['kind'] or 'track'}_name"
                add(NO_TIME, kind, {**self.place(uuid), **({"name": track["name"]} if track["name"] else {}),
                                    **({"sort_index": track["index"] or 0} if has_index else {})})

        def lose(sequence, begin, end):
            """On each track that the sequence had events of, in the order of the first of each, and of each counter."""
            if sequence.get("other_rows"):
                entries.append((begin, f"{begin} -1 gap {end} 0"))
                return
            rows = [self.place(uuid) if uuid else dict(sequence["thread"]) for uuid in sequence.get("rows", {})]
            for cells in rows + [self.counter_place(uuid) for uuid in sequence.get("counted", {})]:
                add(begin, "loss", {**cells, "duration": end - begin})

        def take(sequence, packet, time):
            if 11 not in packet:
                return
            if last(packet, 13, 0) & 2 and not sequence["valid"]:
                sequence["losing"] = True
                return
            if time is None:
                return
            if sequence["losing"] and sequence["last"] is not None:
                begin = sequence["last"] + 1
                lose(sequence, begin, max(begin, time - 1))
            sequence["losing"] = False
            sequence["last"] = time if sequence["last"] is None else max(time, sequence["last"])
            self.track_event(sequence, list(fields(packet[11][-1])), time, add)

        for sequence in self.walk(take).values():
            if sequence["losing"] and sequence["last"] is not None:
                lose(sequence, sequence["last"] + 1, 2**63 - 1)
        return entries

    def thread_time(self, sequence, event, body):
        """What the thread has run until then, in ns; the last field that says it is it."""
        spent = None
        for number, value in event:
            if number in (2, 17):
                spent = number, value
        if spent is not None:
            number, value = spent
            if number == 2:
                value = sequence["spent"] = sequence.get("spent", 0) + value
            return value * 1000
        for one, value in zip(list(numbers(body.get(31, []))) or sequence["counters"], numbers(body.get(12, []))):
            track = self.tracks.get(one)
            if track and track.get("time"):
                state, before = track["values"].get(sequence["id"], (None, 0))
                value = signed(value) + (before if track["incremental"] and state == sequence["generation"] else 0)
                value = value * track["unit"] % 2**64
                return value if value < 2**63 else None
        return None

    def track_event(self, sequence, event, time, add):
        body = {}
        for number, value in event:
            body.setdefault(number, []).append(value)
        texts, uuid = sequence["texts"], last(body, 11, sequence["track"])
        of_sequence = uuid == 0 and (11 not in body or 9 not in body)
        of_sequence = bool(of_sequence and sequence.get("thread"))
        cells = dict(sequence["thread"]) if of_sequence else self.place(uuid)
        if last(body, 9, 0) != 4:
            sequence["other_rows"] = sequence.get("other_rows") or (uuid == 0 and not of_sequence)
            sequence.setdefault("rows", {})[uuid] = True
        if 23 in body:
            cells["name"] = last(body, 23)
        elif (2, last(body, 10, 0)) in texts:
            cells["name"] = texts[2, last(body, 10)]
        categories = [texts[1, one] for one in numbers(body.get(3, [])) if (1, one) in texts] + body.get(22, [])
        if categories:
            cells["category"] = b",".join(categories)
        arguments = self.arguments(sequence, event)
        if arguments:
            cells["args"] = arguments
        kind = last(body, 9, 0)
        spent = self.thread_time(sequence, event, body)
        if kind in (1, 2) and "tid" in cells and spent is not None:
            cells["thread_time"] = spent
        if kind in (1, 2, 3):
            add(time, ["", "span_begin", "span_end", "instant"][kind], cells)
        elif kind == 4:
            for number, value in event:
                if number in (30, 44):
                    found = signed(value) if number == 30 else double(value)
            add(time, "counter", self.counter(sequence, uuid, found))
        for tracks, values, defaults, real in ((31, 12, "counters", False), (45, 46, "real", True)):
            uuids = list(numbers(body.get(tracks, []))) or sequence[defaults]
            for one, value in zip(uuids, numbers(body.get(values, []), real)):
                add(time, "counter", self.counter(sequence, one, double(value) if real else signed(value)))
        for name, old, number in (("flow_step", 36, 47), ("flow_end", 42, 48)):
            ids = [one for which, value in event if which in (old, number)
                   for one in numbers([value], which == number)]
            for one in ids:
                flow = {key: cells[key] for key in ("name", "pid", "tid", "track") if key in cells}
                add(time, name, {**flow, "id": f"0x{one:x}".encode()})

    # ---- all of it

    @staticmethod
    def in_order(entries):
        """What has no time comes first, a gap before the first event not at all."""
        times = [time for time, entry in entries if time != NO_TIME and "gap" not in str(entry)[:80].split()[2:3]]
        out, has_events = [], False
        for time, entry in sorted(entries, key=lambda one: one[0]):
            if isinstance(entry, tuple):
                time = (min(times) if times else 0) if time == NO_TIME else time
                entry = line(time, *entry)
            if entry.split()[2] == "gap" and not has_events:
                continue
            has_events = True
            out.append((time, entry))
        return out

    def lines(self):
        parts = [self.in_order(self.ftrace_lines()) if any(1 in packet for packet in self.packets) else [],
                 self.in_order(self.track_lines()) if any(11 in packet for packet in self.packets) else []]
        merged = [(time, part, i, text) for part, entries in enumerate(parts) for i, (time, text) in enumerate(entries)]
        return [text for *_, text in sorted(merged)]
