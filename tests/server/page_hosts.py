#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_hosts.py HISTREE [SCREENSHOTS] - the page of a store of six hosts, one of them missing: hosts begin folded, and open;
and of two whose clocks differ.
Screenshots and what is skipped are as in page.py."""
import json
import shutil
import subprocess
import sys

from page import visiting
from page_time import PANEL, Selection
from serving import SMALL_TRACE, Server

import two_hosts

HOSTS = [f"node{number}" for number in range(6)]
INFO = "page.charts[0].infoAt({})"


def begins_folded(page):
    page.open()
    assert page.get("page.charts.map((chart) => chart.total).join()") == "6,6"
    assert [page.get(f"{INFO.format(i)}.name") for i in range(6)] == HOSTS
    assert page.get(f"{INFO.format(0)}.isHost && {INFO.format(0)}.folded")
    assert "node5" in page.get(f"{INFO.format(5)}.why")
    page.shoot("hosts")


def opens_a_host(page):
    page.run("page.charts[0].toggle(page.charts[0].infoAt(1))")
    page.browser.until("page.charts[0].isComplete && page.charts[0].total > 6")
    assert page.get(f"{INFO.format(2)}.host") == "node1" and page.get(f"{INFO.format(2)}.depth") == 1
    page.shoot("host-opened")


def shows_events(page):
    page.run("document.querySelector('#tabs [data-view=events]').click()")
    page.browser.until("page.panels[0]?.isComplete")
    assert page.run("return document.querySelector('.panel .line .host').textContent") in HOSTS


def says_how_wrong_clocks_are(page, info):
    """Who is who, and what `histree info` says of the clocks: in the panel Hosts, and beside the row of a host."""
    page.open('#control-flow={"sort":"tree"}&views=control-flow,hosts')
    page.browser.until("page.panels[0]?.body.children.length > 0", "the hosts are listed")
    lines = page.get("[...page.panels[0].body.children].map((line) => [...line.children].map((cell) => cell.textContent))")
    assert [line[0] for line in lines] == [host["name"] for host in info["hosts"]] and "reference" in lines[0][4] and lines[0][5] == "", lines
    clock = info["hosts"][1]["clock"]
    assert f"{clock['matches']} packets with {info['hosts'][0]['name']}" in lines[1][4], (lines, clock)
    said = page.run("const time = await import('./time.js'); return time.duration(arguments_[0])", clock["error"])
    assert lines[1][5] == said, (lines, clock)
    numbers = {name: number for name, number in page.names()}
    assert numbers["b"] == f"±{said}" and numbers["a"] == "", numbers
    assert "all hosts" in page.get("document.getElementById('usage-scale').textContent")
    page.shoot("clocks")


def counts_rows_of_hosts(page, store):
    """What is dragged over, threads of two hosts and then a CPU of one, is counted as `histree top` does."""
    page.open('#control-flow={"sort":"tree"}')
    one = Selection(sys.argv[1], page, store, 1, False)
    hosts = {}
    for view, down in ("control-flow", 0.9), ("resources", 0.4):
        (x, y), (to_x, to_y) = page.point(0.1, 0.02, view), page.point(0.9, down, view)
        page.browser.drag(x, y, to_x, to_y)
        one.until_complete()
        hosts[view] = page.get(f"{PANEL}.where")
        one.equals_top()
    assert 'host == "a"' in hosts["control-flow"] and hosts["control-flow"] != "", hosts
    page.run("page.charts[0].scrollTo(0)")
    page.browser.drag(*page.point(0.2, 0.4), *page.point(0.8, 0.95))
    one.until_complete()
    assert 'host == ' in page.get(f"{PANEL}.where")
    one.equals_top()


def of_two_hosts(histree, folder):
    """A store of a client and a server, whose clocks differ, and what is said of it."""
    two_hosts.write(folder, two_hosts.rounds(7, 20), lambda time: time + 3_000_000)
    store = folder / "two.histree"
    subprocess.run([histree, "build", "-q", "-a", "kernel,graph", "-o", store, "--host-dir", f"a={folder / 'a'}", "--host-dir", f"b={folder / 'b'}"],
                   check=True, stderr=subprocess.DEVNULL)
    info = json.loads(subprocess.run([histree, "info", "--format", "json", store], check=True, capture_output=True).stdout)[0]  # of the first history
    return store, info


def of_several_hosts(visit):
    words = []
    for host in HOSTS:
        shutil.copytree(SMALL_TRACE, visit.folder / host)
        words += ["--host-dir", f"{host}={visit.folder / host}"]
    store = visit.folder / "hosts.histree"
    subprocess.run([sys.argv[1], "build", "-q", "-o", store, "--clock", "none", *words], check=True, stderr=subprocess.DEVNULL)
    shutil.rmtree(store / "hosts" / HOSTS[5])
    with Server(sys.argv[1], visit.folder, [store]) as server, visit.page(server, "hosts") as page:
        visit.run(page, begins_folded, opens_a_host, shows_events)
    store, info = of_two_hosts(sys.argv[1], visit.folder)
    with Server(sys.argv[1], visit.folder, [store]) as server, visit.page(server, "hosts") as page:
        visit.tally.run("says_how_wrong_clocks_are", lambda: says_how_wrong_clocks_are(page, info))
        visit.tally.run("counts_rows_of_hosts", lambda: counts_rows_of_hosts(page, store))


if __name__ == "__main__":
    sys.exit(visiting(__doc__, of_several_hosts))
