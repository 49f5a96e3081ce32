#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page.py HISTREE [SCREENSHOTS] - the page in Debian's headless Chromium: what is in it, and what its pixels are.

Screenshots are kept in the folder SCREENSHOTS, to be looked at; of a quick run, those of what fails.  Where
many-threads lies beside the repository it is shown too.  Needs the packages chromium-headless-shell and
chromium-driver; without them the test is skipped.
"""
import base64
import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import browser
from browser import Browser, CONTROL, DOWN, ENTER, ESCAPE, RIGHT, SHIFT
from serving import QUICK, SMALL_TRACE, Tally, large_trace, serving

SKIP = 77
# Knows in a page what it is waiting for: answers, frames, and what it does a little later.  Runs before the page does.
UNDER_WAY = """
(() => {
    const LATE_MS = 1500; // what is as late as that changes no view
    const SHORT_MS = 300; // who waits as long as that waits for a movement to be over
    const REST_MS_MAX = 120e3;
    const underWay = new Map(), timers = new Map();
    const { setTimeout, clearTimeout, requestAnimationFrame, fetch } = window, now = performance.now.bind(performance);
    let last = 0, skipped = 0;
    const begin = (what) => (underWay.set(++last, what), last);
    const until = (what, promise) => {
        const number = begin(what);
        return promise.finally(() => underWay.delete(number));
    };
    const running = (number, run) => (...given) => {
        try {
            run(...given);
        } finally {
            underWay.delete(number);
        }
    };
    performance.now = () => now() + skipped;
    window.setTimeout = (run, ms = 0, ...more) => {
        const number = ms < LATE_MS ? begin(`what is done after ${ms} ms`) : 0, done = running(number, run);
        const due = () => {
            timers.delete(timer);
            done(...more);
        };
        const timer = setTimeout(due, ms);
        timers.set(timer, { number, due, ms, at: performance.now() + ms });
        return timer;
    };
    window.clearTimeout = (timer) => {
        underWay.delete(timers.get(timer)?.number);
        timers.delete(timer);
        clearTimeout(timer);
    };
    window.requestAnimationFrame = (run) => requestAnimationFrame(running(begin("a frame"), run));
    window.fetch = (...asked) => until(`an answer to ${asked[0]}`, fetch(...asked));
    for (const kind of ["json", "arrayBuffer", "text", "blob"]) {
        const read = Response.prototype[kind];
        Response.prototype[kind] = function () { return until("the rest of an answer", read.call(this)); };
    }
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    // Where nothing else is under way nobody moves anything: time goes on to the first timer, if that is a short one.
    const hurry = (awaited) => {
        const [timer, first] = awaited.reduce((one, other) => other[1].at < one[1].at ? other : one);
        if (first.ms > SHORT_MS)
            return;
        skipped += Math.max(first.at - performance.now(), 0);
        clearTimeout(timer);
        first.due();
    };
    // Also that of which the browser tells a page only in a frame, such as sizes: a task comes after all of the frame.
    window.isAtRest = async () => {
        const awaited = () => [...timers].filter(([, { number }]) => number);
        const isStill = () => underWay.size === awaited().length && !window.page?.isLoading;
        const before = last;
        if (!isStill()) {
            await pause(2);
            return false;
        }
        await new Promise((done) => requestAnimationFrame(done));
        await pause(0);
        if (!isStill() || last !== before)
            return false;
        if (underWay.size === 0)
            return true;
        hurry(awaited());
        return false;
    };
    window.rest = async () => {
        const end = now() + REST_MS_MAX;
        while (!(await isAtRest()))
            if (now() > end)
                throw new Error(`the page comes to no rest; under way: ${[...underWay.values()].join(", ")}`);
    };
})();
"""
READY = "window.page?.charts.length > 0 && page.charts.every((chart) => chart.isComplete && !chart.isEarly && chart.total > 0)"
# The colours of pixels of the chart of a view, each in CSS pixels from its top left corner.
PIXELS = """
const [view, ...places] = arguments_;
const chart = page.charts.find((one) => one.view.name === view);
const ratio = chart.canvas.width / chart.canvas.clientWidth, context = chart.canvas.getContext("2d");
return places.map(({ x, y }) => [...context.getImageData(x * ratio, y * ratio, 1, 1).data]);
"""
# Runs of a row that are wide and filled: where they are on the canvas, and the colour that they have.
WIDE_SPANS = """
const [view] = arguments_;
const chart = page.charts.find((one) => one.view.name === view);
const found = [];
for (const block of chart.shown) {
	const scale = chart.canvas.clientWidth / block.range.pixels;
	block.spans.forEach((spans, row) => {
		const y = (block.index * 32 + row) * 18 - chart.top + 9;
		for (let at = 0; at < spans.length && y > 0 && y < chart.height; at += 6)
			if (spans[at + 1] >= 6 && spans[at + 2] !== 0xffff && spans[at + 3] !== 2)
				found.push({ x: (spans[at] + spans[at + 1] - 2) * scale, y, colour: block.styles[spans[at + 2]].light, row });
	});
}
return found;
"""


TREE = '#control-flow={"sort":"tree"}'


class Page:
    def __init__(self, server, view, shots):
        self.browser, self.server, self.shots = view, server, shots
        self.opened = 0

    def open(self, fragment=""):
        """Anew, as no two addresses are the same but for what follows their #."""
        self.opened += 1
        self.browser.open(f"{self.server.url}?{self.opened}{fragment}")
        self.ready()

    def ready(self):
        self.browser.until(READY, "every chart is complete")
        self.rest()

    def rest(self):
        """What was done has had all of its effects: nothing is asked for, to be drawn, or done a little later."""
        self.browser.run("await rest()")

    def run(self, script, *arguments):
        """The value of a script that begins when the page is at rest: what it reads, changes by itself no more."""
        return self.browser.run(f"await rest(); {script}", *arguments)

    def get(self, expression):
        return self.run(f"return {expression}")

    def shoot(self, name, is_at_rest=True):
        """In a quick run only what fails is shot: a picture takes longer than most questions."""
        if self.shots and not QUICK:
            if is_at_rest:
                self.rest()
            self.picture(name)

    def picture(self, name):
        if self.shots:
            self.shots.mkdir(parents=True, exist_ok=True)
            self.browser.screenshot(self.shots / f"{name}.png")

    def chart(self, view="control-flow"):
        """Where the canvas of a view is."""
        return self.run("""
            const box = page.charts.find((one) => one.view.name === arguments_[0]).canvas.getBoundingClientRect();
            return { x: box.x, y: box.y, width: box.width, height: box.height };""", view)

    def point(self, across=0.5, down=0.5, view="control-flow"):
        box = self.chart(view)
        return round(box["x"] + across * box["width"]), round(box["y"] + down * box["height"])

    def drawn_texts(self, script):
        """The texts that are drawn on canvases while a script runs, which knows them as `drawn`."""
        return self.run(f"""const drawn = [], own = CanvasRenderingContext2D.prototype.fillText;
            CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {{ drawn.push(text); return own.call(this, text, ...more); }};
            try {{
                {script}
                await rest();
            }} finally {{
                CanvasRenderingContext2D.prototype.fillText = own;
            }}
            return drawn;""")

    def names(self, view="control-flow"):
        return self.run("""
            const chart = page.charts.find((one) => one.view.name === arguments_[0]);
            return [...chart.names.children].filter((name) => !name.hidden)
                .map((name) => [name.children[1].textContent, name.children[2].textContent]);""", view)


