#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is in a picture: check_picture.py HISTREE TRACE ROOT

Builds a store of TRACE and draws it as SVG. The bars of the CPUs must be where the intervals that `histree states`
prints say: for each pixel, the state that the CPU was in for the longest time, and below it the one after that. The
picture of the tree must have one symbol a node. The picture of the README, in ROOT/docs, must have the shapes of the one
that is drawn today (letters are those of the fonts of a machine).
"""
import collections
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

PANEL = (0xF7, 0xF8, 0xFA)
ROW, BAR, MORE = 20, 14, 3  # pixels: a row, a full bar, the line for a shorter state
STYLES = {  # CPU status: colour on a light ground, height of the bar
    0: ((0xCF, 0xD5, 0xDC), 7), 2: ((0x12, 0x93, 0x6A), 14), 4: ((0x2A, 0x6C, 0xB8), 14),
    8: ((0xC4, 0x9A, 0x1A), 14), 16: ((0xA8, 0x40, 0x8C), 14),
}
UNKNOWN = "unknown"
Box = collections.namedtuple("Box", "colour opacity left top width height")


def colour_of(style):
    found = re.search(r"fill:rgb\(([\d.]+)%,([\d.]+)%,([\d.]+)%\);fill-opacity:([\d.]+)", style)
    return (tuple(round(float(part) * 2.55) for part in found.groups()[:3]), float(found[4])) if found else None


def boxes(svg):
    """Every rectangle that is filled, the sub-paths of one path each for itself."""
    for element in xml.etree.ElementTree.parse(svg).iter():
        colour = colour_of(element.get("style", ""))
        if element.tag.endswith("}rect") and colour:
            yield Box(*colour, *(float(element.get(name, 0)) for name in ("x", "y", "width", "height")))
        if not element.tag.endswith("}path") or not colour:
            continue
        for part in element.get("d").split("Z"):
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", part)]
            xs, ys = numbers[0::2], numbers[1::2]
            if len(xs) == 4 and part.count("L") == 3:
                yield Box(*colour, min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


def expected_cells(intervals, start, end, pixels):
    """For each pixel the statuses in it, those of the longest time first; None is null."""
    first = [start + (end - start + 1) * pixel // pixels for pixel in range(pixels + 1)]
    for pixel in range(pixels):
        shares = collections.Counter()
        for since, until, status in intervals:
            share = min(until, first[pixel + 1] - 1) - max(since, first[pixel]) + 1
            if share > 0:
                shares[status] += share
        yield sorted(shares, key=lambda status: -shares[status]), shares


def check_row(found, cells, left, top):
    """Compare the boxes of one row, pixel by pixel."""
    bars, lines = {}, {}
    for box in found:
        if not top <= box.top < top + ROW:
            continue
        # Only a line lies at the bottom of its bar and is that low.
        is_line = box.height == MORE and box.top + box.height == top + (ROW + BAR) / 2
        for x in range(round(box.width)):
            (lines if is_line else bars)[round(box.left - left) + x] = box
    for pixel, (order, shares) in enumerate(cells):
        if UNKNOWN in order:
            continue  # has a look of its own
        if len(order) > 1 and shares[order[0]] == shares[order[1]]:
            continue  # which of two equals is drawn is no matter of a picture
        shown, opacity = (order[0], 1) if order[0] is not None else (order[1] if len(order) > 1 else None, 0.6)
        bar = bars.get(pixel)
        if (bar is None) != (shown is None):
            yield f"pixel {pixel}: {bar} for {shares}"
        elif bar and ((bar.colour, bar.height) != STYLES[shown] or bar.opacity != opacity):
            yield f"pixel {pixel}: {bar} for {shares}"
        second = order[1] if len(order) > 1 and order[0] is not None else None
        if len(order) > 2 and shares[order[1]] == shares[order[2]]:
            continue
        line = lines.get(pixel)
        if (line is None) != (second is None) or (line and line.colour != STYLES[second][0]):
            yield f"pixel {pixel}: line {line} for {shares}"


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def table(*command):
    """The rows of a TSV output, by the names of its columns."""
    lines = [line.split("\t") for line in output(*command, "--format", "tsv").splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def status_of(row):
    return {"null": None, "unknown": UNKNOWN}.get(row["type"], row["value"] and int(row["value"]))


def check_cpus(histree, store, svg):
    output(histree, "draw", store, "--force", "-o", svg, "--view", "resources", "CPUs/*", "--size", "700")
    found = list(boxes(svg))
    panels = [box for box in found if box.colour == PANEL]
    panel = max(panels, key=lambda box: box.top)
    cpus = [row["path"] for row in table(histree, "info", "--attributes", store, "CPUs/*")]
    end = table(histree, "info", store)[0]["end"]
    if panel.height != ROW * len(cpus):
        yield f"{panel.height} pixels of rows for {len(cpus)} CPUs"
    for number, cpu in enumerate(sorted(cpus, key=lambda path: int(path.split("/")[1]))):
        rows = table(histree, "states", store, "--from", "+0", "--to", end, cpu)
        intervals = [(int(row["start"]), int(row["end"]), status_of(row)) for row in rows]
        cells = list(expected_cells(intervals, intervals[0][0], intervals[-1][1], round(panel.width)))
        states = [box for box in found if panel.left <= box.left and box.top >= panel.top and box != panel
                  and box.colour in {style[0] for style in STYLES.values()}]
        if not any(len(order) > 1 for order, _ in cells):
            yield f"{cpu}: no pixel has several states: the picture tests nothing"
        for fault in check_row(states, cells, panel.left, panel.top + number * ROW):
            yield f"{cpu}: {fault}"


def check_tree(histree, store, svg):
    """A leaf is a circle of four curves, a core node a triangle, the root a square; the legend has one of each."""
    output(histree, "draw", store, "--force", "-o", svg, "--view", "tree")
    facts = table(histree, "info", store)[0]
    nodes, depth = int(facts["node_count"]), int(facts["depth"])
    symbols = collections.Counter()
    for element in xml.etree.ElementTree.parse(svg).iter():
        outline, style = element.get("d", ""), element.get("style", "")
        if "fill:rgb" in style and "stroke:rgb" in style:
            symbols[outline.count("C"), outline.count("L")] += 1
    leaves = symbols[4, 0] - 1
    core, root = symbols[0, 2] - 1, symbols[0, 3] - 1
    if (leaves + core + root, root) != (nodes, 1) or depth < 3 or not core:
        yield f"{leaves} circles, {core} triangles and {root} squares for {nodes} nodes in {depth} levels"


def check_readme(histree, root, svg):
    output(f"{root}/scripts/picture", histree, svg)
    today, shown = (collections.Counter(boxes(file)) for file in (svg, f"{root}/docs/histree.svg"))
    if today != shown or shown.total() < 500:
        yield (f"docs/histree.svg: {(shown - today).total()} of {shown.total()} shapes are not those of today's picture, "
               "which 'make picture' makes")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    histree, trace, root = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        store, deep, svg = f"{folder}/a.histree", f"{folder}/deep.histree", f"{folder}/a.svg"
        output(histree, "build", "-q", "-o", store, trace)
        output(histree, "build", "-q", "-t", "esht", "--node-size", "4K", "--fan-out", "6", "-o", deep, trace)
        faults = [*check_cpus(histree, store, svg), *check_tree(histree, deep, svg), *check_readme(histree, root, svg)]
    print("\n".join(faults[:20]) if faults else "the picture shows what the history says")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
