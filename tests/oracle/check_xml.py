#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Analyses in XML: what is wrong with a file is said where it is; random patterns on random traces, equal to a model in
Python; and, where they are, the files and traces of Trace Compass, equal to what it makes of them.

usage: check_xml.py HISTREE
Exit: 0 equal, 1 different.
"""
import gzip
import hashlib
import os
import pathlib
import random
import string
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from data import QUICK, sample, shared  # noqa: E402
from model_pattern import Model  # noqa: E402

SYSTEM_CALLS_SUM = "728a13e8fee64ac71a093c215bf3581c"  # of a dump that is not kept: 1,479,730 intervals


def run(histree, *words):
    return subprocess.run([histree, *map(str, words)], capture_output=True, text=True, check=False)


def build(histree, definition, trace, store):
    done = run(histree, "build", "-q", "--force", "--gaps=ignore", "-x", definition, "-o", store, trace)
    if done.returncode != 0:
        sys.exit(f"{definition}, {trace}: {done.stderr}")


def name_of(store, suffix):
    names = [path.name.removesuffix(suffix) for path in store.iterdir() if path.name.endswith(suffix)]
    return names[0] if names else None


def states(histree, store):
    """The dump in the order of the oracle: by path as bytes, then by start."""
    text = run(histree, "states", store, "-a", name_of(store, ".sht"), "--format", "tsv").stdout
    head, *rows = text.splitlines()
    rows = [row.split("\t") for row in rows]
    rows.sort(key=lambda row: (row[0].encode(), int(row[1])))
    return [head, *("\t".join(row) for row in rows)]


def segments(histree, store):
    """(start, end, name, {field: value}) of each segment."""
    name = name_of(store, ".seg")
    if name is None:
        return []
    head, *rows = [line.split("\t") for line in run(histree, "segments", store, name, "--format", "tsv").stdout.splitlines()]
    found = []
    for row in rows:
        values = dict(zip(head, row))
        content = {field.replace("content_name", "name"): value for field, value in values.items()
                   if field not in ("start", "end", "duration", "name") and value != ""}
        found.append((int(values["start"]), int(values["end"]), values["name"], tuple(sorted(content.items()))))
    return sorted(found)


def expected_segments(path):
    found = []
    for line in gzip.open(path, "rt").read().splitlines()[1:]:
        start, end, name, content = line.split("\t")
        pairs = (part.split("=", 1) for part in content.split(";") if part)
        found.append((int(start), int(end), name, tuple(sorted((field.split(":")[0], value) for field, value in pairs))))
    return sorted(found)


def check_oracle(histree, folder, store):
    """Yield a line for each dump that differs."""
    built, compared = None, 0
    for path in sorted((folder / "oracle/xml").glob("*.tsv.gz")):
        pair, kind = path.name.removesuffix(".tsv.gz").rsplit(".", 1)
        definition, trace = pair.split("@")
        xml = folder / "reference/xml"
        trace = xml / f"{trace}.xml" if trace.startswith("testTrace") else folder / "traces/lttng-kernel" / trace
        if pair != built:
            build(histree, xml / f"{definition}.xml", trace, store)
        built, compared = pair, compared + 1
        if kind == "segments" and segments(histree, store) != expected_segments(path):
            yield f"{path.name}: other segments"
        if kind == "states" and states(histree, store) != gzip.open(path, "rt").read().splitlines():
            yield f"{path.name}: other states"
        if pair == "syscallSegments@many-threads":
            dump = "\n".join(states(histree, store)) + "\n"
            if hashlib.md5(dump.encode()).hexdigest() != SYSTEM_CALLS_SUM:
                yield f"{pair}: other states"
    print(f"{compared} dumps of Trace Compass compared")


# ---- random patterns ------------------------------------------------------------------------------------------------

def write_trace(path, events):
    with path.open("w") as out:
        out.write("<trace>\n")
        for time, name, cpu, number in events:
            out.write(f'<event timestamp="{time}" name="{name}"><field name="cpu" type="int" value="{cpu}"/>'
                      f'<field name="n" type="long" value="{number}"/></event>\n')
        out.write("</trace>\n")


def check_random(histree, folder, seed, store):
    draw = random.Random(seed)
    time, events = draw.randrange(100), []
    for _ in range(draw.randrange(1, 120)):
        events.append((time, draw.choice("abcd"), draw.randrange(3), draw.randrange(4)))
        time += draw.choice((0, 1, 1, 2, 50))
    model = Model(draw)
    (folder / "random.xml").write_text(model.xml())
    write_trace(folder / "random-trace.xml", events)
    build(histree, folder / "random.xml", folder / "random-trace.xml", store)
    model.run(events)
    if states(histree, store)[1:] != model.dump():
        (folder / "expected").write_text("\n".join(model.dump()))
        yield f"seed {seed}: other states"
    if [segment[:3] for segment in segments(histree, store)] != sorted(model.segments):
        yield f"seed {seed}: other segments"


# ---- columns that are computed ----------------------------------------------------------------------------------------

COLUMNS = '<tmfxml><stateProvider id="p" version="1"><eventHandler eventName="probe">{}</eventHandler></stateProvider></tmfxml>'


def column(attribute, field):
    return (f'<stateChange><stateAttribute type="constant" value="{attribute}"/><stateAttribute type="eventField" value="CPU"/>'
            f'<stateValue type="eventField" value="{field}"/></stateChange>')


def intervals(changes, start, end):
    """(start, end, value) of an attribute: a change at the beginning of a state replaces it."""
    found, since, value = [], start, None
    for time, other in changes:
        if other == value:
            continue
        if time > since:
            found.append((since, time - 1, value))
            since = time
        value = other
    return [*found, (since, end, value)]


def check_columns(histree, folder, seed, store):
    """Threads and processes of events, from switches and state dumps; a switch is of the thread that it is away from."""
    draw = random.Random(seed)
    time, lines, changes = 5, [], {}
    cpus, processes = {}, {}  # cpu: (thread, since, thread before); thread: process
    for _ in range(draw.randrange(1, 80)):
        cpu, tid, pid = draw.randrange(2), draw.randrange(4), draw.randrange(9)
        kind = draw.choice(("sched_switch", "lttng_statedump_process_state", "probe", "probe"))
        names = {"sched_switch": {"next_tid": tid}, "lttng_statedump_process_state": {"tid": tid, "pid": pid}}.get(kind, {})
        fields = "".join(f'<field name="{name}" type="long" value="{value}"/>' for name, value in names.items())
        lines.append((f'<event timestamp="{time}" name="{kind}"><field name="cpu" type="int" value="{cpu}"/>{fields}</event>', time))
        now, since, before = cpus.get(cpu, (None, -1, None))
        if kind == "sched_switch":
            cpus[cpu] = tid, time, now if since < time else before
        elif kind == "probe":
            thread = now if since < time else before
            for path, value in ((f"E/{cpu}", "probe"), (f"L/{cpu}", None), (f"P/{cpu}", processes.get(thread)), (f"T/{cpu}", thread)):
                changes.setdefault(path, []).append((time, value))
        else:
            processes[tid] = pid
        time += draw.choice((0, 0, 1, 7))
    (folder / "columns-trace.xml").write_text("<trace>\n" + "\n".join(line for line, _ in lines) + "\n</trace>\n")
    (folder / "columns.xml").write_text(COLUMNS.format(column("T", "TID") + column("P", "PID") + column("L", "tid") + column("E", "EVENT TYPE")))
    build(histree, folder / "columns.xml", folder / "columns-trace.xml", store)
    wanted = [f"{path}\t{start}\t{end}\t{'null' if value is None else 'string' if isinstance(value, str) else 'int'}\t{'' if value is None else value}"
              for path in sorted(changes) for start, end, value in intervals(changes[path], lines[0][1], lines[-1][1])]
    found = [row for row in states(histree, store)[1:] if "/" in row.split("\t")[0]]
    if found != wanted:
        yield f"columns, seed {seed}: {found[:4]}, not {wanted[:4]}"


# ---- texts that have one hash ---------------------------------------------------------------------------------------

ALPHABET = string.ascii_letters + string.digits
BOTH = COLUMNS.format('<stateChange><stateAttribute type="constant" value="V"/><stateValue type="eventField" value="s"/></stateChange>'
                      '<stateChange><stateAttribute type="constant" value="N"/><stateAttribute type="eventField" value="s"/>'
                      '<stateValue type="eventField" value="n"/></stateChange>')


def mix(word):
    """hash_mix() of src/base/hash_index.h."""
    mask = (1 << 64) - 1
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9 & mask
    word = (word ^ word >> 27) * 0x94d049bb133111eb & mask
    return word ^ word >> 31


def texts_of_one_hash(draw):
    """Two texts of 16 bytes: the second halves make up for the first ones."""
    def word():
        return "".join(draw.choices(ALPHABET, k=8)).encode()
    start, first, last = 16 * 0x9e3779b97f4a7c15 & (1 << 64) - 1, word(), word()
    wanted = mix(start ^ int.from_bytes(first, "little")) ^ int.from_bytes(last, "little")
    while True:
        other = word()
        rest = (mix(start ^ int.from_bytes(other, "little")) ^ wanted).to_bytes(8, "little")
        if all(chr(byte) in ALPHABET for byte in rest) and other != first:
            return (first + last).decode(), (other + rest).decode()


def check_hashes(histree, folder, seed, store):
    """As values of an attribute, and as names of attributes."""
    one, other = texts_of_one_hash(random.Random(seed))
    texts = [one, other, one, other, other]
    events = "".join(f'<event timestamp="{time}" name="probe"><field name="cpu" type="int" value="0"/><field name="s" type="string" '
                     f'value="{text}"/><field name="n" type="long" value="{time}"/></event>\n' for time, text in enumerate(texts))
    (folder / "hash-trace.xml").write_text(f"<trace>\n{events}</trace>\n")
    (folder / "hash.xml").write_text(BOTH)
    build(histree, folder / "hash.xml", folder / "hash-trace.xml", store)
    changes = {"V": list(enumerate(texts)), f"N/{one}": [(0, 0), (2, 2)], f"N/{other}": [(1, 1), (3, 3), (4, 4)]}
    wanted = {(path, *interval) for path in changes for interval in intervals(changes[path], 0, len(texts) - 1)}
    found = [row.split("\t") for row in states(histree, store)[1:]]
    found = {(path, int(start), int(end), None if kind == "null" else int(value) if kind == "long" else value)
             for path, start, end, kind, value in found if path != "N"}
    if found != wanted:
        yield f"texts of one hash: {sorted(map(str, found ^ wanted))}"


# ---- files that are wrong -------------------------------------------------------------------------------------------

PROVIDER = '<tmfxml><stateProvider id="p" version="1">\n{}\n</stateProvider></tmfxml>'
HANDLER = PROVIDER.format('<eventHandler eventName="e"><stateChange>\n{}\n</stateChange></eventHandler>')
PLACE = '<stateAttribute type="constant" value="x"/>'
VALUE = HANDLER.format(PLACE + "\n{}")
PATTERN = '<tmfxml><pattern id="p" version="1"><patternHandler>\n{}\n</patternHandler></pattern></tmfxml>'
SCRIPT = VALUE.format('<stateValue type="script" value="{}"><stateValue id="a" type="eventField" value="f"/></stateValue>')
STACK = '<tmfxml><callstack id="s"><callstackGroup>\n{}</callstackGroup><analysis id="p"/></callstack></tmfxml>'
EXTENDED = '<tmfxml><mine name="of a plug-in"><part>text</part></mine>' + VALUE.format('<stateValue type="int" value="1"/>')[8:]
WRONG = [  # file, where, what is said
    ("<tmfxml>", "1:9:", "no element found"),
    ("<tmfxml></tmfxm>", "1:11:", "mismatched tag"),
    ("", "1:1:", "no element found"),
    ("<other/>", "1:1: <other>", "is no analysis of Trace Compass"),
    ('<!DOCTYPE a [<!ENTITY b "c">]>\n<tmfxml/>', "1:", "has a document type"),
    ("<tmfxml><stateprovider/></tmfxml>", "1:9: <stateprovider>", "is not known in <tmfxml>"),
    ('<tmfxml><stateProvider version="1"/></tmfxml>', "1:9:", "the attribute 'id' is missing"),
    ('<tmfxml><stateProvider id="kernel" version="1">' + HANDLER.partition("\n")[2].format(PLACE + '<stateValue type="null"/>'),
     "1:9:", "there is an analysis 'kernel'"),
    ('<tmfxml><stateProvider id="a/b" version="1">' + HANDLER.partition("\n")[2].format(PLACE + '<stateValue type="null"/>'),
     "1:9:", "is no name of an analysis"),
    (PROVIDER.format(""), "1:9: <stateProvider>", "has no <eventHandler>"),
    (PROVIDER.format("<eventHandler/>"), "2:1: <eventHandler>", "the attribute 'eventName' is missing"),
    (HANDLER.format(""), "2:", "has <stateAttribute>s and one <stateValue>"),
    (HANDLER.format('<stateValue type="int" value="1"/>'), "2:", "has no <stateAttribute>"),
    (VALUE.format('<stateValue type="int" value="1x"/>'), "4:1: <stateValue>", "'1x' is no int"),
    (VALUE.format('<stateValue type="int" value="3000000000"/>'), "4:1:", "too large for an int"),
    (VALUE.format('<stateValue type="integer" value="1"/>'), "4:1:", "there is no type 'integer' of values"),
    (VALUE.format('<stateValue type="int" value="1" mappingGroup="g"/>'), "4:1:", "there is no mapping group 'g'"),
    (VALUE.format('<stateValue type="int" value="1" forcedType="bool"/>'), "4:1:", "cannot be forced to be 'bool'"),
    (VALUE.format('<stateValue type="int" value="1" stack="turn"/>'), "4:1:", "there is no stack operation 'turn'"),
    (VALUE.format('<stateValue type="int" value="1" increment="yes"/>'), "4:1:", "is true or false, not 'yes'"),
    (VALUE.format('<stateValue type="int" value="1" colour="red"/>'), "4:1:", "the attribute 'colour' is not known"),
    (VALUE.format('<stateValue type="int" value="1" increment="true"/><futureTime type="long" value="1"/>'), "4:", "in the future"),
    (HANDLER.format('<stateAttribute type="pool"/><stateValue type="null"/>'), "3:1:", "only patterns have pools"),
    (HANDLER.format('<stateAttribute type="what"/><stateValue type="null"/>'), "3:1:", "there is no type 'what' of attributes"),
    (PROVIDER.format('<location id="l"><stateAttribute type="location" value="l"/></location>'
                     '<eventHandler eventName="e"/>'), "2:", "is within itself"),
    (HANDLER.format("<if><condition/></if><then/>"), "3:5: <condition>", "compares two values"),
    (HANDLER.format('<if><condition operator="is"><field name="f"/><stateValue type="null"/></condition></if>'
                    f'<then>{PLACE}<stateValue type="null"/></then>'), "3:5:", "there is no operator 'is'"),
    (HANDLER.format(f'<if><xor/></if><then>{PLACE}<stateValue type="null"/></then>'), "3:5: <xor>", "is no condition"),
    (SCRIPT.format("b + 1"), "4:1:", "script, column 1: there is no 'b'"),
    (SCRIPT.format("a +"), "4:1:", "script, column 4: the expression ends too early"),
    (SCRIPT.format("a = 1"), "4:1:", "here the expression should end"),
    (SCRIPT.format("a.match(1)"), "4:1:", "of texts there are"),
    (SCRIPT.format("a &lt;&lt; 2"), "4:1:", "no bits"),
    (SCRIPT.format("(" * 300), "4:1:", "too deep"),
    (SCRIPT.format("a.substring()"), "4:1:", "another number of arguments"),
    (PATTERN.format(""), "1:", "has no <fsm>"),
    (PATTERN.format('<fsm id="f"/>'), "2:1: <fsm>", "has no states"),
    (PATTERN.format('<fsm id="f"><state id="s"><transition target="t"/></state></fsm>'), "2:27: <transition>", "there is no state 't'"),
    (PATTERN.format('<fsm id="f"><state id="s"/><state id="s"/></fsm>'), "2:28:", "there is a state 's' already"),
    (PATTERN.format('<fsm id="f"><state id="s"><transition target="s" cond="c"/></state></fsm>'), "2:27:", "there is no <test> 'c'"),
    (PATTERN.format('<fsm id="f"><state id="s"><transition target="s" action="c"/></state></fsm>'), "2:27:", "there is no <action> 'c'"),
    (PATTERN.format('<action id="a"><segment/></action><fsm id="f"><state id="s"/></fsm>'), "2:16: <segment>", "has a <segType>"),
    (PATTERN.format('<test id="a"><if><condition><timerange unit="h"><in begin="1" end="2"/></timerange></condition></if></test>'
                    '<fsm id="f"><state id="s"/></fsm>'), "2:", "there is no unit 'h'"),
    ('<tmfxml><timeGraphView id="v"><definedValue name="a" value="1" color="red"/><entry path="a"/></timeGraphView></tmfxml>',
     "1:31:", "'red' is no colour"),
    ("<a>" * 100, "1:", "more than 64 deep"),
    (STACK.format('<level path="x/*"/><thread level="first"/>'), "2:20: <thread>", "'first' is no level"),
    (STACK.format('<level path="x/*"/><thread level="0" type="text"/>'), "2:20: <thread>", "there is no type 'text'"),
    (STACK.format('<level path="x/*"/><host level="0"/><host level="0"/>'), "2:37: <host>", "a group has one <host>"),
    ("<tmfxml><mine/></tmfxml>", "1:9: <mine>", "is not known in <tmfxml>"),
    (EXTENDED.replace("<mine", "<stateProvidER").replace("</mine", "</stateProvidER"), "1:9: <stateProvidER>", "is not known in <tmfxml>"),
]


def check_wrong(histree, folder, store):
    path = folder / "wrong.xml"
    trace = folder / "one-event.xml"
    write_trace(trace, [(1, "e", 0, 0)])
    for text, place, what in sample(WRONG):
        path.write_text(text)
        done = run(histree, "build", "-q", "-x", path, "-o", store, trace)
        told = done.stderr
        if done.returncode == 0 or f"wrong.xml:{place}" not in told or what not in told or store.exists():
            yield f"{text!r}: '{place}' and '{what}' are not in '{told.strip()}', exit {done.returncode}"
    print(f"{len(sample(WRONG))} wrong files refused")


def check_extension(histree, folder, store):
    """What a plug-in of Trace Compass added to its schema is left out, and the build says so."""
    write_trace(folder / "one-event.xml", [(1, "e", 0, 0)])
    (folder / "extended.xml").write_text(EXTENDED)
    done = run(histree, "build", "--force", "-x", folder / "extended.xml", "-o", store, folder / "one-event.xml")
    if done.returncode != 0 or "<mine> is of an extension of the schema" not in done.stderr:
        yield f"an extension of the schema: {done.stderr}"


def main():
    histree = sys.argv[1]
    if "libexpat" in run(histree, "build", "-x", "/dev/null", "-o", "/dev/null/none", "/dev/null").stderr:
        print("skipped: this histree was built without libexpat")
        return 77
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        faults += check_wrong(histree, folder, folder / "no-store")
        faults += check_extension(histree, folder, folder / "store")
        rounds = int(os.environ.get("HISTREE_ROUNDS", "4" if QUICK else "40"))
        seed = int(os.environ.get("HISTREE_SEED", "1"))
        for number in range(seed, seed + rounds):
            faults += check_random(histree, folder, number, folder / "store")
            faults += check_columns(histree, folder, number, folder / "store")
        print(f"{rounds} random patterns and columns from seed {seed}")
        faults += check_hashes(histree, folder, seed, folder / "store")
        if shared("oracle/xml") is not None:
            faults += check_oracle(histree, shared("."), folder / "store")
        else:
            print("the answers of Trace Compass are not there; set HISTREE_SHARED to compare with them")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
