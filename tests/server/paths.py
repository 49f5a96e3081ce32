#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""paths.py HISTREE - critical paths by the protocol and for the page: rows, states and arrows are the steps that
`histree why --table steps` prints, of one host, and of two between which a packet goes."""
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

from protocol import Client
from serving import SMALL_TRACE, Server, Tally
import two_hosts

OUTPUT = "org.eclipse.tracecompass.analysis.graph.core.dataprovider.CriticalPathDataProvider"
THREAD = 14753  # of the demo: it makes threads and waits for each


def steps_of(histree, store, thread, start, end):
    done = subprocess.run([histree, "why", "--table", "steps", store, str(thread), "--from", str(start), "--to", str(end),
                           "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def entry_of(step, to=""):
    return 2 + (step[f"{to}tid"] & 0xffffffff)


class Paths:
    def __init__(self, histree, client, store):
        self.histree, self.client, self.store = histree, client, store
        experiment = client.experiment()
        self.start = experiment["start"]
        self.range = experiment["start"] + 15_000_000, experiment["start"] + 16_000_000

    def model(self, what, **parameters):
        start, end = self.range
        times = {"requested_timerange": {"start": start, "end": end, "nbTimes": 9000}}
        return self.client.model(what, **times, **parameters)

    def protocol(self):
        """By an output of its own, and by a parameter."""
        steps = steps_of(self.histree, self.store, THREAD, *self.range)
        entries = self.model(f"timeGraph/{OUTPUT}:{THREAD}/tree")["entries"]
        assert {one["id"] for one in entries} == {1} | {entry_of(step) for step in steps}, entries
        assert next(one["labels"] for one in entries if one["id"] == 2 + THREAD) == ["burn", str(THREAD), ""]
        assert entries == self.model(f"timeGraph/{OUTPUT}/tree", requested_thread=THREAD)["entries"]
        rows = self.model(f"timeGraph/{OUTPUT}:{THREAD}/states", requested_items=[one["id"] for one in entries])["rows"]
        wanted = {(entry_of(step), step["start"], step["end"], step["state"]) for step in steps if step["kind"] == "state"}
        found = {(row["entryId"], state["start"], state["end"] , state["style"]["parentKey"]) for row in rows for state in row["states"]}
        lasting = {one for one in wanted if one[2] - one[1] > 1000}  # what is shorter than a pixel may be left out
        assert len(lasting) > 20 and lasting - found <= {max(lasting, key=lambda one: one[2])}, lasting - found
        cut = {one for one in found if one[2] == self.range[1] + 1}
        assert found - wanted <= cut, found - wanted
        arrows = self.model(f"timeGraph/{OUTPUT}:{THREAD}/arrows")
        between = {(entry_of(step), entry_of(step, "to_"), step["start"], step["end"]) for step in steps if step["kind"] == "arrow"}
        found = {(one["sourceId"], one["targetId"], one["start"], one["end"]) for one in arrows}
        assert found and found <= between and len(found) > len(between) / 2, (found, between)
        styles = self.client.model(f"{OUTPUT}:{THREAD}/style")["styles"]
        assert {one["style"]["parentKey"] for one in arrows} | {"RUNNING", "BLOCKED"} <= set(styles)

    def names(self):
        base = f"/experiments/{self.client.experiment()['UUID']}/outputs"
        listed = {one["id"]: one["name"] for one in self.client.json("GET", base)}
        assert listed[OUTPUT] == "Critical Path"
        made = self.client.json("POST", f"{base}/{OUTPUT}", {"name": "x", "parameters": {"thread": THREAD}})
        assert (made["id"], made["name"], made["type"]) == (f"{OUTPUT}:{THREAD}", f"Critical Path: {THREAD}", "TIME_GRAPH"), made
        assert self.client.json("GET", f"{base}/{made['id']}")["name"] == made["name"]
        assert made["parentId"] == OUTPUT and made["configuration"]["parameters"] == {"thread": str(THREAD)}, made
        assert made["capabilities"] == {"canCreate": False, "canDelete": True}

        # A viewer asks how one is made, makes it, finds it in the list, and deletes it.
        [kind] = self.client.json("GET", f"{base}/{OUTPUT}/configTypes")
        assert kind == self.client.json("GET", f"{base}/{OUTPUT}/configTypes/{kind['id']}") and kind["schema"]["required"] == ["thread"], kind
        names = lambda: [one["name"] for one in self.client.json("GET", base) if one["id"].startswith(OUTPUT)]
        assert names() == ["Critical Path", f"Critical Path: {THREAD}"], names()
        again = {"name": "x", "sourceTypeId": kind["id"], "parameters": {"thread": str(THREAD)}}
        assert self.client.json("POST", f"{base}/{OUTPUT}", again)["id"] == made["id"] and len(names()) == 2
        assert self.client.ask("POST", f"/tsp/api{base}/{OUTPUT}", {"sourceTypeId": "other", "parameters": {"thread": "1"}})[0] == 404
        assert self.client.ask("POST", f"/tsp/api{base}/{OUTPUT}", {"parameters": {"thread": "99999999"}})[0] == 400
        assert self.client.json("DELETE", f"{base}/{OUTPUT}/{made['id']}")["id"] == made["id"] and names() == ["Critical Path"]
        assert self.client.ask("DELETE", f"/tsp/api{base}/{OUTPUT}/{made['id']}")[0] == 404
        assert self.client.ask("DELETE", f"/tsp/api{base}/{OUTPUT}/{OUTPUT}")[0] == 404
        assert self.client.ask("POST", f"/tsp/api{base}/{OUTPUT}", {"parameters": {}})[0] == 400
        unchosen = self.model(f"timeGraph/{OUTPUT}/tree")["entries"]
        assert len(unchosen) == 1 and "choose a thread" in unchosen[0]["labels"][0]
        assert self.model(f"timeGraph/{OUTPUT}/arrows") == []
        for bad in "0x10", "me", "99999999", "", "1/2":
            path = f"/tsp/api{base}/timeGraph/{OUTPUT}/tree"
            assert self.client.ask("POST", path, {"parameters": {"requested_thread": bad}})[0] == 400, bad

    def page(self):
        start, end = (one - self.start for one in self.range)
        uuid = self.client.experiment()["UUID"]

        def ask(**parameters):
            query = urllib.parse.urlencode({"experiment": uuid, "from": start, "to": end, "pixels": 8192, **parameters})
            status, _, content = self.client.ask("GET", f"/api/v1/path?{query}")
            return status, json.loads(content)
        steps = steps_of(self.histree, self.store, THREAD, *self.range)
        status, path = ask(thread=THREAD, view="control-flow", sort="tree", filter="", folded=0, toggled="")
        assert status == 200 and path["all"], path
        tids = [one["tid"] for one in path["threads"]]
        assert tids[0] == THREAD and set(tids) == {step["tid"] for step in steps}
        assert all(one["position"] >= 0 for one in path["threads"] if one["tid"] > 0)
        assert ask(thread=THREAD, view="control-flow", sort="tree", filter="perf", folded=0, toggled="")[1]["threads"][0]["position"] == -1
        ns = sum(state["own"] + state["others"] for state in path["states"])
        assert ns == end - start + 1, (ns, end - start)
        own = sum(step["end"] - step["start"] for step in steps if step["kind"] == "state" and step["tid"] == THREAD)
        assert abs(own - sum(state["own"] for state in path["states"])) <= 1
        named = {(tids[one], tids[to] if to >= 0 else None, first + self.start) for one, to, _, first, _ in path["steps"]}
        assert named <= {(step["tid"], step["to_tid"], step["start"]) for step in steps}
        assert ask(thread=99999999)[0] == 404 and ask(thread="")[0] == 404 and ask(thread=THREAD, pixels=0)[0] == 400
        assert ask(thread=THREAD, view="resources")[1]["threads"][0]["position"] == -1


class Packets:
    """Of two hosts, each packet that came to or woke a thread is an arrow, from row to row or, folded, from host to host."""

    def __init__(self, client, rounds):
        self.client, self.rounds = client, rounds
        self.start = client.experiment()["start"]
        asked = [(one.sends, one.woken) for one in rounds]
        answered = [(one.answers, one.returns) for one in rounds]
        self.wanted = {("client (100) on a", "server (200) on b", *one) for one in asked} | \
            {("server (200) on b", "client (100) on a", *one) for one in answered}

    def ask(self, **parameters):
        experiment = self.client.experiment()
        query = urllib.parse.urlencode({"experiment": experiment["UUID"], "view": "control-flow", "sort": "tree", "filter": "",
                                        "toggled": "", "from": 0, "to": experiment["end"] - self.start, "pixels": 8192, **parameters})
        status, _, content = self.client.ask("GET", f"/api/v1/arrows?{query}")
        assert status == 200, content
        answer = json.loads(content)
        kind = [one["name"] for one in answer["kinds"]].index("packet")
        return answer, [one for one in answer["arrows"] if one["kind"] == kind]

    def rows(self):
        answer, packets = self.ask(folded=0)
        found = {(one["fromName"], one["toName"], one["start"] + self.start, one["end"] + self.start) for one in packets}
        assert answer["all"] and found == self.wanted, (found ^ self.wanted)
        assert {(one["from"], one["to"]) for one in packets} == {(1, 4), (4, 1)}, packets[0]
        first = self.rounds[5]
        _, some = self.ask(folded=0, **{"from": first.sends - self.start, "to": first.goes_on - self.start})
        assert {one["end"] + self.start for one in some} == {first.woken, first.returns}

    def hosts(self):
        _, packets = self.ask(folded=2)
        assert len(packets) == len(self.wanted) and {(one["from"], one["to"]) for one in packets} == {(0, 1), (1, 0)}

    def protocol(self):
        output = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus.ThreadStatusDataProvider"
        entries = self.client.model(f"timeGraph/{output}/tree")["entries"]
        ids = {one["labels"][1]: one["id"] for one in entries if len(one["labels"]) > 1}
        times = {"start": self.start, "end": self.client.experiment()["end"], "nbTimes": 9000}
        arrows = self.client.model(f"timeGraph/{output}/arrows", requested_timerange=times)
        found = {(one["sourceId"], one["targetId"], one["start"], one["end"]) for one in arrows if one["style"]["parentKey"] == "Packet"}
        wanted = {(ids["100" if "100" in one else "200"], ids["100" if "100" in other else "200"], *times) for one, other, *times in self.wanted}
        assert found == wanted, found ^ wanted
        assert "Packet" in self.client.model(f"{output}/style")["styles"]


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        store = folder / "demo.histree"
        subprocess.run([sys.argv[1], "build", "-q", "-a", "kernel,graph", "-o", store, SMALL_TRACE], check=True,
                       stderr=subprocess.DEVNULL)
        with Server(sys.argv[1], folder, [store]) as server:
            paths = Paths(sys.argv[1], Client(sys.argv[1], server), store)
            for test in paths.protocol, paths.names, paths.page:
                tally.run(test.__name__, test)
        rounds = two_hosts.rounds(7, 40)
        two_hosts.write(folder, rounds, lambda time: time + 3_000_000)
        store = folder / "two.histree"
        subprocess.run([sys.argv[1], "build", "-q", "-a", "kernel,graph", "-o", store, "--clock", "b=-3000000",
                        "--host-dir", f"a={folder / 'a'}", "--host-dir", f"b={folder / 'b'}"], check=True, stderr=subprocess.DEVNULL)
        with Server(sys.argv[1], folder, [store]) as server:
            packets = Packets(Client(sys.argv[1], server), rounds)
            for test in packets.rows, packets.hosts, packets.protocol:
                tally.run(f"packets_{test.__name__}", test)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
