#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_waits.py HISTREE [SCREENSHOTS] - what the page makes of answers that are early, late or refused, and that it never
takes what is shown for what is asked.  Screenshots and what is skipped are as in page.py."""
import contextlib
import sys

from page import main, press_view
from serving import SMALL_TRACE

# Answers with rows of the first two ranges become early ones, whatever they are, until rows are said to be in order; the
# first of the second range, and that answer, come when their gate is opened, and so do rows in order where that is wanted.
EARLY_ROWS = """
window.gates = {};
window.orders = 0;
const ask = window.fetch, closed = {}, ranges = [];
const gate = (name) => (closed[name] ??= new Promise((open) => (gates[name] = open)));
let areInOrder = false;
window.fetch = async (url, ...more) => {
    const isLate = areInOrder, answer = await ask(url, ...more), range = /&to=([0-9]+)/.exec(url)?.[1];
    if (!url.includes("api/v1/rows"))
        return answer;
    if (url.includes("count=0")) {
        orders++;
        await gate("order").then(() => (areInOrder = true));
        return answer;
    }
    if (!ranges.includes(range))
        ranges.push(range);
    if (isLate && window.holdsRows)
        await gate("rows");
    if (isLate || ranges.indexOf(range) >= 2)
        return answer;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const at = new TextDecoder("latin1").decode(bytes).lastIndexOf('"early":false');
    if (at >= 0)
        bytes.set(new TextEncoder().encode('"early":true '), at);
    if (range === ranges[0] || closed.late)
        return new Response(bytes);
    await gate("late");
    const late = new Response(bytes), read = late.arrayBuffer.bind(late);
    late.arrayBuffer = async () => {
        const taken = await read();
        setTimeout(() => (window.lateAreTaken = true)); // once what waits for this has had it
        return taken;
    };
    return late;
};
"""
# Each question is refused once before it is let through.
BUSY = """
window.refused = new Set();
const ask = window.fetch;
window.fetch = (url, ...more) => {
    if (!url.includes("/v1/") || refused.has(url))
        return ask(url, ...more);
    refused.add(url);
    return Promise.resolve(new Response('{"title":"the server is busy"}', { status: 503, headers: { "Retry-After": "0" } }));
};
"""
# Changes what is to be shown; returns what says at once that all of it is there.
STILL_COMPLETE = """
const { viewport, charts, panels } = page;
const [what] = arguments_;
if (what === "range")
    viewport.show(viewport.duration / 4, viewport.duration / 2);
else
    viewport.mark("a", viewport.duration / 3), viewport.mark("b", viewport.duration / 2);