def shows_rows(page):
    """Both views of a kernel trace are there, with names on the left and colours of their states on the right."""
    page.open()
    assert page.get("page.charts.map((chart) => chart.view.name)") == ["control-flow", "resources"]
    names = page.names()
    assert len(names) >= 5 and all(name != "…" for name, _ in names), names
    assert ["CPU 0", ""] in page.names("resources")
    # They lie over the states, as do texts.
    page.run("CanvasRenderingContext2D.prototype.fillText = () => {}; for (const chart of page.charts) chart.set({ arrows: false })")
    page.ready()
    for view in "control-flow", "resources":
        spans = page.run(WIDE_SPANS, view)
        assert spans, f"no wide span in {view}"
        for span, pixel in zip(spans, page.run(PIXELS, view, *spans[:20])):
            assert "#" + "".join(f"{byte:02x}" for byte in pixel[:3]) == span["colour"], (view, span, pixel)
    page.open()
    page.shoot("rows")


def no_short_state_vanishes(page):
    """Where a pixel holds several states there is a mark at its foot."""
    page.open()
    found = page.run("""
        const chart = page.charts[0];
        const block = chart.shown[0];
        for (let row = 0; row < block.spans.length; row++) {
            const spans = block.spans[row];
            for (let at = 0; at < spans.length; at += 6)
                if (spans[at + 3] === 1)
                    return { x: (spans[at] + 0.5) * chart.canvas.clientWidth / block.range.pixels, y: row * 18 + 17 };
        }""")
    assert found, "no pixel of the picture has several states"
    page.run("page.charts[0].scrollTo(Math.max(0, arguments_[0] - 40))", found["y"])
    top = page.get("page.charts[0].top")
    assert page.run(PIXELS, "control-flow", {"x": found["x"], "y": found["y"] - top})[0][3] == 255


