# SPDX-License-Identifier: MIT
"""
Who waited for whom, a second time: the graph of a kernel trace of LTTng from its events, and critical paths in it,
all in memory and as plainly as can be.  The rules are those of docs/design/09-kernel-analyses.md.
"""
import collections

UNKNOWN, AFTER_FORK, FOR_CPU, EXITS, ZOMBIE, WAITS, RUNS, DEAD, BLOCKED = range(9)
STATES = {UNKNOWN: "UNKNOWN", AFTER_FORK: "PREEMPTED", FOR_CPU: "PREEMPTED", EXITS: "RUNNING", ZOMBIE: "UNKNOWN",
          WAITS: "PREEMPTED", RUNS: "RUNNING", DEAD: "UNKNOWN", BLOCKED: "BLOCKED"}
SOFTIRQS = {1: "TIMER", 8: "TIMER", 4: "BLOCK_DEVICE", 5: "BLOCK_DEVICE", 2: "NETWORK", 3: "NETWORK",
            7: "INTERRUPTED"}
HARD_IRQ, SOFT_IRQ, NMI = 0x08, 0x10, 0x40  # of ftrace's common_flags
OUT, IN = ("inet_sock_local_out", "net_dev_queue"), ("inet_sock_local_in", "netif_receive_skb", "net_if_receive_skb")

Edge = collections.namedtuple("Edge", "tid start end state")
Arrow = collections.namedtuple("Arrow", "start tid end to_tid state")


class Worker:
    def __init__(self, tid):
        self.tid, self.status, self.before = tid, UNKNOWN, UNKNOWN

    def set(self, status):
        self.before, self.status = self.status, status


class Graph:
    """`events`: (time, cpu, name, fields) in the order of the trace."""

    def __init__(self, events):
        self.edges, self.arrows, self.names = [], {}, {}
        self.workers, self.last, self.runs = {}, {}, {}
        self.contexts = collections.defaultdict(list)
        events = list(events)
        names = {name for _, _, name, _ in events}
        self.wakeups = {"sched_ttwu"} if "sched_ttwu" in names else \
            {"sched_waking", "sched_wakeup_new"} if "sched_waking" in names else {"sched_wakeup", "sched_wakeup_new"}
        for self.time, self.cpu, name, fields in events:
            self.event(name.removeprefix("irq_") if name.startswith("irq_softirq") else name, fields)

    def worker(self, tid, name=None):
        key = (tid, self.cpu) if tid <= 0 else tid
        if key not in self.workers:
            self.workers[key] = Worker(tid)
            if name is not None:
                self.names.setdefault(tid, name)
        return self.workers[key]

    def find(self, tid):
        return self.workers.get((tid, self.cpu) if tid <= 0 else tid)

    def kernel(self):
        known = self.find(-1)
        if known is None:
            known = self.worker(-1, f"kernel/{self.cpu}")
            known.set(RUNS)
        return known

    def append(self, worker, state):
        last = self.last.get(worker.tid)
        if last is None or self.time > last:
            if last is not None and state is not None:
                self.edges.append(Edge(worker.tid, last, self.time, state))
            self.last[worker.tid] = self.time

    def wake(self, fields):
        target, runs = self.find(fields["tid"]), self.runs.get(self.cpu)
        if target is None:
            target = self.worker(fields["tid"])
            target.set(BLOCKED)
        if target is not runs and target.status in (BLOCKED, AFTER_FORK, UNKNOWN):
            target.set(FOR_CPU)
        context = self.contexts[self.cpu][-1] if self.contexts[self.cpu] else None
        if target.before == BLOCKED and context is not None:
            kind, number = context
            self.append(target, "TIMER" if kind == "hrtimer_expire" else
                        SOFTIRQS.get(number, "BLOCKED") if kind == "softirq" else
                        "INTERRUPTED" if number == 0 else "BLOCKED")
        elif target.before == BLOCKED and int(fields.get("common_flags", 0)) & (HARD_IRQ | SOFT_IRQ | NMI):
            self.append(target, "BLOCKED")
        elif target.before in (BLOCKED, AFTER_FORK):
            self.append(target, STATES[target.before])
            if runs is not None:
                self.append(runs, STATES[runs.status])
                self.arrows[target.tid, self.last[target.tid]] = \
                    Arrow(self.time, runs.tid, self.last[target.tid], target.tid, "DEFAULT")

    def packet(self, name):
        context = self.contexts[self.cpu][-1][0] if self.contexts[self.cpu] else None
        runs = self.runs.get(self.cpu)
        if name in OUT:
            worker = runs if context is None else self.kernel() if context == "softirq" else None
        else:
            worker = self.kernel() if context in ("softirq", "irq_handler") else runs
        if worker is not None:
            self.append(worker, STATES[worker.status])

    def event(self, name, fields):
        if name == "sched_switch":
            following = self.worker(fields["next_tid"], fields["next_comm"])
            previous = self.worker(fields["prev_tid"], fields["prev_comm"])
            self.runs[self.cpu] = following
            following.set(RUNS)
            if fields["prev_tid"] != 0:
                self.names[fields["prev_tid"]] = fields["prev_comm"]
            sleeps = fields["prev_state"] & 3 != 0 or fields["prev_state"] & 0x1ff == 0x80  # 0x80: it idles, since 4.14
            previous.set(BLOCKED if sleeps else FOR_CPU)
            self.append(previous, STATES[previous.before])
            self.append(following, STATES[following.before])
        elif name == "lttng_statedump_process_state":
            self.worker(fields["tid"], fields["name"]).set(fields["status"])
            self.names[fields["tid"]] = fields["name"]
        elif name == "sched_process_fork":
            self.worker(fields["child_tid"], fields["child_comm"]).set(AFTER_FORK)
        elif name == "sched_process_exit" and self.find(fields["tid"]) is not None:
            self.find(fields["tid"]).set(EXITS)
        elif name == "sched_process_exec" and self.cpu in self.runs:
            self.names[self.runs[self.cpu].tid] = fields["filename"]
        elif name in ("softirq_entry", "irq_handler_entry", "hrtimer_expire_entry"):
            self.contexts[self.cpu].append((name[:-6], fields.get("vec", fields.get("irq"))))
            if fields.get("vec") in (2, 3):
                self.append(self.kernel(), None)
        elif name in ("softirq_exit", "irq_handler_exit", "hrtimer_expire_exit"):
            if self.contexts[self.cpu] and self.contexts[self.cpu][-1][0] == name[:-5]:
                self.contexts[self.cpu].pop()
        elif name in self.wakeups:
            self.wake(fields)
        elif name in OUT + IN and "seq" in fields:
            self.packet(name)


