#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""definitions.py HISTREE - the view that a file of definitions describes, by the protocol: its tree, and its states and
colours, which are those of a linear reading of the events."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from protocol import EXPLORER, Client
from serving import SMALL_TRACE, Server, Tally

OUTPUT = "org.eclipse.tracecompass.tmf.analysis.xml.core.output.DataDrivenTimeGraphDataProvider:cpus.view"
LINES = "org.eclipse.tracecompass.tmf.analysis.xml.core.module.XmlXYDataProvider:cpus"
MANY = 20  # analyses
DEFINITION = """<?xml version="1.0" encoding="UTF-8"?>
<tmfxml>
<timeGraphView id="cpus.view"><head><analysis id="cpus"/><label value="CPUs"/></head>
<definedValue name="idle" value="0" color="#118811"/>
<entry path="CPUs/*"><display type="constant" value="Current"/></entry></timeGraphView>
<stateProvider version="0" id="cpus"><head><label value="CPUs"/></head>
<eventHandler eventName="sched:sched_switch"><stateChange><stateAttribute type="constant" value="CPUs"/>
<stateAttribute type="eventField" value="cpu"/><stateAttribute type="constant" value="Current"/>
<stateValue type="eventField" value="next_pid"/></stateChange><stateChange>
<stateAttribute type="constant" value="Hidden"/><stateValue type="eventField" value="next_pid"/></stateChange>
</eventHandler></stateProvider>
<xyView id="cpus.absolute"><head><analysis id="cpus"/><label value="Who has it"/></head>
<entry path="CPUs/*/Current"><display type="self"/><name type="self"/></entry></xyView>
<xyView id="cpus.delta"><head><analysis id="cpus"/></head>
<entry path="CPUs/*" displayType="delta"><display type="constant" value="Current"/></entry></xyView></tmfxml>
"""


def switches(histree, store):
    """Who came to each CPU and when: {(cpu, time): tid}."""
    done = subprocess.run([histree, "events", store, "--format", "json"], check=True, capture_output=True, text=True)
    return {(str(one["cpu"]), one["time"]): int(re.search(r"next_pid=(-?\d+)", one["contents"])[1])
            for one in json.loads(done.stdout) if one["type"] == "sched:sched_switch"}


class Definitions:
    def __init__(self, histree, client, store):
        self.client, self.wanted = client, switches(histree, store)
        self.entries = self.client.model(f"timeGraph/{OUTPUT}/tree")["entries"]
        self.names = {one["id"]: one["labels"][0] for one in self.entries}
        self.parents = {one["id"]: one["parentId"] for one in self.entries}

    def tree(self):
        rows = [one for one in self.entries if one["hasData"]]
        assert rows and {one["labels"][0] for one in rows} == {cpu for cpu, _ in self.wanted}, rows
        assert {one["parentId"] for one in rows} == {1} and self.parents[1] == -1
        assert "Hidden" not in self.names.values()

    def states(self):
        experiment = self.client.experiment()
        start, end = experiment["start"], min(experiment["end"], experiment["start"] + 20_000_000)
        rows = self.client.model(f"timeGraph/{OUTPUT}/states", requested_items=list(self.names),
                                 requested_timerange={"start": start, "end": end, "nbTimes": 20000})["rows"]
        styles = self.client.model(f"{OUTPUT}/style")["styles"]
        kinds, seen = set(), 0
        for row in rows:
            for state in row["states"]:
                key = self.names[row["entryId"]], state["start"]
                if key not in self.wanted:
                    assert state["start"] == start, state
                    continue
                style = styles[state["style"]["parentKey"]]
                is_idle = self.wanted[key] == 0
                assert state["label"] == ("idle" if is_idle else str(self.wanted[key])), (state, self.wanted[key])
                assert (style["values"]["background-color"].lower() == "#118811") == is_idle, style
                kinds.add(is_idle)
                seen += 1
        assert kinds == {True, False} and seen > 10, (kinds, seen)


    def lines(self):
        """Absolute ones are the tids, deltas what they differ by; the first one is the second."""
        experiment = self.client.experiment()
        span = {"start": experiment["start"], "end": experiment["end"], "nbTimes": 500}
        found = {}
        for kind in "absolute", "delta":
            entries = self.client.model(f"XY/{LINES}.{kind}/tree", requested_timerange=span)["entries"]
            ids = [one["id"] for one in entries if one["hasData"]]
            series = self.client.model(f"XY/{LINES}.{kind}/xy", requested_items=ids, requested_timerange=span)["series"]
            found[kind] = [(one["xValues"], one["yValues"]) for one in sorted(series, key=lambda one: one["seriesId"])]
        cpus = sorted({cpu for cpu, _ in self.wanted}, key=int)
        for (times, values), (_, deltas) in zip(found["absolute"], found["delta"], strict=True):
            truths = [[next((tid for (one, at), tid in sorted(self.wanted.items(), reverse=True) if one == cpu and at <= time), 0)
                       for time in times] for cpu in cpus]
            assert values in truths
            steps = [after - before for before, after in zip(values, values[1:])]
            assert deltas == [steps[0], *steps]

    def pictures(self, folder, store, histree):
        for chart in "cpus.view", "cpus.absolute":
            done = subprocess.run([histree, "draw", "--chart", chart, "--force", "-o", folder / "chart.svg", store], check=False,
                                  capture_output=True, text=True)
            assert done.returncode == 0 or "cairo" in done.stderr, done.stderr