def zooms_and_pans(page):
    page.open()
    whole = page.get("page.viewport.span")
    x, y = page.point(0.25, 0.5)
    at = page.run("return page.charts[0].timeAt(arguments_[0])", x)
    page.browser.wheel(x, y, -500, CONTROL)
    span = page.get("page.viewport.span")
    assert span < whole / 2, "it is zoomed in"
    assert abs(page.run("return page.charts[0].timeAt(arguments_[0])", x) - at) <= span / 100, "zooms at the pointer"
    page.shoot("zoomed")
    for keys, check in (("d", lambda a, b: b > a), ("a", lambda a, b: b < a)):
        before = page.get("page.viewport.from")
        page.browser.type(keys)
        assert check(before, page.get("page.viewport.from")), keys
    before = page.get("page.viewport.span")
    page.browser.type("w")
    assert page.get("page.viewport.span") < before
    page.browser.type("s")
    assert abs(page.get("page.viewport.span") - before) <= 2
    before = page.get("page.viewport.from")
    page.browser.drag(*page.point(0.3), *page.point(0.5), CONTROL)
    assert page.get("page.viewport.from") < before, "Ctrl and a drag to the right show earlier times"
    scale = page.get("document.getElementById('usage-scale').textContent")
    before = page.get("page.viewport.span")
    page.browser.drag(*page.point(0.4), *page.point(0.6), SHIFT)
    assert abs(page.get("page.viewport.span") / before - 0.2) < 0.02, "Shift and a drag zoom to what is dragged over"
    page.run("page.viewport.show(0, page.viewport.duration / 1e4)")
    assert int(page.get("document.getElementById('usage-scale').textContent").split()[2]) >= int(scale.split()[2]), "the scale stands still"
    page.browser.type("0")
    assert page.get("page.viewport.span") == whole


def marks_and_jumps(page):
    page.open()
    page.browser.click(*page.point(0.25))
    page.browser.click(*page.point(0.75), SHIFT)
    a, b = page.get("page.viewport.a"), page.get("page.viewport.b")
    assert abs((b - a) / page.get("page.viewport.duration") - 0.5) < 0.01
    assert "B − A" in page.get("document.getElementById('markers').textContent")
    page.browser.type("z")
    assert page.get("page.viewport.from") == a and page.get("page.viewport.to") == b
    page.browser.type(ESCAPE)
    assert page.get("page.viewport.a") is None
    page.run("document.getElementById('jump-text').focus()")
    page.browser.type("+1.5ms" + ENTER)
    assert page.get("page.viewport.a") == 1500000
    assert page.get("page.viewport.from") <= 1500000 <= page.get("page.viewport.to")
    page.run("document.getElementById('jump-text').blur()")


def hover_tells(page):
    page.open(TREE)
    run = page.run(WIDE_SPANS, "control-flow")[0]
    box = page.chart()
    page.browser.move(round(box["x"] + run["x"]), round(box["y"] + run["y"]))
    page.browser.until("!document.getElementById('tip').hidden &&"
                       " [...document.querySelectorAll('#tip th')].some((one) => one.textContent === 'for')", "the state is told")
    text = page.get("document.getElementById('tip').innerText")
    assert " — " in text and "from" in text and "tid" in text, text
    page.shoot("hover")


def selects_and_steps(page):
    """Arrow keys choose rows, and go from state to state of the row that is chosen."""
    page.open()
    page.browser.click(*page.point(0.01, 0.05))
    row = page.get("page.charts[0].chosen")
    page.browser.type(DOWN)
    assert page.get("page.charts[0].chosen") == row + 1
    before = page.get("page.viewport.a")
    page.browser.type(RIGHT)
    after = page.get("page.viewport.a")
    assert after != before
    state = page.run("return await page.charts[0].state(page.charts[0].chosenRow, arguments_[0])", after)
    assert state["start"] == after or after == page.get("page.viewport.duration"), "a state begins there"
    page.browser.type("p")
    assert page.get("page.viewport.a") < after, "where nothing is searched, to the state before"
    page.browser.type("pnn")
    assert page.get("page.viewport.a") == after, "and to the next ones"


def searches(page):
    page.open(TREE)
    wanted = page.names()[-1][0]
    page.browser.type("/")
    page.browser.type(wanted + ENTER)
    position = page.get("page.charts[0].chosen")
    assert position >= 0 and wanted in page.get("page.charts[0].infoAt(page.charts[0].chosen).name")
    page.browser.type(ESCAPE + "n")
    page.browser.until("/^[\\d,]+ of [\\d,]+$/.test(document.getElementById('search-result').textContent)", "hits are counted")
    page.browser.type("/")
    page.run("document.getElementById('search-text').value = ''")
    page.browser.type("no such thread" + ENTER)
    page.browser.until("document.getElementById('search-result').textContent === 'nothing found'")
    assert page.get("page.charts[0].chosen") == position, "the row that was found before stays chosen"
    page.browser.type(ESCAPE)


