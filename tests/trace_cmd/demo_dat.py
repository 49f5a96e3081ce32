# SPDX-License-Identifier: MIT
"""
The demo trace as a trace.dat: the same events, each with the fields that the kernel writes.
"""
import pathlib
import sys

import trace_dat

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "perf"))
import demo_events  # noqa: E402 pylint: disable=wrong-import-position

OFFSET = demo_events.OFFSET
OPTIONS = [(trace_dat.DATE, b"%#x\0" % (OFFSET // 1000)), (trace_dat.OFFSET, b"%d\0" % (OFFSET % 1000)),
           (trace_dat.UNAME, b"Linux demo 6.1.0 x86_64\0"), (trace_dat.VERSION, b"3.1.6\0")]


def points():
    return {name: demo_events.tracepoint(100 + number, name, fields)
            for number, (name, fields) in demo_events.classes().items() if name != "dummy:HG"}


def events(dat, known):
    """{CPU: [(time, raw)]}"""
    found = {}
    for cpu, time, name, values in demo_events.events():
        if name in known:
            found.setdefault(cpu, []).append((time, demo_events.raw(dat, known[name], values)))
    return found


def demo(lost=None, variety=False, **form):
    """(TraceDat, {CPU: [page]}); `lost`: {CPU: {index: count}}."""
    known = points()
    dat = trace_dat.TraceDat(list(known.values()), **form)
    return dat, {cpu: dat.pages(some, (lost or {}).get(cpu), variety) for cpu, some in events(dat, known).items()}
