#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print 'PASSED FAILED SKIPPED' of Meson's testlog.json files, a cmocka program counting by its tests."""
import json
import re
import sys

CMOCKA = re.compile(r"^\[  (PASSED|FAILED|SKIPPED) +\] (\d+) test\(s\)", re.M)


def count(entry):
    """(passed, failed, skipped) of one test program."""
    output = entry.get("stdout", "") + "\n" + entry.get("stderr", "")
    sums = {"PASSED": 0, "FAILED": 0, "SKIPPED": 0}
    for name, number in CMOCKA.findall(output):
        sums[name] += int(number)
    if entry["result"] == "OK":
        return (sums["PASSED"], 0, sums["SKIPPED"]) if any(sums.values()) else (1, 0, 0)
    if entry["result"] == "SKIP":
        return (0, 0, 1)
    # It failed, whatever it counted: a crash or a sanitizer's finding comes after the last summary.
    return (sums["PASSED"], max(1, sums["FAILED"]), sums["SKIPPED"])


def main():
    totals = [0, 0, 0]
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as log:
            for line in log:
                totals = [a + b for a, b in zip(totals, count(json.loads(line)))]
    print(*totals)


if __name__ == "__main__":
    main()