def sorts_filters_and_folds(page):
    page.open(TREE)
    total = page.get("page.charts[0].total")
    page.run("page.charts[0].set({ sort: 'cpu' })")
    cpu = page.get("[0, 1, 2].map((position) => page.charts[0].infoAt(position).cpu)")
    assert cpu == sorted(cpu, reverse=True) and cpu[0] > 0, cpu
    page.shoot("by-cpu")
    page.run("page.charts[0].set({ sort: 'tid' })")
    tid = page.get("[0, 1, 2, 3].map((position) => page.charts[0].infoAt(position).tid)")
    assert tid == sorted(tid), tid
    page.run("page.charts[0].set({ sort: 'tree', folded: true })")
    assert page.get("page.charts[0].total") < total, "folding hides rows"
    folded = page.get("page.charts[0].shown[0].rows.find((row) => row.below > 0)")
    page.run("page.charts[0].toggle(arguments_[0])", folded)
    assert page.get(f"page.charts[0].shown[0].rows.find((row) => row.row === {folded['row']}).folded") is False
    name = page.get("page.charts[0].shown[0].rows.find((row) => row.name !== '').name")
    page.run("page.charts[0].set({ folded: false, toggled: [], filter: arguments_[0] })", name)
    assert page.get("page.charts[0].total") < total and page.get("page.charts[0].shown[0].rows.length") >= 1


def remembers_in_the_address(page):
    page.open()
    page.browser.wheel(*page.point(), -700, CONTROL)
    page.run("page.charts[0].set({ sort: 'first' }); page.viewport.mark('a', page.viewport.from + 10); page.viewport.setDark(true)")
    page.browser.until("location.hash.includes('first') && location.hash.includes('dark')")
    hash_, span = page.get("location.hash"), page.get("page.viewport.span")
    page.open(hash_)
    assert page.get("page.viewport.span") == span
    assert page.get("page.charts[0].settings.sort") == "first"
    assert page.get("page.viewport.a") == page.get("page.viewport.from") + 10
    assert page.get("document.documentElement.className") == "dark"
    page.shoot("dark")


def is_light_and_dark(page):
    page.open()
    ground = "getComputedStyle(document.body).backgroundColor"
    page.run("page.viewport.setDark(false)")
    light = page.get(ground)
    page.run("document.getElementById('theme').click()")
    assert page.get(ground) != light
    page.run("page.viewport.setDark(false)")


def saves(page):
    """The SVG has a rectangle for each filled run in view, the CSV a line, the PNG pixels."""
    page.open()
    counts = page.run("""
        const { svg, csv } = await import("/save.js");
        const picture = new DOMParser().parseFromString(svg(page.charts, page.viewport), "image/svg+xml");
        if (picture.querySelector("parsererror"))
            throw new Error("the SVG is not XML");
        const lines = csv(page.charts, page.viewport).trimEnd().split("\\r\\n");
        return { rectangles: picture.querySelectorAll("rect").length - 1, lines: lines.length - 1, first: lines[0], line: lines[1] };""")
    assert counts["rectangles"] == counts["lines"] > 10, counts
    assert counts["first"] == "view,row,tid,from,to,state,text,others"


def saves_the_span(page):
    """The file of Perfetto is what the command writes of the span, and the store has its times; one that is there is kept."""
    page.open()
    page.run("page.viewport.mark('a', page.viewport.duration * 0.4); page.viewport.mark('b', page.viewport.duration * 0.5)")
    first, last = page.get("[page.viewport.selected.from, page.viewport.selected.to - 1].map((at) => String(page.viewport.start + BigInt(at)))")
    store = next(page.server.folder.glob("*.histree"))
    wanted = subprocess.run([sys.argv[1], "export", store, "--format", "perfetto", "--from", first, "--to", last, "-o", "-"], check=True, capture_output=True).stdout
    saved = page.run("""const offered = [], own = URL.createObjectURL;
        URL.createObjectURL = (blob) => (offered.push(blob), own.call(URL, blob));
        await (await import("/save.js")).save("perfetto", page.charts[0].experiment, page.charts, page.viewport);
        URL.createObjectURL = own;
        return btoa([...new Uint8Array(await offered[0].arrayBuffer())].map((byte) => String.fromCharCode(byte)).join(""));""")
    assert base64.b64decode(saved) == wanted and len(wanted) > 100, (len(saved), len(wanted))
    save = "const choice = document.getElementById('export'); choice.value = 'store'; choice.onchange()"
    page.run(save)
    said = page.browser.until("document.querySelector('#warning.is-news span')?.textContent")
    cut = pathlib.Path(said.split(": ", 1)[1])
    try:
        info = json.loads(subprocess.run([sys.argv[1], "info", cut, "--format", "json"], check=True, capture_output=True).stdout)
        assert [str(info[0][name]) for name in ("start", "end")] == [first, last], info
        page.run(save)
        page.browser.until("document.getElementById('error').textContent.includes('exists')", "it is not replaced")
        assert "--force" not in page.get("document.getElementById('error').textContent"), "a page has no options"
    finally:
        shutil.rmtree(cut)
    page.run("document.getElementById('error').hidden = true; document.querySelector('#warning button').click()")


