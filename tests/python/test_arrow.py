#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Columns: rows, numpy arrays, tables of pandas and what a foreign consumer reads out of a capsule are one answer."""
import ctypes
import datetime
import gc
import unittest

from support import demo, folder, histree, main, need

need("numpy", "pandas")
import numpy  # noqa: E402
import pandas  # noqa: E402

import arrow_consumer  # noqa: E402

START = 1_700_000_000_000_000_000


def every_type():
    """A history with values of each type, and all that texts can be."""
    system = histree.StateSystem(start=START)
    values = {
        "int": [histree.Int(-1), histree.Int(2**31 - 1), histree.Int(-2**31)], "long": [2**63 - 1, -2**63, 0],
        "double": [0.5, float("inf"), float("-inf"), -0.0, 5e-324], "bool": [True, False],
        "string": ["", "ä€😀", "a/b", "x\0y", "x" * 5000], "custom": [b"\0\xff", b"", b"0123"],
        "unknown": [histree.UNKNOWN],
    }
    for name, each in values.items():
        for i, value in enumerate(each):
            system.modify(START + 10 * (i + 1), f"Types/{name}", value)
    return system.close(START + 999), values


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.history, cls.values = every_type()

    def rows(self, name):
        return sorted(self.history.states(f"Types/{name}"), key=lambda row: row.start)

    def test_rows_have_what_was_put_in(self):
        for name, expected in self.values.items():
            rows = self.rows(name)
            self.assertEqual((rows[0].type, rows[0].value), ("null", None))
            got = [row.value for row in rows[1:]]
            if name == "unknown":
                self.assertEqual([(row.type, row.value) for row in rows[1:]], [("unknown", None)])
                continue
            self.assertEqual(got, expected, name)
            self.assertEqual([type(each) for each in got], [int if name == "int" else type(each) for each in expected])
            self.assertEqual({row.type for row in rows[1:]}, {name})
        self.assertEqual(str(self.rows("double")[4].value), "-0.0")

    def test_mixed_rows_of_one_batch(self):
        together = sorted(self.history.states("Types/*"), key=lambda row: (row.quark, row.start))
        apart = sorted((row for name in self.values for row in self.rows(name)), key=lambda row: (row.quark, row.start))
        self.assertEqual(together, apart)

    def test_pandas_has_nulls_where_they_are(self):
        frame = self.history.states("Types/*").to_pandas().sort_values(["quark", "start"])
        longs = frame[frame.type == "long"]
        self.assertEqual(longs.value.tolist(), self.values["long"])
        self.assertEqual(str(frame.value.dtype), "Int64")
        self.assertTrue(frame[frame.type == "string"].value.isna().all())
        self.assertEqual(frame[frame.type == "string"].text.tolist(), self.values["string"])
        self.assertEqual(frame[frame.type == "custom"].text.tolist(), [each.hex() for each in self.values["custom"]])
        self.assertEqual(frame[frame.type == "double"].real.tolist(), self.values["double"])
        self.assertTrue(frame[frame.type == "null"].real.isna().all())
        self.assertEqual(str(frame.start.dtype), "datetime64[ns, UTC]")
        self.assertEqual(frame.start.iloc[0].value, START)
        # The table is its owner's: it may be changed.
        frame.loc[frame.index[0], "duration"] = 5
        frame["value"] += 1
        frame["path"] = frame.path.cat.rename_categories(str.upper)

    def test_numpy_has_the_numbers(self):
        columns = self.history.states("Types/long").to_numpy()
        order = numpy.argsort(columns["start"])
        valid = columns.valid["value"][order]
        self.assertEqual(valid.tolist(), [False, True, True, True])
        self.assertEqual(columns["value"][order][1:].tolist(), self.values["long"])
        self.assertEqual([columns.texts["path"][code] for code in columns["path"]], ["Types/long"] * 4)
        self.assertEqual(columns["start"].view("datetime64[ns]")[order][0], numpy.datetime64(START, "ns"))
        with self.assertRaises(ValueError):
            columns["start"][0] = 1
        self.assertEqual(self.history.time(columns["start"].view("datetime64[ns]")[order][0]), START)
        self.assertEqual(self.history.time(columns["start"][order][0]), START)
        self.assertEqual(self.history.time(pandas.Timestamp(START + 7, tz="Asia/Tokyo")), START + 7)
        # numpy's numbers are values, and its arrays lists of times.
        self.assertEqual(len(list(self.history.states("Types/int", at=numpy.array([START, START + 10])))), 2)
        with self.assertRaisesRegex(histree.ArgumentError, "NaT"):
            self.history.time(numpy.datetime64("NaT"))

    def test_an_empty_answer(self):
        history = histree.StateSystem(start=5)
        history.attribute("A")
        with history.close(5) as closed:
            query = closed.states("A", columns=["start", "path", "real"])
            self.assertEqual(len(query.to_numpy()["start"]), 1)
        store = histree.open(demo())
        nothing = store.segments("system-calls", where="duration > 100h")
        self.assertEqual(list(nothing), [])
        self.assertIsNone(nothing.first())
        self.assertEqual(nothing.to_pandas().shape, (0, 8))
        self.assertEqual(nothing.to_numpy()["tid"].dtype, "int32")
        self.assertEqual(arrow_consumer.read(nothing.__arrow_c_stream__())[0]["name"], [])


