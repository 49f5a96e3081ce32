#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_paths.py HISTREE [SCREENSHOTS] - the critical path of the chosen thread in the page: over the rows of Control Flow,
and in the panel Why.  Screenshots and what is skipped are as in page.py."""
import json
import subprocess
import sys
import urllib.parse

from page import visiting
from serving import SMALL_TRACE, Server

THREAD = 14753
DONE = "page.charts[0].isComplete && page.charts[0].path.isComplete && Boolean(page.charts[0].path.path)"
WHY = "page.panels.find((one) => one.name === 'why')"
# Where two rows are in view, the middle between them on the longest arrow: its colour.
ARROW = """
const chart = page.charts[0], { path } = chart.path, { width } = chart.canvas.getBoundingClientRect();
const x = (at) => (at - chart.viewport.from) / chart.viewport.span * width;
const y = (thread) => chart.middleOf(path.threads[thread].position);
for (const [from, to, , start, end] of path.steps) {
	if (to < 0 || x(start) < 30 || x(start) > width - 30 || y(from) === y(to))
		continue;
	const middle = Math.min(Math.max((y(from) + y(to)) / 2, 2), chart.height - 2), ratio = chart.canvas.width / width;
	const pixels = chart.canvas.getContext("2d").getImageData((x(start) - 3) * ratio, middle * ratio, 6 * ratio, 1).data;
	for (let at = 0; at < pixels.length; at += 4)
		if (pixels[at + 3] === 255 && Math.abs(pixels[at] - 0x2a) < 4 && Math.abs(pixels[at + 2] - 0xb8) < 4)
			return true;
}
return false;
"""
# Of the panel: the states that are wide enough, and the colours that they have.
STATES = """
const panel = page.panels.find((one) => one.name === "why"), { path, canvas, viewport } = panel;
const ratio = canvas.width / canvas.clientWidth, found = [];
for (const [thread, to, state, start, end] of path.steps) {
	const [left, right] = [start, end].map((at) => (at - viewport.from) / viewport.span * canvas.clientWidth);
	if (to >= 0 || right - left < 8)
		continue;
	const data = canvas.getContext("2d").getImageData((left + right) / 2 * ratio, (thread + 0.5) * 18 * ratio, 1, 1).data;
	found.push([path.states[state].style.light, "#" + [...data.slice(0, 3)].map((byte) => byte.toString(16).padStart(2, "0")).join("")]);
}
return found;
"""


def shows_path(page, fragment):
    page.open(fragment)
    page.run("page.charts[0].choose(0)")
    assert page.get("page.charts[0].infoAt(0).tid") == THREAD
    page.run("document.querySelector('.chart[data-view=control-flow] button[title^=what]').click()")
    page.browser.until(DONE)
    assert page.get("page.charts[0].path.path.threads[0].tid") == THREAD
    assert page.run(ARROW), "no arrow is drawn"
    page.browser.until("decodeURIComponent(location.hash).replaceAll('+', ' ').includes('\"path\":\"14753\"')")


def shows_why(page):
    page.run("document.querySelector('#tabs [data-view=why]').click()")
    page.browser.until(f"Boolean({WHY})")  # of the row that was chosen before
    page.browser.until(f"{WHY}.isComplete && Boolean({WHY}.path) && {WHY}.what.textContent.includes('those it waited for')")
    rows = json.loads(subprocess.run([sys.argv[1], "why", page.server.folder / "demo.histree", str(THREAD), "--table", "causes", "--from", "+16ms", "--to", "+17.2ms",
                                      "--format", "json"], check=True, capture_output=True).stdout)
    assert page.get(f"{WHY}.path.states.map(({{ own, others }}) => [own, others]).filter(([own, others]) => own + others > 0).sort()") == \
        sorted([[row["itself"], row["others"]] for row in rows], key=str), rows
    names = page.run("return [...document.querySelectorAll('.path-name')].map((one) => one.textContent)")
    assert names[0] == f"burn {THREAD}" and len(names) >= 4, names
    states = page.run(STATES)
    assert len(states) >= 5 and all(wanted == found for wanted, found in states), states
    page.shoot("paths")


def is_of_the_selected_span(page):
    """Between the markers it says what the command does, also where they are out of view."""
    for first, last in ((16_200_000, 16_900_000), (16_500_000, 17_000_000), (20_000_000, 24_000_000)):
        page.run("page.viewport.mark('a', arguments_[0]); page.viewport.mark('b', arguments_[1])", first, last)
        page.browser.until(f"{WHY}.isComplete && /between the markers/.test({WHY}.what.textContent)")
        rows = json.loads(subprocess.run([sys.argv[1], "why", page.server.folder / "demo.histree", str(THREAD), "--table", "causes", "--from", f"+{first}ns",
                                          "--to", f"+{last}ns", "--format", "json"], check=False, capture_output=True).stdout or "[]")
        assert page.get(f"{WHY}.path.states.map(({{ own, others }}) => [own, others]).filter(([own, others]) => own + others > 0).sort()") == \
            sorted([[row["itself"], row["others"]] for row in rows if row["itself"] + row["others"] > 0], key=str), (first, last, rows)
    page.run("page.viewport.mark('a', null); page.viewport.mark('b', null)")
    page.run(f"{WHY}.set({{ thread: '999999' }})")
    page.browser.until(f"{WHY}.isComplete && /nothing of it in the visible range/.test({WHY}.what.textContent)")
    assert page.get("document.getElementById('error').hidden"), "a thread that did nothing is no error"
    page.run(f"{WHY}.set({{ thread: '{THREAD}' }})")
    page.browser.until(f"{WHY}.isComplete && /in the visible range/.test({WHY}.what.textContent)")


def follows_the_range(page):
    before = page.get(f"{WHY}.path.steps.length")
    page.run("page.viewport.show(0, page.viewport.duration)")
    page.browser.until(f"{WHY}.isComplete && {WHY}.path.steps.length > {before}")
    page.browser.until(DONE)
    page.run("page.charts[0].pathButton.click()")
    assert page.get("page.charts[0].settings.path") == ""
    page.shoot("paths-whole")


def in_the_demo(visit):
    store = visit.folder / "demo.histree"
    subprocess.run([sys.argv[1], "build", "-q", "-a", "kernel,graph", "-o", store, SMALL_TRACE], check=True,
                   stderr=subprocess.DEVNULL)
    with Server(sys.argv[1], visit.folder, [store]) as server, visit.page(server) as page:
        page.open()
        uuid = page.run("return (await (await fetch('api/v1/experiments')).json())[0].uuid")
        fragment = "#" + urllib.parse.urlencode({
            "trace": uuid, "from": 16000000, "to": 17200000, "views": "control-flow", "theme": "light",
            "control-flow": json.dumps({"sort": "tree", "filter": "burn", "arrows": False})})
        visit.tally.run("shows_path", lambda: shows_path(page, fragment))
        visit.run(page, shows_why, is_of_the_selected_span, follows_the_range)


if __name__ == "__main__":
    sys.exit(visiting(__doc__, in_the_demo))
