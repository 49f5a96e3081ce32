# SPDX-License-Identifier: MIT
"""Ask a database of SQLite, with or without histree's extension: ask_sqlite.py LIBRARY|- DATABASE|STORE < QUESTIONS

Questions are a JSON array of statements; so are the answers: of each its rows, and how many seconds of the processor each round
took: a busy machine changes these least.
"""
import json
import sqlite3
import sys
import time

ROUNDS, ENOUGH_S = 7, 3.0


def memory_kib():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def main():
    library, place = sys.argv[1:]
    db = sqlite3.connect(":memory:" if library != "-" else place)
    if library != "-":
        db.enable_load_extension(True)
        db.load_extension(library)
        db.execute("SELECT histree_attach(?)", (place,)).fetchall()
    answers = []
    for statement in json.load(sys.stdin):
        took, rows = [], None
        try:
            while len(took) < ROUNDS and (len(took) < 1 or sum(took) < ENOUGH_S):
                began = time.process_time()
                rows = db.execute(statement).fetchall()
                took.append(time.process_time() - began)
        except sqlite3.Error as error:
            answers.append({"error": str(error)})
            continue
        answers.append({"rows": rows, "took": took[1:] or took})
    json.dump({"answers": answers, "memory_kib": memory_kib()}, sys.stdout)


main()
