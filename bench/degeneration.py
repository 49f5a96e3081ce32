#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Build one trace with each variant of the tree and print depth, nodes, fill and size next to what the papers print:
table I of the eSHT paper (another trace: 10,000 threads) and table 4.2 of the thesis (many-threads itself).

The papers' intervals take about 26 bytes, ours about half of that, so a node of the same size holds twice as
many and the classic tree degenerates less deep; --node-size 32K brings about the papers' number per node.

usage: degeneration.py HISTREE TRACE [--analysis kernel-2016] [--node-size 64K] [--fan-out 50]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

ROWS = [
    # name, options, table I (nodes, MiB, fill %, depth), table 4.2 (depth, MiB, build ms)
    ("SHT", ["-t", "sht"], (23716, 1486, 9, 206), (45, 86.31, 1925)),
    ("oSHT", ["-t", "osht"], None, (3, 21.87, 1812)),
    ("eSHT", ["-t", "esht"], (2788, 178, 95, 7), (3, 21.44, 1762)),
    ("R2", ["-t", "rsht", "--r-depth", "2"], None, (3, 20.87, 6604)),
    ("R3", ["-t", "rsht", "--r-depth", "3"], None, (3, 20.81, 8926)),
    ("R4", ["-t", "rsht", "--r-depth", "4"], None, None),
    ("vR", ["-t", "vrsht"], None, (3, 21.00, 6546)),
]


def build(options, arguments, store):
    begun = time.monotonic()
    subprocess.run(
        [options.histree, "build", "--quiet", "--force", "-o", store, "-a", options.analysis, "--node-size",
         options.node_size, "--fan-out", options.fan_out, *arguments, options.trace],
        check=True, stdin=subprocess.DEVNULL)
    seconds = time.monotonic() - begun
    text = subprocess.run([options.histree, "info", store, "--format", "json"], check=True, stdout=subprocess.PIPE)
    return seconds, json.loads(text.stdout)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histree")
    parser.add_argument("trace")
    parser.add_argument("--analysis", default="kernel-2016")
    parser.add_argument("--node-size", default="64K")
    parser.add_argument("--fan-out", default="50")
    options = parser.parse_args()

    print(f"{os.path.basename(options.trace)}, {options.analysis}, nodes of {options.node_size}, "
          f"fan-out {options.fan_out}")
    print(f"{'':5} | {'histree':^53} | {'thesis, table 4.2':^21} | {'eSHT paper, table I':^27}")
    print(f"{'':5} | {'depth':>5} {'nodes':>6} {'fill':>6} {'MiB':>7} {'of SHT':>6} {'B/interval':>10} {'build ms':>7}"
          f" | {'depth':>5} {'MiB':>6} {'build ms':>8} | {'depth':>5} {'nodes':>6} {'fill':>5} {'MiB':>6}")
    classic = None
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments, table1, table42 in ROWS:
            seconds, info = build(options, arguments, os.path.join(folder, "store"))
            size = info["file_bytes"]
            classic = classic or size
            line = (f"{name:5} | {info['depth']:5} {info['node_count']:6} {info['node_fill_percent']:5.1f}% "
                    f"{size / 2**20:7.2f} {size / classic:6.2f} {info['bytes_per_interval']:10.2f} "
                    f"{1000 * seconds:8.0f}")
            line += f" | {table42[0]:5} {table42[1]:6.2f} {table42[2]:8}" if table42 else f" | {'':21}"
            line += f" | {table1[3]:5} {table1[0]:6} {table1[2]:4}% {table1[1]:6}" if table1 else " |"
            print(line.rstrip(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
