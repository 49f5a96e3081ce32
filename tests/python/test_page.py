#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The code of docs/python.md runs, each block behind the one before it."""
import os
import re
import shutil
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
        text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S))
        self.assertGreaterEqual(len(blocks), 4)
        names = {}
        for block in blocks:
            line = text.count("\n", 0, block.start(1))
            exec(compile("\n" * line + block[1], "docs/python.md", "exec"), names)


if __name__ == "__main__":
    main()
