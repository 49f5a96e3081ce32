#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every verb on stores of which one part was made to do harm (tests/support/hostile.py).

    hostile_stores.py HISTREE [CASE]

Each ends, within the memory that any store may cost, and with a status of its own: the answer, or a sentence that
says what is damaged.  The sound store beside it answers everything.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from data import QUICK, SOURCE, sample
from hostile import CASES, hostile_store

MEMORY_MAX = 256 << 20
HANG_SECONDS = 60
TRACE = SOURCE / "tests" / "data" / "demo-trace"
FILES = "kernel.sht", "system-calls.seg"
# What these say is not used, or is what a store may say.
HARMLESS = "lock_is_pipe", "markup_in_names", "traces_elsewhere"


class Command:
    """The program under test.  A sanitizer takes memory and time of its own: with one, only hangs are found."""

    def __init__(self, histree):
        self.histree = histree
        self.sanitized = b"__asan_init" in pathlib.Path(histree).read_bytes()
        self.cpu_max = 20 if self.sanitized else 2

    def limit(self):
        if not self.sanitized:
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_MAX, MEMORY_MAX))

    def run(self, *words):
        """Its exit status, what it said, and the seconds of processor time it took."""
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen([self.histree, *map(str, words)], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=said, preexec_fn=self.limit)
            end = time.monotonic() + HANG_SECONDS
            pid = 0
            while pid == 0 and time.monotonic() < end:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                time.sleep(0.002)
            if pid == 0:
                process.kill()
                process.wait()
                return None, "it hangs", HANG_SECONDS
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            return process.returncode, said.read().decode(errors="replace"), usage.ru_utime + usage.ru_stime


def questions(store, out):
    yield "info", store
    yield "query", "--at", "+0", store
    yield "segments", "--sort", "name", store, "system-calls"
    yield "verify", store
    yield "repair", "--force", "-o", out / "repaired", store
    if QUICK:
        return
    yield "info", "--format", "json", store
    yield "ls", store
    yield "dump", store
    yield "segments", store, "system-calls"
    yield "stats", store, "system-calls"
    yield "density", store, "system-calls"
    yield "draw", "--force", "-o", out / "picture.svg", store
    for name in FILES:
        for verb in "info", "dump", "verify":
            yield verb, store / name


def try_store(command, store, out, case=None, is_sound=False):
    """What was wrong with the answers."""
    wrong = []
    for words in questions(store, out):
        status, said, seconds = command.run(*words)
        call = " ".join(map(str, words))
        if status is None or status < 0 or status > 4 or "anitizer" in said:
            wrong.append(f"{call}: exit {status}: {said[-600:]}")
        elif seconds > command.cpu_max:
            wrong.append(f"{call}: {seconds:.1f} s")
        elif words[0] == "verify" and words[1] == store and not is_sound and status == 0 and case not in HARMLESS:
            wrong.append(f"{call}: says that all is well")
        elif "out of memory" in said:
            wrong.append(f"{call}: more than {MEMORY_MAX >> 20} MiB: {said}")
        elif is_sound and status not in (0, 1) and ".seg" not in call:
            wrong.append(f"{call}: exit {status}: {said}")
        elif status not in (0, 1) and not said.strip():
            wrong.append(f"{call}: exit {status} without a word")
        if "-v" in sys.argv:
            print(f"{call}: {status}, {seconds:.2f} s: {said[:200].strip()}")
    return wrong


def main():
    command = Command(os.path.abspath(sys.argv[1]))
    named = [name for name in sys.argv[2:] if name != "-v"]
    chosen = [case for case in CASES if case.__name__ in named] or sample(CASES)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="histree-hostile-") as name:
        folder = pathlib.Path(name)
        sound = folder / "sound.histree"
        status, said, _ = command.run("build", "--quiet", "-a", "kernel,system-calls", "-o", sound, TRACE)
        assert status == 0, said
        wrong = try_store(command, sound, folder, is_sound=True)
        assert not wrong, wrong
        for case in chosen:
            wrong = try_store(command, hostile_store(sound, folder, case), folder, case.__name__)
            failed += bool(wrong)
            for line in wrong:
                print(f"{case.__name__}: {line}")
    print(f"[  PASSED  ] {len(chosen) - failed} test(s).")
    if failed:
        print(f"[  FAILED  ] {failed} test(s).")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
