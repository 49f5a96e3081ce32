# SPDX-License-Identifier: MIT
"""
A slow reader of traces in the Trace Event Format: all of it in memory, by Python's json.  What is read, the events in the
words of tracks, the spans and the states are lists, made by the rules of docs/man/histree-states.7.scd.
"""
import itertools
import decimal
import json
import math
import re

D = decimal.Decimal
decimal.getcontext().prec = 80
decimal.getcontext().rounding = decimal.ROUND_HALF_UP
FIELDS = "name category pid tid track id duration thread_duration thread_time series value sort_index once args".split()
NO_TIME = -2**63
FOREVER = 2**63 - 1
NOT_FINITE = {sign + name for sign in ("", "-", "+") for name in ("nan", "inf", "infinity")}
ODD = {"nan": "NaN", "-nan": "NaN", "NAN": "NaN", "-nan(ind)": "NaN", "1.#QNAN": "NaN", "inf": "Infinity", "-inf": "-Infinity",
       "INF": "Infinity", "-1.#INF": "-Infinity", ".5": "0.5", "-.5": "-0.5", "5.": "5.0", "+5": "5", "0x1F": "31", "True": "true",
       "None": "null"}


class Number(str):
    """A number as it is written."""


def load(data):
    """Events of arrays, of objects that have one, and those that are behind one another."""
    text = data.decode("utf-8-sig")
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    for i in range(0, len(parts), 2):  # what is outside of strings
        parts[i] = re.sub(r"[^\s,:\[\]{}]+", lambda found: ODD.get(found[0], found[0]), parts[i])
        parts[i] = re.sub(r"(?<=\[)\s*,|,(?=\s*,)|,(?=\s*\])", "", parts[i])
    for i in range(1, len(parts), 2):  # a backslash that begins no escape is itself
        parts[i] = re.sub(r'\\(u[0-9a-fA-F]{4}|.)', lambda found: found[0] if found[1][0] in '"\\/bfnrt' or len(found[1]) > 1
                          else "\\" + found[0], parts[i])
    text, at, events = "".join(parts).strip(), 0, []
    decoder = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=Number)
    while at < len(text):
        whole, at = decoder.raw_decode(text, at)
        events += whole if isinstance(whole, list) else whole.get("traceEvents", [whole])
        at = re.compile(r"[\s,]*").match(text, at).end()
    return events


def text_of(word):
    return str(word) if isinstance(word, str) and word != "" else None


def int_of(word):
    if not isinstance(word, str):
        return None
    try:
        number = D(word.strip(" "))
    except decimal.InvalidOperation:
        return None
    return int(number) if number.is_finite() and number == number.to_integral_value() else None


def time_of(word):
    """Exact microseconds."""
    try:
        number = D(word.strip(" ")) if isinstance(word, str) else None
    except decimal.InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


def id_of(word):
    """A number is the same however it is written."""
    hexadecimal = re.fullmatch("0[xX]([0-9a-fA-F]{1,16})", text_of(word) or "")
    number = int(hexadecimal[1], 16) if hexadecimal else int_of(word)
    return text_of(word) if number is None or number < 0 else str(number) if number < 2**32 else hex(number)


def to_ns(microseconds):
    return int((microseconds * 1000).to_integral_value())


