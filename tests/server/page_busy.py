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
    page.run(f"{REST}.click()")
    page.browser.until(f"{CHART}.isComplete && {CHART}.total > {total}")
    assert page.get(f"{REST}.textContent").startswith("▾")
    page.shoot("rest")
    page.run(f"{REST}.click()")
    page.browser.until(f"{CHART}.isComplete && {CHART}.total === {total}")
    page.shoot("busy")


def has_one_text_a_stretch(page):
    """Neighbours of one state in the row of a process have one text, though some of their pixels had other states too."""
    page.open()
    pairs = page.run("""const chart = page.charts[0], found = [];
        chart.shown[0].spans.forEach((spans, row) => {
            if (chart.infoAt(row)?.group !== undefined)
                for (let at = 6; at < spans.length; at += 6)
                    if (spans[at + 2] === spans[at - 4] && spans[at + 2] !== 0xffff)
                        found.push(spans[at + 4] === spans[at - 2] && spans[at + 5] === spans[at - 1]);
        });
        return found;""")
    assert pairs and all(pairs), pairs


def follows_the_visible_range(page):
    page.open()
    page.run("page.viewport.show(page.viewport.duration * 0.4, page.viewport.duration * 0.45)")
    page.ready()
    assert page.get(f"{CHART}.parameters.activeFrom") == page.get("page.viewport.from")


