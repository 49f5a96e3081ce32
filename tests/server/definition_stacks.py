#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""definition_stacks.py HISTREE - call stacks of a file of definitions by the protocol, as chart and as flame graph, and a
view of another file that shows their states: against a linear reading of the events.  A chart of our own language beside
them."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from protocol import Client
from serving import Server, Tally

CHART = "org.eclipse.tracecompass.tmf.analysis.xml.core.output.DataDrivenTimeGraphDataProvider:"
STACKS = "org.eclipse.tracecompass.internal.analysis.profiling.callstack.provider.CallStackDataProvider"
CALLS = """<tmfxml><callstack id="calls"><callstackGroup name="threads"><level path="threads/*"/></callstackGroup>
<pattern version="0" id="calls.pattern"><head><label value="Calls"/></head><patternHandler>
<action id="in"><stateChange><stateAttribute type="constant" value="threads"/><stateAttribute type="eventField" value="tid"/>
<stateAttribute type="constant" value="CallStack"/><stateValue type="eventField" value="op" stack="push"/></stateChange></action>
<action id="out"><stateChange><stateAttribute type="constant" value="threads"/><stateAttribute type="eventField" value="tid"/>
<stateAttribute type="constant" value="CallStack"/><stateValue type="eventField" value="op" stack="pop"/></stateChange></action>
<fsm id="f" multiple="false" initial="s"><state id="s"><transition event="entry" target="s" action="in"/>
<transition event="exit" target="s" action="out"/></state></fsm></patternHandler></pattern></callstack></tmfxml>"""
FLAME = "org.eclipse.tracecompass.analysis.profiling.core.flamegraph"
PLAIN = """analysis plain
on entry: push Stacks/{tid}/CallStack = op
on exit: pop Stacks/{tid}/CallStack"""
VIEW = """<tmfxml><timeGraphView id="other"><head><analysis id="nobody"/><label value="Depths"/></head>
<entry path="none/*"><display type="self"/><entry path="threads/*/CallStack" analysisId="calls" displayText="true">
<display type="self"/></entry></entry></timeGraphView></tmfxml>"""
OURS = """analysis depths
chart depth-of "Depths" lines: Depth/*
chart who "Who calls" states: Who written
chart stacks "Calls" states: Stacks/* above CallStack/*
on entry: Depth/{tid} += 1; Who = tid; push Stacks/{tid}/CallStack = op
on exit: Depth/{tid} -= 1; pop Stacks/{tid}/CallStack"""


def write_trace(path, draw):
    """Returns what the levels of each thread are: {(tid, depth, start): name}."""
    states, stacks, time = {}, {1: [], 2: []}, 1000
    with path.open("w") as out:
        out.write("<trace>\n")

        def event(kind, tid, op):
            out.write(f'<event timestamp="{time}" name="{kind}"><field name="cpu" type="int" value="0"/>'
                      f'<field name="tid" type="int" value="{tid}"/><field name="op" type="string" value="{op}"/></event>\n')
        for _ in range(60):
            tid = draw.choice((1, 2))
            stack = stacks[tid]
            if stack and draw.random() < 0.5:
                event("exit", tid, stack.pop())
            elif len(stack) < 4:
                name = draw.choice("fghij")
                stack.append(name)
                states[str(tid), len(stack), time] = name
                event("entry", tid, name)
            time += draw.randrange(1, 50)
        out.write("</trace>\n")
    return states


def check_states(client, output, tree_of, wanted):
    entries = client.model(f"timeGraph/{output}/tree")["entries"]
    names = {one["id"]: one["labels"][0] for one in entries}
    parents = {one["id"]: one["parentId"] for one in entries}
    experiment = client.experiment()
    rows = client.model(f"timeGraph/{output}/states", requested_items=[one["id"] for one in entries if one["hasData"]],
                        requested_timerange={"start": experiment["start"], "end": experiment["end"], "nbTimes": 20000})["rows"]
    found = {}
    for row in rows:
        for state in row["states"]:
            if state.get("label"):
                found[(*tree_of(names, parents, row["entryId"]), state["start"])] = state["label"]
    assert found == wanted, (sorted(found.items())[:5], sorted(wanted.items())[:5])


