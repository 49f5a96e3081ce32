#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_time.py HISTREE [SCREENSHOTS] - the selection in the page: what the panel Time says of random spans is what
`histree top` says, and of a state that is clicked at, what `histree states` says.  Screenshots and what is skipped are as in
page.py."""
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

from browser import CONTROL
from page import visiting
from serving import SMALL_TRACE, Server, large_trace

PANEL = "page.panels.find((one) => one.name === 'time')"
KEYS = ["state", "cpu", "system_call", "thread", "name", "process", "had_by"]
SPANS = 12


def rows_of_command(command):
    done = subprocess.run([*command, "--format", "json"], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout) if done.stdout.strip() else []


class Selection:
    def __init__(self, histree, page, store, seed, is_large):
        self.histree, self.page, self.store, self.random, self.is_large = histree, page, store, random.Random(seed), is_large

    def until_complete(self):
        self.page.browser.until(f"Boolean({PANEL}) && {PANEL}.isComplete", "the panel Time is complete")

    def command(self):
        words = shlex.split(self.page.get(f"{PANEL}.command"))
        assert words[:2] == ["histree", "top"], words
        return [self.histree, *words[1:]]

    def equals_top(self):
        """Each row, and each time of it."""
        by = self.page.get(f"{PANEL}.settings.by")
        answer = self.page.get(f"{PANEL}.data.answer")
        rows = rows_of_command(self.command())
        assert answer["total"] == len(rows), (self.command(), answer["total"], len(rows))
        for shown, row in zip(answer["rows"], rows):
            wanted = row[by] if row[by] is not None else None
            assert str(shown.get(by)) == str(wanted), (self.command(), shown, row)
            assert shown["count"] == row["count"], (self.command(), shown, row)
            times = [row["duration"]] if by == "state" else [row[name] for name in answer["states"] if name in row]
            of = [sum(shown["ns"])] if by == "state" else [ns for name, ns in zip(answer["states"], shown["ns"]) if name in row]
            assert of == times, (self.command(), shown, row)
        self.equals_sql(by, answer, rows)

    def equals_sql(self, by, answer, rows):
        """The statement that is copied gives the same rows, and the same times, as the command."""
        statement = self.page.get(f"{PANEL}.statement")
        told = rows_of_command([self.histree, "sql", self.store, statement])
        assert len(told) == len(rows), (statement, len(told), len(rows))
        for said, row in zip(told, rows):
            key = None if row[by] == "?" else row[by]  # SQL has one NULL for what is unknown and what does not apply
            assert str(said[by]) == str(key) and said["count"] == row["count"], (statement, said, row)
            if by in ("state", "system_call", "had_by"):
                own = row["duration"] if by == "state" else sum(row.get(name, 0) for name in answer["states"])
                assert said["ns"] == own, (statement, said, row)
            else:
                shown = [name for name, ns in zip(answer["states"], answer["ns"]) if ns > 0]
                assert [said[name] for name in shown] == [row.get(name, 0) for name in shown], (statement, said, row)

    def drag_opens_it(self):
        self.page.open()
        start = self.page.point(0.3, 0.3)
        self.page.browser.drag(*start, self.page.point(0.5)[0], start[1] + 1)
        self.until_complete()
        a, b, span = self.page.get("[page.viewport.a, page.viewport.b, page.viewport.span]")
        assert abs((b - a) / span - 0.2) < 0.01 and "between the markers" in self.page.get(f"{PANEL}.what.textContent")
        self.equals_top()

    def numbers_are_those_of_top(self):
        duration = self.page.get("page.viewport.duration")
        for turn in range(SPANS):
            a = self.random.randrange(duration - 1)
            b = min(a + 1 + self.random.randrange(max(duration >> self.random.randrange(12), 1)), duration)
            self.page.run("page.viewport.mark('a', arguments_[0]); page.viewport.mark('b', arguments_[1])", a, b)
            by = KEYS[turn % len(KEYS)]
            self.page.run(f"{PANEL}.root.querySelector('[data-by={by}]').click()")
            self.until_complete()
            self.equals_top()

    def rows_that_are_dragged_over(self):
        """A drag over several rows counts those alone, also one that opens the panel; a click on what says so counts all again."""
        self.page.open('#control-flow={"sort":"tree"}')
        (x, y), (to_x, to_y) = self.page.point(0.2, 0.2), self.page.point(0.7, 0.6)
        self.page.browser.drag(x, y, to_x, to_y)
        self.until_complete()
        where = self.page.get(f"{PANEL}.where")
        assert 'thread matches "^(' in where, where
        self.equals_top()
        self.page.run(f"{PANEL}.root.querySelector('.chip').click()")
        self.until_complete()
        assert self.page.get(f"{PANEL}.where") == ""

    def cpus_that_are_dragged_over(self):
        (x, y), (to_x, to_y) = self.page.point(0.2, 0.05, "resources"), self.page.point(0.4, 0.9, "resources")
        self.page.browser.drag(x, y, to_x, to_y)
        self.until_complete()
        where = self.page.get(f"{PANEL}.where")
        assert re.fullmatch(r'cpu == 0|cpu matches "\^\(0\|[0-9|]+\)\$"', where), where
        self.equals_top()

    def more_rows_than_comparisons(self):
        """As many threads as an address has room for, in few comparisons."""
        said = self.page.run(f"""const chart = page.charts[0];
            await {PANEL}.onDraggedOver(await chart.infosOf(0, chart.total - 1), chart);
            return {PANEL}.settings.filters.at(-1)[0];""")
        self.until_complete()
        rows = self.page.get("page.charts[0].total")
        assert said.startswith(f"{min(rows, 512)} rows") and ("first 400 of" in said) == (rows > 512), (said, rows)
        self.equals_top()
        self.page.run(f"{PANEL}.root.querySelector('.chip').click()")

    def click_opens_it(self):
        """And it is about the state that was clicked at, over exactly its bounds, until a click shows the visible range again."""
        self.page.open('#control-flow={"sort":"tree"}')
        self.page.browser.click(*self.page.point(0.45, 0.25))
        self.until_complete()
        state = self.page.run("const [chart] = page.charts; return chart.state(chart.chosenRow, page.viewport.a)")
        assert self.page.get(f"{PANEL}.range") == {"from": state["start"], "to": state["end"]} and "chosen state" in self.page.get(f"{PANEL}.what.textContent")
        self.equals_top()
        self.page.run(f"{PANEL}.root.querySelector('.chip').click()")
        self.until_complete()
        assert self.page.get(f"[{PANEL}.range.from, {PANEL}.range.to]") == [0, self.page.get("page.viewport.duration") - 1]

    def process_that_is_clicked(self):
        """The panel is about its threads, whether its states or its name are clicked at; a thread that is clicked at next is no part of that."""
        self.page.open()
        position = self.page.get("page.charts[0].shown[0].rows.findIndex((one) => one.group !== undefined && one.folded && one.ppid !== 2)")
        kernel = self.page.get("page.charts[0].shown[0].rows.findIndex((one) => one.group !== undefined && one.folded && one.ppid === 2)")
        box = self.page.chart()

        def click(at, x):
            self.page.run(f"page.charts[0].scrollTo({at} * 18 - 40)")
            self.page.browser.click(round(box["x"] + x), round(box["y"] + self.page.get(f"page.charts[0].middleOf({at})")))
            self.page.rest()
            self.until_complete()

        for at, x in ((position, 100), (position, -150), (kernel, -150)):
            if at < 0:
                continue
            click(at, x)
            info = self.page.get(f"page.charts[0].infoAt({at})")
            told = self.page.get(f"{PANEL}.state.root.textContent")
            assert told.startswith(f"process {info['groupName']}") and f"threads{info['below'] + 1:,}ran here{info['ran']:,}" in told and "idle or not there" in told, told
            where = self.page.get(f"{PANEL}.where")
            assert where == f"process == {info['pid']}" if at == position else where.startswith(('thread matches "^(', "thread ==")), where
            assert "in the visible range" in self.page.get(f"{PANEL}.what.textContent")
            self.equals_top()
        self.page.shoot("time-process")
        self.page.run("page.charts[0].set({ sort: 'tree' })")
        self.page.ready()
        click(1, 200)
        assert self.page.get(f"{PANEL}.where") == ""

    def rows_beyond_the_foot(self):
        """A drag that leaves the chart scrolls it, and takes the rows that come into view."""
        self.page.open('#control-flow={"sort":"tree"}&views=control-flow,time')
        self.until_complete()
        visible, total = self.page.get("[Math.ceil(page.charts[0].height / 18), page.charts[0].total]")
        box = self.page.chart()
        self.page.browser.drag(round(box["x"] + 100), round(box["y"] + 30), round(box["x"] + 400), round(box["y"] + box["height"] + 60))
        self.until_complete()
        rows = self.page.get(f"{PANEL}.settings.filters.map(([said]) => said)")
        assert len(rows) == 1 and (int(rows[0].split()[0]) > visible or total <= visible), (rows, visible)
        self.equals_top()
        self.page.browser.drag(*self.page.point(0.2, 0.5), round(box["x"] + 400), 5)
        assert self.page.get("page.charts[0].top") == 0, "and back"

    def only_one_of_them(self):
        self.page.run(f"{PANEL}.root.querySelector('[data-by=state]').click()")
        self.page.browser.until(f"{PANEL}.isComplete && {PANEL}.body.querySelector('button[title^=\"count only\"]')")
        self.page.run(f"{PANEL}.body.querySelector('button[title^=\"count only\"]').click()")
        self.page.run(f"{PANEL}.root.querySelector('[data-by=thread]').click()")
        self.until_complete()
        assert self.page.get(f"{PANEL}.where").startswith("state == ")
        self.equals_top()
        self.page.shoot("time-thread")
        self.page.run(f"{PANEL}.root.querySelector('.chip').click()")

    def lines_lead_to_places(self):
        """A thread, a process and a CPU to a row; a state, a system call and a name to the first one that begins in the span, which stays selected."""
        self.page.open('#control-flow={"sort":"tree"}&views=control-flow,resources,time')
        duration = self.page.get("page.viewport.duration")
        self.page.run("page.viewport.mark('a', arguments_[0]); page.viewport.mark('b', arguments_[1])", duration // 4, duration // 2)
        span = self.page.get("page.viewport.selected")
        for by, text in ("state", "system call"), ("system_call", None), ("name", None), ("thread", None), ("process", None), ("had_by", None), ("cpu", None):
            self.page.run(f"{PANEL}.root.querySelector('[data-by={by}]').click()")
            self.until_complete()
            self.page.run("page.charts[0].choose(0)")
            said = self.page.run(f"""const all = [...{PANEL}.body.querySelectorAll('td:first-child button')];
                const one = arguments_[0] ? all.find((button) => button.textContent === arguments_[0]) : all[0];
                one?.click();
                return one && one.textContent;""", text)
            if said is None:
                continue  # the small trace has no line of that kind
            self.page.rest()
            assert self.page.get("page.viewport.selected") == span, by
            if by == "cpu":
                assert self.page.get("page.charts[1].chosenInfo.onCpu") == int(said), said
            elif by in ("thread", "process", "had_by"):
                assert str(self.page.get("page.charts[0].chosenInfo.tid")) == said.split()[-1], (by, said)
            else:
                row = self.page.get("page.charts[0].chosenRow")
                [place] = self.page.get("page.marks.all")
                state = self.page.run("return page.charts[0].state(...arguments_)", row, place["at"])
                assert (place["row"], place["at"], place["to"]) == (row, state["start"], state["end"] + 1) and span["from"] <= place["at"] < span["to"], (place, state)
                told = {"state": state["style"]["name"], "system_call": state["others"].get("System_call"), "name": self.page.get("page.charts[0].chosenInfo.name")}[by]
                assert told == said, (by, told, said)
            assert self.page.get("document.getElementById('error').hidden") is True
        self.page.run("page.viewport.mark('a', null); page.viewport.mark('b', null)")
        self.page.open("#views=control-flow,resources,time")

    def copies(self):
        """A button says that it copied, and then again what it does, even if it is clicked twice."""
        self.page.run("""window.copied = [];
            Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: async (text) => { copied.push(text); } } });""")
        self.until_complete()
        for what, of in ("command", "command"), ("SQL", "statement"):
            button = f"[...{PANEL}.root.querySelectorAll('button')].find((one) => one.textContent === 'Copy as {what}')"
            said = self.page.run(f"""window.copies = {button};
                for (let clicks = 0; clicks < 2; clicks++)
                    copies.click();
                for (let steps = 0; steps < 10; steps++)
                    await null;
                return copies.textContent;""")
            assert said == "Copied", said
            self.page.browser.until(f"copies.textContent === 'Copy as {what}'")
            assert self.page.get("copied.splice(0)") == [self.page.get(f"{PANEL}.{of}")] * 2

    def words_are_those_of_rows(self):
        """A state is called in the panel as rows, tips and the legend call it; one whose cause is unknown is no word in a row."""
        meanings = self.page.run("return await (await import('./api.js')).json('legend', {})")
        known = {style["name"]: style["light"] for group in ("threads", "CPUs") for style in meanings[group]}
        said = {}
        for by, where in ("thread", f"{PANEL}.head.querySelectorAll('th')"), ("state", f"{PANEL}.body.querySelectorAll('td:first-child')"):
            self.page.run(f"{PANEL}.root.querySelector('[data-by={by}]').click()")
            self.until_complete()
            said[by] = self.page.get(f"[...{where}].filter((one) => one.querySelector('.swatch')).map((one) => one.textContent)")
            assert said[by] and set(said[by]) <= set(known), said[by]
        self.page.shoot("time-words")
        drawn = self.page.drawn_texts("page.charts[0].set({ sort: 'tree' });")
        assert "blocked" in drawn and not any("waits," in text for text in drawn), set(drawn)
        if self.is_large:
            assert "Wait" in self.page.get("page.charts[0].shown.flatMap((block) => block.styles.map((style) => style.key))")
        self.page.run("page.charts[0].set({ sort: 'active' })")
        self.page.ready()

    def state_that_is_clicked(self):
        """Its bounds are those of the history, and the span that was dragged is selected no more."""
        self.page.run("page.charts[0].set({ sort: 'tree' })")  # each thread in a row of its own
        self.page.ready()
        self.page.browser.drag(*self.page.point(0.2, 0.25), *self.page.point(0.3, 0.25))
        assert self.page.get("page.viewport.b") is not None
        self.page.browser.click(*self.page.point(0.45, 0.25))
        self.page.browser.until(f"{PANEL}.state.isComplete && {PANEL}.state.root.textContent.includes('from')")
        assert self.page.get("page.viewport.b") is None
        said = dict(self.page.run(f"return [...{PANEL}.state.root.querySelectorAll('tr')].map((row) => "
                                          "[row.children[0].textContent, row.children[1].textContent])"))
        tid = self.page.get("page.charts[0].infoAt(page.charts[0].chosen).tid")
        at = self.page.get("String(page.viewport.start + BigInt(page.viewport.a))")
        [state] = rows_of_command([self.histree, "states", self.store, f"Threads/{tid}", "--at", at])
        clock = self.page.run("const time = await import('./time.js');"
                                      "return arguments_.map((ns) => time.clock(BigInt(ns), 0))", str(state["start"]), str(state["end"] + 1))
        assert [said["from"], said["to"]] == clock, (said, state)
        assert "pid" in said and all(name == name.lower() for name in said), said
        facts = self.page.run("""return (await import('./row_names.js')).factsOf({ name: "a", tid: 3, pid: 1, ppid: 2 },
            { others: { PPID: "2", PID: "1", Exec_name: "a", Prio: "20", System_call: "read", Some_word: "x" } }, ["pid", "ppid"])""")
        assert facts == [["priority", "20"], ["system call", "read"], ["Some word", "x"], ["pid", 1], ["ppid", 2]], facts
        self.page.shoot("time-state")

    def opens_with_what_was_chosen(self):
        """The row that was chosen stays in view when the panel takes room from it, and its state is told at once."""
        self.page.open('#control-flow={"sort":"tree"}&views=control-flow')
        chart = "page.charts[0]"
        at = self.page.get(f"Math.min(Math.floor({chart}.height / 18) - 1, {chart}.total - 1)")
        self.page.run(f"{chart}.choose(arguments_[0]); page.viewport.mark('a', page.viewport.duration / 2)", at)
        height = self.page.get(f"{chart}.height")
        self.page.run("document.querySelector('#tabs [data-view=time]').click()")
        self.page.browser.until(f"{chart}.height < {height} && {chart}.isComplete && {PANEL}?.state.isComplete", "the panel is open")
        y, height = self.page.get(f"[{chart}.middleOf({at}), {chart}.height]")
        assert 0 < y < height, (y, height)
        self.page.browser.until(f"{PANEL}.state.root.textContent.includes('from')", "its state is told")
        lines = self.page.get(f"new Set([...{PANEL}.head.querySelectorAll('th')].map((one) => one.offsetHeight)).size")
        assert lines == 1, "a head of a column is one line"

    def back_undoes_a_zoom(self):
        before = self.page.get("[page.viewport.from, page.viewport.to]")
        self.page.browser.until(f"location.hash.includes('from={before[0]}&to={before[1]}&')")
        self.page.run("page.viewport.zoom(0.1, (page.viewport.from + page.viewport.to) / 2)")
        zoomed = self.page.get("[page.viewport.from, page.viewport.to]")
        self.page.browser.until(f"location.hash.includes('from={zoomed[0]}&')")
        self.page.run("history.back()")
        self.page.browser.until(f"page.viewport.from === {before[0]} && page.viewport.to === {before[1]}")
        self.page.run("history.forward()")
        self.page.browser.until(f"page.viewport.from === {zoomed[0]} && page.viewport.to === {zoomed[1]}")
        self.page.run("location.hash = location.hash.replace(/from=\\d+&to=\\d+/, 'from=1000&to=21000')")
        self.page.browser.until("page.viewport.from === 1000 && page.viewport.span === 20000")

    def ctrl_moves(self):
        self.page.run("page.viewport.show(1e6, 2e6)")
        self.page.ready()
        self.page.browser.drag(*self.page.point(0.3), *self.page.point(0.5), CONTROL)
        assert self.page.get("page.viewport.from") < 1e6, "Ctrl and a drag to the right show earlier times"


def in_each_trace(visit):
    seed = int(os.environ.get("HISTREE_SEED", "1"))
    for i, trace in enumerate(filter(None, (SMALL_TRACE, large_trace()))):
        folder = visit.folder / str(i)
        folder.mkdir()
        store = folder / "trace.histree"
        subprocess.run([sys.argv[1], "build", "-q", "-a", "kernel,graph", "-o", store, trace], check=True,
                       stderr=subprocess.DEVNULL)
        with Server(sys.argv[1], folder, [store]) as server, visit.page(server) as page:
            one = Selection(sys.argv[1], page, store, seed + i, trace != SMALL_TRACE)
            for test in (one.click_opens_it, one.process_that_is_clicked, one.drag_opens_it, one.numbers_are_those_of_top, one.cpus_that_are_dragged_over,
                         one.rows_that_are_dragged_over, one.more_rows_than_comparisons, one.only_one_of_them, one.lines_lead_to_places, one.copies,
                         one.words_are_those_of_rows, one.state_that_is_clicked,
                         one.opens_with_what_was_chosen, one.back_undoes_a_zoom, one.ctrl_moves, one.rows_beyond_the_foot):
                visit.tally.run(f"{test.__name__}, {pathlib.Path(trace).name}", test)


if __name__ == "__main__":
    sys.exit(visiting(__doc__, in_each_trace))
