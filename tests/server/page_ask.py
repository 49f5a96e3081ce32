#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_ask.py HISTREE [SCREENSHOTS] - the panel Ask, the tabs below the charts and the palette of actions, as a person uses
them.  Screenshots and what is skipped are as in page.py."""
import json
import subprocess
import sys

from browser import CONTROL, DOWN, ENTER, ESCAPE, TAB
from page import main, press_view
from serving import SMALL_TRACE, large_trace

ASK = "page.panels.find((one) => one.name === 'ask')"
SHOWN = "[...document.getElementById('dock-body').children].find((one) => !one.hidden)?.dataset.view"


def open_ask(page):
    page.open("#views=control-flow,resources,ask")
    page.browser.until(f"Boolean({ASK}?.isComplete) && {ASK}.menu.options.length > 25", "the questions are there")


def ask(page, statement):
    page.run(f"return {ASK}.ask(arguments_[0])", statement)
    return page.get(f"[{ASK}.said.textContent, {ASK}.answer]")


def by_command(page, statement):
    store = page.run("const api = await import('./api.js'); return (await api.experiments())[0].store")
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
        page.run(f"const menu = {ASK}.menu; menu.value = arguments_[0]; menu.onchange()", str(number))
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
    x, y, width = page.run(f"const box = {ASK}.box.getBoundingClientRect(); return [box.x, box.y, box.width]")
    page.run(f"{ASK}.box.value = ''")
    page.browser.click(round(x + width / 2), round(y + 30))
    page.browser.type("SELECT value AS tid, start, duration FROM states WHERE path = 'CPUs/0/Current_thread' AND value > 0 AND start > :from LIMIT 50")
    page.browser.press(ENTER, CONTROL)
    page.browser.until(f"{ASK}.isComplete && {ASK}.answer?.rows.length > 1")
    durations = f"[...{ASK}.lines.rows].map((row) => Number(row.cells[2].textContent))"
    page.run(f"{ASK}.head.children[2].querySelector('button').click()")
    up = page.get(durations)
    page.run(f"{ASK}.head.children[2].querySelector('button').click()")
    assert up == sorted(up) and page.get(durations) == sorted(up, reverse=True)
    tid, start = page.get(f"[...{ASK}.lines.rows[0].cells].slice(0, 2).map((cell) => cell.textContent)")
    page.run(f"{ASK}.lines.rows[0].click()")
    assert page.get("String(page.viewport.start + BigInt(page.viewport.a))") == start
    chosen = page.get("page.charts[0].infoAt(page.charts[0].chosen)")
    assert str(chosen["tid"]) == tid or chosen.get("group") is not None, (chosen, tid)
    page.shoot("ask-row")


OFFERED = f"[...{ASK}.completion.list.children].map((one) => one.children[0].textContent)"


def completes(page):
    """Tables, columns of those that the statement names, and attributes between quotes, all as the store has them; Tab takes one."""
    open_ask(page)
    value = f"{ASK}.box.value"
    page.run(f"{value} = ''; {ASK}.box.focus()")
    page.browser.type("SELECT * FROM stat")
    tables = page.get(OFFERED)
    known = [row[0] for row in by_command(page, "SELECT DISTINCT name FROM pragma_table_list WHERE name LIKE 'stat%' ORDER BY 1")]
    assert set(known) <= set(tables) and "states" in known, (tables, known)
    page.shoot("completion")
    page.browser.type(DOWN * tables.index("states") + TAB)
    assert page.get(value) == "SELECT * FROM states" and page.get(f"{ASK}.completion.list.hidden")
    page.browser.type(" WHERE du")
    assert page.get(OFFERED)[0] == "duration", "a column of a table that the statement names"
    page.browser.type(TAB + " > 1 AND path = 'CPUs/0/Cur")
    assert page.get(OFFERED) == ["Current_thread"]
    page.browser.type(TAB + "' LIMIT 3")
    assert page.get(value) == "SELECT * FROM states WHERE duration > 1 AND path = 'CPUs/0/Current_thread' LIMIT 3"
    page.run(f"{value} = ''; {ASK}.box.focus()")
    page.browser.type("SELECT * FROM event")
    page.browser.type(DOWN * page.get(OFFERED).index("events") + TAB + " WHERE pi")
    page.browser.type(DOWN * page.get(OFFERED).index("pid") + TAB)
    assert page.get(value) == "SELECT * FROM events WHERE pid", "what is told of threads is a column, which nobody needs to give"
    page.browser.type(" zzz")
    assert page.get(f"{ASK}.completion.list.hidden"), "there is nothing of that name"
    page.run(f"{value} = \"SELECT 'CPUs/*/Cur\"; {ASK}.box.setSelectionRange(99, 99)")
    page.browser.press(" ", CONTROL)
    assert page.get(OFFERED) == ["Current_thread"], "a pattern is completed too, when it is asked for"
    page.browser.type(ESCAPE)
    assert page.get(f"{ASK}.completion.list.hidden") and page.get(f"document.activeElement === {ASK}.box")


def completes_expressions(page):
    """What is known of states, and between quotes what they are called; rows are looked for by any text."""
    page.open()
    page.run("const kind = document.getElementById('search-kind'); kind.value = 'states'; kind.dispatchEvent(new Event('change'))")
    page.browser.until("document.querySelector('#search .completion')", "its code is there")
    offered = "[...document.querySelectorAll('#search .completion div')].map((one) => one.firstChild.textContent)"
    is_hidden = "document.querySelector('#search .completion').hidden"
    value = "document.getElementById('search-text').value"
    page.browser.type("/")
    page.browser.type("st")
    assert page.get(offered) == ["State", '"Start Time"'], page.get(offered)
    page.shoot("completion-states")
    page.browser.type(TAB + " == 'blo")
    assert page.get(value) == "State == 'blo" and page.get(offered) == ["blocked"]
    page.browser.type(TAB + "' && sys")
    assert page.get(offered) == ['"System call"']
    page.browser.type(TAB)
    assert page.get(value) == "State == 'blocked' && \"System call\"" and page.get(is_hidden)
    page.browser.type(" != x" + ENTER)
    page.browser.until("/^[\\d,]+ of |nothing/.test(document.getElementById('search-result').textContent)", "the search is done")
    page.run("const kind = document.getElementById('search-kind'); kind.value = 'rows'; kind.dispatchEvent(new Event('change')); document.getElementById('search-text').value = ''")
    page.browser.type("st")
    assert page.get(is_hidden), "rows have names of all kinds"


def marks_what_it_found(page):
    """Rows with a time and a thread have a mark there, also over the whole trace, until the markers are removed."""
    open_ask(page)
    tid = page.get("page.charts[0].infoAt(0).tid")
    ink = page.get("getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()")
    at = page.get("Math.round(page.viewport.duration / 2)")
    mark = f"""const chart = page.charts[0], {{ canvas }} = chart, ratio = canvas.width / canvas.clientWidth;
        const x = {at} / page.viewport.duration * canvas.clientWidth;
        return [chart, null].map((one) => {{
            const of = one?.canvas ?? document.querySelector("#overview canvas"), high = one ? chart.middleOf(0) - 7 : of.clientHeight - 2;
            const across = Math.round({at} / page.viewport.duration * of.clientWidth);
            return "#" + [...of.getContext("2d").getImageData(across * ratio, high * ratio, 1, 1).data].slice(0, 3).map((byte) => byte.toString(16).padStart(2, "0")).join("");
        }});"""
    before = page.run(mark)
    ask(page, f"SELECT {page.get('String(page.viewport.start)')} + {at} AS ts, {tid} AS tid")
    marked = page.run(mark)
    assert marked[0] == ink != before[0] and marked[1] != before[1], (before, marked)
    page.shoot("marks")
    page.run("document.activeElement.blur()")
    page.browser.type(ESCAPE)
    assert page.run(mark) == before


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
    page.run(f"{ASK}.ask('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'); return null")
    page.browser.until(f"!{ASK}.isComplete && {ASK}.go.textContent === 'Stop'")
    page.browser.run(f"{ASK}.go.click()")
    page.browser.until(f"{ASK}.isComplete && {ASK}.said.textContent === 'stopped'")
    assert ask(page, "SELECT 7")[1]["rows"] == [[7]], "and the server answers"


def tabs_keep_their_place(page):
    page.open("#views=control-flow,resources")
    assert page.get(f"{SHOWN} ?? ''") == ""
    press_view(page, "Events")
    page.browser.until(f"{SHOWN} === 'events' && page.panels[0].isComplete")
    page.run("page.panels.find((one) => one.name === 'events').list.scrollTop = 500")
    press_view(page, "Ask")
    page.browser.until(f"{SHOWN} === 'ask'")
    press_view(page, "Events")
    page.browser.until(f"{SHOWN} === 'events'")
    assert page.get("page.panels.find((one) => one.name === 'events').list.scrollTop") == 500
    height = page.get("document.getElementById('dock').offsetHeight")
    x, y = page.run("const box = document.getElementById('dock-divider').getBoundingClientRect(); return [box.x + 300, box.y + 2]")
    page.browser.drag(round(x), round(y), round(x), round(y) - 60)
    assert abs(page.get("document.getElementById('dock').offsetHeight") - height - 60) <= 3
    page.open(page.get("location.hash"))
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
    page.run("document.getElementById('palette-button').click()")
    page.browser.type("panel" + DOWN + ENTER)
    page.browser.until(f"{SHOWN} !== undefined")
    page.run("document.getElementById('palette-button').click()")
    page.browser.type("xyzzy")
    page.browser.until("document.querySelectorAll('#palette [role=option]').length === 0")
    page.browser.type(ESCAPE)
    page.browser.until("!document.getElementById('palette').open")


TESTS = [answers_every_question, asks_sorts_and_goes_there, completes, completes_expressions, marks_what_it_found, changes_nothing, is_stopped, tabs_keep_their_place, all_tabs_have_room, palette_does_what_it_says]

if __name__ == "__main__":
    PLAN = [(SMALL_TRACE, TESTS)]
    if large_trace():
        PLAN.append((large_trace(), [asks_sorts_and_goes_there, tabs_keep_their_place]))
    sys.exit(main(__doc__, PLAN))
