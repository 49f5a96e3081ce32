#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds that are killed while overviews are made, and overviews that are damaged.

    killed_overviews.py HISTREE

What goes on from there, '--resume', '--force' or a repair, makes the histories, the overviews of numbers and of sums,
the cube and the others that a build without a kill makes, byte by byte but for identities, and leaves nothing else behind.
So it is with the file of names, where threads are not renamed all the time.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from data import QUICK, sample

# More than 1 Mi states, of which priorities are numbers, and what threads and CPUs do are statuses.
EVENTS, THREADS = 170000, 20
KILLED_AT = ("sums",) if QUICK else ("numbers", "sums", "cube", "overview1", "overview2")


# Threads with names of their own, of which some live shortly: that there are 1 Mi states takes more events.
EVENTS_WITH_NAMES, EVENTS_OF_SHORT = 230000, 1000


def write_switches(path):
    with open(path, "w") as file:
        file.write("time,name,cpu,prev_tid,next_tid,prev_comm,next_comm,prev_prio,next_prio,prev_state\n")
        for i in range(EVENTS):
            last, now = 100 + (i - 2) % THREADS, 100 + i % THREADS
            file.write(f"{10**9 + i * 1000},sched_switch,{i % 2},{last},{now},a,b,{i * 7 % 90},{i * 11 % 90},0\n")


def write_named_switches(path):
    def thread_of(i):
        return 100 + i % THREADS if i % THREADS != 7 else 1000 + i // EVENTS_OF_SHORT

    with open(path, "w") as file:
        file.write("time,name,cpu,prev_tid,next_tid,prev_comm,next_comm,prev_prio,next_prio,prev_state\n")
        for i in range(EVENTS_WITH_NAMES):
            last, now = thread_of(i - 2), thread_of(i)
            file.write(f"{10**9 + i * 1000},sched_switch,{i % 2},{last},{now},t{last},t{now},{i * 7 % 90},{i * 11 % 90},0\n")


def run(*words, allowed=(0,)):
    result = subprocess.run([str(word) for word in words], capture_output=True)
    if result.returncode not in allowed:
        sys.exit(f"{words[1:]} ends with {result.returncode}: {result.stdout[:500]!r} {result.stderr[:500]!r}")
    return result.stdout


def content(histree, store):
    """What the store's files are, whatever their identities."""
    files = sorted(file.name for file in store.iterdir())
    return files, [run(histree, "states", store / name, "--format", "tsv") for name in files if ".sht" in name]


def kill_at(histree, store, trace, name):
    """Kills a build when it begins a file; it has no name of its own yet."""
    file = pathlib.Path(f"{store}.building") / f"kernel.sht.{name}"
    build = subprocess.Popen([histree, "build", "-q", "-a", "kernel", "-o", store, trace])
    while build.poll() is None and not file.exists():
        time.sleep(0.001)
    build.kill()
    if build.wait() >= 0:
        sys.exit(f"the build ended before it was killed at {file.name}")


def damage_is_mended(histree, whole, store, expected):
    """A damaged overview of numbers or of sums, or cube, is found by verify, which names repair; that makes a sound one."""
    shutil.rmtree(store, ignore_errors=True)
    shutil.copytree(whole, store)
    for name in ("numbers", "sums", "cube"):
        with open(store / f"kernel.sht.{name}", "r+b") as file:
            file.seek(5000)
            file.write(bytes(100))
    faults = run(histree, "verify", store, allowed=(1,))
    run(histree, "copy", "--repair", store, allowed=(0, 1))
    repaired = pathlib.Path(f"{store}.repaired")
    run(histree, "verify", repaired)
    names = (b"kernel.sht.numbers", b"kernel.sht.sums", b"kernel.sht.cube", b"histree copy --repair")
    are_named = all(name in faults for name in names)
    return are_named and content(histree, repaired) == expected


def names_are_as_made(histree, folder):
    """Whatever befalls a build, an addition or a store, the file of names is what one build makes of the same history."""
    trace, whole, store = (folder / name for name in ("named.csv", "named", "again"))
    repaired, file = pathlib.Path(f"{store}.repaired"), "kernel.sht.names"
    write_named_switches(trace)
    run(histree, "build", "-q", "-a", "kernel", "-o", whole, trace)
    expected = run(histree, "states", whole / file, "--format", "tsv")

    def is_so(name, which=store):
        run(histree, "verify", which)
        if run(histree, "states", which / file, "--format", "tsv") == expected:
            return True
        print(f"after {name} there is another file of names")
        return False

    def begin(name=None):
        shutil.rmtree(store, ignore_errors=True)
        if name is None:
            shutil.copytree(whole, store)
        else:
            kill_at(histree, store, trace, name)

    begin("cube")
    run(histree, "build", "-q", "-a", "kernel", "-o", store, "--resume", trace)
    is_well = is_so("--resume")
    shutil.rmtree(store)
    run(histree, "build", "-q", "-a", "switches", "-o", store, trace)
    run(histree, "add", "-q", store, "kernel")
    is_well &= is_so("add")
    run(histree, "copy", "--force", whole, store)
    is_well &= is_so("copy")
    begin()
    with open(store / file, "r+b") as names:
        names.seek(9000)
        names.write(bytes(100))
    if file.encode() not in run(histree, "verify", store, allowed=(1,)):
        print("a damaged file of names is not told")
        is_well = False
    run(histree, "copy", "--repair", store, allowed=(0, 1))
    return is_so("a repair", repaired) and is_well


def main():
    histree = sys.argv[1]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        trace, whole, store = (pathlib.Path(folder) / name for name in ("switches.csv", "whole", "store"))
        write_switches(trace)
        run(histree, "build", "-q", "-a", "kernel", "-o", whole, trace)
        expected = content(histree, whole)
        if not {"kernel.sht.numbers", "kernel.sht.sums", "kernel.sht.cube", "kernel.sht.overview1"} <= set(expected[0]):
            sys.exit("the history has no overviews")
        for name in KILLED_AT:
            for how in sample(("--resume", "--force", "repair")):
                shutil.rmtree(store, ignore_errors=True)
                kill_at(histree, store, trace, name)
                if how == "repair":
                    run(histree, "copy", "--repair", store, allowed=(0, 1))  # it says that there was damage
                    pathlib.Path(f"{store}.repaired").rename(store)
                    shutil.rmtree(f"{store}.building")
                else:
                    run(histree, "build", "-q", "-a", "kernel", "-o", store, how, trace)
                run(histree, "verify", store)
                files, dumps = content(histree, store)
                wanted = [file for file in expected[0] if how != "repair" or file != "events.idx"]
                is_same = [file for file in files if how != "repair" or file != "events.idx"] == wanted
                if not is_same or dumps != expected[1] or pathlib.Path(f"{store}.building").exists():
                    print(f"killed at {name}, then {how}: {files} instead of {expected[0]}, or other contents")
                    failed += 1
        if not damage_is_mended(histree, whole, store, expected):
            print("a damaged overview is not mended")
            failed += 1
        failed += not names_are_as_made(histree, pathlib.Path(folder))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
