#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed.py FILE... - print C in which the text of each file, histree.bash, is a string, completion_bash."""
import json
import pathlib
import sys

for path in map(pathlib.Path, sys.argv[1:]):
    print(f"static const char completion_{path.suffix[1:]}[] =")
    print("\n".join(f"\t{json.dumps(line)}" for line in path.read_text(encoding="ascii").splitlines(keepends=True)), end=";\n")
