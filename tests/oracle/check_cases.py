#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Small files like those that users bring, with the answers that are right: traces that tools wrote in other ways than
their manuals say.  The test is skipped where the files are not (support/data.py).

    check_cases.py HISTREE [TEST...]
"""
import csv
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from data import shared  # noqa: E402

SKIPPED = 77
HISTREE, CASES = None, None
MS = 1_000_000


class Cases(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="histree-cases-"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    # ---- the command

    def run_histree(self, *words, status=0):
        done = subprocess.run([HISTREE, *map(str, words)], capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, status, (words, done.stderr.decode(errors="replace")))
        return done.stdout.decode(), done.stderr.decode(errors="replace")

    def build(self, case, *options, status=0):
        """The store of a case and what was said of it; it is built once for each choice of options."""
        (path,) = sorted(p for p in (CASES / case).parent.glob((CASES / case).name + "*") if p.suffix != ".textproto")
        store = self.folder / "-".join([path.name, *map(str, options)]).replace("/", "_")
        said = self.run_histree("build", "--force", "-o", store, *options, path, status=status)[1]
        return store, said

    def rows(self, verb, store, *words, status=0):
        text = self.run_histree(verb, store, *words, "--format", "tsv", status=status)[0]
        return list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))

    def top(self, store, thread, *words):
        (row,) = [row for row in self.rows("top", store, *words) if row["thread"] == str(thread)]
        return {key: int(value) for key, value in row.items() if key in
                ("user", "system", "interrupted", "waiting", "blocked", "other", "unknown", "count")}

    def spans(self, store, first=0):
        """name, start, end, depth of each span, in microseconds since `first` ns."""
        return sorted((row["name"], (int(row["start"]) - first) / 1000, (int(row["end"]) - first) / 1000, int(row["depth"] or 0))
                      for row in self.rows("segments", store, "track-spans"))

    def states(self, store, *words):
        """path: [(start, end, value)...] of what is not null."""
        found = {}
        for row in self.rows("states", store, *words):
            if row["type"] != "null":
                found.setdefault(row["path"], []).append((int(row["start"]), int(row["end"]), row["value"]))
        return found

    def folded(self, store, *words):
        text = self.run_histree("flame", store, "--folded", *words)[0]
        return {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in text.splitlines()}

    def events(self, store, *words):
        return self.rows("events", store, *words)

    # ---- formats

    def test_a_loss_ends_with_the_next_event(self):
        row = self.top(self.build("formats/01")[0], 77)
        self.assertEqual(row["user"], 200 * MS)
        self.assertAlmostEqual(row["blocked"], 90 * MS, delta=10)
        self.assertLessEqual(row["unknown"], 5 * MS)

    def test_atrace_markers(self):
        store = self.build("formats/03")[0]
        spans = {row["name"]: row for row in self.rows("segments", store, "track-spans")}
        first = 10 * 1000 * MS
        for name, start, end, depth in (("doFrame", 0, 10, 1), ("draw", 2, 5, 2), ("anim", 7, 20, 1)):
            self.assertEqual([int(spans[name][key]) for key in ("start", "end", "depth")],
                             [first + start * MS, first + end * MS, depth], name)
        self.assertEqual((spans["draw"]["pid"], spans["draw"]["tid"]), ("100", "101"))
        counters = [(start, value) for path, states in self.states(store, "-a", "tracks").items() if "missed" in path
                    for start, _, value in states]
        self.assertEqual([(start, float(value)) for start, value in counters], [(first + 6 * MS, 3.0)])
        self.assertEqual(sum(event["type"] == "instant" and "tick" in event["contents"] for event in self.events(store)), 1)

    def test_atrace_print(self):
        store = self.build("formats/04")[0]
        (row,) = self.rows("segments", store, "track-spans")
        self.assertEqual([row[key] for key in ("name", "start", "end", "pid", "tid")], ["load", "1000", "5000", "100", "101"])
        counters = [(start, float(value)) for path, states in self.states(store, "-a", "tracks").items() if "queue" in path
                    for start, _, value in states]
        self.assertEqual(counters, [(6000, 3.0), (9000, 5.0)])

    def test_perf_script_stacks(self):
        store = self.build("formats/06")[0]
        self.assertEqual(self.folded(store), {"main;outer;inner": 250000, "main;outer": 250000,
                                              "[unknown];operator new(unsigned long)": 100000})
        rows = self.rows("segments", store, "samples")
        self.assertEqual(len(rows), 3)
        self.assertIn("DB Worker 3", str(rows))
        self.assertEqual({row.get("pid") for row in rows}, {"2120"})

    def test_perf_script_without_times(self):
        store = self.build("formats/07")[0]
        self.assertEqual(self.folded(store, "--count"), {"main;LazyCompile:~body_0 app.js:1": 1, "main": 1})

    def test_perf_script_without_cpus(self):
        row = self.top(self.build("formats/08")[0], 4735)
        self.assertEqual((row["user"] // MS, row["blocked"] // MS), (100, 100))

    def test_ends_crossed(self):
        self.assertEqual(self.spans(self.build("formats/10")[0]),
                         [("load", 0, 50, 2), ("next", 60, 65, 1), ("parse", 0, 50, 3), ("start", 0, 50, 1)])

    def test_begin_without_end_in_its_parent(self):
        store, said = self.build("formats/12")
        self.assertEqual(self.spans(store), [("Child", 210, 220, 2), ("Raster", 10, 100, 2), ("Task", 0, 100, 1),
                                             ("Task2", 200, 250, 1)])
        self.assertIn("without an end", said)
        self.assertEqual(sum(self.folded(store).values()), 150_000)

    def test_open_at_the_end(self):
        store = self.build("formats/13")[0]
        self.assertIn(("Session", 0, 100, 1), self.spans(store))
        (row,) = [row for row in self.rows("segments", store, "track-spans") if row["name"] == "Session"]
        self.assertIn("open", str(row))
        self.assertIn("Session", self.run_histree("segments", "--by", "name", store, "track-spans")[0])
        self.assertIn("Session", self.run_histree("report", store)[0])

    def test_arguments_of_the_end(self):
        store = self.build("formats/14")[0]
        args = {row["name"]: json.loads(row["args"]) for row in self.rows("segments", store, "track-spans")}
        self.assertEqual(args, {"call": {"in": 1, "retval": "7"}, "req": {"url": "u", "status": 200}})

    def test_numbers_as_c_prints_them(self):
        store = self.build("formats/16")[0]
        self.assertEqual([(name, end - start) for name, start, end, _ in self.spans(store)], [("copy", 10), ("next", 10)])
        values = {path.rpartition("/")[2]: states for path, states in self.states(store).items()}
        self.assertEqual([value for _, _, value in values["usr"]], ["12.5"])
        self.assertEqual([states for name, states in values.items() if name in ("sys", "idle")], [])

    def test_counters_of_text(self):
        values = {path: [value for _, _, value in states] for path, states in self.states(self.build("formats/18")[0]).items()}
        (of_a,) = [numbers for path, numbers in values.items() if path.endswith("mem/a")]
        self.assertEqual([float(value) for value in of_a], [25.5, 30])

    def test_marks(self):
        times = [int(event["time"]) for event in self.events(self.build("formats/20")[0]) if "navigationStart" in str(event)
                 or "firstPaint" in str(event)]
        self.assertEqual(times, [100_000, 300_000])

    def test_two_arrays_and_a_leading_comma(self):
        for case in ("formats/22", "formats/26"):
            self.assertEqual([span[0] for span in self.spans(self.build(case)[0])], ["A", "B"], case)

    def test_a_lone_backslash(self):
        store, said = self.build("formats/28")
        names = [span[0] for span in self.spans(store)]
        self.assertIn("ok", names)
        self.assertTrue(len(names) == 2 or "byte" in said, said)

    def test_task_rename(self):
        states = self.states(self.build("formats/23")[0])
        (names,) = [[(start, end, value) for start, end, value in of] for path, of in states.items() if path.endswith("Exec_name")
                    and any(value == "GC-worker" for _, _, value in of)]
        java = [end for _, end, value in names if value == "java"]
        worker = [start for start, _, value in names if value == "GC-worker"]
        self.assertEqual((java[-1], worker[0]), (10_099_999_999, 10_100_000_000))

    def test_flags_that_touch_the_time(self):
        row = self.top(self.build("formats/24")[0], 77)
        self.assertEqual((row["user"] // MS, row["blocked"] // MS), (100, 100))

    def test_tracks_of_states(self):
        (states,) = [of for path, of in self.states(self.build("formats/29")[0]).items() if any(v == "Up" for _, _, v in of)]
        self.assertEqual([(start, value) for start, _, value in states], [(100, "Down"), (200, "Up"), (300, "Down")])
        self.assertEqual([end for _, end, _ in states][:2], [199, 299])

    def test_ftrace_inside_of_others(self):
        for case in ("formats/31", "formats/34"):
            row = self.top(self.build(case)[0], 101)
            self.assertEqual((row["user"] // MS, round(row["blocked"] / MS)), (5, 3), case)

    def test_samples_of_json(self):
        self.assertEqual(self.folded(self.build("formats/32")[0], "--count"), {"root;work": 2, "root": 1})

    def test_folded_stacks(self):
        found = self.folded(self.build("formats/36")[0])
        self.assertEqual(found, {"java;main;run": 10, "java;main": 5, "java;main;run;gc": 2})

    def test_perf_data_as_json(self):
        self.assertEqual(self.folded(self.build("formats/37")[0], "--count"), {"main;inner": 1, "main": 1})

    def test_states_of_threads_in_json(self):
        states = self.states(self.build("formats/39")[0])
        (of,) = [of for of in states.values() if any(value == "Running" for _, _, value in of)]
        self.assertEqual([(end - start + 1, value) for start, end, value in of], [(5 * MS, "Running"), (10 * MS, "S"), (4 * MS, "Running")])

    def test_function_graph(self):
        store = self.build("formats/40")[0]
        try:
            rows = self.rows("segments", store, "track-spans")
        except AssertionError:
            rows = self.rows("segments", store, "function-calls")
        self.assertEqual(sorted((next(v for k, v in row.items() if k in ("name", "function")), int(row["duration"])) for row in rows),
                         [("do_sys_open", 10_000), ("getname", 3_000), ("kmem_cache_alloc", 1_000)])

    def test_sort_indexes(self):
        lines = self.run_histree("info", "--attributes", self.build("formats/41")[0])[0]
        self.assertLess(lines.index("40"), lines.index("10"))

    def test_speedscope(self):
        self.assertEqual([(name, end - start) for name, start, end, _ in self.spans(self.build("formats/42")[0])],
                         [("a", 10), ("b", 4)])

    def test_processes(self):
        for case in ("formats/44", "formats/45"):
            rows = {row["process"]: int(row["user"]) for row in self.rows("top", self.build(case)[0], "--by", "process")}
            self.assertEqual(rows["100"], 30 * MS, case)
            self.assertFalse({"101", "102", "205"} & set(rows), case)
        rows = {row["process"]: int(row["user"]) for row in self.rows("top", self.build("formats/44")[0], "--by", "process")}
        self.assertEqual(rows["200"], 10 * MS)

    # ---- kernel and CTF

    def test_any_ctf_trace_builds(self):
        for case, count, times in (("kernel/01", 4, [5, 10, 12, 15]), ("kernel/06", 4, None), ("kernel/02", 6, None),
                                   ("kernel/03", 4, None), ("kernel/26", 2, None)):
            store, said = self.build(case)
            events = self.events(store)
            if case != "kernel/03":
                self.assertEqual(len(events), count, case)
            found = [int(event["time"]) for event in events]
            self.assertEqual(found, sorted(found))
            if times:
                self.assertEqual([time / 1e9 for time in found], times)
            if case == "kernel/06":
                self.assertEqual(found[0], 0)
            if case == "kernel/02":
                self.assertEqual((found[0], found[-1]), (1000, 9200))
            if case != "kernel/26":  # which says that it is of LTTng's user space, and lacks calls of functions
                self.assertIn("analysis", said)

    def test_processes_by_contexts(self):
        store = self.build("kernel/05")[0]
        rows = {row["process"]: row for row in self.rows("top", store, "--by", "process")}
        self.assertTrue({"600", "700"} <= set(rows), rows)
        self.assertFalse({"601", "602"} & set(rows), rows)

    def test_old_names_of_libc(self):
        store = self.build("kernel/08")[0]
        rows = self.rows("segments", store, "allocations")
        self.assertEqual(len(rows), 2)
        self.assertEqual(sorted(int(row["bytes"]) for row in rows), [64, 100])

    def test_labels_of_enumerations(self):
        store = self.build("kernel/12")[0]
        text = self.run_histree("events", store)[0]
        for words in ("st=RUN", "st2=WAIT", "hex=0xff"):
            self.assertIn(words, text)
        for where in ("st == RUN", "hex == 0xff"):
            self.assertEqual(len(self.events(store, "--where", where)), 1, where)

    def test_states_of_all_kernels(self):
        row = self.top(self.build("kernel/14")[0], 101)
        self.assertLess(row["waiting"], MS)

    def test_waking_before_the_switch(self):
        rows = self.rows("segments", self.build("kernel/16", "-a", "kernel,wakeups")[0], "wakeups")
        (row,) = [row for row in rows if row["tid"] == "101"]
        self.assertEqual(row["waker"], "102")
        self.assertIn(int(row["start"]), (100_001_010_000, 100_001_000_000))

    def durations(self, store, segments):
        return [(row["name"], int(row["duration"])) for row in self.rows("segments", store, segments)]

    def test_guests_locks_and_idle_states(self):
        self.assertEqual(self.durations(self.build("kernel/21")[0], "guest-runs"), [("EPT_VIOLATION", MS), ("HLT", 3 * MS)])
        locks = self.rows("segments", self.build("kernel/23")[0], "locks")
        self.assertEqual([(row["name"], row["lock"], int(row["duration"]), row["tid"]) for row in locks],
                         [("SPIN", "0xaaaa0001", 400_000, "101"), ("MUTEX", "0xbbbb0002", 5_200_000, "101")])
        store = self.build("kernel/24")[0]
        self.assertEqual(self.durations(store, "idle-states"), [("C1", 2 * MS), ("C3", 10 * MS)])
        status = self.states(store)["CPUs/0"][0]
        self.assertEqual(status[0], 100_000 * MS)
        self.assertEqual(status[2], "0", "a CPU is idle before its first switch")

    def test_work_timers_and_softirqs(self):
        store = self.build("kernel/25")[0]
        self.assertEqual(self.durations(store, "work-queued"), [("flush_work_fn", 500_000)])
        self.assertEqual(self.durations(store, "work"), [("flush_work_fn", 2_000_000)])
        self.assertEqual(self.durations(store, "timers"), [("tick_fn", 70_000)])
        self.assertEqual(self.durations(store, "softirq-raises"), [("TIMER", 250_000)])
        (row,) = self.rows("segments", self.build("kernel/25", "-a", "softirqs")[0], "softirqs")
        self.assertEqual(int(row["duration"]), 150_000)

    def test_latency_format(self):
        store = self.build("kernel/17")[0]
        self.assertEqual([self.top(store, tid)["user"] for tid in (101, 102)], [10 * MS, 20 * MS])

    def test_why_packets_are_refused(self):
        for case, word in (("kernel/18", "clock"), ("kernel/19", "UUID"), ("kernel/20", "32")):
            (path,) = (CASES / case).parent.glob((CASES / case).name + "*")
            done = subprocess.run([HISTREE, "build", "--force", "-o", self.folder / "refused", path], capture_output=True,
                                  timeout=60, check=False)
            self.assertIn(word.lower(), done.stderr.decode().lower(), case)

    def test_array_length_of_env(self):
        text = self.run_histree("events", self.build("kernel/26")[0])[0]
        self.assertIn("v=[1, 2, 3]", text)
        self.assertIn("v=[4, 5, 6]", text)


def main():
    global HISTREE, CASES
    HISTREE, CASES = sys.argv[1], shared("cases")
    if CASES is None:
        print("skipped: the cases are not here")
        return SKIPPED
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])


if __name__ == "__main__":
    sys.exit(main())
