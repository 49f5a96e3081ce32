#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of the manual run: check_examples.py HISTREE

Those about many-threads, where that trace is at hand, its store and what others made of it are run as they stand, one behind the other.  Of the
rest, whose traces are not here, each call of histree is read by the command: its verb and options are those that there are.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACE = ROOT.parent / "shared" / "traces" / "lttng-kernel" / "many-threads"
STORE = "many-threads.histree"
ELSEWHERE = re.compile(r"\b(duckdb|taskset|curl|lttng|LD_PRELOAD|perf record|sqlite3|hostname)\b|/archive/|^histree (serve|completion|bench)")
USAGE = 2


def examples(page):
    """Each command of the page, with the lines that go on with it."""
    for block in re.findall(r"^```\n(.*?)^```", page, re.M | re.S):
        for found in re.finditer(r"^\$ (.*(?:\n[ \t].*)*)", block, re.M):
            yield found[1].replace("\\\\", "\\")


def calls(command):
    """The calls of histree in a command, as words."""
    for found in re.finditer(r"(?<![\w.-])histree (?=[a-z])", command):
        lexer = shlex.shlex(command[found.end():], posix=True, punctuation_chars="|&;<>()")
        lexer.whitespace_split = True
        words = []
        try:
            for word in lexer:
                if set(word) <= set("|&;<>()"):
                    break
                words.append(word)
        except ValueError:
            continue  # a quote that another call is in
        yield words


def run(command, shell):
    return subprocess.run(["bash", "-c", command] if shell else command, capture_output=True, text=True, timeout=120, check=False,
                          stdin=subprocess.DEVNULL)


def fault(histree, command, is_here):
    if is_here:
        done = run(command, True)
        is_made = "exists already" in done.stderr  # by an example before
        return done.stderr.strip() if done.returncode not in (0, 1) and not is_made else None
    for words in calls(command):
        done = run([histree, *words], False)
        # What depends on the store cannot be known without it.
        if done.returncode == USAGE and "'--where' chooses" not in done.stderr:
            return done.stderr.strip()
    return None


def main():
    histree = pathlib.Path(sys.argv[1]).resolve()
    counts = {True: 0, False: 0}
    failed = 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as place:
        os.chdir(place)
        os.environ["PATH"] = f"{histree.parent}:{os.environ['PATH']}"
        has_store = TRACE.is_dir()
        if has_store:
            os.symlink(TRACE, "many-threads")
            subprocess.run([histree, "build", "-q", "-o", STORE, TRACE], check=True)
        for path in sorted((ROOT / "docs" / "man").glob("*.scd")):
            for command in examples(path.read_text(encoding="utf-8")):
                if ELSEWHERE.search(command):
                    continue
                is_here = has_store and any(os.path.exists(word) for words in calls(command) for word in words)
                counts[is_here] += 1
                why = fault(histree, command, is_here)
                if why is not None:
                    failed += 1
                    print(f"{path.name}: $ {command}\n  {why}")
    print(f"{counts[True]} examples ran, and {counts[False]} were read")
    sys.exit(failed > 0 or counts[False] < 60)


if __name__ == "__main__":
    main()
