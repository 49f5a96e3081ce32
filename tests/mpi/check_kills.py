#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds by ranks are killed at any moment; they are resumed, and end as if nobody had disturbed them.

    check_kills.py HISTREE_MPI HISTREE GENERATE [KILLS [SEED]]

A rank, rank 0, or the launcher gets SIGKILL, or the launcher SIGTERM, at a random time of the build. Each time the job
ends by itself, no process stays, and the store is not there, or is whole; what is complete of the hosts opens. Then
the build is resumed, and perhaps killed again. At its end all files are those of an undisturbed build of one process.
HISTREE_MPI_KILLS says how often, in place of 20, or 5 in a quick run, and HISTREE_SEED the seed, in place of 1.
SIGTERM makes the last line, which says what was tried, come after the build that runs. Whom a seed kills, and when,
is drawn again as it was; what a machine does meanwhile is not.
"""
import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = (str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "support"))
import job as jobs  # noqa: E402
from data import QUICK  # noqa: E402

HOSTS, RANKS = 6, 3


class Trial:
    def __init__(self, program, histree, generate, folder, seed):
        self.program, self.histree = program, histree
        self.folder, self.store = folder, folder / "exp.histree"
        self.building = folder / "exp.histree.building"
        self.random = random.Random(seed)
        self.counts = collections.Counter()
        self.said_at = time.monotonic()
        self.traces = jobs.make_traces(generate, folder / "traces", HOSTS)
        reference = folder / "reference.histree"
        status, _, err = jobs.alone(histree, "build", "--clock", "none", "--quiet", "-o", reference, *self.traces)
        assert status == 0, err
        self.sums = jobs.sums(reference)
        begun = time.monotonic()
        assert self.build("--force") == 0
        self.seconds = time.monotonic() - begun
        shutil.rmtree(self.store)

    def words(self, *more):
        return [self.program, "build", "--clock", "none", "--quiet", *more, "-o", self.store, *self.traces]

    def build(self, *more):
        status, _, err = jobs.run(RANKS, *self.words(*more))
        if status != 0:
            print(err)
        return status

    def victim(self, launcher):
        """Whom to kill, by which signal."""
        ranks = jobs.ranks_of(launcher)
        kind = self.random.random()
        if not ranks or kind < 0.1:
            return launcher, signal.SIGKILL, "launcher killed"
        if kind < 0.2:
            return launcher, signal.SIGTERM, "launcher ended"
        index = self.random.randrange(min(RANKS, len(ranks)))
        return ranks[index], signal.SIGKILL, "rank 0 killed" if index == 0 else "rank killed"

    def wait_for_work(self, job):
        """Until hosts are built, so that most kills come in the middle; some come at any time."""
        if self.random.random() < 0.1:
            time.sleep(self.random.random() * self.seconds)
            return
        until = time.monotonic() + 20
        is_resume = (self.building / "hosts").exists()
        while job.poll() is None and time.monotonic() < until:
            if len(jobs.ranks_of(job.pid)) >= RANKS if is_resume else (self.building / "hosts").exists():
                break
            time.sleep(0.0005)
        time.sleep(self.random.random() * (self.seconds * 0.7 if is_resume else 0.08))

    def disturbed(self, *more):
        """One build that is killed, unless it is faster; returns its status, or None if it was killed."""
        with open(self.folder / "said", "w+", encoding="utf-8", errors="replace") as said:
            job = subprocess.Popen(jobs.command(RANKS, *self.words(*more)), stdout=subprocess.DEVNULL, stderr=said,
                                   env=jobs.environment())
            self.wait_for_work(job)
            pids = jobs.ranks_of(job.pid)
            target, number, what = self.victim(job.pid)
            was_running = job.poll() is None
            if was_running:
                try:
                    os.kill(target, number)
                except ProcessLookupError:
                    was_running = False
            try:
                job.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.say_hang(what, jobs.where({job.pid: None, **dict.fromkeys(jobs.ranks_of(job.pid) + pids)}))
                alive = [pid for pid in jobs.ranks_of(job.pid) + pids if pid != job.pid and jobs.is_alive(pid)]
                jobs.end([job.pid, *jobs.ranks_of(job.pid), *pids], 0)
                job.wait()
                # PMIx 4 can lock the launcher for ever when a rank dies while it says its name: then no rank is left.
                assert not alive, f"the job does not end: {what}"
                self.counts["launcher hung"] += 1
            left = jobs.end(pids)
            assert not left, f"{len(left)} processes stay: {what}"
            said.seek(0)
            text = said.read()
        if not was_running or job.returncode == 0:
            return job.returncode
        self.counts[what] += 1
        self.counts["kills"] += 1
        if what == "rank killed" and "'--resume'" in text:
            self.counts["sentences"] += 1
        return None

    def say_hang(self, what, places):
        """Who is where in a job that does not end, at the place that HISTREE_MPI_HANGS names, or on standard output."""
        text = f"after {dict(self.counts)}: {what}\n{(self.folder / 'said').read_text(errors='replace')}\n{places}\n"
        path = os.environ.get("HISTREE_MPI_HANGS")
        if path is None:
            print(text, flush=True)
            return
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)

    def is_begun(self):
        """
        Whether STORE.building is a build that can be resumed.  Without a manifest it is the rest of a store that was
        replaced: of one that was whole before its build was killed, for which --force is the next step.
        """
        return (self.building / "manifest.json").exists()

    def look(self):
        """The store is not there, or whole; of the hosts those are whole that have their name."""
        status, _, err = jobs.alone(self.histree, "info", self.store)
        assert status in (0, 3), f"info exits with {status}: {err}"
        if not self.is_begun():
            return
        for host in sorted((self.building / "hosts").glob("*")):
            if host.suffix == ".building" or not host.is_dir():
                continue
            status, _, err = jobs.alone(self.histree, "verify", host)
            assert status == 0, f"{host}: {err}"
            self.counts["hosts kept"] += 1
            for name, total in jobs.sums(host).items():
                assert total == self.sums[f"hosts/{host.name}/{name}"], f"{host}/{name} differs"

    def once(self):
        shutil.rmtree(self.store, ignore_errors=True)
        shutil.rmtree(self.building, ignore_errors=True)
        status = self.disturbed("--force")
        while status is None:
            self.look()
            self.counts["resumes"] += self.is_begun()
            more = "--resume" if self.is_begun() else "--force"
            status = self.disturbed(more) if self.random.random() < 0.6 else self.build(more)
        assert status == 0, f"the build fails: {(self.folder / 'said').read_text(errors='replace')}"
        assert jobs.sums(self.store) == self.sums, "the store is another one"
        assert not self.building.exists(), "STORE.building stays"
        self.counts["stores equal"] += 1
        if time.monotonic() - self.said_at > 60:
            self.said_at = time.monotonic()
            print(", ".join(f"{count} {what}" for what, count in sorted(self.counts.items())), flush=True)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    jobs.launcher()
    kills = int(sys.argv[4] if len(sys.argv) > 4 else os.environ.get("HISTREE_MPI_KILLS", 5 if QUICK else 20))
    seed = int(sys.argv[5] if len(sys.argv) > 5 else os.environ.get("HISTREE_SEED", 1))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="histree-kills-"))
    trial = Trial(*sys.argv[1:4], folder, seed)
    stops = []
    signal.signal(signal.SIGTERM, lambda *_: stops.append(True))
    try:
        while trial.counts["kills"] < kills and not stops:
            trial.once()
    except AssertionError as wrong:
        print(f"seed {seed}: after {dict(trial.counts)}: {wrong}; see {folder}")
        return 1
    shutil.rmtree(folder)
    print(f"seed {seed}: " + ", ".join(f"{count} {what}" for what, count in sorted(trial.counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
