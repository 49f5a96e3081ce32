#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Histories that are built from Python have what a plain list of intervals says, and wrong changes are refused."""
import random
import threading
import unittest

from support import command, folder, histree, main, rows_of


class Plain:
    """What a history is, kept as lists: the oracle."""

    def __init__(self):
        self.changes = {}

    def modify(self, time, path, value):
        changes = self.changes.setdefault(path, [[0, None]])
        if value == changes[-1][1] and type(value) is type(changes[-1][1]):
            return
        if changes[-1][0] == time:
            changes[-1][1] = value
        else:
            changes.append([time, value])

    def states(self, end):
        out = []
        for path, changes in self.changes.items():
            for (start, value), after in zip(changes, [*changes[1:], [end + 1, None]]):
                out.append((path, start, after[0] - 1, value))
        return sorted(out, key=repr)


def random_history(seed, system):
    chance, plain = random.Random(seed), Plain()
    kinds = [lambda: histree.Int(chance.randrange(5)), lambda: chance.randrange(-2**63, 2**63), lambda: chance.random(),
             lambda: chance.random() < 0.5, lambda: chance.choice(["a", "b/c", "ü", ""]), lambda: bytes([chance.randrange(256)])]
    paths = {f"Folder {i // 3}/Attribute {i}": chance.choice(kinds) for i in range(12)}
    time = 0
    for _ in range(400):
        time += chance.choice([0, 1, 1, 5, 100])
        path = chance.choice(list(paths))
        value = None if chance.random() < 0.2 else paths[path]()
        if time == 0:
            time = 1
        system.modify(time, path, value)
        plain.modify(time, path, value)
    return plain, time + 10


def states_of(history, folders=("Folder 0", "Folder 1", "Folder 2", "Folder 3")):
    return sorted(((row.path, row.start, row.end, row.value) for row in history.states() if row.path not in folders), key=repr)


