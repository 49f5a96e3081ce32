#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Traces of bench/traces/generate, and the histories that `histree build` makes of them.

A model of a scheduler is right when nothing happens in its trace that cannot happen in a kernel; so each trace is
read by babeltrace2 and replayed here, event by event, and the states of its history are compared with one another:
what CPUs say of threads and what threads say of themselves come from different events.

Of the smallest trace, what was read is then falsified in one place at a time, and the rules must notice it.

usage: check_generated.py GENERATE HISTREE
"""
import argparse
import bisect
import collections
import filecmp
import os
import re
import subprocess
import sys
import tempfile

EVENT = re.compile(r"\[(\d+)\.(\d+)\] (?:\S+ )?(\w+): \{ cpu_id = (\d+) \}, \{ (.*)\}$")
FIELD = re.compile(r'(\w+) = (?:"([^"]*)"|(-?\d+))')
RUNS = {"2", "3"}  # user mode, system call
INTERRUPTED = "4"
IN_INTERRUPT = {"8", "16"}  # of a CPU: softirq, irq
SIZES = [
    # options of generate, fewest and most events a short-lived thread
    (["--threads", "300", "--cpus", "1", "--long-lived", "3"], 15, 40),
    (["--threads", "1500", "--seed", "7"], 15, 24),
    (["--threads", "1000", "--cpus", "33", "--long-lived", "200"], 15, 24),
]


class Fault(Exception):
    """A rule is broken."""


def run(*command):
    """What a command prints; that it is silent on standard error and ends well is part of the check."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        raise Fault(f"{' '.join(command)}: exit {done.returncode}: {done.stderr[:2000]}")
    return done.stdout


def read_events(trace):
    """(time, event, cpu, fields) of each event, in the order in which babeltrace2 merges the streams."""
    events = []
    for line in run("babeltrace2", "--clock-seconds", "--no-delta", trace).splitlines():
        match = EVENT.match(line)
        if match is None:
            raise Fault(f"not an event: {line}")
        fields = {name: text if number == "" else int(number) for name, text, number in FIELD.findall(match[5])}
        events.append((int(match[1]) * 10**9 + int(match[2]), match[3], int(match[4]), fields))
    return events


