# SPDX-License-Identifier: MIT
"""The interval model of the papers in bench/papers: every variant at every number of attributes, and the bounds."""
import math
import sys

from measuring import median, paragraph, spread, table, text_of
from papers_page import arguments_of, label_of

KEYS, TIMES = 100, 2000  # of a 2D query (thesis 4.8.7)


class Sweep:
    """Medians of `histree bench`, by variant and attributes."""

    def __init__(self, programs, options):
        self.variants, self.rows, self.spread = options.variants, {}, 0
        for attributes in options.attributes:
            for variant in options.variants:
                if variant == "sht" and attributes > options.sht_most:
                    continue
                runs = options.runs if attributes < options.once_from else 1
                samples = [programs.histree_json("bench", "--attribute-count", attributes, "--queries", options.queries,
                                                 *arguments_of(variant)) for _ in range(runs)]
                row = self.rows[variant, attributes] = self.median_of(samples)
                row["bytes"] = row["file_bytes"] / row["interval_count"]
                row["rate"] = row["interval_count"] * 1e3 / row["build_cpu_ns"]
                print(f"  {label_of(variant)}, A = {attributes:,}", file=sys.stderr)

    def median_of(self, samples):
        if any(sample["wrong"] for sample in samples):
            sys.exit(f"{samples[0]['variant']}: wrong answers")
        for column in ("build_cpu_ns", "single_cpu_median_ns", "full_cpu_median_ns"):
            self.spread = max(self.spread, spread([sample[column] for sample in samples]))
        return {column: value if isinstance(value, str) else median([sample[column] for sample in samples])
                for column, value in samples[0].items()}

    def series(self, column, variants=None):
        """For a plot; `column` is a name or a function of a row."""
        value = column if callable(column) else lambda row: row[column]
        return {label_of(variant): [(attributes, value(row)) for (other, attributes), row in self.rows.items()
                                    if other == variant]
                for variant in variants or self.variants}

    def attributes(self, *variants):
        """Where all of these were measured."""
        found = [{attributes for variant, attributes in self.rows if variant == wanted} for wanted in variants]
        return sorted(set.intersection(*found))

    def ratio(self, column, variant, other, attributes):
        return self.rows[variant, attributes][column] / self.rows[other, attributes][column]

    def slope(self, column, variant):
        """The power of A with which it grows, between the two largest."""
        points = self.series(column, [variant])[label_of(variant)][-2:]
        if len(points) < 2:
            return None
        (x1, y1), (x2, y2) = points
        return math.log(y2 / y1) / math.log(x2 / x1)

    def table(self, title, column, unit):
        attributes = sorted({attributes for _, attributes in self.rows})
        rows = [[label_of(variant)] + [text_of(self.rows[variant, a][column] / unit)
                                       if (variant, a) in self.rows else "" for a in attributes]
                for variant in self.variants]
        return table([title] + [f"{a:,}" for a in attributes], rows)


def add_model(page, sweep):
    page.add("## The model: figures 8 to 11 of the paper, 4.7 and 4.14 to 4.19 of the thesis\n", paragraph(
        f"A attributes x 20 intervals. Medians; the runs of a point lie at most {sweep.spread:.0f} % apart; all by "
        "processor time, without waiting. The thesis plots 4.14 to 4.19 from traces of up to 3.4 million threads; "
        "here they are from the model. SHT ends where its file would become too large."))
    page.add(sweep.table("bytes an interval", "bytes", 1))
    page.plot("size", "Size on disk (figures 9, 4.14)", ("attributes", "MB"),
              sweep.series(lambda row: row["file_bytes"] / 1e6))
    page.add(sweep.table("memory at most, MB", "peak_bytes", 1e6))
    page.add(sweep.table("depth", "depth", 1))
    page.add(sweep.table("build, M/cpu s", "rate", 1))
    page.add(sweep.table("single query, us", "single_cpu_median_ns", 1e3))
    page.plot("single", "Single query (figures 11, 4.7, 4.16)", ("attributes", "us"),
              sweep.series(lambda row: row["single_cpu_median_ns"] / 1e3))
    page.add(sweep.table("full query, ms", "full_cpu_median_ns", 1e6))
    page.add(sweep.table(f"2D, {KEYS} keys x {TIMES} times, ms", "times_cpu_median_ns", 1e6))
    page.add(sweep.table(f"2D, {KEYS} keys, middle half, ms", "range_cpu_median_ns", 1e6))


