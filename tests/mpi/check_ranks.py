#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds and questions by ranks are those of one process, byte for byte; what is wrong is said in a sentence.

    check_ranks.py HISTREE_MPI HISTREE GENERATE
"""
import functools
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import job as jobs  # noqa: E402
from data import QUICK, sample  # noqa: E402

PROGRAM, HISTREE, GENERATE = None, None, None
HOSTS = 4
SHARED = pathlib.Path(__file__).parents[3] / "shared"

QUESTIONS = [
    ["--at", "+3ms"],
    ["--at", "+3ms", "--format", "json", "VM2/CPUs/**"],
    ["--at", "+3ms", "--format", "tsv", "*/CPUs/*/Current_thread", "nothing"],
    ["--at", "+3ms", "--format", "csv", "VM9/**"],
    ["--at", "+3ms", "VM1"],
    ["--from", "+0", "--to", "+4ms", "--format", "tsv", "**"],
    ["--from", "+0", "--to", "+4ms", "--times", "30", "--format", "tsv", "**"],
    ["--from", "+0", "--to", "+4ms", "--step", "1ms", "*/CPUs/**"],
    ["--from", "+0", "--to", "+4ms", "--parts", "50", "--format", "json", "**"],
    ["--from", "+1ms", "--to", "+2ms", "--parts", "3", "*/CPUs/**", "nothing"],
    ["--from", "+1ms", "--to", "+1ms", "--parts", "4", "--format", "tsv", "VM2/**"],
    ["--from", "+0", "--to", "+4ms", "--where", "value == 2 && duration > 10us", "*/CPUs/**"],
    ["--where", "duration > 2ms", "--format", "json"],
    ["--at", "+3ms", "--where", "value == 123456", "**"],
    ["--from", "+0", "--to", "+4ms", "--changes", "-n", "40", "*/CPUs/**"],
    ["--from", "+0", "--to", "+4ms", "--changes", "-r", "--format", "tsv", "*/CPUs/**"],
    ["--from", "+0", "--to", "+4ms", "--changes", "--format", "json", "**"],
    ["--from", "+0", "--to", "+4ms", "--first-value", "*/CPUs/**"],
    ["--at", "+3ms", "--stack-top", "**"],
    ["--at", "+3000s"],
    ["--at", "+3ms", "-a", "no-analysis"],
    ["--at", "+3ms", "--where", "bad ==="],
    ["--from", "+3ms", "--to", "+2ms", "**"],
    ["--from", "+3ms"],
    ["--at", "+3ms", "a//b"],
    ["--at", "+3ms", "--step", "1us"],
]

# Verbs that run on rank 0 over the events and segments of all ranks.
FACES = [
    ["events", "--limit", "3"],
    ["events", "--format", "tsv"],
    ["events", "--from", "+1ms", "--to", "+3ms", "--format", "csv"],
    ["events", "--where", "type == sched_switch && next_tid > prev_tid && host != VM2", "--format", "json"],
    ["events", "--where", "number >= 1000 && number < 1300 && cpu == 1"],
    ["events", "--where", "prev_comm == next_comm || count > 100", "--limit", "40"],
    ["events", "--where", "nothing == 5"],
    ["events", "--where", "bad ==="],
    ["events", "--from", "+1000s"],
    ["sql", "SELECT host, name, count(*), min(number), max(time), min(contents) FROM events GROUP BY 1, 2 ORDER BY 1, 2"],
    ["sql", "SELECT * FROM events WHERE number % 500 = 7", "--format", "tsv"],
    ["sql", "SELECT s.host, e.name, count(*), sum(e.number) FROM system_calls s JOIN events e ON e.time = s.start AND "
            "e.host = s.host WHERE s.duration > 20000 GROUP BY 1, 2 ORDER BY 1, 2"],
    ["segments", "system-calls"],
    ["segments", "system-calls", "--format", "tsv", "--sort", "end"],
    ["segments", "system-calls", "--format", "json", "--sort", "duration", "-r", "-n", "50"],
    ["segments", "system-calls", "--format", "csv", "--sort", "name"],
    ["segments", "system-calls", "--sort", "tid", "-r", "-n", "70", "--where", "duration > 1us"],
    ["segments", "system-calls", "--sort", "host", "-n", "300"],
    ["segments", "system-calls", "--where", "host == VM3 && duration > 10us", "--format", "tsv"],
    ["segments", "system-calls", "--from", "+1ms", "--to", "+2ms", "--where", "name matches r", "-n", "20"],
    ["segments", "system-calls", "--where", "duration > 1000s"],
    ["segments", "nothing"],
    ["segments", "system-calls", "--where", "bad ==="],
    ["segments", "system-calls", "--sort", "bad"],
    ["segments", "system-calls", "--bad"],
    ["segments", "system-calls", "--to", "+1000s"],
    ["segments", "system-calls", "--by", "name", "--format", "tsv"],
    ["segments", "system-calls", "--by", "host", "--format", "json"],
    ["segments", "system-calls", "--by", "return", "--format", "tsv"],
    ["segments", "system-calls", "--by", "nothing"],
    ["segments", "system-calls", "--by", "name", "--of", "return", "--format", "tsv"],
    ["segments", "system-calls", "--by", "name", "--thread", "1001,1002,1003", "--format", "tsv"],
    ["top"],
    ["top", "--by", "state,cpu", "--format", "tsv"],
    ["top", "--by", "process,state", "--from", "+1ms", "--to", "+3ms", "--format", "json"],
    ["top", "--by", "had-by", "--where", "host != VM2", "--format", "csv"],
    ["top", "--by", "system-call", "--where", "cpu == 1", "--limit", "9"],
    ["top", "--by", "nothing"],
    ["top", "--where", "bad ==="],
    ["top", "--from", "+1000s"],
    ["sql", "SELECT a.host, b.host, count(*), sum(b.time - a.time), max(b.contents) FROM events a JOIN events b ON "
            "b.number = a.number + 7 WHERE a.number >= 900 AND a.number < 1300 GROUP BY 1, 2 ORDER BY 1, 2"],
    ["segments", "system-calls", "--by", "tid", "--where", "duration > 5us", "--format", "csv"],
    ["segments", "system-calls", "--by", "name", "--from", "+1ms", "--to", "+4ms"],
    ["sql", "SELECT host, name, count(*), sum(duration), max(end) FROM system_calls GROUP BY 1, 2 ORDER BY 1, 2"],
    ["sql", "SELECT * FROM system_calls WHERE duration > 2000 ORDER BY duration DESC, start, host LIMIT 20", "--format", "tsv"],
    ["sql", "SELECT a.host, b.host, count(*) FROM system_calls a JOIN system_calls b ON b.tid = a.tid AND b.start > a.end "
            "AND b.start < a.end + 20000 GROUP BY 1, 2 ORDER BY 1, 2"],
    ["sql", "SELECT count(*) FROM states"],
    ["sql", "SELECT * FROM states WHERE start <= histree_time('+3ms') AND \"end\" >= histree_time('+3ms')", "--format", "tsv"],
    ["sql", "SELECT * FROM states WHERE host IN ('VM2', 'VM4') AND path GLOB '*/CPUs/*' AND start > histree_time('+1ms')"],
    ["sql", "SELECT host, type, count(*), sum(duration), min(path), max(value), max(label) FROM states GROUP BY 1, 2"],
    ["sql", "SELECT * FROM attributes WHERE host = 'VM3'", "--format", "csv"],
    ["sql", "SELECT host, depth, count(*), max(path), sum(folder) FROM attributes GROUP BY 1, 2"],
    ["sql", "SELECT * FROM state_at('*/CPUs/**', histree_time('+2ms'))", "--format", "json"],
    ["sql", "SELECT * FROM state_at('VM2/Threads/*', histree_time('+2ms')) WHERE value = 5"],
    ["sql", "SELECT * FROM states_in('*/CPUs/*/Current_thread', histree_time('+1ms'), histree_time('+2ms')) ORDER BY start, path"],
    ["sql", "SELECT * FROM states WHERE path = 'VM1/CPUs/0/Current_thread' ORDER BY start DESC LIMIT 20"],
    ["sql", "SELECT path, start FROM states ORDER BY start LIMIT 50"],
    ["sql", "SELECT * FROM rows('*/CPUs/**', histree_time('+1ms'), histree_time('+3ms'), 20)", "--format", "tsv"],
    ["sql", "SELECT * FROM numbers('*/CPUs/**', histree_time('+1ms'), histree_time('+3ms'))"],
    ["sql", "SELECT * FROM time_in_state('*/CPUs/*/Current_thread', histree_time('+1ms'), histree_time('+3ms'))"],
    ["sql", "SELECT c.host, c.name, s.value, count(*) FROM system_calls c JOIN states s ON s.path = c.host || '/Threads/' || c.tid "
            "AND s.start <= c.start AND s.\"end\" >= c.start WHERE c.duration > 20000 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"],
    ["sql", "SELECT * FROM state_at('nothing', histree_time('+2ms'))"],
    ["sql", "SELECT * FROM state_at('a//b', histree_time('+2ms'))"],
    ["sql", "SELECT wrong FROM system_calls"],
]


@functools.cache
def of_one_process(verb, store, *words):
    """What histree says; of stores that stay as they are."""
    return jobs.alone(HISTREE, verb, store, *words)


def as_histree(text):
    return text.replace("histree-mpi: ", "histree: ").replace("'histree-mpi ", "'histree ")


class Ranks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="histree-ranks-"))
        cls.traces = jobs.make_traces(GENERATE, cls.folder / "traces", HOSTS)
        cls.store = cls.folder / "one.histree"
        status, _, err = jobs.alone(HISTREE, "build", "--clock", "none", "-q", "-o", cls.store, *cls.traces)
        assert status == 0, err

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def build(self, ranks, store, *more, **environment):
        return jobs.run(ranks, PROGRAM, "build", "--clock", "none", "-q", "-o", store, *more, *self.traces, **environment)

    def check_question(self, words, answer):
        wanted = of_one_process("states", self.store, *words)
        status, out, err = answer(words)
        self.assertEqual((status, as_histree(err)), (wanted[0], wanted[2]), words)
        self.assertEqual(out, wanted[1], words)

    def serve(self, ranks, *, quiet=("-q",), program=None, store=None):
        """A job that listens; returns it, and a function that asks it."""
        path = self.folder / "socket"
        job = subprocess.Popen(jobs.command(ranks, program or PROGRAM, "serve", *quiet, "--socket", path, store or self.store),
                               stderr=subprocess.PIPE, env=jobs.environment())
        until = time.monotonic() + 30
        while not path.exists() and job.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        self.assertTrue(path.exists(), job.poll())
        return job, lambda words: jobs.alone(PROGRAM, "states", "--socket", path, self.store, *words)

    def ask_face(self, verb, *words):
        """A question about any verb, to the job that listens."""
        return jobs.alone(PROGRAM, verb, "--socket", self.folder / "socket", *words)

    def stop(self, job):
        """By rank 0: a launcher that gets the signal itself waits two seconds."""
        pids = jobs.ranks_of(job.pid)
        os.kill(jobs.rank_0(job.pid), signal.SIGTERM)
        job.communicate(timeout=30)
        self.assertEqual(jobs.end(pids), [])
        self.assertFalse((self.folder / "socket").exists())

    # ---- builds

    def test_files_are_those_of_one_process(self):
        for ranks in (1, 2, 3):
            store = self.folder / f"by-{ranks}.histree"
            status, _, err = self.build(ranks, store)
            self.assertEqual(status, 0, err)
            self.assertEqual(jobs.sums(store), jobs.sums(self.store))
            self.assertFalse(store.with_name(store.name + ".building").exists())

    def test_local_hosts_are_copied_and_kept(self):
        store, local = self.folder / "copied.histree", self.folder / "disk"
        status, _, err = self.build(3, store, "--local", local)
        self.assertEqual(status, 0, err)
        self.assertEqual(jobs.sums(store), jobs.sums(self.store))
        kept = jobs.sums(local)
        self.assertTrue(kept)
        for name, total in kept.items():
            self.assertEqual(total, jobs.sums(store)[name])

    def test_one_rank_builds_one_host_as_histree_does(self):
        store, alone = self.folder / "host.histree", self.folder / "host-alone.histree"
        self.assertEqual(jobs.run(1, PROGRAM, "build", "-q", "-o", store, self.traces[0])[0], 0)
        self.assertEqual(jobs.alone(HISTREE, "build", "-q", "-o", alone, self.traces[0])[0], 0)
        self.assertEqual(jobs.sums(store), jobs.sums(alone))

    def test_an_existing_store_stays(self):
        status, _, err = self.build(2, self.store, is_patient=False)
        self.assertEqual(status, 3)
        self.assertIn("--force", err)

    def test_a_missing_trace_is_said(self):
        status, _, err = jobs.run(2, PROGRAM, "build", "-o", self.folder / "no.histree", self.folder / "nowhere",
                                  is_patient=False)
        self.assertEqual(status, 3)
        self.assertIn("nowhere", err)
        self.assertEqual(err.count("nowhere"), 1, "one rank speaks")

    def test_other_versions_are_refused(self):
        script = self.folder / "other"
        script.write_text('#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" != 1 ] || export HISTREE_MPI_VERSION=0.0.1\n'
                          f'exec "{PROGRAM}" "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        for words in (["build", "--clock", "none", "-o", self.folder / "no.histree", *self.traces],
                      ["states", self.store, "--at", "+1ms"], ["serve", self.store]):
            status, out, err = jobs.run(2, script, *words, is_patient=False)
            self.assertEqual((status, out), (3, b""), err)
            self.assertIn("rank 1 on ", err)
            self.assertIn("is histree 0.0.1", err)
        self.assertFalse((self.folder / "no.histree").exists())

    def test_ranks_that_see_other_traces_are_refused(self):
        script = self.folder / "elsewhere"
        script.write_text('#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" != 1 ] || set -- "$@" --host '
                          f'"VM1={self.traces[1]}"\nexec "{PROGRAM}" "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        store = self.folder / "no-such.histree"
        status, _, err = jobs.run(2, script, "build", "--clock", "none", "-o", store, *self.traces, is_patient=False)
        self.assertEqual(status, 3, err)
        self.assertIn("rank 1: ", err)
        self.assertFalse(store.exists())

    def test_a_host_that_cannot_be_built_ends_all_and_is_resumed(self):
        store, file = self.folder / "failed.histree", self.folder / "file"
        file.write_text("no folder", encoding="utf-8")
        status, _, err = self.build(2, store, "--local", file / "disk")
        self.assertEqual(status, 3, err)
        self.assertIn("'--resume'", err)
        self.assertIn(str(file), err)
        self.assertFalse(store.exists())
        building = store.with_name(store.name + ".building")
        status, _, err = self.build(2, store, *(["--resume"] if building.exists() else []))
        self.assertEqual(status, 0, err)
        self.assertEqual(jobs.sums(store), jobs.sums(self.store))

    def test_clocks_that_rank_0_finds_are_those_of_all(self):
        other, own = os.environ.get("HISTREE_SCP_SRC"), SHARED / "traces/lttng-kernel/scp_dest"
        if other is None or not own.exists():
            self.skipTest("HISTREE_SCP_SRC does not name the other host of the copy over the network")
        alone, store, given = (self.folder / f"{name}-clocks.histree" for name in ("alone", "ranks", "given"))
        self.assertEqual(jobs.alone(HISTREE, "build", "-q", "-o", alone, own, other)[0], 0)
        for ranks, more in ((2, []), (3, ["--local", self.folder / "clock-disk"])):
            status, _, err = jobs.run(ranks, PROGRAM, "build", "-q", "--force", *more, "-o", store, own, other)
            self.assertEqual(status, 0, err)
            self.assertEqual(jobs.sums(store), jobs.sums(alone))
        self.assertEqual(jobs.run(2, PROGRAM, "build", "-q", "--clock", "none", "-o", given, own, other)[0], 0)
        self.assertNotEqual(jobs.sums(given), jobs.sums(alone), "the clock changes times")

    def test_given_clocks_are_those_of_all(self):
        alone, store = self.folder / "alone-given.histree", self.folder / "ranks-given.histree"
        words = ["build", "-q", "--clock", "VM2=1500000,1.000001", "--clock", "VM3=-2000000", "--clock", "VM4=0"]
        self.assertEqual(jobs.alone(HISTREE, *words, "-o", alone, *self.traces)[0], 0)
        status, _, err = jobs.run(3, PROGRAM, *words, "-o", store, *self.traces)
        self.assertEqual(status, 0, err)
        self.assertEqual(jobs.sums(store), jobs.sums(alone))
        self.assertNotEqual(jobs.sums(store), jobs.sums(self.store))

    def test_all_streams_of_all_hosts_are_open_at_a_time(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        few = 40  # MPI itself has some twenty
        streams = sum(1 for trace in self.traces for path in trace.rglob("*") if path.is_file())
        self.assertGreater(streams, few - 20)
        alone, store = self.folder / "alone-few.histree", self.folder / "ranks-few.histree"
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, hard))
        try:
            self.assertEqual(jobs.alone(HISTREE, "build", "-q", "-o", alone, *self.traces)[0], 0)
            status, _, err = jobs.run(2, PROGRAM, "build", "-q", "-o", store, *self.traces)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        self.assertEqual(status, 0, err)
        self.assertEqual(jobs.sums(store), jobs.sums(alone))

    # ---- questions

    def test_answers_are_those_of_one_process(self):
        for words in sample(QUESTIONS, 12):
            self.check_question(words, lambda words: jobs.run(2, PROGRAM, "states", self.store, *words))

    def test_a_job_that_serves_answers_the_same(self):
        for ranks in (3,) if QUICK else (3, 1, HOSTS + 2):
            job, ask = self.serve(ranks)
            try:
                for words in sample(QUESTIONS) if QUICK else QUESTIONS:
                    self.check_question(words, ask)
            finally:
                self.stop(job)

    def test_random_questions(self):
        draw = random.Random(int(os.environ.get("HISTREE_SEED", 1)))
        job, ask = self.serve(2)
        try:
            for _ in range(5 if QUICK else 20):
                times = sorted(draw.randrange(4_000_000) for _ in range(2))
                words = draw.choice([["--at", f"+{times[0]}ns"],
                                     ["--from", f"+{times[0]}ns", "--to", f"+{times[1]}ns"]])
                if len(words) == 4 and draw.random() < 0.6:
                    words += [draw.choice(["--times", "--parts"]), str(draw.randrange(2, 100))]
                pattern = draw.choice(["**", "*/CPUs/**", "VM2/**", f"VM*/Threads/{draw.randrange(1000, 1060)}/**"])
                self.check_question([*words, pattern, "--format", draw.choice(["text", "tsv", "csv", "json"])], ask)
        finally:
            self.stop(job)

    def test_a_missing_host_is_unknown_and_the_rest_answers(self):
        store = self.folder / "missing.histree"
        shutil.copytree(self.store, store)
        for path in (store / "hosts" / "VM2").iterdir():
            path.unlink()
        before, type(self).store = self.store, store
        try:
            for words in (["--at", "+3ms", "**"], ["--at", "+3ms", "VM2"], ["--at", "+3ms", "*/CPUs/**"]):
                wanted = jobs.alone(HISTREE, "states", store, *words)
                status, out, err = jobs.run(2, PROGRAM, "states", store, *words)
                self.assertEqual((status, out), (wanted[0], wanted[1]), words)
                self.assertEqual(err.replace("histree-mpi: ", "histree: "), wanted[2], words)
                self.assertIn("host 'VM2' is missing", err)
            (store / "hosts" / "VM2").rmdir()
            wanted = jobs.alone(HISTREE, "states", store, *words)
            status, out, err = jobs.run(2, PROGRAM, "states", store, *words)
            self.assertEqual((status, out, err.replace("histree-mpi: ", "histree: ")), wanted)
        finally:
            type(self).store = before

    def test_hosts_are_found_on_a_local_disk(self):
        store, local = self.folder / "far.histree", self.folder / "near"
        shutil.copytree(self.store, store)
        local.mkdir()
        shutil.move(store / "hosts", local / "hosts")
        status, out, err = jobs.run(2, PROGRAM, "states", "--local", local, store, "--at", "+3ms", "*/CPUs/**")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(out, jobs.alone(HISTREE, "states", self.store, "--at", "+3ms", "*/CPUs/**")[1])

    def test_a_store_of_one_host_is_asked_too(self):
        store = self.folder / "single.histree"
        self.assertEqual(jobs.alone(HISTREE, "build", "-q", "-o", store, self.traces[0])[0], 0)
        wanted = jobs.alone(HISTREE, "states", store, "--at", "+3ms")
        self.assertEqual(jobs.run(2, PROGRAM, "states", store, "--at", "+3ms"), wanted)

    # ---- verbs over the segments of ranks

    def segment_store(self):
        """A store with segments, made when it is first wanted."""
        store = self.folder / "segments.histree"
        if not store.exists():
            status, _, err = jobs.alone(HISTREE, "build", "--clock", "none", "-q", "-a", "kernel,system-calls", "-o", store,
                                        *self.traces)
            self.assertEqual(status, 0, err)
        return store

    def check_face(self, words, answer, store=None, wanted=None):
        store = store or self.segment_store()
        wanted = wanted or of_one_process(words[0], store, *words[1:])
        status, out, err = answer(words[0], store, *words[1:])
        self.assertEqual((status, as_histree(err)), (wanted[0], wanted[2]), words)
        self.assertEqual(out, wanted[1], words)

    def test_segments_statistics_and_sql_are_those_of_one_process(self):
        """To start a job takes long: those that serve answer all of these."""
        for i, words in enumerate(sample(FACES[::3], 8)):
            self.check_face(words, lambda *all_words: jobs.run(1 + i % 3, PROGRAM, *all_words))
        self.check_face(FACES[0], lambda *words: jobs.run(6, PROGRAM, *words))

    def test_a_serving_job_is_asked_for_segments(self):
        before, type(self).store = self.store, self.segment_store()
        try:
            for ranks, rounds in ((3, 2),) if QUICK else ((3, 2), (1, 1), (2, 1)):
                job, ask = self.serve(ranks)
                try:
                    for _ in range(rounds):  # the second time with what is open
                        for words in sample(FACES, 6) if QUICK else FACES:
                            self.check_face(words, self.ask_face)
                        self.check_question(["--at", "+3ms", "*/CPUs/**"], ask)
                    status, out, err = self.ask_face("sql", self.store)
                    self.assertEqual((status, out), (2, b""))
                    self.assertIn("STATEMENT", err)
                finally:
                    self.stop(job)
        finally:
            type(self).store = before

    def test_random_segments_are_those_of_one_process(self):
        draw = random.Random(11)
        before, type(self).store = self.store, self.segment_store()
        job, _ = self.serve(2)
        try:
            for _ in range(10 if QUICK else 40):
                first, second = sorted((draw.randrange(5000), draw.randrange(5000)))
                words = ["segments", "system-calls", "--format", draw.choice(["tsv", "json", "text"]), "--sort",
                         draw.choice(["start", "end", "duration", "name", "tid", "return", "host"])]
                words += draw.choice([[], ["-r"]]) + draw.choice([[], ["-n", str(draw.randrange(1, 900))]])
                words += draw.choice([[], ["--from", f"+{first}us", "--to", f"+{second}us"]])
                words += draw.choice([[], ["--where", f"duration > {draw.randrange(20)}us"],
                                      ["--where", "host != VM2"], ["--where", "name == read || tid > 1020"]])
                self.check_face(words, self.ask_face)
        finally:
            self.stop(job)
            type(self).store = before

    def test_segments_of_local_disks_and_of_missing_hosts(self):
        far, local, torn = self.folder / "far-segments.histree", self.folder / "near-segments", self.folder / "torn.histree"
        shutil.copytree(self.segment_store(), far)
        local.mkdir()
        shutil.move(far / "hosts", local / "hosts")
        # Only the last rank has the disk: what rank 0 prints came from there.
        script = self.folder / "one-disk"
        script.write_text(f'#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 2 ] && set -- "$@" --local "{local}"\n'
                          f'exec "{PROGRAM}" "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        segments, events = ([words for words in FACES if words[0] == verb] for verb in ("segments", "events"))
        states = [words for words in FACES if words[0] == "sql" and ("state_at('*/" in words[1] or "FROM rows" in words[1] or
                                                                     "host, type" in words[1] or "host IN" in words[1])]
        questions = sample(segments[2:6] + events[1:6] + states)
        job, _ = self.serve(3, program=script, store=far)
        try:
            for words in questions:
                self.check_face(words, self.ask_face, far, of_one_process(words[0], self.segment_store(), *words[1:]))
        finally:
            self.stop(job)
        for words in questions[::6]:
            self.check_face(words, lambda *more: jobs.run(3, script, *more), far,
                            of_one_process(words[0], self.segment_store(), *words[1:]))
        shutil.copytree(self.segment_store(), torn)
        shutil.rmtree(torn / "hosts" / "VM2")
        (torn / "hosts" / "VM4" / "system-calls.seg").unlink()
        sums = [words for words in segments if "--by" in words][:1] + [words for words in FACES if words[0] == "sql"][:4] + states
        questions = sample([segments[1], segments[3], *sums, events[1], events[3], events[4]])
        job, _ = self.serve(3, store=torn)
        try:
            for words in questions:
                self.check_face(words, self.ask_face, torn)
        finally:
            self.stop(job)
        for words in questions[::6]:
            self.check_face(words, lambda *more: jobs.run(3, PROGRAM, *more), torn)

    def test_labels_of_numbers(self):
        """A number of a rank's event is found by its name in an enumeration, and by its digits."""
        store = self.folder / "labels.histree"
        made = pathlib.Path(__file__).resolve().parents[1] / "data" / "ctf-made"
        hosts = []
        for name in ("east", "west"):
            shutil.copytree(made, self.folder / name)
            hosts += ["--host-dir", f"{name}={self.folder / name}"]
        self.assertEqual(jobs.alone(HISTREE, "build", "-q", "-o", store, *hosts)[0], 0)
        for where in ("choice == two", "choice == two && small > 1 && twice != 1003", "choice == 2 || negative == -1"):
            words = ["events", store, "--where", where, "--format", "tsv"]
            wanted, got = jobs.alone(HISTREE, *words), jobs.run(2, PROGRAM, *words)
            self.assertEqual((got[0], got[1]), (wanted[0], wanted[1]))
            self.assertGreater(wanted[1].count("\n" if isinstance(wanted[1], str) else b"\n"), 1)

    # ---- sockets

    def test_clients_that_do_harm_are_survived(self):
        job, ask = self.serve(2)
        draw = random.Random(3)
        try:
            for i in range(30):
                client = socket.socket(socket.AF_UNIX)
                client.connect(str(self.folder / "socket"))
                body = bytes(draw.randrange(256) for _ in range(draw.randrange(60)))
                size = draw.choice([len(body), 0, 7, 0xFFFFFFFF])
                client.sendall(struct.pack("<I", size) + body)
                client.shutdown(socket.SHUT_WR)
                if i % 2 == 0:
                    try:
                        client.recv(100)
                    except ConnectionResetError:
                        pass
                client.close()
            self.check_question(["--at", "+3ms", "*/CPUs/**"], ask)
        finally:
            self.stop(job)

    def ask_fake_job(self, reply, with_file, status=3):
        """What a client does of which a job takes the question, sends these bytes, and goes."""
        path = self.folder / "fake"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen(1)
        listener.settimeout(30)
        client = subprocess.Popen([PROGRAM, "states", "--socket", str(path), str(self.store), "--at", "+1ms"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            connection, _ = listener.accept()
            size = struct.unpack("<I", connection.recv(4, socket.MSG_WAITALL))[0]
            connection.recv(size, socket.MSG_WAITALL)
            with tempfile.TemporaryFile() as spool:
                spool.write(b"rows\n")
                spool.flush()
                file = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", spool.fileno()))] if with_file else []
                try:
                    if reply:
                        connection.sendmsg([reply[:1]], file)
                        connection.sendall(reply[1:])
                except BrokenPipeError:
                    pass  # without a file it does not wait for the rest
                connection.close()
            out, err = client.communicate(timeout=30)
        finally:
            client.kill()
            listener.close()
            path.unlink()
        self.assertEqual(client.returncode, status, (reply, with_file, err))
        return out, err.decode()

    def test_a_client_survives_every_end_of_a_job(self):
        text = b"a warning"
        body = bytes([0, len(text)]) + text
        reply = b"A" + struct.pack("<I", len(body)) + body
        for size in range(0, len(reply), 5 if QUICK else 1):
            for with_file in (True, False):
                out, err = self.ask_fake_job(reply[:size], with_file)
                self.assertEqual((out, err), (b"", "histree-mpi: the job ended before it had answered\n"), size)
        self.assertEqual(self.ask_fake_job(reply, False)[0], b"")
        self.assertEqual(self.ask_fake_job(reply, True, 0), (b"rows\n", "histree-mpi: a warning\n"))
        for bad in (b"A" + struct.pack("<I", 0xFFFFFFFF), b"A" + struct.pack("<I", 3) + b"\x00\xff\xff"):
            self.assertEqual(self.ask_fake_job(bad, True)[0], b"")

    def test_a_job_survives_every_end_of_a_client(self):
        job, ask = self.serve(2)
        words = [b"states", bytes(self.store), b"--at", b"+1ms"]
        body = bytes([len(words)]) + b"".join(bytes([len(word)]) + word for word in words)
        request = struct.pack("<I", len(body)) + body
        try:
            for size in range(len(request) + 1):
                client = socket.socket(socket.AF_UNIX)
                client.connect(str(self.folder / "socket"))
                client.sendall(request[:size])
                client.close()  # and so the answer of a whole question is sent to nobody
            self.check_question(["--at", "+3ms", "*/CPUs/**"], ask)
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([PROGRAM, "states", "--socket", str(self.folder / "socket"), str(self.store), "--at", "+1ms"],
                                      stdout=full, stderr=subprocess.PIPE, timeout=30, check=False)
            self.assertEqual(done.returncode, 3)
            self.assertIn(b"cannot write to standard output", done.stderr)
        finally:
            self.stop(job)

    def test_ranks_stop_when_a_client_goes(self):
        questions = [["states", *time, *more] for time in [["--from", "+0ms", "--to", "+4ms"]]
                     for more in (["--parts", "4096", "**"], ["**"], ["--changes", "**"], ["--first-value", "**"])]
        questions += [["segments", "system-calls", "--where", "duration > 1000s"], ["segments", "system-calls", "--sort", "return"],
                      ["segments", "system-calls", "--by", "name"],
                      ["segments", "system-calls", "--by", "name", "--where", "tid > 3"], ["top"],
                      ["top", "--by", "cpu,had-by"], ["events", "--where", "nothing == 5"], ["events", "--format", "json"],
                      ["sql", "SELECT count(*) FROM system_calls a JOIN system_calls b"],
                      ["sql", "SELECT count(*) FROM states a JOIN states b"],
                      ["sql", "SELECT sum(ns) FROM time_in_state('**', histree_time('+1ms'), histree_time('+3ms'))"],
                      ["sql", "SELECT max(contents) FROM events"]]
        before, type(self).store = self.store, self.segment_store()
        self.addCleanup(setattr, type(self), "store", before)
        for ranks in (1, 3):
            job, ask = self.serve(ranks, quiet=())
            pids = jobs.ranks_of(job.pid)
            for pid in pids[:ranks]:  # so that the job looks at none of the clients before it has gone
                os.kill(pid, signal.SIGSTOP)
            for question in questions:
                words = [question[0].encode(), bytes(self.store), *map(str.encode, question[1:])]
                body = bytes([len(words)]) + b"".join(bytes([len(word)]) + word for word in words)
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(self.folder / "socket"))
                    client.sendall(struct.pack("<I", len(body)) + body)
            for pid in pids[:ranks]:
                os.kill(pid, signal.SIGCONT)
            # Of none of these do ranks say anything any more.
            self.check_question(["--at", "+3ms", "*/CPUs/**"], ask)
            for words in (FACES[0], ["top"]):
                self.check_face(words, self.ask_face)
            # A client that says no more, but waits, gets its answer.
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(self.folder / "socket"))
                client.sendall(struct.pack("<I", len(body)) + body)
                client.shutdown(socket.SHUT_WR)
                self.assertEqual(client.recv(1), b"A")
            job.send_signal(signal.SIGTERM)
            said = job.communicate(timeout=30)[1].decode()
            self.assertEqual(jobs.end(pids), [])
            self.assertEqual(said.count("a client is gone; the ranks were stopped"), len(questions), said)

    def test_ranks_leave_the_core_that_nobody_bound_them_to(self):
        """By default mpirun binds each of two ranks to a core."""
        own = os.sched_getaffinity(0)
        job, ask = self.serve(2)
        try:
            self.check_question(["--at", "+3ms", "VM1/CPUs/**"], ask)
            for pid in jobs.ranks_of(job.pid)[:2]:
                self.assertEqual(os.sched_getaffinity(pid), own)
        finally:
            self.stop(job)
        path = self.folder / "socket"
        words = jobs.command(1, PROGRAM, "serve", "-q", "--socket", path, self.store)
        job = subprocess.Popen([words[0], "--bind-to", "core", *words[1:]], stderr=subprocess.PIPE, env=jobs.environment())
        try:
            until = time.monotonic() + 30
            while not path.exists() and job.poll() is None and time.monotonic() < until:
                time.sleep(0.01)
            for pid in jobs.ranks_of(job.pid)[:1]:
                self.assertLess(len(os.sched_getaffinity(pid)), max(len(own), 2))
        finally:
            self.stop(job)

    def test_a_second_job_and_another_store_are_refused(self):
        job, ask = self.serve(1)
        try:
            status, _, err = jobs.run(1, PROGRAM, "serve", "--socket", self.folder / "socket", self.store)
            self.assertEqual(status, 3)
            self.assertIn("another job", err)
            status, _, err = jobs.alone(PROGRAM, "states", "--socket", self.folder / "socket", self.folder, "--at", "0")
            self.assertEqual(status, 2)
            self.assertIn("no other store", err)
            self.check_question(["--at", "+3ms", "VM1/CPUs/**"], ask)
        finally:
            self.stop(job)

    def test_a_file_at_the_name_of_the_socket_stays(self):
        path = self.folder / "no-socket-but-a-file"
        path.write_text("text", encoding="utf-8")
        status, _, err = jobs.run(1, PROGRAM, "serve", "--socket", path, self.store)
        self.assertEqual(status, 3, err)
        self.assertIn("cannot listen", err)
        self.assertEqual(path.read_text(encoding="utf-8"), "text")
        self.assertEqual(list(self.folder.glob(path.name + ".*")), [])

    def test_without_a_job_the_client_says_so(self):
        status, _, err = jobs.alone(PROGRAM, "states", "--socket", self.folder / "no-socket", self.store, "--at", "+1ms")
        self.assertEqual(status, 3)
        self.assertIn("no job answers", err)

    def test_a_rank_of_a_serving_job_dies(self):
        job, _ = self.serve(3)
        pids = jobs.ranks_of(job.pid)
        os.kill(pids[1], signal.SIGKILL)
        job.communicate(timeout=60)
        self.assertEqual(jobs.end(pids), [])

    # ---- the command

    def test_the_command_helps_itself(self):
        old = {"query": "states", "stats": "segments"}
        for verb in ("build", "states", "segments", "top", "sql", "serve", *old):
            status, out, _ = jobs.alone(PROGRAM, verb, "--help")
            self.assertEqual(status, 0)
            self.assertIn(f"usage: histree-mpi {old.get(verb, verb)}", out.decode())
        self.assertEqual(jobs.alone(PROGRAM, "--help")[0], 0)
        self.assertTrue(jobs.alone(PROGRAM, "--version")[1].startswith(b"histree-mpi "))
        self.assertEqual(jobs.alone(PROGRAM, "nothing")[0], 2)
        self.assertEqual(jobs.alone(PROGRAM)[0], 2)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    jobs.launcher()
    PROGRAM, HISTREE, GENERATE = map(os.path.abspath, sys.argv[1:4])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
