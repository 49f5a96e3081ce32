# SPDX-License-Identifier: MIT
"""Traces in bench/papers: tables I, 4.1, 4.2 and 4.3 and figure 4.8, of a recorded one and of generated ones."""
import os
import shutil
import sys

from measuring import median, output, paragraph, spread, table, text_of
from papers_page import arguments_of, label_of

TABLE_4_2 = {  # build ms, depth, MiB
    "SHT": (1925, 45, 86.31), "oSHT": (1812, 3, 21.87), "eSHT": (1762, 3, 21.44), "R2": (6604, 3, 20.87),
    "R3": (8926, 3, 20.81), "vR": (6546, 3, 21.00),
}
TABLE_4_3 = {  # PsTree ms, Zoom ms: full, single, 2D
    "SHT": ((5360, 21210, None), (29880, 15300, None)), "oSHT": ((6536, 19500, None), (26860, 15000, None)),
    "eSHT": ((6168, 940.6, 226.8), (30310, 6894, 4408)), "R2": ((19220, 1882, 136.3), (42310, 7861, 3950)),
    "R3": ((65590, 914.9, 118.4), (267000, 6995, 4422)), "vR": ((17100, 1969, 135.7), (40970, 8183, 4041)),
}
TABLE_1 = {"nodes": 23716 / 2788, "size": 1486 / 178, "depth": 206 / 7, "fill": 95 / 9, "build": 14156 / 6991,
           "query": 84 / 41}  # SHT / eSHT, but for the fill eSHT / SHT
TABLE_1_THREADS = 10000  # at least: of fewer, no tree degenerates
TABLE_4_1 = {160: 7266, 336: 13133, 736: 19979, 1600: 27722, 3440: 57721, 7424: 122552, 16000: 273666,
             34464: 585565, 74256: 1263257, 160000: 2721160}  # threads: events


def build(programs, variant, trace, store, analysis="kernel-2016", more=()):
    """Returns ns of processor time."""
    return programs.histree_cpu("build", "-q", "-f", "-a", analysis, "-o", store, *arguments_of(variant), *more, trace)


def bytes_each(found, variant):
    return f"{found[variant]['bytes_per_interval']:.3g}" if variant in found else "fewer"


# ---- a recorded trace ------------------------------------------------------------------------------------------


def add_trace(page, programs, options, folder):
    """Tables 4.2 and 4.3 and figure 4.8; returns what was measured of each variant, and of its views."""
    found, flows, histograms = {}, {}, {}
    for variant in options.variants:
        label, store = label_of(variant), os.path.join(folder, "store.histree")
        builds = [build(programs, variant, options.trace, store) / 1e6 for _ in range(options.builds)]
        info = programs.histree_json("info", store)
        found[variant] = dict(info, build_ms=median(builds), build_spread=spread(builds))
        histograms[variant] = info["key_range_nodes"]
        lines = programs.bench("control_flow", "--runs", options.runs, "--pixels", options.pixels, store).splitlines()[1:]
        flows[variant] = {tuple(cells[1:3]): cells for cells in (line.split("\t") for line in lines)}
        shutil.rmtree(store)
        print(f"  {label}, {os.path.basename(options.trace)}", file=sys.stderr)
    add_table_4_2(page, found, options)
    add_table_4_3(page, flows, options.pixels)
    span = {label_of(variant): [((i + 0.5) * 100 / len(counts), 100 * count / max(sum(counts), 1))
                                for i, count in enumerate(counts)]
            for variant, counts in histograms.items() if variant in ("esht", "rsht:2")}
    page.add("## Figure 4.8: keys that a node spans\n", paragraph(
        "Share of the nodes by the share of all attributes that lies between their least and their greatest key."))
    page.plot("keys", "Key range of the nodes (figure 4.8)", ("% of all attributes", "% of the nodes"), span, "")
    return found, flows


