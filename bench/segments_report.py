#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and a plot of what bench/segments printed.

    segments_report.py RESULTS.tsv... --out docs/results

Writes DATE-segments.txt and DATE-segments.svg: insertion, iteration in all orders, the first 100 and memory
(figures 5.2 to 5.5 of the thesis), and what grouping in one dimension gains and costs (figure 5.6).
"""
import argparse
import datetime
import pathlib

from measuring import circumstances
from plot import HEIGHT, WIDTH, plot_svg

ORDERS = ("start", "end", "duration")
COLUMNS = (
    ("insertion, M/s", "insertion M/s"), ("unsorted, M/s", "unsorted M/s"), ("start, M/s", "by start M/s"),
    ("end, M/s", "by end M/s"), ("duration, M/s", "by duration M/s"), ("ratio", "unsorted/sorted"),
    ("first", "first 100 ms"), ("bytes a segment", "bytes/segment"), ("writing, MiB", "writing MiB"),
    ("in all, MiB", "in all MiB"),
)
PLOTS = (("insertion, M/s", "insertion, M/s"), ("duration, M/s", "by duration, M/s"),
         ("first", "first 100 by a key of time, ms at most"))
# The text of the thesis gives no numbers of these figures.  These are of Trace Compass, measured by wall time on
# another machine.
THEIRS = {("random", 10**6): {
    "Trace Compass, disk": {"insertion, M/s": 1.85, "unsorted, M/s": 16.7, "start, M/s": 1.0, "end, M/s": 1.0,
                            "duration, M/s": 12.5, "bytes a segment": 17},
    "Trace Compass, lazy": {"insertion, M/s": 14.3, "first": 700},
}}


def read(paths):
    """{(distribution, count): {structure: {what: value}}}"""
    results = {}
    for path in paths:
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()[1:]
        for structure, distribution, count, what, value in (line.split("\t") for line in lines):
            case = results.setdefault((distribution, int(count)), {})
            case.setdefault(structure, {})[what] = float(value)
    for case in results.values():
        for row in case.values():
            if all(f"{order}, M/s" in row for order in ORDERS):
                row["ratio"] = row["unsorted, M/s"] / min(row[f"{order}, M/s"] for order in ORDERS)
                row["first"] = max(row[f"{order}, first 100, ms"] for order in ORDERS)
    return results


def table(case, theirs):
    rows = [["", *(title for _, title in COLUMNS)]]
    rows += [[name, *(f"{row[key]:.3g}" if key in row else "" for key, _ in COLUMNS)] for name, row in [*case.items(), *theirs.items()]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.rjust(width) if i else cell.ljust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)


def grouping(case):
    """Each number grouped in one dimension, over that grouped in two: above 1 is a gain, but for what is added."""
    both = case.get("disk", {})
    lines = []
    for name, row in case.items():
        if name.startswith("disk, ") and "ratio" in row and "ratio" in both:
            parts = [f"{key.split(',')[0]} {row[key] / both[key]:.2f}x"
                     for key in ("insertion, M/s", "start, M/s", "end, M/s", "duration, M/s", "bytes a segment",
                                 "in all, MiB")]
            lines.append(f"grouped {name[6:]}, next to both: " + ", ".join(parts))
    return "\n".join(lines)


def plot(results, path):
    """A row of plots for each distribution."""
    distributions = list(dict.fromkeys(distribution for distribution, _ in results))
    structures = list(dict.fromkeys(name for case in results.values() for name in case))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * len(PLOTS)}" height="{HEIGHT * len(distributions)}">']
    for row, distribution in enumerate(distributions):
        for column, (key, title) in enumerate(PLOTS):
            series = {name: [(count, case[name][key]) for (other, count), case in sorted(results.items())
                             if other == distribution and key in case.get(name, {})] for name in structures}
            picture = plot_svg(f"{distribution}: {title}", ("segments", ""), series, "xy")
            if picture:
                parts.append(picture.replace("<svg ", f'<svg x="{WIDTH * column}" y="{HEIGHT * row}" ', 1))
    pathlib.Path(path).write_text("\n".join(parts + ["</svg>", ""]), encoding="utf-8")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("results", nargs="+")
    arguments.add_argument("--out", default=".")
    arguments.add_argument("--note")
    chosen = arguments.parse_args()
    results = read(chosen.results)
    stem = pathlib.Path(chosen.out) / f"{datetime.date.today().isoformat()}-segments"
    text = circumstances("bench/segments FOLDER", chosen.note)
    for (distribution, count), case in sorted(results.items(), key=lambda item: item[0][1]):
        text += ["", f"{distribution}, {count:,} segments", "", table(case, THEIRS.get((distribution, count), {}))]
        text += ["", grouping(case)] if grouping(case) else []
    stem.with_suffix(".txt").write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    plot(results, stem.with_suffix(".svg"))


if __name__ == "__main__":
    main()
