# SPDX-License-Identifier: MIT
"""Random traces in the Trace Event Format, as text: every phase, and every way to write it.  A seed makes one again."""
import json

NAMES = ["run", "paint", "läuft", "a \"b\"\\", "x\ty", "\U0001f600", "request", "gc", ""]
CATEGORIES = ["net", "cc,gpu", "disabled-by-default-x", None]
PHASES = "BBBBEEEEXXXXXXiICbbneeSTpFstfMNOPRvVc(Q"
ODD = ["nan", "-nan", "NaN", "-nan(ind)", "1.#QNAN", "inf", "-inf", "INF", "-Infinity", "-1.#INF", ".5", "-.5", "5.", "+5", "0x1F",
       "True", "None"]


class Writer:
    def __init__(self, random):
        self.random = random
        self.now = random.choice([0, 1000, 1700000000000000])
        self.open = {}  # names of what has begun, so that ends have them

    def time(self, microseconds):
        """A number of microseconds with a fraction, in one of the forms that are met."""
        form = self.random.randrange(6)
        if form == 0:
            return str(int(microseconds))
        if form == 1:
            return '"%d.%03d"' % (microseconds, self.random.randrange(1000))
        if form == 2:
            return "%d.%0*d" % (microseconds, self.random.randint(1, 12), self.random.randrange(10))
        if form == 3:
            return "%d.%03de0" % (microseconds, self.random.randrange(1000))
        return "%d.%03d" % (microseconds, self.random.randrange(1000))

    def text(self, value):
        return json.dumps(value, ensure_ascii=self.random.random() < 0.5)

    def args(self, depth=0):
        if self.random.random() < 0.05:
            return self.random.choice(ODD + ['"C:\\drivers\\user\\x"'])
        kind = self.random.randrange(9 if depth < 3 else 7)
        if kind < 7:
            return [str(self.random.randint(-2**63, 2**64 - 1)), "1.5e3", "-0.25", "null", "true", self.text(self.random.choice(NAMES)),
                    "1e-7"][kind]
        items = [self.args(depth + 1) for _ in range(self.random.randrange(4))]
        if kind == 7:
            return "[%s]" % ", ".join(items)
        return "{%s}" % ",".join("%s: %s" % (self.text("k%d" % i), item) for i, item in enumerate(items))

    def event(self):
        random = self.random
        phase = random.choice(PHASES)
        self.now += random.choice([0, 0, 1, 3, 50])
        name = random.choice(NAMES)
        pid, tid = random.choice(["1", "2", '"2"', '"Browser"', "2.0"]), random.choice(["1", "7", "8", '"Main"', "-3"])
        members = [("ph", '"%s"' % phase), ("pid", pid), ("tid", tid)]
        if phase == "E" and random.random() < 0.5:
            name = None
        if random.random() < 0.95 and phase != "M":
            members.append(("ts", self.time(max(0, self.now - random.choice([0, 0, 0, 20])))))
        if name is not None:
            members.append(("name", self.text(name)))
        category = random.choice(CATEGORIES)
        if category:
            members.append(("cat", self.text(category)))
        if phase == "X" and random.random() < 0.9:
            members.append(("dur", random.choice(["-1", "0", self.time(random.choice([1, 3, 10, 40, 200]))])))
        if phase == "X" and random.random() < 0.2:
            members.append(("tdur", self.time(2)))
        if phase in "BE" and random.random() < 0.4:
            members.append(("tts", self.time(max(0, self.now // 2))))
        if phase in "bneSTpFstfC" and random.random() < 0.9:
            form = random.randrange(4)
            key = random.choice(["1", '"0x2"', "3"])
            members.append([("id", key), ("id", key), ("id2", '{"local": %s}' % key), ("id2", '{"global": %s}' % key)][form])
            if random.random() < 0.1:
                members.append(("scope", '"s"'))
        if phase in "iI":
            members.append(("s", random.choice(['"g"', '"p"', '"t"', "1"])))
        if phase in "BX" and random.random() < 0.1:
            members.append(("bind_id", random.choice(["5", '"0x5"'])))
            members.append(random.choice([("flow_in", "true"), ("flow_out", "true")]))
        if phase == "C":
            values = random.sample([("used", "12"), ("free", "3.5"), ("value", "-7"), ("no", '"x"'), ("big", "18446744073709551615"),
                                    ("text", '"25.5"'), ("odd", random.choice(ODD[:10])), ("odd2", '" -inf"')], 2)
            members.append(("args", "{%s}" % ", ".join('"%s": %s' % value for value in values)))
        elif phase == "M":
            kind = random.choice(["process_name", "thread_name", "process_sort_index", "thread_sort_index", "num_cpus"])
            members = [each for each in members if each[0] != "name"] + [("name", '"%s"' % kind)]
            members.append(("args", random.choice(['{"name": "N%d"}' % random.randrange(5), '{"sort_index": 4}', '{"sort_index": %d}' % random.randint(-3, 3), "{}"])))
        elif random.random() < 0.4:
            members.append(("args", self.args()))
        if random.random() < 0.05:
            members.append(random.choice(members))  # again: the last one counts
        if random.random() < 0.2:
            members.append(("cname", '"good"'))
            members.append(("stack", '["0x1", {"a": [1, 2, "]}"]}]'))
        random.shuffle(members)
        return "{%s}" % random.choice([",", ", ", ",\r\n "]).join('"%s":%s' % member for member in members)


def nest(random, writer):
    """Spans of one thread, some of which end in another order than they should, late, or not at all."""
    names = ["outer", "middle", "inner", "leaf"][:random.randint(2, 4)]
    own = '"pid":1,"tid":%d' % random.choice([7, 7, 8])
    texts = []
    for name in names:
        form = random.choice('BBBX')
        length = ',"dur":%d' % random.choice([0, 2, 5, 9]) if form == "X" else ""
        texts.append('{"ph":"%s",%s,"ts":%d,"name":"%s"%s,"args":{"%s":1}}' % (form, own, writer.now, name, length, random.choice("ab")))
        writer.now += random.choice([0, 0, 1, 2])
    ends = names[::-1]
    if random.random() < 0.6:
        random.shuffle(ends)
    for name in ends[random.choice([0, 0, 1]):]:
        called = ',"name":"%s"' % name if random.random() < 0.8 else ""
        texts.append('{"ph":"E",%s,"ts":%d%s,"args":{"%s":2}}' % (own, writer.now, called, random.choice("bc")))
        writer.now += random.choice([0, 0, 0, 1])
    return texts


def make(random, count):
    """The bytes of a trace, which json.loads() reads but for what is odd of it."""
    writer = Writer(random)
    events = []
    while len(events) < count:
        events += nest(random, writer) if random.random() < 0.05 else [writer.event()]
    text = random.choice([",", ",\n", " ,\r\n", "\n,,"]).join(events)
    form = random.randrange(5)
    if form == 0:
        text = random.choice(["[%s]", "[ ,%s]", "[%s,\n]"]) % text
    elif form == 3:
        text = "\n".join(events)
    elif form == 4:
        half = random.randrange(count)
        text = random.choice(["[%s]\n[%s]", "[%s],[%s]"]) % (",".join(events[:half]), ",".join(events[half:]))
    else:
        text = '%s{"displayTimeUnit": "ns", "metadata": {"a": ["}", {}]}, "traceEvents": [\n%s], "samples": [], "x": 1}' % (
            "\ufeff" if form == 2 else "", text)
    return text.encode()
