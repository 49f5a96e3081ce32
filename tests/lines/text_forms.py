# SPDX-License-Identifier: MIT
"""
The demo trace as text: as `perf script` writes it, as ftrace has it in `trace` and `trace_pipe`, and as `trace-cmd
report` does, with and without the plugins of libtraceevent.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "perf"))
import demo_events  # noqa: E402  (of the folder beside)

LETTERS = "SDTtXZPI"  # of the bits of a state, since Linux 4.14
OF_PLUGIN = "SDTtZXxW"
ACTIONS = ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU")
THREAD = "comm={comm} pid={pid} prio={prio}"
SHAPES = {
    "sched:sched_waking": THREAD + " target_cpu={target_cpu:03d}",
    "sched:sched_wakeup": THREAD + " target_cpu={target_cpu:03d}",
    "sched:sched_wakeup_new": THREAD + " target_cpu={target_cpu:03d}",
    "sched:sched_switch": "prev_comm={prev_comm} prev_pid={prev_pid} prev_prio={prev_prio} prev_state={state} ==> "
                          "next_comm={next_comm} next_pid={next_pid} next_prio={next_prio}",
    "sched:sched_migrate_task": THREAD + " orig_cpu={orig_cpu} dest_cpu={dest_cpu}",
    "sched:sched_process_fork": "comm={parent_comm} pid={parent_pid} child_comm={child_comm} child_pid={child_pid}",
    "sched:sched_process_exit": THREAD + " group_dead={group_dead}",
    "sched:sched_process_free": THREAD,
    "raw_syscalls:sys_enter": "NR {id} ({args})",
    "raw_syscalls:sys_exit": "NR {id} = {ret}",
    "irq:softirq_raise": "vec={vec} [action={action}]",
    "irq:softirq_entry": "vec={vec} [action={action}]",
    "irq:softirq_exit": "vec={vec} [action={action}]",
}
PLUGIN_SHAPES = dict(SHAPES) | {
    "sched:sched_wakeup": "{comm}:{pid} [{prio}] CPU:{target_cpu:03d}",
    "sched:sched_wakeup_new": "{comm}:{pid} [{prio}]<CANT FIND FIELD success> CPU:{target_cpu:03d}",
    "sched:sched_switch": "{prev_comm}:{prev_pid} [{prev_prio}] {bits} ==> {next_comm}:{next_pid} [{next_prio}]",
}


def letters(state, words):
    return "|".join(letter for bit, letter in enumerate(words) if state >> bit & 1) or "R"


def body(shapes, name, values, mask=-1):
    """What stands behind the name of an event."""
    values = {field: value.decode() if isinstance(value, bytes) else value for field, value in values.items()}
    if "prev_state" in values:
        state = values["prev_state"] & mask
        values["state"] = letters(state & 0xff, LETTERS) + "+" * (state >> 8 & 1)
        values["bits"] = letters(state & 0xff, OF_PLUGIN)
    if "vec" in values:
        values["action"] = ACTIONS[values["vec"]]
    if "args" in values:
        values["args"] = ", ".join(f"{value:x}" for value in values["args"])
    if "group_dead" in values:
        values["group_dead"] = "true" if values["group_dead"] else "false"
    return shapes[name].format(**values)


class Line:
    """An event, and who it is of."""

    def __init__(self, cpu, time, name, values, comm, process):
        self.cpu, self.time, self.name, self.values, self.comm, self.process = cpu, time, name, values, comm, process
        self.pid = values["common_pid"]

    def head(self, digits):
        return f"{self.time // 10**9}.{self.time % 10**9:09d}"[:-9 + digits or None]


def lines():
    """The events of all CPUs by their times."""
    comms = {0: "swapper"}
    found = sorted(((time, cpu, name, values) for cpu, time, name, values in demo_events.events() if name in SHAPES),
                   key=lambda event: event[:2])
    for time, cpu, name, values in found:
        yield Line(cpu, demo_events.OFFSET + time, name, values, comms.get(values["common_pid"], "<...>"),
                   values["perf_pid"])
        if name == "sched:sched_switch":
            comms[values["next_pid"]] = values["next_comm"].decode() if values["next_pid"] else "swapper"


PERF_HEADER = """\
# ========
# captured on    : Mon Nov 23 12:46:57 2026
# hostname : demo
# os release : 6.18.0
# arch : x86_64
# ========
#
"""
NAMES = """\
#                                _-----=> irqs-off/BH-disabled
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
"""


def perf_script(events, digits=9, process=False, chains=False, mask=-1):
    """digits: 9 with --ns, else 6; process: -F +pid; chains: of perf record -g; mask: of states."""
    yield PERF_HEADER
    for line in events:
        pid = f"{line.process}/{line.pid}" if process else f"{line.pid:5d}"
        yield (f"{line.comm:>16} {pid} [{line.cpu:03d}] {line.head(digits):>12}: {line.name:>30}: "
               f"{body(SHAPES, line.name, line.values, mask)}\n")
        if chains:
            yield "\tffffffff821f8298 __schedule+0x618 ([kernel.kallsyms])\n\t    7f0c27 [unknown] (/usr/bin/burn)\n\n"


def ftrace(events, process=False, pipe=False, old=False):
    """process: the option record-tgid; pipe: of trace_pipe, without a header; old: without columns of latency."""
    if not pipe:
        yield "# tracer: nop\n#\n# entries-in-buffer/entries-written: 4589/4589   #P:2\n#\n" + NAMES
    for line in events:
        comm = "<idle>" if line.pid == 0 else line.comm
        tgid = f" ({line.process or '-------':>7})" if process else ""
        flags = "" if old else " d..2."
        yield (f"{comm:>16}-{line.pid:<7d}{tgid} [{line.cpu:03d}]{flags} {line.head(6)}: {line.name.split(':')[1]}: "
               f"{body(SHAPES, line.name, line.values)}\n")


def trace_cmd(events, plugins=True, flags=False):
    yield "version = 6\ncpus=2\n"
    for line in events:
        comm = "<idle>" if line.pid == 0 else line.comm
        yield (f"{comm:>16}-{line.pid:<5d} [{line.cpu:03d}]{' d..2.' if flags else ''} {line.head(6):>12}: "
               f"{line.name.split(':')[1] + ':':<21} "
               f"{body(PLUGIN_SHAPES if plugins else SHAPES, line.name, line.values)}\n")
