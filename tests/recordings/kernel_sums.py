# SPDX-License-Identifier: MIT
"""
What follows from the events of a kernel, by a rule that needs no model of it: who ran on a CPU between two events is
known if both say the same thread.
"""
import collections

from kernel_events import CALL, FREE, IRQ, IRQ_END, RETURN, SOFTIRQ, SOFTIRQ_END, SWITCH


class Sums:
    """Sums over the events of one recording.  Times are in ns; each is a count of nanoseconds, both ends included."""

    def __init__(self):
        self.events = 0
        self.start = self.end = None
        self.running = collections.Counter()  # by thread, on any CPU
        self.busy = collections.Counter()  # by CPU
        self.running_at_most = collections.Counter()  # up to the next switch of the CPU, whoever that says left it
        self.busy_at_most = collections.Counter()
        self.denials = 0  # an event names another thread than the one before it
        self.cpus = set()
        self.threads = set()
        self.calls = collections.Counter()  # by name
        self.call_time = collections.Counter()
        self.irqs = collections.Counter()  # by number
        self.softirqs = collections.Counter()
        self.alone = collections.Counter()  # ends without a beginning, and the other way round: by kind
        self.switches = collections.defaultdict(list)  # by CPU: (time, from, to)
        self._said = {}  # by CPU: the thread that its last event named, and when
        self._where = {}  # by thread: the CPU of which that was said
        self._came = {}  # by CPU: the thread that its last switch brought, and when
        self._open_calls = {}  # by thread
        self._open = {}  # by kind, CPU and number

    def add(self, event):
        self.events += 1
        if self.start is None:
            self.start = event.time
        self.end = event.time
        self.cpus.add(event.cpu)
        leaves = event.a if event.kind == SWITCH else event.tid
        if leaves is not None and leaves >= 0:
            self._confirm(event.cpu, event.time, leaves)
        if event.kind == SWITCH:
            self.switches[event.cpu].append((event.time, event.a, event.b))
            self._leave(event.cpu, event.time)
            self._came[event.cpu] = (event.b, event.time)
            self._say(event.cpu, event.time, event.b)
        self._segments(event)

    def _say(self, cpu, time, tid):
        """From this time on the CPU runs the thread, so no other one does."""
        if tid > 0:
            before = self._where.get(tid)
            if before is not None and before != cpu and self._said.get(before, (0, 0))[0] == tid:
                self.denials += 1
                del self._said[before]
            self._where[tid] = cpu
        self._said[cpu] = (tid, time)

    def _confirm(self, cpu, time, tid):
        """An event at this time says that the CPU ran this thread up to it."""
        said = self._said.get(cpu)
        if said is not None and said[0] == tid:
            self._credit(cpu, tid, time - said[1])
        elif said is not None:
            self.denials += 1
        else:
            self._adopt(cpu, tid)
        self._say(cpu, time, tid)

    def _leave(self, cpu, time):
        tid, since = self._came.get(cpu, (0, time))
        if tid > 0:
            self.running_at_most[tid] += time - since
            self.busy_at_most[cpu] += time - since

    def _credit(self, cpu, tid, time):
        self.threads.add(tid)
        if tid > 0:
            self.running[tid] += time
            self.busy[cpu] += time

    # A call that began before it was known which thread the CPU ran is kept under ("cpu", number).

    def _thread_on(self, event):
        if event.tid is not None and event.tid >= 0:
            return event.tid if event.tid > 0 else ("cpu", event.cpu)
        said = self._said.get(event.cpu)
        return ("cpu", event.cpu) if said is None or said[0] == 0 else said[0]

    def _adopt(self, cpu, tid):
        call = self._open_calls.pop(("cpu", cpu), None)
        if call is not None:
            self._open_calls[tid] = call

    def _segments(self, event):
        if event.kind == CALL:
            thread = self._thread_on(event)
            self.alone["call"] += thread in self._open_calls
            self._open_calls[thread] = (event.time, event.a)
        elif event.kind == RETURN:
            call = self._open_calls.pop(self._thread_on(event), None)
            if call is None:
                self.alone["return"] += 1
            else:
                self.calls[call[1]] += 1
                self.call_time[call[1]] += event.time - call[0]
        elif event.kind == FREE:
            self.alone["call"] += self._open_calls.pop(event.a, None) is not None
        elif event.kind in (IRQ, SOFTIRQ):
            key = (event.kind, event.cpu, event.a)
            self.alone["interrupt"] += key in self._open
            self._open[key] = event.time
        elif event.kind in (IRQ_END, SOFTIRQ_END):
            begin = self._open.pop((event.kind - 1, event.cpu, event.a), None)
            counts = self.irqs if event.kind == IRQ_END else self.softirqs
            if begin is None:
                self.alone["interrupt end"] += 1
            else:
                counts[event.a] += 1

    def finish(self):
        """What the last events said holds up to the end."""
        for cpu, (tid, time) in self._said.items():
            self._credit(cpu, tid, self.end - time + 1)
            self._leave(cpu, self.end + 1)
        return self


def sum_up(events):
    sums = Sums()
    for event in events:
        sums.add(event)
    return sums.finish()
