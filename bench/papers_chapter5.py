# SPDX-License-Identifier: MIT
"""
Chapter 5 of the thesis in bench/papers: a layout with fewer attributes (5.1), strings once (5.2, table 5.1), no nulls at
the ends (5.3, table 5.2).  Each is switched by itself, on each variant, with bench/string_forms.
"""
import os
import shutil
import sys

from measuring import median, output, paragraph, table, text_of
from papers_agreement import verdict
from papers_page import LABELS, label_of
from papers_trace import TABLE_1_THREADS, build

LAYOUTS = ("kernel-2016", "kernel", "kernel-compact")
FORMS = ("in-place", "history", "reference")
NULLS = ("keep", "leave-out")
COLUMNS = ("file_bytes", "beside", "nodes", "depth", "build", "single", "single_bare", "full", "full_bare", "attribute")

TABLE_5_1 = {  # after / before
    "size": 74.49 / 81.24, "single": 2.67 / 3.00, "single_bare": 2.74 / 3.00, "full": 11.50 / 7.01,
    "full_bare": 6.70 / 7.01,
}
TABLE_5_2 = {  # after / before
    "sht": {"build": 8244.06 / 17128.48, "size": 579.32 / 1257.94, "nodes": 9115 / 20055, "depth": 116 / 182,
            "single": 117.8 / 3192, "full": 16479.7 / 14378, "attribute": 139.2 / 13371},
    "esht": {"build": 6154.9 / 6314.64, "size": 168.76 / 170.44, "nodes": 2546 / 2655, "depth": 1,
             "single": 1836.4 / 2959, "full": 15408.1 / 12154, "attribute": 471 / 3455},
}


def measure(programs, options, folder, store, variant, nulls, form):
    name, _, memory = variant.partition("@")
    name, _, depth = name.partition(":")
    line = programs.bench("string_forms", store, os.path.join(folder, "forms.sht"), name, depth or 0, nulls, form,
                          options.form_queries)
    *numbers, checksum = line.split()
    row = dict(zip(COLUMNS, map(float, numbers)), checksum=checksum)
    row["size"] = row["file_bytes"] + row["beside"]
    return row


def measure_all(programs, options, folder):
    """The whole matrix: by layout, variant, nulls and form."""
    found, layouts = {}, {}
    for layout in LAYOUTS:
        store = os.path.join(folder, "store.histree")
        layouts[layout] = {"cpu": build(programs, "cluster", options.trace, store, layout) / 1e6,
                           **programs.histree_json("info", store)}
        for variant in options.form_variants:
            rows = {(layout, variant, nulls, form): measure(programs, options, folder, store, variant, nulls, form)
                    for nulls in NULLS for form in FORMS}
            if len({row["checksum"] for row in rows.values()}) != 1:
                sys.exit(f"{layout}, {variant}: the forms of strings have different answers")
            found |= rows
            print(f"  {layout}, {label_of(variant)}: layouts, strings and nulls", file=sys.stderr)
        shutil.rmtree(store)
    return found, layouts


def own_nulls(variant):
    return "leave-out" if variant == "cluster" else "keep"


def add_layouts(page, options, found, layouts):
    rows = []
    for variant in options.form_variants:
        for layout in LAYOUTS:
            row = found[layout, variant, own_nulls(variant), "in-place"]
            rows.append([label_of(variant), layout, f"{with_states(layouts[layout]):,}",
                         f"{layouts[layout]['interval_count']:,}", text_of(row["size"] / 1e6), int(row["depth"]),
                         text_of(row["build"] / 1e6), text_of(row["single"] / 1e3), text_of(row["full"] / 1e6),
                         text_of(row["attribute"] / 1e3)])
    plain, compact = (with_states(layouts[name]) for name in ("kernel", "kernel-compact"))
    page.add("## 5.1: fewer attributes\n", paragraph(
        f"{os.path.basename(options.trace)}. Attributes that have states; their intervals; then one tree of each. "
        "kernel-2016 is the layout before the thesis, kernel that of today's Trace Compass, kernel-compact ours "
        f"(histree-states(7)), of which the states of kernel follow: {100 * (1 - compact / plain):.1f} % fewer attributes "
        "than kernel. The thesis has 25 to 40 % on average. Builds are those of the tree alone, of intervals in memory; "
        "the pass over the trace, in cluster, takes "
        + ", ".join(f"{layouts[layout]['cpu']:.0f} ms with {layout}" for layout in LAYOUTS) + " of processor time."),
             table(["", "layout", "attributes", "intervals", "MB", "depth", "build, ms", "single, us", "full, ms",
                    "attribute, us"], rows))


def add_layouts_elsewhere(page, programs, options, folder):
    """Layouts by bytes and time of a build, on the traces that the document and the others have too."""
    generated = os.path.join(folder, "generated")
    output(options.generate, "--threads", TABLE_1_THREADS, "--cpus", 8, "-o", generated)
    traces = [(os.path.basename(trace), trace) for trace in [options.trace, *options.other_traces] if os.path.isdir(trace)]
    rows = []
    for name, trace in [*traces, (f"generated, {TABLE_1_THREADS:,} threads", generated)]:
        for variant in ("esht", "cluster"):
            before = None
            for layout in LAYOUTS:
                store = os.path.join(folder, "store.histree")
                cpu = median([build(programs, variant, trace, store, layout) / 1e6 for _ in range(options.builds)])
                info = programs.histree_json("info", store)
                shutil.rmtree(store)
                before = before or (with_states(info), info["file_bytes"], cpu)
                rows.append([name, label_of(variant), layout, f"{with_states(info):,}", f"{info['interval_count']:,}",
                             f"{info['file_bytes']:,}", f"{info['file_bytes'] / before[1]:.2f}", text_of(cpu),
                             f"{cpu / before[2]:.2f}"])
            print(f"  {name}, {label_of(variant)}: layouts", file=sys.stderr)
    shutil.rmtree(generated)
    page.add(paragraph(
        f"The same layouts on other traces: the file as it is, names included, and the whole pass over the trace in "
        f"processor time, median of {options.builds}; ratios to kernel-2016."),
             table(["trace", "", "layout", "attributes", "intervals", "bytes", "ratio", "build, ms", "ratio"], rows))