# ---- the bounds of 4.5.4 and 4.7, next to counted nodes -----------------------------------------------------------


def bounds(variant, row):
    """Nodes that a single and a full query visit at most, by the formulas; None where there is none."""
    a, i = row["attribute_count"], row["interval_count"] / row["attribute_count"]
    n, c = row["interval_count"] / row["leaf_count"], row["fan_out"]
    h = max(math.log(a * i / n) / math.log(c), 0)
    if variant == "sht":
        return math.ceil(a / n), math.ceil(a / n)
    if variant in ("osht", "esht"):
        bound = h + (a + n) / (n + 1) * ((1 - c**-h) / (1 - 1 / c))
        return bound, bound
    if variant.startswith(("rsht", "vrsht")):
        r = row["r_depth"]
        trees = (c**(r - 1) * n + a) / (c**(r - 1) * n)
        upper = max(h - r, 0)
        return (upper + c**(-r - 1) * a / n + trees * math.floor(r + c**(r - 1) / a),
                upper + c**-r * a / n + trees * c**(r - 1))
    if variant == "cluster":  # a batch of K = 4 intervals each is an R-tree of one level (design 0002, 0026)
        batch = max(4 * a, n)
        above = 1 + sum(1 + a / (c**k * n) for k in range(1, math.ceil(h)))
        return above + 1 + a / batch, above + (1 + a / batch) * math.ceil(batch / n)
    return None, None


def depth_of_sht(sweep):
    """What is counted, next to A I / n."""
    rows = [row for (variant, _), row in sweep.rows.items() if variant == "sht"]
    if not rows:
        return ""
    row = max(rows, key=lambda row: row["attribute_count"])
    wanted = row["interval_count"] / (row["interval_count"] / row["leaf_count"])
    return (f" At A = {row['attribute_count']:,} the tree has {row['leaf_count']:,} leaves, and is {row['depth']} deep: "
            f"{row['depth'] / wanted:.2f} levels a leaf.")


def fullness_of_r_trees(sweep):
    said = []
    for variant in sweep.variants:
        sizes = sweep.attributes(variant)
        row = sweep.rows[variant, sizes[-1]] if sizes else {"r_depth": 0}
        if row["r_depth"] < 2:
            continue
        leaves = row["fan_out"] ** (row["r_depth"] - 1)
        said.append(f"{label_of(variant)} {row['leaf_count'] / leaves:.3g}")
    return f" Leaves of the tree, as R-trees that would be full: {', '.join(said)}." if said else ""


def add_bounds(page, sweep):
    rows = []
    for (variant, attributes), row in sweep.rows.items():
        if attributes < 10000 or bounds(variant, row)[0] is None:
            continue
        single, full = bounds(variant, row)
        rows.append([label_of(variant), f"{attributes:,}", text_of(row["interval_count"] / row["leaf_count"]),
                     row["depth"], text_of(row["single_nodes_visited"]), text_of(single),
                     text_of(row["full_nodes_visited"]), text_of(full)])
    page.add("## The bounds of 4.5.4 and 4.7\n", paragraph(
        "Nodes that a query visits, counted (mean), next to the formulas of the thesis: SHT ceil(A / n); eSHT h "
        "+ (A + n) / (n + 1) (1 - c^-h) / (1 - 1/c); R-SHT those of 4.7.1 and 4.7.3, which are no bounds but "
        "means; of a cluster the documents say nothing, and the formula is that of an R-tree of one level over each batch, "
        "of 4 intervals of each attribute. n is the intervals by leaf as the tree has it, c the fan-out, h = log_c(A I / n)."),
             table(["", "A", "n", "depth", "single, counted", "formula", "full, counted", "formula"], rows),
             paragraph(
        "The formula of the SHT counts only the states that begin with the history. On the model every state "
        "lasts as long as A changes take, so once A is above n almost no state fits beside the newest leaf, "
        "every full node adds a level, and the depth is A I / n." + depth_of_sht(sweep)), paragraph(
        "A node is not visited once all that was asked for is found, so that a single query sees about half of its "
        "bound. The formulas of R3 and R4 are those of R-trees that are full: c^(r-1) leaves, of which a row says "
        "how many of its own tree that is, R-trees being cut where memory ends them (R3 cut, R4 cut) or where the "
        "model does." + fullness_of_r_trees(sweep)))
