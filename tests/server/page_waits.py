#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_waits.py HISTREE [SCREENSHOTS] - what the page makes of answers that are early, late or refused, and that it never
takes what is shown for what is asked.  Screenshots and what is skipped are as in page.py."""
import contextlib
import sys

from page import main, press_view
from serving import SMALL_TRACE

# The first two answers with rows become early ones, whatever they are; the second, and the answer that rows are in order,
# come when their gate is opened.
EARLY_ROWS = """
window.gates = {};
const ask = window.fetch, gate = (name) => new Promise((open) => (gates[name] = open));
let answers = 0, wasAwaited = false;
window.fetch = async (url, ...more) => {
    const answer = await ask(url, ...more);
    if (!url.includes("api/v1/rows"))
        return answer;
    if (url.includes("count=0")) {
        if (!wasAwaited)
            await gate("order");
        wasAwaited = true;
        return answer;
    }
    const number = ++answers;
    if (number > 2)
        return answer;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const at = new TextDecoder("latin1").decode(bytes).lastIndexOf('"early":false');
    if (at >= 0)
        bytes.set(new TextEncoder().encode('"early":true '), at);
    if (number === 2)
        await gate("late");
    return new Response(bytes);
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


def outlives_late_early_rows(page):
    """Early rows that come after the rows are in order are replaced all the same."""
    with beginning_with(page, EARLY_ROWS):
        page.browser.open("about:blank")
        page.browser.open(page.server.url + "#views=control-flow")
        page.browser.until("window.gates?.order && page.charts[0].isEarly", "the rows are early")
        page.browser.run("page.viewport.show(0, page.viewport.duration / 2)")
        page.browser.until("Boolean(gates.late)", "the rows of the other range are asked for")
        page.browser.run("gates.order(); await new Promise((done) => setTimeout(done, 300)); gates.late()")
        page.ready()
    page.browser.until("page.charts[0].arrows.isComplete", "the arrows are those of the rows in order")
    assert page.get("page.charts[0].arrows.kinds.length") > 0


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
        page.browser.until("page.charts.every((chart) => chart.arrows.isComplete)")  # nothing is still to be asked
        page.browser.run("window.asked = []; const ask = window.fetch;"
                         "window.fetch = (url, ...more) => (asked.push(String(url)), ask(url, ...more));" + choose, uuid)
        page.ready()
        page.browser.run("await new Promise((done) => setTimeout(done, 500))")
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


TESTS = [outlives_late_early_rows, asks_a_busy_server_again, doubts_what_is_shown]

if __name__ == "__main__":
    sys.exit(main(__doc__, [(SMALL_TRACE, TESTS), ((SMALL_TRACE, SMALL_TRACE.parent / "ctf-calls"), [goes_from_trace_to_trace]),
                            ((), [opens_what_is_in_a_folder])]))
