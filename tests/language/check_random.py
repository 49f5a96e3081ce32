#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random analyses on random traces against a model: check_random.py HISTREE [TRIALS] [SEED]

Each trial writes an analysis and a table of events, builds, and compares all intervals and segments with what
model_language.py makes of both.  A seed that fails is printed, and runs that trial again.
"""
import csv
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent)]
import model_language as model  # noqa: E402

EVENTS = ["go", "go_on", "stop", "irq"]
NUMBERS, TEXTS = ["x", "y", "z"], ["s", "t"]
WORDS = ["a", "b", "ab", "go", "Irq", "x y", 'q"\\', "\u00e4"]
START = 1_000_000
KINDS = ["int", "integer", "real", "text", "bool"]


class Maker:
    """Makes expressions of a kind that the checks of a file let pass."""

    def __init__(self, chance, lets):
        self.chance, self.lets, self.paths = chance, lets, []

    def one(self, *choices):
        return self.chance.choice(choices)

    def number(self, depth):
        roll = self.chance.random()
        if depth == 0 or roll < 0.35:
            return self.chance.choice([("constant", self.chance.choice([0, 1, 2, 3, 7, 100, 2**40])), ("cpu",),
                                       ("field", self.chance.choice(NUMBERS)), ("field", self.one(*NUMBERS, *TEXTS)),
                                       ("constant", self.chance.choice([1.5, 0.25, -2.0])), ("time",),
                                       *[("let", name) for name, kind in self.lets if kind == "number"]])
        if roll < 0.65:
            return (self.one("+", "-", "*", "/", "%"), self.number(depth - 1), self.number(depth - 1))
        if roll < 0.75:
            return (self.one("&", "|", "^", "<<", ">>"), self.integer(depth - 1), self.integer(depth - 1))
        if roll < 0.85:
            return self.look(depth)
        return self.one(("choose", self.condition(depth - 1), self.number(depth - 1), self.number(depth - 1)),
                        ("first", self.integer(depth - 1), self.number(depth - 1)), ("-", self.number(depth - 1)),
                        ("length", self.text(depth - 1)), ("int", self.any(depth - 1)),
                        ("real", self.integer(depth - 1)), ("~", self.integer(depth - 1)))

    def integer(self, depth):
        return ("integer", self.number(depth)) if self.chance.random() < 0.5 else \
            self.one(("field", self.one(*NUMBERS)), ("constant", self.one(0, 1, 5, 63)), ("cpu",))

    def text(self, depth):
        roll = self.chance.random()
        if depth == 0 or roll < 0.5:
            return self.one(("constant", self.one(*WORDS)), ("event",), ("field", self.one(*TEXTS)))
        if roll < 0.65:
            return ("+", ("constant", self.one(*WORDS)), self.integer(depth - 1))
        return self.one((self.one("lower", "upper"), ("field", self.one(*TEXTS))),
                        ("strip", self.text(0), ("constant", "go"), ("constant", "a")),
                        ("part", ("event",), self.integer(0), self.integer(0)), ("part", ("event",), self.integer(0)),
                        ("map", self.any(depth - 1), ((1, "one"), ("a", "A"), (2, "two"))), ("text", self.integer(depth - 1)))

    def condition(self, depth):
        roll = self.chance.random()
        sign = self.one("==", "!=", "<", "<=", ">", ">=")
        if depth == 0 or roll < 0.4:
            return (sign, self.number(0), self.number(0))
        if roll < 0.6:
            return (self.one("&&", "||"), self.condition(depth - 1), self.condition(depth - 1))
        return self.one(("!", self.condition(depth - 1)), (sign, self.field(), self.field()),
                        ("present", self.any(depth - 1)), (self.one("==", "!="), self.any(depth - 1), ("constant", None)),
                        ("contains", self.any(depth - 1), self.text(0)), ("like", self.field(), ("constant", self.one("a*", "*o*", "*"))),
                        (self.one("starts", "ends"), ("event",), ("constant", self.one("go", "p", ""))),
                        ("in", self.field(), (("constant", self.one(0, 1)), ("constant", self.one(*WORDS)))))

    def field(self):
        return ("field", self.one(*NUMBERS, *TEXTS))

    def look(self, depth):
        return (self.one("state", "state", "since", "top"), self.one(*self.paths)) if self.paths else ("cpu",)

    def any(self, depth):
        return self.one(self.number, self.text, lambda depth: self.field(), self.look)(max(depth, 0))

    # -- statements; each root has one kind of values, so that lines that are written alike have one type

    def path(self, root):
        path = [(root,)]
        for _ in range(self.chance.randrange(3)):
            path.append(self.one(("n",), (self.field(),), (("cpu",),), (("event",),), ("v", self.field(), "w"),
                                 (self.integer(1),)))
        return tuple(path)

    def fields(self):
        names = self.chance.sample(KINDS, self.chance.randrange(4))
        return tuple((kind, "of_" + kind, self.any(1)) for kind in names)

    def time(self):
        return ("+", ("time",), self.one(("constant", 0), ("constant", 25), ("constant", -5), ("field", "x")))

    def change(self):
        later = self.time() if self.chance.random() < 0.2 else None
        roll = self.chance.randrange(10)
        if roll < 3:
            return ("=", self.path("A"), self.field(), later)
        if roll < 5:
            return (self.one("+=", "-="), self.path("C"), self.one(("field", "x"), ("cpu",), ("field", "s")), None)
        if roll == 5:
            return ("was", self.path("A"), self.field(), None)
        if roll == 6:
            return ("=", self.path("A"), ("constant", None), later)
        if roll == 7:
            return ("push", self.path("S"), self.field(), later)
        if roll == 8:
            return ("pop", self.path("S"), None, later)
        return self.one(("pop all", self.path("S")), ("delete", self.path(self.one("A", "C", "S"))))

    def statement(self, depth):
        roll = self.chance.random()
        if depth > 0 and roll < 0.2:
            return ("if", self.condition(2), self.block(depth - 1), self.one((), self.block(depth - 1)))
        if roll < 0.35:
            title = self.one(None, self.text(1))
            return (self.one("begin", "end"), "span", (self.one(self.field(), ("event",), ("cpu",)), ("cpu",))[:1],
                    title, self.fields())
        if roll < 0.45:
            start, end = self.one((self.time(), None), (None, self.time()), (self.time(), self.time()))
            return ("segment", self.text(1), start, end, self.fields())
        return self.change()

    def block(self, depth):
        return tuple(self.statement(depth) for _ in range(self.chance.randrange(1, 4)))


def random_program(chance):
    maker = Maker(chance, [])
    lets = [("n1", maker.number(2)), ("n2", maker.number(1))]
    maker.lets = [(name, "number") for name, _ in lets]
    handlers = [[maker.one(["go"], ["go*"], ["*"], ["stop", "irq"]), None, maker.block(2)] for _ in range(4)]
    handlers.append([["go"], None, (("=", (("A",),), ("field", "x"), None), ("push", (("S",),), ("field", "x"), None),
                                    ("begin", "span", (("cpu",),), None, ()), ("end", "span", (("event",),), None, ()),
                                    ("segment", ("event",), ("time",), None, ()))])
    # What is looked at is set somewhere.
    maker.paths = [statement[1] for _, _, statements in handlers for statement in statements
                   if statement[0] in ("=", "+=", "push")]
    for handler in handlers[:4]:
        handler[1] = maker.one(None, maker.condition(3))
        handler[2] += maker.block(2)
    return {"name": "random", "lets": lets, "handlers": handlers}


def random_events(chance):
    time, events = START, []
    for _ in range(chance.randrange(5, 60)):
        time += chance.choice([0, 1, 10, 30])
        fields = {name: chance.choice([0, 1, 2, 3, -1, 2**33]) for name in NUMBERS if chance.random() < 0.8}
        fields |= {name: chance.choice(WORDS) for name in TEXTS if chance.random() < 0.8}
        events.append({"time": time, "event": chance.choice(EVENTS), "cpu": chance.randrange(3), "fields": fields})
    return events


# ---- histree -------------------------------------------------------------------------------------------------------


def escaped(text, slash=False):
    text = text.replace("\\", "\\\\")
    return text.replace("/", "\\/") if slash else text


def write_trace(path, events):
    names = NUMBERS + TEXTS
    lines = ["\t".join(["time", "name", "cpu", *names])]
    for event in events:
        cells = [escaped(str(event["fields"].get(name, ""))) for name in names]
        lines.append("\t".join([str(event["time"]), event["event"], str(event["cpu"]), *cells]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(histree, *words):
    done = subprocess.run([histree, *map(str, words)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise AssertionError(f"histree {' '.join(map(str, words))}: {done.stderr}")
    return list(csv.DictReader(done.stdout.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def cell(value):
    """Numbers as numbers: a real has several texts."""
    return "" if value is None else repr(value) if isinstance(value, float) else model.as_text(value)


def read_cell(kind, text):
    return repr(float(text)) if kind == "double" and text else text.replace("\\\\", "\\")


def states_of(histree, store):
    return [(row["path"], int(row["start"]), int(row["end"]), row["type"], read_cell(row["type"], row["value"]))
            for row in run(histree, "states", store, "-a", "random", "--format", "tsv")]


def segments_of(histree, store):
    rows = run(histree, "segments", store, "random", "--format", "tsv")
    return sorted((int(row["start"]), int(row["end"]), row["name"].replace("\\\\", "\\"),
                   *(read_cell("double" if kind == "real" else "", row.get("of_" + kind) or "") for kind in KINDS))
                  for row in rows)


def differences(histree, folder, seed):
    chance = random.Random(seed)
    program, events = random_program(chance), random_events(chance)
    name = folder / "random.histree-analysis"
    name.write_text(model.program_text(program), encoding="utf-8")
    write_trace(folder / "trace.tsv", events)
    run(histree, "build", "-x", name, "-o", folder / "S", "--force", folder / "trace.tsv")
    expected = model.Run(program, events[0]["time"])
    expected.run(events)
    end = events[-1]["time"]
    states = sorted(("/".join(escaped(part, True) for part in path), start, last, model.kind_of(value), cell(value))
                    for path, intervals in expected.intervals(end).items() for start, last, value in intervals)
    segments = sorted((start, last, title or "", *(cell(content.get("of_" + kind)) for kind in KINDS))
                      for start, last, title, content in expected.segments)
    for what, ours, theirs in (("states", sorted(states_of(histree, folder / "S")), states),
                               ("segments", segments_of(histree, folder / "S"), segments)):
        if ours != theirs:
            yield (f"{what}: histree has {sorted(set(ours) - set(theirs))[:4]}, "
                   f"the model {sorted(set(theirs) - set(ours))[:4]}")


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    quick = os.environ.get("HISTREE_TESTS") == "quick"
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 40 if quick else 200
    first = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 40)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + trials):
            try:
                faults = list(differences(sys.argv[1], pathlib.Path(folder), seed))
            except AssertionError as failure:
                faults = [str(failure)]
            if faults:
                print((pathlib.Path(folder) / "random.histree-analysis").read_text(encoding="utf-8"))
                print((pathlib.Path(folder) / "trace.tsv").read_text(encoding="utf-8"))
                print("\n".join(faults), f"\nagain: check_random.py HISTREE 1 {seed}")
                return 1
    print(f"{trials} analyses from seed {first} are equal to the model")
    return 0


if __name__ == "__main__":
    sys.exit(main())
