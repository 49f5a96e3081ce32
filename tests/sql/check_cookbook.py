#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The statements of docs/cookbook.md answer as they did: check_cookbook.py [--accept] HISTREE

Each is asked of the trace in tests/data, and of a larger one where that is at hand. What the answers must be lies in
cookbook/, one file a trace.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TRACES = {"demo-trace": ROOT / "tests" / "data" / "demo-trace",
          "many-threads": ROOT.parent / "shared" / "traces" / "lttng-kernel" / "many-threads"}
ANALYSES = "kernel,system-calls,futex,irqs,softirqs,wakeups,preemptions,block-io"


def questions():
    text = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
    found = re.findall(r"^### (\d+\. .*?)\n\n```sql\n(.*?)```", text, re.M | re.S)
    assert len(found) == 30, f"{len(found)} questions"
    return found


def answers(histree, trace, folder):
    store = folder / "store"
    subprocess.run([histree, "build", "-q", "-f", "-a", ANALYSES, "-o", store, trace], check=True)
    for question, statement in questions():
        done = subprocess.run([histree, "sql", store, "--format", "tsv", statement], capture_output=True, text=True,
                              timeout=120, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{question}: {done.stderr}")
        yield f"# {question}\n{done.stdout}"


def main():
    accepts = sys.argv[1] == "--accept"
    failed = False
    for name, trace in TRACES.items():
        if not trace.is_dir():
            print(f"{name}: not here")
            continue
        wanted = HERE / "cookbook" / f"{name}.tsv"
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
            got = "".join(answers(sys.argv[-1], trace, pathlib.Path(folder)))
        if accepts:
            wanted.parent.mkdir(exist_ok=True)
            wanted.write_text(got, encoding="utf-8")
        lines = difflib.unified_diff(wanted.read_text(encoding="utf-8").splitlines(), got.splitlines(), "expected", name,
                                     lineterm="")
        for line in lines:
            failed = True
            print(line)
    sys.exit(failed)


if __name__ == "__main__":
    main()
