#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Random layouts of types, read by histree and by libbabeltrace2: the same events, numbers, texts, and ends.

usage: check_random.py DIFFERENTIAL [TRACE]...

HISTREE_ROUNDS traces are made, and HISTREE_SEED is the seed of the first.  TRACES are compared too, if they are
there; they are sound.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "support"))
import random_traces  # noqa: E402 (beside this file)
from data import QUICK  # noqa: E402


def main():
    program = sys.argv[1]
    traces = [path for path in sys.argv[2:] if os.path.exists(os.path.join(path, "metadata"))]
    outcome = subprocess.run([program, *traces], check=False).returncode if traces else 0
    if outcome == 77:
        return 77
    failed = outcome != 0
    first = int(os.environ.get("HISTREE_SEED", "1"))
    rounds = int(os.environ.get("HISTREE_ROUNDS", 60 if QUICK else 600))
    fallen = 0
    for seed in range(first, first + rounds):
        with tempfile.TemporaryDirectory() as folder:
            random_traces.make(folder, seed)
            done = subprocess.run([program, "-d", folder], capture_output=True, text=True, check=False, timeout=120)
            if done.returncode < 0 and "Assertion" in done.stderr and "ctf-meta" in done.stderr:
                fallen += 1  # libbabeltrace2 2.0 does not survive every reference out of nested types
            elif done.returncode != 0:
                failed = True
                print("HISTREE_SEED=%d: exit %d: %s" % (seed, done.returncode, done.stderr[-400:]))
    print("%d traces made, %d of which ended libbabeltrace2" % (rounds, fallen))
    return 1 if failed or fallen > rounds / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