def tells_errors(page):
    page.open()
    page.run("page.charts[0].set({ sort: 'no such order' })")
    page.browser.until("!document.getElementById('error').hidden && document.getElementById('error').textContent.includes('sort')", "the error is said")
    page.open()


def runs_nothing_foreign(page):
    """Markup that came into the page would run no script, take no style and ask no other server."""
    page.open()
    said = page.get("""(() => {
        const made = document.createElement("div");
        made.innerHTML = "<b style='position: fixed'>x</b><img src='http://127.0.0.1:9/x.png' onerror='window.owned = 1'>";
        const script = Object.assign(document.createElement("script"), { textContent: "window.owned = 1" });
        document.body.append(made, script);
        const position = getComputedStyle(made.firstChild).position;
        made.remove();
        script.remove();
        return [position, window.owned === undefined];
    })()""")
    assert said == ["static", True], said
    page.run("window.refused = null; fetch('http://127.0.0.1:9/').catch((error) => { window.refused = String(error); })")
    page.browser.until("window.refused")
    assert any("Content Security Policy" in line for line in page.browser.log()), "nothing was refused by the policy"


def has_legend_and_views(page):
    page.open()
    page.run("document.getElementById('legend-button').click()")
    page.browser.until("document.querySelectorAll('#legend .swatch').length > 5")
    page.shoot("legend")
    page.run("[...document.getElementById('panes').children].find((one) => one.textContent === 'Attributes').click()")
    page.browser.until("page.charts.length === 3")
    page.ready()
    assert page.names("attributes")
    page.shoot("attributes")


def tells_what_is_drawn(page):
    """Who does not see a canvas is told what it shows, behind each tab."""
    page.open()
    for title in page.get("[...document.querySelectorAll('#tabs button')].map((one) => one.textContent)"):
        press_view(page, title)
        page.browser.until(f"page.panels.some(({{ root }}) => root.isConnected && !root.hidden) && document.querySelector('#tabs [aria-selected=true]')?.textContent === {title!r}")
        silent = page.run("return [...document.querySelectorAll('canvas')].filter((one) => one.getAttribute('role') !== 'img' || !one.ariaLabel).map((one) => one.outerHTML)")
        assert silent == [], (title, silent)
    assert page.get("document.querySelectorAll('canvas').length") >= 6


def press_view(page, title):
    page.run("[...document.querySelectorAll('#panes button, #tabs button')].find((one) => one.textContent === arguments_[0]).click()", title)


EVENT_LINES = """return [...document.querySelectorAll('.line')].filter((line) => !line.hidden)
    .map((line) => [line.number, ...[...line.children].map((cell) => cell.textContent)]);"""