def click_name(page, position, selector):
    """A click of the mouse on a part of the name of a row."""
    x, y = page.run(f"""
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
    page.run(f"{CHART}.choose({position})")
    page.browser.type("k")
    page.browser.until(f"{CHART}.isComplete && {CHART}.pinned === 1 && {CHART}.infoAt(0).tid === {tid}")
    page.run(f"{CHART}.set({{ rest: true, split: true }})")
    page.browser.until(f"{CHART}.isComplete && {CHART}.pinned === 1")
    page.run(f"{CHART}.scrollTo(1e9)")
    page.browser.until(f"{CHART}.isComplete")
    first = page.run(f"""const name = {CHART}.names.children[0];
        return [name.hidden, name.style.transform, name.children[2].textContent]""")
    assert not first[0] and "translateY(0px)" in first[1] and str(tid) in first[2], first
    x, y = page.point(0.5, 0)
    assert page.get(f"{CHART}.positionAt({y + 5})") == 0
    page.shoot("pinned")
    page.browser.until("location.hash.includes('pinned')")
    hash_ = page.get("location.hash")
    page.open(hash_)
    assert page.get(f"{CHART}.pinned") == 1, "the address remembers it"
    page.run(f"{CHART}.choose(0)")
    page.browser.type("k")
    page.browser.until(f"{CHART}.isComplete && {CHART}.pinned === 0")


def keeps_what_was_chosen(page):
    """The row stays chosen where another order has it."""
    page.open()
    page.run(f"{CHART}.choose(0)")
    tid = page.get(f"{CHART}.chosenInfo.tid")
    for change in "page.viewport.show(0, page.viewport.duration / 2)", f"{CHART}.set({{ sort: 'tree' }})", f"{CHART}.set({{ sort: 'active' }})":
        page.run(change)
        assert page.get(f"{CHART}.infoAt({CHART}.chosen)?.tid") == tid, change
        assert page.get(f"{CHART}.parameters.activeTo") != page.get("page.viewport.duration"), "the order is that of the visible range"


def keeps_a_thread_that_is_folded(page):
    """It is chosen again when it is not hidden any more, and in view."""
    page.open('#control-flow={"sort":"tree"}')
    position, row = page.run(f"""
        for (let position = 0; position < {CHART}.total; position++) {{
            const info = {CHART}.infoAt(position);
            if (info?.depth > 0)
                return [position, info.row];
        }}""")
    page.run(f"{CHART}.choose({position})")
    page.run(f"{CHART}.set({{ folded: true }}); {CHART}.set({{ sort: 'tree' }})")
    assert page.get(f"{CHART}.chosenRow") != row
    page.run(f"{CHART}.set({{ folded: false }})")
    assert page.get(f"{CHART}.infoAt({CHART}.chosen)?.row") == row
    page.run(f"{CHART}.set({{ sort: 'active' }})")
    page.run(f"{CHART}.set({{ sort: 'tree' }})")
    assert page.get(f"{CHART}.chosenRow") == row, "the row of its process stood for it"


def finds_what_did_nothing(page):
    """In the first fiftieth of the trace."""
    page.open()
    page.run("page.viewport.show(0, page.viewport.duration / 50)")
    page.browser.until(f"{CHART}.isComplete && {CHART}.rest > 0", "some rows are left out")
    # One whose name no other row has in its own: numbers are in other numbers.
    asked = page.run(f"""const api = await import("./api.js"), all = {{ ...{CHART}.parameters, folded: 0, from: 0, to: 1000, pixels: 1 }};
        const {{ total, rows: shown }} = await api.rows({{ ...all, first: 0, count: 256 }});
        const {{ rows }} = await api.rows({{ ...all, rest: 1, first: total, count: 256 }});
        const isIn = (list, name) => list.filter((row) => row.name.includes(name)).length;
        return rows.findLast(({{ tid, name }}) => tid > 0 && name && isIn(rows, name) === 1 && isIn(shown, name) === 0)?.name ?? null;""")
    assert asked, "every name is in that of another row"
    page.browser.type("/")
    page.browser.type(f"{asked}\ue007")
    assert page.get(f"{CHART}.settings.rest") and page.get(f"{CHART}.infoAt({CHART}.chosen)?.name") == asked, "the thread is found"


# Of the tree of all threads: {row: {row, tid, depth, above: the rows that it is below}}, but for those that are below none.
BELOW = f"""const api = await import("./api.js"), above = [], found = {{}};
    const {{ rows }} = await api.rows({{ ...{CHART}.unfolded, from: 0, to: 1000, pixels: 1, first: 0, count: 256 }});
    for (const {{ row, tid, depth }} of rows) {{
        above.length = depth;
        if (depth > 0)
            found[row] = {{ row, tid, depth, above: [...above] }};
        above.push(row);
    }}
    return found;"""


def unfolds_what_hides(page):
    """A row that is sought is shown by unfolding what it is below, and nothing else, whether all was folded or that alone; of
    two that are sought at once it is the second."""
    page.open('#control-flow={"sort":"tree"}')
    threads = [one for one in page.run(BELOW).values() if one["tid"] > 0]
    deep = max(threads, key=lambda one: one["depth"])
    other = next(one for one in reversed(threads) if one["row"] != deep["row"] and one["row"] not in deep["above"])
    page.run(f"{CHART}.set({{ folded: true }})")
    page.run(f"await {CHART}.seek({{ row: arguments_[0] }})", deep["row"])
    is_landed_on(page, deep["tid"], "a row that is sought")
    assert sorted(page.get(f"{CHART}.settings.toggled")) == sorted(deep["above"])
    page.run(f"{CHART}.set({{ folded: false, toggled: [arguments_[0]] }})", deep["above"][0])
    page.run(f"await {CHART}.seek({{ row: arguments_[0] }})", deep["row"])
    is_landed_on(page, deep["tid"], "a row below the one that is folded")
    assert page.get(f"{CHART}.settings.toggled") == []
    for first, second in (deep, other), (other, deep):
        page.run(f"{CHART}.set({{ folded: true, toggled: [] }})")
        page.run(f"await Promise.all(arguments_.map((row) => {CHART}.seek({{ row }})))", first["row"], second["row"])
        is_landed_on(page, second["tid"], "the row that is sought last")


# A thread that its process hides: of all that ran, one that is neither the busiest nor the main thread of its process.
HIDDEN = f"""const api = await import("./api.js"), all = {{ ...{CHART}.parameters, folded: 0, from: 0, to: 1000, pixels: 1, count: 256 }};
    for (let first = 0, total = 1; first < total; first += 256) {{
        const window = await api.rows({{ ...all, first }});
        total = window.total;
        const found = window.rows.findLast(({{ depth, tid, pid, first, last }}) => depth === 1 && tid !== pid && last - first > 1e6);
        if (found)
            return found;
    }}
    return null;"""


def hidden(page):
    """Of a page that was opened anew."""
    page.open()
    thread = page.run(HIDDEN)
    assert thread, "no process hides a thread"
    return thread


def is_landed_on(page, tid, what):
    """It is chosen, where it can be seen, and its process is unfolded around it; all say the same of it."""
    said = page.run(f"""const chart = {CHART}, info = chart.infoAt(chart.chosen), y = chart.middleOf(chart.chosen);
        return info?.tid === {tid} && info.row === chart.chosenRow && !(info.folded && info.below > 0) && y > 0 && y < chart.height && info;""")
    assert said, f"{what} lands on thread {tid}"
    assert page.run(f"return {CHART}.names.querySelector('.chosen')?.textContent.includes(String(arguments_[0]))", said["tid"])


def lands_on_what_a_search_finds(page):
    thread = hidden(page)
    page.browser.type("/")
    page.browser.type(f"{thread['tid']}\ue007")
    is_landed_on(page, thread["tid"], "a search for the number")
    assert page.get("document.getElementById('search-result').textContent").startswith("1 of ")
    page.run("document.activeElement.blur()")
    page.shoot("landed")


def lands_on_what_a_panel_means(page):
    """As a name in Why does, a thread in Time, and a row of SQL, which also moves the visible range."""
    thread = hidden(page)
    page.run("page.selection.of(null, { tid: arguments_[0] }, 0)", thread["tid"])
    is_landed_on(page, thread["tid"], "a panel")
    thread = hidden(page)
    at = (thread["first"] + thread["last"]) // 2
    page.run("page.viewport.show(0, 1e6)")
    page.browser.until(f"{CHART}.isComplete")
    page.run("document.querySelector('#tabs [data-view=ask]').click()")
    page.browser.until("page.panels.some((one) => one.name === 'ask')")
    page.run("page.panels.find((one) => one.name === 'ask').ask(`SELECT ${page.viewport.start + BigInt(arguments_[0])} AS ts, ${arguments_[1]} AS tid`)",
                     at, thread["tid"])
    page.browser.until("document.querySelector('.ask .goes')")
    page.run("document.querySelector('.ask .goes').click()")
    is_landed_on(page, thread["tid"], "a row of SQL, for which rows are sorted anew,")


def lands_along_arrows(page):
    """From a process to one of its threads that an arrow comes to, or leaves."""
    page.open()
    page.run("page.viewport.show(page.viewport.duration * 0.4, page.viewport.duration * 0.4 + 2e7)")
    page.browser.until(f"{CHART}.isComplete && {CHART}.arrows.isComplete && {CHART}.arrows.arrows.length > 0")
    arrow = page.run(f"""const chart = {CHART}, rowAt = (position) => chart.infoAt(position)?.row;
        return chart.arrows.arrows.find((one) => rowAt(one.to) !== undefined && rowAt(one.to) !== one.toRow &&
            chart.arrows.step(one.from, one.start, false) === one) ?? null;""")
    assert arrow, "no arrow comes to a thread that its process hides"
    page.run(f"{CHART}.choose(arguments_[0]); page.viewport.mark('a', arguments_[1])", arrow["from"], arrow["start"])
    page.browser.type("]")
    tid = int(arrow["toName"].rsplit("(", 1)[1].rstrip(")"))
    is_landed_on(page, tid, "an arrow")
    assert page.get("page.viewport.a") == arrow["end"]


def finds_the_number_first(page):
    """Then the numbers that have it in them; all of them are counted and listed, and a click on one goes there."""
    page.open()
    tids = page.run(f"""const api = await import("./api.js"), tids = [];
        for (let first = 0, total = 1; first < total; first += 256) {{
            const answer = await api.rows({{ ...{CHART}.unfolded, from: 0, to: 1000, pixels: 1, first, count: 256 }});
            total = answer.total;
            tids.push(...answer.rows.map((one) => [one.tid, one.name]));
        }}
        return tids;""")
    number = next(tid for tid, _ in tids if tid > 0 and sum(str(tid) in str(other) or str(tid) in name for other, name in tids) > 2)
    hits = sum(str(number) in str(other) or str(number) in name for other, name in tids)
    page.browser.type("/")
    page.browser.type(f"{number}\ue007")
    is_landed_on(page, number, "the number")
    result = "document.getElementById('search-result')"
    assert page.get(f"{result}.textContent") == f"1 of {hits}", (number, hits, page.get(f"{result}.textContent"))
    page.browser.type("\ue007")
    assert page.get(f"{result}.textContent") == f"2 of {hits}" and page.get(f"{CHART}.infoAt({CHART}.chosen).tid") != number
    page.run(f"{result}.click()")
    lines = page.get("[...document.querySelectorAll('#hits button')].map((one) => one.textContent)")
    assert len(lines) == min(hits, 100) and str(number) in lines[0] and all(str(number) in line for line in lines), lines
    page.shoot("hits")
    page.browser.type("\ue007")
    page.browser.until(f"{result}.textContent.startsWith('3 of')", "the search goes on")
    assert page.get("[...document.querySelectorAll('#hits button')].findIndex((one) => one.ariaCurrent === 'true' && one.offsetHeight > 0)") == 2, \
        "a list that is open stays open, and shows which one is chosen"
    page.run("document.querySelector('#hits button').click()")
    is_landed_on(page, number, "the list")


TESTS = [unfolds_what_hides, shows_who_was_busy, has_one_text_a_stretch, follows_the_visible_range, keeps_rows_on_top, keeps_what_was_chosen, keeps_a_thread_that_is_folded, finds_what_did_nothing, finds_the_number_first]
LARGE = [*TESTS, unfolds_a_process, lands_on_what_a_search_finds, lands_on_what_a_panel_means, lands_along_arrows]

if __name__ == "__main__":
    PLAN = [(SMALL_TRACE, TESTS, "-a", "kernel")]
    if large_trace():
        PLAN.append((large_trace(), LARGE, "-a", "kernel"))
    sys.exit(main(__doc__, PLAN))