class Reader:
    def __init__(self):
        self.events = []  # (time, class, {field: value})
        self.named, self.numbers = {}, set()
        self.owners = {}  # (pid, tid or None): whether its place in the order is said

    def number(self, word, owner):
        """Of a process or thread: its own, unless a name has it already; of a name, the next that nobody has."""
        number, text = int_of(word), text_of(word)
        if number is not None and number not in self.named.values():
            self.numbers.add(number)
            return number
        if text is None:
            return None
        key = (owner, text)
        if key not in self.named:
            self.named[key] = next(free for free in itertools.count(-1, -1)
                                   if free not in self.numbers and free not in self.named.values())
            fields = {"pid": self.named[key], "name": text} if owner is None else {
                "pid": owner[0], "tid": self.named[key], "name": text}
            self.events.append((NO_TIME, "process_name" if owner is None else "thread_name", fields))
        return self.named[key]

    def add(self, time, name, fields):
        self.events.append((time, name, {key: value for key, value in fields.items() if value is not None}))

    def identity(self, event, fields, with_name):
        parts = [fields.get("category") or ""]
        if with_name:
            parts.append(fields.get("name"))
        parts.append(text_of(event.get("scope")))
        id2 = event.get("id2") if isinstance(event.get("id2"), dict) else {}
        if "local" in id2:
            parts += [str(fields.get("pid")), id_of(id2["local"])]
        else:
            parts.append(id_of(event["id"]) if "id" in event else id_of(id2.get("global")))
        return None if parts[-1] is None else ":".join(part for part in parts if part is not None)

    def take(self, event):
        phase = event.get("ph")
        pid = self.number(event.get("pid"), None)
        tid = self.number(event.get("tid"), (pid,))
        if pid is not None:
            self.owners.setdefault((pid, None), False)
            if tid is not None:
                self.owners.setdefault((pid, tid), False)
        fields = {"name": text_of(event.get("name")), "category": text_of(event.get("cat")), "pid": pid, "tid": tid}
        if phase == "M":
            return self.metadata(event, fields)
        exact = time_of(event.get("ts"))
        if exact is None:
            return None
        time = to_ns(exact)
        args = {"args": event["args"]} if "args" in event else {}
        if phase in ("B", "E"):
            thread = time_of(event.get("tts"))
            self.add(time, {"B": "span_begin", "E": "span_end"}[phase],
                     {**fields, **args, "thread_time": None if thread is None else to_ns(thread)})
        elif phase == "X" and event.get("dur") is None and event.get("tdur") is None:  # it had not ended when recording did
            thread = time_of(event.get("tts"))
            self.add(time, "span_begin", {**fields, **args, "thread_time": None if thread is None else to_ns(thread)})
        elif phase == "X":
            duration = time_of(event["tdur"] if event.get("dur") is None else event["dur"])
            if duration is None:
                return None
            thread = time_of(event.get("tdur"))
            self.add(time, "span", {**fields, **args, "duration": to_ns(exact + duration) - time,
                                    "thread_duration": None if thread is None else to_ns(thread)})
        elif phase in ("i", "I", "R"):
            scope = event.get("s")
            self.add(time, "instant", {**fields, **args, "pid": None if scope == "g" else pid,
                                       "tid": None if scope in ("g", "p") else tid})
        elif phase == "C":
            self.counter(time, event, fields)
        elif phase in tuple("bneSTpF"):
            track = self.identity(event, fields, phase in "STpF")
            name = "span_begin" if phase in "bS" else "span_end" if phase in "eF" else "instant"
            if track is None:
                return None
            self.add(time, name, {**fields, **args, "track": track})
        elif phase in ("s", "t", "f"):
            flow = self.identity(event, fields, True)
            if flow is None:
                return None
            self.add(time, {"s": "flow_begin", "t": "flow_step", "f": "flow_end"}[phase], {**fields, **args, "id": flow})
        comes, goes = event.get("flow_in") is True, event.get("flow_out") is True
        if phase in ("B", "X") and "bind_id" in event and (comes or goes):
            name = "flow_step" if comes and goes else "flow_end" if comes else "flow_begin"
            self.add(time, name, {**fields, "id": "bind:" + id_of(event["bind_id"])})
        return None

    def counter(self, time, event, fields):
        name = fields["name"] or ""
        if text_of(event.get("id")) is not None:
            name = "%s:%s" % (name, event["id"])
        for key, value in event.get("args", {}).items():
            if time_of(value) is not None or str(value).strip(" ").lower() in NOT_FINITE:
                self.add(time, "counter", {**fields, "tid": None, "name": name or None, "value": float(value),
                                           "series": None if key == "value" else key})

    def metadata(self, event, fields):
        kind = fields["name"]
        args = event.get("args", {})
        known = {"process_name": "process_name", "process_sort_index": "process_name",
                 "thread_name": "thread_name", "thread_sort_index": "thread_name"}
        if kind not in known or not args:
            return
        tid = fields["tid"] if "thread" in kind else None
        index = int_of(args.get("sort_index"))
        self.add(NO_TIME, known[kind], {"pid": fields["pid"], "tid": tid, "name": args.get("name"), "sort_index": index})
        if fields["pid"] is not None:
            self.owners[fields["pid"], tid] = self.owners.get((fields["pid"], tid), False) or index is not None

    def finish(self):
        """Where some have a place in the order, it is 0 of the others."""
        for (pid, tid), is_said in self.owners.items():
            if any(self.owners.values()) and not is_said:
                self.add(NO_TIME, "process_name" if tid is None else "thread_name", {"pid": pid, "tid": tid, "sort_index": 0})


