# SPDX-License-Identifier: MIT
"""What support/data.h and support/effort.h are to programs in C: where data lies, and whether a sample is enough."""
import os
import pathlib
import random

SOURCE = pathlib.Path(os.environ.get("HISTREE_SOURCE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
QUICK = os.environ.get("HISTREE_TESTS") == "quick"


def sample(cases, step=3):
    """
    All of these, or one of `step` of them in a quick run.  HISTREE_SAMPLE says which, where the same cases are run
    more than once: a number draws a quarter as many in a quick run, `rest` takes in a full one what a quick one leaves.
    """
    cases, which = list(cases), os.environ.get("HISTREE_SAMPLE", "")
    if which == "rest" and not QUICK:
        return [case for place, case in enumerate(cases) if place % step != 0]
    if which.isdigit() and QUICK:
        drawn = random.Random(int(which)).sample(range(len(cases)), -(-len(cases) // (4 * step)))
        return [cases[place] for place in sorted(drawn)]
    return cases[::step] if QUICK else cases


def without_processes(states):
    """What `histree states` prints, for a form of the same trace that does not say of which process a thread is."""
    return b"".join(line for line in states.splitlines(keepends=True) if b"/PID\t" not in line)


def shared(name):
    """`name` below the folder HISTREE_SHARED, else below `shared` beside the sources; None if it is not there."""
    path = pathlib.Path(os.environ.get("HISTREE_SHARED", SOURCE.parent / "shared")) / name
    return path if path.exists() else None
