#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Intervals into Python beside the same query in C, in one process and in turns: measure.py [ROWS [RUNS]]

It needs numpy, pandas and a C compiler.  HISTREE_LIBRARY names the folder of the library (of a release), as ever.  The
history has ROWS states (1,000,000) of 1,000 attributes.  Prints TSV: what, rows, the median of seconds of processor
time over RUNS (9), its ratio to `C, every interval`, and millions of rows a second.
"""
import ctypes
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "python"))
import histree  # noqa: E402
from histree import _abi, _library  # noqa: E402

PLAIN = ["quark", "start", "end", "value"]


def make(path, rows):
    """A history of ints, seven tenths of them small codes."""
    chance, count = random.Random(1), 1000
    with histree.StateSystem(path) as system:
        quarks = [system.attribute(f"Threads/{i}/Status") for i in range(count)]
        now = {quark: 0 for quark in quarks}
        batch = []
        for i in range(rows):
            quark = quarks[i % count]
            start = now[quark]
            now[quark] = start + chance.randrange(500_000, 1_500_000)
            batch.append((quark, start, now[quark] - 1, histree.Int(chance.randrange(8))))
            if len(batch) == 50_000:
                system.insert_many(batch)
                batch.clear()
        system.insert_many(batch)
        system.close(max(now.values()) - 1).close()


def c_functions(folder):
    out = folder / "c_query.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", str(HERE.parent.parent / "include"), "-o", str(out),
                    str(HERE / "c_query.c"), str(_library.folder / "libhistree.so")], check=True)
    return ctypes.CDLL(str(out))


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        make(folder / "states.sht", rows)
        history = histree.open(folder / "states.sht", cache_bytes=1 << 30)
        c = c_functions(folder)
        for name in ("c_read", "c_arrays", "c_batches"):
            getattr(c, name).restype = ctypes.c_int64
        address, total = ctypes.c_void_p(history._use().address), ctypes.c_int64()
        bits = ctypes.c_uint64(sum(_abi.ARROW_COLUMNS[each] for each in PLAIN))

        def sums(columns):
            return len(columns["start"]), int((columns["start"] ^ columns["end"]).sum())

        def c_call(function, *arguments):
            count = function(address, *arguments, ctypes.byref(total))
            return count, total.value

        def arrays(columns):
            return [[batch.numpy(name) for name in batch.names] for batch in history.states(columns=columns).batches()]

        def over_batches():
            count = value = 0
            for batch in history.states(columns=PLAIN).batches():
                start, end = batch.numpy("start"), batch.numpy("end")
                count, value = count + len(batch), value + int((start ^ end).sum())
            return count, value

        def of_pandas(frame):
            return len(frame), None

        ways = [
            ("C, every interval", lambda: c_call(c.c_read)),
            ("C, into arrays that grow", lambda: c_call(c.c_arrays)),
            ("C, batches of 4 columns", lambda: (c_call(c.c_batches, bits)[0], None)),
            ("C, batches of all 10 columns", lambda: (c_call(c.c_batches, ctypes.c_uint64(0))[0], None)),
            ("numpy, arrays of all batches, 4 columns", lambda: (sum(len(each[0]) for each in arrays(PLAIN)), None)),
            ("numpy, arrays of all batches, all 10 columns", lambda: (sum(len(each[0]) for each in arrays(None)), None)),
            ("numpy, summed batch by batch, 4 columns", over_batches),
            ("numpy, to_numpy(), 4 columns", lambda: sums(history.states(columns=PLAIN).to_numpy())),
            ("numpy, to_numpy(), all 10 columns", lambda: sums(history.states().to_numpy())),
            ("pandas, to_pandas(), 4 columns", lambda: of_pandas(history.states(columns=PLAIN).to_pandas())),
            ("pandas, to_pandas(), all 10 columns", lambda: of_pandas(history.states().to_pandas())),
            ("rows, len(list(...)), 4 columns", lambda: (len(list(history.states(columns=PLAIN))), None)),
            ("rows, len(list(...)), all columns", lambda: (len(list(history.states())), None)),
        ]
        seconds = {name: [] for name, _ in ways}
        expected = None
        for run in range(runs + 1):
            for name, way in ways:
                if run > 3 and name.startswith("rows"):
                    continue  # three are enough of the slow ones
                begin = time.process_time()
                answer = way()
                taken = time.process_time() - begin
                expected = expected or answer
                if answer[0] != expected[0] or answer[1] not in (None, expected[1]):
                    sys.exit(f"{name}: {answer}, and C says {expected}")
                if run > 0:  # the first one fills the cache
                    seconds[name].append(taken)
        base = statistics.median(seconds[ways[0][0]])
        print("what\trows\tseconds\ttimes_of_C\tmillion_rows_per_s")
        for name, _ in ways:
            median = statistics.median(seconds[name])
            print(f"{name}\t{expected[0]}\t{median:.4f}\t{median / base:.2f}\t{expected[0] / median / 1e6:.1f}")
        print(f"load average {os.getloadavg()[0]:.1f}", file=sys.stderr)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
