#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Make tests/data/perf-made: one small recording of perf in six forms.  usage: make-perf-made.py FOLDER

Two CPUs, whose events lie in three rounds, one CPU after the other; texts of 16 bytes, at a distance, and relative;
numbers of each size; an array; names of threads and a fork, one of the time before perf began; seven events that were
lost on CPU 1.
"""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "perf"))
import perf_data  # noqa: E402

SWITCH, ENTER, IRQ, SIZES = range(4)
POINTS = [
    perf_data.Tracepoint(310, "sched", "sched_switch", [
        ("char[16]", "prev_comm", 8, 16, 0), ("pid_t", "prev_pid", 24, 4, 1), ("int", "prev_prio", 28, 4, 1),
        ("long", "prev_state", 32, 8, 1), ("char[16]", "next_comm", 40, 16, 0), ("pid_t", "next_pid", 56, 4, 1),
        ("int", "next_prio", 60, 4, 1)]),
    perf_data.Tracepoint(20, "raw_syscalls", "sys_enter", [
        ("long", "id", 8, 8, 1), ("unsigned long[6]", "args", 16, 48, 0)]),
    perf_data.Tracepoint(150, "irq", "irq_handler_entry", [
        ("int", "irq", 8, 4, 1), ("__data_loc char[]", "name", 12, 4, 0)]),
    perf_data.Tracepoint(7, "made", "sizes", [
        ("unsigned char", "u8", 8, 1, 0), ("signed char", "s8", 9, 1, 1), ("short", "s16", 10, 2, 1),
        ("__rel_loc char[]", "near", 12, 4, 0), ("u64", "u64", 16, 8, 0), ("void *", "pointer", 24, 8, 0)]),
]


def common(recording, event, tid):
    return recording.pack("HBBi", POINTS[event].number, 1, 2, tid)


def switch(recording, cpu, time, before, after):
    raw = common(recording, SWITCH, before) + b"thread-%d" % before
    raw = raw.ljust(24, b"\0") + recording.pack("iiq", before, 120, 1) + (b"thread-%d" % after).ljust(16, b"\0")
    return recording.sample(SWITCH, cpu, time, raw + recording.pack("ii", after, 120), before)


def enter(recording, cpu, time, tid, number):
    return recording.sample(ENTER, cpu, time, common(recording, ENTER, tid) + recording.pack("q6Q", number, *range(6)),
                            tid)


def irq(recording, cpu, time, number, name):
    raw = common(recording, IRQ, 0) + recording.pack("iI", number, 16 | (len(name) + 1) << 16) + name + b"\0"
    return recording.sample(IRQ, cpu, time, raw)


def sizes(recording, cpu, time, text):
    raw = common(recording, SIZES, 9) + recording.pack("BbhIQQ", 200, -100, -30000, 16 | (len(text) + 1) << 16, 2**63,
                                                       2**64 - 4096) + text + b"\0"
    return recording.sample(SIZES, cpu, time, raw, 9)


def rounds(recording):
    r = recording
    return [
        [r.comm(0, 0, 41, b"before"), r.comm(0, 1000, 42, b"worker"), switch(r, 0, 1100, 0, 42),
         enter(r, 0, 1200, 42, 202), irq(r, 0, 1900, 14, b"ata_piix"),
         switch(r, 1, 1050, 0, 43), enter(r, 1, 1150, 43, 0), sizes(r, 1, 1950, b"caf\xc3\xa9")],
        [switch(r, 0, 2500, 42, 0), r.fork(0, 2600, 42, 44), enter(r, 0, 2600, 42, 1),
         sizes(r, 1, 2000, b""), switch(r, 1, 2600, 43, 0)],
        [irq(r, 0, 3000, 15, b"eth0"), switch(r, 0, 3500, 0, 42),
         r.lost(1, 3400, 7), switch(r, 1, 3450, 0, 43), enter(r, 1, 3600, 43, 60)],
        [switch(r, 0, 3700, 42, 0), r.lost_samples(9)],
    ]


def by_cpu(recording):
    """The records of each CPU, and those of perf itself, which it keeps elsewhere."""
    parts, own = [b"", b""], b""
    for records in rounds(recording):
        for record in records:
            kind, = struct.unpack_from("I", record)
            if kind == perf_data.LOST_SAMPLES:
                own += record
            else:
                at = 8 + 8 + 8 + 8 + 8 if kind == perf_data.SAMPLE else len(record) - 16
                parts[struct.unpack_from("I", record, at)[0]] += record
    return parts, own


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    clock = (1700000000000000500, 500)
    for name, big in ("file", False), ("swapped", True):
        recording = perf_data.Recording(POINTS, big=big)
        records = recording.records(rounds(recording))
        (folder / f"{name}.data").write_bytes(recording.file(records, clock=clock))
    recording = perf_data.Recording(POINTS)
    records = recording.records(rounds(recording))
    (folder / "pipe.data").write_bytes(recording.pipe(records, clock=clock))
    packed = recording.records(rounds(recording), perf_data.Packer(recording, piece=100))
    (folder / "packed.data").write_bytes(recording.file(packed, clock=clock, compressed=True))
    chains = perf_data.Recording(POINTS, extra=perf_data.CALLCHAIN | perf_data.READ)
    (folder / "chains.data").write_bytes(chains.file(chains.records(rounds(chains)), clock=clock))
    threads = folder / "threads"
    threads.mkdir(exist_ok=True)
    for name, data in recording.folder(*by_cpu(recording), clock=clock).items():
        (threads / name).write_bytes(data)


if __name__ == "__main__":
    main()