def events_of(data):
    """(time, class, fields) in the order in which they are handed out."""
    reader = Reader()
    for event in load(data):
        if isinstance(event, dict):
            reader.take(event)
    reader.finish()
    first = min((time for time, _, _ in reader.events if time != NO_TIME), default=0)
    ordered = sorted(reader.events, key=lambda event: event[0])
    return [(first if time == NO_TIME else time, name, fields) for time, name, fields in ordered]


# ---- spans and states -------------------------------------------------------------------------------------

class Frame:
    def __init__(self, number, start, end, fields):
        self.number, self.start, self.end, self.fields = number, start, end, fields
        self.is_cut = False


class Tracks:
    def __init__(self):
        self.slots = {}   # by track: a list of frames, None where there is a hole
        self.lanes = {}   # by group: the tracks that have its lanes
        self.where = {}   # by track: its path
        self.states = {}  # by path: {time: value}
        self.now_of = {}  # by path: the last of them
        self.spans = []   # (start, end, fields, track, depth, ending)
        self.points = []  # spans of no length that wait for the others of their time: (track, frame)
        self.count = 0
        self.now = self.last = NO_TIME

    def put(self, path, time, value):
        """What is said late, of a time before the last change, is said of that change."""
        since, now = self.now_of.get(path, (NO_TIME, None))
        if path not in self.states or value != now or type(value) is not type(now):
            self.now_of[path] = max(since, time), value
            self.states.setdefault(path, {})[max(since, time)] = value

    @staticmethod
    def owner(pid, tid):
        path = () if pid is None else ("Processes", str(pid))
        if tid is not None:
            path = (path or ("Threads",)) + (str(tid),)
        return path

    def place(self, track, fields):
        """Where the spans of a track are shown."""
        if track in self.where:
            return self.where[track]
        if "track" not in fields:
            path = self.owner(fields.get("pid"), fields.get("tid")) + ("CallStack",)
        else:
            pid = self.pids.setdefault(track, fields.get("pid"))
            group = (pid, fields.get("name") or "unnamed")
            lanes = self.lanes.setdefault(group, [])
            free = next((i for i, taken in enumerate(lanes) if taken is None), len(lanes))
            lanes[free:free + 1] = [track]
            path = self.owner(pid, None) + ("Async", group[1], str(free + 1), "CallStack")
        self.where[track] = path
        return path

    pids: dict

    def show(self, track, time, slot):
        path, slots = self.where[track], self.slots[track]
        frame = slots[slot] if slot < len(slots) else None
        self.put(path, time, len(slots))
        self.put(path + (str(slot + 1),), time, None if frame is None else frame.fields.get("name", ""))

    def close(self, track, slot, time, ending=None):
        """A span ends; what a thread has begun above it and not ended is cut, unless its end is still to come."""
        frame = self.slots[track][slot]
        for above in self.slots[track][slot + 1:]:
            if "track" not in frame.fields and above is not None and above.end == FOREVER and ending != "open":
                above.end, above.is_cut = time, True
        self.spans.append((frame.start, time, frame.fields, track, slot + 1, ending))
        self.slots[track][slot] = None
        while self.slots[track] and self.slots[track][-1] is None:
            self.slots[track].pop()
        if ending != "open":
            self.show(track, time, slot)
        if not self.slots[track] and "track" in frame.fields:
            for lanes in self.lanes.values():
                for i, taken in enumerate(lanes):
                    if taken == track:
                        lanes[i] = None
            del self.where[track], self.pids[track]

    def end_until(self, time):
        while True:
            due = [(frame.end, -frame.number, track, slot) for track, slots in self.slots.items()
                   for slot, frame in enumerate(slots)
                   if frame is not None and frame.end <= min(time, FOREVER - 1) and not frame.is_cut]
            if not due:
                return
            end, _, track, slot = min(due, key=lambda each: each[:2])
            self.close(track, slot, end)

    def end_cuts(self, track, time=FOREVER):
        slots = self.slots.get(track, [])
        for slot in range(len(slots) - 1, -1, -1):
            if slot < len(slots) and slots[slot] is not None and slots[slot].is_cut and slots[slot].end < time:
                self.close(track, slot, slots[slot].end, "cut")

    def push(self, track, frame):
        self.place(track, frame.fields)
        slots = self.slots.setdefault(track, [])
        self.end_cuts(track, frame.start if frame.end == frame.start else FOREVER)
        at = len(slots)
        while (frame.end != FOREVER and at > 0 and slots[at - 1] is not None and slots[at - 1].start == frame.start and
               slots[at - 1].end < frame.end):
            at -= 1
        slots.insert(at, frame)
        for slot in range(at, len(slots)):
            if slots[slot] is not None:
                self.show(track, frame.start, slot)

    def begin(self, track, time, end, fields):
        frame = Frame(self.count, time, end, fields)
        self.count += 1
        if end == time and "track" not in fields:
            self.points.append((track, frame))
        else:
            self.push(track, frame)

    def end_points(self, only=None):
        waiting, self.points = self.points, []
        for track, frame in waiting:
            if only is not None and track != only:
                self.points.append((track, frame))
                continue
            self.push(track, frame)
            self.close(track, self.slots[track].index(frame), frame.end)

    def end(self, track, time, fields):
        self.end_points(track)
        if "name" not in fields:
            self.end_cuts(track, time)
        slots = self.slots.get(track, [])
        called = [slot for slot in range(len(slots) - 1, -1, -1)
                  if slots[slot] is not None and (slots[slot].end == FOREVER or slots[slot].is_cut) and
                  ("name" not in fields or fields["name"] == slots[slot].fields.get("name", fields["name"]))]
        category = fields.get("category")

        def strangeness(slot):
            own = slots[slot].fields.get("category")
            return 0 if not category or own == category else 1 if not own else 2

        for slot in sorted(called, key=strangeness)[:1]:
            frame = slots[slot]
            ran = fields.get("thread_time", -1) - frame.fields.get("thread_time", math.inf)
            frame.fields = {**frame.fields, **joined(frame.fields, fields), **({"thread_duration": ran} if ran >= 0 else {})}
            self.close(track, slot, time)
            return

    def of_process(self, track, name, pid):
        """What begins while another process has something open on the track is on one of its process."""
        own = (track, "of", pid)
        if self.slots.get(own):
            return own
        other = self.pids.get(track) if self.slots.get(track) else None
        return own if name != "span_end" and other is not None and other != pid else track

    def take(self, time, name, fields):
        if time > self.now:
            self.end_points()
        self.now = max(time, self.now)
        self.end_until(time)
        track = fields["track"] if "track" in fields else (fields.get("pid"), fields.get("tid"))
        if "track" in fields and fields.get("pid") is not None and name in ("span_begin", "span_end", "span"):
            track = self.of_process(track, name, fields["pid"])
        if name == "span_begin":
            self.begin(track, time, FOREVER, fields)
        elif name == "span_end":
            self.end(track, time, fields)
        elif name == "span" and fields["duration"] >= 0:
            self.last = max(self.last, time + fields["duration"])
            self.begin(track, time, time + fields["duration"], fields)
        elif name == "counter" and "name" in fields:
            path = self.owner(fields.get("pid"), fields.get("tid")) + ("Counters", fields["name"])
            is_number = -math.inf < fields["value"] < math.inf
            self.put(path + ((fields["series"],) if "series" in fields else ()), time, fields["value"] if is_number else None)
        elif name in ("process_name", "thread_name") and "name" in fields:
            path = self.owner(fields.get("pid"), fields.get("tid") if name == "thread_name" else None)
            if path:
                self.put(path, time, fields["name"])

    def finish(self):
        """Returns when all of it ends; what is open lasts until then."""
        self.end_points()
        self.end_until(FOREVER)
        end = max(self.last, self.now)
        for track, slots in self.slots.items():
            self.end_cuts(track)
            for slot in range(len(slots) - 1, -1, -1):
                if slot < len(slots) and slots[slot] is not None:
                    self.close(track, slot, end, "open")
        return end


def joined(begin, end):
    """What an end says of a span, and its beginning did not, or otherwise."""
    first, second = begin.get("args"), end.get("args")
    if second is None or (first is not None and not (isinstance(first, dict) and isinstance(second, dict))):
        return {}
    return {"args": {**first, **second} if isinstance(first, dict) else second}


def tracks_of(events):
    """The tracks with states and spans, and when all of it ends."""
    tracks = Tracks()
    tracks.pids = {}
    for event in events:
        tracks.take(*event)
    return tracks, tracks.finish()