def lists_events(page):
    """Lines of the table follow marker A, and a click on a line sets it; a search goes from match to match."""
    page.open()
    press_view(page, "Events")
    page.browser.until("page.panels[0]?.isComplete")
    total = page.get("page.panels[0].total")
    about = "" if total <= 16384 else ", each column to within 64"
    page.browser.until(f"document.getElementById('overview-what').textContent === 'events{about}'", "it says how exact the counts are")
    lines = page.run(EVENT_LINES)
    assert [line[0] for line in lines] == list(range(len(lines))) and len(lines) >= 3, lines
    assert all(line[3] for line in lines)
    page.run("page.panels[0].list.scrollTop = 1e9")
    page.browser.until(f"[...document.querySelectorAll('.line')].some((line) => line.number === {total - 1} && line.content)",
                       "the last line is shown")
    page.run("page.viewport.mark('a', page.viewport.duration / 2)")
    page.browser.until("page.panels[0].isComplete && page.panels[0].chosen > 0 && document.querySelector('.line.chosen')")
    chosen = page.get("document.querySelector('.line.chosen').content.time")
    before = page.get("page.panels[0].chosen")
    assert chosen >= page.get("page.viewport.a") and 0 < before < total - 1
    page.run("document.querySelector('.line.chosen').nextSibling.click()")
    assert page.get("page.panels[0].chosen") == before + 1
    assert page.get("page.viewport.a") >= chosen
    page.run("page.viewport.mark('a', page.viewport.duration / 4); page.viewport.mark('b', page.viewport.duration / 2)")
    wanted = page.run("const { experiment, viewport } = page.panels[0], { from, to } = viewport.selected, api = await import('./api.js');"
                      "return (await api.json('event-types', { experiment: experiment.uuid, from, to: to - 1 })).reduce((all, one) => all + one.count, 0)")
    assert page.get("page.panels[0].what.textContent") == f"{wanted:,} of {total:,} events between the markers", page.get("page.panels[0].what.textContent")
    assert page.get("document.querySelector('.line.chosen').classList.contains('selected')"), "those of the selected span stand out"
    page.run("page.viewport.mark('b', null)")
    before = page.get("page.panels[0].chosen")
    page.run("page.panels[0].search.value = '^sched_switch$|^sched:sched_switch$'; return page.panels[0].find(false)")
    page.browser.until("page.panels[0].isComplete && /switch$/.test(document.querySelector('.line.chosen')?.children[2].textContent)")
    assert page.get("page.panels[0].chosen") > before + 1
    page.browser.until("location.hash.includes('events')", "the address says that events are shown")
    page.shoot("events")


def counts_types(page):
    """Events by type are those of the visible range, or those between the markers."""
    page.open()
    press_view(page, "Event types")
    page.browser.until("page.panels[0]?.isComplete")
    rows = "[...page.panels[0].body.rows].map((row) => [...row.cells].map((cell) => cell.textContent))"
    number = lambda text: int(text.replace(",", ""))
    all_rows = page.get(rows)
    assert sum(number(row[1]) for row in all_rows) == sum(number(row[3]) for row in all_rows) > 0
    page.run("const { duration } = page.viewport; page.viewport.mark('a', duration / 4); page.viewport.mark('b', duration / 2)")
    page.browser.until("page.panels[0].isComplete && page.panels[0].what.textContent.includes('markers')")
    some = page.get(rows)
    assert 0 < sum(number(row[1]) for row in some) < sum(number(row[1]) for row in all_rows)
    page.shoot("types")


def shows_the_tree(page):
    """Each node is where it is drawn; a click says what is in it, and its time can be shown everywhere."""
    page.open("#views=control-flow,structure")
    page.browser.until("page.panels[0]?.isComplete && page.panels[0].tree")
    positions = page.run("""
        const panel = page.panels[0], box = panel.canvas.getBoundingClientRect();
        return Array.from({ length: panel.tree.count }, (_, i) => {
            const [x, y] = panel.positionOf(i);
            const pixel = panel.canvas.getContext("2d").getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data;
            return { x: x + box.x, y: y + box.y, found: panel.nodeAt(x, y), alpha: pixel[3] };
        });""")
    for i, position in enumerate(positions):
        assert position["found"] == i and position["alpha"] == 255, (i, position)
    page.browser.click(round(positions[-1]["x"]), round(positions[-1]["y"]))
    assert page.get("page.panels[0].chosen") == len(positions) - 1
    assert page.get("document.querySelector('.details h2').textContent") == f"Node {page.get('page.panels[0].tree.number.at(-1)')}"
    page.run("[...document.querySelectorAll('.details button')].find((one) => one.textContent === 'Show its time').click()")
    start, end = page.run("const { tree, chosen } = page.panels[0]; return [tree.start[chosen], tree.end[chosen]]")
    assert page.get("page.viewport.from") >= start - 20 and page.get("page.viewport.to") <= end + 20
    page.shoot("structure")


