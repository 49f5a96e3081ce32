#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_hosts.py HISTREE [SCREENSHOTS] - the page of a store of six hosts, one of them missing: hosts begin folded, and open.
Screenshots and what is skipped are as in page.py."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import browser
from browser import Browser
from page import SKIP, Page
from serving import SMALL_TRACE, Server, Tally

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
    page.browser.run("page.charts[0].toggle(page.charts[0].infoAt(1))")
    page.browser.until("page.charts[0].isComplete && page.charts[0].total > 6")
    assert page.get(f"{INFO.format(2)}.host") == "node1" and page.get(f"{INFO.format(2)}.depth") == 1
    page.shoot("host-opened")


def shows_events(page):
    page.browser.run("document.querySelector('#tabs [data-view=events]').click()")
    page.browser.until("page.panels[0]?.isComplete")
    assert page.browser.run("return document.querySelector('.panel .line .host').textContent") in HOSTS


def main():
    if not browser.is_here():
        print("skipped: needs a browser (apt-get install chromium chromium-driver)")
        return SKIP
    tally, view = Tally(), Browser()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words = []
        for host in HOSTS:
            shutil.copytree(SMALL_TRACE, folder / host)
            words += ["--host", f"{host}={folder / host}"]
        store = folder / "hosts.histree"
        subprocess.run([sys.argv[1], "build", "-q", "-o", store, "--clock", "none", *words], check=True, stderr=subprocess.DEVNULL)
        shutil.rmtree(store / "hosts" / HOSTS[5])
        try:
            with Server(sys.argv[1], folder, [store]) as server:
                page = Page(server, view, pathlib.Path(sys.argv[2]) / "hosts" if len(sys.argv) == 3 else None)
                for test in begins_folded, opens_a_host, shows_events:
                    tally.run(test.__name__, lambda: test(page))
                view.open("about:blank")
        finally:
            view.close()
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