def every_history_is_shown(histree, folder):
    """However many there are: each is below the root of the explorer's tree, and has the states that it has alone."""
    state = """<stateChange><stateAttribute type="constant" value="Last"/><stateValue type="eventField" value="cpu"/></stateChange>"""
    providers = "".join(f"""<stateProvider version="0" id="part{number:02}"><head/>
<eventHandler eventName="sched:sched_switch">{state}</eventHandler></stateProvider>""" for number in range(MANY))
    definition, store = folder / "many.xml", folder / "many.histree"
    definition.write_text(f"<tmfxml>{providers}</tmfxml>")
    subprocess.run([histree, "build", "-q", "-x", definition, "-o", store, SMALL_TRACE], check=True, stderr=subprocess.DEVNULL)
    with Server(histree, folder, [store]) as server:
        client = Client(histree, server)
        entries = client.model(f"timeGraph/{EXPLORER}/tree")["entries"]
        top = {one["id"] for one in entries if one["parentId"] == -1}
        roots = {one["id"]: one["labels"][0] for one in entries if one["parentId"] in top}
        assert sorted(roots.values()) == [f"part{number:02}" for number in range(MANY)], roots
        last = {one["id"] for one in entries if one["labels"][0] == "Last"}
        assert len(last) == MANY, last
        experiment = client.experiment()
        rows = client.model(f"timeGraph/{EXPLORER}/states", requested_items=list(last), requested_timerange={
            "start": experiment["start"], "end": experiment["start"] + 20_000_000, "nbTimes": 100})["rows"]
        found = [[(one["start"], one["end"], one.get("label")) for one in row["states"]] for row in rows]
        assert len(found) == MANY and len(found[0]) > 1 and all(one == found[0] for one in found), found


XML_TYPE, OWN_TYPE = "org.eclipse.tracecompass.tmf.core.config.xmlsourcetype", "histree.definitions"
OWN = """analysis who-runs "which thread each CPU runs" for kernel
on *sched_switch: CPUs/{cpu}/Current = next_tid
chart who-runs.chart "Who runs" states: CPUs/* shows Current
"""


def outputs_when_ready(client):
    """Those of the experiment, once what is made for it is complete."""
    for _ in range(600):
        experiment = client.experiment()
        if experiment["indexingStatus"] != "RUNNING":
            assert experiment["indexingStatus"] == "COMPLETED", experiment
            return {one["id"] for one in client.json("GET", f"/experiments/{experiment['UUID']}/outputs")}
        time.sleep(0.1)
    raise AssertionError("it is not complete within a minute")