const known = { ...Object.fromEntries(panels.map((panel) => [panel.name, panel])), chart: charts[0], arrows: charts[0].arrows };
return Object.entries(known).filter(([, one]) => one.isComplete).map(([name]) => name);
"""


@contextlib.contextmanager
def beginning_with(page, script):
    """Every page that is opened runs the script before its own."""
    added = page.browser.command("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    try:
        yield
    finally:
        page.browser.command("Page.removeScriptToEvaluateOnNewDocument", added)


@contextlib.contextmanager
def early_rows_under_way(page):
    """The rows that are shown are early, and so will those be that have been asked for."""
    with beginning_with(page, EARLY_ROWS):
        page.browser.open("about:blank")
        page.browser.open(page.server.url + '#views=control-flow&control-flow={"sort":"tree"}')
        page.browser.until("window.gates?.order && page.charts[0].isEarly", "the rows are early")
        page.browser.run("page.viewport.show(0, page.viewport.duration / 2)")
        page.browser.until("Boolean(gates.late)", "the rows of the other range are asked for")
        yield


def outlives_late_early_rows(page):
    """Early rows that come once the rows are known to be in order, before or after these, are replaced all the same, and the
    order is not asked for again."""
    for are_held in False, True:
        with early_rows_under_way(page):
            page.browser.run(f"window.holdsRows = {str(are_held).lower()}; gates.order()")
            if are_held:
                page.browser.until("Boolean(gates.rows)", "the rows in order are asked for")
                page.browser.run("gates.late()")
                page.browser.until("window.lateAreTaken", "the early ones came before them")
                page.browser.run("gates.rows()")
            else:
                page.run("gates.late()")
            page.ready()
        is_replaced(page)


def is_replaced(page):
    page.browser.until("page.charts[0].arrows.isComplete", "the arrows are those of the rows in order")
    assert page.get("page.charts[0].arrows.kinds.length") > 0
    assert page.get("orders") == 1


def keeps_what_was_chosen_from_early_rows(page):
    """A row that is chosen once there are rows in order stays chosen when early ones come late."""
    with early_rows_under_way(page):
        page.browser.run("page.viewport.show(0, page.viewport.duration / 3)")
        page.browser.until("!page.charts[0].isEarly", "rows in order are there")
        page.run("page.charts[0].choose(1)")
        tid = page.get("page.charts[0].chosenInfo.tid")
        for gate in "late", "order":
            page.run(f"gates.{gate}()")
            assert page.get("[page.charts[0].chosen, page.charts[0].chosenInfo.tid, page.charts[0].isEarly]") == [1, tid, False], gate


def asks_a_busy_server_again(page):
    """A refusal that says when to come back is no error: all that is shown comes in the end."""
    with beginning_with(page, BUSY):
        page.open("#views=control-flow,resources,events")
        page.browser.until("page.panels[0]?.isComplete && page.charts[0].arrows.isComplete", "all is there")
        refused = page.get("[...refused].map((url) => /v1.([a-z-]+)/.exec(url)[1])")
        assert {"experiments", "rows", "arrows", "events", "usage", "density"} <= set(refused), refused
        assert "busy" not in page.get("document.getElementById('error').textContent")


def doubts_what_is_shown(page):
    """With what is asked, in the same moment, what is shown is no longer complete."""
    page.open("#views=control-flow,types")
    page.browser.until("page.panels[0]?.isComplete && page.charts[0].arrows.isComplete", "all is there")
    assert page.browser.run(STILL_COMPLETE, "range") == []
    page.browser.until("page.panels[0].isComplete && page.charts[0].isComplete && page.charts[0].arrows.isComplete", "all is there again")
    assert "types" not in page.browser.run(STILL_COMPLETE, "markers")
    press_view(page, "Event types")


def goes_from_trace_to_trace(page):
    """From a kernel to a program and back nothing is asked of the trace before, and nothing is an error."""
    page.open()
    choose = "const choice = document.getElementById('experiment'); choice.value = arguments_[0]; choice.onchange()"
    names = page.get("[...document.getElementById('experiment').options].map((one) => [one.value, one.textContent])")
    for uuid, _ in [*names[1:2], *names[:1], *names[1:2]]:
        page.run("window.asked = []; const ask = window.fetch;"
                         "window.fetch = (url, ...more) => (asked.push(String(url)), ask(url, ...more));" + choose, uuid)
        page.ready()
        assert page.get("page.charts[0].experiment.uuid") == uuid
        others = [url for url in page.get("asked") if "experiment=" in url and uuid not in url]
        said, warned = page.get("['error', 'warning'].map((id) => document.getElementById(id)).map((one) => one.hidden ? '' : one.textContent)")
        warning = page.get("page.charts[0].experiment.warning ?? ''")
        assert not others and said == "" and warned.startswith(warning) and (warned == "") == (warning == ""), (others, said, warned, warning)


def opens_what_is_in_a_folder(page):
    """A server of a folder lists what is in it; a click reads it, and shows it."""
    page.browser.open(page.server.url)
    page.browser.until("document.querySelectorAll('.traces button').length > 0", "the traces are listed")
    names = page.get("[...document.querySelectorAll('.traces button')].map((one) => one.textContent)")
    assert "data/demo-trace" in names and names == sorted(names), names
    page.shoot("folder")
    page.browser.run("[...document.querySelectorAll('.traces button')].find((one) => one.textContent === 'data/demo-trace').click()")
    page.ready()
    assert page.get("document.getElementById('experiment').selectedOptions[0].textContent") == "data/demo-trace"
    assert page.names()[0][0]


DROP = """const given = new DataTransfer();
    given.items.add(new File(["x"], arguments_[0]));
    document.getElementById("main").dispatchEvent(new DragEvent("drop", { dataTransfer: given, bubbles: true, cancelable: true }));"""

TAKES_TEXT = """(() => {
    const given = new DataTransfer();
    given.setData("text/plain", "SELECT 1");
    return ["dragover", "drop"].some((kind) => !document.getElementById("search-text").dispatchEvent(
        new DragEvent(kind, { dataTransfer: given, bubbles: true, cancelable: true })));
})()"""


def opens_what_is_dropped(page):
    """What is of that name in the folder of the server is opened; of what is not there, the page says why it cannot."""
    page.browser.open("about:blank")
    page.browser.open(page.server.url)
    page.browser.until("document.querySelectorAll('.traces button, #charts .chart').length > 0", "the page is there")
    assert not page.get(TAKES_TEXT), "the page takes a text that is dropped into a box"
    page.run(DROP, "no-such.json")
    said = page.browser.until("!document.getElementById('error').hidden && document.getElementById('error').textContent")
    assert said.startswith("'no-such.json' is not in a folder that the server was started with") and "still there?" not in said, said
    page.run(DROP, "demo-trace")
    page.browser.until("location.hash.includes('trace=')")
    page.ready()
    assert page.get("document.getElementById('experiment').selectedOptions[0].textContent") == "data/demo-trace"


TESTS = [outlives_late_early_rows, keeps_what_was_chosen_from_early_rows, asks_a_busy_server_again, doubts_what_is_shown]

if __name__ == "__main__":
    sys.exit(main(__doc__, [(SMALL_TRACE, TESTS), ((SMALL_TRACE, SMALL_TRACE.parent / "ctf-calls"), [goes_from_trace_to_trace]),
                            ((), [opens_what_is_in_a_folder, opens_what_is_dropped])]))
