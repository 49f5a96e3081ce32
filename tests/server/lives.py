#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lives.py HISTREE - a number that is used again is another thread wherever the server names the thread that a CPU ran: in
the bars and the tip of the page, of one host and of two, and in the states of the protocol. A thread ran as long as it had
CPUs, also where events were lost."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import urllib.parse

from protocol import CPU_USAGE, RESOURCES, Client
from serving import Server, Tally

SWITCH = ("{comm:>16}-{pid:<5} ( {pid:4}) [000] d..2. {time}: sched_switch: prev_comm={comm} prev_pid={pid} prev_prio=120 "
          "prev_state={state} ==> next_comm={after} next_pid={next} next_prio=120")
RUNS = [("80.000000", "swapper/0", 0, "R", "potter", 333), ("80.010000", "potter", 333, "X", "init", 9),
        ("80.030000", "init", 9, "S", "init", 333), ("80.040000", "carver", 333, "S", "swapper/0", 0),
        ("80.050000", "swapper/0", 0, "R", "init", 9)]
FORK = "            init-9     (    9) [000] d..2. 80.020000: sched_process_fork: comm=init pid=9 child_comm=init child_pid=333"
PIXELS = 500
EXPECTED = ["potter (333)", "init (9)", "carver (333)"]


def make(histree, folder, hosts):
    lines = [SWITCH.format(time=time, comm=comm, pid=pid, state=state, after=after, next=following)
             for time, comm, pid, state, after, following in RUNS]
    lines.insert(2, FORK)
    for name in hosts:
        (folder / f"{name}.txt").write_text("# tracer: nop\n" + "\n".join(lines) + "\n")
    words = [f"--host={name}={name}.txt" for name in hosts] if len(hosts) > 1 else [f"{hosts[0]}.txt"]
    subprocess.run([pathlib.Path(histree).resolve(), "build", "-q", *words, "-o", "-".join(hosts)], check=True, cwd=folder)
    return folder / "-".join(hosts)


def texts_of_rows(content):
    """The texts of the spans of each row, in the order of time."""
    at, rows = 4, []
    while (count := struct.unpack_from("<I", content, at)[0]) != 0xffffffff:
        rows.append([struct.unpack_from("<4HI", content, at + 4 + 12 * i)[4] for i in range(count)])
        at += 4 + 12 * count
    said = json.loads(content[at + 4:])
    return [(row["name"], [said["texts"][str(value)] for value in spans if str(value) in said["texts"]])
            for row, spans in zip(said["rows"], rows)]


def names(client, hosts):
    """What stands in the bars, in the tip and in the states of the protocol."""
    uuid = client.experiment()["UUID"]
    rows = texts_of_rows(client.ask("GET", "/api/v1/rows?" + urllib.parse.urlencode(
        {"experiment": uuid, "view": "resources", "pixels": PIXELS}))[2])
    found = [[text for text in texts if "(" in text] for _, texts in rows]
    assert found.count(EXPECTED) == len(hosts), rows
    row = found.index(EXPECTED)
    for at, name in (5_000_000, EXPECTED[0]), (35_000_000, EXPECTED[2]):
        state = json.loads(client.ask("GET", "/api/v1/state?" + urllib.parse.urlencode(
            {"experiment": uuid, "view": "resources", "row": row, "at": at}))[2])
        assert state["text"] == name, state
    entries = [one["id"] for one in client.model(f"timeGraph/{RESOURCES}/tree")["entries"]]
    start = client.experiment()["start"]
    states = client.model(f"timeGraph/{RESOURCES}/states", requested_items=entries, requested_timerange={
        "start": start, "end": start + 50_000_000, "nbTimes": PIXELS})["rows"]
    labels = [[label for one in row["states"] if "(" in (label := one.get("label", ""))][:3] for row in states]
    assert labels.count(EXPECTED) == len(hosts), labels


