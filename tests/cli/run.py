#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the command and compare what it says: run.py [--accept] HISTREE [CASE]...

A case is a script cases/NAME.sh. Beside it lies what it must print: NAME.stdout and NAME.stderr, byte for byte, or
NAME.stdout.glob and NAME.stderr.glob, where each line is a pattern with * and ?; where there is neither, it
prints nothing. NAME.exit has the exit status if that is not 0. A script that exits with 77 is skipped.

A script runs with bash in an empty folder, as many at a time as there are processors. `histree` is the command; $DATA
is tests/data; $STORE is a store of $DATA/demo-trace with few analyses, to be read only. `try COMMAND...` prints the command, all that it
says, and its exit status. A quick run (HISTREE_TESTS) tries an eighth of the cases.
--accept makes what was printed the expectation (patterns are left alone).
"""
import concurrent.futures
import difflib
import fnmatch
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from data import sample  # noqa: E402

SKIP = 77


class World:
    """The folder in which cases run, with the command first in PATH and a store to ask."""

    def __init__(self, histree, folder):
        self.folder = folder
        tools = folder / "tools"
        tools.mkdir()
        (tools / "histree").symlink_to(histree)
        (tools / "python3").symlink_to(sys.executable)  # the one in PATH may be a script that looks for it
        (folder / "data").symlink_to(HERE.parent / "data")
        self.environment = {
            **os.environ,
            "PATH": f"{tools}:{os.environ['PATH']}",
            "BASH_ENV": str(HERE / "try.sh"),
            "LC_ALL": "C",
            "TZ": "Asia/Tokyo",  # times are UTC wherever one is
            "DATA": "../data",  # seen from the folder of a case: what is printed is the same everywhere
            "STORE": "../demo.histree",
        }
        subprocess.run([histree, "build", "-q", "-a", "kernel,softirq-raises", "-o", "demo.histree", "data/demo-trace"], cwd=folder, check=True)

    def run(self, script):
        folder = self.folder / script.stem
        folder.mkdir()
        done = subprocess.run(["bash", "-u", script], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=600, check=False)
        shutil.rmtree(folder)
        return done


def lines_match(printed, patterns):
    lines, globs = printed.splitlines(), patterns.splitlines()
    return len(lines) == len(globs) and all(map(fnmatch.fnmatchcase, lines, globs))


def difference(script, stream, printed):
    """What is wrong with one stream; None if nothing is."""
    exact, glob = script.with_suffix(f".{stream}"), script.with_suffix(f".{stream}.glob")
    if glob.exists():
        expected, agrees = glob.read_bytes(), lines_match(printed.decode(errors="replace"), glob.read_text())
    else:
        expected = exact.read_bytes() if exact.exists() else b""
        agrees = printed == expected
    if agrees:
        return None
    found = "\n".join(difflib.unified_diff(expected.decode(errors="replace").splitlines(),
                                          printed.decode(errors="replace").splitlines(),
                                          f"expected {stream}", f"printed {stream}", lineterm="", n=1))
    return found or f"{stream} differs in the ends of lines"


def expected_exit(script):
    path = script.with_suffix(".exit")
    return int(path.read_text()) if path.exists() else 0


def write_or_remove(path, content):
    if content:
        path.write_bytes(content)
    else:
        path.unlink(missing_ok=True)


def accept(script, done):
    for stream, printed in ("stdout", done.stdout), ("stderr", done.stderr):
        if not script.with_suffix(f".{stream}.glob").exists():
            write_or_remove(script.with_suffix(f".{stream}"), printed)
    write_or_remove(script.with_suffix(".exit"), f"{done.returncode}\n".encode() if done.returncode else b"")


def check(script, done):
    found = [difference(script, "stdout", done.stdout), difference(script, "stderr", done.stderr)]
    if done.returncode != expected_exit(script):
        found.append(f"exit status is {done.returncode} instead of {expected_exit(script)}")
    return [fault for fault in found if fault]


def main():
    arguments = sys.argv[1:]
    accepting = "--accept" in arguments
    if accepting:
        arguments.remove("--accept")
    if not arguments:
        sys.exit(__doc__)
    histree, names = pathlib.Path(arguments[0]).resolve(), arguments[1:]
    scripts = [script for script in sorted(HERE.glob("cases/*.sh")) if not names or script.stem in names]
    if not names and not accepting:
        scripts = sample(scripts, 8)
    failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        world = World(histree, pathlib.Path(folder))
        for script, done in zip(scripts, pool.map(world.run, scripts)):
            if done.returncode == SKIP:
                skipped += 1
            elif accepting:
                accept(script, done)
            elif faults := check(script, done):
                failed += 1
                print(f"{script.stem}:", *faults, sep="\n")
    # In the words of cmocka, by which the tests are counted.
    for what, number in ("PASSED", len(scripts) - failed - skipped), ("FAILED", failed), ("SKIPPED", skipped):
        if number:
            print(f"[  {what}  ] {number} test(s).")
    return 1 if failed or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
