# SPDX-License-Identifier: MIT
"""
Events of a kernel, as other programs print them: babeltrace2 those of LTTng, `perf script` those of perf, `trace-cmd
report` those of trace-cmd.

All give Event(time, cpu, kind, tid, a, b).  `tid` is the thread that the event itself names, or None.  Of a SWITCH a
and b are the threads that leave and come; of a CALL and a RETURN, a is the name of the system call; of interrupts and
soft interrupts, their number.
"""
import collections
import glob
import heapq
import itertools
import re
import subprocess

SWITCH, CALL, RETURN, IRQ, IRQ_END, SOFTIRQ, SOFTIRQ_END, FREE, OTHER = range(9)

Event = collections.namedtuple("Event", "time cpu kind tid a b")

LTTNG_LINE = re.compile(r"\[(\d+)\.(\d{9})\] (?:\(\S+\) )?(?:\S+ )?([A-Za-z_0-9]+): \{ cpu_id = (\d+) \}, \{(.*)\}$")
LTTNG_SWITCH = re.compile(r"prev_tid = (-?\d+), .* next_tid = (-?\d+), next_prio = ")
LTTNG_KINDS = {"irq_handler_entry": IRQ, "irq_handler_exit": IRQ_END, "irq_softirq_entry": SOFTIRQ,
               "irq_softirq_exit": SOFTIRQ_END}
PERF_LINE = re.compile(r"\s*(-?\d+) \[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\S+): ?(.*)$")
PERF_PATTERNS = {
    "irq:irq_handler_entry": re.compile(r"^irq=(\d+)"),
    "irq:irq_handler_exit": re.compile(r"^irq=(\d+)"),
    "irq:softirq_entry": re.compile(r"^vec=(\d+)"),
    "irq:softirq_exit": re.compile(r"^vec=(\d+)"),
    "raw_syscalls:sys_enter": re.compile(r"^NR (-?\d+)"),
    "raw_syscalls:sys_exit": re.compile(r"^NR (-?\d+)"),
    "sched:sched_switch": re.compile(r" prev_pid=(-?\d+) .* ==> next_comm=.* next_pid=(-?\d+) next_prio="),
    "sched:sched_process_free": re.compile(r" pid=(\d+)"),
}
CONVERTED_LINE = re.compile(r"\[(\d+)\.(\d{9})\] (\S+): \{ cpu_id = (\d+) \}, "
                            r"(\{ perf_ip = \w+, perf_tid = (-?\d+), .*\})$")
CONVERTED_PATTERNS = {
    "irq:irq_handler_entry": re.compile(r", irq = (\d+)"),
    "irq:irq_handler_exit": re.compile(r", irq = (\d+)"),
    "irq:softirq_entry": re.compile(r", vec = (\d+)"),
    "irq:softirq_exit": re.compile(r", vec = (\d+)"),
    "raw_syscalls:sys_enter": re.compile(r", id = (-?\d+)"),
    "raw_syscalls:sys_exit": re.compile(r", id = (-?\d+)"),
    "sched:sched_switch": re.compile(r", prev_pid = (-?\d+), .* next_pid = (-?\d+), next_prio = "),
    "sched:sched_process_free": re.compile(r"\", pid = (\d+)"),
}
PERF_KINDS = {"irq:irq_handler_entry": IRQ, "irq:irq_handler_exit": IRQ_END, "irq:softirq_entry": SOFTIRQ,
              "irq:softirq_exit": SOFTIRQ_END, "raw_syscalls:sys_enter": CALL, "raw_syscalls:sys_exit": RETURN,
              "sched:sched_switch": SWITCH, "sched:sched_process_free": FREE}
TRACE_CMD_LINE = re.compile(r".*-(\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}): (\w+): *(.*)$")
TRACE_CMD_PATTERNS = {
    "irq_handler_entry": re.compile(r"^irq=(\d+)"),
    "irq_handler_exit": re.compile(r"^irq=(\d+)"),
    "softirq_entry": re.compile(r"^vec=(\d+)"),
    "softirq_exit": re.compile(r"^vec=(\d+)"),
    "sys_enter": re.compile(r"^id=(-?\d+)"),
    "sys_exit": re.compile(r"^id=(-?\d+)"),
    "sched_switch": re.compile(r" prev_pid=(-?\d+) .* next_pid=(-?\d+) next_prio="),
    "sched_process_free": re.compile(r" pid=(\d+)"),
}
PERF_LOST = re.compile(r"PERF_RECORD_LOST\D+(\d+)")


