#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""latencies_page.py HISTREE [SCREENSHOTS] - the latencies of the page in a headless browser, compared with what the
command says of the same store; screenshots and what is skipped are as in page.py."""
import csv
import io
import subprocess
import sys
import urllib.parse

from browser import DOWN
from page import Page, TREE, visiting
from serving import SMALL_TRACE, large_trace, serving

ANALYSES = "kernel,system-calls,wakeups,softirqs,irqs"
PANEL = "page.panels.find((one) => one.name === 'latencies')"
ROWS = f"""return [...{PANEL}.way.list.querySelectorAll('.line')].filter((line) => !line.hidden)
    .map((line) => ({{ number: line.number, row: line.content, cells: [...line.children].map((cell) => cell.textContent) }}));"""
# How many pixels of a canvas have some colour other than that of lines and texts, and the whole of it.
COLOURED = f"""
const {{ canvas }} = {PANEL}.way;
const {{ data }} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
let coloured = 0;
for (let i = 0; i < data.length; i += 4)
    coloured += data[i + 3] > 200 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60;
return coloured;
"""


class Latencies(Page):
    def __init__(self, histree, *rest):
        super().__init__(*rest)
        self.store = next(self.server.folder.glob("*.histree"))
        self.histree = histree

    def segments(self, *options):
        done = subprocess.run([self.histree, "segments", self.store, "system-calls", "--format", "csv", *options],
                              capture_output=True, check=True)
        return list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))

    def show(self, fragment="views=control-flow,latencies&theme=light"):
        self.open(f"{TREE}&{fragment}")  # each thread in a row of its own
        self.settle()

    def settle(self):
        self.browser.until(f"{PANEL}?.isComplete")

    def set(self, **settings):
        self.browser.run(f"{PANEL}.set(arguments_[0])", settings)
        self.settle()

    def said(self):
        return self.get(f"{PANEL}.said.textContent")

    def rows(self):
        return self.browser.run(ROWS)


def click_text(page, selector, text):
    page.run(f"[...document.querySelectorAll(arguments_[0])].find((one) => one.textContent.startsWith(arguments_[1])).click()",
                     selector, text)


def lists_segments(page):
    """The lines are those of the command; a click on a header sorts, another one turns the order."""
    page.show()
    start = int(page.get("String(page.viewport.start)"))
    wanted = page.segments()
    rows = page.rows()
    assert [row["number"] for row in rows] == list(range(len(rows))) and len(rows) >= 3
    for row, segment in zip(rows, wanted):
        assert row["row"][0] + start == int(segment["start"]) and row["row"][1] == int(segment["duration"])
        assert [segment["name"], segment["tid"]] == row["cells"][3:5]
    assert page.said() == f"{len(wanted):,} segments"
    assert page.get("document.querySelector('[aria-sort=ascending]').textContent") == "Start"
    click_text(page, ".head button", "Duration")
    page.settle()
    longest = page.segments("--sort", "duration", "--reverse", "--limit", "3")
    assert [row["row"][1] for row in page.rows()[:3]] == [int(one["duration"]) for one in longest]
    assert page.get("document.querySelector('[aria-sort=descending]').textContent") == "Duration"
    click_text(page, ".head button", "Duration")
    page.settle()
    assert page.rows()[0]["row"][1] == min(int(one["duration"]) for one in wanted)
    click_text(page, ".head button", "name")
    page.settle()
    assert page.rows()[0]["cells"][3] == min(one["name"] for one in wanted)
    page.run(f"{PANEL}.way.list.scrollTop = 1e9")
    page.browser.until(f"[...document.querySelectorAll('.line')].some((line) => line.number === {len(wanted) - 1} && line.content)")
    page.shoot("latencies")


def selects_a_segment(page):
    """A click marks the segment in all views, keys go on from there, and a marker is followed."""
    page.show()
    page.set(sort="duration", descending=1)
    page.run(f"{PANEL}.way.list.querySelectorAll('.line')[2].click()")
    a, b, start, to = (page.get(f"page.viewport.{name}") for name in ("a", "b", "from", "to"))
    third = page.rows()[2]["row"]
    assert [a, b - a] == third[:2] and start <= a and b <= to
    assert page.get("document.querySelector('.segments .line.chosen').number") == 2
    tid = third[2 + page.get(f"{PANEL}.store.fields.findIndex((field) => field.name === 'tid')")]
    page.browser.until(f"page.selection.isComplete && page.charts[0].infoAt(page.charts[0].chosen)?.tid === {tid}", "its thread is selected")
    page.run(f"{PANEL}.way.list.focus()")
    page.browser.type(DOWN)
    page.browser.until("document.querySelector('.segments .line.chosen')?.number === 3")
    assert page.get("page.viewport.a") == page.rows()[3]["row"][0]
    page.set(sort="start", descending=0)
    wanted = page.segments()
    origin = int(page.get("String(page.viewport.start)"))
    middle = int(wanted[len(wanted) // 2]["start"]) - origin
    page.run("page.viewport.mark('a', arguments_[0])", middle)
    page.browser.until(f"{PANEL}.isComplete && document.querySelector('.segments .line.chosen')?.content?.[0] === {middle}")
    page.shoot("latencies-chosen")


def follows_the_visible_range(page):
    """The table has what goes on in the visible range, with the filter and in any order; all of it when all is visible."""
    page.show()
    duration = page.get("page.viewport.duration")
    first, last = round(duration * 0.3), round(duration * 0.35)
    origin = int(page.get("String(page.viewport.start)"))
    page.run("page.viewport.show(...arguments_)", first, last)
    page.settle()
    wanted = [one for one in page.segments() if int(one["start"]) - origin <= last and int(one["end"]) - origin >= first]
    total = len(page.segments())
    assert 0 < len(wanted) < total and page.said() == f"{len(wanted):,} of {total:,} segments in the visible range", (page.said(), len(wanted))
    assert page.rows()[0]["row"][0] + origin == int(wanted[0]["start"])
    page.set(sort="duration", descending=1, filter="duration > 1us || name == nothing")
    longer = sorted((int(one["duration"]) for one in wanted if int(one["duration"]) > 1000), reverse=True)
    assert page.said().startswith(f"{len(longer):,} of ") and page.rows()[0]["row"][1] == longer[0]
    seen = page.get("[page.viewport.from, page.viewport.to]")
    page.run(f"{PANEL}.way.list.querySelector('.line').click()")
    assert page.get("[page.viewport.from, page.viewport.to]") == seen, "a line that is chosen leaves the table as it is"
    page.shoot("latencies-range")
    page.browser.type("0")
    page.set(filter="", sort="start", descending=0)
    assert page.said() == f"{total:,} segments"


def is_of_the_selected_span(page):
    """Between the markers, in each way; a segment that is chosen there leaves the table as it is."""
    page.show()
    duration, origin = page.get("page.viewport.duration"), int(page.get("String(page.viewport.start)"))
    first, last = round(duration * 0.3), round(duration * 0.35)
    page.run("page.viewport.mark('b', arguments_[1]); page.viewport.mark('a', arguments_[0])", first, last)
    page.settle()
    wanted = [one for one in page.segments() if int(one["start"]) - origin <= last and int(one["end"]) - origin >= first]
    said = f"{len(wanted):,} of {len(page.segments()):,} segments between the markers"
    assert 0 < len(wanted) < len(page.segments()) and page.said() == said, (page.said(), said)
    page.run(f"{PANEL}.way.list.querySelector('.line').click()")
    page.settle()
    assert page.get("page.viewport.a") == int(wanted[0]["start"]) - origin and page.said() == said, page.said()
    page.run("page.viewport.mark('b', arguments_[1]); page.viewport.mark('a', arguments_[0])", first, last)
    for show in "density", "stats":
        page.set(show=show)
        assert page.said().startswith(f"{len(wanted):,} segments ") and "between the markers" in page.said(), page.said()
    page.shoot("latencies-span")


def filters(page):
    """What passes is what is shown, said and saved; an expression that is none is told, and kept to be mended."""
    page.show()
    wanted = page.segments()
    name = max({one["name"] for one in wanted}, key=lambda name: sum(one["name"] == name for one in wanted))
    page.run("const input = document.querySelector('.filter'); input.focus(); input.value = ''")
    page.browser.type(f"name == {name} && duration > 1us")
    page.run("document.querySelector('.filter').form.requestSubmit()")
    page.settle()
    some = [one for one in wanted if one["name"] == name and int(one["duration"]) > 1000]
    page.browser.until(f"{PANEL}.said.textContent.startsWith('{len(some):,} of {len(wanted):,}')")
    assert all(row["cells"][3] == name for row in page.rows())
    lines = page.run(f"return (await (await fetch({PANEL}.csv.href)).text()).trimEnd().split('\\r\\n').length")
    assert lines == len(some) + 1
    page.run(f"{PANEL}.set({{ filter: 'duration >' }})")
    page.browser.until("document.querySelector('.said.bad')")
    assert "olumn 11" in page.said(), page.said()
    assert "olumn 11" not in page.get("document.getElementById('error').textContent"), "it is said where it was written"
    page.shoot("latencies-error")
    page.set(filter="duration < 0")
    assert page.rows() == [] and page.said().startswith("0 of")


def scatters(page):
    """Points have colours and are where they should be: the tip says what is there, a click marks it."""
    page.show()
    page.set(show="scatter")
    assert page.run(COLOURED) > 200
    assert page.get("document.querySelectorAll('.scatter-name').length") >= 3
    point = page.run(f"""
        const {{ canvas, scale, series }} = {PANEL}.way, box = canvas.getBoundingClientRect(), {{ viewport }} = page;
        let most = null;
        for (const {{ name, points }} of series)
            for (let i = 0; i < points.length; i += 2)
                if (!most || points[i + 1] > most.duration)
                    most = {{ name, start: points[i], duration: points[i + 1] }};
        return {{ ...most, x: box.x + (most.start - viewport.from) / viewport.span * box.width, y: box.y + scale.at(most.duration) }};""")
    longest = page.segments("--sort", "duration", "--reverse", "--limit", "1")[0]
    assert (point["name"], point["duration"]) == (longest["name"], int(longest["duration"]))
    page.browser.move(round(point["x"]), round(point["y"]))
    page.browser.until("!document.getElementById('tip').hidden")
    assert page.get("document.getElementById('tip').textContent").startswith(point["name"])
    page.shoot("latencies-scatter")
    page.browser.click(round(point["x"]), round(point["y"]))
    assert page.get("page.viewport.a") == point["start"]
    before = page.get(f"{PANEL}.way.data.answer.segments")
    page.run("page.viewport.show(page.viewport.duration / 4, page.viewport.duration / 2)")
    page.browser.until(f"{PANEL}.isComplete && {PANEL}.way.data.answer.segments < {before}")


def counts_durations(page):
    """Each segment is in a bar; a click on a bar lists what is in it."""
    page.show()
    page.set(show="density")
    wanted = page.segments()
    assert page.get(f"{PANEL}.way.data.answer.counts.reduce((sum, one) => sum + one, 0)") == len(wanted)
    assert page.run(COLOURED) > 500
    bar = page.run(f"""
        const {{ canvas, across, up, data }} = {PANEL}.way, box = canvas.getBoundingClientRect(), {{ edges, counts }} = data.answer;
        const most = counts.indexOf(Math.max(...counts));
        return {{ from: edges[most], to: edges[most + 1], count: counts[most], x: box.x + across.at((edges[most] + edges[most + 1]) / 2 + 1), y: box.y + box.height / 2 }};""")
    page.browser.move(round(bar["x"]), round(bar["y"]))
    page.browser.until("!document.getElementById('tip').hidden")
    assert page.get("document.getElementById('tip').textContent").startswith(f"{bar['count']:,} segments")
    page.shoot("latencies-density")
    page.browser.click(round(bar["x"]), round(bar["y"]))
    page.browser.until(f"{PANEL}.settings.show === 'table' && {PANEL}.isComplete")
    assert all(bar["from"] <= row["row"][1] < bar["to"] for row in page.rows())
    assert page.said() == f"{bar['count']:,} of {len(wanted):,} segments"


def sums_up(page):
    """Statistics are sorted by a click; a click on a name lists its segments."""
    page.show()
    page.set(show="stats")
    rows = f"[...{PANEL}.way.body.rows].map((row) => [...row.cells].map((cell) => cell.textContent))"
    wanted = page.segments()
    names = {one["name"] for one in wanted}
    found = page.get(rows)
    assert found[0][:2] == ["all", f"{len(wanted):,}"] and {row[0] for row in found[1:]} == names
    click_text(page, ".statistics button", "Count")
    found = [int(row[1].replace(",", "")) for row in page.get(rows)[1:]]
    assert found == sorted(found, reverse=True) and sum(found) == len(wanted)
    click_text(page, ".statistics button", "Name")
    assert [row[0] for row in page.get(rows)[1:]] == sorted(names, key=str.lower) or len(names) > 2
    page.shoot("latencies-stats")
    name = page.get(rows)[1][0]
    page.run(f"{PANEL}.way.body.rows[1].querySelector('button').click()")
    page.browser.until(f"{PANEL}.settings.show === 'table' && {PANEL}.isComplete")
    assert {row["cells"][3] for row in page.rows()} == {name}


def remembers(page):
    """The address holds what is shown; other analyses are chosen from the list; an empty one says so."""
    settings = {"analysis": "wakeups", "show": "scatter", "filter": "duration > 1us", "sort": "duration", "descending": 1}
    page.show()
    page.set(**settings)
    page.browser.until("decodeURIComponent(location.hash).includes('wakeups')")
    hash_ = page.get("location.hash")
    page.show(urllib.parse.unquote(hash_[1:]) if "%25" in hash_ else hash_[1:])
    assert page.get(f"{PANEL}.settings") == settings
    assert page.get(f"{PANEL}.choice.value") == "wakeups" and page.get("document.querySelector('.filter').value") == "duration > 1us"
    page.set(analysis="irqs", show="table", filter="")
    assert page.said().startswith("0 segments") or page.rows()


def is_dark(page):
    """Every way in the dark, for whoever looks at the pictures; points have the dark colours."""
    page.show("views=control-flow,latencies&theme=dark")
    for show in "table", "scatter", "density", "stats":
        page.set(show=show)
        page.shoot(f"latencies-dark-{show}")
    page.set(show="scatter")
    assert page.get(f"{PANEL}.way.colourOf(0)") == "#5c9df0"
    page.run("document.getElementById('theme').click()")
    assert page.get(f"{PANEL}.way.colourOf(0)") == "#2a6cb8"


TESTS = [lists_segments, selects_a_segment, follows_the_visible_range, is_of_the_selected_span, filters, scatters, counts_durations, sums_up, remembers, is_dark]


def in_each_trace(visit):
    for trace in filter(None, (SMALL_TRACE, large_trace())):
        with serving(sys.argv[1], trace, build_options=("-a", ANALYSES)) as server, \
             visit.page(server, trace.name, lambda *where: Latencies(sys.argv[1], *where)) as page:
            visit.run(page, *TESTS, of=f"{trace.name}: ")


if __name__ == "__main__":
    sys.exit(visiting(__doc__, in_each_trace))
