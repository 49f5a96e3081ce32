#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SQLite loads the extension, and answers as the command does: check_extension.py HISTREE LIBRARY

It needs a Python whose SQLite loads extensions, as Debian's does; another one is asked to run this again.
"""
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

DEBIAN = "/usr/bin/python3"
SKIPPED = 77


def statements_of(histree, store, statement):
    done = subprocess.run([histree, "sql", store, statement, "--format", "tsv"], capture_output=True, text=True, check=True)
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()[1:]]


def connect(library):
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(library)
    return db


def check(histree, library, folder):
    store = folder / "demo.histree"
    trace = pathlib.Path(os.environ["HISTREE_SOURCE_ROOT"]) / "tests" / "data" / "demo-trace"
    subprocess.run([histree, "build", "-q", "-a", "kernel,system-calls", "-o", store, trace], check=True)
    db = connect(library)
    assert db.execute("SELECT histree_attach(?)", (str(store),)).fetchone() == (str(store),)
    for statement in ("SELECT count(*), sum(duration) FROM states", "SELECT path, start FROM states ORDER BY start, path",
                      "SELECT name, count(*) FROM system_calls GROUP BY 1 ORDER BY 1",
                      "SELECT tid, ns FROM cpu_usage(0, 9000000000000000000)"):
        ours = [tuple("" if cell is None else str(cell) for cell in row) for row in db.execute(statement)]
        assert ours == statements_of(histree, store, statement), statement
    # Two stores side by side, and one connection after another.
    db.execute("SELECT histree_attach(?, 'other')", (str(store),)).fetchall()
    assert db.execute("SELECT count(*) FROM other.states").fetchone() == db.execute("SELECT count(*) FROM states").fetchone()
    try:
        db.execute("SELECT histree_attach('/nothing/is/here')").fetchall()
        raise AssertionError("a store that is not there was attached")
    except sqlite3.OperationalError as error:
        assert "there is no store" in str(error), error
    # A prepared statement is asked again and again.
    ask = "SELECT value FROM states WHERE quark = ? AND start <= ? AND end >= ?"
    for quark, start, end, value in db.execute("SELECT quark, start, end, value FROM states LIMIT 500").fetchall():
        assert db.execute(ask, (quark, start, start)).fetchall() == [(value,)]
        assert db.execute(ask, (quark, end, end)).fetchall() == [(value,)]
    db.close()
    assert connect(library).execute("SELECT histree_warnings()").fetchone() == (None,)


def main():
    if not hasattr(sqlite3.connect(":memory:"), "enable_load_extension"):
        if sys.executable == DEBIAN or not os.access(DEBIAN, os.X_OK):
            print("no Python here has an SQLite that loads extensions")
            sys.exit(SKIPPED)
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    with tempfile.TemporaryDirectory() as folder:
        check(sys.argv[1], sys.argv[2], pathlib.Path(folder))


if __name__ == "__main__":
    main()
