#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_over_states.py HISTREE [SCREENSHOTS] - what lies over and between the states of the page: searches, selections,
bookmarks, arrows, gaps; and call stacks.  Screenshots and what is skipped are as in page.py."""
import json
import subprocess
import sys

from browser import ENTER, ESCAPE
from page import PIXELS, TREE, WIDE_SPANS, main, press_view
from serving import SMALL_NODES, SMALL_TRACE, calls_trace, damage, large_trace


def searches_states(page):
    """An expression finds states of any row, forwards and backwards, and dims the others."""
    page.open()
    page.run("const kind = document.getElementById('search-kind'); kind.value = 'states'; kind.onchange();"
                     "document.getElementById('search-text').focus()")
    page.browser.type("State == 'user mode'" + ENTER)
    # By marker and row; its position may change with the range that is shown.
    here = "(page.charts[0].chosenRow < 0 ? null : page.viewport.a + page.charts[0].chosenRow / 1e6)"
    found = []
    for _ in range(3):
        row, at = page.get("[page.charts[0].chosenRow, page.viewport.a]")
        assert row >= 0 and at is not None and at + row / 1e6 not in found, (row, at, found)
        found.append(at + row / 1e6)
        state = page.run("return await page.charts[0].state(...arguments_)", row, at)
        assert state["style"]["name"] == "user mode" and state["start"] == at, state
        page.run("document.getElementById('search').requestSubmit()")
    assert page.get(here) not in (None, found[-1])
    page.run("document.getElementById('search-previous').click()")
    assert page.get(here) == found[-1], "back to the one before"
    page.run("""page.viewport.mark("a", null);
        page.viewport.show(0, page.viewport.duration);
        for (let i = 0; i < 3; i++)
            document.getElementById("search").requestSubmit();""")
    assert page.get(here) == found[2], "three at once are three steps"

    # A search that is over before it has seen all says so, and Next goes on from there.  (A time after which states
    # have to start would not be searched up to.)
    page.run("""
        const { json } = await import("/api.js");
        const text = "!('Start Time' <= " + (page.viewport.start + BigInt(Math.round(page.viewport.duration * 0.9))) + ") && State == 'user mode'";
        page.wanted = await json("search-state", { ...page.charts[0].unfolded, text, at: 0, position: -1 });
        window.fetched = window.fetch;
        window.fetch = (url, ...more) => fetched(url.includes("search-state") ? url + "&states=" + arguments_[0] : url, ...more);
        page.viewport.mark("a", 0);
        document.getElementById("search-text").value = text;""", 100 if page.get("page.viewport.duration") < 1e8 else 20000)
    said, result = [], "document.getElementById('search-result').textContent"
    while page.get("page.viewport.a") == 0 and len(said) < 100:
        page.run("document.getElementById('search').requestSubmit()")
        last = said[-1:] or [""]
        said.append(page.get(result))
        assert page.get("page.viewport.a") != 0 or said[-1] not in ("", last[0]), "it comes further"
        if len(said) == 1:
            page.shoot("goes-on")
    assert len(said) > 2 and all(text.startswith("nothing up to ") for text in said[:-1]), said
    assert said[-1] == "" or " of " in said[-1], said  # how many there are takes longer
    assert page.get("page.wanted.found && page.viewport.a === page.wanted.start && page.charts[0].chosenRow === page.wanted.row")
    page.run("window.fetch = fetched; document.getElementById('search-text').value = \"State == 'user mode'\"")

    page.run("page.viewport.mark('a', null); page.viewport.show(0, page.viewport.duration)")
    page.ready()
    runs = page.run(WIDE_SPANS, "control-flow")
    colours = lambda: page.run(PIXELS, "control-flow", *runs)
    before = colours()
    page.run("document.getElementById('search-filter').click()")
    page.browser.until("page.charts.every((chart) => chart.isComplete) && page.viewport.filter !== ''")
    green = page.run("return (await (await import('/api.js')).json('legend', {})).threads.find((one) => one.name === 'user mode').light")
    for run, old, new in zip(runs, before, colours()):
        if run["colour"] == green:
            assert new == old, "what matches is as it was"
    dimmed = [run for run, old, new in zip(runs, before, colours()) if new != old]
    assert dimmed or all(run["colour"] == green for run in runs), "what does not match is dim"
    page.shoot("dimmed")
    page.browser.until("location.hash.includes('filter')")
    page.run("document.getElementById('search-text').value = 'nonsense =='; document.getElementById('search').requestSubmit()")
    page.browser.until("document.getElementById('error').textContent.includes('Column')", "what is wrong with the expression")
    page.run("page.viewport.setFilter('')")
    page.open()


def counts_states(page):
    """How many states match, which of them this is, and the first of them, are those of `histree states`; a click leads to one,
    and leaves the zoom as it is."""
    text, result = "{} == 'user mode' && duration > 20us", "document.getElementById('search-result')"
    page.open()
    store = next(page.server.folder.glob("*.histree"))
    done = subprocess.run([sys.argv[1], "states", store, "Threads/*", "--where", text.format("label"), "--format", "json"], check=True, capture_output=True)
    start = int(page.get("String(page.viewport.start)"))
    states = sorted(one["start"] - start for one in json.loads(done.stdout))
    page.run("const kind = document.getElementById('search-kind'); kind.value = 'states'; kind.onchange();"
                     "page.viewport.show(0, page.viewport.duration / 50); document.getElementById('search-text').focus()")
    span = page.get("page.viewport.span")
    page.browser.type(text.format("State") + ENTER)
    page.browser.until(f"{result}.textContent === '1 of {len(states):,}'", "they are counted")
    page.run("document.getElementById('search').requestSubmit()")
    page.browser.until(f"{result}.textContent === '2 of {len(states):,}'", "the next one is the second")
    page.run(f"{result}.click()")
    hits = page.get("document.querySelectorAll('#hits button').length")
    assert hits == min(len(states), 100) and page.get("[...document.querySelectorAll('#hits button')].findIndex((one) => one.ariaCurrent === 'true')") == 1
    page.shoot("states-listed")
    page.run("document.querySelector('#hits button:nth-child(3)').click()")
    page.browser.until(f"page.viewport.a === {states[2]} && {result}.textContent === '3 of {len(states):,}'", "the third one is shown")
    row = page.get("page.charts[0].chosenRow")
    state = page.run("return await page.charts[0].state(...arguments_)", row, states[2])
    assert state["style"]["name"] == "user mode" and state["start"] == states[2], state
    assert abs(page.get("page.viewport.span") - span) <= 1, "the zoom stays"
    page.open()


def selects_everywhere(page):
    """A thread that is selected while it runs selects its CPU, a CPU its thread, an event both; and the events follow."""
    page.open(TREE)
    press_view(page, "Events")
    page.browser.until("page.panels[0]?.isComplete")
    cpus = page.run("""
        const resources = page.charts.find((one) => one.view.name === "resources");
        return resources.shown[0].rows.map((info, position) => ({ name: info.name, position }));""")
    place = {one["name"]: one["position"] for one in cpus}
    found = page.run("""
        const { json } = await import("/api.js");
        return await json("search-state", { ...page.charts[0].parameters, text: "State == 'user mode' && TID > 0 && CPU == 1",
            at: Math.round(page.viewport.duration / 2), position: -1 });""")
    assert found["found"]
    page.run("""
        page.viewport.mark("a", arguments_[0].start);
        page.charts[0].choose(arguments_[0].position, arguments_[0].row);
        page.charts[0].reveal(arguments_[0].position);""", found)
    page.browser.until("page.charts[0].infoAt(page.charts[0].chosen)")
    page.run("page.charts[0].choose(arguments_[0].position, arguments_[0].row)", found)
    page.browser.until("page.selection.isComplete")
    page.browser.until(f"page.charts[1].chosen === {place['CPU 1']}", "the CPU of the thread is selected")
    page.browser.until("page.panels[0].isComplete && page.panels[0].chosen >= 0", "the events follow")

    page.run("page.charts[1].choose(arguments_[0])", place["CPU 0"])
    page.browser.until("page.selection.isComplete && page.charts[0].infoAt(page.charts[0].chosen)")
    at, row = page.get("page.viewport.a"), page.get("page.charts[0].infoAt(page.charts[0].chosen)")
    state = page.run("return await page.charts[1].state(arguments_[0], arguments_[1])", place["CPU 0 thread"], at)
    assert str(row["tid"]) == state["value"], (row, state)

    page.run("page.panels[0].search.value = 'switch'; await page.panels[0].find(false)")
    page.browser.until("page.selection.isComplete && document.querySelector('.line.chosen')?.content")
    event = page.get("document.querySelector('.line.chosen').content")
    page.browser.until(f"page.charts[1].infoAt(page.charts[1].chosen)?.name === 'CPU {event['cpu']}'", "the CPU of the event is selected")
    page.shoot("selected")


def keeps_bookmarks(page):
    """A name for the time of marker A is drawn on the axis and over the charts, leads back there, and can be removed."""
    page.open()
    page.browser.type("b")
    page.browser.until("!document.getElementById('bookmarks').hidden")
    page.browser.type("lost" + ENTER)
    page.browser.until("document.getElementById('error').textContent.includes('marker A')", "without a marker there is none")
    page.run("page.viewport.mark('a', Math.round(page.viewport.duration * 0.4))")
    at = page.get("page.viewport.a")
    page.browser.type(ENTER)
    page.browser.until("page.bookmarks.list.length === 1")
    assert page.get("page.bookmarks.list[0].start") == at and page.get("page.bookmarks.list[0].name") == "lost"
    page.run("document.activeElement.blur(); page.viewport.mark('a', null)")
    x = page.run("return arguments_[0] / page.viewport.duration * page.charts[0].canvas.clientWidth", at)
    box = page.chart()
    page.browser.move(round(box["x"] + x), round(box["y"] + box["height"] - 4))
    page.browser.until("document.getElementById('tip').textContent.includes('lost')", "the bookmark is told")
    page.shoot("bookmarks")
    page.run("page.viewport.show(0, page.viewport.duration / 10)")
    page.run("document.querySelector('#bookmarks .bookmarks button').click()")
    assert page.get("page.viewport.a") == at and page.get("page.viewport.from") <= at <= page.get("page.viewport.to")
    page.run("document.querySelector('#bookmarks .bookmarks button:last-child').click()")
    page.browser.until("page.bookmarks.list.length === 0")
    page.browser.type(ESCAPE)


def shows_arrows(page):
    """Zoomed in, arrows join rows; they have their colour on the canvas, are told, and can be switched off."""
    page.open(TREE)
    found = page.run("""
        const { json } = await import("/api.js");
        const { duration } = page.viewport;
        for (let parts = 8; parts <= 1 << 22; parts *= 2) {
            const [from, to] = [Math.floor(duration / 2), Math.floor(duration / 2 + duration / parts)];
            const { all, arrows } = await json("arrows", { ...page.charts[0].parameters, from, to, pixels: 1000 });
            if (all && arrows.length > 0 && arrows.length < 100) {
                page.viewport.show(from, to);
                return arrows.filter((arrow) => arrow.from !== arrow.to).length;
            }
        }""")
    assert found, "no range with a few arrows"
    page.browser.until("page.charts[0].arrows.isComplete && page.charts[0].arrows.arrows.length > 0")
    page.run("""
        const chart = page.charts[0];
        const near = chart.arrows.arrows.find((one) => one.from !== one.to && one.start > page.viewport.from && one.end < page.viewport.to);
        if (near)
            chart.scrollTo(chart.top + chart.middleOf(near.from) - 40);""")
    page.ready()
    place = page.run("""
        const chart = page.charts[0], { clientWidth: width, clientHeight: height } = chart.canvas;
        for (let y = 1; y < height; y += 1)
            for (let x = 1; x < width; x += 2) {
                const text = chart.arrows.textAt(x, y);
                if (text)
                    return { x, y, text };
            }
        return null;""")
    assert place and " → " in place["text"], place
    box = page.chart()
    page.browser.move(round(box["x"] + place["x"]), round(box["y"] + place["y"]))
    page.browser.until("document.getElementById('tip').textContent.includes(' → ')", "the arrow is told")
    page.shoot("arrows")
    order = page.run("""const own = CanvasRenderingContext2D.prototype, { stroke, fillText } = own, called = [], { canvas } = page.charts[0];
        own.stroke = function (...path) { if (this.canvas === canvas) called.push(path[0] instanceof Path2D ? "arrow" : "stroke"); return stroke.apply(this, path); };
        own.fillText = function (...text) { if (this.canvas === canvas) called.push("text"); return fillText.apply(this, text); };
        page.charts[0].draw();
        await rest();
        Object.assign(own, { stroke, fillText });
        return called;""")
    assert "arrow" in order and "text" not in order[:order.index("arrow")], "texts lie over the arrows"
    pixels = "page.charts[0].canvas.toDataURL()"
    with_arrows = page.get(pixels)
    page.run("page.charts[0].arrowsButton.click()")
    assert page.get(pixels) != with_arrows
    assert page.run("return page.charts[0].arrows.textAt(...arguments_)", place["x"], place["y"]) is None
    page.run("page.charts[0].arrowsButton.click()")
    page.run("page.viewport.show(0, page.viewport.duration)")
    page.browser.until("page.charts[0].isComplete && page.charts[0].arrows.isComplete")


def shows_gaps(page):
    """Where events are lost there is a band over every chart, in the colour of what is bad, and it is told."""
    page.browser.open("about:blank")
    page.browser.open(page.server.url)
    page.browser.until("window.page?.viewport.overlays[0].bands.length > 0", "the bands are there")
    band = page.get("page.viewport.overlays[0].bands[0]")
    assert band["text"].startswith("7 events lost"), band
    x = page.run("const { from, span } = page.viewport; return (arguments_[0] + 10 - from) / span * page.charts[0].canvas.clientWidth",
                         band["from"])
    box = page.run("return page.charts[0].canvas.getBoundingClientRect().toJSON()")
    column = page.run("""
        const { canvas } = page.charts[0], ratio = canvas.width / canvas.clientWidth;
        return [...canvas.getContext("2d").getImageData(arguments_[0] * ratio, 0, 1, canvas.height).data];""", x)
    reddish = [at for at in range(0, len(column), 4) if column[at + 3] > 0 and column[at] > column[at + 1] + 20]
    assert len(reddish) > len(column) / 4 / 8, "the band has its hatching"
    page.browser.move(round(box["x"] + x), round(box["y"] + box["height"] - 5))
    page.browser.until("document.getElementById('tip').textContent.includes('7 events lost')", "the band is told")
    # On the strip of the whole trace it stays where it is while the charts show a range without it.
    page.run("page.viewport.show(page.viewport.duration / 2, page.viewport.duration)")
    page.browser.until("page.viewport.overlays[0].whole.length > 0 && page.charts[0].isComplete", "the bands of the whole")
    column = page.run("""
        const canvas = document.querySelector("#overview canvas"), context = canvas.getContext("2d");
        const x = (arguments_[0] + 10) / page.viewport.duration * canvas.width;
        return [...context.getImageData(Math.max(x - 6, 0), 0, 12, canvas.height).data];""", band["from"])
    assert any(column[at + 3] > 100 and column[at] > column[at + 1] + 60 for at in range(0, len(column), 4)), "the whole trace has it too"
    page.shoot("gaps")


def shows_what_is_unknown(page):
    """Where it is not known who had the CPUs, the usage is hatched up to what it may have been, and says so."""
    page.open()
    page.browser.until("document.getElementById('usage-scale').textContent.endsWith('; hatched: unknown')", "it is said")
    unknown, shown = page.run("""
        const canvas = document.querySelector("#usage canvas"), pixels = canvas.width;
        const { curve } = await import("/api.js");
        const answer = await curve("usage", { experiment: page.charts[0].experiment.uuid, from: 0, to: page.viewport.duration, pixels });
        const unknown = [...answer.subarray(pixels)].map((one) => one > 20);
        const { data } = canvas.getContext("2d").getImageData(0, canvas.height - 2, pixels, 1);
        return [unknown, unknown.map((_, x) => data[4 * x + 3] > 0)];""")
    assert any(unknown) and not all(unknown)
    assert all(there for there, wanted in zip(shown, unknown) if wanted), "what is unknown does not look idle"
    page.shoot("unknown")
    page.run("page.charts[0].set({ arrows: false })")
    page.ready()
    x, y = page.run("""
        const chart = page.charts[0], [block] = chart.shown, scale = chart.canvas.clientWidth / block.range.pixels;
        for (let row = 0; row < block.spans.length; row++)
            for (let at = 0; at < block.spans[row].length; at += 6)
                if (block.styles[block.spans[row][at + 2]]?.key === "Unknown" && block.spans[row][at + 1] > 80)
                    return [block.spans[row][at] * scale + 1, row * 18 + 9];""")
    assert page.run(PIXELS, "control-flow", {"x": x, "y": y})[0][:3] == [255, 255, 255], "no line goes through the text"


def shows_calls(page):
    """A program with traced function calls opens with its call stacks; a state is named by its function."""
    page.open()
    assert page.get("page.charts.map((chart) => chart.view.name)") == ["calls"]
    names = [name for name, _ in page.names("calls")]
    assert "(" in names[0] and names[1:3] == ["depth 1", "depth 2"], names
    # Into the first calls that are longer than nothing.
    page.run("""
        const { json } = await import("/api.js");
        const found = await json("search-state", { ...page.charts[0].parameters, text: "Depth == 2", at: 0, position: -1 });
        page.viewport.show(found.start - (found.end - found.start), found.end + 3 * (found.end - found.start));""")
    page.ready()
    run = page.run(WIDE_SPANS, "calls")[0]
    box = page.chart("calls")
    page.browser.move(round(box["x"] + run["x"]), round(box["y"] + run["y"]))
    page.browser.until("document.querySelector('#tip b').textContent.includes('depth')", "the tip says where")
    title = page.get("document.querySelector('#tip b').textContent")
    assert title.startswith("depth") and "0x" not in title, f"{title}: the table of functions lies beside the folder of the trace"
    page.shoot("calls")


TESTS = [counts_states, searches_states, selects_everywhere, keeps_bookmarks, shows_arrows]
LOSSES = [shows_gaps]  # of a trace that has some
DAMAGE = [shows_what_is_unknown]  # of a store without one of its nodes
CALLS = [shows_calls]  # of a program

if __name__ == "__main__":
    plan = [(trace, TESTS) for trace in (SMALL_TRACE, large_trace()) if trace]
    plan.append((SMALL_TRACE.parent / "ctf-made", LOSSES))
    plan.append((SMALL_TRACE, DAMAGE, *SMALL_NODES, damage))
    if calls_trace():
        plan.append((calls_trace(), CALLS))
    sys.exit(main(__doc__, plan))