class Replay:
    """What a kernel could know at each event; an event that does not fit is a fault."""

    def __init__(self):
        self.current = {}  # by CPU
        self.on_cpu = {}  # by thread that is not idle
        self.state = {}  # by thread: runs, ready, sleeps, dead
        self.calls = {}  # by thread: the system call that it is in
        self.interrupt = {}  # by CPU: irq or softirq
        self.raised = collections.defaultdict(set)  # by CPU
        self.seen = set()  # ids that were given out

    def take(self, event):
        """One more event."""
        _, name, cpu, fields = event
        handler = getattr(self, name, None)
        if handler is not None:
            handler(cpu, fields)
        elif name.startswith("syscall_entry_"):
            self.enter(cpu, name[len("syscall_entry_"):])
        elif name.startswith("syscall_exit_"):
            self.leave(cpu, name[len("syscall_exit_"):])
        else:
            raise Fault(f"unknown event {name}")

    def require(self, holds, what, *details):
        """The rule `what`."""
        if not holds:
            raise Fault(f"{what}: {details}")

    def lttng_statedump_start(self, _cpu, _fields):
        """Only marks the place."""

    lttng_statedump_end = lttng_statedump_start

    def lttng_statedump_process_state(self, _cpu, fields):
        """A thread that was there before."""
        self.seen.add(fields["tid"])
        self.state[fields["tid"]] = "sleeps"

    def sched_switch(self, cpu, fields):
        """The previous thread was there, the next one could run and does not run elsewhere."""
        previous, following = fields["prev_tid"], fields["next_tid"]
        self.require(previous != following, "a switch to itself", cpu, fields)
        self.require(self.current.get(cpu, 0) == previous, "switched away from what did not run", cpu, fields)
        self.require(cpu not in self.interrupt, "a switch in an interrupt", cpu, fields)
        if previous != 0:
            del self.on_cpu[previous]
            self.leave_cpu(previous, fields["prev_state"])
        if following != 0:
            self.require(following not in self.on_cpu, "a thread on two CPUs", cpu, fields)
            self.require(self.state[following] == "ready", "switched to what could not run", cpu, fields)
            self.on_cpu[following] = cpu
            self.state[following] = "runs"
        self.current[cpu] = following

    def leave_cpu(self, thread, reason):
        """Nobody sleeps outside of a system call; who ends has said so."""
        known = {0: "ready", 1: "sleeps", 2: "sleeps", 64: "dead"}
        self.require(reason in known, "an unknown state", thread, reason)
        self.require((reason == 64) == (self.state[thread] == "ends"), "an end without an end", thread)
        self.require(reason == 0 or thread in self.calls, "a sleep outside of a system call", thread)
        self.state[thread] = known[reason]

    def sched_waking(self, _cpu, fields):
        """Only those who sleep are woken."""
        self.require(self.state.get(fields["tid"]) == "sleeps" and fields["tid"] not in self.on_cpu,
                     "woke who did not sleep", fields)
        self.state[fields["tid"]] = "waking"

    def sched_wakeup(self, _cpu, fields):
        """The second half of a wake-up."""
        self.require(self.state.get(fields["tid"]) == "waking", "a wake-up without a beginning", fields)
        self.state[fields["tid"]] = "ready"

    def sched_wakeup_new(self, _cpu, fields):
        """The second half of a fork."""
        self.require(self.state.get(fields["tid"]) == "forked", "a new thread without a fork", fields)
        self.state[fields["tid"]] = "ready"

    def sched_migrate_task(self, _cpu, fields):
        """Only who waits goes elsewhere."""
        self.require(self.state.get(fields["tid"]) in ("ready", "waking"), "moved who does not wait", fields)
        self.require(fields["orig_cpu"] != fields["dest_cpu"], "moved nowhere", fields)

    def sched_process_fork(self, cpu, fields):
        """The parent is here, in clone; the id is new."""
        child = fields["child_tid"]
        self.require(self.current.get(cpu) == fields["parent_tid"], "forked by another", cpu, fields)
        self.require(self.calls.get(fields["parent_tid"]) == "clone", "forked outside of clone", fields)
        self.require(child not in self.seen, "an id given out twice", fields)
        self.seen.add(child)
        self.state[child] = "forked"
        self.calls[child] = "clone"

    def sched_process_exit(self, cpu, fields):
        """Who ends is here."""
        self.require(self.current.get(cpu) == fields["tid"], "ended elsewhere", cpu, fields)
        self.state[fields["tid"]] = "ends"

    def sched_process_free(self, cpu, fields):
        """RCU frees the dead, in its softirq."""
        self.require(self.state.get(fields["tid"]) == "dead", "freed the living", fields)
        self.require(self.interrupt.get(cpu) == ("softirq", 9), "freed outside of RCU", cpu, fields)
        del self.state[fields["tid"]]

    def irq_handler_entry(self, cpu, fields):
        """Handlers of one CPU do not nest here."""
        self.require(cpu not in self.interrupt, "an interrupt in an interrupt", cpu, fields)
        self.interrupt[cpu] = ("irq", fields["irq"])

    def irq_handler_exit(self, cpu, fields):
        """What ends had begun."""
        self.require(self.interrupt.pop(cpu, None) == ("irq", fields["irq"]), "left what was not entered", cpu)

    def irq_softirq_raise(self, cpu, fields):
        """May happen at any time."""
        self.raised[cpu].add(fields["vec"])

    def irq_softirq_entry(self, cpu, fields):
        """Was raised."""
        self.require(fields["vec"] in self.raised[cpu], "a softirq that nobody raised", cpu, fields)
        self.require(cpu not in self.interrupt, "a softirq in an interrupt", cpu, fields)
        self.raised[cpu].discard(fields["vec"])
        self.interrupt[cpu] = ("softirq", fields["vec"])

    def irq_softirq_exit(self, cpu, fields):
        """What ends had begun."""
        self.require(self.interrupt.pop(cpu, None) == ("softirq", fields["vec"]), "left what was not entered", cpu)

    def enter(self, cpu, call):
        """One system call at a time, of a thread."""
        thread = self.current.get(cpu, 0)
        self.require(thread != 0 and cpu not in self.interrupt, "a system call of nobody", cpu, call)
        self.require(thread not in self.calls, "a system call in a system call", cpu, call)
        self.calls[thread] = call

    def leave(self, cpu, call):
        """The one that it is in; of those from before the trace it is not known."""
        thread = self.current.get(cpu, 0)
        self.require(thread != 0 and cpu not in self.interrupt, "a system call of nobody", cpu, call)
        self.require(self.calls.pop(thread, call) == call, "left another system call", cpu, call)


def check_events(events, options, fewest, most):
    """Order, the replay, and how many there are."""
    threads = int(options[options.index("--threads") + 1])
    times = [event[0] for event in events]
    if times != sorted(times):
        raise Fault("events are not in order")
    replay = Replay()
    for event in events:
        replay.take(event)
    forks = sum(event[1] == "sched_process_fork" for event in events)
    if forks != threads:
        raise Fault(f"{forks} forks, not {threads}")
    names = collections.Counter(event[1] for event in events)
    ends = sum(count for name, count in names.items() if name == "sched_process_exit")
    if ends != forks + 2:
        raise Fault(f"{ends} ends of {forks} threads and 2 parents")
    if not fewest <= len(events) / threads <= most:
        raise Fault(f"{len(events) / threads:.1f} events a thread, not {fewest} to {most}")


def read_history(histree, store):
    """The intervals of each path, in the order of time: (start, end, value)."""
    history = collections.defaultdict(list)
    for line in run(histree, "states", "--format", "tsv", store).splitlines()[1:]:
        path, start, end, _, value = line.split("\t")
        history[path].append((int(start), int(end), value))
    return history


