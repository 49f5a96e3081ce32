#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_builds.py HISTREE [SCREENSHOTS] - a folder is served, and a trace of it opened: the page says how far it is, in bytes and
in time, and the build can be cancelled.  Screenshots and what is skipped are as in page.py."""
import json
import re
import sys
import time
import urllib.request

from page import visiting
from serving import Server

SPANS = 1_600_000
SAID = "document.querySelector('.building .said')?.textContent"


def write_trace(path):
    """A release reads it for two seconds, in which the page has to see and to end that."""
    with path.open("w", encoding="utf-8") as file:
        file.write("[\n")
        for i in range(SPANS):
            file.write(f'{{"ph":"X","name":"step {i % 50}","pid":1,"tid":{1 + i % 8},"ts":{10 * i},"dur":7,"args":{{"n":{i}}}}},\n')
        file.write('{"ph":"X","name":"last","pid":1,"tid":1,"ts":%d,"dur":7}]\n' % (10 * SPANS))


def says_how_far_it_is(page):
    page.browser.open("about:blank")
    page.browser.open(page.server.url)
    said = page.browser.until(f"/ of .*events .*so far/.test({SAID}) && {SAID}", "progress is said")
    assert re.match(r"\d+ % · [\d.,]+ (bytes|[KM]iB) of [\d.,]+ MiB · [\d,]+ events · [\d.]+ m?s so far", said), said
    assert page.browser.run("return document.getElementById('axis').offsetHeight") == 0, "there are no times yet"
    page.shoot("building", is_at_rest=False)


def is_cancelled(page):
    """The trace is listed again, not opened again by itself, and nothing is left of its build."""
    page.browser.run("document.querySelector('.building button').click()")
    page.browser.until("document.querySelectorAll('.traces button').length === 1", "the trace is listed")
    page.browser.until("!document.querySelector('.building')")
    for known in "api/v1/experiments", "tsp/api/traces":
        with urllib.request.urlopen(page.server.url + known) as answer:
            assert json.load(answer) == [], known
    page.shoot("cancelled")
    assert page.get("document.querySelectorAll('.traces button').length") == 1
    end = time.monotonic() + 60  # its files go behind the answer
    while list(page.server.folder.glob("*.histree*")):
        assert time.monotonic() < end, list(page.server.folder.iterdir())
        time.sleep(0.02)


def is_opened_again(page):
    """By a link: what it says holds once the trace is read."""
    page.browser.run("location.hash = 'views=spans,latencies'; ")
    page.browser.run("document.querySelector('.traces button').click()")
    page.browser.until("document.querySelector('.building')", "it is read again")
    page.ready()
    assert page.get("page.panels.map(({ name }) => name)") == ["latencies"], "the link is followed"
    assert page.get("page.charts[0].view.name") == "spans" and page.get("document.getElementById('axis').offsetHeight") > 0


def of_a_folder(visit):
    folder, stores = visit.folder / "traces", visit.folder / "stores"
    folder.mkdir()
    stores.mkdir()
    write_trace(folder / "spans.json")
    with Server(sys.argv[1], stores, [folder]) as server, visit.page(server, "builds") as page:
        visit.run(page, says_how_far_it_is, is_cancelled, is_opened_again)


if __name__ == "__main__":
    sys.exit(visiting(__doc__, of_a_folder))