def shows_walls_of_nodes(page):
    """So many nodes that a level is a wall: each has its colour where it is drawn, and is found there; the picture has the
    shape of its canvas; a click chooses one, and so does one when it is zoomed in."""
    page.open("#views=control-flow,structure")
    page.browser.until("page.panels[0]?.isComplete && page.panels[0].tree")
    seen = page.run("""
        const panel = page.panels[0], { tree, canvas } = panel, context = canvas.getContext("2d");
        const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
        const wrong = [];
        for (let i = 0; i < tree.count; i++) {
            if (tree.levels[tree.height[i]].rows === 1)
                continue; // those above the middle of their children may be close to each other
            const [x, y] = panel.positionOf(i), at = 4 * (Math.floor(y * devicePixelRatio) * width + Math.floor(x * devicePixelRatio));
            const isFull = tree.used[i] > 0.97 * tree.nodeSize, isRed = tree.used[i] < 0.1 * tree.nodeSize;
            const [red, green, , alpha] = data.subarray(at, at + 4);
            if (alpha !== 255 || panel.nodeAt(x, y) !== i || (isFull && green < red) || (isRed && red < green))
                wrong.push([i, x, y, red, green, alpha, panel.nodeAt(x, y)]);
        }
        return { wrong, leaf: tree.height.lastIndexOf(0), rows: tree.levels[0].rows, wide: tree.width / tree.levels[0].bottom,
                 canvas: canvas.clientWidth / canvas.clientHeight };""")
    assert seen["rows"] > 1 and not seen["wrong"], seen["wrong"][:5]
    assert seen["wide"] > 0.9 * seen["canvas"], seen

    def click_leaf():
        x, y = page.run("""const panel = page.panels[0], box = panel.canvas.getBoundingClientRect();
            const [x, y] = panel.positionOf(arguments_[0]); return [x + box.x, y + box.y];""", seen["leaf"])
        page.browser.click(round(x), round(y))
        return round(x), round(y)

    x, y = click_leaf()
    assert page.get("page.panels[0].chosen") == seen["leaf"]
    page.shoot("walls")
    page.browser.wheel(x, y, -1000)
    click_leaf()
    assert page.get("page.panels[0].chosen") == seen["leaf"]
    page.shoot("walls-zoomed")


def times_by_other_clocks(page):
    """UTC, the day of this machine, since the start, which is also what a trace without a day is shown by, or since marker A."""
    page.open()
    label = "document.getElementById('axis-label').textContent"
    assert page.get(label).endswith(" UTC")
    page.browser.click(*page.point(0.5))
    said = []
    for wanted in "local", "time since the start", "time since A", "UTC":
        page.browser.type("t")
        page.browser.until(f"{label}.endsWith('{wanted}')")
        said.append(page.run("const time = await import('./time.js'); return [time.clock(page.viewport.start, page.viewport.a),"
                                     "time.parse(time.clock(page.viewport.start, page.viewport.a), page.viewport.start) - page.viewport.a]"))
    assert said[1][0].startswith("+0.") and said[2][0] == "+0.000000000 s" and all(off == 0 for _, off in said), said
    plain = page.run("""const time = await import('./time.js'), { start, a } = page.viewport;
        return [String(start + BigInt(a)), `+${a}`, `+${a}ns`].map((text) => time.parse(text, start) - a).concat(time.parse("500", 100n));""")
    assert plain == [0, 0, 0, 400], "nanoseconds since the epoch, of any trace, and after the start"
    dated = page.run("""const time = await import('./time.js'), { start, a } = page.viewport;
        return time.parse(`${time.date(start, a)} ${time.clock(start, a)}`, start) - a;""")
    assert dated == 0, "a date and a time"
    page.run("(await import('./time.js')).setClock('since A')")
    told = page.run("""const time = await import('./time.js'), { start, a } = page.viewport;
        return [a + 1500, a - 1500].map((at) => [time.clock(start, at), time.parse(time.clock(start, at), start) - at]);""")
    assert told == [["+0.000001500 s", 0], ["−0.000001500 s", 0]], told
    page.run("(await import('./time.js')).setClock('UTC')")
    usual = "const time = await import('./time.js'); return [time.usualClock(5n), time.usualClock(1457113582794565804n)]"
    assert page.run(usual) == ["since start", "UTC"]


def walks_along_arrows(page):
    page.open(TREE)
    page.run("page.viewport.show(page.viewport.duration / 3, page.viewport.duration / 3 + 1e6)")
    page.browser.until("page.charts[0].arrows.isComplete && page.charts[0].arrows.arrows.length > 0")
    arrow = page.run("const { arrows } = page.charts[0].arrows;"
                             "return arrows.reduce((first, one) => one.start < first.start ? one : first)")
    page.run("page.charts[0].choose(arguments_[0]); page.viewport.mark('a', arguments_[1])", arrow["from"], arrow["start"])
    page.browser.type("]")
    page.browser.until(f"page.charts[0].chosen === {arrow['to']} && page.viewport.a === {arrow['end']}")
    page.browser.until("page.charts[0].arrows.isComplete")
    page.browser.type("[")
    page.browser.until(f"page.charts[0].chosen !== {arrow['to']}")
    back = page.get("[page.charts[0].chosen, page.viewport.a]")
    assert back[1] <= arrow["end"] and page.run(
        "return page.charts[0].arrows.arrows.some((one) => one.from === arguments_[0] && one.start === arguments_[1])", *back), back


def numbers_with_units(page):
    page.open()
    said = page.run("const { withUnit } = await import('./charts_panel.js');"
                            "return [[25e6, 'B/s'], [2.4e9, 'Hz'], [25e6, ''], [3, 'tasks'], [80, '%'], [12, 'B']].map((one) => withUnit(...one))")
    assert said == ["25 MB/s", "2.4 GHz", "25 M", "3 tasks", "80 %", "12 B"], said


