#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The demo trace as a trace.dat: of both versions, in both byte orders, of 32 and 64 bits, of pages of several sizes, plain
and compressed, with entries of each kind.  Every interval that histree makes of each is that of tests/data/demo-states,
which a model in Python computed of the text of babeltrace2.  And with losses: what is not unknown is as without.

usage: check_demo_dats.py HISTREE
"""
import gzip
import itertools
import pathlib
import subprocess
import sys
import tempfile

import demo_dat
import trace_dat

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from data import sample, without_processes  # noqa: E402

STATES = pathlib.Path(__file__).parents[1] / "data/demo-states"


def states(histree, folder, data, *options):
    """What `histree states` prints of the states of two analyses, and what the build says."""
    path, store = folder / "trace.dat", folder / "store"
    path.write_bytes(data)
    built = subprocess.run([histree, "build", "-f", "-a", "kernel,kernel-tc", *options, "-o", store, path],
                           stderr=subprocess.PIPE, text=True, check=False)
    if built.returncode not in (0, 3) or not store.is_dir():
        return {}, built.stderr
    return {analysis: subprocess.run([histree, "states", store, "-a", analysis, "--format", "tsv"], check=True,
                                     stdout=subprocess.PIPE).stdout for analysis in ("kernel", "kernel-tc")}, built.stderr


def forms():
    """Each form once, and those that differ in one thing."""
    for version, big, long_size in itertools.product((6, 7), (False, True), (4, 8)):
        yield {"version": version, "big": big, "long_size": long_size}
    for packing, big in itertools.product(("zlib", "zstd"), (False, True)):
        yield {"packing": packing, "big": big, "variety": True}
    for version, page_size in itertools.product((6, 7), (1024, 16384, 65536)):
        yield {"version": version, "page_size": page_size, "variety": True}


def name_of(form):
    return "-".join(str(value) for value in form.values())


def intervals(text):
    for line in text.decode().splitlines()[1:]:
        path, start, end, kind, value = line.split("\t")
        yield path, int(start), int(end), kind, value


def with_loss(count):
    """Some events of one CPU are left out, and the page behind them says so; `count`: with their number."""
    known = demo_dat.points()
    dat = trace_dat.TraceDat(list(known.values()))
    some = demo_dat.events(dat, known)
    first, last = len(some[1]) // 3, len(some[1]) // 2
    lost = {first: last - first if count else 0}
    kept = some[1][:first] + some[1][last:]
    return last - first, dat.file({"": {0: dat.pages(some[0]), 1: dat.pages(kept, lost)}}, demo_dat.OPTIONS)


def with_damage(begin, byte):
    """A page in the middle is overwritten."""
    dat, pages = demo_dat.demo()
    middle = len(pages[0]) // 2
    pages[0][middle] = pages[0][middle][:begin].ljust(len(pages[0][middle]), byte)
    return dat.file({"": pages}, demo_dat.OPTIONS)


def check_loss(histree, folder, expected, data, sentence):
    found, said = states(histree, folder, data)
    whole = {}
    for path, start, end, kind, value in intervals(expected["kernel"]):
        whole.setdefault(path, []).append((start, end, kind, value))
    unknown = wrong = 0
    begin = min(spans[0][0] for spans in whole.values())
    for path, start, end, kind, value in intervals(found.get("kernel", b"")):
        unknown += kind == "unknown"
        if kind == "unknown" or (kind == "null" and start == begin):  # nobody had heard of it
            continue
        wrong += any(other_start <= end and other_end >= start and (other_kind, other_value) != (kind, value) and
                     other_kind != "unknown" for other_start, other_end, other_kind, other_value in whole.get(path, []))
    ok = found and unknown > 0 and wrong == 0 and sentence in said
    print(f"{'ok' if ok else 'not ok'} {sentence}: {unknown} intervals unknown, {wrong} wrong{'' if ok else ': ' + said}",
          flush=True)
    return not ok


def main():
    histree = sys.argv[1]
    expected = {analysis: without_processes(gzip.decompress((STATES / f"{analysis}.tsv.gz").read_bytes()))
                for analysis in ("kernel", "kernel-tc")}
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for form in sample(forms()):
            if form.get("packing") == "zstd" and trace_dat.PACKERS["zstd"] is None:
                continue
            dat, pages = demo_dat.demo(**form)
            data = dat.file({"": pages}, demo_dat.OPTIONS)
            found, said = states(histree, folder, data)
            if "built without" in said:
                continue
            ok = found == expected
            failed += not ok
            print(f"{'ok' if ok else 'not ok'} {name_of(form)}: {len(data)} bytes{'' if ok else ': ' + said}", flush=True)
        for count in (False, True):
            lost, data = with_loss(count)
            failed += check_loss(histree, folder, expected, data,
                                 f"lost {lost if count else 'an unknown number of'} events")
        failed += check_loss(histree, folder, expected, with_damage(0, b"\xff"), "(its head is malformed)")
        failed += check_loss(histree, folder, expected, with_damage(16, b"\0"), "(an entry reaches behind its end)")
    sys.exit(failed > 0)


main()
