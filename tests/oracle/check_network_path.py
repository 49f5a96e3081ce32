#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Critical paths that go from host to host: of a client that asks a server on another host, whose clock is another one, each
wait of the client is the server's work, between two ways through the network.  By clocks that are given, to the
nanosecond; by those that are found from the packets, within the error that is said of them.

Where they are, also of the two hosts of a recorded copy (HISTREE_SCP_SRC names the trace of the sender).

usage: check_network_path.py HISTREE
HISTREE_SEED makes a pair of hosts again.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import two_hosts  # noqa: E402
from data import shared  # noqa: E402
from two_hosts import CLIENT, SERVER  # noqa: E402

HISTREE = str(pathlib.Path(sys.argv[1]).resolve())
OFFSET = 3_000_000  # ns that the clock of b is ahead: more than any packet is under way


def run(*words):
    done = subprocess.run([HISTREE, *map(str, words)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return done.stdout


def steps_of(store, thread, rules):
    rows = json.loads(run("why", "--table", "steps", store, thread, "--rules", rules, "--format", "json"))
    return [(one["kind"], one["host"], one["tid"], one["state"], one["start"], one["end"], one["to_host"], one["to_tid"]) for one in rows]


def expected(one):
    """What the client's wait in a round was, by our rules."""
    none = (None, None)
    return [("arrow", "a", CLIENT, "DEFAULT", one.sleeps, one.sleeps, "b", SERVER),
            ("state", "b", SERVER, "NETWORK", one.sleeps, one.woken, *none),
            ("state", "b", SERVER, "PREEMPTED", one.woken, one.runs, *none),
            ("state", "b", SERVER, "RUNNING", one.runs, one.answers, *none),
            ("arrow", "b", SERVER, "NETWORK", one.answers, one.returns, "a", CLIENT),
            ("state", "a", CLIENT, "PREEMPTED", one.returns, one.goes_on, *none)]


def close(step, wanted, error):
    return step[:4] == wanted[:4] and step[6:] == wanted[6:] and all(abs(one - other) <= error for one, other in zip(step[4:6], wanted[4:6]))


def waits(steps):
    """Without what the client itself did."""
    return [step for step in steps if step[:4] != ("state", "a", CLIENT, "RUNNING")]


def check(store, rounds, error):
    found = waits(steps_of(store, f"a/{CLIENT}", "own"))
    wanted = [step for one in rounds for step in expected(one)]
    assert len(found) == len(wanted), (len(found), len(wanted), found[:8])
    for one, other in zip(found, wanted):
        assert close(one, other, error), (one, other, error)
    # Trace Compass's rules: the same hosts, one after the other, and the same work.
    steps = steps_of(store, f"a/{CLIENT}", "trace-compass")
    back = [step for step in steps if step[0] == "arrow" and step[1] == "b" and step[6] == "a"]
    assert len(back) == len(rounds) and all(step[3] == "NETWORK" for step in back), back[:3]
    worked = [step for step in steps if step[:4] == ("state", "b", SERVER, "RUNNING")]
    assert len(worked) == len(rounds)
    for step, one in zip(worked, rounds):
        assert abs(step[4] - one.runs) <= error and abs(step[5] - one.answers) <= error, (step, one)
    causes = {one["cause"]: one for one in json.loads(run("why", store, f"a/{CLIENT}", "--format", "json"))}
    assert abs(causes["ran"]["others"] - sum(one.answers - one.runs for one in rounds)) <= 2 * error * len(rounds)
    network = sum(one.woken - one.sleeps + one.returns - one.answers for one in rounds)
    assert abs(causes["network"]["others"] + causes["network"]["itself"] - network) <= 4 * error * len(rounds), (causes, network)
    longest = json.loads(run("why", store, f"a/{CLIENT}", "--table", "waits", "--limit", "1", "--format", "json"))[0]
    assert (longest["host"], longest["thread"], longest["woken_by_host"], longest["woken_by"]) == ("b", SERVER, "b", SERVER), longest


def check_made_up(folder, seed):
    rounds = two_hosts.rounds(seed, 60)
    two_hosts.write(folder, rounds, lambda time: time + OFFSET)
    hosts = ["--host-dir", f"a={folder / 'a'}", "--host-dir", f"b={folder / 'b'}"]
    run("build", "-q", "-a", "graph,kernel", "-o", folder / "given", "--clock", f"b={-OFFSET}", *hosts)
    check(folder / "given", rounds, 0)
    # A packet that seems to come before it was sent is no arrow: nobody is on the path but the client.
    run("build", "-q", "-a", "graph", "-o", folder / "none", "--clock", "none", *hosts)
    alone = steps_of(folder / "none", f"a/{CLIENT}", "own")
    assert {step[1] for step in alone} == {"a"} and {step[2] for step in alone} == {CLIENT}, alone[:4]
    two_hosts.write(folder, rounds, lambda time: time + OFFSET + (time - two_hosts.START) // 20_000)
    run("build", "-q", "-a", "graph", "-o", folder / "found", *hosts)
    with open(folder / "found" / "manifest.json", encoding="utf-8") as file:
        clock = next(each["clock"] for each in json.load(file)["hosts"] if each["name"] == "b")
    assert clock["quality"] == "accurate", clock
    check(folder / "found", rounds, clock["error"] + 2)
    print(f"made up: {len(rounds)} questions; by the clock that was found, within {clock['error']} ns")


def check_copy(folder, source, target):
    """Threads of sshd on the receiving host wait for what ssh on the sending one did."""
    run("build", "-q", "-a", "graph", "-o", folder / "copy", source, target)
    for rules in "own", "trace-compass":
        crossings = 0
        for tid in 4047, 4048, 4049, 4050:
            steps = steps_of(folder / "copy", f"VM3/{tid}", rules)
            crossings += sum(1 for step in steps if step[0] == "arrow" and step[1] != step[6])
            if rules == "own":
                assert all(one[5] == other[4] for one, other in zip(steps, steps[1:])), "a gap in the path"
        assert crossings >= 20, (rules, crossings)
        if rules == "own":
            sniffer = [step for step in steps_of(folder / "copy", "VM3/4041", rules) if step[0] == "arrow" and step[1] == "VM1"]
            assert len(sniffer) >= 12, len(sniffer)  # each packet wakes tcpdump before its event
        print(f"copy: the paths of four threads cross between hosts {crossings} times by the rules {rules}")


def main():
    seed = int(os.environ.get("HISTREE_SEED", random.randrange(2**32)))
    print("seed", seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_made_up(folder, seed)
        source, target = os.environ.get("HISTREE_SCP_SRC"), shared("traces/lttng-kernel/scp_dest")
        if source and target:
            check_copy(folder, source, target)
        else:
            print("the recorded copy is not there: HISTREE_SCP_SRC names the trace of its sender")


if __name__ == "__main__":
    main()
