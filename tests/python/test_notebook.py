#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The notebook runs from top to bottom, and its picture has a bar for each state; no Jupyter is needed.

    test_notebook.py [-v] [PNG]     keep the picture as PNG
"""
import ast
import json
import os
import shutil
import sys
import unittest

from support import ROOT, folder, main, need

need("numpy", "pandas", "matplotlib")
os.environ["MPLBACKEND"] = "Agg"
os.environ.setdefault("MPLCONFIGDIR", str(folder()))
KEPT = [sys.argv.pop() for _ in range(1) if sys.argv[-1].endswith(".png")]


def run(path, names):
    """Execute the cells of code; the values of their last lines."""
    values = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, str(path), "exec"), names)
        values.append(None if last is None else eval(compile(ast.Expression(last.value), str(path), "eval"), names))
    return values


class Notebook(unittest.TestCase):
    def test_it_runs(self):
        os.environ["TMPDIR"] = str(folder())
        path = ROOT / "docs" / "notebook" / "control_flow.ipynb"
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        self.assertFalse(any(cell.get("outputs") for cell in cells), "the notebook is kept without outputs")
        os.chdir(ROOT)
        names = {"__name__": "__main__"}
        values = run(path, names)
        shown, axes = names["shown"], names["axes"]
        self.assertGreater(len(shown), 100)
        bars = [bar for bar in axes.patches if bar.get_width() >= 0]
        self.assertEqual(len(bars), len(shown))
        # Every bar is a state: the widths are the durations, in milliseconds.
        self.assertAlmostEqual(sum(bar.get_width() for bar in bars), float(shown["duration"].sum()) / 1e6, 3)
        self.assertIn("user mode", [text.get_text() for text in axes.get_legend().get_texts()])
        self.assertTrue(any("burn" in text.get_text() for text in axes.get_yticklabels()))
        picture = names["workplace"] / "control-flow.png"
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(values[-2][1], False)
        if KEPT:
            shutil.copy(picture, KEPT[0])


if __name__ == "__main__":
    main()