def fits_narrow_windows(page):
    """The bar at the top is one line of controls beside each other, none of them cut off, while states are searched too."""
    page.open("#views=control-flow")
    page.run("""const kind = document.getElementById("search-kind");
        kind.value = "states"; kind.dispatchEvent(new Event("change"));""")
    try:
        for width in (1000, 1100, 1200, 1201, 1280, 1360, 1361, 1500, 1650, 1651, 1900):
            page.browser.resize(width, 700)
            page.browser.until(f"innerWidth === {width}")
            bar = page.run("""
                const header = document.querySelector("header");
                const controls = [...header.querySelectorAll("button, select, input")].filter((one) => one.offsetWidth > 0);
                return { inner: innerWidth, height: header.offsetHeight, controls: controls.map((one) => {
                    const { left, right, width } = one.getBoundingClientRect();
                    const isCut = one.tagName === "BUTTON" && one.scrollWidth > one.clientWidth;
                    return { name: one.id || one.textContent, left, right, width, isCut };
                }) };""")
            assert bar["inner"] == width and bar["height"] < 45, bar
            places = bar["controls"]
            assert len(places) > 14 and places[-1]["right"] <= width
            for one, next_one in zip(places, places[1:]):
                assert one["right"] <= next_one["left"] + 0.5 and one["width"] > 12 and not one["isCut"], (width, one, next_one)
            page.shoot(f"bar-{width}")
    finally:
        page.browser.resize(1500, 900)


TESTS = [fits_narrow_windows, shows_rows, no_short_state_vanishes, zooms_and_pans, marks_and_jumps, hover_tells, selects_and_steps, searches,
         sorts_filters_and_folds, remembers_in_the_address, is_light_and_dark, saves, saves_the_span, tells_errors, runs_nothing_foreign,
         has_legend_and_views, lists_events, counts_types, shows_the_tree, times_by_other_clocks, walks_along_arrows,
         numbers_with_units, tells_what_is_drawn]


class Visit:
    """What a program of page tests works with: a browser, an empty folder, and how many tests passed."""

    def __init__(self, view, folder):
        self.view, self.folder, self.tally = view, folder, Tally()
        self.shots = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else None

    @contextlib.contextmanager
    def page(self, server, shots=".", kind=Page):
        """The page of a server, which shoots into that folder; left before the server ends."""
        yield kind(server, self.view, self.shots / shots if self.shots else None)
        self.view.open("about:blank")

    def run(self, page, *tests, of=""):
        """A test that fails leaves a picture, and the others are run all the same."""
        for test in tests:
            if not self.tally.run(f"{of}{test.__name__}", lambda: test(page)):
                page.picture(f"failed-{test.__name__}")


def visiting(description, tests):
    """The exit status of a program whose tests(visit) need a browser."""
    if len(sys.argv) not in (2, 3):
        sys.exit(description)
    if not browser.is_here():
        print("skipped: needs a browser (apt-get install chromium-headless-shell chromium-driver)")
        return SKIP
    view = Browser()
    view.command("Page.addScriptToEvaluateOnNewDocument", {"source": UNDER_WAY})
    with tempfile.TemporaryDirectory() as name:
        visit = Visit(view, pathlib.Path(name))
        try:
            tests(visit)
        finally:
            view.close()
    return visit.tally.finish()


def main(description, plan):
    """Run the tests of a plan, [(trace or several, tests, options of a build, or what prepares its store...)], each on the page of a store of its trace."""
    def run_plan(visit):
        for trace, tests, *options in plan:
            words = [option for option in options if isinstance(option, str)]
            prepare = next((option for option in options if callable(option)), lambda store: None)
            traces = trace if isinstance(trace, tuple) else (trace,)
            name = "-and-".join(one.name for one in traces) or "folder"
            with serving(sys.argv[1], *traces, build_options=words, prepare=prepare) as server, visit.page(server, name) as page:
                visit.run(page, *tests, of=f"{name}: ")
    return visiting(description, run_plan)


if __name__ == "__main__":
    PLAN = [(trace, TESTS, "-a", "kernel,softirq-raises") for trace in (SMALL_TRACE, large_trace()) if trace]
    PLAN.append((SMALL_TRACE, [fits_narrow_windows, tells_what_is_drawn]))  # with the panels of all analyses
    if large_trace():
        PLAN.append((large_trace(), [shows_walls_of_nodes], "--variant", "osht", "--node-size", "4096"))
    sys.exit(main(__doc__, PLAN))
