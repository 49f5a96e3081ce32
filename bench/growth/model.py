#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
How a build of many hosts and a question to them grow with the ranks: formulas beside a simulation, from rates that
were measured and rates that are assumed, said apart; and the measured times of a few ranks beside what both say.

usage: model.py [--rates FILE] [--measured FILE] [--svg FILE]

RATES is a JSON object with members of struct Rates (cluster.py) that were measured, in bytes and seconds.
MEASURED is a table: ranks, what was throttled (none, disk=BYTES/S, link=BYTES/S), bytes of each host, seconds.
"""
import argparse
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cluster import Asking, Rates, ask, best_ranks, cut, formula, simulate, throttled  # noqa: E402
from plot import plot_svg  # noqa: E402

GB, MB = 1e9, 1e6
RANKS = (1, 4, 32, 128, 1000)


def many_hosts(count, total, spread, seed=1):
    """Sizes of traces: lognormal, as loads of machines are, with a given sum."""
    maker = random.Random(seed)
    sizes = [maker.lognormvariate(0, spread) for _ in range(count)]
    return [size * total / sum(sizes) for size in sizes]


def human(seconds):
    if seconds < 1:
        return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(*cells):
    row(*cells)
    row(*["---"] * len(cells))


def builds(title, label, hosts, rates, series):
    print(f"\n### {title}\n")
    head("ranks", "formula", "simulated", "times faster", "efficiency", "clock pass", "alone")
    one = simulate(hosts, 1, rates).seconds
    points = []
    for ranks in RANKS:
        low, high = formula(hosts, ranks, rates)
        outcome = simulate(hosts, ranks, rates)
        if not low * 0.999 <= outcome.seconds <= high * 1.001:
            sys.exit(f"{title}, {ranks} ranks: the simulation is outside the formula")
        row(ranks, f"{human(low)} to {human(high)}", human(outcome.seconds), f"{one / outcome.seconds:.1f}",
            f"{100 * outcome.efficiency:.0f} %", human(outcome.clocks), human(outcome.alone))
        points.append((ranks, one / outcome.seconds))
    series[label] = points


def questions(kinds):
    print("\n### Questions to 500 shards\n")
    head("question", *[f"{ranks} ranks" for ranks in RANKS], "best at")
    for name, (shards, asking) in kinds.items():
        row(name, *[human(ask(shards, ranks, asking)) for ranks in RANKS], best_ranks(shards, asking))


def compare(path, rates):
    """What was measured beside what the model says of it; the first row of one rank unthrottled sets the rate."""
    with open(path) as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("ranks")]
    print("\n### Measured beside the model\n")
    head("ranks", "throttled", "hosts", "measured", "formula", "simulated", "measured / simulated")
    for ranks, throttle, sizes, seconds in rows:
        hosts = [float(size) for size in sizes.split(",")]
        limits = {}
        if throttle != "none":
            what, rate = throttle.split("=")
            limits = {what: float(rate)} if what == "disk" else {"link": float(rate), "copies": True}
        here = throttled(rates, **limits)
        low, high = formula(hosts, int(ranks), here)
        simulated = simulate(hosts, int(ranks), here).seconds
        row(ranks, throttle, len(hosts), human(float(seconds)), f"{human(low)} to {human(high)}", human(simulated),
            f"{float(seconds) / simulated:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates")
    parser.add_argument("--measured")
    parser.add_argument("--svg")
    options = parser.parse_args()
    measured = {}
    if options.rates:
        with open(options.rates) as file:
            measured = json.load(file)
    rates = Rates(**{"build": 37 * MB, **measured})
    print("Measured here:", ", ".join(f"{name} {value:.4g}" for name, value in
                                      {"build": rates.build, **measured}.items()))
    series = {}
    even = many_hosts(500, 2000 * GB, 0.0)
    uneven = many_hosts(500, 2000 * GB, 0.8)
    local = throttled(rates, disk=2 * GB)
    shared = throttled(rates, shared_disk=10 * GB)
    small = throttled(rates, shared_disk=1 * GB)
    carried = throttled(local, link=1.25 * GB, shared_link=5 * GB, copies=True)
    builds("500 equal hosts, local disks", "equal hosts", even, local, series)
    builds("500 uneven hosts, local disks", "uneven hosts", uneven, local, series)
    builds("the same, cut in slices of 2 GB", "uneven, sliced", cut(uneven, 2 * GB, 0.05), local, series)
    builds("uneven, shards copied to one folder", "uneven, copied", uneven, carried, series)
    builds("uneven, one file server of 10 GB/s", "server of 10 GB/s", uneven, shared, series)
    builds("uneven, one file server of 1 GB/s", "server of 1 GB/s", uneven, small, series)
    questions({
        "one attribute, one time (one shard)": (1, Asking(shard=1e-6, message=5e-6, latency=50e-6)),
        "all attributes of all hosts, one time (20 MB)":
            (500, Asking(5e-3, 5e-6, 50e-6, answer=20 * MB, link=1.25 * GB, merge=4 * GB)),
        "2D, a thousand attributes (1 MB)":
            (500, Asking(200e-6, 5e-6, 50e-6, answer=1 * MB, link=1.25 * GB, merge=4 * GB)),
        "rows of a screen (2 MB)":
            (500, Asking(400e-6, 5e-6, 50e-6, answer=2 * MB, link=1.25 * GB, merge=4 * GB)),
    })
    if options.measured:
        compare(options.measured, rates)
    if options.svg:
        with open(options.svg, "w") as file:
            file.write(plot_svg("A build on many ranks", ("ranks", "times faster than one"), series, "xy"))


if __name__ == "__main__":
    main()
