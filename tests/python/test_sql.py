#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SQL through Python: by sqlite3, and by libsqlite3 where Python's loads no extensions, the same rows and sentences."""
import os
import signal
import subprocess
import sys
import threading
import unittest

from support import command, demo, histree, main
from histree import _sql

STATEMENTS = [
    ("SELECT count(*), sum(duration) FROM states", ()),
    ("SELECT path, start, end, value FROM states WHERE path GLOB ? ORDER BY start, path LIMIT 50", ["Threads/*"]),
    ("SELECT name, count(*) AS calls, avg(duration) FROM system_calls GROUP BY 1 ORDER BY 2 DESC, 1", ()),
    ("SELECT * FROM state_at(:pattern, :time)", {"pattern": "CPUs/*", "time": 1795197768180000000}),
    ("SELECT 1, 2.5, NULL, 'ä', x'00ff', ''", ()),
    ("SELECT ?, ?, ?, ?, ?", [1, 2.5, None, "a\0b", b"\1\0"]),
    ("SELECT 1 WHERE 0", ()),
]


def skip_reason():
    try:
        _sql.extension()
    except histree.SqlError as error:
        return str(error)
    return None


@unittest.skipIf(skip_reason(), skip_reason())
class Sql(unittest.TestCase):
    by_ctypes = False

    def setUp(self):
        os.environ.pop("HISTREE_SQL_BY_CTYPES", None)
        if self.by_ctypes:
            os.environ["HISTREE_SQL_BY_CTYPES"] = "1"
        elif not _sql.can_load_extensions():
            self.skipTest("the sqlite3 of this Python loads no extensions")
        self.store = histree.open(demo())

    def tearDown(self):
        os.environ.pop("HISTREE_SQL_BY_CTYPES", None)
        self.store.close()

    def test_rows_are_those_of_the_command(self):
        for statement, parameters in STATEMENTS[:1] + STATEMENTS[2:3]:
            told = command("sql", demo(), statement, "--format", "tsv").splitlines()
            rows = self.store.sql(statement, parameters)
            self.assertEqual("\t".join(rows.columns), told[0])
            self.assertEqual([[str(cell) for cell in row][:2] for row in rows], [line.split("\t")[:2] for line in told[1:]])

    def test_values(self):
        rows = self.store.sql(*STATEMENTS[4])
        self.assertEqual(list(rows), [(1, 2.5, None, "ä", b"\0\xff", "")])
        self.assertEqual(list(self.store.sql(*STATEMENTS[5])), [(1, 2.5, None, "a\0b", b"\1\0")])
        rows = self.store.sql(*STATEMENTS[3], rows=dict)
        for row in rows:
            self.assertEqual(list(row), rows.columns)
            self.assertEqual(self.store.state(row["path"], at=STATEMENTS[3][1]["time"]), row["value"])

    def test_an_iterator(self):
        rows = self.store.sql("SELECT quark FROM attributes ORDER BY quark")
        self.assertEqual((next(rows), rows.fetchone()), ((0,), (1,)))
        rest = rows.fetchall()
        self.assertEqual(len(rest), len(self.store.attributes()) - 2)
        self.assertEqual((rows.fetchone(), rows.fetchall()), (None, []))
        other = self.store.sql("SELECT 1")
        other.close()
        self.assertEqual(other.fetchall(), [])

    def test_mistakes_are_sentences(self):
        for text, statement, parameters in (
                ("no such table: nobody", "SELECT * FROM nobody", ()), ("near \"SELEC\"", "SELEC 1", ()),
                ("binding", "SELECT ?", ()), ("binding", "SELECT ?", (1, 2)), ("binding", "SELECT :a", {}),
                ("one statement at a time", "SELECT 1; SELECT 2", ()), ("binding", "SELECT ?", (object(),))):
            with self.subTest(statement=statement), self.assertRaisesRegex(histree.SqlError, "(?i)" + text):
                self.store.sql(statement, parameters).fetchall()
        with self.assertRaises(histree.ArgumentError):
            self.store.sql("SELECT 1", rows=list)

    def test_ctrl_c_ends_a_statement(self):
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            self.store.sql(endless).fetchall()
        timer.join()
        self.assertEqual(self.store.sql("SELECT 1").fetchall(), [(1,)])


class SqlByLibrary(Sql):
    by_ctypes = True

    def test_both_engines_agree(self):
        mine = [(rows.columns, list(rows)) for rows in (self.store.sql(*each) for each in STATEMENTS)]
        del os.environ["HISTREE_SQL_BY_CTYPES"]
        if not _sql.can_load_extensions():
            self.skipTest("the sqlite3 of this Python loads no extensions")
        self.assertEqual([(rows.columns, list(rows)) for rows in (self.store.sql(*each) for each in STATEMENTS)], mine)


class Connections(unittest.TestCase):
    def test_a_connection(self):
        with histree.open(demo()) as store:
            if not _sql.can_load_extensions():
                with self.assertRaisesRegex(histree.SqlError, "loads no extensions"):
                    store.connection()
                return
            connection = store.connection()
            self.assertEqual(connection.execute("SELECT count(*) FROM attributes").fetchone()[0], len(store.attributes()))
            connection.close()


if __name__ == "__main__":
    # Debian's Python has both engines; another one may have only the second.
    DEBIAN = "/usr/bin/python3"
    if not _sql.can_load_extensions() and sys.executable != DEBIAN and os.access(DEBIAN, os.X_OK):
        done = subprocess.run([sys.executable, "-m", "unittest", "test_sql.SqlByLibrary"], check=False,
                              cwd=os.path.dirname(os.path.abspath(__file__)))
        if done.returncode != 0:
            sys.exit(done.returncode)
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    main()
