# SPDX-License-Identifier: MIT
"""What the tests of the Python package share: the package, a store of the demo trace, the command as an oracle.

A test is `python3 test_NAME.py [-v]`; tests/python/meson.build says what is in the environment.
"""
import atexit
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["HISTREE_SOURCE_ROOT"])
HISTREE = os.environ["HISTREE"]
TRACE = ROOT / "demo" / "trace"
DEBIAN = "/usr/bin/python3"
SKIPPED = 77
sys.path.insert(0, str(ROOT / "python"))

import histree  # noqa: E402


def need(*modules):
    """Go on in a Python that has these modules: this one, or Debian's; without any, the test is skipped."""
    for module in modules:
        try:
            __import__(module)
        except ImportError:
            if sys.executable == DEBIAN or not os.access(DEBIAN, os.X_OK):
                print(f"skipped: no Python here has {module} (Debian: python3-{module})")
                sys.exit(SKIPPED)
            os.execv(DEBIAN, [DEBIAN, *sys.argv])


_folder = None


def folder():
    """A folder for this process, which goes with it."""
    global _folder
    if _folder is None:
        _folder = pathlib.Path(tempfile.mkdtemp(prefix="histree-python-"))
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    return _folder


def demo():
    """A store of the demo trace with states and segments."""
    store = folder() / "demo.histree"
    if not store.exists():
        command("build", "-q", "-a", "kernel,system-calls", "-o", store, TRACE)
    return str(store)


def command(*arguments):
    """What the command prints."""
    done = subprocess.run([HISTREE, *map(str, arguments)], capture_output=True, text=True, check=False)
    # 3: some of the answer is damaged.
    if done.returncode not in (0, 1, 3) or done.returncode == 3 and not done.stdout:
        raise AssertionError(f"histree {arguments}: {done.stderr}")
    return done.stdout


def rows_of(*arguments):
    """The rows that the command prints as JSON."""
    return json.loads(command(*arguments, "--format", "json") or "[]")


def main():
    """Run the tests of the file."""
    unittest.main(module="__main__", verbosity=2 if "-v" in sys.argv else 1)


__all__ = ["DEBIAN", "HISTREE", "ROOT", "SKIPPED", "TRACE", "command", "demo", "folder", "histree", "main", "need", "rows_of"]
