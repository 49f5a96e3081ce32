#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_busy.py HISTREE [SCREENSHOTS] - who was busy comes first: the rows that a page shows at once, of a kernel and of hosts;
processes that unfold, what did nothing, and rows that are kept on top.  Screenshots and what is skipped are as in page.py."""
import sys

from page import main
from serving import SMALL_TRACE, large_trace

CHART = "page.charts[0]"
REST = f"{CHART}.restButton"


def shows_who_was_busy(page):
    page.open()
    assert page.get(f"{CHART}.settings.sort") == "active"
    rest = page.get(f"{CHART}.rest")
    total = page.get(f"{CHART}.total")
    assert rest > 0 and page.get(f"!{REST}.hidden && {REST}.textContent").startswith(f"▸ {rest:,} thread")
    assert page.get(f"{CHART}.infoAt(0).tid") != 0, "the idle loop is not busy"
    page.browser.run(f"{REST}.click()")
    page.browser.until(f"{CHART}.isComplete && {CHART}.total > {total}")
    assert page.get(f"{REST}.textContent").startswith("▾")
    page.shoot("rest")
    page.browser.run(f"{REST}.click()")
    page.browser.until(f"{CHART}.isComplete && {CHART}.total === {total}")
    page.shoot("busy")


def follows_the_visible_range(page):
    page.open()
    page.browser.run("page.viewport.show(page.viewport.duration * 0.4, page.viewport.duration * 0.45)")
    page.browser.run("await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.ready()
    assert page.get(f"{CHART}.parameters.activeFrom") == page.get("page.viewport.from")


def click_name(page, position, selector):
    """A click of the mouse on a part of the name of a row."""
    x, y = page.browser.run(f"""
        const name = {CHART}.names.children[arguments_[0]], part = name.querySelector(arguments_[1]);
        part.style.display ||= "";
        const box = part.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];""", position, selector)
    page.browser.move(round(x), round(y))
    page.browser.click(round(x), round(y))


def unfolds_a_process(page):
    page.open()
    total = page.get(f"{CHART}.total")
    at = page.get(f"[...Array(10).keys()].find((i) => {CHART}.infoAt(i)?.below > 1 && {CHART}.infoAt(i).below < 200)")
    info = page.get(f"{CHART}.infoAt({at})")
    name = page.names()[at]
    assert name[0] == info["groupName"] and f"{info['ran']} ran" in name[1] and f"of {info['below'] + 1}" in name[1], (name, info)
    click_name(page, at, ".fold")
    page.browser.until(f"{CHART}.isComplete && {CHART}.total === {total + info['below']}")
    assert page.get(f"{CHART}.infoAt({at + 1}).depth") == 1
    page.shoot("process")
    click_name(page, at, ".fold")
    page.browser.until(f"{CHART}.isComplete && {CHART}.total === {total}")
    x, y = page.point(0.5, 0)
    page.browser.move(x, y + 18 * at + 9)
    page.browser.until("document.getElementById('tip').textContent.includes('threads')", "the tip speaks of a process")
    assert info["groupName"] in page.get("document.getElementById('tip').textContent")


def keeps_rows_on_top(page):
    page.open()
    position = min(3, page.get(f"{CHART}.total") - 1)
    tid = page.get(f"{CHART}.infoAt({position}).tid")
    page.browser.run(f"{CHART}.choose({position})")
    page.browser.type("p")
    page.browser.until(f"{CHART}.isComplete && {CHART}.pinned === 1 && {CHART}.infoAt(0).tid === {tid}")
    page.browser.run(f"{CHART}.set({{ rest: true, split: true }})")
    page.browser.until(f"{CHART}.isComplete && {CHART}.pinned === 1")
    page.browser.run(f"{CHART}.scrollTo(1e9)")
    page.browser.until(f"{CHART}.isComplete")
    page.browser.run("await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    first = page.browser.run(f"""const name = {CHART}.names.children[0];
        return [name.hidden, name.style.transform, name.children[2].textContent]""")
    assert not first[0] and "translateY(0px)" in first[1] and str(tid) in first[2], first
    x, y = page.point(0.5, 0)
    assert page.get(f"{CHART}.positionAt({y + 5})") == 0
    page.shoot("pinned")
    page.browser.until("location.hash.includes('pinned')")
    hash_ = page.get("location.hash")
    page.open(hash_)
    assert page.get(f"{CHART}.pinned") == 1, "the address remembers it"
    page.browser.run(f"{CHART}.choose(0)")
    page.browser.type("p")
    page.browser.until(f"{CHART}.isComplete && {CHART}.pinned === 0")


def finds_what_did_nothing(page):
    page.open()
    # One whose name no other row has in its own: numbers are in other numbers.
    asked = page.browser.run(f"""const api = await import("./api.js"), all = {{ ...{CHART}.parameters, folded: 0, from: 0, to: 1000, pixels: 1 }};
        const {{ total, rows: shown }} = await api.rows({{ ...all, first: 0, count: 256 }});
        const {{ rows }} = await api.rows({{ ...all, rest: 1, first: total, count: 256 }});
        const isIn = (list, name) => list.filter((row) => row.name.includes(name)).length;
        return rows.findLast(({{ tid, name }}) => tid > 0 && name && isIn(rows, name) === 1 && isIn(shown, name) === 0)?.name ?? null;""")
    if asked is None:
        return
    page.browser.type("/")
    page.browser.type(f"{asked}\ue007")
    page.browser.until(f"{CHART}.settings.rest && {CHART}.chosen >= 0", "the thread is found")
    assert page.browser.until(f"{CHART}.infoAt({CHART}.chosen)?.name") == asked


TESTS = [shows_who_was_busy, follows_the_visible_range, keeps_rows_on_top, finds_what_did_nothing]
LARGE = [*TESTS, unfolds_a_process]

if __name__ == "__main__":
    PLAN = [(SMALL_TRACE, TESTS, "-a", "kernel")]
    if large_trace():
        PLAN.append((large_trace(), LARGE, "-a", "kernel"))
    sys.exit(main(__doc__, PLAN))
