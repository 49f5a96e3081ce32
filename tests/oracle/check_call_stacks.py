#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Calls of the <callstack> of a file of Trace Compass as segments: random stacks on random traces, with what says of which
thread and on which host they are, equal to a linear reading of the events.

usage: check_call_stacks.py HISTREE
Exit: 0 equal, 1 different.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

LEVELS = [["hosts/*/threads/*"], ["hosts/*", "threads/*"], ["hosts/*", "threads", "*"]]
FIELDS = ["name", "tid", "depth", "self", "caller", "stack", "host"]
FILE = """<tmfxml>{before}<callstack id="{callstack}">{groups}{inside}</callstack></tmfxml>"""
PROVIDER = """<stateProvider id="{id}" version="1">
<eventHandler eventName="push">{stack}<stateValue type="eventField" value="op" stack="push"/></stateChange>
{thread}<stateValue type="eventField" value="who"/></stateChange>
{thread}<stateAttribute type="constant" value="cpu"/><stateValue type="eventField" value="on"/></stateChange>
{host}<stateValue type="eventField" value="zone"/></stateChange></eventHandler>
<eventHandler eventName="pop">{stack}<stateValue type="null" stack="pop"/></stateChange></eventHandler>
<eventHandler eventName="all">{stack}<stateValue type="null" stack="popAll"/></stateChange></eventHandler>
<eventHandler eventName="drop">{thread}<stateValue type="delete"/></stateChange></eventHandler></stateProvider>"""


def attributes(*parts):
    return "<stateChange>" + "".join(f'<stateAttribute type="{kind}" value="{value}"/>' for kind, value in parts)


def definition(draw):
    """A file, its levels, and what says whose a call is."""
    levels = draw.choice(LEVELS)
    thread = draw.choice(["name", "value", "cpu", "missing", ""])
    host = draw.choice(["name", "value", ""]) if levels[0] == "hosts/*" else ""
    last = len(levels) - 1
    whose = {"name": f'<thread level="{last}"/>', "value": f'<thread level="{last}" type="value"/>', "cpu": '<thread cpu="cpu"/>',
             "missing": '<thread level="7"/>', "": ""}[thread]
    whose += {"name": '<host level="0" type="name"/>', "value": '<host level="0" type="value"/>', "": ""}[host]
    groups = '<callstackGroup name="none"><level path="other/*"/></callstackGroup>' if draw.random() < 0.5 else ""
    groups += "<callstackGroup>" + "".join(f'<level path="{path}"/>' for path in levels) + whose + "</callstackGroup>"
    of_host = ("constant", "hosts"), ("eventField", "host")
    of_thread = (*of_host, ("constant", "threads"), ("eventField", "thread"))
    is_inside = draw.random() < 0.5
    provider = PROVIDER.format(id="inner" if is_inside else "calls", host=attributes(*of_host), thread=attributes(*of_thread),
                               stack=attributes(*of_thread, ("constant", "CallStack")))
    text = FILE.format(before="" if is_inside else provider, groups=groups, callstack="calls" if is_inside else "other",
                       inside=provider if is_inside else '<analysis id="calls"/>')
    return text, thread, host


def random_events(draw):
    time = draw.randrange(1, 100)
    for _ in range(draw.randrange(1, 150)):
        kind = draw.choice(["push"] * 8 + ["pop"] * 6 + ["sched_switch"] * 3 + ["all", "drop"])
        yield {"time": time, "kind": kind, "cpu": draw.randrange(2), "next_tid": draw.randrange(10, 15), "host": draw.choice("xy"),
               "thread": draw.choice(["1", "2", "n"]), "op": draw.choice("fgh"), "who": draw.randrange(5), "on": draw.randrange(3),
               "zone": draw.choice(["east", "west"])}
        time += draw.choice((0, 1, 2, 30))


def write_trace(path, events):
    with path.open("w") as out:
        out.write("<trace>\n")
        for event in events:
            fields = "".join(f'<field name="{name}" type="{"string" if isinstance(value, str) else "int"}" value="{value}"/>'
                             for name, value in event.items() if name not in ("time", "kind"))
            out.write(f'<event timestamp="{event["time"]}" name="{event["kind"]}">{fields}</event>\n')
        out.write("</trace>\n")


def expected(events, thread, host):
    """(start, end, field...) of each call."""
    stacks, on_cpu, found = {}, {}, []

    def end(key, time):
        stack = stacks[key]
        call = stack.pop()
        inside = call["inside"]
        if stack:
            stack[-1]["inside"] += time - call["start"]
        found.append((call["start"], time, call["name"], call["tid"], len(stack) + 1, time - call["start"] - inside,
                      stack[-1]["name"] if stack else "", f"hosts/{key[0]}/threads/{key[1]}", call["host"]))
    for event in events:
        key, time = (event["host"], event["thread"]), event["time"]
        stack = stacks.setdefault(key, [])
        if event["kind"] == "sched_switch":
            on_cpu[event["cpu"]] = event["next_tid"]
        elif event["kind"] == "push":
            tid = {"name": event["thread"] if event["thread"].isdigit() else "", "value": event["who"],
                   "cpu": on_cpu.get(event["on"], ""), "missing": "", "": ""}[thread]
            stack.append({"start": time, "name": event["op"], "tid": tid, "inside": 0,
                          "host": {"name": event["host"], "value": event["zone"], "": ""}[host]})
        elif event["kind"] == "pop" and stack:
            end(key, time)
        while event["kind"] in ("all", "drop") and stack:
            end(key, time)
    return sorted(tuple(map(str, call)) for call in found)


def check(histree, folder, seed):
    draw = random.Random(seed)
    text, thread, host = definition(draw)
    events = list(random_events(draw))
    (folder / "calls.xml").write_text(text)
    write_trace(folder / "trace.xml", events)
    wanted = expected(events, thread, host)
    built = subprocess.run([histree, "build", "-q", "--force", "-x", folder / "calls.xml", "-o", folder / "store", folder / "trace.xml"],
                           capture_output=True, text=True, check=False)
    if built.returncode != 0:
        if any(event["kind"] != "sched_switch" for event in events):
            yield f"seed {seed}: {built.stderr}"
        return
    told = subprocess.run([histree, "segments", folder / "store", "calls", "--format", "tsv"], capture_output=True, text=True, check=False)
    head, *rows = [line.split("\t") for line in told.stdout.splitlines()] or [[]]
    rows = [dict(zip(head, row)) for row in rows]
    found = sorted(tuple([row["start"], row["end"], *(row.get(field, "") for field in FIELDS)]) for row in rows)
    if found != wanted:
        other = sorted(set(found) ^ set(wanted))[:4]
        yield f"seed {seed}: {len(found)} calls, not {len(wanted)}; thread by {thread!r}, host by {host!r}: {other}"


def main():
    histree = sys.argv[1]
    if "libexpat" in subprocess.run([histree, "build", "-x", "/dev/null", "-o", "/dev/null/none", "/dev/null"], capture_output=True,
                                    text=True, check=False).stderr:
        print("skipped: this histree was built without libexpat")
        return 77
    faults = []
    rounds, seed = int(os.environ.get("HISTREE_ROUNDS", "15")), int(os.environ.get("HISTREE_SEED", "1"))
    with tempfile.TemporaryDirectory() as name:
        for number in range(seed, seed + rounds):
            faults += check(histree, pathlib.Path(name), number)
    print(f"{rounds} random call stacks from seed {seed}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
