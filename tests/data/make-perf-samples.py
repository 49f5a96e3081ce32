#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Write perf-samples/: a recording of samples with call chains as `perf record -g -e cpu-clock -e page-faults` makes it, small and
written by hand, with the binary and the table of the kernel that it needs.

usage: make-perf-samples.py        writes beside itself
"""
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "perf"))
import sample_recording  # noqa: E402
import small_elf  # noqa: E402

# Offsets in the file.
FUNCTIONS = [("main", 0x1000, 0x100), ("parse", 0x1100, 0x100), ("draw", 0x1200, 0x100), ("draw_line", 0x1300, 0x80)]
BUILD_ID, BEGIN, CODE = bytes(range(20)), 0x10000, 0x1000
MAIN, PARSE, DRAW, LINE = 0x10010, 0x10110, 0x10210, 0x10310  # addresses
OTHER = 0x30000  # in a library that is not there
READ, PAGE, FAULT, ENTRY = (0xffffff0000001000 + 0x1000 * i for i in range(4))


def main():
    folder = HERE / "perf-samples"
    folder.mkdir(exist_ok=True)
    small_elf.write(folder / "root/usr/bin/app", FUNCTIONS, CODE, CODE + 0x2000, 0x400, BUILD_ID)
    (folder / "kallsyms").write_text(f"{READ:x} T vfs_read\n{PAGE:x} t get_page\t[mm]\n{FAULT:x} T handle_fault\n{ENTRY:x} T entry\n")
    binaries = [("/usr/bin/app", BUILD_ID, FUNCTIONS, CODE, 0x400), ("/usr/lib/other.so", b"", [], 0, 0x1000)]
    recording = sample_recording.Recording(random.Random(1), binaries, True)
    recording.order, recording.has_cpus, recording.has_chains = "<", True, True
    recording.events, recording.says_build_ids = [sample_recording.EVENTS[0], sample_recording.EVENTS[2]], "header"
    recording.threads = {40: [40]}
    recording.name(40, 40, "shell", 0)
    recording.time += 1000
    recording.fork(40, False)
    child = list(recording.threads)[-1]
    recording.name(child, child, "app", recording.time, is_exec=True)
    recording.put_map(child, recording.time, "/usr/bin/app", BUILD_ID, BEGIN, 0x400, CODE)
    recording.put_map(child, recording.time, "/usr/lib/other.so", b"", OTHER, 0x1000, 0)
    recording.fork(child, True)
    thread = recording.threads[child][-1]
    recording.name(child, thread, "drawer", recording.time)
    for i in range(20):
        recording.time += 250000
        if i % 2 == 0:
            recording.put(0, child, child, 0, [READ + 8, ENTRY + 9] if i % 4 == 0 else [], [PARSE, MAIN], 250000)
        recording.put(0, child, thread, 1, [], [LINE + i, DRAW, MAIN] if i % 3 else [OTHER, OTHER + 50, DRAW], 250000)
        if i % 5 == 0:
            recording.put(1, child, child, 0, [PAGE, FAULT + 8], [MAIN], 1)
    recording.put(0, 40, 40, 0, [FAULT], [0x7777], 250000)
    recording.write(folder / "samples.data")


main()