class Capsules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.store = histree.open(demo())
        cls.history, _ = every_type()

    def check(self, query):
        columns, schema = arrow_consumer.read(query.__arrow_c_stream__())
        described = arrow_consumer.schema_of(query.__arrow_c_schema__())
        self.assertEqual([child.name for child in described.children], [child.name for child in schema.children])
        self.assertEqual(schema.format, "+s")
        for batch in query.batches():
            for name in batch.names:
                self.assertEqual(batch.list(name), columns[name][:len(batch)])
                columns[name] = columns[name][len(batch):]
        self.assertTrue(all(each == [] for each in columns.values()))
        return schema

    def test_states(self):
        schema = self.check(self.store.states())
        formats = {child.name: (child.format, child.dictionary and child.dictionary.format) for child in schema.children}
        self.assertEqual(formats["start"], ("tsn:UTC", None))
        self.assertEqual(formats["path"], ("I", "u"))
        self.check(self.history.states("Types/*"))
        self.check(self.history.states("Types/*", columns=["text"]))

    def test_segments(self):
        self.check(self.store.segments("system-calls", sort="duration", where="duration > 10us"))

    def test_batches(self):
        # More rows than a batch has, and texts that come later than the first batch.
        system = histree.StateSystem()
        count = 150_000
        system.insert_many((f"Lanes/{i % 7}", i * 10, i * 10 + 9 if i + 7 >= count else i * 10 + 69, f"text {i // 1000}")
                           for i in range(count))
        with system.close(count * 10 + 69) as history:
            query = history.states("Lanes/*")
            self.check(query)
            self.assertEqual([len(batch) <= 65536 for batch in query.batches()].count(False), 0)
            self.assertGreater(len(list(query.batches())), 2)
            rows = {(row.start, row.path): row.value for row in query if row.type == "string"}
            self.assertEqual(len(rows), count)
            self.assertEqual(rows[(140_000 * 10, "Lanes/0")], "text 140")
            columns, frame = query.to_numpy(), query.to_pandas()
            self.assertEqual(len(frame), len(columns["start"]))
            known = frame[frame.type == "string"]
            self.assertEqual({(a, p): v for a, p, v in zip(known.start.astype("int64"), known.path, known.text)}, rows)

    def test_pandas_by_a_capsule_of_ours(self):
        frame = self.store.segments("system-calls").to_pandas()
        columns, _ = arrow_consumer.read(self.store.segments("system-calls").__arrow_c_stream__())
        self.assertEqual(frame["name"].tolist(), columns["name"])
        self.assertEqual(frame["duration"].tolist(), columns["duration"])
        self.assertEqual([None if pandas.isna(each) else each for each in frame["tid"]], columns["tid"])

    def test_a_datetime_of_a_row(self):
        row = self.store.segments("system-calls", times="datetime").first()
        self.assertIsInstance(row.start, datetime.datetime)
        self.assertLessEqual(row.start, row.end)


class Memory(unittest.TestCase):
    def test_an_array_keeps_its_batch(self):
        store = histree.open(demo())
        query = store.states("Threads/**")
        arrays = [batch.numpy("start") for batch in query.batches()]
        expected = [array.copy() for array in arrays]
        views = [array[::2].view("datetime64[ns]") for array in arrays]
        store.close()
        del query, store, arrays
        gc.collect()
        # What was freed wrongly is written over by now.
        junk = [numpy.full(1000, 7) for _ in range(200)]
        for view, each in zip(views, expected):
            self.assertTrue((view.view("int64") == each[::2]).all())
        del junk

    def test_a_buffer_is_not_copied(self):
        with histree.open(demo()) as store:
            batch = next(store.states().batches())
            array = batch.numpy("end")
            address = array.__array_interface__["data"][0]
            self.assertEqual(ctypes.c_int64.from_address(address).value, array[0])
            self.assertEqual(batch.numpy("end").__array_interface__["data"][0], address)


if __name__ == "__main__":
    main()
