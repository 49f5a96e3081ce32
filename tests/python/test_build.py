#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Building stores from Python: progress, cancelling, stores that grow, sentences of what went wrong."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import unittest

from support import ROOT, TRACE, demo, folder, histree, main, rows_of

# Loops so that a build takes long enough to be interrupted: rows of changes as text, many of them.
ROWS = 400_000


def long_trace():
    path = folder() / "long.json"
    if not path.exists():
        with open(path, "w", encoding="utf-8") as out:
            out.write('{"traceEvents":[\n')
            for i in range(ROWS):
                out.write(f'{{"name":"n{i % 50}","ph":"X","ts":{i * 3},"dur":2,"pid":1,"tid":{i % 20}}},\n')
            out.write('{"name":"last","ph":"X","ts":%d,"dur":2,"pid":1,"tid":1}]}\n' % (ROWS * 3))
    return path


class Builds(unittest.TestCase):
    def test_a_store_is_that_of_the_command(self):
        told = []
        path = folder() / "built.histree"
        with histree.build(TRACE, path, analyses=["kernel", "system-calls"], progress=told.append) as store:
            self.assertEqual(sorted(store.states(), key=repr), sorted(histree.open(demo()).states(), key=repr))
            self.assertEqual([each.name for each in store.analyses], ["kernel", "system-calls"])
        self.assertTrue(told)
        self.assertIsInstance(told[0], histree.Progress)
        with self.assertRaisesRegex(histree.ExistsError, "force"):
            histree.build(TRACE, path)
        histree.build(TRACE, path, force=True, variant="sht").close()
        self.assertEqual(histree.open(path).history_info().variant, "sht")

    def test_in_memory(self):
        before = set(os.listdir(folder()))
        with histree.build(str(TRACE), None, analyses="kernel") as history:
            self.assertEqual(len(list(history.states())), len(list(histree.open(demo()).states("**"))))
        self.assertEqual(set(os.listdir(folder())) - before, set())
        with self.assertRaisesRegex(histree.ArgumentError, "one analysis"):
            histree.build(TRACE, None)

    def test_analyses_are_added(self):
        path = folder() / "added.histree"
        histree.build(TRACE, path, analyses="kernel").close()
        with histree.build(TRACE, path, analyses=["graph", "futex"], add=True) as store:
            self.assertEqual([each.name for each in store.analyses], ["kernel", "graph", "futex"])
        with self.assertRaises(histree.Error):
            histree.build(TRACE, path, analyses="graph", add=True)

    def test_what_goes_wrong_is_a_sentence(self):
        empty = folder() / "empty"
        empty.mkdir()
        for kind, traces, options in (
                (histree.TraceError, empty, {}), (histree.Error, "/nothing/is/here", {}), (histree.ArgumentError, [], {}),
                (histree.Error, TRACE, {"analyses": ["nothing"]}), (histree.ArgumentError, TRACE, {"variant": "oak"})):
            with self.subTest(traces=traces, options=options), self.assertRaises(kind) as caught:
                histree.build(traces, folder() / "never.histree", **options)
            self.assertGreater(len(str(caught.exception)), 20)
        self.assertEqual([each for each in os.listdir(folder()) if each.startswith("never")], [])

    def test_progress_may_raise(self):
        class Enough(Exception):
            pass

        def progress(_state):
            raise Enough

        with self.assertRaises(Enough):
            histree.build(long_trace(), folder() / "stopped.histree", progress=progress)
        self.assertEqual([each for each in os.listdir(folder()) if each.startswith("stopped")], [])

    def test_progress_grows(self):
        told = []
        with histree.build(long_trace(), folder() / "long.histree", progress=told.append) as store:
            self.assertGreater(len(told), 2)
            for name in ("events", "bytes_done", "seconds"):
                numbers = [getattr(each, name) for each in told]
                self.assertEqual(numbers, sorted(numbers), name)
            self.assertTrue(all(each.share is None or 0 <= each.share <= 1 for each in told))
            self.assertLessEqual(told[-1].events, store.info.event_count)

    def test_ctrl_c_cancels(self):
        def progress(_state):
            os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            histree.build(long_trace(), folder() / "interrupted.histree", progress=progress)
        self.assertEqual([each for each in os.listdir(folder()) if each.startswith("interrupted")], [])

    def test_a_build_in_another_thread(self):
        done = []
        thread = threading.Thread(target=lambda: done.append(histree.build(TRACE, folder() / "thread.histree")))
        thread.start()
        thread.join()
        self.assertIsInstance(done[0], histree.Store)

    def test_a_damaged_trace_warns(self):
        copy = folder() / "cut"
        shutil.copytree(TRACE, copy)
        stream = copy / "perf_stream_0"
        stream.write_bytes(stream.read_bytes()[:stream.stat().st_size * 2 // 3])
        with self.assertWarns(histree.DamageWarning):
            store = histree.build(copy, folder() / "cut.histree")
        self.assertTrue(store.info.partial)
        self.assertTrue(store.info.warnings)


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_a_query(self):
        with histree.build(long_trace(), folder() / "queries.histree", force=True) as store:
            segments = next(each.name for each in store.analyses if each.kind == "segments")
            for ask in (lambda: list(store.segments(segments, sort="name").batches()), lambda: list(store.states().batches()),
                        lambda: list(store.segments(segments, where="name matches 'x.*y.*z'"))):
                for delay in (0.01, 0.05, 0.1):
                    # However soon it comes: one that hits no call of the library hits Python between two.
                    timer = threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT))
                    with self.assertRaises(KeyboardInterrupt):
                        timer.start()
                        while True:
                            ask()
                    timer.join()
                    self.assertIsNotNone(store.states(at="+1ms").first())


