#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
CTF 2 against CTF 1.8 and against what was encoded: the same events, with all that is in their fields.

usage: check_ctf2.py PRINT_VALUES [TRACE]...

Each TRACE that is there, and HISTREE_ROUNDS random ones of CTF 1.8, have a twin in CTF 2 that must print the same.
As many random traces of CTF 2, with the field classes that 1.8 lacks, must print what was put into them.
HISTREE_SEED is the seed of the first.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "support"))
import random_ctf2  # noqa: E402 (beside this file)
import random_traces  # noqa: E402
import twin  # noqa: E402
from data import QUICK  # noqa: E402


class Checker:
    def __init__(self, program):
        self.program, self.faults, self.traces, self.events = program, 0, 0, 0

    def printed(self, folder):
        """What it says of a trace: its events, and its warnings, in which the folder has no name."""
        done = subprocess.run([self.program, "."], capture_output=True, cwd=folder, check=False, timeout=600)
        return done.returncode, done.stdout, done.stderr

    def compare(self, name, got, wanted):
        self.traces += 1
        self.events += wanted[1].count(b"\n")
        if got == wanted:
            return
        self.faults += 1
        print("%s: exit %d for %d: %s" % (name, got[0], wanted[0], got[2][-300:].decode(errors="replace")))
        for number, (one, other) in enumerate(zip(got[1].splitlines(), wanted[1].splitlines())):
            if one != other:
                print("event %d is\n  %r\nand not\n  %r" % (number, one[:600], other[:600]))
                break

    def check_twin(self, name, trace):
        with tempfile.TemporaryDirectory() as folder:
            twin.make(trace, folder)
            self.compare("the twin of " + name, self.printed(folder), self.printed(trace))

    def check_made(self, seed):
        with tempfile.TemporaryDirectory() as folder:
            lines = random_ctf2.make(folder, seed)
            self.compare("HISTREE_SEED=%d, CTF 2" % seed, self.printed(folder),
                         (0, "".join(line + "\n" for line in lines).encode(), b""))


def main():
    checker = Checker(os.path.abspath(sys.argv[1]))
    for trace in sys.argv[2:]:
        if os.path.exists(os.path.join(trace, "metadata")):
            checker.check_twin(trace, trace)
    first = int(os.environ.get("HISTREE_SEED", "1"))
    for seed in range(first, first + int(os.environ.get("HISTREE_ROUNDS", 30 if QUICK else 300))):
        with tempfile.TemporaryDirectory() as folder:
            random_traces.make(folder, seed)
            checker.check_twin("HISTREE_SEED=%d" % seed, folder)
        checker.check_made(seed)
    print("%d traces of CTF 2, %d events: %d differ" % (checker.traces, checker.events, checker.faults))
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
