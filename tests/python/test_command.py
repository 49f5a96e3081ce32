#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the command works out, from Python: the same rows, pictures and pages, and errors in Python's words."""
import datetime
import subprocess
import sys
import unittest
import unittest.mock

from support import HISTREE, TRACE, command, folder, histree, main, need, rows_of

need("numpy", "pandas")


class Verbs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = str(folder() / "all.histree")
        command("build", "-q", "-a", "kernel,graph,system-calls,cpu-usage", "-o", cls.path, TRACE)
        cls.store = histree.open(cls.path)

    def test_rows_are_those_of_the_command(self):
        store, path = self.store, self.path
        for rows, words in (
                (store.top(), ["top", path]),
                (store.top(by=["cpu", "state"], from_="+5ms", to="+9ms"), ["top", path, "--by", "cpu,state", "--from", "+5ms", "--to", "+9ms"]),
                (store.why(14321), ["why", path, "14321"]),
                (store.why("burn", table="waits", limit=3), ["why", path, "burn", "--table", "waits", "--limit", "3"]),
                (store.critical_path(14321, rules="own"), ["why", path, "14321", "--table", "steps"]),
                (store.flame(waits=True), ["flame", path, "--waits"]),
                (store.stats("system-calls", where="duration > 1us"),
                 ["segments", path, "system-calls", "--by", "name", "--where", "duration > 1us"]),
                (store.density("system-calls", parts=3), ["segments", path, "system-calls", "--histogram", "--parts", "3"]),
                (store.compare(store, to="+10ms", from_b="+10ms"), ["compare", path, path, "--to", "+10ms", "--from-b", "+10ms"]),
                (store.numbers("Threads/*/Prio", where="name == burn"),
                 ["states", "--numbers", path, "Threads/*/Prio", "--where", "name == burn"])):
            self.assertGreater(len(rows), 0, words)
            self.assertEqual(list(rows), rows_of(*words), words)
        self.assertEqual(self.store.top(where="name == nobody"), [])

    def test_threads_of_any_states_are_named(self):
        rows = rows_of("states", self.path, "-a", "cpu-usage", "--at", "+9ms", "--where", "name == burn")
        self.assertGreater(len(rows), 0)
        self.assertEqual(sorted(each.path for each in self.store.states(at="+9ms", analysis="cpu-usage", where="name == burn")),
                         sorted(row["path"] for row in rows))

    def test_keywords_that_would_print_something_else(self):
        for keyword in ({"help": True}, {"format": "tsv"}):
            with self.assertRaisesRegex(histree.ArgumentError, "is no keyword here"):
                self.store.critical_path(14321, **keyword)

    def test_times_go_in_and_out(self):
        first = datetime.datetime.fromtimestamp(self.store.start // 10**9 + 1, datetime.timezone.utc)
        with self.assertRaises(histree.ArgumentError):
            self.store.top(from_=first)  # it is after the end
        rows = self.store.critical_path(14321, rules="own", from_=self.store.start)
        frame = rows.to_pandas()
        self.assertEqual(str(frame["start"].dtype), "datetime64[ns, UTC]")
        self.assertEqual(frame["start"][0].value, rows[0]["start"])
        self.assertIn("<th>start</th>", rows._repr_html_())

    def test_pictures_and_pages(self):
        if b"built without cairo" in subprocess.run([HISTREE, "draw", self.path, "-o", "-"], capture_output=True, check=False).stderr:
            self.skipTest("built without cairo")
        picture = self.store.states("Threads/14321", from_="+5ms", to="+9ms").plot()
        self.assertEqual(picture, self.store.draw("Threads/14321", from_="+5ms", to="+9ms"))
        self.assertIn("<svg", picture._repr_svg_())
        thread = self.store.attributes("Threads/14321")[0]
        for same in thread, thread.quark, [thread], iter([thread.quark]):
            self.assertEqual(self.store.states(same, from_="+5ms", to="+9ms").plot(), picture)
        self.assertEqual(self.store.flame("burn", waits=True).svg, command("flame", self.path, "burn", "--waits", "--output", "-"))
        page = self.store.report(limit=3)
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertIn("<iframe", page._repr_html_())
        page.save(folder() / "page.html")
        self.assertEqual((folder() / "page.html").read_text(), page)
        with self.assertRaisesRegex(histree.ArgumentError, "'from_' and 'to'"):
            self.store.states("Threads/*", at="+5ms").plot()

    def test_files_are_made(self):
        out = folder() / "calls.csv"
        self.store.export(out, analysis="system-calls")
        self.assertEqual(out.read_text(encoding="utf-8"), command("export", self.path, "-a", "system-calls", "-o", "-", "--format", "csv"))
        with self.assertRaisesRegex(histree.ExistsError, "force=True"):
            self.store.export(out, analysis="system-calls")
        self.store.export(out, analysis="system-calls", force=True)
        part = folder() / "part.histree"
        self.store.copy(part, from_="+5ms", to="+9ms", thread="burn")
        self.assertEqual(histree.open(part).start, self.store.time("+5ms"))
        whole = folder() / "whole.histree"
        self.store.copy(whole)
        histree.open(whole).add("futex")
        self.assertIn("futex", [each.name for each in histree.open(whole).analyses])

    def test_what_is_wrong_is_said_as_python_has_it(self):
        with self.assertRaisesRegex(histree.ArgumentError, "'from_': "):
            self.store.top(from_="+1h")
        with self.assertRaisesRegex(histree.ArgumentError, "unknown option 'colour'"):
            self.store.top(colour="blue")
        with self.assertRaisesRegex(histree.NotFoundError, "'futex'"):
            self.store.stats("futex")
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "need pandas: 'pip install pandas'"):
                self.store.top().to_pandas()
        closed = histree.open(self.path)
        closed.close()
        self.assertRaises(histree.ClosedError, closed.top)


if __name__ == "__main__":
    main()
