#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mcp_client.py HISTREE FOLDER - the public client of the Model Context Protocol asks `histree mcp`.

The npm package is installed into FOLDER the first time.  Where npm or the registry cannot be reached the test is
skipped.
"""
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from npm import client  # noqa: E402

PACKAGE = {"private": True, "dependencies": {"@modelcontextprotocol/sdk": "1.12.0"}}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    histree, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as name:
        traces = pathlib.Path(name)
        shutil.copytree(HERE.parent / "data" / "demo-trace", traces / "demo")
        return client(HERE / "mcp_client.mjs", PACKAGE, folder, histree, traces)


if __name__ == "__main__":
    sys.exit(main())
