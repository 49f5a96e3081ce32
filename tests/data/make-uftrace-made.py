#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Write tests/data/uftrace-made, a recording as uftrace makes one: two threads and a process that was forked and runs
another program; arguments, an event with a value, lost records, a library that was loaded later, and a function without
a name.  With the argument "big" in the other byte order.

usage: make-uftrace-made.py FOLDER [big]
"""
import pathlib
import struct
import sys

ENTRY, EXIT, LOST, EVENT = range(4)
MAIN, LEAF, PLUGIN, NOWHERE = 0x400100, 0x400200, 0x7f0000001010, 0x1234
OTHER_MAIN = 0x500010


def record(big, time, kind, depth, address, more=b"", has_more=None):
    has_more = bool(more) if has_more is None else has_more
    if big:
        word = kind << 62 | has_more << 61 | 5 << 58 | depth << 48 | address
    else:
        word = kind | has_more << 2 | 5 << 3 | depth << 6 | address << 16
    return struct.pack(">QQ" if big else "<QQ", time, word) + more + b"\0" * (-len(more) % 8)


def files(big):
    def r(*words, **more):
        return record(big, *words, **more)
    order = ">" if big else "<"
    text = struct.pack(order + "H", 5) + b"hello"
    value = struct.pack(order + "HQ", 8, 42)
    yield "100.dat", b"".join((
        r(1000, ENTRY, 0, MAIN), r(1100, ENTRY, 1, LEAF, text + b"\x01" * 9), r(1150, EVENT, 0, 100001, value),
        r(1200, EXIT, 1, LEAF, struct.pack(order + "Q", 1300)), r(1300, ENTRY, 1, PLUGIN), r(1350, EXIT, 1, PLUGIN),
        r(0, LOST, 0, 7), r(1500, EXIT, 0, MAIN), r(1600, ENTRY, 0, NOWHERE), r(1650, EXIT, 0, NOWHERE)))
    yield "101.dat", b"".join((r(1050, ENTRY, 0, LEAF), r(1400, EXIT, 0, LEAF)))
    yield "102.dat", b"".join((r(1120, EXIT, 1, LEAF), r(1130, ENTRY, 1, LEAF), r(1140, EXIT, 1, LEAF),
                               r(2000, ENTRY, 0, OTHER_MAIN), r(2100, EXIT, 0, OTHER_MAIN)))
    head = b"Ftrace!\0" + struct.pack(order + "IHBBQQHHI", 4, 40, 1 + big, 2, 0x363, 0x3bff, 1024, 0, 0)
    yield "info", head + b"exename:/bin/made\nosinfo:lines=2\nosinfo:kernel=Linux 6.18\nosinfo:hostname=somewhere\n"
    yield "task.txt", b'''SESS timestamp=0.000000900 pid=100 sid=aa00 exename="/bin/made"
TASK timestamp=0.000000910 tid=100 pid=100
TASK timestamp=0.000001000 tid=101 pid=100
FORK timestamp=0.000001110 pid=102 ppid=100
DLOP timestamp=0.000001250 tid=100 sid=aa00 base=7f0000000000 libname="./plugin.so"
SESS timestamp=0.000001900 pid=102 sid=bb00 exename="/usr/bin/made"
TASK timestamp=0.000001910 tid=102 pid=102
'''
    yield "sid-aa00.map", b"400000-401000 r-xp 00000000 00:00 0    /bin/made build-id:1111\n"
    yield "sid-bb00.map", b"500000-501000 r-xp 00000000 00:00 0    /usr/bin/made build-id:2222\n"
    yield "made.sym", b'''# symbols: 3
# path name: /bin/made
# build-id: 1111
0000000000000100 T main
0000000000000200 T leaf
0000000000000280 ? __sym_end
'''
    yield "made-2222.sym", b"# path name: /usr/bin/made\n# build-id: 2222\n0000000000000010 90 T other_main\n"
    yield "plugin.so.sym", b"# path name: ./plugin.so\n0000000000001010 t inner\n0000000000001020 ? __sym_end\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files("big" in sys.argv[2:]):
        (folder / name).write_bytes(data)


main()
