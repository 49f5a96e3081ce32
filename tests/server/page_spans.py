#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_spans.py HISTREE [SCREENSHOTS] - traces of spans in the page: processes, threads and tracks by name, spans in rows of
their depth, flows as arrows, counters as lines, times since the start.  Screenshots and what is skipped are as in page.py."""
import json
import pathlib
import sys
import tempfile

from page import PIXELS, main
from serving import SOURCE

CHART = "page.charts[0]"


def trace_of(folder):
    """Two processes that have names, spans in one another, an asynchronous one, a flow and two counters."""
    events = [{"ph": "M", "name": "process_name", "pid": pid, "tid": pid, "args": {"name": name}} for pid, name in ((10, "browser"), (20, "renderer"))]
    events += [{"ph": "M", "name": "thread_name", "pid": pid, "tid": pid, "args": {"name": "main"}} for pid in (10, 20)]
    for pid in 10, 20:
        events += [{"ph": "X", "name": "frame", "pid": pid, "tid": pid, "ts": 100, "dur": 700},
                   {"ph": "X", "name": "layout", "pid": pid, "tid": pid, "ts": 200, "dur": 400}]
    events += [{"ph": "b", "cat": "c", "id": 1, "name": "load", "pid": 10, "ts": 300}, {"ph": "e", "cat": "c", "id": 1, "name": "load", "pid": 10, "ts": 900}]
    events += [{"ph": "s", "cat": "f", "id": 2, "name": "paint", "pid": 10, "tid": 10, "ts": 250},
               {"ph": "f", "cat": "f", "id": 2, "name": "paint", "pid": 20, "tid": 20, "ts": 500, "bp": "e"},
               {"ph": "i", "name": "tick", "pid": 10, "tid": 10, "ts": 450, "s": "t"}, {"ph": "i", "name": "gc", "pid": 20, "ts": 600, "s": "p"}]
    # Two of one name at a time are in two lanes; what names neither process nor thread has a row too.
    events += [{"ph": "b", "cat": "c", "id": 3, "name": "load", "pid": 10, "ts": 400}, {"ph": "e", "cat": "c", "id": 3, "name": "load", "pid": 10, "ts": 800},
               {"ph": "X", "name": "nobody's", "ts": 100, "dur": 300},
               {"ph": "X", "name": "a name that is too long for its span", "pid": 10, "tid": 10, "ts": 820, "dur": 50}]
    events += [{"ph": "X", "name": "step", "pid": 20, "tid": 21, "ts": 10 * i, "dur": 9.9} for i in range(30, 90)]
    for ts in range(0, 1000, 100):
        events += [{"ph": "C", "name": "memory", "pid": 10, "ts": ts, "args": {"js": 1 + ts % 300, "images": 50}},
                   {"ph": "C", "name": "fps", "pid": 20, "ts": ts, "args": {"value": 60 - ts / 50}}]
    path = folder / "spans.json"
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def rows(page):
    return page.run(f"const {{ total }} = {CHART}; return [...Array(total).keys()].map((i) => {CHART}.infoAt(i)).map(({{ name, depth }}) => [depth, name])")


def are_called_by_name(page):
    page.open()
    assert page.get("page.charts.map((chart) => chart.view.name)") == ["spans"]
    assert rows(page) == [[0, "browser (10)"], [1, "main (10)"], [2, ""], [1, "Async"], [2, "load"], [3, ""],
                          [0, "renderer (20)"], [1, "main (20)"], [2, ""], [1, "21"], [0, "no thread"]], rows(page)
    texts = page.run(f"""const {{ spans, texts }} = {CHART}.shown[0];
        const textsOf = (row) => Array.from({{ length: row.length / 6 }}, (_, i) => texts[row[6 * i + 4] | row[6 * i + 5] << 16]);
        return spans.map((row) => [...new Set(textsOf(row).filter(Boolean))]);""")
    assert [texts[1], texts[2], texts[4], texts[5], texts[10]] == [["frame", "a name that is too long for its span"], ["layout"], ["load"], ["load"], ["nobody's"]], texts
    assert page.get("document.getElementById('axis-label').textContent") == "time since the start"
    page.shoot("spans")


def names_are_cut(page):
    """As much of a name is written as its span has room for."""
    page.open()
    drawn = page.drawn_texts(f"{CHART}.draw();")
    assert any(text.startswith("a nam") and text.endswith("…") for text in drawn) and "frame" in drawn, drawn
    assert "step" in drawn and drawn.count("step") <= 2, "those that are a pixel apart have one text, in each of two frames"


def flows_join_rows(page):
    page.open()
    page.browser.until(f"{CHART}.arrows.isComplete && {CHART}.arrows.arrows.length > 0")
    [arrow] = page.get(f"{CHART}.arrows.arrows.filter(({{ fromRow, toRow }}) => fromRow !== toRow)")
    assert [arrow["from"], arrow["to"], arrow["name"]] == [2, 8, "paint"], arrow
    assert [arrow["fromName"], arrow["toName"]] == ["main (10)", "main (20)"], arrow
    x, y = page.point(0.3, 0, "spans")
    page.browser.move(x, y + 2 * 18 + 9)  # over the span of the second depth, whose row has no name
    page.browser.until("document.querySelector('#tip b')?.textContent === 'main (10) — layout'", "the tip names the track")


def instants_are_marks(page):
    """In the row of the span that was open, or of the process that they are of; the tip says what happened."""
    page.open()
    page.browser.until(f"{CHART}.arrows.isComplete && {CHART}.arrows.arrows.length > 0")
    marks = page.get(f"{CHART}.arrows.arrows.filter(({{ fromRow, toRow }}) => fromRow === toRow).map(({{ from, name, start, end }}) => [from, name, start, end])")
    assert sorted(marks) == [[2, "tick", 350000, 350000], [6, "gc", 500000, 500000]] or sorted(marks) == [[2, "tick", 450000, 450000], [6, "gc", 600000, 600000]], marks
    _, _, at, _ = min(marks)
    across = (at - page.get("page.viewport.from")) / page.get("page.viewport.span")
    x, y = page.point(across, 0, "spans")
    colour = page.get(f"{CHART}.arrows.kinds.find(({{ key }}) => key === 'Instant').light")
    box = page.chart("spans")
    [pixel] = page.run(PIXELS, "spans", {"x": across * box["width"], "y": 2 * 18 + 9})
    assert "#" + "".join(f"{byte:02x}" for byte in pixel[:3]) == colour, (pixel, colour)
    page.browser.move(x, y + 2 * 18 + 9)
    page.browser.until("document.getElementById('tip').innerText.includes('instant tick: main (10)')", "the tip says what happened")
    page.shoot("instants")


def counters_are_lines(page):
    page.open()
    page.browser.until("page.panels[0]?.isComplete && page.panels[0].lines.length > 0", "the lines are there, though nobody asked for them")
    names = page.get("page.panels[0].lines.map((line) => line.name)")
    assert sorted(names) == ["browser / memory / images", "browser / memory / js", "renderer / fps"], names
    page.shoot("counters")
    page.run("page.viewport.setDark(true)")
    page.shoot("counters-dark")
    page.run("page.viewport.setDark(false)")


def lists_spans(page):
    """In the table of latencies the time of a span itself has a unit; the box of times offers no time of a day."""
    page.open("#views=spans,latencies")
    panel = "page.panels.find((one) => one.name === 'latencies')"
    page.browser.until(f"{panel}?.isComplete", "the spans are listed")
    cells = page.run(f"""const at = {panel}.way.columns.findIndex(({{ name }}) => name === "self");
        return [...{panel}.way.list.querySelectorAll('.line')].filter((line) => !line.hidden).map((line) => line.children[at].textContent);""")
    assert "300.000 µs" in cells, cells  # a frame of 700 without the layout of 400 in it
    assert "17:46" not in page.get("document.getElementById('jump-text').title")
    page.shoot("latencies")


def of_perfetto(page):
    page.open()
    assert page.get("page.charts.map((chart) => chart.view.name)")[-1] == "spans"
    view = "page.charts.at(-1)"
    named = page.run(f"return [...Array(Math.min({view}.total, 40)).keys()].map((i) => {view}.infoAt(i)?.name)")
    assert any(name and "(" in name for name in named) and "CallStack" not in named and "Counters" not in named, named
    page.shoot("perfetto")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        PLAN = [(trace_of(pathlib.Path(name)), [are_called_by_name, names_are_cut, flows_join_rows, instants_are_marks, counters_are_lines, lists_spans]),
                (SOURCE / "tests" / "data" / "perfetto-made" / "both.pftrace", [of_perfetto])]
        sys.exit(main(__doc__, PLAN))
