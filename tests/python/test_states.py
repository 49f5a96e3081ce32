#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""States, attributes, segments and events are those that the command prints, and what is no question is refused."""
import datetime
import json
import unittest

from support import TRACE, command, demo, histree, main, rows_of


def printed(rows):
    return sorted(([row.path, row.start, row.end, row.type, row.value] for row in rows), key=repr)


def of_command(rows):
    return sorted(([row["path"], row["start"], row["end"], row["type"], row["value"]] for row in rows), key=repr)


class States(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = demo()
        cls.store = histree.open(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.store.close()

    def test_all_states_are_those_of_the_command(self):
        info = self.store.history().info
        asked = rows_of("states", self.path, "--from", info.start, "--to", info.end, "**")
        self.assertGreater(len(asked), 5000)
        self.assertEqual(printed(self.store.states()), of_command(asked))

    def test_one_time(self):
        asked = rows_of("states", self.path, "--at", "+12ms", "Threads/*", "CPUs/**")
        self.assertEqual(printed(self.store.states(["Threads/*", "CPUs/**"], at="+12ms")), of_command(asked))
        self.assertEqual(printed(self.store.states(at="+12ms")), of_command(rows_of("states", self.path, "--at", "+12ms")))

    def test_a_range(self):
        asked = rows_of("states", self.path, "--from", "+10ms", "--to", "+12ms", "Threads/*")
        self.assertEqual(printed(self.store.states("Threads/*", from_="+10ms", to="+12ms")), of_command(asked))

    def test_an_expression(self):
        for where in ("value == 5 && duration > 100us", "path == CPUs/0 || label contains wait", "path == nobody",
                      "name == burn && label == 'waits for a CPU'", "process == 14324 && !(thread == 14753)"):
            asked = rows_of("states", self.path, "--where", where)
            self.assertEqual(printed(self.store.states(where=where)), of_command(asked), where)
        asked = rows_of("states", self.path, "--at", "+12ms", "--where", "type == int", "CPUs/**")
        self.assertEqual(printed(self.store.states("CPUs/**", at="+12ms", where="type == int")), of_command(asked))
        with self.assertRaisesRegex(histree.ArgumentError, "'value'"):
            self.store.states(where="valeu == 5").first()

    def test_an_expression(self):
        where = "type == int && value == 5 && duration > 100us"
        asked = rows_of("states", self.path, "--from", "+0ms", "--to", str(self.store.history().end), "--where", where,
                        "Threads/*")
        self.assertGreater(len(asked), 5)
        self.assertEqual(printed(self.store.states("Threads/*", where=where)), of_command(asked))
        with self.assertRaisesRegex(histree.ArgumentError, "colour"):
            list(self.store.states(where="colour == 5"))

    def test_one_value(self):
        history = self.store.history()
        for row in list(self.store.states())[::97]:
            self.assertEqual(history.state(row.quark, row.start), row.value)
            self.assertEqual(history.state(row.path, row.end), row.value)
        with self.assertRaises(histree.TimeRangeError):
            history.state("CPUs/0", 5)
        with self.assertRaises(histree.QuarkError):
            history.state(4000000, history.start)

    def test_a_list_of_times(self):
        start = self.store.start
        times = [start + each * 1_000_000 for each in (1, 5, 9, 9)]
        together = self.store.states("CPUs/**", at=times)
        apart = {tuple(row) for each in times for row in self.store.states("CPUs/**", at=each)}
        self.assertEqual(sorted(map(tuple, together), key=repr), sorted(apart, key=repr))

    def test_a_time_has_many_forms(self):
        # A microsecond is as fine as a datetime is.
        ns = self.store.start // 1000 * 1000 + 5_000_000
        moment = histree.datetime_of(ns)
        self.assertEqual(moment.tzinfo, datetime.timezone.utc)
        elsewhere = moment.astimezone(datetime.timezone(datetime.timedelta(hours=-7)))
        clock = moment.strftime("%H:%M:%S.%f")
        for form in (ns, moment, elsewhere, clock, moment.strftime("%Y-%m-%dT%H:%M:%S.%f"), str(ns)):
            self.assertEqual(self.store.time(form), ns, form)
        self.assertEqual(self.store.time("+5ms"), self.store.start + 5_000_000)
        row = self.store.states("CPUs/0", at=moment, times="datetime").first()
        self.assertLessEqual(row.start, moment)
        self.assertIsNotNone(row.end.tzinfo)
        for time in (0, -1, -1_000_000_001_000, ns):
            self.assertEqual(histree.ns_of(histree.datetime_of(time)), time // 1000 * 1000)

    def test_attributes_are_those_of_the_command(self):
        listed = [(row["quark"], row["path"]) for row in rows_of("info", "--attributes", self.path, "**")]
        self.assertEqual(sorted((each.quark, each.path) for each in self.store.attributes()), sorted(listed))
        history = self.store.history()
        for attribute in self.store.attributes("CPUs/*"):
            self.assertEqual(history.quark(attribute.path), attribute.quark)
            self.assertEqual(attribute.parent, history.quark("CPUs"))
            # An attribute, its number and its path are one thing.
            by_path = list(self.store.states(attribute.path, at="+1ms"))
            self.assertEqual(list(self.store.states(attribute, at="+1ms")), by_path)
            self.assertEqual(list(self.store.states(attribute.quark, at="+1ms")), by_path)
            self.assertEqual(self.store.state(attribute.path, at="+1ms"), by_path[0].value)

    def test_labels_are_those_of_the_command(self):
        rows = list(self.store.states("Threads/*", at="+35ms"))
        text = command("states", self.path, "--at", "+35ms", "Threads/*")
        known = [row for row in rows if row.label]
        self.assertGreater(len(known), 8)
        for row in known:
            self.assertIn(f" {row.value} {row.label} ", text)

    def test_columns_choose(self):
        rows = list(self.store.states("Threads/*", at="+3ms", columns=["path", "value"]))
        self.assertEqual(rows[0]._fields, ("path", "value"))
        self.assertEqual([tuple(row) for row in rows],
                         [(row.path, row.value) for row in self.store.states("Threads/*", at="+3ms")])

    def test_threads_answer_the_same(self):
        self.assertEqual(list(self.store.states(threads=4)), list(self.store.states()))

    def test_info(self):
        info = self.store.info
        self.assertEqual(info.event_count, len(rows_of("events", self.path)))
        self.assertTrue(info.complete)
        self.assertEqual(info.traces, (str(TRACE),))
        self.assertEqual([(each.name, each.kind) for each in self.store.analyses],
                         [("kernel", "states"), ("system-calls", "segments")])
        history = self.store.history("kernel")
        self.assertEqual(history.info.attribute_count, len(self.store.attributes()))
        self.assertEqual(history.info.provider, "kernel")
        self.assertIs(self.store.history("kernel"), history)

    def test_what_is_no_question_is_refused(self):
        cases = [
            (histree.NotFoundError, "no attribute matches 'Nobody'", lambda: self.store.states("Nobody")),
            (histree.ArgumentError, "backslash", lambda: self.store.states("CPUs/0\\")),
            (histree.ArgumentError, "'soon' is not a time", lambda: self.store.states(at="soon")),
            (histree.ArgumentError, "no time zone", lambda: self.store.states(at=datetime.datetime(2026, 11, 20))),
            (histree.ArgumentError, "is no time", lambda: self.store.states(at=1.5)),
            (histree.ArgumentError, "is no time", lambda: self.store.states(at=True)),
            (histree.ArgumentError, "the list of times is empty", lambda: self.store.states(at=[])),
            (histree.ArgumentError, "before it begins", lambda: self.store.states(from_="+2ms", to="+1ms")),
            (histree.ArgumentError, "leave out 'from_'", lambda: self.store.states(at="+1ms", to="+2ms")),
            (histree.ArgumentError, "no column 'colour'", lambda: self.store.states(columns=["colour"])),
            (histree.ArgumentError, "no column is wanted", lambda: self.store.states(columns=[])),
            (histree.ArgumentError, "neither a pattern", lambda: self.store.states([1.5])),
            (histree.ArgumentError, "byte 0", lambda: self.store.states("CPUs\0")),
            (histree.QuarkError, "no attribute 4000000", lambda: self.store.states(4000000)),
            (histree.QuarkError, "no attribute -1", lambda: self.store.states(-1)),
            (histree.TimeRangeError, "outside", lambda: list(self.store.states(at=0))),
            (histree.TimeRangeError, "64 bits", lambda: list(self.store.states(at=1 << 80))),
            (histree.NotFoundError, "nothing", lambda: self.store.states(analysis="nothing")),
            (histree.NotFoundError, "nothing", lambda: self.store.segments("nothing")),
            (histree.ArgumentError, "times='week'", lambda: self.store.states(times="week")),
            (histree.ArgumentError, "times='week'", lambda: histree.open(self.path, times="week")),
            (histree.ArgumentError, "thread", lambda: list(self.store.states(threads=1000))),
        ]
        for kind, text, action in cases:
            with self.subTest(text=text), self.assertRaisesRegex(kind, text) as caught:
                action()
            self.assertIsInstance(caught.exception, histree.Error)

    def test_exceptions_are_those_of_python_too(self):
        with self.assertRaises(LookupError):
            self.store.states("Nobody")
        with self.assertRaises(ValueError):
            self.store.time("soon")


class Segments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = demo()
        cls.store = histree.open(cls.path)

    def check(self, arguments, **options):
        asked = rows_of("segments", self.path, "system-calls", *arguments)
        got = [row._asdict() for row in self.store.segments("system-calls", **options)]
        for row in got:
            row["return"] = row.pop("return_")
            self.assertEqual(row["duration"], row["end"] - row["start"])
        names = ["start", "end", "name", "tid", "process", "return", "arguments"]
        self.assertGreater(len(asked), 3)
        self.assertEqual([[row[name] for name in names] for row in got], [[row[name] for name in names] for row in asked])

    def test_orders_and_filters(self):
        self.check(["--sort", "start"], sort="start")
        self.check(["--sort", "duration", "--reverse", "--limit", "10"], sort="duration", reverse=True, limit=10)
        self.check(["--sort", "name"], sort="name")
        self.check(["--where", "duration > 100us && name == futex", "--sort", "end"],
                   where="duration > 100us && name == futex", sort="end")
        self.check(["--from", "+5ms", "--to", "+9ms", "--sort", "start"], from_="+5ms", to="+9ms", sort="start")

    def test_columns_and_refusals(self):
        row = self.store.segments("system-calls", columns=["name", "start"]).first()
        self.assertEqual(row._fields, ("start", "name"))
        for text, action in (
                ("no column 'colour'", lambda: self.store.segments("system-calls", columns=["colour"])),
                ("no field 'colour'", lambda: self.store.segments("system-calls", sort="colour"))):
            with self.subTest(text=text), self.assertRaisesRegex(histree.NotFoundError, text):
                action()
        with self.assertRaisesRegex(histree.ArgumentError, "column"):
            self.store.segments("system-calls", where="duration >> 1")
        with self.assertRaises(histree.ArgumentError):
            self.store.segments("system-calls", limit=-1)


class Events(unittest.TestCase):
    def test_events_are_those_of_the_command(self):
        path = demo()
        with histree.open(path) as store:
            asked = rows_of("events", path, "--from", "+5ms", "--to", "+6ms")
            got = list(store.events(from_="+5ms", to="+6ms"))
            self.assertGreater(len(got), 10)
            self.assertEqual([(each.number, each.time, each.cpu) for each in got],
                             [(row["number"], row["time"], row["cpu"]) for row in asked])
            everything = list(store.events())
            self.assertEqual(len(everything), store.info.event_count)
            self.assertEqual({each.name for each in everything}, set(store.event_types))
            switches = list(store.events(names=["sched:sched_switch"], fields=["next_pid", "next_comm", "absent"], limit=7))
            self.assertEqual(len(switches), 7)
            for each in switches:
                self.assertIn(f"next_pid={each.fields['next_pid']}", each.contents)
                self.assertIn(f"next_comm={each.fields['next_comm']}", each.contents)
                self.assertIsNone(each.fields["absent"])
            with self.assertRaisesRegex(histree.NotFoundError, "no events 'lunch'"):
                store.events(names=["lunch"])
            self.assertEqual(store.gaps, [])
            where = "type == 'sched:sched_switch' && next_pid > 0"
            asked = rows_of("events", path, "--where", where)
            self.assertEqual([each.number for each in store.events(where=where)], [row["number"] for row in asked])
            table = list(store.event_table(where))
            self.assertEqual([each.number for each in table], [row["number"] for row in asked])
            for row, each in zip(asked, table):
                self.assertEqual({name: getattr(each, name) for name in row["fields"]}, row["fields"])
            some = list(store.event_table(columns=["time", "fields"], to="+1ms"))
            self.assertEqual(json.loads(some[0].fields), rows_of("events", path, "--limit", "1")[0]["fields"])
            with self.assertRaisesRegex(histree.ArgumentError, "no column 'lunch'; there are number.* next_comm"):
                list(store.event_table(where, columns=["lunch"]))

    def test_whose_they_are(self):
        path = demo()
        with histree.open(path) as store:
            for where in "process == burn", "thread == 14355", "name == burn && cpu == 1":
                numbers = [row["number"] for row in rows_of("events", path, "--where", where)]
                self.assertTrue(numbers)
                self.assertEqual([event.number for event in store.events(where=where)], numbers)
                self.assertEqual([row.number for row in store.event_table(where, columns=["number"])], numbers)
            event = next(store.events(where="thread == 14355"))
            self.assertEqual((event.thread, event.process), ("burn", "burn"))
            calls = rows_of("segments", path, "system-calls", "--where", "process == 14324")
            self.assertEqual([call.start for call in store.segments("system-calls", where="process == 14324")],
                             [call["start"] for call in calls])


if __name__ == "__main__":
    main()
