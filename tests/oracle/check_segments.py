#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Compute the segments of a kernel trace of LTTng a second time, from babeltrace2's text, and compare each of them.
babeltrace2 gives up where the clock of a trace steps back: then the segments that ended before are compared.

usage: check_segments.py HISTREE TRACE
Exit: 0 equal, 1 different, 77 (skipped) without the trace or babeltrace2.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

LINE = re.compile(r"^\[(\d+)\.(\d{9})\] (?:\S+ )?(\S+): \{ cpu_id = (\d+) \}, \{ ?(.*?) ?\}$")
ENTRY = re.compile(r"^(?:compat_)?(?:syscall_entry_|sys_)(.*)$")
EXIT = re.compile(r"^(?:compat_)?(?:syscall_exit_.*|exit_syscall)$")
complete, last = True, 0  # whether babeltrace2 read the whole trace; the time of the last event that it gave
SOFTIRQS = ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"]


def events(trace):
    """Yield (time, name, cpu, text of the fields) for each event."""
    global complete, last
    command = ["babeltrace2", "--clock-seconds", "--no-delta", trace]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace") as p:
        for line in p.stdout:
            found = LINE.match(line.rstrip("\n"))
            if found:
                last = int(found[1] + found[2])
                yield last, found[3], int(found[4]), found[5]
    complete = p.returncode == 0


def number(fields, name):
    found = re.search(rf"(?:^|, ){name} = (?:\( .*? : container = )?(-?\d+|0x[0-9A-Fa-f]+)", fields)
    return int(found[1], 0) if found else None


def text(fields, name):
    found = re.search(rf'(?:^|, ){name} = "((?:[^"\\]|\\.)*)"', fields)
    return found[1] if found else None


def system_calls(trace):
    """Rows of (start, end, name, tid, process, return); and the ends and the beginnings that are alone."""
    rows, opened, current, names = [], {}, {}, {}
    ends = starts = 0
    for time, event, cpu, fields in events(trace):
        thread = current.get(cpu, ("cpu", cpu))
        entry = ENTRY.match(event)
        if entry:
            starts += thread in opened
            opened[thread] = (time, entry[1])
        elif EXIT.match(event):
            if thread in opened:
                start, name = opened.pop(thread)
                known = not isinstance(thread, tuple)
                rows.append((start, time, name, thread if known else None, names.get(thread) if known else None,
                             number(fields, "ret")))
            else:
                ends += 1
        elif event == "sched_switch":
            if cpu not in current and ("cpu", cpu) in opened:
                opened[number(fields, "prev_tid")] = opened.pop(("cpu", cpu))
            names[number(fields, "prev_tid")] = text(fields, "prev_comm")
            names[number(fields, "next_tid")] = text(fields, "next_comm")
            current[cpu] = number(fields, "next_tid")
        elif event == "sched_process_fork":
            names[number(fields, "child_tid")] = text(fields, "child_comm")
        elif event == "lttng_statedump_process_state":
            names[number(fields, "tid")] = text(fields, "name")
        elif event == "sched_process_free":
            starts += opened.pop(number(fields, "tid"), None) is not None
    return rows, ends, starts + len(opened)


def handlers(trace, entry, exit_, key, name):
    """The same of handlers on a CPU: (start, end, name, number, cpu)."""
    rows, opened = [], {}
    ends = starts = 0
    for time, event, cpu, fields in events(trace):
        place = (cpu, number(fields, key)) if event in entry + exit_ else None
        if event in entry:
            starts += place in opened
            opened[place] = (time, name(fields))
        elif event in exit_ and place in opened:
            start, what = opened.pop(place)
            rows.append((start, time, what, place[1], cpu))
        elif event in exit_:
            ends += 1
    return rows, ends, starts + len(opened)


def irqs(trace):
    return handlers(trace, ["irq_handler_entry"], ["irq_handler_exit"], "irq", lambda fields: text(fields, "name"))


def softirqs(trace):
    return handlers(trace, ["softirq_entry", "irq_softirq_entry"], ["softirq_exit", "irq_softirq_exit"], "vec",
                    lambda fields: SOFTIRQS[number(fields, "vec")])


def wakeups(trace):
    """(start, end, name, tid, prio, cpu)."""
    rows, opened, running = [], {}, {}
    starts = 0
    for time, event, cpu, fields in events(trace):
        if event in ("sched_wakeup", "sched_wakeup_new", "sched_waking"):
            tid = number(fields, "tid")
            if tid not in running.values():
                opened.setdefault(tid, (time, number(fields, "prio")))
        elif event == "sched_switch":
            tid = number(fields, "next_tid")
            running[cpu] = tid
            if tid in opened:
                start, prio = opened.pop(tid)
                rows.append((start, time, text(fields, "next_comm"), tid, prio, cpu))
        elif event == "sched_process_free":
            starts += opened.pop(number(fields, "tid"), None) is not None
    return rows, 0, starts + len(opened)


CHECKS = {
    "system-calls": (system_calls, ["name", "tid", "process", "return"]),
    "irqs": (irqs, ["name", "irq", "cpu"]),
    "softirqs": (softirqs, ["name", "vec", "cpu"]),
    "wakeups": (wakeups, ["name", "tid", "prio", "cpu"]),
}


def ask(histree, *arguments):
    done = subprocess.run([histree, *arguments], stdout=subprocess.PIPE, check=False)
    if done.returncode > 1:
        sys.exit(1)
    return json.loads(done.stdout)


def order(row):
    return [(value is not None, value) for value in row]


def compare(histree, store, trace, analysis):
    compute, columns = CHECKS[analysis]
    wanted, ends, starts = compute(trace)
    found = [tuple(row[column] for column in ["start", "end", *columns])
             for row in ask(histree, "segments", store, analysis, "--format", "json")]
    if not complete:
        found = [row for row in found if row[1] <= last]
    info = ask(histree, "info", store, "-a", analysis, "--format", "json")[0]
    counts = (info["without_start"], info["without_end"])
    same = sorted(wanted, key=order) == sorted(found, key=order) and (counts == (ends, starts) or not complete)
    print(f"{analysis}: {len(found)} segments, {counts[0]} without start, {counts[1]} without end:",
          "as computed" if same else f"DIFFERENT: computed {len(wanted)}, {ends}, {starts}")
    for row in sorted(set(wanted) ^ set(found), key=order)[:10]:
        print("  only computed" if row in wanted else "  only found", row)
    return same


def main():
    histree, trace = sys.argv[1:]
    if not os.path.isdir(trace) or shutil.which("babeltrace2") is None:
        print("skipped: no trace, or no babeltrace2")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        subprocess.run([histree, "build", "-q", "-a", ",".join(CHECKS), "-o", store, trace], check=True)
        subprocess.run([histree, "verify", store], check=True)
        return 0 if all([compare(histree, store, trace, analysis) for analysis in CHECKS]) else 1


if __name__ == "__main__":
    sys.exit(main())
