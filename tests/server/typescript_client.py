#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""typescript_client.py HISTREE FOLDER - the client that VS Code and Theia use drives every endpoint of the server.

The npm package is installed into FOLDER the first time.  Its json-bigint is a commit that no registry has; the
released one is put in its place.  Where npm or the registry cannot be reached the test is skipped.
"""
import json
import pathlib
import shutil
import subprocess
import sys

from serving import SMALL_TRACE, SOURCE, serving

PACKAGE = {
    "private": True,
    "dependencies": {"tsp-typescript-client": "0.9.0"},
    "overrides": {"json-bigint": "1.0.0"},
}
SKIP = 77


def install(folder):
    """Whether the package is there, now or since before: npm writes its lock file when it is through."""
    if (folder / "node_modules" / ".package-lock.json").is_file():
        return True
    if not shutil.which("npm"):
        return False
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps(PACKAGE))
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, timeout=120).returncode == 0
    except subprocess.TimeoutExpired:  # a registry that does not answer
        return False


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    histree, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    if not shutil.which("node") or not install(folder):
        print("skipped: needs node, and npm with a registry (apt-get install nodejs npm)")
        return SKIP
    script = pathlib.Path(__file__).with_suffix(".mjs")
    with serving(histree, SMALL_TRACE) as server:
        command = ["node", script, folder, server.url, SOURCE / "tests" / "data"]
        return subprocess.run([str(word) for word in command], timeout=120).returncode


if __name__ == "__main__":
    sys.exit(main())
