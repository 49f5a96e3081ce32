# SPDX-License-Identifier: MIT
"""
Write traces of Perfetto: messages of protocol buffers by their numbers (protos/perfetto/trace/ of google/perfetto).

A message is bytes: fields one after another, by number(), data() and the like.
"""
import struct
import zlib

BOOTTIME, MONOTONIC, REALTIME = 6, 3, 1
MARKER = bytes.fromhex("82477a76b28d42ba81dc33326d57a079")

# Numbers of messages in FtraceEvent, and their fields from number 1 on.
FTRACE = {
    "ftrace:print": (3, ["ip", "buf"]),
    "sched:sched_switch": (4, ["prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid",
                               "next_prio"]),
    "power:cpu_frequency": (11, ["state", "cpu_id"]),
    "power:cpu_idle": (13, ["state", "cpu_id"]),
    "sched:sched_wakeup": (17, ["comm", "pid", "prio", "success", "target_cpu"]),
    "sched:sched_waking": (20, ["comm", "pid", "prio", "success", "target_cpu"]),
    "irq:softirq_entry": (24, ["vec"]),
    "irq:softirq_exit": (25, ["vec"]),
    "irq:softirq_raise": (26, ["vec"]),
    "irq:irq_handler_entry": (36, ["irq", "name", "handler"]),
    "irq:irq_handler_exit": (37, ["irq", "ret"]),
    "block:block_rq_issue": (45, ["dev", "sector", "nr_sector", "bytes", "rwbs", "comm", "cmd"]),
    "sched:sched_wakeup_new": (114, ["comm", "pid", "prio", "success", "target_cpu"]),
    "block:block_rq_complete": (125, ["dev", "sector", "nr_sector", "errors", "rwbs", "cmd", "error"]),
    "block:block_rq_insert": (126, ["dev", "sector", "nr_sector", "bytes", "rwbs", "comm", "cmd"]),
    "task:task_newtask": (235, ["pid", "comm", "clone_flags", "oom_score_adj"]),
    "task:task_rename": (236, ["pid", "oldcomm", "newcomm", "oom_score_adj"]),
    "sched:sched_process_exec": (237, ["filename", "pid", "old_pid"]),
    "sched:sched_process_exit": (238, ["comm", "pid", "tgid", "prio"]),
    "sched:sched_process_fork": (239, ["parent_comm", "parent_pid", "child_comm", "child_pid"]),
    "sched:sched_process_free": (240, ["comm", "pid", "prio"]),
    "raw_syscalls:sys_enter": (329, ["id", "args"]),
    "raw_syscalls:sys_exit": (330, ["id", "ret"]),
    "sched:sched_pi_setprio": (353, ["comm", "newprio", "oldprio", "pid"]),
    "sched:sched_migrate_task": (491, ["comm", "pid", "prio", "orig_cpu", "dest_cpu", "running", "load"]),
}


# ---- the wire

def varint(value):
    value &= 2**64 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def fixed64(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def real(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def packed(field, values):
    return data(field, b"".join(map(varint, values)))


def value_of(field, value):
    """By the type that it has in Python."""
    if isinstance(value, (list, tuple)):
        return b"".join(number(field, one) for one in value)
    return number(field, value) if isinstance(value, int) else data(field, value)


# ---- packets

def packet(*fields, time=None, clock=None, sequence=1, flags=None, dropped=None):
    out = number(8, time) if time is not None else b""
    out += number(58, clock) if clock is not None else b""
    out += b"".join(fields)
    out += number(10, sequence) if sequence else b""
    out += number(13, flags) if flags is not None else b""
    return out + (number(42, dropped) if dropped is not None else b"")


def trace(packets):
    return b"".join(data(1, one) for one in packets)


def compressed(packets):
    """A packet that holds others."""
    return packet(data(50, zlib.compress(trace(packets))))


def marker():
    return packet(number(3, 9999), sequence=1) + data(36, MARKER)


def clocks(*readings, primary=None, **options):
    """A snapshot: (id, time) or (id, time, is_incremental, unit) of each clock."""
    out = b""
    for clock, time, *more in readings:
        inner = number(1, clock) + number(2, time)
        if more:
            inner += number(3, more[0]) + number(4, more[1])
        out += data(1, inner)
    return packet(data(6, out + (number(2, primary) if primary else b"")), **options)


def system(release="6.1.0", machine="x86_64", name=None):
    utsname = data(1, "Linux") + data(2, "#1 SMP") + data(3, release) + data(4, machine)
    return packet(data(45, data(1, utsname) + (data(17, name) if name else b"")))


def uuid(high, low):
    return packet(data(89, number(1, high) + number(2, low)))


def process_tree(processes=(), threads=(), **options):
    """(pid, parent, command line) of processes, (tid, pid, name) of threads."""
    out = b"".join(data(1, number(1, pid) + number(2, parent) + b"".join(data(3, word) for word in words))
                   for pid, parent, words in processes)
    out += b"".join(data(2, number(1, tid) + data(2, name) + number(3, pid)) for tid, pid, name in threads)
    return packet(data(2, out), **options)


# ---- ftrace

def ftrace_event(time, pid, name, values, flags=None):
    """`name` is one of FTRACE or a number; `values` those of its fields that it has, `flags` what it has in common."""
    if isinstance(name, int):
        which, inner = name, values
    else:
        which, fields = FTRACE[name]
        inner = b"".join(value_of(i + 1, values[field]) for i, field in enumerate(fields) if field in values)
    return number(1, time) + number(2, pid) + (b"" if flags is None else number(5, flags)) + data(which, inner)


def bundle(cpu, events=(), lost=False, compact=None, clock=None, previous=None, **options):
    """`clock` is (ftrace's, that since the start) if ftrace has another clock."""
    out = number(1, cpu) + b"".join(data(2, event) for event in events)
    out += number(3, 1) if lost else b""
    out += data(4, compact) if compact is not None else b""
    out += number(5, 4) + number(6, clock[0]) + number(7, clock[1]) if clock else b""
    out += number(10, previous) if previous is not None else b""
    return packet(data(1, out), **options)


def differences(times):
    return [time - before for before, time in zip([0, *times], times)]


def compact(switches=(), wakings=()):
    """(time, prev_state, pid, prio, comm) of switches, (time, pid, target_cpu, prio, comm[, flags]) of wakings."""
    names = {}
    place = lambda name: names.setdefault(name, len(names))  # noqa: E731 (it is used twice)
    columns = b""
    if switches:
        times, states, pids, prios, comms = zip(*switches)
        columns += packed(1, differences(times)) + packed(2, states) + packed(3, pids) + packed(4, prios)
        columns += packed(6, map(place, comms))
    if wakings:
        times, pids, cpus, prios, comms, *flags = zip(*wakings)
        columns += packed(7, differences(times)) + packed(8, pids) + packed(9, cpus) + packed(10, prios)
        columns += packed(11, map(place, comms)) + b"".join(packed(12, column) for column in flags)
    return b"".join(data(5, name) for name in names) + columns


def ftrace_stats(at_end, lost):
    return packet(data(34, number(1, 1 + at_end) + data(2, number(1, 0) + number(3, lost))))
