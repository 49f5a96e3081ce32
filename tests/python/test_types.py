#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The type hints of the package hold, for Python 3.9, by mypy if that is installed."""
import shutil
import subprocess
import sys

from support import ROOT, SKIPPED, folder


def main():
    mypy = shutil.which("mypy")
    if mypy is None:
        print("skipped: mypy is not installed (Debian: mypy)")
        sys.exit(SKIPPED)
    done = subprocess.run([mypy, "--strict", "--ignore-missing-imports", "--python-version", "3.9", "--cache-dir",
                           str(folder() / "mypy"), str(ROOT / "python" / "histree")], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
