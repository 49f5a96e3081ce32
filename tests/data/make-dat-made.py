#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Make tests/data/dat-made: one small trace.dat in seven forms.  usage: make-dat-made.py FOLDER

Two CPUs, and a second buffer with one; pages of 256 bytes; entries of each kind; texts of 16 bytes, at a distance,
relative, and up to the end; seven events that were lost on CPU 1, and later some that nobody counted.  `guest` has times
in cycles, which are 1000 after the host's on CPU 0 and drift on CPU 1.  `processes` says of which they are.
"""
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / folder) for folder in ("trace_cmd", "perf")]
import perf_data  # noqa: E402
import trace_dat  # noqa: E402

POINTS = [
    perf_data.Tracepoint(5, "ftrace", "print", [("unsigned long", "ip", 8, 8, 0), ("char[]", "buf", 16, 0, 0)]),
    perf_data.Tracepoint(310, "sched", "sched_switch", [
        ("char[16]", "prev_comm", 8, 16, 0), ("pid_t", "prev_pid", 24, 4, 1), ("char[16]", "next_comm", 28, 16, 0),
        ("pid_t", "next_pid", 44, 4, 1)]),
    perf_data.Tracepoint(20, "raw_syscalls", "sys_enter", [
        ("long", "id", 8, 8, 1), ("unsigned long[6]", "args", 16, 48, 0)]),
    perf_data.Tracepoint(150, "irq", "irq_handler_entry", [
        ("int", "irq", 8, 4, 1), ("__data_loc char[]", "name", 12, 4, 0)]),
    perf_data.Tracepoint(7, "made", "sizes", [
        ("unsigned char", "u8", 8, 1, 0), ("signed char", "s8", 9, 1, 1), ("short", "s16", 10, 2, 1),
        ("__rel_loc char[]", "near", 12, 4, 0), ("u64", "u64", 16, 8, 0), ("void *", "pointer", 24, 8, 0)]),
]
PRINT, SWITCH, ENTER, IRQ, SIZES = range(5)


def common(dat, point, pid):
    return dat.pack("HBBi", POINTS[point].number, 1, 2, pid)


def switch(dat, before, after):
    def word(pid):
        return (b"thread-%d" % pid).ljust(16, b"\0") + dat.pack("i", pid)
    return common(dat, SWITCH, before) + word(before) + word(after)


def enter(dat, pid, number):
    return common(dat, ENTER, pid) + dat.pack("q6Q", number, *range(6))


def irq(dat, number, name):
    return common(dat, IRQ, 0) + dat.pack("iI", number, 16 | (len(name) + 1) << 16) + name + b"\0"


def sizes(dat, text):
    return common(dat, SIZES, 9) + dat.pack("BbhIQQ", 200, -100, -30000, 16 | (len(text) + 1) << 16, 2**63,
                                            2**64 - 4096) + text + b"\0"


def said(dat, text):
    return common(dat, PRINT, 3) + dat.pack("Q", 0xffff) + text + b"\n\0"


def buffers(dat):
    first = [(1000, switch(dat, 0, 3)), (1010, enter(dat, 3, 1)), (1500, irq(dat, 7, b"eth0")),
             (2000, said(dat, b"hello")), (2010, enter(dat, 3, 2)), (2020, enter(dat, 3, 3)), (2030, sizes(dat, b"near")),
             (10**9, switch(dat, 3, 0))]
    second = [(1005, switch(dat, 0, 4)), (1010, irq(dat, 8, b"x" * 40)), (1600, enter(dat, 4, 1)),
              (5000, enter(dat, 4, 2)), (5100, switch(dat, 4, 0)), (2 * 10**9, switch(dat, 0, 4)),
              (2 * 10**9 + 5, enter(dat, 4, 5))]
    side = [(1007, said(dat, b"beside")), (3000, said(dat, b"once more"))]
    return {"": {0: dat.pages(first, variety=True), 1: dat.pages(second, {3: 7, 5: 0}, True)}, "side": {1: dat.pages(side)}}


def shift(dat):
    """Of the clock of a guest: one sample of CPU 0, two of CPU 1."""
    return dat.pack("QII", 99, 1, 2) + dat.pack("IQqQ", 1, 0, -1000, 1) + dat.pack(
        "IQQqqQQ", 2, 0, 2**30, -1000, -2000, 1, 1) + dat.pack("QQQ", 0, 0, 0)


FORMS = {"row": {"version": 6}, "swapped": {"version": 6, "big": True, "long_size": 4}, "sections": {},
         "zlib": {"packing": "zlib"}, "zstd": {"packing": "zstd", "big": True}, "guest": {},
         "processes": {"version": 6}}


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, form in FORMS.items():
        dat = trace_dat.TraceDat(POINTS, page_size=256, **form)
        options = [(trace_dat.UNAME, b"Linux demo 6.1.0 x86_64\0"), (trace_dat.VERSION, b"3.1.6\0"),
                   (trace_dat.CPUSTAT, b"CPU: 0\nentries: 0\n\0"), (trace_dat.TRACEID, dat.pack("Q", 0x1234)),
                   (trace_dat.DATE, b"0x10000\0"), (trace_dat.OFFSET, b"-536\0")]
        if name == "guest":
            options += [(trace_dat.TIME_SHIFT, shift(dat)), (trace_dat.TSC2NSEC, dat.pack("IIQ", 3, 1, 0))]
        if name == "processes":
            options += [(trace_dat.SAVED_TGIDS, b"3 2\n4 4\n0 0\nnone\n 5 \n")]
        (folder / f"{name}.dat").write_bytes(dat.file(buffers(dat), options))


main()
