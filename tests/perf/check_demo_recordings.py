#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The demo trace as recordings of perf: in both byte orders, as files, pipes and folders, compressed, in rounds of several
lengths.  Every interval that histree makes of each is that of tests/data/demo-states, which a model in Python computed
of the text of babeltrace2.  And with losses: what is not unknown is as without.

usage: check_demo_recordings.py HISTREE
"""
import gzip
import pathlib
import subprocess
import sys
import tempfile

import demo_events
import perf_data

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from data import sample  # noqa: E402

STATES = pathlib.Path(__file__).parents[1] / "data/demo-states"
CLOCK = (demo_events.OFFSET + 5000, 5000)


def states(histree, folder, name, data, *options):
    """What `histree states` prints of the states of two analyses, and what the build says."""
    path, store = folder / name, folder / "store"
    if isinstance(data, dict):  # a folder
        path.mkdir()
        for file, part in data.items():
            (path / file).write_bytes(part)
    else:
        path.write_bytes(data)
    built = subprocess.run([histree, "build", "-f", "-a", "kernel,kernel-tc", *options, "-o", store, path],
                           stderr=subprocess.PIPE, text=True, check=False)
    if built.returncode != 0:
        return {}, built.stderr
    return {analysis: subprocess.run([histree, "states", store, "-a", analysis, "--format", "tsv"], check=True,
                                     stdout=subprocess.PIPE).stdout for analysis in ("kernel", "kernel-tc")}, built.stderr


def recordings():
    for big in (False, True):
        order = "big" if big else "little"
        recording, entries = demo_events.demo(big=big)
        for step in (10**9, 3 * 10**6, 20000):
            records = recording.records(demo_events.rounds(entries, step))
            yield f"{order}-file-{step}", recording.file(records, clock=CLOCK)
        yield f"{order}-pipe", recording.pipe(records, clock=CLOCK)
        whole = recording.records([[record for _, _, record in entries]])[:-8]  # no end of a round at all
        yield f"{order}-no-rounds", recording.file(whole, clock=CLOCK)
        parts = [b"".join(record for of, _, record in entries if of == cpu) for cpu in range(recording.cpus)]
        yield f"{order}-threads", recording.folder(parts, recording.finished_round(), clock=CLOCK)
        if perf_data.can_pack():
            packed = [perf_data.Packer(recording)(part) for part in parts]
            yield f"{order}-threads-packed", recording.folder(packed, recording.finished_round(), clock=CLOCK, compressed=True)
            for second in (False, True):
                packed = recording.records(demo_events.rounds(entries, 3 * 10**6),
                                           perf_data.Packer(recording, second, 1000 if second else 60000))
                yield f"{order}-packed-{1 + second}", recording.file(packed, clock=CLOCK, compressed=True)
                yield f"{order}-packed-pipe-{1 + second}", recording.pipe(packed, clock=CLOCK, compressed=True)
    recording, entries = demo_events.demo(extra=perf_data.CALLCHAIN | perf_data.READ)
    yield "chains", recording.file(recording.records(demo_events.rounds(entries, 10**6)), clock=CLOCK)


def with_loss():
    """Events of one CPU are left out, and a record says so."""
    recording, entries = demo_events.demo()
    mine = [i for i, entry in enumerate(entries) if entry[0] == 1]
    gone = mine[len(mine) // 3:len(mine) // 2]
    last = entries[gone[-1] + 1]
    lost = (1, last[1], recording.lost(1, last[1], len(gone)))
    kept = entries[:gone[0]] + [lost] + entries[gone[-1] + 1:]
    return len(gone), recording.file(recording.records(demo_events.rounds(kept, 10**6)), clock=CLOCK)


def intervals(text):
    for line in text.decode().splitlines()[1:]:
        path, start, end, kind, value = line.split("\t")
        yield path, int(start), int(end), kind, value


def size_of(data):
    return sum(map(len, data.values())) if isinstance(data, dict) else len(data)


def check_loss(histree, folder, expected):
    count, data = with_loss()
    found, said = states(histree, folder, "loss", data)
    whole = {}
    for path, start, end, kind, value in intervals(expected["kernel"]):
        whole.setdefault(path, []).append((start, end, kind, value))
    unknown = wrong = 0
    begin = min(spans[0][0] for spans in whole.values())
    for path, start, end, kind, value in intervals(found.get("kernel", b"")):
        if kind == "unknown":
            unknown += 1
            continue
        if kind == "null" and start == begin:  # nobody had heard of it
            continue
        for other_start, other_end, other_kind, other_value in whole.get(path, []):
            if other_start <= end and other_end >= start and (other_kind, other_value) != (kind, value) and \
                    other_kind != "unknown":
                wrong += 1
                break
    ok = found and unknown > 0 and wrong == 0 and f"lost {count} events" in said
    print(f"{'ok' if ok else 'not ok'} loss: {unknown} intervals unknown, {wrong} wrong{'' if ok else ': ' + said}",
          flush=True)
    return not ok


def main():
    histree = sys.argv[1]
    expected = {analysis: gzip.decompress((STATES / f"{analysis}.tsv.gz").read_bytes())
                for analysis in ("kernel", "kernel-tc")}
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for name, data in sample(recordings()):
            found, said = states(histree, folder, name, data)
            if "built without zstd" in said:
                continue
            ok = found == expected
            failed += not ok
            print(f"{'ok' if ok else 'not ok'} {name}: {size_of(data)} bytes{'' if ok else ': ' + said}", flush=True)
        failed += check_loss(histree, folder, expected)
    sys.exit(failed > 0)


main()
