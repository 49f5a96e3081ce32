# SPDX-License-Identifier: MIT
"""
What bench/segments printed, as tables: insertion, iteration in all orders, the first 100 and memory (figures 5.2 to 5.5 of the
thesis), and what grouping in one dimension gains and costs (figure 5.6).
"""
from measuring import paragraph, table, text_of, times_of

ORDERS = ("start", "end", "duration")
COLUMNS = (
    ("insertion, M/s", "insertion M/s"), ("unsorted, M/s", "unsorted M/s"), ("start, M/s", "by start M/s"),
    ("end, M/s", "by end M/s"), ("duration, M/s", "by duration M/s"), ("ratio", "unsorted/sorted"),
    ("first", "first 100 ms"), ("bytes a segment", "bytes/segment"), ("writing, MiB", "writing MiB"),
    ("in all, MiB", "in all MiB"),
)
# The text of the thesis gives no numbers of these figures.  These are of Trace Compass, measured by wall time on
# another machine.
THEIRS = {("random", 10**6): {
    "Trace Compass, disk": {"insertion, M/s": 1.85, "unsorted, M/s": 16.7, "start, M/s": 1.0, "end, M/s": 1.0,
                            "duration, M/s": 12.5, "bytes a segment": 17},
    "Trace Compass, lazy": {"insertion, M/s": 14.3, "first": 700},
}}


def read(text):
    """{(distribution, count): {structure: {what: value}}}"""
    results = {}
    for line in text.splitlines()[1:]:
        structure, distribution, count, what, value = line.split("\t")
        case = results.setdefault((distribution, int(count)), {})
        case.setdefault(structure, {})[what] = float(value)
    for case in results.values():
        for row in case.values():
            if all(f"{order}, M/s" in row for order in ORDERS):
                row["ratio"] = row["unsorted, M/s"] / min(row[f"{order}, M/s"] for order in ORDERS)
                row["first"] = max(row[f"{order}, first 100, ms"] for order in ORDERS)
    return results


def table_of(case, theirs):
    """With how many times the insertion and the iteration by duration of each are those of ours."""
    ours, rows = case["disk"], []
    for name, row in [*case.items(), *theirs.items()]:
        rows.append([name, *(text_of(row.get(key)) for key, _ in COLUMNS),
                     *(text_of(ours[key] / row[key], 2) if key in row else "" for key in ("insertion, M/s", "duration, M/s"))])
    return table(["", *(title for _, title in COLUMNS), "ours / it: insertion", "by duration"], rows)


def segments_report(text):
    """What it shows, and the parts of a page."""
    results, parts = read(text), []
    for (distribution, count), case in sorted(results.items(), key=lambda item: item[0][1]):
        parts.append(f"## {distribution}, {count:,} segments\n\n{table_of(case, THEIRS.get((distribution, count), {}))}")
    (distribution, count), case = list(results.items())[-1]
    ours, others = case["disk"], {name: row for name, row in case.items() if not name.startswith("disk")}
    said = (f"Stores of segments, such as system calls, on disk beside structures in memory that keep or sort the same {count:,} "
            f"segments: of latencies by end, a segment takes {text_of(ours['bytes a segment'], 2)} bytes on disk, insertion "
            f"is {times_of([ours['insertion, M/s'] / row['insertion, M/s'] for row in others.values()])} as fast as the "
            f"others', and the first 100 in any order of time come within {text_of(ours['first'], 2)} ms "
            f"({text_of(min(row['first'] for row in others.values()), 2)} to "
            f"{text_of(max(row['first'] for row in others.values()), 2)} ms of the others).")
    return said, [*parts, paragraph("\"disk\" is histree's store, and \"disk, by ...\" one that is grouped in that dimension "
                                    "alone; array, lazy array, map and the sorted vector are in memory. Processor times.")]
