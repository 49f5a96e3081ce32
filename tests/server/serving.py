# SPDX-License-Identifier: MIT
"""The real command serving a store of a small trace, for the tests beside this file."""
import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from data import QUICK, SOURCE, shared

SMALL_TRACE = SOURCE / "tests" / "data" / "demo-trace"
STOP_SECONDS = 30


def large_trace():
    """many-threads, where it is at hand; None without, or in a quick run."""
    return None if QUICK else shared("traces/lttng-kernel/many-threads")


def calls_trace():
    """A program with traced function calls, where it is at hand; else None."""
    return shared("traces/lttng-ust/cyg-profile/glxgears-cyg-profile")


class Server:
    """`histree serve`; `url` is where, `folder` is where it makes stores."""

    def __init__(self, histree, folder, paths, options=("--trust-stores",)):
        self.folder = folder
        command = [histree, "serve", "--any-port", "--stores", folder, *options, *paths]
        self.process = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True)
        said = self.process.stderr.readline()
        found = re.search(r"http://\S+/", said)
        if not found:
            raise RuntimeError(f"the server said: {said}{self.process.stderr.read()}")
        self.url = found[0]

    def next_line(self):
        """What it says next."""
        return self.process.stderr.readline()

    def stop(self):
        """End it as a user does; what it says then (a sanitizer's findings) is an error."""
        self.process.terminate()
        said = self.process.communicate(timeout=STOP_SECONDS)[1]
        if self.process.returncode != 0 or said:
            raise RuntimeError(f"the server ended with {self.process.returncode}: {said}")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
            return
        self.process.kill()
        self.process.communicate()

    def resident_bytes(self):
        return self._bytes_of("VmRSS")

    def most_resident_bytes(self):
        """That it ever had."""
        return self._bytes_of("VmHWM")

    def _bytes_of(self, name):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(rf"{name}:\s+(\d+)", status)[1])


def build(histree, trace, store, *options):
    subprocess.run([histree, "build", "-o", store, *options, trace], check=True, stderr=subprocess.DEVNULL)
    return store


# So that a node is a small part of the history of a small trace.
SMALL_NODES = "--node-size", "4096"


def damage(store):
    """A store with small nodes is left without one of its history."""
    with open(store / "kernel.sht", "r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 4096)


@contextlib.contextmanager
def serving(histree, *traces, options=("--trust-stores",), build_options=(), prepare=lambda store: None):
    """A server on stores of these traces, each prepared, which may also open traces below tests/data."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stores = [build(histree, trace, folder / f"{trace.name}.histree", *build_options) for trace in traces]
        for store in stores:
            prepare(store)
        with Server(histree, folder, [*stores, SOURCE / "tests" / "data"], options) as server:
            yield server


def finish(passed, failed=0, skipped=0):
    """In the words of cmocka, by which the tests are counted."""
    for what, number in ("PASSED", passed), ("FAILED", failed), ("SKIPPED", skipped):
        if number:
            print(f"[  {what}  ] {number} test(s).")
    return 1 if failed else 0


class Tally:
    """How many tests passed and failed; one that fails does not keep the others from being run."""

    def __init__(self):
        self.passed = self.failed = 0

    def run(self, name, test):
        """Whether it passed."""
        try:
            test()
            self.passed += 1
            return True
        except Exception:
            self.failed += 1
            print(f"{name}: {traceback.format_exc()}")
            return False

    def finish(self):
        return finish(self.passed, self.failed)