def between(intervals, start, end):
    """The intervals that meet [start, end]."""
    first = bisect.bisect_right(intervals, (start, float("inf"))) - 1
    for interval in intervals[max(first, 0):]:
        if interval[0] > end:
            break
        yield interval


def check_interrupted(history, cpu, start, end):
    """The CPU is in an interrupt, or between two softirqs: the second one is raised."""
    softirqs = [path for path in history if re.fullmatch(re.escape(cpu) + r"/Soft_IRQs/\d+", path)]
    for begin, stop, status in between(history[cpu], start, end):
        pending = {value for path in softirqs for _, _, value in between(history[path], max(begin, start),
                                                                         min(stop, end))}
        if status not in IN_INTERRUPT and pending <= {""}:
            raise Fault(f"{cpu} is in status {status!r} at {begin}, its thread is interrupted")


def check_own_word(path, intervals, ran):
    """A thread that says it runs does so within one of the times that a CPU says it ran."""
    for start, end, status in intervals:
        if status in RUNS | {INTERRUPTED}:
            place = bisect.bisect_right(ran, (start, float("inf"))) - 1
            if place < 0 or end > ran[place][1]:
                raise Fault(f"{path} is in status {status} from {start} to {end} without a CPU")


def check_history(history):
    """
    At each time a thread that a CPU says it runs says that it runs too, or that it is interrupted where the CPU is,
    and no thread that runs is on no CPU or on two.
    """
    ran = collections.defaultdict(list)
    cpus = [path for path in history if re.fullmatch(r"CPUs/\d+", path)]
    for cpu in cpus:
        for start, end, thread in history[cpu + "/Current_thread"]:
            if thread in ("", "0"):
                continue
            ran[thread].append((start, end))
            for begin, stop, status in between(history["Threads/" + thread], start, end):
                if status in RUNS:
                    continue
                if status != INTERRUPTED:
                    raise Fault(f"{cpu} runs thread {thread} in status {status!r} at {begin}")
                check_interrupted(history, cpu, max(begin, start), min(stop, end))
    for thread, times in ran.items():
        times.sort()
        for (_, end), (start, _) in zip(times, times[1:]):
            if start <= end:
                raise Fault(f"thread {thread} on two CPUs at {start}")
    for path in history:
        if re.fullmatch(r"Threads/[1-9]\d*", path):
            check_own_word(path, history[path], ran[path.split("/")[1]])
    if not cpus or not ran:
        raise Fault("no CPU ever ran a thread")


def expect_fault(what, check):
    """A rule that notices nothing is none."""
    try:
        check()
    except Fault:
        return
    raise Fault(f"not noticed: {what}")


def check_rules(events, history, arguments):
    """Falsify what was read, in one place at a time."""
    for what in ["sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_process_fork",
                 "sched_process_exit", "irq_softirq_entry", "irq_softirq_exit", "syscall_entry_futex",
                 "syscall_exit_futex"]:
        place = [at for at, event in enumerate(events) if event[1] == what][5]
        expect_fault(f"{what} is missing", lambda: check_events(events[:place] + events[place + 1:], *arguments))
    swapped = [events[0], events[1], *events[3:100], events[2], *events[100:]]
    expect_fault("order", lambda: check_events(swapped, *arguments))
    threads = [path for path in history if re.fullmatch(r"Threads/1[1-9]\d\d", path)]
    for place, value in [(status, "1") for status in "23"] + [("5", "2")]:
        path, at = next((path, at) for path in threads for at, interval in enumerate(history[path])
                        if interval[2] == place)
        broken = dict(history, **{path: list(history[path])})
        broken[path][at] = (*broken[path][at][:2], value)
        expect_fault(f"status {place} for {value}", lambda: check_history(broken))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("generate")
    parser.add_argument("histree")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for number, (arguments, fewest, most) in enumerate(SIZES):
            trace, again, store = (os.path.join(folder, f"{name}{number}") for name in ("trace", "again", "store"))
            run(options.generate, *arguments, "-o", trace)
            run(options.generate, *arguments, "-o", again)
            files = sorted(os.listdir(trace))
            same, _, _ = filecmp.cmpfiles(trace, again, files, shallow=False)
            if same != files or sorted(os.listdir(again)) != files:
                raise Fault(f"{arguments}: the same seed gave other bytes")
            events = read_events(trace)
            check_events(events, arguments, fewest, most)
            run(options.histree, "build", "--quiet", "-o", store, trace)
            run(options.histree, "verify", store)
            history = read_history(options.histree, store)
            check_history(history)
            if number == 0:
                check_rules(events, history, (arguments, fewest, most))
            print(f"{' '.join(arguments)}: {len(events)} events, {sum(map(len, history.values()))} intervals")


if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        sys.exit(f"check_generated: {fault}")
