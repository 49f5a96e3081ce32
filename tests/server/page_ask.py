#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_ask.py HISTREE [SCREENSHOTS] - the panel Ask, the tabs below the charts and the palette of actions, as a person uses
them.  Screenshots and what is skipped are as in page.py."""
import json
import subprocess
import sys

from browser import CONTROL, DOWN, ENTER, ESCAPE
from page import main, press_view
from serving import SMALL_TRACE, large_trace

ASK = "page.panels.find((one) => one.name === 'ask')"
SHOWN = "[...document.getElementById('dock-body').children].find((one) => !one.hidden)?.dataset.view"


def open_ask(page):
    page.open("#views=control-flow,resources,ask")
    page.browser.until(f"Boolean({ASK}?.isComplete) && {ASK}.menu.options.length > 25", "the questions are there")


def ask(page, statement):
    page.browser.run(f"return {ASK}.ask(arguments_[0])", statement)
    page.browser.until(f"{ASK}.isComplete")
    return page.get(f"[{ASK}.said.textContent, {ASK}.answer]")


def by_command(page, statement):
    store = page.browser.run("const api = await import('./api.js'); return (await api.experiments())[0].store")
    done = subprocess.run([sys.argv[1], "sql", store, statement, "--format", "json"], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [list(row.values()) for row in json.loads(done.stdout)] if done.stdout.strip() else []


def answers_every_question(page):
    """Each question of the menu gives what the command gives, or says what the store lacks."""
    open_ask(page)
    questions = page.get(f"{ASK}.questions")
    assert len(questions) == 30
    answered = 0
    for number, question in enumerate(questions):
        page.browser.run(f"const menu = {ASK}.menu; menu.value = arguments_[0]; menu.onchange()", str(number))
        page.browser.until(f"{ASK}.isComplete")
        said = page.get(f"{ASK}.said.textContent")
        if page.get(f"{ASK}.said.classList.contains('bad')"):
            assert "o such table" in said or "no segments" in said, (question["title"], said)
            continue
        answered += 1
        rows = page.get(f"{ASK}.answer.rows")
        wanted = by_command(page, question["statement"])
        # Whole numbers beyond 2^53 are texts on the page; a byte that is no text of UTF-8 has another sign.
        assert [[str(value) for value in row] for row in rows] == [[str(value) for value in row] for row in wanted], (question["title"], rows[:3], wanted[:3])
    assert answered > 10, answered
    page.shoot("ask")


def asks_sorts_and_goes_there(page):
    open_ask(page)
    x, y, width = page.browser.run(f"const box = {ASK}.box.getBoundingClientRect(); return [box.x, box.y, box.width]")
    page.browser.run(f"{ASK}.box.value = ''")
    page.browser.click(round(x + width / 2), round(y + 30))
    page.browser.type("SELECT value AS tid, start, duration FROM states WHERE path = 'CPUs/0/Current_thread' AND value > 0 AND start > :from LIMIT 50")
    page.browser.press(ENTER, CONTROL)
    page.browser.until(f"{ASK}.isComplete && {ASK}.answer?.rows.length > 1")
    durations = f"[...{ASK}.lines.rows].map((row) => Number(row.cells[2].textContent))"
    page.browser.run(f"{ASK}.head.children[2].querySelector('button').click()")
    up = page.get(durations)
    page.browser.run(f"{ASK}.head.children[2].querySelector('button').click()")
    assert up == sorted(up) and page.get(durations) == sorted(up, reverse=True)
    tid, start = page.get(f"[...{ASK}.lines.rows[0].cells].slice(0, 2).map((cell) => cell.textContent)")
    page.browser.run(f"{ASK}.lines.rows[0].click()")
    assert page.get("String(page.viewport.start + BigInt(page.viewport.a))") == start
    page.browser.until("page.selection.isComplete")
    chosen = page.browser.until("page.charts[0].infoAt(page.charts[0].chosen)")
    assert str(chosen["tid"]) == tid or chosen.get("group") is not None, (chosen, tid)
    page.shoot("ask-row")


def changes_nothing(page):
    open_ask(page)
    for statement in ("CREATE TABLE x (a)", "ATTACH '/tmp/x.db' AS x", "SELECT histree_attach('/etc')", "SELECT load_extension('x')", "DELETE FROM states",
                      "PRAGMA writable_schema = 1", "SELECT 1; SELECT 2", "SELEKT 1"):
        said, _ = ask(page, statement)
        assert page.get(f"{ASK}.said.classList.contains('bad')"), (statement, said)
    said, answer = ask(page, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 30000) SELECT i FROM n")
    assert len(answer["rows"]) == 10000 and answer["more"] and "there are more" in said


def is_stopped(page):
    open_ask(page)
    page.browser.run(f"{ASK}.ask('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'); return null")
    page.browser.until(f"!{ASK}.isComplete && {ASK}.go.textContent === 'Stop'")
    page.browser.run(f"{ASK}.go.click()")
    page.browser.until(f"{ASK}.isComplete && {ASK}.said.textContent === 'stopped'")
    assert ask(page, "SELECT 7")[1]["rows"] == [[7]], "and the server answers"


def tabs_keep_their_place(page):
    page.open("#views=control-flow,resources")
    assert page.get(f"{SHOWN} ?? ''") == ""
    press_view(page, "Events")
    page.browser.until(f"{SHOWN} === 'events' && page.panels[0].isComplete")
    page.browser.run("page.panels.find((one) => one.name === 'events').list.scrollTop = 500")
    press_view(page, "Ask")
    page.browser.until(f"{SHOWN} === 'ask'")
    press_view(page, "Events")
    page.browser.until(f"{SHOWN} === 'events'")
    assert page.get("page.panels.find((one) => one.name === 'events').list.scrollTop") == 500
    height = page.get("document.getElementById('dock').offsetHeight")
    x, y = page.browser.run("const box = document.getElementById('dock-divider').getBoundingClientRect(); return [box.x + 300, box.y + 2]")
    page.browser.drag(round(x), round(y), round(x), round(y) - 60)
    assert abs(page.get("document.getElementById('dock').offsetHeight") - height - 60) <= 3
    page.browser.until("location.hash.includes('dock=')")
    hash_ = page.get("location.hash")
    page.open(hash_)
    page.browser.until(f"{SHOWN} === 'events'")
    assert abs(page.get("document.getElementById('dock').offsetHeight") - height - 60) <= 3, "the address remembers it"
    press_view(page, "Events")
    page.browser.until(f"({SHOWN} ?? '') === '' && document.getElementById('dock-body').hidden")


def all_tabs_have_room(page):
    """At 1280 x 800 each panel has some lines, and the charts above it too."""
    page.browser.resize(1280, 800)
    try:
        page.open("#views=control-flow,resources")
        for title in page.get("[...document.querySelectorAll('#tabs button')].map((one) => one.textContent)"):
            press_view(page, title)
            page.browser.until(f"{SHOWN} !== undefined && [...document.querySelectorAll('#tabs button')].find((one) => one.ariaSelected === 'true')?.textContent === '{title}'")
            seen = page.get("[document.getElementById('dock-body').offsetHeight, ...page.charts.map((chart) => chart.body.offsetHeight)]")
            assert seen[0] > 150 and all(height >= 50 for height in seen[1:]), (title, seen)
            page.shoot(f"tab-{title}")
    finally:
        page.browser.resize(1500, 900)


def palette_does_what_it_says(page):
    page.open()
    page.browser.press("k", CONTROL)
    page.browser.until("document.getElementById('palette').open")
    assert page.get("document.querySelectorAll('#palette [role=option]').length") > 30
    page.shoot("palette")
    page.browser.type("tree order" + ENTER)
    page.browser.until("page.charts[0].settings.sort === 'tree' && !document.getElementById('palette').open")
    page.browser.run("document.getElementById('palette-button').click()")
    page.browser.type("panel" + DOWN + ENTER)
    page.browser.until(f"{SHOWN} !== undefined")
    page.browser.run("document.getElementById('palette-button').click()")
    page.browser.type("xyzzy")
    page.browser.until("document.querySelectorAll('#palette [role=option]').length === 0")
    page.browser.type(ESCAPE)
    page.browser.until("!document.getElementById('palette').open")


TESTS = [answers_every_question, asks_sorts_and_goes_there, changes_nothing, is_stopped, tabs_keep_their_place, all_tabs_have_room, palette_does_what_it_says]

if __name__ == "__main__":
    PLAN = [(SMALL_TRACE, TESTS)]
    if large_trace():
        PLAN.append((large_trace(), [asks_sorts_and_goes_there, tabs_keep_their_place]))
    sys.exit(main(__doc__, PLAN))
