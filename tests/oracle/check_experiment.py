#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A store of two hosts: its clock, the states of each host, the order of what they did, and its files.

Of two hosts that are made up, whose clocks are known, and, where they are there, of the two of a recorded copy
(HISTREE_SCP_SRC names the trace of the sender; that of the receiver and the clock that Trace Compass found are shared).

- The states of each host are those of a store of it alone, each time of which is transformed by the clock.
- Every packet leaves before it arrives, by corrected time; it is said how many did before.
- The files are the same bytes for 1, 2 and 7 threads, and after kills and --resume.

usage: check_experiment.py HISTREE
"""
import csv
import fractions
import gzip
import hashlib
import io
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from data import QUICK, shared

HISTREE = str(pathlib.Path(sys.argv[1]).resolve())
SLOPE, OFFSET = fractions.Fraction(10001, 10000), 2_000_000  # of the clock of host b, by that of a


def run(*words, exits=(0,)):
    done = subprocess.run([HISTREE, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode in exits, (words, done.returncode, done.stderr)
    return done.stdout


def manifest(store):
    return json.loads((pathlib.Path(store) / "manifest.json").read_text(encoding="utf-8"))


def clock_of(store, host):
    return next(each for each in manifest(store)["hosts"] if each["name"] == host)["clock"]


def apply(clock, time):
    """histree_clock_apply() in numbers without limits."""
    passed = time - clock["from"]
    return ((clock["to"] + passed << 32) + clock["fraction"] + (passed * clock["rate"] >> 30)) >> 32


def rows(text):
    return list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))


def states(table, transform, host_end):
    """By path: a list of (start, end, type, value); those that a coarser clock leaves no time have none."""
    found = {}
    for row in table:
        end = int(row["end"])
        start = transform(int(row["start"]))
        end = transform(end) if end == host_end else transform(end + 1) - 1
        if start > end:
            continue
        of_path = found.setdefault(row["path"], [])
        if of_path and of_path[-1][2:] == (row["type"], row["value"]) and of_path[-1][1] + 1 == start:
            of_path[-1] = (of_path[-1][0], end, row["type"], row["value"])
        else:
            of_path.append((start, end, row["type"], row["value"]))
    return found


def same(time):
    return time


def check_states(store, host, alone):
    """`alone` is what was dumped of the host by itself, without a clock."""
    clock = clock_of(store, host)
    last = max(int(row["end"]) for row in alone)
    expected = states(alone, lambda time: apply(clock, time), last)
    own = rows(run("states", f"{store}/hosts/{host}", "--format", "tsv"))
    end = max(int(row["end"]) for row in own)
    assert states(own, same, end) == expected, f"{host}: other states than by itself"
    start = min(int(row["start"]) for row in own)
    inside = [row | {"path": row["path"].removeprefix(host + "/")}
              for row in rows(run("states", store, "--format", "tsv"))
              if row["path"].startswith(host + "/") and int(row["end"]) >= start and int(row["start"]) <= end]
    assert states(inside, same, end) == expected, f"{host}: other states in the store of all"
    return sum(map(len, expected.values()))


def check_packets(store, packets):
    """`packets`: (host, time when it left, host, time when it arrived), by their own clocks."""
    clocks = {each["name"]: each["clock"] for each in manifest(store)["hosts"]}
    known = {(row["host"], int(row["time"])) for row in rows(run("events", store, "--format", "tsv"))}
    before = after = 0
    for sender, left, receiver, arrived in packets:
        corrected = apply(clocks[sender], left), apply(clocks[receiver], arrived)
        assert (sender, corrected[0]) in known and (receiver, corrected[1]) in known, "an event at another time"
        before += left < arrived
        after += corrected[0] < corrected[1]
    assert after == len(packets), f"only {after} of {len(packets)} packets leave before they arrive"
    return before


def digest(store):
    """Of all files but manifests, which say how long it took."""
    of_all = hashlib.md5(usedforsecurity=False)
    for path in sorted(pathlib.Path(store).rglob("*")):
        if path.is_file() and path.name != "manifest.json":
            of_all.update(str(path.relative_to(store)).encode() + path.read_bytes())
    return of_all.hexdigest()


def check_files(work, build):
    """The same with every number of threads, and if it was killed on its way."""
    expected = None
    work.mkdir()
    for threads in (1, 2, 7):
        run("build", "-q", "--force", "--threads", threads, "-o", work / "threads", *build)
        found = digest(work / "threads")
        expected = expected or found
        assert found == expected, f"other files with {threads} threads"
    kills = 0
    for attempt in range(5 if QUICK else 20):
        store = work / f"killed{attempt}"
        with subprocess.Popen([HISTREE, "build", "-q", "--publish", "1ms", "-o", store, *map(str, build)],
                              stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(timeout=random.uniform(0.002, 0.08))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        if not store.exists():
            kills += 1
            run("build", "-q", "--resume", "--publish", "1ms", "-o", store, *build)
        assert digest(store) == expected, "other files after a kill"
        run("verify", store)
        assert not pathlib.Path(f"{store}.building").exists()
    return kills


def made_up(name, other, packets, work):
    """Writes a trace of ftrace as text: packets, and two threads that take turns.  Returns packets by their clocks."""
    times = lambda time: int(time * SLOPE) + OFFSET if name == "b" else time
    lines, found = [], {}
    for number, (sender, left, arrived) in enumerate(packets):
        time = times(left if sender == name else arrived)
        found[number] = time
        what = "inet_sock_local_out" if sender == name else "inet_sock_local_in"
        lines.append((time, f"{what}: seq={number * 10} ack_seq={number} flags=24"))
    for number in range(400):
        one, two = (7, 8) if number % 2 else (8, 7)
        lines.append((times(999_990_000_000 + number * 5_000_000 + (3000 if name == "b" else 0)),
                      f"sched_switch: prev_comm=t{one} prev_pid={one} prev_prio=120 prev_state=S ==> "
                      f"next_comm=t{two} next_pid={two} next_prio=120"))
    text = "# tracer: nop\n" + "".join(
        f"     swapper-0     [000] d..1  {time // 10**9}.{time % 10**9:09}: {line}\n" for time, line in sorted(lines))
    (work / name).write_text(text, encoding="utf-8")
    assert other != name
    return found


def check_made_up(work):
    packets = []
    for number in range(200):
        left = 1_000_000_000_000 + number * 10_000_000
        packets.append(("b" if number % 2 else "a", left, left + 100_000 + (number * 7 % 13) * 10_000))
    of_a, of_b = made_up("a", "b", packets, work), made_up("b", "a", packets, work)
    exchanged = [(sender, (of_a if sender == "a" else of_b)[number], "b" if sender == "a" else "a",
                  (of_b if sender == "a" else of_a)[number]) for number, (sender, _, _) in enumerate(packets)]
    named = ["--host-dir", f"a={work / 'a'}", "--host-dir", f"b={work / 'b'}"]
    run("build", "-q", "-o", work / "two", *named)
    clock = clock_of(work / "two", "b")
    assert clock["quality"] == "accurate" and clock["matches"] == 200, clock
    for sender, left, receiver, arrived in exchanged:  # by the clock that b has, within the bound that is said
        time = left if sender == "b" else arrived
        true = (time - OFFSET) / SLOPE
        assert abs(apply(clock, time) - true) <= clock["error"] + 2, (time, float(true), clock)
        assert receiver != sender
    count = 0
    for host in "ab":
        run("build", "-q", "-o", work / f"only-{host}", work / host)
        count += check_states(work / "two", host, rows(run("states", work / f"only-{host}", "--format", "tsv")))
    before = check_packets(work / "two", exchanged)
    kills = check_files(work / 'files', named)
    assert before < len(exchanged)
    print(f"made up: {count} states, {before} of {len(exchanged)} packets left before they arrived, now all do; "
          f"{kills} kills")
    order = [int(row["time"]) for row in rows(run("events", work / "two", "--format", "tsv"))]
    assert all(one <= other for one, other in itertools.pairwise(order)), "events out of order"


def check_copy(work, source, target):
    with open(shared("oracle/sync-scp.tsv"), encoding="utf-8") as file:
        facts = {row["name"]: row["value"] for row in csv.DictReader(file, delimiter="\t")}
    with open(shared("oracle/sync-scp-matches.tsv"), encoding="utf-8") as file:
        hosts = {"scp_src": "VM1", "scp_dest": "VM3"}
        packets = [(hosts[row["from"]], int(row["time_out"]), hosts[row["to"]], int(row["time_in"]))
                   for row in csv.DictReader(file, delimiter="\t")]
    with gzip.open(shared("oracle/scp_dest.tsv.gz"), "rt", encoding="utf-8") as file:
        of_target = rows("path\tstart\tend\ttype\tvalue\n" + file.read())
    run("build", "-q", "-a", "kernel-tc", "-o", work / "alone", source)
    of_source = rows(run("states", work / "alone", "--format", "tsv"))
    slope = fractions.Fraction(facts["transform.scp_src.slope"])
    offset = fractions.Fraction(facts["transform.scp_src.offset"])
    for reference in ("VM3", "VM1"):
        store = work / f"copy-{reference}"
        run("build", "-q", "-a", "kernel-tc", "--reference", reference, "-o", store, source, target)
        if reference == "VM3":
            clock = clock_of(store, "VM1")
            first, last = (int(of_source[0]["start"]), max(int(row["end"]) for row in of_source))
            for _ in range(10000):
                time = random.randint(first, last)
                assert abs(apply(clock, time) - (slope * time + offset)) <= 1, time
            assert (clock["matches"], clock["accurate"]) == (46, 25), clock
        count = check_states(store, "VM1", of_source) + check_states(store, "VM3", of_target)
        before = check_packets(store, packets)
        print(f"copy, by the time of {reference}: {count} states, {before} of {len(packets)} packets left before they "
              "arrived, now all do")
    print(f"copy: {check_files(work / 'files-of-copy', [source, target])} kills")


def check_doubled(work, trace):
    """The same recording under another identity is one more recording of the same time, which is said."""
    twin = work / "twin"
    twin.mkdir()
    for path in trace.iterdir():
        if path.is_file():
            content = path.read_bytes().replace(b"f8aa50a2-", b"e8aa50a2-")
            (twin / path.name).write_bytes(content.replace(b"\xf8\xaa\x50\xa2", b"\xe8\xaa\x50\xa2"))
    run("build", "-q", "-a", "kernel", "-o", work / "doubled", trace, twin)
    assert any("two recordings of one kernel" in each for each in manifest(work / "doubled")["warnings"])


def main():
    seed = int(os.environ.get("HISTREE_SEED", random.randrange(2**32)))
    print("seed", seed)
    random.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        check_made_up(pathlib.Path(folder))
        source, target = os.environ.get("HISTREE_SCP_SRC"), shared("traces/lttng-kernel/scp_dest")
        if target:
            check_doubled(pathlib.Path(folder), target)
        if source and target and shared("oracle/sync-scp.tsv"):
            check_copy(pathlib.Path(folder), source, target)
        else:
            print("the recorded copy is not there: HISTREE_SCP_SRC names the trace of its sender")


if __name__ == "__main__":
    main()
