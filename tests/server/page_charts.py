#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_charts.py HISTREE [SCREENSHOTS] - charts in the page.  Of numbers: lines, their colours and names, what the pointer says
and the logarithmic axis.  Of states: the rows of the views of a file of definitions, with its names and colours.  Screenshots
and what is skipped are as in page.py."""
import pathlib
import sys
import tempfile

from page import PIXEL, WIDE_SPANS, main
from serving import SMALL_TRACE

LAMPS = """<tmfxml><timeGraphView id="lamps.view"><head><analysis id="lamps"/><label value="Lamps"/></head>
<definedValue name="stop" value="1" color="#CC2200"/><definedValue name="go" value="2" color="#118811"/>
<entry path="Lamps"><entry path="*"><display type="self"/></entry></entry></timeGraphView>
<stateProvider id="lamps" version="1"><head><label value="Lamps"/></head><eventHandler eventName="shine"><stateChange>
<stateAttribute type="constant" value="Lamps"/><stateAttribute type="eventField" value="lamp"/>
<stateValue type="eventField" value="colour"/></stateChange></eventHandler></stateProvider></tmfxml>"""

INK = """
const panel = page.panels.find((one) => one.name === "charts"), { canvas } = panel;
const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
const wanted = panel.lines.map((line) => panel.colourOf(line));
const found = new Set();
for (let i = 0; i < data.length; i += 4)
    found.add("#" + [0, 1, 2].map((k) => data[i + k].toString(16).padStart(2, "0")).join(""));
return wanted.filter((colour) => !found.has(colour));
"""


def draws_lines(page):
    """Each line has a colour of its own, its name beside the chart, and ink in it."""
    page.open("#views=resources,charts")
    page.browser.until("page.panels[0]?.isComplete && page.panels[0].scale", "the lines are there")
    titles = page.get("[...page.panels[0].choice.options].map((one) => one.textContent)")
    assert "Time that threads have had on CPUs so far" in titles, titles
    page.browser.run("const { choice } = page.panels[0]; choice.value = 'cpu-threads'; choice.onchange()")
    page.browser.until("page.panels[0].isComplete && page.panels[0].settings.chart === 'cpu-threads'", "the other chart is there")
    page.browser.run("await new Promise((done) => setTimeout(done, 200))")
    page.shoot("charts")
    names = page.get("[...page.panels[0].names.children].map((one) => one.childNodes[1].textContent)")
    assert 1 < len(names) <= 12 and len(set(names)) == len(names), names
    colours = page.get("page.panels[0].lines.map((line) => page.panels[0].colourOf(line))")
    assert len(set(colours)) == len(colours), colours
    hidden = page.browser.run(INK)
    assert len(hidden) <= len(colours) // 2, hidden  # lines may lie on one another


def tells_and_scales(page):
    """The pointer says what every line is there; a logarithmic axis has ticks at powers of ten; the address remembers."""
    box = page.browser.run("const box = page.panels[0].canvas.getBoundingClientRect();"
                           "return { x: box.x, y: box.y, width: box.width, height: box.height };")
    x, y = round(box["x"] + box["width"] * 0.7), round(box["y"] + box["height"] / 2)
    page.browser.run("page.panels[0].canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: arguments_[0], clientY: arguments_[1],"
                     " bubbles: true }))", x, y)
    said = page.get("document.getElementById('tip').textContent")
    assert all(name in said for name in page.get("page.panels[0].lines.map((line) => line.name)")), said
    page.browser.run("page.panels[0].log.click()")
    page.browser.run("await new Promise((done) => setTimeout(done, 300))")
    assert page.get("page.panels[0].scale.constructor.name") == "LogScale"
    assert "%22log%22%3A1" in page.get("location.hash") or '"log":1' in page.get("decodeURIComponent(location.hash)")
    page.shoot("charts-log")
    page.browser.run("page.panels[0].log.click(); page.viewport.show(page.viewport.duration / 4, page.viewport.duration / 3)")
    page.browser.until("page.panels[0].isComplete", "the lines of the other range are there")


def draws_states(page):
    """The view of the file is there at first: its title, below it its rows, whose states have its colours and names."""
    page.open()
    assert page.get("page.charts.map((chart) => chart.view.name)") == ["state-charts"]
    assert [name for name, _ in page.names("state-charts")] == ["Lamps", "Lamps", "left", "right"]
    spans = page.browser.run(WIDE_SPANS, "state-charts")
    assert {span["colour"] for span in spans} == {"#cc2200", "#118811"}, spans
    for span in spans:
        pixel = page.browser.run(PIXEL, "state-charts", span["x"], span["y"])
        assert "#" + "".join(f"{byte:02x}" for byte in pixel[:3]) == span["colour"], (span, pixel)
    texts = page.browser.run("return page.charts[0].shown.flatMap((block) => Object.values(block.texts))")
    assert set(texts) == {"stop", "go"}, texts
    page.shoot("state-charts")


def tells_the_day(page):
    """Of six days, ticks have their dates, and the axis the day of what is visible."""
    page.open()
    said = "document.querySelector('#axis-label').textContent"
    assert page.get(said) == "2013-09-10 UTC", page.get(said)
    tick = page.browser.run("const time = await import('./time.js'), { start, duration } = page.viewport;"
                            "return [time.tick(start, 86400e9, 86400e9, duration), time.tick(start, 86400e9, 1e8, 1e9)]")
    assert tick == ["2013-09-11 22:00:00", "22:00:00.0"], tick
    page.browser.run("page.viewport.show(page.viewport.duration - 3600e9, page.viewport.duration)")
    page.browser.until(f"{said} === '2013-09-16 UTC'", "the last day is said")


TESTS = [draws_lines, tells_and_scales]


def of_lamps(folder, tests, start=1000, step=100):
    """What a plan has of a trace of two lamps, and a view of them."""
    folder.mkdir()
    trace, view = folder / "lamps.xml", folder / "view.xml"
    events = [(start + step * i, ("left", "right")[i % 2], 1 + i // 2 % 2) for i in range(16)]
    trace.write_text("<trace>\n" + "\n".join(
        f'<event timestamp="{time}" name="shine"><field name="lamp" type="string" value="{lamp}"/>'
        f'<field name="colour" type="int" value="{colour}"/></event>' for time, lamp, colour in events) + "\n</trace>\n")
    view.write_text(LAMPS)
    return trace, tests, "-x", str(view)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sys.exit(main(__doc__, [(SMALL_TRACE, TESTS, "-a", "kernel,io,cpu-usage"), of_lamps(folder / "lamps", [draws_states]),
                                of_lamps(folder / "days", [tells_the_day], 1378850400 * 10**9, 9 * 3600 * 10**9)]))
