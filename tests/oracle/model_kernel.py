#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The states of a kernel trace of perf, computed a second time: a plain model of what histree-states(7) says, on the text
that babeltrace2 prints of the trace, one list of changes for each attribute.

usage: model_kernel.py kernel|kernel-tc TRACE > STATES
Prints what `histree states --format tsv` must print: path, start, end, type, value, sorted by path, then start.
"""
import pathlib
import re
import subprocess
import sys

UNKNOWN = object()  # nobody can say; None is null
RUNS, IN_CALL, INTERRUPTED, WAITS_FOR_CPU = 2, 3, 4, 5  # of a thread
RAISED, RUNNING = 1, 8  # of a softirq
# The calls that the demo trace has, by the numbers of syscall_64.tbl of the kernel.
CALLS = {
    0: "read", 3: "close", 9: "mmap", 10: "mprotect", 11: "munmap", 12: "brk", 13: "rt_sigaction", 14:
    "rt_sigprocmask", 17: "pread64", 21: "access", 28: "madvise", 59: "execve", 60: "exit", 158: "arch_prctl",
    202: "futex", 218: "set_tid_address", 231: "exit_group", 257: "openat", 262: "newfstatat", 273:
    "set_robust_list", 302: "prlimit64", 318: "getrandom", 334: "rseq", 435: "clone3",
}

LINE = re.compile(r"^\[(\d+)\.(\d{9})\] (?:\S+ )?(\S+): \{ cpu_id = (\d+) \}, \{ (.*) \}$")
FIELD = re.compile(r'(\w+) = (?:"((?:[^"\\]|\\.)*)"|(0x[0-9A-Fa-f]+|-?\d+))')


def events(trace):
    """Yield (time, name, cpu, fields)."""
    command = ["babeltrace2", "run", "--component=in:source.ctf.fs", f'--params=inputs=["{trace}"]',
               "--component=mux:filter.utils.muxer", "--component=out:sink.text.pretty",
               "--params=clock-seconds=yes,no-delta=yes", "--connect=in:mux", "--connect=mux:out"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for line in text.splitlines():
        found = LINE.match(line)
        if not found:
            sys.exit(f"not the text of an event: {line}")
        fields = {name: words if digits == "" else int(digits, 0) for name, words, digits in FIELD.findall(found[5])}
        yield int(found[1] + found[2]), found[3], int(found[4]), fields


KERNEL_NAMES = ("kworker/", "ksoftirqd/", "migration/", "rcu_", "rcuo", "irq/", "jbd2/", "kswapd", "cpuhp/")


class Thread:
    def __init__(self, tid, name):
        self.tid, self.path = tid, f"Threads/{name}"
        self.runs_on, self.said = None, None
        self.is_told, self.unseen = False, None  # whether it is in a system call; until when nobody saw it
        self.makes_calls = False  # an event said so


class Cpu:
    def __init__(self, number):
        self.number, self.path, self.runs, self.nameless = number, f"CPUs/{number}", None, False
        self.softirqs = []  # in the order in which they were heard of
        self.in_doubt = True  # whether softirqs went on when the trace began
        self.stepped = None  # when somebody, who is not known yet, entered or left a system call


class Model:
    def __init__(self, analysis, release):
        self.strict = analysis == "kernel"  # what an event denies is unknown; it says who runs
        self.new_states = self.strict and release >= (4, 14)  # a preempted thread, and one that ends, have states of their own
        self.changes, self.threads, self.cpus, self.has_calls = {}, {}, {}, False
        self.first = self.last = self.now = None

    # ---- attributes: [(since, value)], the last one is ongoing

    def ask(self, path):
        above = path.rpartition("/")[0]
        if above:
            self.ask(above)
        if path not in self.changes:
            self.changes[path] = [(None, None)]

    def get(self, path):
        self.ask(path)
        return self.changes[path][-1][1]

    def put(self, path, value, time=None):
        self.ask(path)
        time, states = self.now if time is None else time, self.changes[path]
        since, ongoing = states[-1]
        if ongoing is value or (type(ongoing) is type(value) and ongoing == value):
            return
        if since == time or (since is None and time == self.first):
            states[-1] = (since, value)
        elif since is not None and time < since:  # the clock went back: the order of events decides
            states[-1] = (since, value)
        else:
            states.append((time, value))

    def doubt_since(self, path, known):
        """What was known to hold at `known` is unknown after it; what began later is known at its beginning."""
        since = self.changes[path][-1][0]
        since = self.first if since is None else since
        known = max(known, since)
        self.put(path, UNKNOWN, known + 1 if known < self.now else self.now)

    # ---- threads and CPUs

    def thread(self, tid, cpu):
        key = (tid, cpu if tid == 0 else None)
        if key not in self.threads:
            self.threads[key] = Thread(tid, f"0_{cpu}" if tid == 0 else tid)
        self.ask(self.threads[key].path)
        return self.threads[key]

    def cpu(self, number):
        cpu = self.cpus.setdefault(number, Cpu(number))
        self.ask(cpu.path)
        return cpu

    def current(self, cpu):
        tid = self.get(f"{cpu.path}/Current_thread")
        if tid is UNKNOWN:
            return None
        if tid is None:
            cpu.nameless = True
        return self.thread(-1 if tid is None else tid, cpu.number)

    def set_status(self, thread, status):
        thread.said = self.now
        self.put(thread.path, status)

    def mode(self, thread, no_call, in_call):
        call = self.get(f"{thread.path}/System_call")
        return UNKNOWN if call is UNKNOWN else no_call if call is None else in_call

    def run(self, thread):
        self.set_status(thread, self.mode(thread, RUNS, IN_CALL))

    def status_by_thread(self, cpu):
        tid = self.get(f"{cpu.path}/Current_thread")
        if tid is None or tid is UNKNOWN or tid == 0:
            return tid
        return self.mode(self.current(cpu), 2, 4)

    def cpu_status(self, cpu):
        self.ask(f"{cpu.path}/IRQs")
        self.ask(f"{cpu.path}/Soft_IRQs")
        if any((self.get(softirq) or 0) & RUNNING for softirq in cpu.softirqs):
            return 8
        return self.status_by_thread(cpu)

    def forget(self, thread):
        for name in ("", "/System_call", "/Current_cpu_rq", "/Exec_name", "/PPID", "/PID", "/Prio"):
            if thread.path + name in self.changes:
                self.put(thread.path + name, None)

    # ---- who runs where, in `kernel`

    def is_of_kernel(self, thread):
        """Threads of the kernel make no system calls."""
        parent = self.changes.get(f"{thread.path}/PPID", [(None, None)])[-1][1]
        name = self.changes.get(f"{thread.path}/Exec_name", [(None, None)])[-1][1] or ""
        return not thread.makes_calls and (thread.tid == 2 or parent == 2 or name.startswith(KERNEL_NAMES))

    def settle(self, thread):
        """What the thread is, was just said."""
        path = f"{thread.path}/System_call"
        if self.changes.get(path, [(None, None)])[-1][1] is not UNKNOWN or not self.is_of_kernel(thread):
            return
        self.changes[path][-1] = (self.changes[path][-1][0], None)
        if thread.runs_on is not None and self.get(thread.path) is UNKNOWN:
            self.run(thread)
            self.put(thread.runs_on.path, self.cpu_status(thread.runs_on))

    def lose(self, thread):
        """It did something that nobody saw, since the last event that said what it does."""
        if self.get(thread.path) is None:
            return
        has_calls = self.has_calls and thread.tid != 0 and not self.is_of_kernel(thread)
        if has_calls:
            self.ask(f"{thread.path}/System_call")
        for name in ("", "/System_call", "/Current_cpu_rq", "/Prio"):
            if thread.path + name in self.changes and (name != "/System_call" or has_calls):
                self.doubt_since(thread.path + name, thread.said)
        thread.is_told, thread.unseen = False, self.now

    def lose_cpu(self, cpu):
        thread, cpu.runs = cpu.runs, None
        thread.runs_on = None
        self.lose(thread)
        self.doubt_since(cpu.path, thread.said)
        self.ask(f"{cpu.path}/Current_thread")
        self.doubt_since(f"{cpu.path}/Current_thread", thread.said)
        if thread.tid == 0:
            self.set_status(thread, WAITS_FOR_CPU)

    def find(self, cpu, thread):
        if cpu.runs is thread:
            return
        elsewhere = thread.runs_on
        if cpu.runs is None and cpu.stepped is not None:
            thread.unseen = max(thread.unseen or cpu.stepped, cpu.stepped)
        cpu.stepped = None
        if cpu.runs is not None:
            self.lose_cpu(cpu)
        if elsewhere is not None:
            self.lose_cpu(elsewhere)
        elif isinstance(self.get(thread.path), int):
            self.lose(thread)

    def find_nowhere(self, thread):
        if thread.runs_on is not None:
            self.lose_cpu(thread.runs_on)

    def occupy(self, cpu, thread):
        if cpu.runs is not None:
            cpu.runs.runs_on = None
        cpu.runs, thread.runs_on = thread, cpu
        if cpu.nameless:
            cpu.nameless = False
            if not any(other.nameless for other in self.cpus.values()):
                pseudo = self.thread(-1, cpu.number)
                if pseudo.runs_on is None:
                    self.forget(pseudo)

    def says_who_runs(self, number, tid):
        cpu = self.cpu(number)
        if cpu.runs is not None and cpu.runs.tid == tid:
            cpu.runs.said = self.now
            return
        thread = self.thread(tid, number)
        self.find(cpu, thread)
        self.put(f"{cpu.path}/Current_thread", tid)
        if self.cpu_status(cpu) == 8:
            self.set_status(thread, INTERRUPTED)
        else:
            self.run(thread)
        self.put(f"{thread.path}/Current_cpu_rq", number)
        self.put(cpu.path, self.cpu_status(cpu))
        self.occupy(cpu, thread)

    def says_process(self, thread, process):
        """A leader is of the process with its own number."""
        self.put(f"{thread.path}/PID", process)

    # ---- events

    def sched_switch(self, number, f):
        cpu = self.cpu(number)
        before, after = self.thread(f["prev_pid"], number), self.thread(f["next_pid"], number)
        if self.strict:
            self.find(cpu, before)
            if after is not before:
                self.find_nowhere(after)
            queue = self.changes.get(f"{after.path}/Current_cpu_rq", [(None, None)])[-1][1]
            # It has waited there, as the CPU is recorded.
            if after.runs_on is None and self.get(after.path) is UNKNOWN and queue == number:
                self.changes[after.path][-1] = (self.changes[after.path][-1][0], WAITS_FOR_CPU)
        state = f["prev_state"] & 0x3FF
        status = WAITS_FOR_CPU if state == 0 else 1 if state & 3 else None if state & 64 else 6
        if self.new_states:
            state &= 0xFF
            status = WAITS_FOR_CPU if state == 0 else None if state & 0x30 else 1 if state & 0x83 else 6
        self.set_status(before, status)
        self.put(f"{before.path}/Current_cpu_rq", number if status == WAITS_FOR_CPU else None)
        self.run(after)
        self.put(f"{after.path}/Current_cpu_rq", number)
        self.put(f"{before.path}/Prio", f["prev_prio"])
        self.put(f"{after.path}/Prio", f["next_prio"])
        self.put(f"{cpu.path}/Current_thread", f["next_pid"])
        self.put(cpu.path, self.status_by_thread(cpu) if f["next_pid"] > 0 else self.cpu_status(cpu))
        if self.strict:
            self.occupy(cpu, after)
        self.put(f"{before.path}/Exec_name", f["prev_comm"])
        self.put(f"{after.path}/Exec_name", f["next_comm"])
        if self.strict:
            self.settle(before)
            self.settle(after)

    def in_queue(self, number, target):
        """What a thread does in the queue of a CPU: of one without events nobody knows."""
        is_recorded = not self.strict or target in (number, -1) or f"CPUs/{target}/Current_thread" in self.changes
        return WAITS_FOR_CPU if is_recorded else UNKNOWN

    def wakeup(self, number, f):
        thread = self.thread(f["pid"], number)
        status = self.get(thread.path)
        if thread.runs_on is None and status not in (RUNS, IN_CALL):
            self.set_status(thread, self.in_queue(number, f["target_cpu"]))
        self.put(f"{thread.path}/Current_cpu_rq", f["target_cpu"])
        self.put(f"{thread.path}/Prio", f["prio"])

    def migrate(self, number, f):
        cpu = self.cpu(number)
        if f["pid"] == 0 or (cpu.runs is not None and cpu.runs.tid == f["pid"]):
            return
        thread = self.thread(f["pid"], number)
        self.find_nowhere(thread)
        self.set_status(thread, self.in_queue(number, f["dest_cpu"]))
        self.put(f"{thread.path}/Current_cpu_rq", f["dest_cpu"])

    def fork(self, number, f):
        if self.strict:
            self.find_nowhere(self.thread(f["child_pid"], number))
        parent, child = self.thread(f["parent_pid"], number), self.thread(f["child_pid"], number)
        self.put(f"{child.path}/PPID", f["parent_pid"])
        self.put(f"{child.path}/Exec_name", f["child_comm"])
        self.set_status(child, WAITS_FOR_CPU)
        if f"{parent.path}/Current_cpu_rq" in self.changes:
            self.put(f"{child.path}/Current_cpu_rq", self.get(f"{parent.path}/Current_cpu_rq"))
        call = self.get(f"{parent.path}/System_call")
        child.unseen = self.now
        if call is not None:
            self.put(f"{child.path}/System_call", call)
            child.is_told = parent.is_told
            child.makes_calls = True

    def free(self, number, f):
        thread = self.thread(f["pid"], number)
        if self.strict:
            self.find_nowhere(thread)
        self.forget(thread)

    def set_softirq(self, cpu, vector, value):
        self.put(f"{cpu.path}/Soft_IRQs/{vector}", value)
        values = [self.get(f"{other.path}/Soft_IRQs/{vector}") or 0 for other in self.cpus.values()
                  if f"{other.path}/Soft_IRQs/{vector}" in other.softirqs]
        self.put(f"Soft_IRQs/{vector}", max(values) or None)

    def softirq(self, number, vector):
        cpu = self.cpu(number)
        path = f"{cpu.path}/Soft_IRQs/{vector}"
        if path not in cpu.softirqs:
            self.ask(path)
            cpu.softirqs.append(path)
        return cpu, self.get(path) or 0

    def softirq_raise(self, number, f):
        cpu, value = self.softirq(number, f["vec"])
        self.set_softirq(cpu, f["vec"], value & RUNNING | RAISED)

    def softirq_entry(self, number, f):
        cpu, _ = self.softirq(number, f["vec"])
        thread = self.current(cpu)
        self.set_softirq(cpu, f["vec"], RUNNING)
        if thread is not None:
            self.set_status(thread, INTERRUPTED)
        self.put(cpu.path, self.cpu_status(cpu))

    def softirq_exit(self, number, f):
        cpu, value = self.softirq(number, f["vec"])
        if self.strict and cpu.in_doubt and not value & RUNNING:  # it went on when the trace began
            for path in (f"{cpu.path}/Soft_IRQs/{f['vec']}", f"Soft_IRQs/{f['vec']}"):
                self.put(path, value | RUNNING, self.first)
            self.put(cpu.path, 8, self.first)
            if cpu.runs is not None and self.get(cpu.runs.path) in (RUNS, IN_CALL):
                self.put(cpu.runs.path, INTERRUPTED, self.first)
        thread = self.current(cpu)
        self.set_softirq(cpu, f["vec"], value & RAISED or None)
        self.put(cpu.path, self.cpu_status(cpu))
        if thread is not None and all(self.get(path) is None for path in cpu.softirqs):
            self.run(thread)

    def learn_past(self, cpu, thread, call, ends):
        """Nobody knew whether the thread was in a system call: its end says that it was, in that one."""
        path = f"{thread.path}/System_call"
        if self.get(path) is not UNKNOWN and not (ends and self.get(path) is None):
            return
        since = self.first if thread.unseen is None else thread.unseen
        self.put(path, call if ends else None, since)
        status = self.get(thread.path)
        if status is not UNKNOWN and not (ends and status == RUNS):
            return
        here = self.changes[f"{cpu.path}/Current_thread"][-1][0]
        since = max(since, self.changes[thread.path][-1][0], self.first if here is None else here)
        self.put(thread.path, IN_CALL if ends else RUNS, since)
        status = self.get(cpu.path)
        if status is UNKNOWN or (ends and status == 2):
            self.put(cpu.path, 4 if ends else 2, since)

    def move(self, number, call, thread_status, cpu_status, past=None):
        cpu = self.cpu(number)
        thread = self.current(cpu)
        self.has_calls = True
        if thread is not None:
            if self.strict and not thread.is_told:
                self.learn_past(cpu, thread, past, call is None)
            thread.is_told = thread.makes_calls = True
            self.put(f"{thread.path}/System_call", call)
            self.set_status(thread, thread_status)
        if cpu.runs is None:
            cpu.stepped = self.now
        self.put(cpu.path, cpu_status)

    def enter(self, number, f):
        self.move(number, CALLS.get(f["id"], f"#{f['id']}") if self.strict else "", IN_CALL, 4)

    def leave(self, number, f):
        self.move(number, None, RUNS, 2, CALLS.get(f["id"], f"#{f['id']}"))

    HANDLERS = {
        "sched:sched_switch": sched_switch, "sched:sched_waking": wakeup, "sched:sched_wakeup": wakeup,
        "sched:sched_wakeup_new": wakeup, "sched:sched_migrate_task": migrate, "sched:sched_process_fork": fork,
        "sched:sched_process_free": free, "irq:softirq_raise": softirq_raise, "irq:softirq_entry": softirq_entry,
        "irq:softirq_exit": softirq_exit, "raw_syscalls:sys_enter": enter, "raw_syscalls:sys_exit": leave,
    }

    def take(self, time, name, number, fields):
        if self.first is None:
            self.first = self.last = time
        self.last = max(self.last, time)
        handler = self.HANDLERS.get(name)
        if handler is None or (handler is Model.migrate and not self.strict):
            return
        self.now = max(self.now or time, time) if self.strict else time
        if self.strict and handler is not Model.sched_switch:
            self.says_who_runs(number, fields["common_pid"])
        if self.strict and fields["perf_tid"] == fields["common_pid"] > 0:
            self.says_process(self.thread(fields["common_pid"], number), fields["perf_pid"])
            self.settle(self.thread(fields["common_pid"], number))
        handler(self, number, fields)
        if name not in ("irq:softirq_raise", "sched:sched_waking", "sched:sched_wakeup", "sched:sched_wakeup_new",
                        "sched:sched_migrate_task", "sched:sched_process_fork", "sched:sched_process_free"):
            self.cpu(number).in_doubt = False

    # ---- the result

    def rows(self):
        for path, states in self.changes.items():
            states = [(self.first if since is None else since, value) for since, value in states]
            for i, (since, value) in enumerate(states):
                end = states[i + 1][0] - 1 if i + 1 < len(states) else self.last
                kind = ("null" if value is None else "unknown" if value is UNKNOWN
                        else "int" if isinstance(value, int) else "string")
                yield path, since, end, kind, "" if kind in ("null", "unknown") else value


def release_of(trace):
    """Of the kernel, (6, 18); (0, 0) where the trace does not say it."""
    found = re.search(r'\b(?:kernel_)?release = "(\d+)\.(\d+)', pathlib.Path(trace, "metadata").read_text(encoding="utf-8"))
    return (int(found[1]), int(found[2])) if found else (0, 0)


def main():
    model = Model(sys.argv[1], release_of(sys.argv[2]))
    for event in events(sys.argv[2]):
        model.take(*event)
    print("path\tstart\tend\ttype\tvalue")
    for row in sorted(model.rows(), key=lambda row: (row[0].encode(), row[1])):
        print(*row, sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main())
