#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Disks and what threads read and wrote: the analysis `io`, line for line equal to what Trace Compass made of the traces, but for
what disks are called: 8:0 where it has the number 8388608.

usage: check_io.py HISTREE TRACE...
Exit: 0 equal, 1 different, 77 nothing to compare with.
"""
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "support")]
from data import shared  # noqa: E402


def called(line):
    """A line of Trace Compass, whose disk is called by its major and minor numbers."""
    return re.sub(rb"(?<=^Disks/)\d+", lambda device: b"%d:%d" % (int(device[0]) >> 20, int(device[0]) & 0xfffff), line)


def main():
    histree, *traces = sys.argv[1:]
    oracle, wrong, compared = shared("oracle"), False, 0
    with tempfile.TemporaryDirectory() as folder:
        for trace in traces:
            at, name = shared(trace), pathlib.Path(trace).name
            if oracle is None or at is None or not (oracle / f"{name}.io.tsv.gz").exists():
                continue
            store = f"{folder}/{name}.histree"
            subprocess.run([histree, "build", "--quiet", "-a", "io", "-o", store, at], check=True)
            found = subprocess.run([histree, "states", store, "-a", "io", "--format", "tsv"], check=True,
                                   capture_output=True).stdout
            wanted = gzip.decompress((oracle / f"{name}.io.tsv.gz").read_bytes())
            compared += 1
            found, wanted = sorted(found.splitlines()), sorted(called(line) for line in wanted.splitlines())
            if found != wanted:
                different = set(found) ^ set(wanted)
                print(f"{name}: {len(different)} lines differ:", sorted(different)[:5])
                wrong = True
    if compared == 0:
        print("there are no states of Trace Compass to compare with")
        return 77
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
