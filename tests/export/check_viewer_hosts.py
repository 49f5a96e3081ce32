#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A file for viewers of a store of several hosts, against those of the store of each of them: spans, counters, instants and
flows, one by one, with their tracks, words, values and times.

usage: check_viewer_hosts.py HISTREE

The hosts have other traces, so that a span of the one is none of the other: what is missing, or is said to be of the wrong
host, is found, which the check shows by a file without a host and by one with two hosts exchanged.
"""
import collections
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import viewer_files  # noqa: E402 (beside this file)
from check_viewers import Checker, SOURCE  # noqa: E402

HOSTS = (("a/1", "a%2F1", "demo-trace"), ("b", "b", "dat-made/row.dat"), ("c", "c", "perf-made/file.data"))
APART = 22  # bits: numbers of a host are raised by so much for each host before it
READERS = {"chrome": viewer_files.read_chrome, "perfetto": viewer_files.read_perfetto}
KINDS = ("spans", "counts", "instants", "flows", "names")


def of_host(track, names):
    """The host that a track is of, and the track as the file of that host alone has it."""
    if track and track[0] in ("thread", "process"):
        numbers = [number for number in track[1:] if number is not None]
        host = max(numbers) >> APART
        own = tuple(None if number is None else number - (host << APART) for number in track[1:])
        return host, (track[0], *own)
    if track and track[0] == "lane":
        return of_host(("process", track[1]), names)[0], ("lane",)
    if track and isinstance(track[0], tuple):
        host, owner = of_host(track[0], names)
        return host, (owner, *track[1:])
    for host, name in enumerate(names):
        if track and track[0].startswith(name + ": "):
            return host, (track[0][len(name) + 2:], *track[1:])
    return None, track


def contents(viewed, names):
    """By host and kind: what there is, as often as it is.  Without `names`, all is of host 0."""
    def place(track):
        if names:
            return of_host(track, names)
        return 0, ("lane",) if track and track[0] == "lane" else track

    def words(arguments):
        return tuple(each for each in arguments if each[0] != "host")

    found = collections.defaultdict(collections.Counter)
    for span in viewed.spans:
        host, track = place(span.track)
        found[host, "spans"][track, span.category, span.name, words(span.arguments), span.start, span.end] += 1
    for track, time, value in viewed.counts:
        host, track = place(track)
        found[host, "counts"][track, time, str(value)] += 1
    for track, name, arguments, time in viewed.instants:
        host, track = place(track)
        found[host, "instants"][track, name, words(arguments), time] += 1
    for flow in viewed.flows:
        host, track = place(flow.track)
        found[host, "flows"][track, flow.is_end, flow.time] += 1
    for track, name in viewed.names.items():
        host, track = place(track)
        if names and name == names[host]:
            continue  # a process without a name, which is called as its host
        prefix = names[host] + ": " if names and track[0] == "process" else ""
        found[host, "names"][track, name[len(prefix):] if name.startswith(prefix) else name] += 1
    return found


def differences(both, alone):
    """What hosts have too often or lack."""
    found = []
    for host, kind in sorted(set(both) | set(alone), key=str):
        got, wanted = both[host, kind], alone[host, kind]
        for what, each in (("too often", got - wanted), ("lacks", wanted - got)):
            found += ["host %s, %s: %s: %s, %d times" % (host, kind, what, one, count) for one, count in each.most_common(2)]
    return found


def is_noticed(both, alone, host):
    """Whether a file would be found wrong that lacks a host, and one in which it has changed places with the next."""
    lacking = collections.defaultdict(collections.Counter, {key: found for key, found in both.items() if key[0] != host})
    mixed, other = collections.defaultdict(collections.Counter, both), (host + 1) % len(HOSTS)
    for kind in KINDS:
        mixed[host, kind], mixed[other, kind] = both[other, kind], both[host, kind]
    return bool(differences(lacking, alone) and differences(mixed, alone))


def check_format(checker, format, words, has_all):
    def read(store, names, status=0):
        return contents(READERS[format](checker.run("export", store, "--format", format, *words, status=status)), names)

    both = read("all.histree", [name for name, _, _ in HOSTS])
    alone = collections.defaultdict(collections.Counter)
    for host, (_, folder, _) in enumerate(HOSTS):
        status = 0 if has_all or host == 0 else 1  # nothing is found
        for (_, kind), counter in read(os.path.join("all.histree", "hosts", folder), None, status).items():
            alone[host, kind] = counter
    for difference in differences(both, alone)[:10]:
        checker.fail("%s %s: %s" % (format, " ".join(words), difference))
    for host in range(len(HOSTS) if has_all else 1):
        count = sum(alone[host, "spans"].values()) + sum(alone[host, "instants"].values())
        checker.spans += count
        if count == 0 or not is_noticed(both, alone, host):
            checker.fail("%s %s: a host that is missing or mixed up with another is not noticed" % (format, " ".join(words)))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(os.path.abspath(sys.argv[1]), folder)
        hosts = []
        for name, _, trace in HOSTS:
            hosts += ["--host-dir", "%s=%s" % (name, (SOURCE / "tests" / "data" / trace).resolve())]
        checker.run("build", "-q", "-a", "kernel,system-calls,wakeups", "-o", "all.histree", "--clock", "none", *hosts)
        for format in READERS:
            check_format(checker, format, [], True)
            check_format(checker, format, ["--events"], True)
            check_format(checker, format, ["-a", "system-calls"], False)  # which the first host alone has
    print("%d spans and events of %d hosts, %d faults" % (checker.spans, len(HOSTS), checker.faults))
    sys.exit(checker.faults > 0)


if __name__ == "__main__":
    main()
