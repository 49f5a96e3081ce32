#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Compute the segments of a trace of LTTng a second time, from babeltrace2's text, and compare each of them.

usage: check_segments.py HISTREE TRACE ANALYSIS...
Exit: 0 equal, 1 different, 77 (skipped) without the trace or babeltrace2.
"""
import collections
import heapq
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from data import shared

# ---- the text of a trace

LINE = re.compile(r"^\[(\d+)\.(\d{9})\] (?:\S+ )?(\S+): \{ cpu_id = (\d+) \}, (?:\{ ([^{}]*) \}, )?\{ ?(.*?) ?\}$")


def stream_events(folder):
    """Yield (time, name, cpu, context, payload) for each event of a trace of one stream, in its order."""
    command = ["babeltrace2", "run", "--component=in:source.ctf.fs", f'--params=inputs=["{folder}"]',
               "--component=out:sink.text.pretty", "--params=clock-seconds=yes,no-delta=yes", "--connect=in:out"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="surrogateescape") as p:
        for line in p.stdout:
            found = LINE.match(line.rstrip("\n"))
            if not found:
                sys.exit(f"not the text of an event: {line}")
            yield int(found[1] + found[2]), found[3], int(found[4]), found[5] or "", found[6]
    if p.returncode != 0:
        sys.exit(f"babeltrace2 gave up on {folder}")


def read(trace, folder):
    """
    All events, merged by time: each stream is read for itself, as babeltrace2 does not merge those whose clock
    steps back; such a one keeps its order.
    """
    streams = []
    for name in sorted(os.listdir(trace)):
        if name == "metadata" or not os.path.isfile(os.path.join(trace, name)):
            continue
        alone = os.path.join(folder, name)
        os.mkdir(alone)
        for file in ("metadata", name):
            os.symlink(os.path.abspath(os.path.join(trace, file)), os.path.join(alone, file))
        streams.append(stream_events(alone))
    return list(heapq.merge(*streams, key=lambda event: event[0]))


def number(fields, name):
    found = re.search(rf"(?:^|, ){name} = (?:\( .*? : container = )?(0x[0-9A-Fa-f]+|-?\d+)", fields)
    return signed(int(found[1], 0)) if found else None


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def text(fields, name):
    found = re.search(rf'(?:^|, ){name} = "((?:[^"\\]|\\.)*)"', fields)
    return unescape(found[1]) if found else None


def unescape(escaped):
    return escaped.encode("latin-1", "backslashreplace").decode("unicode_escape") if "\\" in escaped else escaped


FIELD = re.compile(r'(\w+) = (?:(0x[0-9A-F]+|-?\d+)|"((?:[^"\\]|\\.)*)"|\( .*? : container = (-?\d+) \)|\[.*?\]+)'
                   r'(?:, |$)')


class Said(str):
    """babeltrace2 2.0 prints an empty string as one that it had in its place before: it may be empty as well."""

    otherwise = None


def arguments(fields, before):
    """
    All numbers and texts of the payload; a number that can only be an address is in hexadecimal.  `before`: the
    texts that such events of the same stream had before.
    """
    said, otherwise = [], []
    for name, digits, string, container in FIELD.findall(fields):
        if digits or container:
            value = signed(int(digits or container, 0))
            said.append(f"{name} = {value}" if -2**31 <= value < 2**32 else f"{name} = 0x{value % 2**64:X}")
            otherwise.append(said[-1])
        elif f'{name} = "' in fields:
            said.append(f'{name} = "{unescape(string)}"')
            otherwise.append(f'{name} = ""' if said[-1] in before else said[-1])
            before.add(said[-1])
    text_ = Said(", ".join(said))
    text_.otherwise = ", ".join(otherwise)
    return text_ if said else None


# ---- segments: rows, ends without a beginning, beginnings without an end

ENTRY = re.compile(r"^(?:compat_)?(?:syscall_entry_|sys_)(.*)$")
EXIT = re.compile(r"^(?:compat_)?(?:syscall_exit_.*|exit_syscall)$")
SOFTIRQS = ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"]
FUTEX = ["wait", "wake", "fd", "requeue", "cmp_requeue", "wake_op", "lock_pi", "unlock_pi", "trylock_pi",
         "wait_bitset", "wake_bitset", "wait_requeue_pi", "cmp_requeue_pi", "lock_pi2"]


WAKES = {"wake", "wake_bitset", "wake_op", "requeue", "cmp_requeue", "cmp_requeue_pi", "unlock_pi"}


class Threads:
    """Who runs on each CPU, and how threads are called."""

    def __init__(self):
        self.current, self.names = {}, {}

    def learn(self, event, cpu, fields):
        if event == "sched_switch":
            for which in ("prev", "next"):
                self.names[number(fields, which + "_tid")] = text(fields, which + "_comm")
            self.current[cpu] = number(fields, "next_tid")
        elif event == "sched_process_fork":
            self.names[number(fields, "child_tid")] = text(fields, "child_comm")
        elif event == "lttng_statedump_process_state":
            self.names[number(fields, "tid")] = text(fields, "name")


def could_run_on(fields):
    """Of the thread that is switched from; bits from 0x400 on say that it was preempted (both traces are older than 4.14)."""
    return number(fields, "prev_state") % 1024 in (0, 256)


def calls(events, begin, switched=lambda content: None, woken=lambda *_: None, ended=lambda *_: None):
    """
    System calls of a kind: `begin` gives the content of one as a list, and None if it is another.  A row is (start,
    end, tid, process, return, content...).  Before the first switch of a CPU a call is that CPU's.
    """
    rows, opened, threads = [], {}, Threads()
    ends = starts = 0
    for time, event, cpu, _, fields in events:
        thread = threads.current.get(cpu, ("cpu", cpu))
        entry = ENTRY.match(event)
        if entry:
            starts += opened.pop(thread, None) is not None
            content = begin(entry[1], fields, cpu)
            if content is not None:
                opened[thread] = (time, content)
                ended(time, thread, threads, content, None)
        elif EXIT.match(event):
            if thread in opened:
                start, content = opened.pop(thread)
                tid = None if isinstance(thread, tuple) else thread
                ended(time, thread, threads, content, number(fields, "ret"))
                rows.append((start, time, tid, threads.names.get(tid), number(fields, "ret"), *content))
            else:
                ends += 1
        elif event == "sched_switch":
            previous = number(fields, "prev_tid")
            if cpu not in threads.current and ("cpu", cpu) in opened:
                opened[previous] = opened.pop(("cpu", cpu))
            if previous in opened and not could_run_on(fields):
                switched(opened[previous][1])
        elif event == "sched_process_free":
            starts += opened.pop(number(fields, "tid"), None) is not None
        elif event in ("sched_wakeup", "sched_wakeup_new") and number(fields, "tid") in opened:
            woken(*opened[number(fields, "tid")], thread, threads)
        threads.learn(event, cpu, fields)
    return rows, ends, starts + len(opened)


def system_calls(events):
    before = collections.defaultdict(set)
    return calls(events, lambda name, fields, cpu: [name, arguments(fields, before[cpu, name])])


def futex(events):
    def begin(name, fields, _):
        if name != "futex":
            return None
        operation = number(fields, "op") & 0x7F
        known = operation < len(FUTEX)
        return [FUTEX[operation] if known else f"op {operation}", number(fields, "uaddr"), number(fields, "val"),
                False, None, None, None]

    def switched(content):
        content[3] = True

    # The last call that wakes at each address: when it began, whose it is, how that is called, and how many it woke.
    wakes = {}

    def ended(time, thread, threads, content, result):
        if content[0] in WAKES and not isinstance(thread, tuple):
            if result is None:
                wakes[content[1]] = [time, thread, threads.names.get(thread), None]
            elif wakes[content[1]][1] == thread:
                wakes[content[1]][3] = result
        if result is not None and result < 0:
            content[6] = None

    def woken(start, content, thread, threads):
        wake = wakes.get(content[1], (start - 1, None, None, None))
        is_owner = wake[0] >= start and (wake[3] is None or wake[3] > 0)
        running = None if isinstance(thread, tuple) else thread
        content[4:] = [wake[1], wake[2], wake[1]] if is_owner else [running, threads.names.get(running), None]

    rows, _, starts = calls(events, begin, switched, woken, ended)
    return rows, 0, starts


def handlers(events, entry, exit_, key, name):
    """Handlers on a CPU: (start, end, name, number, cpu)."""
    rows, opened = [], {}
    ends = starts = 0
    for time, event, cpu, _, fields in events:
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


def irqs(events):
    return handlers(events, ["irq_handler_entry"], ["irq_handler_exit"], "irq", lambda fields: text(fields, "name"))


def softirqs(events):
    return handlers(events, ["softirq_entry", "irq_softirq_entry"], ["softirq_exit", "irq_softirq_exit"], "vec",
                    lambda fields: SOFTIRQS[number(fields, "vec")])


def is_old(events):
    """Whether the modules of LTTng are from before 2.7.1, and wrote priorities of wake-ups as the kernel has them."""
    return any(event == "sched_wakeup" and number(fields, "prio") > 39 for _, event, _, _, fields in events)


def wakeups(events):
    """
    (start, end, name, tid, prio, cpu, waker, had_by, had_by_name).

    A thread that another CPU begins to wake while it runs, and that goes to sleep within 1 ms without a sched_wakeup
    in between, is woken as it leaves.
    """
    rows, opened, running, waking = [], {}, {}, {}
    left_waking = set()
    starts = 0
    old = is_old(events)
    for time, event, cpu, _, fields in events:
        if event in ("sched_wakeup", "sched_wakeup_new", "sched_waking"):
            tid = number(fields, "tid")
            said = (time, number(fields, "prio") - (100 if old else 0), running.get(cpu))
            if event == "sched_waking" and tid in left_waking:
                left_waking.remove(tid)
                opened.pop(tid, None)
            if tid not in running.values():
                opened.setdefault(tid, said)
            elif event != "sched_waking":
                waking.pop(tid, None)
            elif running.get(cpu) != tid:
                waking[tid] = said
        elif event == "sched_switch":
            gone = number(fields, "prev_tid")
            starts += opened.pop(gone, None) is not None  # it ran all the while
            left_waking.discard(gone)
            said = waking.pop(gone, None)
            if said is not None and not could_run_on(fields) and time - said[0] <= 1000000:
                opened[gone] = (time, *said[1:])
                left_waking.add(gone)
            tid = number(fields, "next_tid")
            running[cpu] = tid
            left_waking.discard(tid)
            if tid in opened:
                start, prio, waker = opened.pop(tid)
                rows.append((start, time, text(fields, "next_comm"), tid, prio, cpu, waker, number(fields, "prev_tid"),
                             text(fields, "prev_comm")))
        elif event == "sched_process_free":
            starts += opened.pop(number(fields, "tid"), None) is not None
    return rows, 0, starts + len(opened)


def preemptions(events):
    """(start, end, name, tid, prio, cpu, to_cpu, taker, taker_name, taker_prio, turns)."""
    rows, opened, turns = [], {}, collections.Counter()
    starts = 0
    for time, event, cpu, _, fields in events:
        if event == "sched_process_free":
            starts += opened.pop(number(fields, "tid"), None) is not None
        if event != "sched_switch":
            continue
        gone, tid = number(fields, "prev_tid"), number(fields, "next_tid")
        starts += opened.pop(gone, None) is not None
        if gone != 0 and could_run_on(fields):
            opened[gone] = (time, number(fields, "prev_prio"), cpu, tid, text(fields, "next_comm"),
                            number(fields, "next_prio"), turns[cpu])
        if tid in opened and tid != gone:
            start, prio, lost, taker, name, taker_prio, before = opened.pop(tid)
            rows.append((start, time, text(fields, "next_comm"), tid, prio, lost, cpu, taker, name, taker_prio,
                         turns[lost] - before))
        turns[cpu] += tid != 0
    return rows, 0, starts + len(opened)


def block_io(events):
    """(start, end, name, device, sector, bytes, tid, process)."""
    rows, opened, threads = [], {}, Threads()
    ends = starts = 0
    for time, event, cpu, _, fields in events:
        threads.learn(event, cpu, fields)
        if not event.startswith("block_rq_"):
            continue
        request = (number(fields, "dev"), number(fields, "sector"))
        if event == "block_rq_insert" or (event == "block_rq_issue" and request not in opened):
            starts += request in opened
            flags = number(fields, "rwbs")
            name = "discard" if flags & 2 else "write" if flags & 1 else "read" if flags & 4 else "other"
            tid = threads.current.get(cpu)
            opened[request] = (time, name, 512 * number(fields, "nr_sector"), tid, threads.names.get(tid))
        elif event == "block_rq_issue":  # it may have grown since it was put into the queue
            start, name, _, *who = opened[request]
            opened[request] = (start, name, 512 * number(fields, "nr_sector"), *who)
        elif event == "block_rq_complete" and request in opened:
            start, name, size, *who = opened.pop(request)
            device = f"{request[0] >> 20}:{request[0] % 2**20}"
            rows.append((start, time, name, device, request[1], size, *who))
        elif event == "block_rq_complete":
            ends += 1
    return rows, ends, starts + len(opened)


def function_calls(events):
    """(start, end, name, tid, process, depth, self, caller, ending); on a stack are [start, address, time inside]."""
    rows, stacks, names = [], {}, {}
    ends = starts = 0
    for time, event, _, context, fields in events:
        stack = stacks.setdefault(number(context, "vtid"), [])
        address = number(fields, "addr")
        names[number(context, "vtid")] = text(context, "procname")
        if event.endswith(":func_entry"):
            stack.append([time, address, 0])
            continue
        if address is not None and stack and stack[-1][1] != address:
            sys.exit("an exit is not that of the innermost call")
        if not stack:
            ends += 1
            continue
        start, address, inside = stack.pop()
        caller = f"0x{stack[-1][1]:x}" if stack else None
        rows.append((start, time, f"0x{address:x}", number(context, "vtid"), text(context, "procname"),
                     len(stack) + 1, time - start - inside, caller, None))
        if stack:
            stack[-1][2] += time - start
    last = max(time for time, *_ in events)  # of the one process
    for tid, stack in stacks.items():
        inside_it = 0
        for i in range(len(stack), 0, -1):
            start, address, inside = stack[i - 1]
            rows.append((start, last, f"0x{address:x}", tid, names[tid], i, last - start - inside - inside_it,
                         f"0x{stack[i - 2][1]:x}" if i > 1 else None, "open"))
            inside_it = last - start
    return rows, ends, starts + sum(map(len, stacks.values()))


CALL = ["tid", "process", "return", "name"]
CHECKS = {
    "system-calls": (system_calls, [*CALL, "arguments"]),
    "futex": (futex, [*CALL, "uaddr", "val", "blocked", "waker", "waker_name", "owner"]),
    "irqs": (irqs, ["name", "irq", "cpu"]),
    "softirqs": (softirqs, ["name", "vec", "cpu"]),
    "wakeups": (wakeups, ["name", "tid", "prio", "cpu", "waker", "had_by", "had_by_name"]),
    "preemptions": (preemptions, ["name", "tid", "prio", "cpu", "to_cpu", "taker", "taker_name", "taker_prio",
                                  "turns"]),
    "block-io": (block_io, ["name", "device", "sector", "bytes", "tid", "process"]),
    "function-calls": (function_calls, ["name", "tid", "process", "depth", "self", "caller", "ending"]),
}


# ---- comparing


def ask(histree, *arguments_):
    done = subprocess.run([histree, *arguments_], stdout=subprocess.PIPE, check=False)
    if done.returncode > 1:
        sys.exit(1)
    return json.loads(done.stdout)


def order(row):
    return [(value is not None, value) for value in row]


def otherwise(row):
    return tuple(value.otherwise if isinstance(value, Said) else value for value in row)


def compare(histree, store, events, analysis):
    compute, columns = CHECKS[analysis]
    wanted, ends, starts = compute(events)
    found = [tuple(row[column] for column in ["start", "end", *columns])
             for row in ask(histree, "segments", store, analysis, "--format", "json")]
    known = set(found)
    wanted = [row if row in known else otherwise(row) for row in wanted]
    info = ask(histree, "info", store, "-a", analysis, "--format", "json")[0]
    counts = (info["without_start"], info["without_end"])
    same = sorted(wanted, key=order) == sorted(found, key=order) and counts == (ends, starts)
    print(f"{analysis}: {len(found)} segments, {counts[0]} without start, {counts[1]} without end:",
          "as computed" if same else f"DIFFERENT: computed {len(wanted)}, {ends}, {starts}")
    for row in sorted(set(wanted) ^ set(found), key=order)[:10]:
        print("  only computed" if row in wanted else "  only found", row)
    return same


def main():
    histree, name, *analyses = sys.argv[1:]
    trace = shared(name)
    if trace is None or shutil.which("babeltrace2") is None:
        print("skipped: no trace, or no babeltrace2")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        # By their addresses, as the second reader has functions.
        subprocess.run([histree, "build", "-q", "--symbols", "none", "-a", ",".join(analyses), "-o", store, trace], check=True)
        subprocess.run([histree, "verify", store], check=True)
        events = read(trace, folder)
        print(f"{len(events)} events")
        return 0 if all([compare(histree, store, events, analysis) for analysis in analyses]) else 1


if __name__ == "__main__":
    sys.exit(main())
