#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One trace that is cut in time over ranks: what comes out is what one pass makes, or a sentence and no new store.

    check_slices.py HISTREE_MPI HISTREE GENERATE [KILLS [SEED]]

Each interval, by `histree dump`, the index of events by its bytes, and what the manifest says of the trace are those of
`histree build`: of a generated trace, of recorded ones where there are any ($HISTREE_SHARED, ../shared), whole and
damaged, by 2 to 5 ranks, in slices of many lengths.  Then ranks, rank 0 or the launcher are killed at any time of a
build: a store that was there is as it was, and the next build makes all of it.  HISTREE_MPI_KILLS says how often, in
place of 6, and HISTREE_SEED the seed, in place of 1.
"""
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import job as jobs  # noqa: E402
from support import data  # noqa: E402

def manifest(store):
    """What it says of the trace and of what was seen there, but for when and how it was built."""
    def strip(value):
        if isinstance(value, dict):
            return {key: strip(inside) for key, inside in value.items()
                    if key not in ("build_ns", "options", "checksum", "identity", "bytes")}
        return [strip(inside) for inside in value] if isinstance(value, list) else value
    return strip(json.loads((store / "manifest.json").read_text()))


class Builds:
    def __init__(self, program, histree, folder):
        self.program, self.histree, self.folder = program, histree, folder
        self.store, self.alone = folder / "cut.histree", folder / "alone.histree"
        self.counts = collections.Counter()

    def contents(self, store, analysis="kernel"):
        status, out, err = jobs.alone(self.histree, "dump", "-a", analysis, "--format", "tsv", store)
        assert status == 0, err
        return out

    def expect(self, trace, *words):
        status, _, err = jobs.alone(self.histree, "build", "-q", "--force", *words, "-o", self.alone, trace)
        return status, err.replace("histree:", "histree-mpi:").replace(str(self.alone), str(self.store))

    def same(self, trace, ranks, *words, alone=("-a", "kernel"), is_cut=True):
        """The same store, whatever status that ends with; returns how many slices other ranks have read."""
        expected, sentence = self.expect(trace, *alone)
        shutil.rmtree(self.store, ignore_errors=True)
        status, _, err = jobs.run(ranks, self.program, "build", *alone, *words, "-o", self.store, trace)
        assert status == expected, f"{trace} {words}: {status}, not {expected}: {err}"
        if expected not in (0, 3) or not self.alone.exists():
            return 0
        if expected != 0:
            assert all(line in err for line in sentence.splitlines() if line), f"{err}\nnot {sentence}"
        if not self.store.exists():
            return 0
        assert self.contents(self.store) == self.contents(self.alone), f"{trace} {words}: other states"
        index = "events.idx"
        assert (self.store / index).read_bytes() == (self.alone / index).read_bytes(), "another index"
        assert manifest(self.store) == manifest(self.alone), "another manifest"
        status, _, out = jobs.alone(self.histree, "verify", self.store)
        assert status == 0, out
        words_of = err.split(" slices were of use, ")
        assert (len(words_of) == 2) == is_cut, err
        sent = int(words_of[1].split()[0]) if is_cut else 0
        self.counts["builds"] += 1
        self.counts["slices of other ranks"] += sent
        return sent


def damage(source, target, chance):
    """A copy of a trace of which some bytes are others, and a file may be cut short."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    for path in sorted(target.rglob("*")):
        if not path.is_file() or path.name == "metadata" or chance.random() < 0.5:
            continue
        path.chmod(0o644)
        content = bytearray(path.read_bytes())
        for _ in range(chance.randrange(3)):
            content[chance.randrange(len(content))] ^= 1 + chance.randrange(255)
        if chance.random() < 0.3:
            del content[chance.randrange(len(content)):]
        path.write_bytes(content)


def check_equal(builds, trace, folder, chance):
    builds.same(trace, 2)
    builds.same(trace, 3, "--slices", "1", "--slice-events", str(chance.choice((100, 300, 2000))))
    # Who reads which slice, the machine decides; of hundreds, others read some.
    for _ in range(10):
        if builds.same(trace, 5, "--slices", "1", "--slice-events", "40") > 0:
            break
    assert builds.counts["slices of other ranks"] > 0, "no slice of another rank was of use"
    builds.same(trace, 2, "--memory", "2M", "--threads", "2", "--slices", "2")
    builds.same(trace, 2, "-t", "esht", "--slices", "1", "--slice-events", "1000", alone=("-a", "kernel", "-t", "esht"))
    for _ in range(2):
        damage(trace, folder / "damaged", chance)
        builds.same(folder / "damaged", 3, "--slices", "1", "--slice-events", "500", is_cut=True)
    for path in ("traces/lttng-kernel/scp_dest",):
        found = data.shared(path)
        if found is not None and found.exists():
            builds.same(found, 2, "--slices", "1", "--slice-events", "3000")


