#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""charts.py HISTREE - the charts of numbers that analyses declare, by the protocol, by what the page asks, and as pictures:
each point is that of the states that `histree states` prints."""
import json
import pathlib
import subprocess
import sys
import tempfile

from protocol import Client
from serving import SMALL_TRACE, Server, Tally

OUTPUT = "org.eclipse.tracecompass.tmf.analysis.xml.core.module.XmlXYDataProvider"
ANALYSES = ["-a", "kernel,network,io,cpu-usage"]  # there are no packets in the trace
POINTS = 60


def states(histree, store, analysis):
    """{path: [(start, end, number)]}."""
    done = subprocess.run([histree, "states", store, "-a", analysis, "--format", "tsv"], check=True, capture_output=True, text=True)
    found = {}
    for path, start, end, _, value in (line.split("\t") for line in done.stdout.splitlines()[1:]):
        found.setdefault(path, []).append((int(start), int(end), float(value or 0)))
    return found


def value_at(intervals, time):
    return next((value for start, end, value in intervals if start <= time <= end), 0.0)


# Which the page makes of the states of any kernel, whatever charts are declared.
OF_THE_PAGE = {"cpu-usage-by-thread": "CPU usage by thread"}


class Charts:
    def __init__(self, histree, client, store):
        self.histree, self.client, self.store = histree, client, store
        self.experiment = client.experiment()
        self.range = {"start": self.experiment["start"], "end": self.experiment["end"], "nbTimes": POINTS}

    def listed(self):
        """The command, the protocol and the page have the same charts."""
        done = subprocess.run([self.histree, "info", self.store, "--charts", "--format", "json"], check=True, capture_output=True,
                              text=True)
        names = {one["chart"]: one["title"] for one in json.loads(done.stdout)}
        assert set(names) == {"thread-bytes", "cpu-threads"}, f"there are no packets and no disks in the trace, but {names}"
        outputs = {one["id"]: one for one in self.client.json("GET", f"/experiments/{self.experiment['UUID']}/outputs")}
        found = {key.split(":")[1]: one["name"] for key, one in outputs.items() if key.startswith(OUTPUT + ":")}
        assert found == names, (found, names)
        assert all(outputs[f"{OUTPUT}:{name}"]["type"] == "TREE_TIME_XY" for name in names)
        paged = json.loads(self.client.ask("GET", f"/api/v1/charts?experiment={self.experiment['UUID']}")[2])
        assert {one["name"]: one["title"] for one in paged} == names | OF_THE_PAGE
        for name in "none", "disk-bytes", "interface-bytes":
            path = f"/tsp/api/experiments/{self.experiment['UUID']}/outputs/XY/{OUTPUT}:{name}/tree"
            assert self.client.ask("POST", path, b'{"parameters":{}}')[0] == 405, name

    def warned(self):
        """The page has one line for warnings: the first one, and how many there are besides."""
        paged = json.loads(self.client.ask("GET", "/api/v1/experiments")[2])
        warning = next(one["warning"] for one in paged if "warning" in one)
        assert warning.startswith("kernel: ") and warning.endswith("(and 1 more, which 'histree info' lists)"), warning

    def lines(self):
        """Time on CPUs, in seconds, of every thread of a CPU, at every point."""
        entries = self.client.model(f"XY/{OUTPUT}:cpu-threads/tree", requested_timerange=self.range)["entries"]
        parents = {one["id"]: (one["parentId"], one["labels"][0]) for one in entries}
        chosen = [one["id"] for one in entries if one["hasData"]][:40]
        assert chosen and any(one.get("isDefault") for one in entries)
        model = self.client.model(f"XY/{OUTPUT}:cpu-threads/xy", requested_items=chosen, requested_timerange=self.range)
        assert {one["seriesId"] for one in model["series"]} == set(chosen)
        grew, truth = 0, states(self.histree, self.store, "cpu-usage")
        told = subprocess.run([self.histree, "sql", self.store, "SELECT tid, name FROM threads", "--format", "json"], check=True, capture_output=True)
        names = {one["tid"]: one["name"] for one in json.loads(told.stdout)}
        for one in model["series"]:
            cpu, label = parents[one["seriesId"]]
            tid = int(label.rsplit("(", 1)[-1].rstrip(")"))
            assert label == (f"{names[tid]} ({tid})" if tid > 0 else "0"), label
            path = f"CPUs/{parents[cpu][1]}/{tid}"
            assert one["seriesName"] == f"{parents[cpu][1]} / {label}", one["seriesName"]
            for time, value in zip(one["xValues"], one["yValues"], strict=True):
                wanted = value_at(truth[path], time) * 1e-9
                assert abs(value - wanted) <= 1e-7 * abs(wanted), (path, time, value, wanted)
            grew += one["yValues"][-1] > 0
        assert grew > 0

    def page_lines(self):
        """A point of the page is the end of its pixel."""
        of = f"experiment={self.experiment['UUID']}"
        answer = json.loads(self.client.ask("GET", f"/api/v1/chart?{of}&chart=cpu-threads&pixels={POINTS}&lines=3")[2])
        assert len(answer["lines"]) == 3 < answer["all"]
        last = [one["values"][-1] for one in answer["lines"]]
        assert last == sorted(last, reverse=True) and last[-1] > 0
        assert all(len(one["values"]) == POINTS and one["values"] == sorted(one["values"]) for one in answer["lines"])
        assert self.client.ask("GET", f"/api/v1/chart?{of}&chart=none&pixels=3")[0] == 404

    def picture(self):
        file = pathlib.Path(self.client.server.folder) / "chart.svg"
        done = subprocess.run([self.histree, "draw", "--view", "chart", "--chart", "cpu-threads", "-o", file, self.store], check=False,
                              capture_output=True, text=True)
        if done.returncode != 0:
            assert "cairo" in done.stderr, done.stderr
            return
        assert file.read_text().count("<path") > 8
        for wrong in (["--view", "chart"], ["--view", "tree", "--chart", "cpu-threads"]):
            assert subprocess.run([self.histree, "draw", "--force", *wrong, "-o", file, self.store], check=False,
                                  capture_output=True).returncode == 2


def nothing_to_be_seen(histree, folder):
    """Segments and histories that are empty, as they were asked for by name, are nobody's output."""
    store = folder / "named.histree"
    subprocess.run([histree, "build", "-q", "-a", "kernel,network,block-io,irqs,system-calls", "-o", store, SMALL_TRACE], check=True)
    with Server(histree, folder, [store]) as server:
        client = Client(histree, server)
        experiment = client.experiment()
        outputs = [one["id"] for one in client.json("GET", f"/experiments/{experiment['UUID']}/outputs")]
        of_segments = {one.rpartition(":")[2] for one in outputs if ":" in one}
        assert of_segments == {"system-calls"}, of_segments
        of = f"experiment={experiment['UUID']}"
        stores = json.loads(client.ask("GET", f"/api/v1/segment-stores?{of}")[2])
        assert [one["analysis"] for one in stores] == ["system-calls"], stores
        paged = json.loads(client.ask("GET", f"/api/v1/charts?{of}")[2])
        assert {one["name"]: one["title"] for one in paged} == OF_THE_PAGE
        shown = json.loads(client.ask("GET", "/api/v1/experiments")[2])[0]
        assert shown["hasSegments"] and shown["hasCharts"], shown


def main():
    histree = sys.argv[1]
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="histree-charts-") as folder:
        store = pathlib.Path(folder) / "made.histree"
        subprocess.run([histree, "build", "-q", *ANALYSES, "-o", store, SMALL_TRACE], check=True)
        with Server(histree, pathlib.Path(folder), [store]) as server:
            charts = Charts(histree, Client(histree, server), store)
            for test in (charts.listed, charts.warned, charts.lines, charts.page_lines, charts.picture):
                tally.run(test.__name__, test)
        tally.run("nothing_to_be_seen", lambda: nothing_to_be_seen(histree, pathlib.Path(folder)))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
