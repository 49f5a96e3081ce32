#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""typescript_client.py HISTREE FOLDER - the client that VS Code and Theia use drives every endpoint of the server.

The npm package is installed into FOLDER the first time.  Its json-bigint is a commit that no registry has; the
released one is put in its place.  Where npm or the registry cannot be reached the test is skipped.
"""
import pathlib
import sys

from serving import SMALL_TRACE, SOURCE, serving
from npm import client  # beside data.py, which serving has put into the path

PACKAGE = {
    "private": True,
    "dependencies": {"tsp-typescript-client": "0.9.0"},
    "overrides": {"json-bigint": "1.0.0"},
}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    histree, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    with serving(histree, SMALL_TRACE) as server:
        return client(pathlib.Path(__file__).with_suffix(".mjs"), PACKAGE, folder, server.url, SOURCE / "tests" / "data")


if __name__ == "__main__":
    sys.exit(main())