def check_without_chart(histree, folder, trace):
    """Stacks that no chart declares are shown as the command adds them up."""
    (folder / "plain.histree-analysis").write_text(PLAIN)
    store = folder / "plain.histree"
    subprocess.run([histree, "build", "-q", "-x", folder / "plain.histree-analysis", "-o", store, trace], check=True)
    subprocess.run([histree, "flame", store], check=True, capture_output=True)
    with Server(histree, folder, [store]) as server:
        client = Client(histree, server)
        listed = {one["id"] for one in client.json("GET", f"/experiments/{client.experiment()['UUID']}/outputs")}
        assert {STACKS, FLAME} <= listed, listed


def main():
    tally, histree = Tally(), sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        store, trace = folder / "calls.histree", folder / "trace.xml"
        wanted = write_trace(trace, random.Random(7))
        for file, text in ("a-view.xml", VIEW), ("calls.xml", CALLS), ("depths.histree-analysis", OURS):
            (folder / file).write_text(text)
        options = [word for file in ("a-view.xml", "calls.xml", "depths.histree-analysis") for word in ("-x", folder / file)]
        subprocess.run([histree, "build", "-q", *options, "-o", store, trace], check=True)
        with Server(histree, folder, [store]) as server:
            client = Client(histree, server)

            def outputs():
                listed = {one["id"] for one in client.json("GET", f"/experiments/{client.experiment()['UUID']}/outputs")}
                for each in STACKS, CHART + "calls:callstack", CHART + "other", CHART + "who":
                    assert each in listed, (each, listed)

            def depths(names, parents, row):
                return names[parents[row]].split("/")[-1], int(names[row].removeprefix("depth "))

            def foreign():
                """The states of stacks themselves are depths, of both threads."""
                tree = client.model(f"timeGraph/{CHART}other/tree")["entries"]
                assert len([one for one in tree if one["hasData"]]) == 2, tree

            def flame():
                text = subprocess.run([histree, "flame", "-a", "calls", "--format", "tsv", store], check=True,
                                      capture_output=True, text=True).stdout
                assert set("fghij") & set(text.replace("\t", " ").split()), text

            def charts():
                text = subprocess.run([histree, "info", "--charts", "--format", "json", store], check=True, capture_output=True, text=True).stdout
                assert {(one["chart"], one["kind"]) for one in json.loads(text)} == {
                    ("calls:callstack", "states"), ("other", "states"), ("depth-of", "lines"), ("who", "states"), ("stacks", "states")}, text

            def segments():
                """Calls that are over, as both files have them, of which ours says the thread by its name alone."""
                rows = {}
                for name in "calls", "depths":
                    text = subprocess.run([histree, "segments", "--format", "tsv", store, name], check=True, capture_output=True,
                                          text=True).stdout
                    head, *lines = [line.split("\t") for line in text.splitlines()]
                    rows[name] = sorted((row["start"], row["end"], row["name"], row["depth"], row["self"], row["caller"],
                                         row["stack"].lower().replace("stacks", "threads"))
                                        for row in (dict(zip(head, line)) for line in lines))
                    assert name == "calls" or {dict(zip(head, line))["tid"] for line in lines} == {"1", "2"}, lines
                assert rows["calls"] == rows["depths"] and len(rows["calls"]) > 20, rows
                begun = {(path[8:], int(depth), int(start)): name for start, _, name, depth, _, _, path in rows["calls"]}
                assert begun.items() <= wanted.items(), sorted(begun.items() - wanted.items())

            def pictures():
                """Only rows whose entries say so have text in them."""
                done = subprocess.run([histree, "draw", "--force", "--chart", "calls:callstack", "-o", folder / "chart.svg", store], check=False,
                                      capture_output=True, text=True)
                assert done.returncode == 0 or "cairo" in done.stderr, done.stderr

            tally.run("outputs", outputs)
            tally.run("call stack", lambda: check_states(client, STACKS, depths, wanted))
            tally.run("chart", lambda: check_states(client, CHART + "calls:callstack", depths, wanted))
            for each in foreign, flame, charts, segments, pictures:
                tally.run(each.__name__, each)
        tally.run("without chart", lambda: check_without_chart(histree, folder, trace))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
