#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documents show runs: check_examples.py [--accept] manual|readme|cookbook|problems HISTREE [LIBRARY]

manual: commands are run as they stand, one behind the other, in a folder that has what they are about (example_places.py; where
many-threads is not at hand, a made trace takes its place). Of the few in NOT_RUN, which serve, take long or need what is not
here, each call of histree is read by the command: its verb and options are those that there are. Only commands of others are left
out, and of each verb three examples run. A quick run takes the pages of a third of the verbs. readme: every command of the tour succeeds and says what the page shows, or something, and the example in C
compiles without a warning, runs and prints. cookbook: each statement is asked of the trace in tests/data, and of many-threads
where that is at hand; what the answers must be lies in tests/sql/cookbook, one file a trace, which --accept writes. problems: each
command prints what stands below it, which --accept writes, and the commands of each problem name its cause.
"""
import difflib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import example_places  # noqa: E402
from data import sample  # noqa: E402

DEMO = ROOT / "tests" / "data" / "demo-trace"
TRACE = ROOT.parent / "shared" / "traces" / "lttng-kernel" / "many-threads"
# Is not there, serves until it is stopped, or takes long.
NOT_RUN = re.compile(r"/archive/|\bhistree (serve|bench)\b|net://|~/(lttng-)?traces|lttng\.analysis\.|live\.histree|program\.histree|\bTRACE\b|flamegraph\.pl")
FEW = ("histree-mpi.1.scd", "histree-serve.1.scd", "histree-bench.1.scd")  # their own tests run them
USAGE, DAMAGED = 2, 3
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


def fault(command):
    done = run(command, True)
    is_made = "exists already" in done.stderr  # by an example before
    is_found = done.returncode == DAMAGED and "histree verify" in command
    return done.stderr.strip() if done.returncode not in (0, 1) and not is_made and not is_found else None


def misread(histree, command):
    for words in calls(command):
        done = run([histree, *words, *(["--help"] if words[0] in ("serve", "bench") else [])], False)
        if done.returncode == USAGE:
            return done.stderr.strip()
    return None


def server_fault():
    """Starts the server for assistants as the configuration of a client says, and asks which traces there are."""
    page = (ROOT / "docs" / "man" / "histree-mcp.1.scd").read_text(encoding="utf-8")
    server = json.loads(re.search(r"^```\n(\{ \"mcpServers\".*?)^```", page, re.M | re.S)[1])["mcpServers"]["histree"]
    os.mkdir("of-me")
    os.symlink(DEMO, "of-me/demo")
    words = [server["command"], *(word.replace("/home/me/traces", "of-me") for word in server["args"])]
    asked = [{"method": "initialize", "params": {"protocolVersion": "2025-06-18"}}, {"method": "tools/call", "params": {"name": "list"}}]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False,
                          input="".join(json.dumps({"jsonrpc": "2.0", "id": 1, **each}) + "\n" for each in asked))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    said = answers[1]["result"]["content"][0]["text"] if len(answers) == 2 and "result" in answers[1] else done.stdout + done.stderr
    return None if "of-me" in said and answers[0]["result"]["protocolVersion"] == "2025-06-18" else said


def check_manual(histree, _library, _accepts):
    ran, read = 0, 0
    example_places.make(histree, TRACE if TRACE.is_dir() else None)
    for path in sample(sorted((ROOT / "docs" / "man").glob("*.scd"))):
        commands = [command for command in examples(path.read_text(encoding="utf-8")) if any(calls(command))]
        to_run = [command for command in commands if not NOT_RUN.search(command)]
        if len(to_run) < 3 and path.name.endswith(".1.scd") and path.name not in FEW:
            yield f"{path.name} has {len(to_run)} examples that run, and should have three"
        for command in commands:
            why = misread(histree, command) if NOT_RUN.search(command) else fault(command)
            if why is not None:
                yield f"{path.name}: $ {command}\n  {why}"
        ran, read = ran + len(to_run), read + len(commands) - len(to_run)
    if (why := server_fault()) is not None:
        yield f"histree-mcp.1.scd: the configuration of a client: {why}"
    print(f"{ran} examples ran, and {read} were read")
    if ran < 3 * read:  # of a third of the pages; of all of them, nine in ten run
        yield "too few examples ran"


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


def check_problems(_histree, _library, accepts):
    page = ROOT / "docs" / "problems.md"
    text = page.read_text(encoding="utf-8")
    os.symlink(ROOT / "demo", "demo")

    def printed(found):
        done = run(found[1], True)
        return f"    $ {found[1]}\n" + "".join(f"    {line.rstrip()}\n" for line in (done.stdout + done.stderr).splitlines())

    got = re.sub(r"^    \$ (.*)\n(?:    (?!\$ ).*\n)*", printed, text, flags=re.M)
    if accepts:
        page.write_text(got, encoding="utf-8")
        text = got
    yield from difflib.unified_diff(text.splitlines(), got.splitlines(), "docs/problems.md", "printed", lineterm="")
    problems = re.split(r"^## ", got, flags=re.M)[1:]
    for problem in problems:
        answer = "\n".join(line for line in problem.splitlines() if line.startswith("    ") and not line.startswith("    $"))
        cause = re.search(r"\*\*Cause:\*\*.*?`(.*?)`", problem, re.S)
        if cause is None or cause[1] not in answer:
            yield f"docs/problems.md: {problem.splitlines()[0]}: no answer says {cause[1] if cause else 'a cause'}"
    print(f"{len(problems)} problems")
    if len(problems) != 10:
        yield "there should be ten problems"


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
    check = {"manual": check_manual, "readme": check_readme, "cookbook": check_cookbook, "problems": check_problems}[words[0]]
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
