#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples in the docstrings of the package do what they say."""
import doctest
import sys

from support import TRACE, demo, histree, main, need
import unittest

need("numpy", "pandas")


class Examples(unittest.TestCase):
    def test_all(self):
        finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose="-v" in sys.argv)
        names = {"DEMO": demo(), "TRACE": str(TRACE)}
        # Everything public is an attribute of the package, wherever its code is.
        found = finder.find(histree, "histree", module=False, globs={**vars(histree), **names})
        # A class that another one inherits from has its examples twice.
        for test in {(each.docstring, each.lineno): each for each in found if each.examples}.values():
            runner.run(test)
        self.assertEqual(runner.failures, 0)
        self.assertGreater(runner.tries, 40)


if __name__ == "__main__":
    main()
