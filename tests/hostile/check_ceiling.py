#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A build's memory has a ceiling, however many attributes there are: check_ceiling.py HISTREE

A trace of 60,000 threads, 300,000 attributes, is built within 32 MB, which are 8 MB for buffers and tables. Above what a
trace of 1,000 threads takes, that may take these 8 MB and 12 more: 6 bytes an attribute for what overviews are made of, the
rest for pages of files. With a ceiling that is not reached, it takes far more, or the test would not find anything. 86 MB
are a ceiling of the whole process.

The same holds for twice as many processes in the Trace Event Format, each with a span, spans that go on to the end, or flows,
in a trace of Perfetto, and for eight times as many spans of requests; and for more functions and stacks of profiles, of each
format. And for three million switches of few threads, each of which has a sum of its own, however long the trace is. A quick
run tries one format of profiles, and one of spans.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = (str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("perfetto", "support"))
import perfetto_trace  # noqa: E402 (of the tests of Perfetto)
from data import sample  # noqa: E402

HISTREE = str(pathlib.Path(sys.argv[1]).resolve())
FEW, MANY, SWITCHES, MEGABYTE = 1000, 60000, 3000000, 1 << 20
SMALL, CEILING, ALLOWED = 32 * MEGABYTE, 8 * MEGABYTE, 12 * MEGABYTE
OF_PROCESS = 86 * MEGABYTE


def write_trace(path, threads):
    """Each thread runs once, and no more."""
    with path.open("w", encoding="utf-8") as file:
        print("time", "cpu", "event", *(f"{side}_{what}" for side in ("prev", "next") for what in ("comm", "tid", "prio")),
              "prev_state", sep="\t", file=file)
        for tid in range(1, threads + 1):
            print(1000 * tid, 0, "sched_switch", "w", tid - 1, 20, "w", tid, 20, 1, sep="\t", file=file)


def write_switches(path, count):
    """Of few threads."""
    write_trace(path, 0)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{1000 * i}\t0\tsched_switch\tw\t{i % 50 + 1}\t20\tw\t{(i + 1) % 50 + 1}\t20\t1\n" for i in range(count))


SPANS = {
    "spans": '{"ph":"X","pid":%d,"tid":%d,"ts":%d,"dur":5,"name":"work","args":{"a":1}}',
    "open": '{"ph":"B","pid":%d,"tid":%d,"ts":%d,"name":"work","args":{"a":1}}',
    "flows": '{"ph":"s","pid":1,"tid":%d,"id":%d,"ts":%d,"cat":"c","name":"f"}',
}


def write_perfetto(path, count):
    number, data, packet = perfetto_trace.number, perfetto_trace.data, perfetto_trace.packet
    with path.open("wb") as file:
        for i in range(1, count + 1):
            span = number(11, i) + data(23, "work")
            file.write(perfetto_trace.trace([packet(data(60, number(1, i) + data(3, number(1, i)))),
                                             packet(data(11, number(9, 1) + span), time=3 * i),
                                             packet(data(11, number(9, 2) + span), time=3 * i + 1)]))


def write_requests(path, count):
    """One span caused all others, each of which is on a track of its own."""
    with path.open("w", encoding="utf-8") as file:
        for i in range(count):
            file.write((",\n" if i > 0 else "[") + json.dumps({
                "traceId": "1", "id": f"{i + 1:x}", "name": "work", "timestamp": 10**15 + i, "duration": 9 if i > 0 else 2 * count,
                "tags": {"n": str(i)}, "localEndpoint": {"serviceName": "shop"}} | ({"parentId": "1"} if i > 0 else {})))
        file.write("]")


def write_spans(path, count, form):
    if form == "requests":
        return write_requests(path, count)
    if form == "perfetto":
        return write_perfetto(path, count)
    with path.open("w", encoding="utf-8") as file:
        for i in range(count):
            file.write((",\n" if i > 0 else "[") + SPANS[form] % (i + 1, i + 1, 3 * i))


def frames(number):
    return ["main", f"worker_{number % 7}", f"function_number_{number}_of_many", f"what_function_{number}_calls_itself"]


def folded(count):
    return "".join(f"{';'.join(frames(i))} {i % 50 + 1}\n" for i in range(count))


def speedscope(count):
    numbers = {}
    stacks = [[numbers.setdefault(name, len(numbers)) for name in frames(i)] for i in range(count)]
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json",
                       "shared": {"frames": [{"name": name} for name in numbers]},
                       "profiles": [{"type": "sampled", "name": "t", "unit": "none", "samples": stacks,
                                     "weights": [1] * count}]})


def v8(count):
    calls = [{"id": i + 2, "callFrame": {"functionName": frames(i)[2], "url": f"file:///lib/{i}.js", "lineNumber": 3}}
             for i in range(count)]
    root = {"id": 1, "callFrame": {"functionName": "(root)"}, "children": [call["id"] for call in calls]}
    return json.dumps({"nodes": [root, *calls], "startTime": 1, "samples": root["children"], "timeDeltas": [9] * count})


