#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_charts.py HISTREE [SCREENSHOTS] - charts in the page.  Of numbers: lines, their colours and names, what the pointer says
and the logarithmic axis.  Of states: the rows of the views of a file of definitions, with its names and colours.  Screenshots
and what is skipped are as in page.py."""
import json
import pathlib
import re
import sys
import tempfile

from page import PIXELS, WIDE_SPANS, main
from serving import SMALL_TRACE, large_trace

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
    page.run("const { choice } = page.panels[0]; choice.value = 'cpu-threads'; choice.onchange()")
    page.browser.until("page.panels[0].isComplete && page.panels[0].settings.chart === 'cpu-threads'", "the other chart is there")
    page.shoot("charts")
    names = page.get("[...page.panels[0].names.children].map((one) => one.childNodes[1].textContent)")
    assert all(re.fullmatch(r"\d+ / (.+ \(\d+\)|0)", name) for name in names), names  # a CPU, and a thread or its idle loop
    assert 1 < len(names) <= 12 and len(set(names)) == len(names), names
    colours = page.get("page.panels[0].lines.map((line) => page.panels[0].colourOf(line))")
    assert len(set(colours)) == len(colours), colours
    hidden = page.run(INK)
    assert len(hidden) <= len(colours) // 2, hidden  # lines may lie on one another


def stacks_threads(page):
    """Who had the CPUs: in each pixel the threads and the others add up to the usage; the scale is that of all CPUs, whatever is
    visible; the pointer says which threads; a click on the strip of the usage leads to it."""
    page.open("#views=control-flow")
    page.run("document.querySelector('#usage .label').click()")
    page.browser.until("page.panels[0]?.isComplete && page.panels[0].scale && page.panels[0].isStacked", "the threads are stacked")
    cpus = len(page.run("return (await (await import('./api.js')).rows({ experiment: page.panels[0].experiment.uuid, view: 'resources',"
                                " first: 0, count: 64, from: 0, to: 1, pixels: 1 })).rows.filter((one) => / thread$/.test(one.name))"))
    for span in 1, 20:
        page.run("const { duration } = page.viewport; page.viewport.show(duration / 2 - duration / 2 / arguments_[0], duration / 2 + duration / 2 / arguments_[0])", span)
        page.browser.until("page.panels[0].isComplete && page.panels[0].data.range.from === page.viewport.from && page.panels[0].data.range.to === page.viewport.to")
        shared, ink = page.run("""const { lines, scale, canvas } = page.panels[0], count = lines[0].values.length, ratio = devicePixelRatio;
            const columns = Array.from({ length: count }, (_, at) => ({ at, all: lines.reduce((sum, { values }) => sum + values[at], 0),
                most: Math.max(...lines.map(({ values }) => values[at])) }));
            const best = columns.reduce((one, other) => other.all - other.most > one.all - one.most ? other : one);
            const x = (best.at + 0.5) / count * canvas.clientWidth, y = scale.at(best.most + 0.8 * (best.all - best.most));
            return [best.all - best.most, canvas.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data[3]];""")
        assert shared > 10 and ink > 0, ("they stand on one another", shared, ink)
        wrong = page.run("""
            const { answer, range } = page.panels[0].data, pixels = answer.lines[0].values.length;
            const usage = await (await import("./api.js")).curve("usage", { experiment: page.panels[0].experiment.uuid, ...range, pixels });
            return answer.lines[0].values.map((_, i) => [answer.lines.reduce((sum, line) => sum + line.values[i], 0), usage[i]])
                .filter(([sum, all]) => Math.abs(sum - all) > 0.01 + all / 1e4);""")
        assert wrong == [], wrong[:3]
        assert page.get("[page.panels[0].data.answer.top, page.panels[0].scale.low]") == [100 * cpus, 0]
        ids = page.get("page.panels[0].lines.map((line) => line.id)")
        assert len(set(ids)) == len(ids) <= 13 and (-1 in ids) == (page.get("page.panels[0].data.answer.all") > 12), ids
        assert len(page.run(INK)) <= len(ids) // 2
        page.shoot(f"cpu-threads-{span}")
    page.run("page.viewport.setDark(true)")
    swatches = page.run("""const panel = page.panels[0], probe = document.createElement("i");
        return panel.lines.map((line, i) => {
            probe.style.background = panel.colourOf(line);
            return panel.names.children[i].querySelector(".swatch").style.background === probe.style.background;
        });""")
    assert all(swatches), "names have the colours of the theme"
    page.shoot("cpu-threads-dark")
    page.run("page.viewport.setDark(false)")
    said = page.run("""const { canvas, lines } = page.panels[0], box = canvas.getBoundingClientRect();
        const at = lines[0].values.findIndex((value) => value > 0), x = (at + 0.5) / lines[0].values.length * box.width;
        canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.x + x, clientY: box.y + 20, bubbles: true }));
        return [document.getElementById("tip").textContent, lines[0].name, lines.filter(({ values }) => !(values[at] > 0)).map(({ name }) => name)];""")
    assert said[1] in said[0] and not any(name in said[0] for name in said[2]), said
    page.run("window.wrong = []; window.addEventListener('error', ({ message }) => window.wrong.push(message));"
                     "page.panels[0].data.answer.lines = []; page.panels[0].draw()")
    assert page.get("window.wrong") == [], "where nobody ran there is nothing to stack"


def tells_and_scales(page):
    """The pointer says what every line is there; a logarithmic axis has ticks at powers of ten; the address remembers."""
    box = page.run("const box = page.panels[0].canvas.getBoundingClientRect();"
                           "return { x: box.x, y: box.y, width: box.width, height: box.height };")
    x, y = round(box["x"] + box["width"] * 0.7), round(box["y"] + box["height"] / 2)
    def said():
        page.run("page.panels[0].canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: arguments_[0], clientY: arguments_[1],"
                         " bubbles: true }))", x, y)
        return page.get("document.getElementById('tip').textContent")
    assert all(name in said() for name in page.get("page.panels[0].lines.map((line) => line.name)")) and "unknown" not in said(), said()
    page.run("const [line] = page.panels[0].lines; line.known = line.values; line.values = line.values.map(() => null)")
    assert "unknown" in said(), said()
    page.run("const [line] = page.panels[0].lines; line.values = line.known")
    page.run("page.panels[0].log.click()")
    assert page.get("page.panels[0].scale.constructor.name") == "LogScale"
    assert "%22log%22%3A1" in page.get("location.hash") or '"log":1' in page.get("decodeURIComponent(location.hash)")
    page.shoot("charts-log")
    page.run("page.panels[0].log.click(); page.viewport.show(page.viewport.duration / 4, page.viewport.duration / 3)")
    page.browser.until("page.panels[0].isComplete", "the lines of the other range are there")


def draws_states(page):
    """The view of the file is there at first: its title, below it its rows, whose states have its colours and names."""
    page.open()
    assert page.get("page.charts.map((chart) => chart.view.name)") == ["state-charts"]
    assert [name for name, _ in page.names("state-charts")] == ["Lamps", "Lamps", "left", "right"]
    spans = page.run(WIDE_SPANS, "state-charts")
    assert {span["colour"] for span in spans} == {"#cc2200", "#118811"}, spans
    for span, pixel in zip(spans, page.run(PIXELS, "state-charts", *spans)):
        assert "#" + "".join(f"{byte:02x}" for byte in pixel[:3]) == span["colour"], (span, pixel)
    texts = page.run("return page.charts[0].shown.flatMap((block) => Object.values(block.texts))")
    assert set(texts) == {"stop", "go"}, texts
    page.shoot("state-charts")


def tells_the_day(page):
    """Of six days, ticks have their dates, and the axis the day of what is visible."""
    page.open()
    said = "document.querySelector('#axis-label').textContent"
    assert page.get(said) == "2013-09-10 UTC", page.get(said)
    tick = page.run("const time = await import('./time.js'), { start, duration } = page.viewport;"
                            "return [time.tick(start, 86400e9, 86400e9, duration), time.tick(start, 86400e9, 1e8, 1e9)]")
    assert tick == ["2013-09-11 22:00:00", "22:00:00.0"], tick
    page.run("page.viewport.show(page.viewport.duration - 3600e9, page.viewport.duration)")
    page.browser.until(f"{said} === '2013-09-16 UTC'", "the last day is said")


def draws_memory(page):
    """What the allocations of a program come to is what its trace opens with: lines, as it has no rows."""
    page.browser.open("about:blank")
    page.browser.open(page.server.url)
    page.browser.until("window.page?.panels[0]?.name === 'charts' && page.panels[0].isComplete && page.panels[0].lines.length > 0", "the lines are there")
    assert page.get("page.charts.length") == 0
    names = page.get("page.panels[0].lines.map(({ name }) => name)")
    assert names == ["main"], names
    assert page.get("[page.panels[0].said.textContent, page.panels[0].names.innerText]") == ["1 line", "main\n36 kB"]
    page.shoot("memory")


TESTS = [draws_lines, tells_and_scales, stacks_threads]


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


def of_memory(folder):
    """A trace of a process that allocates and gives half of it back."""
    folder.mkdir()
    made = [{"time": 100 * i, "event": "lttng_ust_libc:malloc", "cpu": 0, "size": 1000 * i, "ptr": 4096 * i} for i in range(1, 9)]
    freed = [{"time": 1000 + 100 * i, "event": "lttng_ust_libc:free", "cpu": 0, "ptr": 4096 * i} for i in range(1, 5)]
    (folder / "events.json").write_text("\n".join(json.dumps({**one, "vtid": 7, "vpid": 7, "procname": "main"}) for one in made + freed))
    return pathlib.Path(f"text:tracer=ust:{folder / 'events.json'}"), [draws_memory], "-a", "ust-memory,allocations"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sys.exit(main(__doc__, [(SMALL_TRACE, TESTS, "-a", "kernel,io,cpu-usage"),
                                *[(trace, [stacks_threads], "-a", "kernel") for trace in [large_trace()] if trace],
                                of_memory(folder / "memory"),
                                of_lamps(folder / "lamps", [draws_states]),
                                of_lamps(folder / "days", [tells_the_day], 1378850400 * 10**9, 9 * 3600 * 10**9)]))
