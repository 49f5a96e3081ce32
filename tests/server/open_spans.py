#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""open_spans.py HISTREE - a span that is open at the end of the trace is marked in the rows of the page and in the tips, of the
page and of the protocol; one that ends with it, or before it, is not.  Instants are in the row of their thread, or, if that
had no span, of its process."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import urllib.parse

from protocol import EXPLORER, Client
from serving import Server, Tally

OPEN = 4
EVENTS = [{"ph": "B", "ts": 0, "name": "Visit"}, {"ph": "X", "ts": 10, "dur": 20, "name": "greet"},
          {"ph": "B", "ts": 40, "name": "talk"}, {"ph": "X", "ts": 60, "dur": 40, "name": "listen"}]


def spans_of(client, uuid, **range_of):
    """By row, the spans that are marked."""
    content = client.ask("GET", "/api/v1/rows?" + urllib.parse.urlencode(
        {"experiment": uuid, "view": "attributes", "pixels": 100, **range_of}))[2]
    assert content[:4] == b"HTR1", content
    at, rows = 4, []
    while (count := struct.unpack_from("<I", content, at)[0]) != 0xffffffff:
        spans = [struct.unpack_from("<4HI", content, at + 4 + 12 * i) for i in range(count)]
        rows.append([(start, length) for start, length, _, more, _ in spans if more & OPEN])
        at += 4 + 12 * count
    return rows


def check(histree, folder):
    (folder / "spans.json").write_text(json.dumps([{"pid": 3, "tid": 4, **event} for event in EVENTS]))
    subprocess.run([histree, "build", "-q", folder / "spans.json", "-o", folder / "store"], check=True)
    with Server(histree, folder, [folder / "store"]) as server:
        client = Client(histree, server)
        uuid = client.experiment()["UUID"]
        whole = spans_of(client, uuid)
        marked = [row for row in whole if row]
        assert marked == [[(0, 100)], [(40, 60)]], whole
        assert not any(spans_of(client, uuid, **{"from": 0, "to": 90_000})), "the end is not in view"
        for depth, at, is_open in (1, 5_000, True), (2, 15_000, False), (2, 50_000, True), (3, 70_000, False):
            row = whole.index(marked[0]) - 1 + depth
            state = json.loads(client.ask("GET", "/api/v1/state?" + urllib.parse.urlencode(
                {"experiment": uuid, "view": "attributes", "row": row, "at": at}))[2])
            assert state.get("open", False) == is_open, (depth, at, state)
        entries = {one["labels"][0]: one["id"] for one in client.model(f"timeGraph/{EXPLORER}/tree")["entries"]}
        ends = [client.model(f"timeGraph/{EXPLORER}/tooltip", requested_times=[at], requested_items=[item],
                             requested_element={"elementType": "state", "time": at, "duration": 1}).get("Ending")
                for item in entries.values() for at in (15_000, 70_000)]
        assert ends.count("open at the end of the trace") == 3, (entries, ends)


def check_instants(histree, folder):
    """Threads 2 and 9 have a name and no span, so no row; neither has process 9, and its instant is in none."""
    threads = [{"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}} for pid, tid, name in ((1, 2, "two"), (9, 9, "nine"))]
    spans = [{"ph": "X", "name": "span", "pid": 1, "tid": tid, "ts": 10, "dur": 100} for tid in (1, 3)]
    instants = [{"ph": "i", "name": f"of {tid}", "pid": pid, "tid": tid, "ts": 50, "s": "t"} for pid, tid in ((1, 2), (1, 3), (9, 9))]
    (folder / "spans.json").write_text(json.dumps(threads + spans + instants))
    subprocess.run([histree, "build", "-q", folder / "spans.json", "-o", folder / "store"], check=True)
    with Server(histree, folder, [folder / "store"]) as server:
        client = Client(histree, server)
        page = json.loads(client.ask("GET", "/api/v1/arrows?" + urllib.parse.urlencode(
            {"experiment": client.experiment()["UUID"], "view": "spans", "pixels": 100}))[2])
        marks = sorted((one["name"], one["fromRow"], one["toRow"], one["fromName"]) for one in page["arrows"])
        assert marks == [("of 2", 0, 0, "1"), ("of 3", 2, 2, "3")], marks


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        tally.run("open spans", lambda: check(sys.argv[1], pathlib.Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        tally.run("instants", lambda: check_instants(sys.argv[1], pathlib.Path(folder)))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