def with_states(info):
    return info["attribute_count"] - (3 if info["analysis"] == "kernel-compact" else 0)


def add_strings(page, options, found):
    rows = []
    for variant in options.form_variants:
        before = found["kernel-2016", variant, own_nulls(variant), "in-place"]
        for form in FORMS:
            row = found["kernel-2016", variant, own_nulls(variant), form]
            rows.append([label_of(variant), form, text_of(row["size"] / 1e6), text_of(row["build"] / 1e6),
                         *(f"{text_of(row[name] / unit)} ({row[name] / before[name]:.2f})"
                           for name, unit in (("single", 1e3), ("single_bare", 1e3), ("full", 1e6),
                                              ("full_bare", 1e6)))])
    theirs = TABLE_5_1
    rows.append(["thesis", "reference", f"({theirs['size']:.2f})", "", *(f"({theirs[name]:.2f})" for name in
                 ("single", "single_bare", "full", "full_bare"))])
    page.add("## Table 5.1: strings once\n", paragraph(
        "in-place is each time in rows, once a leaf in columns, as the trees do it; history is a number for each string "
        "and one table in memory; reference is the thesis's: a string is where it is first, and who reads another asks "
        "there, unless a cache of 1024 has it. Times with the values read, and without; in brackets the ratio to in-place."),
             table(["", "strings", "MB", "build, ms", "single, us", "without", "full, ms", "without"], rows),
             *say_strings(options, found))


def say_strings(options, found):
    """Whether strings once are slower, as in the thesis, from the numbers."""
    def ratio(variant, form, name):
        key = "kernel-2016", variant, own_nulls(variant)
        return found[(*key, form)][name] / found[(*key, "in-place")][name]

    def each(form, name):
        return ", ".join(f"{label_of(variant)} {ratio(variant, form, name):.2f}" for variant in options.form_variants)

    lines = [f"A full query with its values, strings by reference: {each('reference', 'full')} (thesis 1.64); once for "
             f"each history: {each('history', 'full')}. Size, once for each history: {each('history', 'size')} (thesis "
             "0.92)."]
    if {"cluster", "esht"} <= set(options.form_variants):
        rows = found["kernel-2016", "esht", "keep", "in-place"], found["kernel-2016", "cluster", "leave-out", "in-place"]
        lines.append(f"Ours, once for each leaf of columns, against rows (eSHT): size {rows[1]['size'] / rows[0]['size']:.2f}, "
                     f"single {rows[1]['single'] / rows[0]['single']:.2f}, full {rows[1]['full'] / rows[0]['full']:.2f}, one "
                     f"attribute {rows[1]['attribute'] / rows[0]['attribute']:.2f}: the text is in the node that is read "
                     "anyway.")
    return [paragraph(line) for line in lines]


def add_nulls(page, options, found):
    rows = []
    names = ("build", "size", "nodes", "depth", "single", "full", "attribute")
    for variant in options.form_variants:
        kept, left_out = (found["kernel-2016", variant, nulls, "in-place"] for nulls in NULLS)
        theirs = TABLE_5_2.get(variant)
        for name in names:
            unit = {"build": 1e6, "size": 1e6, "single": 1e3, "full": 1e3, "attribute": 1e3}.get(name, 1)
            ours = left_out[name] / kept[name]
            rows.append([label_of(variant), name, text_of(kept[name] / unit), text_of(left_out[name] / unit),
                         f"{1 / ours:.2f}", f"{1 / theirs[name]:.2f}" if theirs else "",
                         verdict(1 / theirs[name], 1 / ours, False) if theirs else ""])
    page.add("## Table 5.2: no nulls at the ends\n", paragraph(
        "The null before an attribute's first state and that after its last, kept and left out. Build in ms, size in MB, "
        "queries in us: single, full, and all states of one attribute. Gain is kept / left out; the thesis has another "
        "trace."), table(["", "metric", "kept", "left out", "gain", "thesis", "agrees"], rows))


def add_matrix(page, options, found):
    rows = []
    for (layout, variant, nulls, form), row in found.items():
        rows.append([label_of(variant), layout, nulls, form, text_of(row["size"] / 1e6), int(row["depth"]),
                     text_of(row["build"] / 1e6), text_of(row["single"] / 1e3), text_of(row["full"] / 1e6),
                     text_of(row["attribute"] / 1e3)])
    rows.sort(key=lambda row: list(map(label_of, LABELS)).index(row[0]) if row[0] in LABELS.values() else len(LABELS))
    page.add("## Layout, nulls and strings, each with each\n",
             table(["", "layout", "nulls", "strings", "MB", "depth", "build, ms", "single, us", "full, ms",
                    "attribute, us"], rows))


def add_chapter5(page, programs, options, folder):
    found, layouts = measure_all(programs, options, folder)
    add_layouts(page, options, found, layouts)
    add_layouts_elsewhere(page, programs, options, folder)
    add_strings(page, options, found)
    add_nulls(page, options, found)
    add_matrix(page, options, found)