class Paths:
    """Critical paths of a graph; a step is ("state" or "arrow", start, end, tid, state, to_tid)."""

    def __init__(self, graph):
        self.before = {(edge.tid, edge.end): edge for edge in graph.edges}
        self.after = {(edge.tid, edge.start): edge for edge in graph.edges}
        self.into = graph.arrows
        self.first = {}
        for edge in graph.edges:
            self.first[edge.tid] = min(edge.start, self.first.get(edge.tid, edge.start))

    def resolve(self, wait, bound):
        arrow = self.into.get((wait.tid, wait.end))
        if arrow is None:
            return []
        links, forks, reached = [arrow], [], arrow
        bound = max(bound, wait.start)
        tid, time = arrow.tid, arrow.start
        while time > bound:
            arrow, edge = self.into.get((tid, time)), self.before.get((tid, time))
            if arrow is not None and arrow.start <= bound:
                links.append(arrow)
                break
            is_wait = edge is not None and edge.state in ("BLOCKED", "NETWORK")
            if arrow is not None and not is_wait:
                forks.append((reached, arrow))
            if edge is None:
                if not forks:
                    break
                reached, arrow = forks.pop()
                while links and links[-1] is not reached:
                    links.pop()
                links.append(arrow)
                reached, tid, time = arrow, arrow.tid, arrow.start
                continue
            instead = self.resolve(edge, bound) if is_wait else [edge]
            links += instead if instead or edge.state == "BLOCKED" else [edge]
            reached, time = edge, edge.start
        return links

    def path(self, tid):
        steps, last = [], {tid: self.first[tid]}

        def move(thread, time):
            last[thread] = max(time, last.get(thread, time))

        def extend(thread, time, state):
            if time > last[thread]:
                steps.append(("state", last[thread], time, thread, state, None))
                last[thread] = time

        def cross(thread, to, time, state):
            start = last[thread]
            move(to, time)
            steps.append(("arrow", start, last[to], thread, state, to))

        edge = self.after.get((tid, self.first[tid]))
        while edge is not None:
            links = self.resolve(edge, self.first[tid])[::-1] if edge.state in ("BLOCKED", "NETWORK") else []
            if not links:
                extend(tid, edge.end, edge.state)
            elif links[0].tid != tid:
                cross(tid, links[0].tid, edge.start, "DEFAULT")
                extend(links[0].tid, links[0].start, "UNKNOWN")
            at = (links[0].tid, links[0].start) if links else None
            for link in links:
                if (link.tid, link.start) != at:
                    time = max(at[1], link.start)
                    if link.tid != at[0]:
                        cross(at[0], link.tid, time, "DEFAULT")
                    else:
                        extend(link.tid, time, "DEFAULT")
                if isinstance(link, Arrow):
                    cross(link.tid, link.to_tid, link.end, link.state)
                    at = link.to_tid, link.end
                else:
                    extend(link.tid, link.end, link.state)
                    at = link.tid, link.end
            edge = self.after.get((tid, edge.end))
        return steps
