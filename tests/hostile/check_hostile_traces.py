#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Traces that somebody made to do harm: each build ends soon, in little memory, with a sentence or a store that verifies.

usage: check_hostile_traces.py [OPTION]... HISTREE [CASE]...

The cases of cases.py, and random changes of a small trace, ROUNDS of them, that SEED makes again.  Each is built in a
process of its own.  It is a finding if that process is ended by a signal, takes longer than SECONDS of processor time
for each BYTES_IN_TIME of the trace (or thirty times that by the clock) or more than MEGABYTES, fails as by a fault of its own (exit 4 and above), or leaves
a store that does not verify.
"""
import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))

import cases  # noqa: E402 (beside this file)
import mutate  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "support"))
from data import QUICK  # noqa: E402

# A quick run (HISTREE_TESTS) tries a fourth of the cases.
EXITS = (0, 1, 2, 3)
BYTES_IN_TIME = 10_000_000


def size_of(folder):
    return sum(entry.stat(follow_symlinks=False).st_size for entry in os.scandir(folder))


class Run:
    """A command that has ended, and what it cost."""

    def __init__(self, command, seconds, address_space):

        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            if address_space:
                resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

        begun = time.monotonic()
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
                                       preexec_fn=limit)
            self.hung = False
            while True:
                pid, status, used = os.wait4(process.pid, os.WNOHANG)
                if pid != 0:
                    break
                if time.monotonic() - begun > 30 * seconds:
                    self.hung = True
                    process.kill()
                time.sleep(0.002)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            self.said = said.read(4000).decode(errors="replace")
        self.exit = process.returncode
        self.seconds = used.ru_utime + used.ru_stime
        self.megabytes = used.ru_maxrss / 1024

    def finding(self, seconds, megabytes):
        """What is wrong with it; None if nothing is."""
        if self.hung:
            return "hangs"
        if self.seconds > seconds:
            return f"takes {self.seconds:.1f} s"
        if self.exit < 0:
            return f"is ended by signal {-self.exit}: {self.said[-300:]}"
        if self.exit not in EXITS:
            return f"exits with {self.exit}: {self.said[-300:]}"
        if self.megabytes > megabytes:
            return f"takes {self.megabytes:.0f} MB"
        if self.exit != 0 and not self.said.startswith("histree: "):
            return f"exits with {self.exit} and says {self.said[:200]!r}"
        return None


class Trial:
    """What was tried, and what was found."""

    def __init__(self, options):
        self.options = options
        self.tried, self.findings, self.stores = 0, [], 0
        self.slowest, self.largest = (0, ""), (0, "")

    def run(self, path, *command):
        """Run it on a trace, or its store: its work is bounded by the bytes that the trace has."""
        options = self.options
        seconds = options.seconds * max(1, size_of(path) / BYTES_IN_TIME)
        run = Run([options.histree, *command], seconds, 4 << 30 if not options.sanitized else None)
        return run, run.finding(seconds, options.megabytes)

    def try_trace(self, name, make):
        folder = tempfile.mkdtemp(prefix="hostile-")
        try:
            path, store = os.path.join(folder, "trace"), os.path.join(folder, "store")
            make().write(path)  # and let it go: memory of this process at a fork counts as that of the command
            finding = self.build(name, path, store)
            self.tried += 1
            if finding is None:
                return
            self.findings.append(name)
            print(f"{name}: {finding}", flush=True)
            if self.options.keep:
                shutil.copytree(path, os.path.join(self.options.keep, name), dirs_exist_ok=True)
        finally:
            shutil.rmtree(folder)

    def build(self, name, path, store):
        run, finding = self.run(path, "build", "-o", store, path)
        self.slowest = max(self.slowest, (run.seconds, name))
        self.largest = max(self.largest, (run.megabytes, name))
        if finding is None and run.exit == 0 and not os.path.isdir(store):
            finding = "exits with 0 and makes no store"
        if finding is None and os.path.isdir(store):
            self.stores += 1
            run, finding = self.run(path, "verify", store)
            finding = f"verify: {finding}" if finding is not None else None
            if finding is None and run.exit != 0:
                finding = f"makes a store that does not verify: {run.said[-300:]}"
        if finding is None and os.path.exists(store + ".building"):
            finding = "leaves STORE.building behind"
        return finding


def options_of_command():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histree")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    parser.add_argument("--rounds", type=int, default=0, help="so many random changes; HISTREE_ROUNDS goes before")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("HISTREE_SEED", "1")))
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--megabytes", type=float, default=256)
    parser.add_argument("--sanitized", action="store_true", help="the program reserves address space: set no limit")
    parser.add_argument("--keep", metavar="FOLDER", help="keep traces that found something")
    parser.add_argument("--make", metavar="FOLDER", help="only write the traces")
    return parser.parse_args()


def chosen_traces(options):
    """Names and functions that make the traces."""
    for place, (name, make) in enumerate(cases.CASES.items()):
        if options.cases and name not in options.cases:
            continue
        if QUICK and not options.cases and (place + options.seed) % 4 != 0:
            continue
        yield name, make
    for number in range(options.rounds if not options.cases else 0):
        seed = f"{options.seed}-{number}"
        yield f"seed-{seed}", lambda seed=seed: mutate.mutated(random.Random(seed))
    for name in options.cases:
        if name.startswith("seed-"):
            yield name, lambda seed=name[5:]: mutate.mutated(random.Random(seed))


def main():
    options = options_of_command()
    options.rounds = int(os.environ.get("HISTREE_ROUNDS", options.rounds // 3 if QUICK else options.rounds))
    if options.sanitized:
        options.megabytes *= 4
    if options.list:
        print("\n".join(cases.CASES))
        return 0
    trial = Trial(options)
    for name, make in chosen_traces(options):
        if options.make:
            make().write(os.path.join(options.make, name))
        else:
            trial.try_trace(name, make)
    print(f"{trial.tried} traces (seed {options.seed}), {trial.stores} stores, {len(trial.findings)} findings; "
          f"slowest {trial.slowest[0]:.2f} s ({trial.slowest[1]}), largest {trial.largest[0]:.0f} MB "
          f"({trial.largest[1]})")
    return 1 if trial.findings else 0


if __name__ == "__main__":
    sys.exit(main())
