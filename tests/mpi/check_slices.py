#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One trace that is cut in time over ranks: what comes out is what one pass makes, or a sentence and no new store.

    check_slices.py HISTREE_MPI HISTREE GENERATE [KILLS [SEED]]

Each interval, by `histree states`, the index of events by its bytes, and what the manifest says of the trace are those of
`histree build`: of a generated trace, of recorded ones where there are any ($HISTREE_SHARED, ../shared), whole and
damaged, by 2 to 5 ranks, in slices of many lengths.  Then ranks, rank 0 or the launcher are killed at any time of a
build: a store that was there is as it was, and the next build makes all of it.  HISTREE_MPI_KILLS says how often, in
place of 6, or 2 in a quick run, and HISTREE_SEED the seed, in place of 1.
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


MANY = 50 # kills, for which a longer trace is made


class Builds:
    def __init__(self, program, histree, folder):
        self.program, self.histree, self.folder = program, histree, folder
        self.store, self.alone = folder / "cut.histree", folder / "alone.histree"
        self.counts = collections.Counter()

    def contents(self, store, analysis="kernel"):
        status, out, err = jobs.alone(self.histree, "states", "-a", analysis, "--format", "tsv", store)
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
    builds.same(trace, 2, "--memory", "8M", "--threads", "2", "--slices", "2")
    if not data.QUICK:
        builds.same(trace, 2, "--slices", "1", "--slice-events", "1000", alone=("-a", "kernel", "-t", "esht"))
    for _ in range(1 if data.QUICK else 2):
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


def check_losses(builds, trace, chance, rounds):
    """Where the launcher goes on without a rank, so does the build, whatever the rank had done and sent by then."""
    building = pathlib.Path(f"{builds.store}.building")
    expected, _ = builds.expect(trace, "-a", "kernel")
    assert expected == 0
    for _ in range(rounds):
        shutil.rmtree(building, ignore_errors=True)
        words = jobs.command(3, builds.program, "build", "--force", "-a", "kernel", "--slices", "1", "--slice-events",
                             "16000", "--patience", "1s", "-o", builds.store, trace)
        job = subprocess.Popen([words[0], "--enable-recovery", *words[1:]], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, env=jobs.environment())
        wait_for(job, building)
        time.sleep(chance.random() * 0.4)
        ranks = jobs.ranks_of(job.pid)
        for pid in ranks:
            if jobs.read(pathlib.Path(f"/proc/{pid}/environ")).find("OMPI_COMM_WORLD_RANK=1\0") >= 0:
                os.kill(pid, signal.SIGKILL)
        try:
            said = job.communicate(timeout=60)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            places = jobs.where([job.pid, *ranks])
            jobs.end([job.pid, *ranks], 0)
            raise AssertionError(f"a build does not end without a rank: {job.communicate()[1]}\n{places}") from None
        assert not jobs.end(ranks), "processes stay"
        assert "slices were of use" in said, f"a build ends without a rank: {said}"
        assert builds.contents(builds.store) == builds.contents(builds.alone), "without a rank, other states"
        builds.counts["builds without a rank"] += "the build goes on without it" in said


def wait_for(job, path):
    """Until it is there, or the job is over."""
    until = time.monotonic() + 20
    while job.poll() is None and not path.exists() and time.monotonic() < until:
        time.sleep(0.0005)


