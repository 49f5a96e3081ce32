#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Samples and their stacks: random recordings in either byte order against a plain model (sample_recording.py): each sample with its
names, its stack, and sums of stacks in random windows, by event, thread, process and CPU; and what perf records here, if it may.

usage: check_samples.py HISTREE [no-names]
HISTREE_SEED and HISTREE_ROUNDS make recordings again.
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

import drawn_recordings
import sample_recording
import small_elf

HISTREE = str(pathlib.Path(sys.argv[1]).resolve())
CAN_NAME = sys.argv[2:] != ["no-names"]  # binaries can be read


def run(*words):
    done = subprocess.run([HISTREE, *map(str, words)], capture_output=True, text=True)
    assert done.returncode in (0, 1), (words, done.returncode, done.stderr)
    return done.stdout, done.returncode


def ask(*words):
    return run(*words)[0]


def rows(store, analysis):
    return json.loads(ask("segments", store, analysis, "--format", "json"))


def stacks_of(store):
    nodes = {row["stack"]: row for row in rows(store, "sample-stacks")}

    def names(number):
        out = []
        while number is not None:
            assert nodes[number]["parent"] is None or nodes[number]["parent"] < number
            out.append(nodes[number]["name"])
            number = nodes[number]["parent"]
        return tuple(out[::-1])
    return {number: names(number) for number in nodes}, nodes


def check_samples(recording, store):
    stacks, nodes = stacks_of(store)
    found = rows(store, "samples")
    found.sort(key=lambda row: row["start"])
    assert len(found) == len(recording.samples), (len(found), len(recording.samples))
    # Those of one time come in any order.
    def one(row):
        return (row["start"], row["event"], row["period"], row["pid"], row["tid"], row["cpu"], row["process"], row["thread"],
                stacks[row["stack"]], row["name"])
    def other(sample):
        return (sample.time, sample.event, sample.period, sample.pid, sample.tid, sample.cpu, sample.process, sample.thread,
                tuple(sample.frames), sample.frames[-1])
    found, expected = sorted(map(one, found), key=repr), sorted(map(other, recording.samples), key=repr)
    assert found == expected, [both for both in zip(found, expected) if both[0] != both[1]][:2]
    first, last, count = {}, {}, collections.Counter()
    for row in rows(store, "samples"):
        count[row["stack"]] += 1
        number = row["stack"]
        while number is not None:
            first[number] = min(first.get(number, row["start"]), row["start"])
            last[number] = max(last.get(number, row["start"]), row["start"])
            number = nodes[number]["parent"]
    for number, node in nodes.items():
        assert (node["start"], node["end"], node["samples"]) == (first[number], last[number], count[number]), node


def folded(text):
    sums = {}
    for line in text.splitlines():
        stack, _, weight = line.rpartition(" ")
        assert stack not in sums, stack
        sums[stack] = int(weight)
    return sums


def group_of(recording, sample, by):
    if by == "cpu":
        return "(not known)" if sample.cpu is None else f"CPU {sample.cpu}"
    number = sample.tid if by == "thread" else sample.pid
    return number


def named(recording, chosen, by):
    """Groups are called as they were last."""
    last = {}
    for sample in chosen:
        number = sample.tid if by == "thread" else sample.pid
        name = sample.thread if by == "thread" else sample.process
        last[number] = f"{name} ({number})" if name else str(number)
    return last


def check_window(recording, store, pick):
    begin, end = sorted(pick.choices(range(recording.begin, recording.end + 1), k=2))
    event = pick.choice([None] + [event[0] for event in recording.events])
    by = pick.choice([None, "thread", "process", "cpu"])
    counts, thread = pick.random() < 0.5, pick.choice([None, None, pick.choice(recording.samples).tid])
    chosen = [sample for sample in recording.samples if begin <= sample.time <= end and thread in (None, sample.tid)]
    by_event = collections.Counter(sample.event for sample in chosen)
    best = event or min(by_event, key=lambda name: (-by_event[name], name), default=None)
    groups = named(recording, chosen, by)
    expected = collections.Counter()
    for sample in chosen:
        if sample.event != best:
            continue
        group = group_of(recording, sample, by)
        words = ([str(groups.get(group, group))] if by else []) + sample.frames
        expected[";".join(words)] += 1 if counts else sample.period
    words = ["flame", store, "--folded", "--from", begin, "--to", end]
    words += ["--event", event] if event else []
    words += ["--by", by] if by else []
    words += ["--count"] if counts else []
    words += [thread] if thread is not None else []
    text, code = run(*words)
    assert folded(text) == dict(expected), (words, folded(text), expected)
    assert code == (0 if expected else 1), code


def drawn(pick, folder):
    root = folder / "root"
    binaries = [("[vdso]", b"", [], 0, 0x1000), ("//anon", b"", [], 0, 0x4000)]
    for i in range(3):
        offset, size = 0x1000 * pick.randint(1, 4), 0x4000
        functions = [(f"f{i}_{k}", offset + 0x400 * k, pick.choice([0x200, 0x400])) for k in range(16)]
        path, build_id = f"/usr/lib/lib{i}.so", bytes(pick.randrange(256) for _ in range(20))
        if i < 2 and CAN_NAME:  # the last one is not there
            small_elf.write(root / path[1:], functions, offset, offset + 0x1000 * pick.randint(0, 3), size, build_id)
        binaries.append((path, build_id, functions if i < 2 and CAN_NAME else [], offset, size))
    table = folder / "kallsyms"
    table.write_text("".join(f"{start:016x} t {name}\t[module]\n" for start, name in sample_recording.KERNEL_FUNCTIONS))
    has_kernel_names = pick.random() < 0.5
    recording = sample_recording.Recording(pick, binaries, has_kernel_names)
    recording.draw(pick.choice([1, 30, 400]))
    if not recording.samples:
        recording.sample()
    recording.write(folder / "perf.data")
    symbols = ["--symbols", root] + (["--symbols", table] if has_kernel_names else [])
    root.mkdir(exist_ok=True)
    ask("build", "-q", "--force", *symbols, "-o", folder / "store", folder / "perf.data")
    check_samples(recording, folder / "store")
    ask("verify", folder / "store")
    for _ in range(6):
        check_window(recording, folder / "store", pick)
    shutil.rmtree(root)


def recorded(folder):
    """As many samples as perf prints, each with the addresses that it prints.  False: perf may not record here."""
    data = folder / "own.data"
    words = ["perf", "record", "-q", "-F", "500", "-e", "cpu-clock", "-g", "-o", data, "--", sys.executable, "-c", "sum(range(3000000))"]
    if shutil.which("perf") is None or subprocess.run(words, capture_output=True).returncode != 0 or not data.exists():
        return False
    dump = subprocess.run(["perf", "script", "-D", "-i", data], capture_output=True, text=True).stdout
    samples = re.findall(r"^(\d+) .*PERF_RECORD_SAMPLE\(IP, \S+ \d+/(\d+):.*\n\.\.\. FP chain: nr:(\d+)", dump, re.M)
    if not samples:
        return False
    ask("build", "-q", "--force", "-o", folder / "own", data)
    found = sorted((row["start"], row["tid"]) for row in rows(folder / "own", "samples"))
    assert found == sorted((int(time), int(tid)) for time, tid, _ in samples), (len(found), len(samples))
    total = sum(folded(ask("flame", folder / "own", "--folded", "--count")).values())
    assert total == len(samples), (total, len(samples))
    return True


if __name__ == "__main__":
    sys.exit(drawn_recordings.check(6, drawn, recorded))
