#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The code of docs/python.md, README.md and python/README.md runs, each block behind the one before it."""
import os
import re
import shutil
import textwrap
import unittest

from support import ROOT, TRACE, command, folder, main, need

need("numpy", "pandas")


class Page(unittest.TestCase):
    def test_all_blocks(self):
        os.chdir(folder())
        command("build", "-q", "-a", "kernel,graph,system-calls", "-o", "x.histree", TRACE)
        os.makedirs("lttng-traces")
        os.makedirs("demo")
        for place in "lttng-traces/session", "demo/trace":
            shutil.copytree(TRACE, place)
        os.symlink("x.histree", "demo.histree")
        python = r"^```python\n(.*?)^```"
        for page, pattern, least in (("README.md", r"^## Python\n\n((?:    [^\n]*\n)+)", 1), ("docs/python.md", python, 4),
                                     ("python/README.md", python, 1)):
            text = (ROOT / page).read_text(encoding="utf-8")
            blocks = list(re.finditer(pattern, text, re.M | re.S))
            self.assertGreaterEqual(len(blocks), least)
            names = {}
            for block in blocks:
                line = text.count("\n", 0, block.start(1))
                exec(compile("\n" * line + textwrap.dedent(block[1]), page, "exec"), names)


if __name__ == "__main__":
    main()