def check_words(builds, trace):
    """What cannot be cut is built by rank 0, which says why; other versions are refused."""
    status, _, err = jobs.run(2, builds.program, "build", "--force", "-a", "cpu-usage", "-o", builds.store, trace)
    assert status == 0 and "rank 0 has built it alone" in err, err
    status, _, err = jobs.run(2, builds.program, "build", "-q", "--force", "-o", builds.store, trace)
    assert status == 0 and err == "", err
    status, _, err = jobs.alone(builds.histree, "build", "-q", "--force", "-o", builds.alone, trace)
    assert builds.contents(builds.store) == builds.contents(builds.alone), "beside others, other states"
    mixed = ["-n", "1", "-x", "HISTREE_MPI_VERSION=9.9", builds.program, "build", "--force", "-o", builds.store, trace]
    job = subprocess.run([*jobs.command(1, builds.program, "build", "--force", "-o", builds.store, trace), ":",
                          *map(str, mixed)], capture_output=True, timeout=jobs.TIMEOUT, env=jobs.environment(),
                         check=False)
    assert job.returncode != 0 and b"9.9" in job.stderr, job.stderr


class Kills:
    def __init__(self, builds, trace, chance):
        self.builds, self.trace, self.chance = builds, trace, chance
        self.building = pathlib.Path(f"{builds.store}.building")
        self.words = [builds.program, "build", "-q", "--force", "-a", "kernel", "--slices", "1", "-o", builds.store, trace]
        builds.expect(trace, "-a", "kernel")
        self.expected = builds.contents(builds.alone)
        begun = time.monotonic()
        job = subprocess.Popen(jobs.command(3, *self.words), stdout=subprocess.DEVNULL, env=jobs.environment())
        self.wait_for_work(job)
        at_work = time.monotonic()
        assert job.wait(timeout=jobs.TIMEOUT) == 0
        self.seconds, self.span = time.monotonic() - begun, time.monotonic() - at_work

    def wait_for_work(self, job):
        until = time.monotonic() + 20
        while job.poll() is None and not self.building.exists() and time.monotonic() < until:
            time.sleep(0.0005)

    def once(self):
        counts, chance = self.builds.counts, self.chance
        with open(self.builds.folder / "said", "w+", encoding="utf-8", errors="replace") as said:
            job = subprocess.Popen(jobs.command(3, *self.words), stdout=subprocess.DEVNULL, stderr=said,
                                   env=jobs.environment())
            if chance.random() < 0.8: # most kills come while slices are on their way
                self.wait_for_work(job)
                time.sleep(chance.random() * self.span * 0.5)
            else:
                time.sleep(chance.random() * self.seconds)
            ranks = jobs.ranks_of(job.pid)
            index = chance.randrange(min(3, len(ranks))) if ranks else -1
            kind = chance.random()
            target = job.pid if kind < 0.2 or index < 0 else ranks[index]
            number = signal.SIGTERM if kind < 0.1 else signal.SIGKILL
            what = "launchers" if target == job.pid else "rank 0" if index == 0 else "other ranks"
            was_running = job.poll() is None
            try:
                os.kill(target, number)
            except ProcessLookupError:
                was_running = False
            try:
                job.wait(timeout=60)
            except subprocess.TimeoutExpired:
                alive = [pid for pid in [*jobs.ranks_of(job.pid), *ranks] if jobs.is_alive(pid)]
                jobs.end([job.pid, *ranks], 0)
                job.wait()
                # PMIx 4 can lock the launcher for ever when a rank dies as it begins: then no rank is left.
                assert not alive, f"the job does not end: {what} killed"
                counts["launchers that hung"] += 1
            assert not jobs.end(ranks), f"processes stay: {what} killed"
            said.seek(0)
            text = said.read()
        if not was_running or job.returncode == 0:
            counts["builds that were faster"] += 1
        else:
            counts["kills"] += 1
            counts[f"{what} killed"] += 1
            counts["sentences"] += "there is no new store" in text
        # What was there before is there, or the new one, which is the same.
        assert self.builds.store.exists(), f"the store is gone: {text}"
        assert self.builds.contents(self.builds.store) == self.expected, f"the store is another one: {text}"
        if chance.random() < 0.3:
            status, _, err = jobs.run(3, *self.words)
            assert status == 0, err
            assert self.builds.contents(self.builds.store) == self.expected, "the next build makes another store"
            assert not self.building.exists(), "STORE.building stays"
            counts["builds after kills"] += 1


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    jobs.launcher()
    kills = int(sys.argv[4] if len(sys.argv) > 4 else os.environ.get("HISTREE_MPI_KILLS", 6))
    seed = int(sys.argv[5] if len(sys.argv) > 5 else os.environ.get("HISTREE_SEED", 1))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="histree-slices-"))
    builds = Builds(sys.argv[1], sys.argv[2], folder)
    chance = random.Random(seed)
    try:
        trace = jobs.make_traces(sys.argv[3], folder / "traces", 1, 600)[0]
        check_equal(builds, trace, folder, chance)
        check_words(builds, trace)
        trial = Kills(builds, trace, chance)
        said_at = time.monotonic()
        while builds.counts["kills"] < kills:
            trial.once()
            if time.monotonic() - said_at > 60:
                said_at = time.monotonic()
                print(dict(builds.counts), flush=True)
    except AssertionError as wrong:
        print(f"seed {seed}: after {dict(builds.counts)}: {wrong}; see {folder}")
        return 1
    shutil.rmtree(folder)
    print(f"seed {seed}: " + ", ".join(f"{count} {what}" for what, count in sorted(builds.counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