def firefox(count):
    numbers = list(range(count))
    thread = {"name": "t", "pid": "10", "tid": 10, "stringArray": [frames(i)[3] for i in numbers],
              "funcTable": {"name": numbers}, "frameTable": {"func": numbers, "line": [None] * count},
              "stackTable": {"frame": numbers, "prefix": [i - 1 if i % 4 else None for i in numbers]},
              "samples": {"stack": numbers, "time": numbers, "weight": None}}
    return json.dumps({"meta": {"interval": 1, "preprocessedProfileVersion": 47}, "libs": [], "threads": [thread]})


def chrome(count):
    stacks = {str(i): {"name": frames(i)[3], "category": "app"} for i in range(count)}
    return json.dumps({"traceEvents": [], "stackFrames": stacks,
                       "samples": [{"cpu": 0, "tid": 1, "ts": i, "name": "cycles", "sf": i, "weight": 1} for i in range(count)]})


def perf_script(count):
    return "".join(f"app {7 + i % 3} [000] {i // 10**6}.{i % 10**6:06}:     250000 cycles:u: \n" +
                   "".join(f"\t          {4096 + 16 * depth:x} {name}+0x4 (/usr/bin/app)\n"
                           for depth, name in enumerate(reversed(frames(i)))) + "\n" for i in range(count))


PROFILES, STACKS = (firefox, folded, speedscope, v8, chrome, perf_script), 200000


def write_profile(path, form, count):
    """In a process of its own: what this one has, a build has at its start."""
    child = os.fork()
    if child == 0:
        path.write_text(form(count), encoding="utf-8")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def peak(folder, trace, ceiling, analyses="kernel"):
    """The most bytes that were in memory at a time."""
    build = subprocess.Popen([HISTREE, "build", "-q", "--force", "-a", analyses, "--threads", "1", "--memory", str(ceiling),
                              "-o", folder / "store", trace])
    _, status, usage = os.wait4(build.pid, 0)
    assert status == 0, status
    return 1024 * usage.ru_maxrss


def within(folder, trace, analyses):
    """The whole process keeps within its ceiling."""
    most = peak(folder, trace, OF_PROCESS, analyses)
    print(f"of {OF_PROCESS / MEGABYTE:.0f} MB: {most / MEGABYTE:.1f} MB")
    assert most <= OF_PROCESS, trace


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_trace(folder / "few.tsv", FEW)
        write_trace(folder / "many.tsv", MANY)
        few = peak(folder, f"text:tracer=lttng:{folder / 'few.tsv'}", SMALL)
        many = peak(folder, f"text:tracer=lttng:{folder / 'many.tsv'}", SMALL)
        free = peak(folder, f"text:tracer=lttng:{folder / 'many.tsv'}", 224 * MEGABYTE)
        within(folder, f"text:tracer=lttng:{folder / 'many.tsv'}", "kernel")
        write_switches(folder / "long.tsv", SWITCHES)
        within(folder, f"text:tracer=lttng:{folder / 'long.tsv'}", "switches")
        for form in sample(PROFILES, 6):  # the first takes the least time
            peaks = {}
            for count in (FEW, STACKS):
                write_profile(folder / "profile", form, count)
                peaks[count] = peak(folder, folder / "profile", SMALL, "samples,sample-stacks")
            print(*(f"{form.__name__}, {count}: {size / MEGABYTE:.1f} MB" for count, size in peaks.items()), sep="; ")
            # A trace that is sorted has 16 MB for that, and 16 for its tables.
            assert peaks[STACKS] <= peaks[FEW] + CEILING + ALLOWED + 32 * MEGABYTE, form.__name__
            if form is v8:
                within(folder, folder / "profile", "samples,sample-stacks")
        for form in sample((*SPANS, "perfetto", "requests"), 5):
            peaks = {}
            spans = (8 if form == "requests" else 2) * MANY  # all spans of requests are kept, some 200 bytes each
            for count in (FEW, spans):
                write_spans(folder / "spans.json", count, form)
                peaks[count] = peak(folder, folder / "spans.json", SMALL, "tracks,track-spans,track-flows")
            print(*(f"{form}, {count}: {size / MEGABYTE:.1f} MB" for count, size in peaks.items()), sep="; ")
            # Events are sorted in 16 MB, of which a few fill none; descriptions of at most 131,072 tracks are kept.
            most = peaks[FEW] + CEILING + ALLOWED + (32 if form == "perfetto" else 16) * MEGABYTE
            assert peaks[spans] <= most, form
    print(*(f"{what}: {size / MEGABYTE:.1f} MB" for what, size in
            (("few attributes", few), ("many", many), ("many, without a ceiling in reach", free))), sep="; ")
    most = few + CEILING + ALLOWED
    assert many <= most, f"{most / MEGABYTE:.1f} MB are the most"
    assert free > most, "the trace is too small to reach the ceiling"
    return 0


if __name__ == "__main__":
    sys.exit(main())
