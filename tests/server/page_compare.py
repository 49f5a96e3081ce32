#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_compare.py HISTREE [SCREENSHOTS] - the panel Compare: what differs between two spans, two traces and two hosts is what
`histree compare` says, number by number and word by word.  Screenshots and what is skipped are as in page.py."""
import json
import math
import os
import random
import shlex
import subprocess
import sys
import urllib.parse

from page import visiting
from page_hosts import of_two_hosts
from serving import SMALL_TRACE, Server, build, large_trace

PANEL = "page.panels.find((one) => one.name === 'compare')"
SPANS = 6


class Comparison:
    def __init__(self, histree, page, seed):
        self.histree, self.page, self.random = histree, page, random.Random(seed)

    def until_complete(self):
        self.page.browser.until(f"Boolean({PANEL}) && {PANEL}.isComplete", "both sides are compared")

    def rows_of_command(self, *options):
        words = shlex.split(self.page.get(f"{PANEL}.command"))
        assert words[:2] == ["histree", "compare"], words
        done = subprocess.run([self.histree, *words[1:], *options], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), (words, done.stderr)
        return done.stdout

    def equals_command(self):
        """Each number, and each word; those for people, as they are in the table, too."""
        self.until_complete()
        answer, rows = self.page.get(f"{PANEL}.data.answer"), json.loads(self.rows_of_command("--format", "json"))
        shown = answer.get("states") or answer["groups"]
        assert len(shown) == len(rows) > 0, (len(shown), len(rows))
        for one, row in zip(shown, rows):
            if "a_ns" in row:
                wanted = [row["what"], row["a_ns"], row["b_ns"], row["a_share"], row["b_share"], row["noise"]]
                found = [one["what"], one["aNs"], one["bNs"], one["a"], one["b"], one["noise"]]
            else:
                wanted = [row["value"], row["a_count"], row["b_count"], row["a_p50"], row["b_p99"], row["b_max"], row["longer"]]
                found = [one["name"], one["a"]["count"], one["b"]["count"], one["a"].get("p50"), one["b"].get("p99"), one["b"].get("max"),
                         one["longer"]]
            are_equal = all(a == b if not isinstance(a, float) else math.isclose(a, b, rel_tol=1e-8) for a, b in zip(wanted, found))
            assert are_equal and one["verdict"] == row["verdict"], (one, row)
        text = self.rows_of_command("--limit", "500")
        said = self.page.get(f"[...{PANEL}.body.rows].map((line) => line.children[line.children.length - 2].textContent)")
        if "states" in answer:
            lines = text.splitlines()[2:]
            assert len(lines) == len(said) and all(line.endswith(words) for line, words in zip(lines, said)), (lines, said)

    def select(self, first, last):
        self.page.run("page.viewport.mark('a', arguments_[0]); page.viewport.mark('b', arguments_[1])", first, last)

    def spans(self):
        """One span is kept, another one is selected: each side is what was selected then."""
        self.page.open("#views=control-flow")
        duration = self.page.get("page.viewport.duration")
        self.page.run("document.querySelector('#tabs [data-view=compare]').click()")
        self.until_complete()
        for i in range(SPANS):
            kept, selected = [sorted(self.random.sample(range(duration), 2)) for _ in range(2)]
            self.select(*kept)
            self.page.run(f"{PANEL}.keep.click()")
            self.select(*selected)
            self.page.browser.until(f"{PANEL}.isComplete && {PANEL}.data.range?.fromB === {selected[0]}", "the other span is compared")
            assert self.page.get(f"[{PANEL}.data.range.from, {PANEL}.data.range.to]") == [kept[0], kept[1] - 1]
            self.equals_command()
            if i == 0:
                self.page.shoot("compare-spans")
                self.page.run("page.viewport.setDark(true)")
                self.page.shoot("compare-spans-dark")
                self.page.run("page.viewport.setDark(false)")

    def segments(self):
        """How long system calls last, in both."""
        self.page.run(f"{PANEL}.set({{ of: 'system-calls' }})")
        self.equals_command()
        self.page.shoot("compare-segments")
        self.page.run(f"{PANEL}.set({{ of: '' }})")

    def stays_in_the_address(self):
        self.page.browser.until(f"new URLSearchParams(location.hash.slice(1)).get('compare') === JSON.stringify({PANEL}.settings)")
        before = self.page.get(f"{PANEL}.settings")
        self.page.open(self.page.get("location.hash"))
        self.until_complete()
        assert self.page.get(f"{PANEL}.settings") == before
        self.equals_command()

    def believes_no_address(self):
        """A host or span that is not there, which an address may say, is none of the sides."""
        usual, own = self.page.get(f"{PANEL}.settings"), self.page.get("page.viewport.duration")
        for wrong in ({"host": "nobody"}, {"span": [5, 5]}, {"span": [0, own + 1]}, {"span": "some"}, {"span": [0, "x"]}, {"trace": "none"}):
            wanted = {"a": {**usual["a"], **wrong}, "b": usual["b"], "of": "nothing"}
            self.page.open(f"#views=control-flow,compare&compare={urllib.parse.quote(json.dumps(wanted))}")
            self.until_complete()
            found = self.page.get(f"{PANEL}.settings")
            assert found == {"a": {**usual["a"], "host": "", "span": "all"}, "b": usual["b"], "of": ""}, (wrong, found)
        self.equals_command()

    def traces(self):
        """The other trace is chosen as B, all of it; swapped, it is A."""
        self.page.run("page.viewport.mark('a', null); page.viewport.mark('b', null)")
        own = self.page.get("page.viewport.duration")
        chosen = self.page.run(f"""const select = {PANEL}.sides[1], own = {PANEL}.experiment.uuid;
            select.value = [...select.options].map((one) => one.value).find((one) => JSON.parse(one).trace !== own);
            select.dispatchEvent(new Event("change"));
            return JSON.parse(select.value);""")
        assert chosen["span"] == "all"
        self.page.run(f"{PANEL}.set({{ a: {{ ...{PANEL}.settings.b, trace: {PANEL}.experiment.uuid }} }})")
        self.page.browser.until(f"{PANEL}.isComplete && {PANEL}.data.range.to === {own} && {PANEL}.data.range.toB !== {own}")
        self.equals_command()
        self.page.shoot("compare-traces")
        self.page.run(f"{PANEL}.root.querySelector('[title=\"swap A and B\"]').click()")
        self.page.browser.until(f"{PANEL}.isComplete && {PANEL}.data.range.toB === {own}")
        self.equals_command()

    def hosts(self):
        """Of a store of two hosts, these are the sides."""
        self.page.open("#views=control-flow,compare")
        self.until_complete()
        assert self.page.get(f"[{PANEL}.settings.a.host, {PANEL}.settings.b.host]") == ["a", "b"]
        self.equals_command()
        self.page.shoot("compare-hosts")


def compares(visit):
    histree, seed = sys.argv[1], int(os.environ.get("HISTREE_SEED", "1"))
    first = large_trace() or SMALL_TRACE
    stores = [build(histree, first, visit.folder / "first.histree", "-q"), build(histree, SMALL_TRACE, visit.folder / "second.histree", "-q")]
    if first == SMALL_TRACE:  # a part of it, so that both differ
        stores[1] = visit.folder / "part.histree"
        subprocess.run([histree, "copy", stores[0], stores[1], "--to", "+10ms"], check=True, stderr=subprocess.DEVNULL)
    with Server(histree, visit.folder, stores) as server, visit.page(server) as page:
        one = Comparison(histree, page, seed)
        for test in one.spans, one.segments, one.stays_in_the_address, one.believes_no_address, one.traces:
            visit.tally.run(test.__name__, test)
    store, _ = of_two_hosts(histree, visit.folder)
    with Server(histree, visit.folder, [store]) as server, visit.page(server) as page:
        visit.tally.run("hosts", Comparison(histree, page, seed).hosts)


if __name__ == "__main__":
    sys.exit(visiting(__doc__, compares))