class Kills:
    """
    Someone is killed at any time of a build, and somebody says what became of it, unless nobody is left who could: a
    launcher that gets SIGKILL takes standard error of its ranks with it.
    """
    SENTENCES = {"there is no new store": "ended builds", "nothing was changed": "builds that had not begun",
                 "the store was complete": "complete stores", " intervals, ": "complete stores",
                 "exited on signal": "launchers that spoke"}

    def __init__(self, builds, trace, chance):
        self.builds, self.trace, self.chance = builds, trace, chance
        self.building = pathlib.Path(f"{builds.store}.building")
        self.words = [builds.program, "build", "--force", "-a", "kernel", "--slices", "1", "--slice-events", "16000",
                      "-o", builds.store, trace]
        builds.expect(trace, "-a", "kernel")
        self.expected = builds.contents(builds.alone)
        begun = time.monotonic()
        job = subprocess.Popen(jobs.command(3, *self.words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=jobs.environment())
        wait_for(job, self.building)
        at_work = time.monotonic()
        assert job.wait(timeout=jobs.TIMEOUT) == 0
        self.seconds, self.span = time.monotonic() - begun, time.monotonic() - at_work

    def choose(self, job):
        """Whom to kill, with which signal, and what that is called."""
        ranks, chance = jobs.ranks_of(job.pid), self.chance
        index = chance.randrange(min(3, len(ranks))) if ranks else -1
        kind = chance.random()
        number = signal.SIGTERM if kind < 0.1 else signal.SIGKILL
        if kind < 0.2 or index < 0:
            return ranks, job.pid, number, "launchers ended" if kind < 0.1 else "launchers killed"
        return ranks, ranks[index], number, "ranks 0 killed" if index == 0 else "other ranks killed"

    def wait(self, job, ranks, what):
        """The job ends, and none of its processes stays."""
        begun = time.monotonic()
        try:
            job.wait(timeout=60)
        except subprocess.TimeoutExpired:
            alive = [pid for pid in [*jobs.ranks_of(job.pid), *ranks] if jobs.is_alive(pid)]
            places = jobs.where([job.pid, *alive])
            jobs.end([job.pid, *ranks], 0)
            job.wait()
            # PMIx 4 can lock the launcher for ever when a rank dies as it begins: then no rank is left.
            assert not alive, f"the job does not end: {what}\n{places}"
            self.builds.counts["launchers that hung"] += 1
        seconds = time.monotonic() - begun
        if seconds > 8:
            print(f"{what}: ended after {seconds:.1f} s", flush=True)
        assert not jobs.end(ranks), f"processes stay: {what}"

    def count(self, job, what, text):
        counts = self.builds.counts
        said = {name for words, name in self.SENTENCES.items() if words in text}
        counts["kills"] += 1
        counts[what] += 1
        counts["sentences"] += bool(said)
        counts.update(f"of them {name}" for name in said)
        if not said and what != "launchers killed":
            print(f"{what}: status {job.returncode}, without a sentence: {text!r}", flush=True)

    def once(self):
        chance, folder = self.chance, self.builds.folder
        shutil.rmtree(self.building, ignore_errors=True) # whose appearance is waited for
        with open(folder / "said", "w+", encoding="utf-8", errors="replace") as said:
            job = subprocess.Popen(jobs.command(3, *self.words), stdout=subprocess.DEVNULL, stderr=said,
                                   env=jobs.environment())
            if chance.random() < 0.8: # most kills come while slices are on their way
                wait_for(job, self.building)
                time.sleep(chance.random() * self.span)
            else:
                time.sleep(chance.random() * self.seconds)
            ranks, target, number, what = self.choose(job)
            was_running = job.poll() is None
            try:
                os.kill(target, number)
            except ProcessLookupError:
                was_running = False
            self.wait(job, ranks, what)
            said.seek(0)
            text = said.read()
        if not was_running or job.returncode == 0:
            self.builds.counts["builds that were faster"] += 1
        else:
            self.count(job, what, text)
        self.look(text)

    def look(self, text):
        """What was there before is there, or the new one, which is the same; so is what the next build makes."""
        builds = self.builds
        assert builds.store.exists(), f"the store is gone: {text}"
        assert builds.contents(builds.store) == self.expected, f"the store is another one: {text}"
        if self.chance.random() < 0.3:
            status, _, err = jobs.run(3, *self.words)
            assert status == 0, err
            assert builds.contents(builds.store) == self.expected, "the next build makes another store"
            assert not self.building.exists(), "STORE.building stays"
            builds.counts["builds after kills"] += 1


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    jobs.launcher()
    kills = int(sys.argv[4] if len(sys.argv) > 4 else os.environ.get("HISTREE_MPI_KILLS", 2 if data.QUICK else 6))
    seed = int(sys.argv[5] if len(sys.argv) > 5 else os.environ.get("HISTREE_SEED", 1))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="histree-slices-"))
    builds = Builds(sys.argv[1], sys.argv[2], folder)
    chance = random.Random(seed)
    try:
        trace = jobs.make_traces(sys.argv[3], folder / "traces", 1, 600)[0]
        check_equal(builds, trace, folder, chance)
        check_words(builds, trace)
        if kills >= MANY: # slices of which most are of use
            trace = jobs.make_traces(sys.argv[3], folder / "longer", 1, 6000)[0]
        check_losses(builds, trace, chance, 1 + kills // MANY)
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
