# SPDX-License-Identifier: MIT
"""Questions that are asked of histree, SQLite and DuckDB, in the words of each.

Those of docs/cookbook.md are written for histree. Peers have ordinary tables, so that table functions become the
subqueries that somebody would write there, and what makes text of times is left out for all of them.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What a function of histree is in plain SQL; {0}, {1}, ... are its arguments. Patterns are GLOB's, one level deep.
STATES = "(SELECT * FROM states WHERE path GLOB {0} AND NOT (path GLOB {0} || '/*') AND start <= {2} AND \"end\" >= {1})"
MACROS = {
    "states_in": STATES,
    "state_at": STATES.replace("{2}", "{1}"),
    "time_in_state": "(SELECT quark, path, type, value, label, thread, sum(LEAST(\"end\", {2}) - GREATEST(start, {1}) + 1) AS "
                     "ns FROM " + STATES + " AS q GROUP BY quark, path, type, value, label, thread)",
    "cpu_usage": "(SELECT value AS tid, sum(LEAST(\"end\", {1}) - GREATEST(start, {0}) + 1) AS ns, (SELECT n.value FROM states AS "
                 "n WHERE n.path = 'Threads/' || states.value || '/Exec_name' AND n.start <= {1} ORDER BY n.start DESC LIMIT 1) "
                 "AS name FROM states WHERE path GLOB 'CPUs/*/Current_thread' AND value > 0 AND start <= {1} AND \"end\" >= {0} "
                 "GROUP BY value ORDER BY 2 DESC)",
    "concurrency": "(SELECT key, t AS start, next - 1 AS \"end\", count FROM (SELECT key, t, lead(t) OVER (PARTITION BY key "
                   "ORDER BY t) AS next, sum(steps) OVER (PARTITION BY key ORDER BY t) AS count FROM (SELECT key, t, "
                   "sum(step) AS steps FROM (SELECT key, s AS t, 1 AS step FROM ({0}) AS u UNION ALL SELECT key, e + 1, -1 "
                   "FROM ({0}) AS v) AS w GROUP BY key, t) AS x) AS y WHERE count > 0)",
    "interval_gaps": "(SELECT key, reached + 1 AS start, s - 1 AS \"end\" FROM (SELECT *, max(e) OVER (PARTITION BY key ORDER "
                     "BY s, e ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached FROM ({0}) AS u) AS v "
                     "WHERE s - 1 > reached)",
    "interval_join": "(SELECT x.key, GREATEST(x.s, y.s) AS start, LEAST(x.e, y.e) AS \"end\", x.v AS a, y.v AS b FROM ({0}) AS "
                     "x JOIN ({1}) AS y ON x.key = y.key AND x.s <= y.e AND y.s <= x.e)",
}
ALIASES = ["key", "s", "e", "v"]


def arguments(text, begin):
    """The arguments of a call whose parenthesis opens before `begin`, and where it ends."""
    depth, quote, found, start = 0, False, [], begin
    for at in range(begin, len(text)):
        byte = text[at]
        if byte == "'":
            quote = not quote
        elif not quote and byte == "(":
            depth += 1
        elif not quote and byte in ",)" and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
            if byte == ")":
                return found, at + 1
        elif not quote and byte == ")":
            depth -= 1
    raise ValueError(text)


def unquoted_statement(word):
    """An argument that is a statement, with names for its columns."""
    text = word[1:-1].replace("''", "'")
    select, rest = re.match(r"\s*SELECT (.*?)( FROM .*)", text, re.S).groups()
    columns, _ = arguments(select + ")", 0)
    return "SELECT " + ", ".join(f"{column} AS {name}" for column, name in zip(columns, ALIASES)) + rest


def replace_calls(text, name, make):
    while True:
        found = re.search(rf"\b{name}\(", text)
        if not found:
            return text
        words, end = arguments(text, found.end())
        text = text[:found.start()] + make(words) + text[end:]


def plain(text, times):
    """The same without what only people want; times are numbers, so that nobody computes them."""
    for name in ("histree_duration", "histree_clock"):
        text = replace_calls(text, name, lambda words: f"({words[0]})")
    return replace_calls(text, "histree_time", lambda words: str(times(words[0][1:-1])))


def portable(text):
    """Without table functions."""
    for name in ("concurrency", "interval_gaps", "interval_join"):
        text = replace_calls(text, name, lambda words, name=name:
                             MACROS[name].format(*map(unquoted_statement, words)))
    for name in ("time_in_state", "states_in", "state_at", "cpu_usage"):
        text = replace_calls(text, name, lambda words, name=name: MACROS[name].format(*words))
    return re.sub(r"""(?<!["'])\bend\b(?!["'\w])""", '"end"', text)


def of_sqlite(text):
    return text.replace("LEAST(", "min(").replace("GREATEST(", "max(")


# Where DuckDB wants it said otherwise: it has columns of one type, and groups by all that is shown.
DUCKDB = [
    ("n.value AS name", "n.text AS name"),
    ("SELECT tid, name, count(*) AS times, (sum(duration)) AS waited\nFROM wakeups GROUP BY tid",
     "SELECT tid, any_value(name), count(*) AS times, (sum(duration)) AS waited\nFROM wakeups GROUP BY tid"),
    ("GROUP BY c.start, c.tid, s.value ORDER BY c.duration", "GROUP BY c.name, c.duration, c.start, c.tid, s.value "
     "ORDER BY c.duration"),
    ("start / 5000000", "start // 5000000"), ("'start')) / 5000000", "'start')) // 5000000"),
    ("SELECT value FROM info", "SELECT CAST(value AS BIGINT) FROM info"),
    ("min(s.", "LEAST(s."), ("max(s.start,", "GREATEST(s.start,"),
    ("CAST(avg(duration) AS INTEGER)", "CAST(floor(avg(duration)) AS BIGINT)"),
]


def of_duckdb(text):
    for ours, theirs in DUCKDB:
        text = text.replace(ours, theirs)
    return text


def cookbook(times):
    """(name, histree, SQLite, DuckDB) of each question."""
    text = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
    for name, statement in re.findall(r"^### (\d+\. .*?)\n\n```sql\n(.*?);\n```", text, re.M | re.S):
        ours = plain(statement, times)
        theirs = portable(ours)
        yield name, ours, of_sqlite(theirs), of_duckdb(theirs)


def generated(start, end, attributes):
    """Questions about the history of bench.h; the same words for all but a name."""
    middle, length = (start + end) // 2, end - start
    one, quark = f"'{attributes // 3}'", f"(SELECT quark FROM attributes WHERE path = '{attributes // 3}')"
    window = f"start <= {middle + length // 10000} AND \"end\" >= {middle}"
    found = [
        ("point: one attribute at one time", f"SELECT value FROM states WHERE path = {one} AND start <= {middle} AND "
                                             f"\"end\" >= {middle}"),
        ("point: all attributes at one time", f"SELECT value, count(*) FROM states WHERE start <= {middle} AND \"end\" >= "
                                              f"{middle} GROUP BY value ORDER BY value"),
        ("window: one attribute, a tenth of the time",
         f"SELECT count(*), sum(value) FROM states WHERE quark = {quark} AND start <= {middle + length // 10} AND "
         f"\"end\" >= {middle}"),
        ("window: all attributes, 1/10,000 of the time", f"SELECT count(*), sum(value), sum(duration) FROM states WHERE {window}"),
        ("window: the first ten changes", f"SELECT start, value FROM states WHERE start >= {middle} ORDER BY start LIMIT 10"),
        ("window: twenty attributes, a hundredth of the time",
         f"SELECT count(*), sum(value) FROM states WHERE quark IN ({', '.join(str(7 * i) for i in range(20))}) AND "
         f"start <= {middle + length // 100} AND \"end\" >= {middle}"),
        ("join: what others were when one changed, ten times",
         f"SELECT count(*), sum(b.value) FROM (SELECT start FROM states WHERE quark = {quark} AND start >= {middle} ORDER BY "
         "start LIMIT 10) AS a JOIN states AS b ON b.start <= a.start AND b.\"end\" >= a.start"),
        ("scan: count and sum", "SELECT count(*), sum(duration) FROM states"),
        ("scan: a filter on values", "SELECT count(*), sum(duration) FROM states WHERE value > 12"),
        ("group: by value", "SELECT value, count(*), sum(duration) FROM states GROUP BY value ORDER BY value"),
        ("group: by attribute", "SELECT quark, count(*), sum(duration) FROM states GROUP BY quark ORDER BY count(*), quark "
                                "LIMIT 10"),
        ("group: by path", "SELECT path, count(*), sum(duration) FROM states GROUP BY path ORDER BY count(*), path LIMIT 10"),
    ]
    return [(name, text, text, text) for name, text in found]