def add_table_4_2(page, found, options):
    rows = []
    for variant, info in found.items():
        theirs = TABLE_4_2.get(label_of(variant), (None, None, None))
        rows.append([label_of(variant), text_of(info["build_ms"]), f"{info['build_spread']:.0f} %",
                     text_of(theirs[0]), info["depth"], text_of(theirs[1]),
                     text_of(info["file_bytes"] / 2**20), text_of(theirs[2]), info["node_count"],
                     f"{info['node_fill_percent']:.0f} %"])
    first = next(iter(found.values()))
    page.add(f"## Tables I and 4.2: {os.path.basename(options.trace)}\n", paragraph(
        f"{first['event_count']:,} events give {first['interval_count']:,} intervals of "
        f"{first['attribute_count']:,} attributes in the analysis of 2016; the thesis counts 741,492 of 50,598. "
        f"Build: the whole pass over the trace, decoding included, processor time, median of {options.builds}. An "
        f"interval of the thesis's eSHT takes {21.44 * 2**20 / 741492:.3g} bytes, one of ours "
        f"{bytes_each(found, 'esht')}, so that a node of ours holds more, and the SHT degenerates less deep."),
             table(["", "build, ms", "spread", "thesis", "depth", "thesis", "MiB", "thesis", "nodes", "fill"],
                   rows))


def add_table_4_3(page, flows, pixels):
    rows = []
    for variant, cells in flows.items():
        theirs = TABLE_4_3.get(label_of(variant), ((None,) * 3, (None,) * 3))
        for way, strategy in enumerate(("full", "single", "2D")):
            row = [label_of(variant), strategy]
            for column, sequence in enumerate(("PsTree", "Zoom")):
                cell = cells[sequence, strategy]
                row += [f"{text_of(float(cell[4]))} +- {text_of(float(cell[5]), 2)}", text_of(theirs[column][way]),
                        text_of(int(cell[7]))]
            rows.append(row)
    page.add("## Table 4.3: a Control Flow View\n", paragraph(
        f"The sequences as bench/control_flow.c describes them: {pixels} pixels, 50 threads, 21 views (800 pixels come "
        "nearest to the thesis; where claims are compared, full queries are those of 800). The thesis "
        "gives no 2D time for SHT and oSHT, which keep no keys; ours answers there too, by reading more nodes. "
        "Milliseconds, mean +- standard deviation. The best of the thesis is 118.4 ms and 3,950 ms, in Java, "
        "with the drawing of the states in the Zoom; how many pixels and threads it drew, it does not say."),
             table(["", "strategy", "PsTree, ms", "thesis", "nodes", "Zoom, ms", "thesis", "nodes"], rows))


# ---- generated traces --------------------------------------------------------------------------------------------


def measure_generated(programs, options, folder, threads):
    trace, store = os.path.join(folder, "trace"), os.path.join(folder, "store.histree")
    output(options.generate, "--threads", threads, "--cpus", 8, "-o", trace)
    found = {}
    for variant in options.variants:
        if variant == "sht" and threads > options.sht_threads:
            continue
        cpu = build(programs, variant, trace, store)
        info = programs.histree_json("info", store)
        asked = programs.histree_json("bench", "--store", store, "--queries", options.queries)
        found[variant] = dict(asked, build_ms=cpu / 1e6, event_count=info["event_count"],
                              node_fill_percent=info["node_fill_percent"])
        shutil.rmtree(store)
        print(f"  {label_of(variant)}, {threads:,} threads", file=sys.stderr)
    shutil.rmtree(trace)
    return found


def add_generated(page, programs, options, folder):
    """Table 4.1's sizes and table I's; returns what was measured, by threads and variant."""
    found = {threads: measure_generated(programs, options, folder, threads) for threads in options.threads}
    rows = []
    for threads, variants in found.items():
        for variant, row in variants.items():
            rows.append([f"{threads:,}", f"{row['event_count']:,}", label_of(variant), f"{row['attribute_count']:,}",
                         text_of(row["build_ms"]), row["depth"], row["node_count"],
                         f"{row['node_fill_percent']:.0f} %", text_of(row["file_bytes"] / 2**20),
                         text_of(row["single_cpu_median_ns"] / 1e3), text_of(row["single_nodes_visited"]),
                         text_of(row["full_cpu_median_ns"] / 1e6)])
    page.add("## Tables I and 4.1: generated traces of the documents' sizes\n", paragraph(
        "bench/traces/generate makes as many threads; the thesis has "
        + ", ".join(f"{TABLE_4_1[t]:,} events of {t:,}" for t in found if t in TABLE_4_1)
        + " threads. The trace of table I has 10,000 threads, and an eSHT of 2,788 nodes. Analysis of 2016; build and "
        "queries by processor time."),
             table(["threads", "events", "", "attributes", "build, ms", "depth", "nodes", "fill", "MiB", "single, us",
                    "nodes visited", "full, ms"], rows))
    return found
