#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documents show runs: check_examples.py [--accept] manual|readme|cookbook HISTREE [LIBRARY]

manual: commands about many-threads, where that trace is at hand, its store and what others made of it are run as they stand,
one behind the other. Of the rest, whose traces are not here, each call of histree is read by the command: its verb and options
are those that there are; a quick run reads a third of them. Only commands of others are left out, and the page of a verb has
three examples. readme: every command of the tour succeeds and says what the page shows, or something, and the example in C
compiles without a warning, runs and prints. cookbook: each statement is asked of the trace in tests/data, and of many-threads
where that is at hand; what the answers must be lies in tests/sql/cookbook, one file a trace, which --accept writes.
"""
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from data import sample  # noqa: E402

DEMO = ROOT / "tests" / "data" / "demo-trace"
TRACE = ROOT.parent / "shared" / "traces" / "lttng-kernel" / "many-threads"
STORE = "many-threads.histree"
STAYS = re.compile(r"/archive/|\bhistree (serve|bench)\b")  # is not there, serves until it is stopped, or takes long
USAGE = 2
COOKBOOK = ROOT / "tests" / "sql" / "cookbook"
ANALYSES = "kernel,system-calls,futex,irqs,softirqs,wakeups,preemptions,block-io"  # what the cookbook asks


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
        done = run([histree, *words, *(["--help"] if words[0] in ("serve", "bench") else [])], False)
        # What depends on the store cannot be known without it.
        if done.returncode == USAGE and "'--where' chooses" not in done.stderr:
            return done.stderr.strip()
    return None


def check_manual(histree, _library, _accepts):
    counts, to_read = {True: 0, False: 0}, []
    has_store = TRACE.is_dir()
    if has_store:
        os.makedirs("lttng-traces")
        for place in "many-threads", "lttng-traces/many-threads":
            os.symlink(TRACE, place)
        subprocess.run([histree, "build", "-q", "-o", STORE, TRACE], check=True)
    for path in sorted((ROOT / "docs" / "man").glob("*.scd")):
        commands = [command for command in examples(path.read_text(encoding="utf-8")) if any(calls(command))]
        if len(commands) < 3 and path.name.endswith(".1.scd") and path.name != "histree-mpi.1.scd":
            yield f"{path.name} has {len(commands)} examples, and should have three"
        for command in commands:
            is_here = has_store and not STAYS.search(command) and any(
                os.path.exists(word) for words in calls(command) for word in words)
            counts[is_here] += 1
            if not is_here:
                to_read.append((path.name, command))
            elif (why := fault(histree, command, True)) is not None:
                yield f"{path.name}: $ {command}\n  {why}"
    for name, command in sample(to_read):
        if (why := fault(histree, command, False)) is not None:
            yield f"{name}: $ {command}\n  {why}"
    print(f"{counts[True]} examples ran, and of {counts[False]} were read {len(sample(to_read))}")
    if counts[False] < 60:
        yield "too few examples were found"


def check_readme(_histree, library, _accepts):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    os.symlink(ROOT / "demo", "demo")
    commands = re.findall(r"^    \$ (histree .*)((?:\n    [^$\s].*)*)", text, re.M)
    for command, shown in commands:
        done = run(command, True)
        is_made = re.search(r"histree (build|add) ", command)
        if done.returncode != 0 or not (done.stdout or is_made) or shown.replace("\n    ", "\n").strip() not in done.stdout:
            yield f"README.md: $ {command}\n{done.stdout[:500]}{done.stderr[:500]}"
    code = re.search(r"^```c\n(.*?)^```", text, re.M | re.S)
    pathlib.Path("example.c").write_text(code[1], encoding="utf-8")
    flags = ["-std=c17", "-Wall", "-Wextra", "-Werror", "-I", str(ROOT / "include"), "-o", "example", "example.c", str(library)]
    os.environ["LD_LIBRARY_PATH"] = str(library.parent)
    for words in ([*shlex.split(os.environ.get("CC", "cc")), *shlex.split(os.environ.get("CFLAGS", "")), *flags],
                  ["./example", "demo.histree"]):
        done = run(words, False)
        if done.returncode != 0 or (words[0] == "./example" and not done.stdout):
            yield f"README.md, the example in C: {words[0]}: {done.stderr or 'it printed nothing'}"
    if not commands:
        yield "README.md: no command found"
    print(f"{len(commands)} commands and an example ran")


def answers(histree, trace):
    text = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
    found = re.findall(r"^### (\d+\. .*?)\n\n```sql\n(.*?)```", text, re.M | re.S)
    assert len(found) == 30, f"{len(found)} questions"
    subprocess.run([histree, "build", "-q", "-f", "-a", ANALYSES, "-o", "store", trace], check=True)
    for question, statement in found:
        done = run([histree, "sql", "store", "--format", "tsv", statement], False)
        yield f"# {question}\n{done.stdout if done.returncode in (0, 1) else done.stderr}"


def check_cookbook(histree, _library, accepts):
    for trace in DEMO, TRACE:
        if not trace.is_dir():
            print(f"{trace.name}: not here")
            continue
        wanted, got = COOKBOOK / f"{trace.name}.tsv", "".join(answers(histree, trace))
        if accepts:
            wanted.write_text(got, encoding="utf-8")
        yield from difflib.unified_diff(wanted.read_text(encoding="utf-8").splitlines(), got.splitlines(), "expected",
                                        trace.name, lineterm="")


def main():
    words = [word for word in sys.argv[1:] if word != "--accept"]
    check = {"manual": check_manual, "readme": check_readme, "cookbook": check_cookbook}[words[0]]
    histree, library = pathlib.Path(words[1]).resolve(), pathlib.Path(words[-1]).resolve()
    failed = False
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as place:
        os.chdir(place)
        os.environ["PATH"] = f"{histree.parent}:{os.environ['PATH']}"
        for line in check(histree, library, "--accept" in sys.argv):
            failed = True
            print(line)
    sys.exit(failed)


if __name__ == "__main__":
    main()
