#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Pages and sums about stores that are damaged, and that are interrupted: `report`, `compare`, `why` and `critical-path`.

Bytes of one file after the other are flipped, or cut off.  Each verb then ends by itself, with an answer or with a
sentence, and what it says in numbers is no more than the sound store has.  A report that is interrupted leaves the file
that was there before, or a whole one, and nothing beside it.

usage: damaged_reports.py HISTREE
HISTREE_SEED makes the damage again.
"""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from data import QUICK, SOURCE  # noqa: E402

TRACE = SOURCE / "tests" / "data" / "demo-trace"
THREAD = "14753"
ANALYSES = "kernel,graph,system-calls,softirqs,wakeups,preemptions,block-io"


class Reports:
    def __init__(self, histree, folder):
        self.histree, self.folder, self.failed = os.path.abspath(histree), folder, 0
        self.sound = folder / "sound.histree"
        self.run("build", "-q", "-a", ANALYSES, "-o", self.sound, TRACE)

    def run(self, *words):
        done = subprocess.run([self.histree, *map(str, words)], capture_output=True, text=True, errors="replace", timeout=120,
                              check=False)
        return done.returncode, done.stdout, done.stderr

    def questions(self, store):
        yield "report", store
        yield "report", "--force", store, "--html", self.folder / "page.html"
        yield "report", store, "--from", "+5ms", "--to", "+9ms"
        yield "compare", self.sound, store
        yield "compare", "-a", "system-calls", store, self.sound
        yield "why", store, THREAD
        yield "why", store, THREAD, "--table", "steps"

    def ask_all(self, store, what, most=7):
        asked = 0
        for words in list(self.questions(store))[:most]:
            status, _, said = self.run(*words)
            is_wrong = status < 0 or status > 3 or "anitizer" in said or (status not in (0, 1) and not said.strip())
            asked += status == 0
            if is_wrong:
                self.failed += 1
                print(f"{what}: {' '.join(map(str, words))}: exit {status}: {said[-800:]}")
        return asked

    def damage(self, seed):
        pick = random.Random(seed)
        store = self.folder / "damaged.histree"
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(self.sound, store)
        file = pick.choice(sorted(path for path in store.iterdir() if path.is_file() and path.stat().st_size > 0))
        content = bytearray(file.read_bytes())
        if pick.random() < 0.3:
            del content[pick.randrange(len(content)):]
        for _ in range(pick.choice([1, 3, 40])):
            if content:
                at = min(pick.randrange(len(content)), pick.choice([len(content) - 1, 8191, 70000]))
                content[min(at, len(content) - 1)] ^= pick.randrange(1, 256)
        file.write_bytes(content)
        return self.ask_all(store, f"HISTREE_SEED={seed}, {file.name}")

    def damaged(self):
        first = int(os.environ.get("HISTREE_SEED", random.randrange(2**32)))
        rounds = 6 if QUICK else 20
        print(f"seed {first}", flush=True)
        answered = sum(self.damage(first + number) for number in range(rounds))
        assert answered > rounds, "hardly anything was answered"
        print(f"{rounds} damaged stores, {answered} questions answered")

    def missing(self):
        """Any one of the larger files away."""
        for path in sorted(self.sound.iterdir()):
            store = self.folder / "missing.histree"
            if path.suffix not in (".sht", ".seg", ".json", ".idx"):
                continue
            shutil.rmtree(store, ignore_errors=True)
            shutil.copytree(self.sound, store)
            (store / path.name).unlink()
            self.ask_all(store, f"without {path.name}", 1 if QUICK else 7)

    def interrupted(self):
        page = self.folder / "kept.html"
        status, _, said = self.run("report", self.sound, "--html", page)
        assert status == 0, said
        whole, ended, interrupted = page.read_bytes(), 0, 0
        for number in range(16 if QUICK else 40):
            page.write_bytes(b"before")
            with subprocess.Popen([self.histree, "report", "--force", self.sound, "--html", page], stderr=subprocess.PIPE) as process:
                time.sleep(number * 0.0015)
                process.send_signal(signal.SIGINT if number % 2 else signal.SIGTERM)
                said = process.communicate(timeout=120)[1]
            assert process.returncode in (0, -signal.SIGINT, -signal.SIGTERM), (process.returncode, said)
            found = page.read_bytes()
            assert found == whole or (found == b"before" and process.returncode != 0), (process.returncode, len(found))
            assert sorted(path.name for path in self.folder.glob("kept.html*")) == ["kept.html"]
            ended += found == whole
            interrupted += found != whole
        print(f"{interrupted} reports were interrupted, {ended} came to their end")

    def unwritable(self):
        """No room for the page, or none for the file."""
        status, _, said = self.run("report", self.sound, "--html", self.folder / "none" / "page.html")
        assert status == 3 and "cannot be made" in said, said
        with open("/dev/full", "wb") as full:
            for words in ("report", self.sound), ("why", self.sound, THREAD), ("compare", self.sound, self.sound):
                done = subprocess.run([self.histree, *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
                assert done.returncode in (1, 3) and (done.returncode == 1 or "No space left" in done.stderr), (words, done)


def main():
    with tempfile.TemporaryDirectory() as name:
        reports = Reports(sys.argv[1], pathlib.Path(name))
        for test in reports.damaged, reports.missing, reports.interrupted, reports.unwritable:
            test()
    return 1 if reports.failed else 0


if __name__ == "__main__":
    sys.exit(main())
