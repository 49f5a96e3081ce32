#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_flame.py HISTREE [SCREENSHOTS] - call stacks added up: what the server answers, and the panel Flame graph, its boxes,
zoom and search.  Screenshots and what is skipped are as in page.py."""
import json
import pathlib
import subprocess
import sys
import urllib.parse

from page import visiting
from serving import Server

FLAME = "page.panels.find((one) => one.name === 'flame')"
DONE = f"Boolean({FLAME}) && {FLAME}.isComplete && {FLAME}.what.textContent !== ''"
EVENTS = [("main", 7, 0, 100), ("draw", 7, 10, 30), ("text", 7, 20, 10), ("read", 7, 50, 20), ("main", 8, 0, 100), ("read", 8, 50, 50)]


def write_trace(path):
    events = [{"ph": "X", "name": name, "pid": 1, "tid": tid, "ts": start, "dur": length} for name, tid, start, length in EVENTS]
    path.write_text(json.dumps(events), encoding="ascii")


def answers(page, uuid):
    """The tree of the whole, and of a window by thread."""
    ask = lambda words: page.run(  # noqa: E731
        f"return await (await fetch('api/v1/flame?experiment={uuid}&pixels=1000&{words}')).json()")
    whole = ask("from=0&to=100000")
    assert whole["total"] == 200000, whole
    assert [node[:4] for node in whole["nodes"]] == [
        ["main", 1, 200000, 100000], ["read", 2, 70000, 70000], ["draw", 2, 30000, 20000], ["text", 3, 10000, 10000]], whole
    assert all(whole["styles"][node[4]]["light"].startswith("#") for node in whole["nodes"])
    part = ask("from=60000&to=69999&by=thread")
    assert [node[:3] for node in part["nodes"]] == [
        ["Processes/1/7", 1, 10000], ["main", 2, 10000], ["read", 3, 10000], ["Processes/1/8", 1, 10000], ["main", 2, 10000],
        ["read", 3, 10000]], part


def shows_boxes(page, fragment):
    page.open(fragment)
    page.run("document.querySelector('#tabs [data-view=flame]').click()")
    page.browser.until(DONE)
    boxes = page.get(f"(() => {{ const panel = {FLAME}, wide = panel.canvas.clientWidth;"
                     "const at = (x, row) => panel.boxAt(x * wide, row * 18 + 9)?.node.name ?? '';"
                     "return [at(0.5, 0), at(0.9, 1), at(0.1, 2), at(0.4, 2), at(0.37, 3), at(0.9, 2)]; })()")
    assert boxes == ["all", "main", "read", "draw", "text", ""], boxes
    assert page.get(f"{FLAME}.what.textContent").startswith("200")
    page.shoot("flame")


def zooms_and_searches(page):
    box = page.get(f"(({{ left, top, width }}) => ({{ left, top, width }}))({FLAME}.canvas.getBoundingClientRect())")
    at = json.dumps({"clientX": box["left"] + 0.4 * box["width"], "clientY": box["top"] + 2 * 18 + 9, "bubbles": True})
    page.run(f"{FLAME}.canvas.dispatchEvent(new MouseEvent('click', {at}))")
    assert page.get(f"{FLAME}.settings.stack.join()") == "main,draw"
    assert page.get(f"{FLAME}.boxAt(0.9 * {FLAME}.canvas.clientWidth, 45).node.name") == "draw"
    page.run(f"{FLAME}.set({{ stack: [], search: 'READ' }})")
    page.browser.until(f"{FLAME}.what.textContent.includes('1 found, 35.00 %')")
    page.shoot("flame-search")
    page.run(f"{FLAME}.set({{ search: '' }}); page.viewport.mark('a', 50000); page.viewport.mark('b', 60000)")
    page.browser.until(f"{DONE} && {FLAME}.what.textContent.startsWith('20')", "of the selected span: two threads, 10 us each")
    page.run(f"{FLAME}.set({{ search: 'READ' }}); page.viewport.mark('a', null); page.viewport.mark('b', null)")
    page.run("page.viewport.show(0, 10000)")
    page.browser.until(f"{FLAME}.isComplete && {FLAME}.what.textContent.includes('0 found')")


def answers_samples(page, uuid):
    """Of tests/data/perf-samples, without names."""
    ask = lambda words: page.run(  # noqa: E731
        f"return await (await fetch('api/v1/flame?experiment={uuid}&pixels=1000&{words}')).json()")
    whole = ask("from=0&to=5000000")
    assert [node[:4] for node in whole["nodes"]] == [
        ["[app]", 1, 7500000, 4500000], ["[other.so]", 2, 1750000, 1750000], ["[kernel]", 2, 1250000, 1250000],
        ["[unknown]", 1, 250000, 0], ["[kernel]", 2, 250000, 250000]], whole
    part = ask("from=0&to=500000&by=thread")
    assert [node[:3] for node in part["nodes"]][:1] == [["drawer (102)", 1, 500000]], part


def begins_with_samples(page, uuid):
    """They have no rows: their flame graph has all of the room below the strips."""
    page.browser.open("about:blank")
    page.browser.open(f"{page.server.url}#trace={uuid}")
    page.browser.until(f"Boolean({FLAME}?.isComplete)", "the flame graph is open")
    above, top, bottom, foot = page.get("""[["axis", "bottom"], ["dock", "top"], ["dock", "bottom"], ["main", "bottom"]]
        .map(([id, edge]) => document.getElementById(id).getBoundingClientRect()[edge])""")
    assert top - above < 2 and foot - bottom < 2, (above, top, bottom, foot)
    page.shoot("samples")


def of_spans_and_samples(visit):
    folder, tally = visit.folder, visit.tally
    store = folder / "spans.histree"
    write_trace(folder / "spans.json")
    subprocess.run([sys.argv[1], "build", "-q", "-o", store, folder / "spans.json"], check=True, stderr=subprocess.DEVNULL)
    sampled, data = folder / "samples.histree", pathlib.Path(__file__).parents[1] / "data/perf-samples/samples.data"
    done = subprocess.run([sys.argv[1], "build", "-q", "--symbols", "none", "-o", sampled, data], stderr=subprocess.DEVNULL)
    has_samples = done.returncode == 0  # else recordings of perf cannot be read
    with Server(sys.argv[1], folder, [store] + [sampled] * has_samples) as server, visit.page(server) as page:
        page.open()
        all_known = page.run("return await (await fetch('api/v1/experiments')).json()")
        assert all(one["hasStacks"] for one in all_known) and len(all_known) == 1 + has_samples
        known = next(one for one in all_known if one["name"].startswith("spans"))
        fragment = "#" + urllib.parse.urlencode({"trace": known["uuid"], "views": "attributes", "theme": "light"})
        tally.run("answers", lambda: answers(page, known["uuid"]))
        tally.run("shows_boxes", lambda: shows_boxes(page, fragment))
        visit.run(page, zooms_and_searches)
        if has_samples:
            other = next(one for one in all_known if one is not known)
            tally.run("answers_samples", lambda: answers_samples(page, other["uuid"]))
            tally.run("begins_with_samples", lambda: begins_with_samples(page, other["uuid"]))


if __name__ == "__main__":
    sys.exit(visiting(__doc__, of_spans_and_samples))
