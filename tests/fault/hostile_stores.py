#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every verb on stores of which one part was made to do harm (tests/support/hostile.py).

    hostile_stores.py HISTREE [FORGER] [CASE]

FORGER is the program test_forged, which makes histories with right checksums that claim much.

Each ends, within the memory that any store may cost, and with a status of its own: the answer, or a sentence that
says what is damaged.  The sound store beside it answers everything.
"""
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from data import QUICK, SOURCE, sample
from hostile import CASES, change_manifest, hostile_store

MEMORY_MAX = 300 << 20
HANG_SECONDS = 60
TRACE = SOURCE / "tests" / "data" / "demo-trace"
THREAD = "14752"  # of it
FILES = "kernel.sht", "system-calls.seg"
# What these say is not used, or is what a store may say.
HARMLESS = "lock_is_pipe", "markup_in_names", "traces_elsewhere"


class Command:
    """The program under test.  A sanitizer takes memory and time of its own: with one, only hangs are found."""

    def __init__(self, histree):
        self.histree = histree
        self.resident = 0
        self.numbers_fail = False
        self.sanitized = b"__asan_init" in pathlib.Path(histree).read_bytes()
        self.cpu_max = 20 if self.sanitized else 10  # the slowest take 3 s, on a busy machine twice as long

    def limit(self, process):
        if not self.sanitized:
            # What is set aside and not touched counts here, but takes nothing: so much is for a runaway alone.
            with contextlib.suppress(ProcessLookupError):  # it has ended
                resource.prlimit(process.pid, resource.RLIMIT_DATA, (2 * MEMORY_MAX, 2 * MEMORY_MAX))

    def run(self, *words):
        """Its exit status, what it said, and the seconds of processor time it took."""
        measures = words[0] == "bench"
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as printed:
            process = subprocess.Popen([self.histree, *map(str, words)], stdin=subprocess.DEVNULL,
                                       stdout=printed if measures else subprocess.DEVNULL, stderr=said)
            self.limit(process)
            end = time.monotonic() + HANG_SECONDS
            refused = ask_for_rows(process, said, end) if words[0] == "serve" else ""
            pid = 0
            while pid == 0 and time.monotonic() < end:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                time.sleep(0.002)
            if pid == 0:
                process.kill()
                process.wait()
                return None, "it hangs", HANG_SECONDS
            process.returncode = os.waitstatus_to_exitcode(status)
            self.resident = usage.ru_maxrss << 10
            printed.seek(0)
            self.numbers_fail = re.search(rb"\b(inf|-?nan)\b", printed.read()) is not None
            said.seek(0)
            return (process.returncode, said.read().decode(errors="replace") + refused,
                    usage.ru_utime + usage.ru_stime)


def ask_for_rows(process, said, end):
    """Ask a server, which prints its address into `said`, for a window of rows of each view, and end it.

    What it refused, in its words.
    """
    found, refused = None, ""
    while found is None and time.monotonic() < end:
        found = re.search(rb"http://([^/\s]+)/", os.pread(said.fileno(), 4096, 0))
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return ""  # and has said why
        time.sleep(0.002)

    def get(path):
        connection = http.client.HTTPConnection(found[1].decode(), timeout=HANG_SECONDS)
        connection.request("GET", "/api/v1/" + path)
        answer = connection.getresponse()
        return answer.status, answer.read()

    try:
        for experiment in json.loads(get("experiments")[1]):
            for view in experiment.get("views", ()):
                status, body = get(f"rows?experiment={experiment['uuid']}&view={view['name']}&count=50&pixels=100")
                refused += body.decode(errors="replace") if status >= 400 else ""
        process.terminate()
    except (OSError, http.client.HTTPException):
        pass  # it is gone, or hangs: the caller will see
    return refused


def questions(store, out):
    yield "info", store
    yield "states", "--at", "+0", store
    yield "segments", "--sort", "name", store, "system-calls"
    yield "verify", store
    yield "copy", "--repair", "--force", "-o", out / "repaired", store
    if QUICK:
        return
    yield "info", "--format", "json", store
    yield "info", "--attributes", store
    yield "states", store
    yield "segments", store, "system-calls"
    yield "segments", store, "system-calls", "--by", "name"
    yield "segments", store, "system-calls", "--histogram"
    yield "draw", "--force", "-o", out / "picture.svg", store
    yield "draw", "--force", "--view", "tree", "-o", out / "picture.svg", store
    yield "states", "--from", "+0", "--to", "+20ms", "--times", "50", store, "**"
    yield "states", "--numbers", store, "CPUs/*/*"
    yield "top", store
    yield "why", store, THREAD
    yield "why", "--rules", "trace-compass", "--table", "steps", store, THREAD
    yield "flame", "--waits", store
    yield "report", store
    yield "report", "--force", "--html", out / "page.html", store
    yield "compare", store, store
    yield "compare", "-a", "system-calls", store, store
    yield "segments", "--join", store, "system-calls", "CPUs/*/Status"
    yield "events", store, "-n", "5"
    yield "sql", store, "SELECT count(*), min(start) FROM states"
    yield "sql", store, "SELECT count(*), max(duration) FROM system_calls"
    for format in "arrow", "parquet", "sqlite", "csv", "chrome", "perfetto":
        yield "export", "--force", "--format", format, "-o", out / f"all.{format}", store
    yield "copy", "--force", "-t", "sht", "-o", out / "converted", store
    for name in FILES:
        for verb in "info", "states", "verify":
            yield verb, store / name
    yield "bench", "--store", store, "--queries", "50"
    yield "serve", "--any-port", "--stores", out, store
    yield "copy", "--rebuild", store


def try_store(command, store, out, case=None, is_sound=False):
    """What was wrong with the answers."""
    wrong = []
    for words in questions(store, out):
        status, said, seconds = command.run(*words)
        call = " ".join(map(str, words))
        if status is None or status < 0 or status > 4 or "anitizer" in said:
            wrong.append(f"{call}: exit {status}: {said[-600:]}")
        elif command.resident > MEMORY_MAX and not command.sanitized:
            wrong.append(f"{call}: {command.resident >> 20} MiB")
        elif seconds > command.cpu_max:
            wrong.append(f"{call}: {seconds:.1f} s")
        elif words[0] == "verify" and words[1] == store and not is_sound and status == 0 and case not in HARMLESS:
            wrong.append(f"{call}: says that all is well")
        elif command.numbers_fail:
            wrong.append(f"{call}: prints what is no number")
        elif "out of memory" in said:
            wrong.append(f"{call}: more than {MEMORY_MAX >> 20} MiB: {said}")
        elif is_sound and status not in (0, 1) and ".seg" not in call:
            wrong.append(f"{call}: exit {status}: {said}")
        elif status not in (0, 1) and not said.strip():
            wrong.append(f"{call}: exit {status} without a word")
        if "-v" in sys.argv:
            print(f"{call}: {status}, {seconds:.2f} s, {command.resident >> 20} MiB: {said[:200].strip()}")
    return wrong


def forged_cases(forger, folder):
    """A case for each history that the program makes: in the place of the states of threads, and of the graph."""
    folder.mkdir()
    subprocess.run([forger, "forged"], env={**os.environ, "HISTREE_FORGED_FOLDER": str(folder)}, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for path in sorted(folder.iterdir()):
        def case(store, path=path):
            for name in "kernel.sht", "graph.sht":
                shutil.copy(path, store / name)
            change_manifest(store, lambda manifest: (
                manifest.update(version=1), [one.pop("identity") for one in manifest["histories"]]))
        case.__name__ = path.stem
        yield case


def main():
    command = Command(os.path.abspath(sys.argv[1]))
    named = [name for name in sys.argv[2:] if name != "-v"]
    forger = named.pop(0) if named and os.path.sep in named[0] else None
    failed = 0
    with tempfile.TemporaryDirectory(prefix="histree-hostile-") as name:
        folder = pathlib.Path(name)
        sound = folder / "sound.histree"
        status, said, _ = command.run("build", "--quiet", "-a", "kernel,graph,system-calls", "-o", sound, TRACE)
        assert status == 0, said
        wrong = try_store(command, sound, folder, is_sound=True)
        assert not wrong, wrong
        cases = CASES + list(forged_cases(forger, folder / "forged") if forger is not None else ())
        chosen = [case for case in cases if case.__name__ in named] or sample(cases)

        def try_case(case):
            own = folder / f"of-{case.__name__}"
            own.mkdir()
            wrong = try_store(Command(command.histree), hostile_store(sound, own, case), own, case.__name__)
            shutil.rmtree(own)
            return wrong

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case, wrong in zip(chosen, pool.map(try_case, chosen)):
                failed += bool(wrong)
                for line in wrong:
                    print(f"{case.__name__}: {line}")
    print(f"[  PASSED  ] {len(chosen) - failed} test(s).")
    if failed:
        print(f"[  FAILED  ] {failed} test(s).")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
