#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SQL on a store gives what SQL on ordinary tables with the same rows gives, whatever the tables take over.

    check_sql.py HISTREE [SEED]

Random states and segments become a store each, by `histree load`.  Ordinary tables get the rows that were written here,
not what a statement reads back, and each random statement is asked of both.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import traceback

FIRST, LAST = 1000, 20000
STATES = "quark, path, start, end, duration, type, value, thread"
SEGMENTS = "start, end, duration, name, size"


def run(*words, text=None):
    done = subprocess.run([str(word) for word in words], input=text, capture_output=True, text=True, timeout=120,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def quoted(value):
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def make_states(random_, folder, histree):
    """Changes of attributes; returns the intervals that they mean, and the store."""
    paths = [f"CPUs/{cpu}/{what}" for cpu in range(4) for what in ("thread", "frequency")]
    paths += [f"Threads/{tid}/{what}" for tid in (7, 42, 4711) for what in ("status", "name")] + ["odd\\/name/x"]
    intervals = []
    for path in paths:
        time = FIRST
        # An attribute has values of one type.
        kinds = [[1, 2, 3, -5]] if path.endswith(("thread", "status")) else [[1, 2], [2**40, 2**33], [0.5, -1.5e9],
                                                                            ["idle", "it's", ""]]
        values = [None, *random_.choice(kinds)]
        while time <= LAST:
            length = min(random_.choice([1, 3, 50, 700, 4000]) + random_.randrange(40), LAST - time + 1)
            value = random_.choice(values)
            if not intervals or intervals[-1][0] != path or intervals[-1][3] != value:
                intervals.append([path, time, time + length - 1, value])
            else:
                intervals[-1][2] = time + length - 1
            time += length
    rows = "".join(json.dumps({"path": path, "start": start, "end": end, "type": type_of(value), "value": value}) + "\n"
                   for path, start, end, value in sorted(intervals, key=lambda row: row[2]))
    (folder / "states.json").write_text(rows)
    code, _, errors = run(histree, "load", "-o", folder / "states.histree", folder / "states.json")
    assert code == 0, errors
    return intervals


def type_of(value):
    if value is None:
        return "null"
    return {str: "string", float: "double"}.get(type(value)) or ("int" if abs(value) < 2**31 else "long")


def make_segments(random_, folder, histree):
    rows = []
    for _ in range(400):
        start = random_.randrange(FIRST, LAST)
        end = start + random_.choice([0, 1, 10, 500, 9000])
        rows.append((start, end, end - start, random_.choice(["read", "wri\"te", "b\\ack", None, ""]),
                     random_.choice([None, 0, 1, 4096, -1])))
    rows += [random_.choice(rows) for _ in range(30)]  # segments may be equal
    rows.sort(key=lambda row: row[1])
    text = "".join(json.dumps({"start": row[0], "end": row[1], "name": row[3], "size": row[4]}) + "\n" for row in rows)
    (folder / "segments.json").write_text(text)
    code, _, errors = run(histree, "load", "-o", folder / "segments.histree", folder / "segments.json")
    assert code == 0, errors
    return rows


def number(random_):
    return random_.choice([random_.randrange(FIRST - 50, LAST + 50), random_.randrange(FIRST, LAST) + 0.5, -1, 2**63 - 1,
                           1e300, -1e300, None, "'12000'", "'x'"])


def condition(random_, table):
    """A condition on a column of a table, of any kind."""
    if random_.random() < 0.65:
        column = random_.choice(["start", "end", "end", "duration"])
        if random_.random() < 0.2:
            low = random_.randrange(FIRST, LAST)
            return f"{column} BETWEEN {low} AND {low + random_.randrange(5000)}"
        return f"{column} {random_.choice(['=', '<', '<=', '>', '>=', '<>'])} {sql_number(number(random_))}"
    if table == "segments":
        return random_.choice(["name = 'read'", "name = 'wri\"te'", "name = 'b\\ack'", "name IS NULL", "name = ''",
                               "size = 4096", "size = -1.0", "size = '1'", "size IN (0, 1)", "name <> 'read'"])
    return random_.choice([
        "quark = 3", "quark = 5.0", "quark = 5.5", "quark = '4'", "quark IN (1, 4, 4, 99, NULL)", "quark = -1",
        "path = 'CPUs/1/thread'", "path = 'CPUs/1'", "path = 'nothing'", "path = 'cpus/1/thread' COLLATE NOCASE",
        "path IN ('CPUs/2/thread', 'Threads/42/name', 'none')", "path GLOB 'CPUs/*'", "path GLOB 'CPUs/?/f*'",
        "path GLOB '*'", "path GLOB 'odd\\/name/x'", "path GLOB 'Threads/4*/[ns]*'", "path GLOB 'none/*'",
        "path LIKE 'threads/%'", "thread = 42", "thread = '7'", "thread = 42.5", "thread = -7", "thread > 42",
        "thread IN (7, 4711, 4711, 1, NULL)", "thread IS NULL", "type = 'int'", "value = 1", "value > 0", "value IS NULL", "value = 'idle'"])


def sql_number(value):
    return value if isinstance(value, str) else "NULL" if value is None else repr(value)


def statement(random_, table):
    columns = STATES if table == "states" else SEGMENTS
    conditions = [condition(random_, table) for _ in range(random_.randrange(4))]
    joint = random_.choice([" AND ", " AND ", " AND ", " OR "])
    where = " WHERE " + joint.join(conditions) if conditions else ""
    kind = random_.randrange(5)
    if kind == 0:
        return f"SELECT count(*), min(start), max(end), total(duration) FROM {{}}{where}"
    if kind == 1:
        key = "path" if table == "states" else "name"
        return f"SELECT {key}, count(*), max(duration) FROM {{}}{where} GROUP BY 1 ORDER BY 1"
    # An order in which no two rows are equal, or the first column of one, which is what a limit is asked with.
    order = random_.choice(["start", "start DESC", "end", "end DESC", "duration", "duration DESC"])
    if kind == 2:
        key = order.split()[0]
        return f"SELECT {key} FROM {{}}{where} ORDER BY {order} LIMIT {random_.randrange(1, 20)}"
    return f"SELECT {columns} FROM {{}}{where} ORDER BY {order}, {columns}"


JOINS = {
    "states": [
        "SELECT a.path, b.start, b.value FROM {} AS a JOIN {} AS b ON b.quark = a.quark AND b.start = a.end + 1 "
        "WHERE a.path GLOB 'CPUs/*' ORDER BY 1, 2",
        "SELECT t.start, s.path, s.value FROM {} AS t JOIN {} AS s ON s.start <= t.start AND s.end >= t.start "
        "WHERE t.path = 'CPUs/0/thread' AND s.path GLOB 'Threads/*' ORDER BY 1, 2",
        "SELECT quark FROM {} WHERE start <= 5000 AND end >= 5000 AND quark IN (SELECT quark FROM {} WHERE value = 2) "
        "ORDER BY 1",
        "SELECT t.column1, s.path, count(*) FROM (VALUES (7), (42), (5), (NULL)) AS t JOIN {} AS s "
        "ON s.thread = t.column1 GROUP BY 1, 2 ORDER BY 1, 2",
    ],
    "segments": [
        "SELECT a.start, b.start FROM {} AS a JOIN {} AS b ON b.start > a.start AND b.start < a.end AND b.name = a.name "
        "WHERE a.duration > 400 ORDER BY 1, 2",
    ],
}


def ordinary(table, rows):
    columns = STATES if table == "states" else SEGMENTS
    kinds = {"path": "TEXT", "type": "TEXT", "name": "TEXT", "value": ""}
    listed = ", ".join(f"{name} {kinds.get(name, 'INTEGER')}" for name in columns.split(", "))
    values = ",\n".join("(" + ", ".join(map(quoted, row)) + ")" for row in rows)
    return f"CREATE TEMP TABLE plain({listed});\nINSERT INTO plain VALUES {values};\n"


def arrays(text):
    """The JSON arrays of a text, one after the other."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        found.append(value)
    return found


def compare(histree, store, table, rows, statements):
    script = ordinary(table, rows)
    for each in statements:
        script += each.replace("{}", table) + ";\n" + each.replace("{}", "plain") + ";\n"
    code, answers, errors = run(histree, "sql", store, "-", "--format", "json", text=script)
    assert code in (0, 1), errors
    pairs = arrays(answers)
    assert len(pairs) == 2 * len(statements), f"{len(pairs)} answers to {2 * len(statements)} statements: {errors}"
    for i, each in enumerate(statements):
        got, wanted = pairs[2 * i], pairs[2 * i + 1]
        assert got == wanted, (f"{each.replace('{}', table)}: {len(got)} rows, {len(wanted)} wanted; first difference\n"
                               + "\n".join(map(str, next(((a, b) for a, b in zip(got, wanted) if a != b), ""))))


def thread_of(path):
    """Whose row it is at or below."""
    levels = path.split("/")
    return int(levels[1]) if levels[0] == "Threads" and len(levels) > 1 else None


def quarks(histree, store):
    code, text, errors = run(histree, "sql", store, "SELECT quark, path FROM attributes", "--format", "json")
    assert code == 0, errors
    return {row["path"]: row["quark"] for row in json.loads(text)}


def check_states(random_, folder, histree, count):
    intervals = make_states(random_, folder, histree)
    store = folder / "states.histree"
    known = quarks(histree, store)
    rows = [(known[path], path, start, end, end - start + 1, type_of(value), value, thread_of(path))
            for path, start, end, value in intervals]
    # What groups others was null all the time.
    rows += [(quark, path, FIRST, LAST, LAST - FIRST + 1, "null", None, thread_of(path))
             for path, quark in known.items() if path not in {row[1] for row in rows}]
    compare(histree, store, "states", rows, [statement(random_, "states") for _ in range(count)] + JOINS["states"])
    functions(histree, store, rows)
    pictures(random_, histree, store, rows)
    algebra(random_, histree, store)


def functions(histree, store, rows):
    """Table functions against a search through all rows."""
    text = ("SELECT path, start, end, value FROM state_at('CPUs/*/thread', 7000) ORDER BY 1;"
            "SELECT path, start FROM states_in('Threads/**', 3000, 3500) ORDER BY 1, 2;"
            "SELECT path, value, ns FROM time_in_state('CPUs/*/*', 2000, 9000) ORDER BY 1, 2, 3;"
            "SELECT s.t, a.value FROM (SELECT 2000 AS t UNION SELECT 9000) AS s, state_at('CPUs/0/thread', s.t) AS a "
            "ORDER BY 1;"
            "SELECT path FROM state_at('none', 5000);"
            "SELECT path FROM state_at(NULL, 5000);")
    code, answers, errors = run(histree, "sql", store, "-", "--format", "json", text=text)
    assert code == 0, errors
    at, within, times, joined, none, null = arrays(answers)
    assert none == [] and null == []
    cpus = [row for row in rows if row[1].startswith("CPUs/")]
    threads = [row for row in cpus if row[1].endswith("/thread")]
    assert at == sorted(({"path": r[1], "start": r[2], "end": r[3], "value": r[6]} for r in threads
                         if r[2] <= 7000 <= r[3]), key=lambda row: row["path"])
    assert [(r["path"], r["start"]) for r in within] == sorted(
        (r[1], r[2]) for r in rows if r[1].split("/")[0] == "Threads" and r[2] <= 3500 and r[3] >= 3000)
    sums = {}
    for row in cpus:
        if row[1].count("/") == 2 and row[2] <= 9000 and row[3] >= 2000:
            key = (row[1], row[5], row[6])
            sums[key] = sums.get(key, 0) + min(row[3], 9000) - max(row[2], 2000) + 1
    assert sorted((r["path"], r["ns"]) for r in times) == sorted((key[0], ns) for key, ns in sums.items())
    assert joined == [{"t": t, "value": next(r[6] for r in rows if r[1] == "CPUs/0/thread" and r[2] <= t <= r[3])}
                      for t in (2000, 9000)]


def pictures(random_, histree, store, rows):
    """rows() where each pixel is some ns, against the state that lasted longest; numbers() against all states."""
    pixels = 64
    low = random_.randrange(FIRST, LAST - 30 * pixels)
    high = low + 20 * pixels - 1
    text = (f"SELECT path, pixel, start, \"end\", type, value, other_type IS NOT NULL AS others "
            f"FROM rows('CPUs/*/*', {low}, {high}, {pixels}) ORDER BY path, pixel;"
            f"SELECT * FROM numbers('CPUs/*/*', {low}, {high}) ORDER BY path;"
            f"SELECT r.path, count(*) AS n FROM (SELECT 4 AS p UNION SELECT 8) AS s, rows('CPUs/0/*', {low}, {high}, s.p) "
            "AS r GROUP BY 1 ORDER BY 1;")
    code, answers, errors = run(histree, "sql", store, "-", "--format", "json", text=text)
    assert code == 0, errors
    cells, numbers, joined = arrays(answers)
    states = {}
    for row in rows:
        if row[1].startswith("CPUs/") and row[1].count("/") == 2 and row[2] <= high and row[3] >= low:
            states.setdefault(row[1], []).append((max(row[2], low), min(row[3], high), row[5], row[6]))
    assert len(cells) == pixels * len(states)
    for cell in cells:
        start = low + 20 * cell["pixel"]
        assert (cell["start"], cell["end"]) == (start, start + 19)
        held = {}
        for first, last, kind, value in states[cell["path"]]:
            if first <= start + 19 and last >= start:
                held[(kind, value)] = held.get((kind, value), 0) + min(last, start + 19) - max(first, start) + 1
        assert held.get((cell["type"], cell["value"])) == max(held.values()), f"{cell} of {held}"
        assert cell["others"] == (len(held) > 1), f"{cell} of {held}"
    for row in numbers:
        known = [each for each in states[row["path"]] if each[2] in ("int", "long", "double")]
        ns = sum(each[1] - each[0] + 1 for each in known)
        values = [each[3] for each in known]
        assert (row["states"], row["min"], row["max"]) == (len(known), min(values, default=None), max(values, default=None))
        assert (row["number_ns"], row["unknown_ns"], row["other_ns"]) == (ns, 0, high - low + 1 - ns)
        mean = sum(each[3] * (each[1] - each[0] + 1) for each in known) / ns if ns else None
        assert row["mean"] == mean or abs(row["mean"] - mean) <= 1e-9 * abs(mean), f"{row}, {mean} wanted"
    assert joined == [{"path": f"CPUs/0/{what}", "n": 12} for what in ("frequency", "thread")]


def histograms(histree, store, rows):
    """Counts by duration and by time against a search through all rows."""
    low, high, columns = FIRST, LAST - 1, 7
    text = ("SELECT min, max, count FROM histogram('segments') ORDER BY min;"
            f"SELECT * FROM histogram('segments', {low}, {high}, {columns}, 'name', 1);"
            "SELECT * FROM histogram(NULL);")
    code, answers, errors = run(histree, "sql", store, "-", "--format", "json", text=text)
    assert code == 0, errors
    buckets, cells, null = arrays(answers)
    assert null == []
    for bucket in buckets:
        assert bucket["count"] == sum(bucket["min"] <= row[2] <= bucket["max"] for row in rows) > 0
    assert sum(bucket["count"] for bucket in buckets) == len(rows)
    for cell in cells:
        is_first = cell["start"] == min(each["start"] for each in cells)
        assert cell["count"] == sum(
            cell["min"] <= row[2] <= cell["max"] and row[3] == cell["value"] and row[0] <= cell["end"]
            and (is_first or row[0] >= cell["start"]) for row in rows), cell
    assert sum(cell["count"] for cell in cells) == sum(row[0] <= high and row[1] >= low for row in rows)


def algebra(random_, histree, store):
    """Intervals of two keys, instant by instant."""
    def some(count):
        found = []
        for _ in range(count):
            start = random_.randrange(200)
            found.append((random_.choice(["a", "b"]), start, start + random_.choice([0, 1, 5, 30]), random_.randrange(9)))
        return found
    first, second = some(25), some(25)
    insert = "".join(f"CREATE TEMP TABLE t{i}(k, s INTEGER, e INTEGER, v); INSERT INTO t{i} VALUES "
                     + ", ".join("(" + ", ".join(map(quoted, row)) + ")" for row in rows) + ";"
                     for i, rows in enumerate((first, second)))
    text = insert + ("SELECT key, start, end FROM interval_union('SELECT k, s, e FROM t0') ORDER BY 1, 2;"
                     "SELECT key, start, end FROM interval_gaps('SELECT k, s, e FROM t0') ORDER BY 1, 2;"
                     "SELECT key, start, end, count FROM concurrency('SELECT k, s, e FROM t0') ORDER BY 1, 2;"
                     "SELECT key, start, end, a, b FROM interval_join('SELECT * FROM t0', 'SELECT * FROM t1') "
                     "ORDER BY 1, 2, 3, 4, 5;")
    code, answers, errors = run(histree, "sql", store, "-", "--format", "json", text=text)
    assert code == 0, errors
    union, gaps, counts, joined = arrays(answers)
    for key in ("a", "b"):
        mine = [row for row in first if row[0] == key]
        held = [sum(row[1] <= t <= row[2] for row in mine) for t in range(-1, 300)]
        begin, end = min(row[1] for row in mine), max(row[2] for row in mine)
        assert spread(union, key) == [min(n, 1) for n in held], "interval_union"
        assert spread(gaps, key) == [int(n == 0 and begin < t - 1 < end) for t, n in enumerate(held)], "interval_gaps"
        assert spread(counts, key, "count") == held, "concurrency"
    assert [tuple(row.values()) for row in joined] == sorted(
        (a[0], max(a[1], b[1]), min(a[2], b[2]), a[3], b[3])
        for a in first for b in second if a[0] == b[0] and a[1] <= b[2] and b[1] <= a[2]), "interval_join"


def spread(rows, key, column=None):
    """How much the rows of a key say of each instant; rows of one key are not to overlap."""
    held = [0] * 301
    for row in rows:
        for t in range(row["start"], row["end"] + 1) if row["key"] == key else ():
            assert held[t + 1] == 0, "rows overlap"
            held[t + 1] = row[column] if column else 1
    return held


PLANS = [
    ("states", "quark = 3 AND start <= 5000 AND end >= 5000", "quark = ? and start <= ? and end >= ?"),
    ("states", "path = 'a' AND start BETWEEN 1 AND 2", "path = ? and start >= ? and start <= ?"),
    ("states", "path GLOB 'a/*'", "path glob ?"),
    ("states", "quark IN (1, 2) AND path GLOB 'a/*'", "quark in ?"),
    ("states", "thread = 7 AND path GLOB 'a/*'", "thread = ?"),
    ("states", "thread IN (7, 8) AND path = 'a'", "path = ?"),
    ("states", "end > 5 ORDER BY start DESC LIMIT 2", "end > ?, in order of start, downwards"),
    ("attributes", "path = 'a'", "path = ?"),
    ("rows('a', 1, 2, 3)", "value = 1", "pattern = ? and t1 = ? and t2 = ? and pixels = ?"),
    ("numbers('a', 1, 2)", "mean > 1", "pattern = ? and t1 = ? and t2 = ?"),
]


SEGMENT_PLANS = [
    ("segments ORDER BY duration DESC LIMIT 2", "", "limit = ?, in order of duration, downwards"),
    ("segments ORDER BY name LIMIT 2", "", ""),
    ("segments", "duration > 5 ORDER BY duration LIMIT 2", "duration > ?, in order of duration"),
    ("segments", "name = 'read' AND start <= 7", "name = ? and start <= ?"),
]


def plans(histree, store, wanted):
    text = "".join(f"EXPLAIN QUERY PLAN SELECT * FROM {table}{' WHERE ' * bool(where)}{where};" for table, where, _ in wanted)
    code, answers, errors = run(histree, "sql", store, "-", "--format", "json", text=text)
    assert code == 0, errors
    for (table, where, plan), answer in zip(wanted, arrays(answers)):
        said = answer[0]["detail"].partition(":")[2]
        assert sorted(said.split(", in ")[0].split(" and ")) == sorted(plan.split(", in ")[0].split(" and ")) and \
            said.partition(", in ")[2] == plan.partition(", in ")[2], f"{table} {where}: {said}"


def main():
    histree = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(os.environ.get("HISTREE_SEED", "1"))
    for each in range(seed, seed + 3):
        random_ = random.Random(each)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            try:
                check_states(random_, folder, histree, 150)
                rows = make_segments(random_, folder, histree)
                compare(histree, folder / "segments.histree", "segments", rows,
                        [statement(random_, "segments") for _ in range(150)] + JOINS["segments"])
                histograms(histree, folder / "segments.histree", rows)
                plans(histree, folder / "states.histree", PLANS)
                plans(histree, folder / "segments.histree", SEGMENT_PLANS)
            except AssertionError as fault:
                traceback.print_exc()
                sys.exit(f"seed {each}: {fault}")
    print("300 statements of each of three seeds: the same answers as ordinary tables give")


if __name__ == "__main__":
    main()