def found(client, hosts):
    """A search finds the states of each of those that had the number, and the usage of CPUs is each one's own."""
    uuid, start = client.experiment()["UUID"], client.experiment()["start"]
    query = {"experiment": uuid, "view": "control-flow", "text": "TID == 333 && State == 'user mode'"}
    at, position, states = 0, -1, []
    while True:
        state = json.loads(client.ask("GET", "/api/v1/search-state?" + urllib.parse.urlencode(
            {**query, "at": at, "position": position}))[2])
        if not state["found"]:
            break
        at, position = state["start"], state["position"]
        states.append((state["start"], state["end"], state["row"]))
    assert [one[:2] for one in states] == sorted(len(hosts) * [(0, 9_999_999), (30_000_000, 39_999_999)]), states
    assert len({one[2] for one in states}) == 2 * len(hosts), states
    marks = json.loads(client.ask("GET", "/api/v1/matches?" + urllib.parse.urlencode(
        {**query, "pixels": PIXELS}))[2])["rows"]
    assert len([row for row in marks if row]) == 2 * len(hosts), marks

    tree = client.model(f"XY/{CPU_USAGE}/tree")["entries"]
    lines = [one for one in tree if one["labels"][1] == "333"]
    assert [(one["labels"][0], one["labels"][3]) for one in lines] == len(hosts) * [("potter", "10.000 ms"), (
        "carver", "10.000 ms")], lines
    series = client.model(f"XY/{CPU_USAGE}/xy", requested_items=[one["id"] for one in lines], requested_timerange={
        "start": start, "end": start + 49_999_999, "nbTimes": 5})["series"]
    assert [one["yValues"] for one in series] == len(hosts) * [[0, 100, 0, 0, 0, 0], [0, 0, 0, 0, 100, 0]], series


def ran_longest(client, query):
    content = client.ask("GET", f"/api/v1/rows?{urllib.parse.urlencode({**query, 'sort': 'cpu'})}")[2]
    rows = json.loads(content[content.index(b"\xff\xff\xff\xff{") + 4:])["rows"]
    return [(row["name"], row["cpu"]) for row in rows if row.get("tid", 0) > 0]


def after_losses(histree, folder):
    """An interrupt tells which thread has the CPU, and its name, but not what the thread does: its status is unknown."""
    lines = ["# tracer: nop", "#", "# entries-in-buffer/entries-written: 14/9000   #P:2", "#",
             SWITCH.format(time="80.000000", comm="swapper/0", pid=0, state="R", after="init", next=9), "##### CPU 1 buffer started ####"]
    lines += [f"           busy-77    (   77) [001] d.s4. 80.{ms:03}{us:03}: softirq_{what}: vec=1 [action=TIMER]"
              for ms in range(1, 6) for us, what in ((0, "entry"), (2, "exit"))]
    lines.append(SWITCH.format(time="80.006000", comm="init", pid=9, state="S", after="swapper/0", next=0))
    (folder / "lost.txt").write_text("\n".join(lines) + "\n")
    subprocess.run([pathlib.Path(histree).resolve(), "build", "-q", "lost.txt", "-o", "lost"], check=True, cwd=folder, stderr=subprocess.DEVNULL)
    with Server(histree, folder, [folder / "lost"]) as server:
        client = Client(histree, server)
        query = {"experiment": client.experiment()["UUID"], "view": "control-flow", "pixels": PIXELS}
        assert ran_longest(client, query) == [("init", 6_000_000), ("busy", 5_000_001)], ran_longest(client, query)


def page_and_protocol(histree, folder, hosts):
    with Server(histree, folder, [make(histree, folder, hosts)]) as server:
        client = Client(histree, server)
        names(client, hosts)  # while nobody has the tree of threads
        query = {"experiment": client.experiment()["UUID"], "view": "control-flow", "pixels": PIXELS}
        assert client.ask("GET", f"/api/v1/rows?{urllib.parse.urlencode(query)}")[0] == 200
        names(client, hosts)
        found(client, hosts)
        ran = ran_longest(client, query)
        assert sorted(ran) == sorted(len(hosts) * [("init", 20_000_001), ("carver", 10_000_000), ("potter", 10_000_000)]), ran


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for hosts in ["alone"], ["one", "two"]:
            tally.run("-".join(hosts), lambda: page_and_protocol(sys.argv[1], pathlib.Path(folder), hosts))
        tally.run("after losses", lambda: after_losses(sys.argv[1], pathlib.Path(folder)))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