def lines_of(command):
    """What a command prints, line by line; what it complains of is not wanted."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace") as process:
        yield from process.stdout
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]}: exit {process.returncode}")


def once(folders):
    """The lines of several traces of one session by their times, each event once, though several have it."""
    groups = [itertools.groupby(lines_of(["babeltrace2", "--clock-seconds", "--no-delta", folder]),
                                key=lambda line: line[:line.index("]")]) for folder in folders]
    keyed = heapq.merge(*([(time, collections.Counter(lines)) for time, lines in group] for group in groups),
                        key=lambda pair: pair[0])
    for _, same in itertools.groupby(keyed, key=lambda pair: pair[0]):
        lines = collections.Counter()
        for _, some in same:
            lines |= some
        yield from lines.elements()


def _lttng_event(line):
    match = LTTNG_LINE.match(line)
    if match is None:
        raise RuntimeError(f"not an event: {line!r}")
    seconds, part, name, cpu, fields = match.groups()
    kind, a, b = LTTNG_KINDS.get(name, OTHER), None, None
    if kind in (IRQ, IRQ_END):
        a = int(re.match(r" irq = (\d+)", fields).group(1))
    elif kind in (SOFTIRQ, SOFTIRQ_END):
        a = int(re.search(r" vec = (\d+)", fields).group(1))
    elif name == "sched_switch":
        kind = SWITCH
        a, b = map(int, LTTNG_SWITCH.search(fields).groups())
    elif name.startswith("syscall_entry_"):
        kind, a = CALL, name[len("syscall_entry_"):]
    elif name.startswith("syscall_exit_"):
        kind, a = RETURN, name[len("syscall_exit_"):]
    elif name == "sched_process_free":
        kind, a = FREE, int(re.search(r" tid = (\d+)", fields).group(1))
    return Event(int(seconds) * 10**9 + int(part), int(cpu), kind, None, a, b)


def lttng(folders):
    return map(_lttng_event, once(folders))


def lttng_discarded(folder):
    """How many events the tracer discarded, by what babeltrace2 warns of."""
    done = subprocess.run(["babeltrace2", folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          check=True)
    return sum(int(count) for count in re.findall(r"discarded (\d+) events? between", done.stderr))


def lttng_clock(folder):
    """What is to be added to a time of the clock of the kernel to make it one of the trace."""
    first = [next(lines_of(["babeltrace2", clock, "--no-delta", folder]))
             for clock in ("--clock-seconds", "--clock-cycles")]
    return int(first[0][1:].split("]")[0].replace(".", "")) - int(first[1][1:].split("]")[0])


def call_names():
    """The names of system calls by number, as the headers of the C library have them."""
    names = {}
    for header in glob.glob("/usr/include/*/asm/unistd_64.h"):
        with open(header, encoding="ascii") as file:
            names.update((int(number), name) for name, number in re.findall(r"__NR_(\w+) (\d+)", file.read()))
    return names


def _perf_event(names, tid, cpu, seconds, part, name, a, b):
    if name in ("raw_syscalls:sys_enter", "raw_syscalls:sys_exit"):
        a = names.get(a, str(a))
    return Event(int(seconds) * 10**9 + int(part), int(cpu), PERF_KINDS.get(name, OTHER), int(tid), a, b)


def _perf_values(name, fields, patterns):
    pattern = patterns.get(name)
    found = pattern.search(fields) if pattern is not None else None
    if pattern is not None and found is None:
        raise RuntimeError(f"{name} has no such fields: {fields!r}")
    return (*map(int, found.groups()), None, None)[:2] if found else (None, None)


def perf(path, lost):
    """The events of a perf.data, as they were recorded; how many are lost is added to lost[0]."""
    names = call_names()
    for line in lines_of(["perf", "script", "--ns", "--show-lost-events", "-F", "tid,cpu,time,event,trace", "--force",
                          "-i", path]):
        if "PERF_RECORD_LOST" in line:
            lost[0] += int(PERF_LOST.search(line).group(1))
            continue
        match = PERF_LINE.match(line)
        if match is None:
            raise RuntimeError(f"not an event: {line!r}")
        tid, cpu, seconds, part, name, fields = match.groups()
        yield _perf_event(names, tid, cpu, seconds, part, name, *_perf_values(name, fields, PERF_PATTERNS))


def converted(folder):
    """As "perf data convert --to-ctf" writes them: what perf hands out late has the time of the event before it."""
    names = call_names()
    for line in lines_of(["babeltrace2", "--clock-seconds", "--no-delta", folder]):
        match = CONVERTED_LINE.match(line)
        if match is None:
            raise RuntimeError(f"not an event: {line!r}")
        seconds, part, name, cpu, fields, tid = match.groups()
        yield _perf_event(names, tid, cpu, seconds, part, name, *_perf_values(name, fields, CONVERTED_PATTERNS))


def trace_cmd(path):
    """The events of a trace.dat, with the names that perf gives them."""
    names = call_names()
    systems = {name.partition(":")[2]: name for name in PERF_KINDS}
    for line in lines_of(["trace-cmd", "report", "-R", "-N", "-t", "-i", path]):
        match = TRACE_CMD_LINE.match(line)
        if match is None:
            continue
        tid, cpu, seconds, part, name, fields = match.groups()
        yield _perf_event(names, tid, cpu, seconds, part, systems.get(name, name),
                          *_perf_values(name, fields, TRACE_CMD_PATTERNS))