class Growing(unittest.TestCase):
    def test_a_store_while_it_is_built(self):
        path = folder() / "growing.histree"
        seen, failed = [], []

        def work():
            try:
                histree.build(long_trace(), path, publish_seconds=0.02).close()
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        # Each history is exact up to its end, and the next one has more.
        until = 1
        while not failed:
            with histree.wait(path, until=until, timeout=120) as history:
                info = history.info
                rows = [row for row in history.states(at=info.end) if row.value is not None]
                self.assertTrue(all(row.end <= info.end for row in rows))
                seen.append((info.end, info.complete))
                if info.complete:
                    break
                until = info.end + 1
        thread.join()
        self.assertEqual(failed, [])
        self.assertEqual(seen, sorted(seen))
        self.assertTrue(seen[-1][1])
        with histree.open(path) as store:
            self.assertFalse(store.info.building)

    def test_what_never_comes(self):
        with self.assertRaises(histree.NotFoundError):
            histree.wait(folder() / "nobody.histree", timeout=0.05)

    def test_ctrl_c_ends_a_wait(self):
        code = ("import os, signal, sys, threading; import histree\n"
                "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
                "try:\n    histree.wait('/nothing/is/here.histree', timeout=60)\n"
                "except KeyboardInterrupt:\n    print('interrupted')\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=50,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertEqual((done.stdout, done.returncode), ("interrupted\n", 0), done.stderr)


class Damage(unittest.TestCase):
    def test_damaged_nodes_are_told(self):
        path = folder() / "damaged.histree"
        shutil.copytree(demo(), path)
        file = pathlib.Path(path) / "kernel.sht"
        raw = bytearray(file.read_bytes())
        for at in range(4096 + 500, 4096 + 600):
            raw[at] ^= 0x55
        file.write_bytes(raw)
        with histree.open(path) as store:
            with self.assertWarnsRegex(histree.DamageWarning, "could not be read"):
                rows = list(store.states("Threads/*"))
            self.assertIn("unknown", {row.type for row in rows})
            asked = rows_of("states", path, "--from", "+0", "--to", str(store.history().end), "Threads/*")
            self.assertEqual(len(asked), len(rows))

    def test_what_is_no_store(self):
        path = folder() / "text.txt"
        path.write_text("hello")
        for kind, each in ((histree.FormatError, path), (histree.Error, folder()), (histree.ArgumentError, "a\0b")):
            with self.assertRaises(kind):
                histree.open(each)


if __name__ == "__main__":
    main()