def files_are_configurations(histree, folder):
    """A client gives files that define analyses: a trace that is open gets their outputs, and one that is opened later."""
    xml, own, bad = folder / "given.xml", folder / "given.histree-analysis", folder / "bad.xml"
    xml.write_text(DEFINITION)
    own.write_text(OWN)
    bad.write_text("<tmfxml><stateProvider")
    stores = folder / "stores"
    stores.mkdir()
    with Server(histree, stores, [SMALL_TRACE, folder]) as server:
        client = Client(histree, server)
        assert {one["id"] for one in client.json("GET", "/config/types/")} == {XML_TYPE, OWN_TYPE}
        described = client.json("GET", f"/config/types/{XML_TYPE}")
        assert [one["keyName"] for one in described["parameterDescriptors"]] == ["path"] and "schema" not in described
        assert client.json("GET", f"/config/types/{XML_TYPE}/configs") == []
        trace = client.json("POST", "/traces", {"parameters": {"uri": str(SMALL_TRACE)}})
        client.json("POST", "/experiments", {"parameters": {"name": "one", "traces": [trace["UUID"]]}})
        assert OUTPUT not in outputs_when_ready(client)
        made = client.json("POST", f"/config/types/{XML_TYPE}/configs", {"parameters": {"path": str(xml)}})
        assert (made["id"], made["sourceTypeId"], made["parameters"]["path"]) == ("given.xml", XML_TYPE, str(xml.resolve())), made
        assert OUTPUT in outputs_when_ready(client)
        Definitions(histree, client, client.store()).tree()
        client.json("POST", f"/config/types/{OWN_TYPE}", {"name": "Mine", "parameters": {"path": str(own)}})
        assert any("who-runs.chart" in one for one in outputs_when_ready(client)), outputs_when_ready(client)
        assert [one["name"] for one in client.json("GET", f"/config/types/{OWN_TYPE}/configs")] == ["Mine"]
        assert client.json("GET", f"/config/types/{XML_TYPE}/configs/given.xml") == made
        assert client.json("PUT", f"/config/types/{XML_TYPE}/configs/given.xml", {"parameters": {"path": str(xml)}})["id"] == "given.xml"
        for body, status in (({"path": str(bad)}, 400), ({"path": str(folder / "none.xml")}, 400), ({}, 400), ({"path": "/etc/passwd"}, 403)):
            client.json("POST", f"/config/types/{XML_TYPE}/configs", {"parameters": body}, status=status)
        for path in f"{XML_TYPE}/configs/none", "none", "none/configs":
            client.json("GET", f"/config/types/{path}", status=404)
        client.json("PUT", f"/config/types/{XML_TYPE}/configs/none", {"parameters": {"path": str(xml)}}, status=404)
        assert client.json("DELETE", f"/config/types/{XML_TYPE}/configs/given.xml")["id"] == "given.xml"
        client.json("DELETE", f"/config/types/{XML_TYPE}/configs/given.xml", status=404)
        assert client.json("GET", f"/config/types/{XML_TYPE}/configs") == []
        second = client.json("POST", "/traces", {"parameters": {"uri": f"{SMALL_TRACE}/", "name": "again"}})
        client.json("DELETE", f"/experiments/{client.experiment()['UUID']}")
        client.json("POST", "/experiments", {"parameters": {"name": "two", "traces": [second["UUID"]]}})
        later = outputs_when_ready(client)
        assert any("who-runs.chart" in one for one in later) and OUTPUT not in later, later


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        store, definition = folder / "demo.histree", folder / "cpus.xml"
        definition.write_text(DEFINITION)
        subprocess.run([sys.argv[1], "build", "-q", "-x", definition, "-o", store, SMALL_TRACE], check=True,
                       stderr=subprocess.DEVNULL)
        with Server(sys.argv[1], folder, [store]) as server:
            client = Client(sys.argv[1], server)
            listed = client.json("GET", f"/experiments/{client.experiment()['UUID']}/outputs")
            assert OUTPUT in {one["id"] for one in listed}, listed
            test = Definitions(sys.argv[1], client, store)
            for each in test.tree, test.states, test.lines:
                tally.run(each.__name__, each)
            tally.run("pictures", lambda: test.pictures(folder, store, sys.argv[1]))
        tally.run("every_history_is_shown", lambda: every_history_is_shown(sys.argv[1], folder))
        tally.run("files_are_configurations", lambda: files_are_configurations(sys.argv[1], folder))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