class StateSystems(unittest.TestCase):
    def test_random_changes(self):
        for seed in range(12):
            with self.subTest(seed=seed), histree.StateSystem() as system:
                plain, end = random_history(seed, system)
                with system.close(end) as history:
                    self.assertEqual(states_of(history), plain.states(end))
                    self.assertEqual((history.start, history.end, history.info.complete), (0, end, True))
                    self.ask_at_random(history, plain, end, random.Random(seed))

    def ask_at_random(self, history, plain, end, chance):
        """Any attributes, at any times: what a search through all intervals finds."""
        every, paths = plain.states(end), sorted(plain.changes)
        for _ in range(25):
            wanted = chance.sample(paths, chance.randrange(1, len(paths)))
            times = sorted({chance.randrange(end + 1) for _ in range(chance.randrange(1, 5))})
            mine = [state for state in every if state[0] in wanted]
            if chance.random() < 0.5:
                query = history.states(wanted, from_=times[0], to=times[-1])
                expected = [state for state in mine if state[1] <= times[-1] and state[2] >= times[0]]
            else:
                query = history.states(wanted, at=times if len(times) > 1 else times[0])
                expected = [state for state in mine if any(state[1] <= time <= state[2] for time in times)]
            got = sorted(((row.path, row.start, row.end, row.value) for row in query), key=repr)
            self.assertEqual(got, expected)
            self.assertEqual(sum(len(batch) for batch in query.batches()), len(expected))

    def test_a_file_is_one_for_everybody(self):
        path = folder() / "made.sht"
        system = histree.StateSystem(path, provider="mine", provider_version=3)
        plain, end = random_history(99, system)
        with system.close(end) as history:
            self.assertEqual(states_of(history), plain.states(end))
        with histree.open(path) as history:
            self.assertEqual(states_of(history), plain.states(end))
            self.assertEqual((history.info.provider, history.info.provider_version), ("mine", 3))
        asked = rows_of("states", path, "--from", "0", "--to", str(end), "**")
        self.assertEqual(len([row for row in asked if row["path"].count("/") == 1]), len(plain.states(end)))
        self.assertIn("mine", command("info", path))
        self.assertIsInstance(histree.open(path, analysis="mine"), histree.History)
        with self.assertRaisesRegex(histree.NotFoundError, "of analysis 'mine', not of 'other'"):
            histree.open(path, analysis="other")
        with self.assertRaises(histree.Error):
            histree.StateSystem(path)
        self.assertEqual(len(states_of(histree.open(path))), len(plain.states(end)))

    def test_intervals(self):
        with histree.StateSystem() as system:
            self.assertEqual(system.insert_many([("A", 5, 9, 1), ("B", 0, 9, "x"), ("A", 10, 19, 2)]), 3)
            self.assertEqual(system.insert_many([]), 0)
            system.insert("A", 30, 39, 3)
            with self.assertRaises(histree.Error):
                system.insert("A", 35, 50, 4)
            history = system.close(49)
        self.assertEqual(states_of(history), sorted([
            ("A", 0, 4, None), ("A", 5, 9, 1), ("A", 10, 19, 2), ("A", 20, 29, None), ("A", 30, 39, 3), ("A", 40, 49, None),
            ("B", 0, 9, "x"), ("B", 10, 49, None)], key=repr))

    def test_stacks_and_queues(self):
        with histree.StateSystem() as system:
            for time, name in enumerate(["main", "f", "g"], 1):
                system.push(time, "Stack", name)
            self.assertEqual(system.top("Stack"), "g")
            self.assertEqual([system.pop(time, "Stack") for time in (4, 5, 6)], ["g", "f", "main"])
            for action in (lambda: system.pop(7, "Stack"), lambda: system.top("Stack"), lambda: system.poll(7, "Queue"),
                           lambda: system.peek("Queue")):
                with self.assertRaisesRegex(IndexError, "is empty"):
                    action()
            for time, number in enumerate([10, 20], 8):
                system.offer(time, "Queue", number)
            self.assertEqual(system.peek("Queue"), 10)
            self.assertEqual([system.poll(20, "Queue"), system.poll(21, "Queue")], [10, 20])
            system.increment(30, "Count", 5)
            system.increment(31, "Count", 2)
            self.assertEqual(system.ongoing("Count"), (7, 31))
            system.increment(30, "Real", 0.5)
            system.update("Real", 0.75)
            self.assertEqual(system.ongoing("Real"), (0.75, 30))
            system.remove(32, "Count")
            self.assertEqual(system.ongoing("Count"), (None, 32))
            system.folder("Things")
            system.modify(33, system.attribute("One", below="Things"), histree.UNKNOWN)
            self.assertIs(system.ongoing("Things/One")[0], histree.UNKNOWN)
            self.assertEqual([each.path for each in system.attributes("Things/*")], ["Things/One"])
            self.assertTrue(system.attributes("Things")[0].is_folder)
            self.assertEqual(system.current_end, 33)
            history = system.close()
        self.assertEqual(history.state("Stack/2", at=3), "f")
        self.assertEqual(history.end, 33)

    def test_labels(self):
        path = folder() / "labels.sht"
        system = histree.StateSystem(path)
        system.label("Lamps/*", {0: "dark", 1: ("bright", "#f5d020")}, what="lamp")
        system.label(["Doors/*", "Gates"], {"o": "open", "c": "closed"})
        for bad in ({1.5: "x"}, {0: ("x", "red")}, {1: "a\0"}):
            with self.subTest(bad=bad), self.assertRaises(histree.ArgumentError):
                system.label("X", bad)
        for value, place in ((0, "Lamps/Hall"), ("o", "Doors/1"), ("c", "Gates"), (5, "Lamps/Other"), (1, "Else")):
            system.modify(5, place, value)
        system.modify(6, "Lamps/Hall", 1)
        history = system.close(9)
        labels = {(row.path, row.value): row.label for row in history.states(at=8) if row.value is not None}
        self.assertEqual(labels, {("Lamps/Hall", 1): "bright", ("Doors/1", "o"): "open", ("Gates", "c"): "closed",
                                  ("Lamps/Other", 5): None, ("Else", 1): None})
        self.assertEqual([(each.name, each.first) for each in history.labels("Lamps/Hall")], [("dark", 0), ("bright", 1)])
        self.assertEqual(history.labels("Lamps/Hall")[1].light, "#f5d020")
        self.assertEqual([each.text for each in history.labels("Gates")], ["c", "o"])
        self.assertEqual(history.labels("Else"), [])
        self.assertIn("1 bright", command("states", path, "--at", "8", "Lamps/Hall"))

    def test_wrong_changes_are_refused(self):
        system = histree.StateSystem(start=100)
        system.modify(200, "A", 5)
        cases = [
            (histree.TimeBackwardsError, lambda: system.modify(150, "A", 6)),
            (histree.ValueTypeError, lambda: system.modify(300, "A", "text")),
            (histree.ValueTypeError, lambda: system.modify(300, "A", object())),
            (histree.ArgumentError, lambda: system.modify(300, "A", 1 << 64)),
            (histree.ArgumentError, lambda: system.modify(300, "A", histree.Int(1 << 31))),
            (histree.ArgumentError, lambda: system.modify(300, "B", "\ud800")),
            (histree.ArgumentError, lambda: system.modify("noon", "A", 6)),
            (histree.ArgumentError, lambda: system.modify(300, "A\\x", 6)),
            (histree.ArgumentError, lambda: system.modify(300, "", 6)),
            (histree.ArgumentError, lambda: system.modify(300, 1.5, 6)),
            (histree.QuarkError, lambda: system.modify(300, 77, 6)),
            (histree.TimeRangeError, lambda: system.close(150)),
            (histree.TimeRangeError, lambda: system.modify(1 << 70, "A", 6)),
        ]
        for kind, action in cases:
            with self.subTest(kind=kind.__name__), self.assertRaises(kind):
                action()
        # None of it has changed anything.
        self.assertEqual(system.ongoing("A"), (5, 200))
        system.close(300).close()
        for action in (lambda: system.modify(400, "A", 5), lambda: system.close(500), lambda: system.history(),
                       lambda: system.current_end, system.__enter__, lambda: system.attributes()):
            with self.assertRaises(histree.ClosedError):
                action()

    def test_what_is_abandoned_leaves_nothing(self):
        path = folder() / "abandoned.sht"
        with self.assertRaises(ZeroDivisionError), histree.StateSystem(path) as system:
            system.modify(1, "A", 1 / 0)
        self.assertFalse(path.exists())

    def test_a_history_while_it_grows(self):
        path = folder() / "live.sht"
        system = histree.StateSystem(path)
        system.modify(10, "A", 1)
        early = system.history(end=20)
        system.publish(end=30)
        with histree.open(path) as published:
            self.assertFalse(published.info.complete)
            self.assertEqual((published.end, published.state("A", at=30)), (30, 1))
            system.modify(40, "A", 2)
            system.publish()
            # What is open never changes; who opens again sees more.
            self.assertEqual(published.end, 30)
            with self.assertRaises(histree.TimeRangeError):
                published.state("A", at=40)
        with histree.open(path) as published:
            self.assertEqual(published.state("A", at=40), 2)
        self.assertEqual((early.end, early.state("A", at=15)), (20, 1))
        final = system.close(50)
        self.assertTrue(final.info.complete)
        self.assertEqual(early.state("A", at=15), 1)
        del system
        self.assertEqual(early.state("A", at=15), 1)

    def test_threads_query_while_one_builds(self):
        system, faults, stop = histree.StateSystem(), [], threading.Event()
        system.modify(1, "A", 1)

        def ask():
            try:
                while not stop.is_set():
                    with system.history() as history:
                        end = history.end
                        rows = sorted(history.states("A"), key=lambda row: row.start)
                        assert rows[-1].end == end and all(a.end + 1 == b.start for a, b in zip(rows, rows[1:]))
            except BaseException as error:
                faults.append(error)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for time in range(2, 400):
            system.modify(time, "A", time % 7)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])


if __name__ == "__main__":
    main()
