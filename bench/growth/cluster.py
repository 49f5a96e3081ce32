# SPDX-License-Identifier: MIT
"""
A cluster that builds and answers, as formulas and as a simulation (docs/design/13-hosts.md).

Units: seconds, bytes of the trace, bytes a second.  The work of a host is the bytes of its trace: what a build costs
a byte, and how much it writes for one, is measured.
"""
import heapq
import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Rates:
    """Of one rank, alone on its core; and of what ranks share."""
    build: float  # bytes of the trace that a core builds a second, if it has them
    pass_share: float = 0.1  # the clock pass, as a share of the build's time
    written: float = 0.33  # bytes written for one of the trace
    start: float = 0.05  # before the first byte: the launcher, the metadata of a host
    finish: float = 0.01  # a host, at rank 0: its row of the manifest
    disk: float = math.inf  # bytes a second of a rank's disk, reading and writing together
    shared_disk: float = math.inf  # of all ranks together; infinite: each has its own
    link: float = math.inf  # of a rank's link, over which shards go to the shared folder
    shared_link: float = math.inf  # of rank 0, or of the server that has the folder
    copies: bool = False  # shards are written to the rank's disk and copied when they are done


def rate_of(rates, active, share=1.0):
    """How fast one of `active` ranks goes through its trace, in bytes a second; `share` is the cost of a byte."""
    moved = 1 + rates.written
    limits = [rates.build / share, rates.disk / moved, rates.shared_disk / moved / active]
    return min(limits)


def copy_rate(rates, active):
    return min(rates.link, rates.shared_link / active) / rates.written


def list_schedule_most(hosts, ranks):
    """
    The most work that comes one after the other if the next host goes to who is done: the mean, and the largest host
    less its part of that (Graham, Bounds on Multiprocessing Timing Anomalies, 1969, theorem 1).
    """
    return sum(hosts) / ranks + max(hosts) * (1 - 1 / ranks)


def byte_cost(rates, active):
    """Seconds that a byte of a trace costs a rank, through all phases, while so many are at work."""
    cost = 1 / rate_of(rates, active)
    if rates.pass_share > 0:
        cost += 1 / rate_of(rates, active, rates.pass_share)
    return cost + (1 / copy_rate(rates, active) if rates.copies else 0)


def formula(hosts, ranks, rates):
    """
    Bounds of the time of a build.  At least: the largest host by a rank that has all for itself, or all hosts by ranks
    that share what is shared.  At most: Graham's bound, with all of them sharing all the time.
    """
    active = min(ranks, len(hosts))
    alone = rates.start + rates.finish * len(hosts)
    shared = byte_cost(rates, active)
    low = max(max(hosts) * byte_cost(rates, 1), sum(hosts) / active * shared)
    return alone + low, alone + list_schedule_most(hosts, ranks) * shared


def flow(hosts, ranks, speed):
    """
    Hosts, the largest first, to ranks that are done, which share what is shared: `speed(active)` is that of each.
    Returns when the last is done, and for how long each rank worked.
    """
    waiting = sorted(hosts, reverse=True)
    running = []  # (what the flow will have brought to each rank when it is done, rank)
    brought = now = 0.0
    busy = [0.0] * ranks
    free = list(range(ranks))
    begun = {}
    next_host = 0
    while running or next_host < len(waiting):
        while free and next_host < len(waiting):
            rank = free.pop()
            heapq.heappush(running, (brought + waiting[next_host], rank))
            begun[rank] = now
            next_host += 1
        done_at, rank = heapq.heappop(running)
        now += (done_at - brought) / speed(len(running) + 1)
        brought = done_at
        busy[rank] += now - begun[rank]
        free.append(rank)
    return now, busy


@dataclass
class Outcome:
    seconds: float
    clocks: float
    build: float
    alone: float  # what one rank does while all wait
    efficiency: float  # the share of the ranks' time that is work, from the first byte to the last
    output: float  # bytes of the store


def simulate(hosts, ranks, rates):
    clocks = 0.0
    if rates.pass_share > 0:
        clocks, _ = flow(hosts, ranks, lambda active: rate_of(rates, active, rates.pass_share))

    def speed(active):
        one = rate_of(rates, active)
        return one if not rates.copies else 1 / (1 / one + 1 / copy_rate(rates, active))

    build, busy = flow(hosts, ranks, speed)
    alone = rates.start + rates.finish * len(hosts)
    seconds = alone + clocks + build
    ideal = sum(hosts) * (1 + rates.pass_share) / rates.build
    return Outcome(seconds, clocks, build, alone, ideal / (ranks * seconds), sum(hosts) * rates.written)


def cut(hosts, slice_bytes, extra=0.0):
    """The same hosts with what is larger than a slice cut in time; each cut costs `extra` of a slice more."""
    pieces = []
    for host in hosts:
        count = max(1, math.ceil(host / slice_bytes))
        pieces += [host / count * (1 + (extra if count > 1 else 0))] * count
    return pieces


def throttled(rates, **limits):
    return replace(rates, **limits)


# ---- questions --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asking:
    shard: float  # seconds that one shard takes for its part of the question
    message: float  # seconds of rank 0 for one message out and one back
    latency: float  # of the network, there and back
    answer: float = 0.0  # bytes, of all shards
    link: float = math.inf  # bytes a second, of rank 0's link
    merge: float = math.inf  # bytes a second, at rank 0


def ask(shards, ranks, asking):
    """One message a rank; the ranks work side by side; answers come in one after the other."""
    met = min(ranks, shards)
    work = math.ceil(shards / met) * asking.shard
    return asking.latency + met * asking.message + work + asking.answer * (1 / asking.link + 1 / asking.merge)


def best_ranks(shards, asking):
    """Where more ranks cost as many messages as they save work: the root of work over message."""
    return max(1, min(shards, round(math.sqrt(shards * asking.shard / asking.message))))
