# SPDX-License-Identifier: MIT
"""What checks of recordings have in common: so many that are drawn by a seed, which is printed if one fails, and one that
perf makes here, if it may."""
import os
import pathlib
import random
import tempfile


def check(rounds, drawn, recorded):
    """drawn(random, folder) asserts; recorded(folder) too, and returns whether perf may record."""
    seed, rounds = int(os.environ.get("HISTREE_SEED", "20260101")), int(os.environ.get("HISTREE_ROUNDS", str(rounds)))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number in range(seed, seed + rounds):
            try:
                drawn(random.Random(number), folder)
            except AssertionError:
                print(f"HISTREE_SEED={number}")
                raise
        print("also what perf records here" if recorded(folder) else "perf may not record here")
    return 0
