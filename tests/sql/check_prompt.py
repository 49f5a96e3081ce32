#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Statements typed into `histree sql` on a terminal: check_prompt.py HISTREE libedit|plain [SLOW_TERMINAL]

A pseudo-terminal is the terminal. What is typed is compared with what comes, never with when it comes: each step waits
for a text. SLOW_TERMINAL is a library that makes the process late after each prompt: keys are typed before it waits for
them.
"""
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

PROMPT, MORE = "histree> ", "    ...> "
WAIT_S = 60


class Terminal:
    preload = None

    def __init__(self, histree, store, folder, terminal):
        self.seen = self.all = ""
        environment = {**os.environ, "TERM": terminal, "XDG_STATE_HOME": str(folder / "state"), "HOME": str(folder),
                       "LSAN_OPTIONS": os.environ.get("LSAN_OPTIONS", "")}
        if self.preload:
            environment["LD_PRELOAD"] = self.preload
        self.child, self.file = pty.fork()
        if self.child == 0:
            os.execve(histree, [histree, "sql", "--progress", "none", str(store)], environment)

    def more(self, what):
        """What comes next; nothing if the other end is closed."""
        ready, _, _ = select.select([self.file], [], [], WAIT_S)
        assert ready, f"{what} did not come in {WAIT_S} s; what came:\n{self.all}"
        try:
            return os.read(self.file, 65536).decode("utf-8", "replace")
        except OSError:
            return ""

    def until(self, text):
        """What came up to a text, which is to come."""
        while text not in self.seen:
            more = self.more(f"'{text}'")
            assert more, f"'{text}' did not come; what came:\n{self.all}"
            self.seen += more
            self.all += more
        before, _, self.seen = self.seen.partition(text)
        return before

    def interrupt_until(self, text):
        """One signal may come while nobody waits for a key."""
        end = time.monotonic() + WAIT_S
        while text not in self.seen and time.monotonic() < end:
            os.kill(self.child, signal.SIGINT)
            if select.select([self.file], [], [], 0.1)[0]:
                more = self.more(text)
                self.seen += more
                self.all += more
        self.until(text)

    def type(self, text):
        os.write(self.file, text.encode())

    def ask(self, text):
        """The answer to a line."""
        self.type(text + "\n")
        return self.until(PROMPT)

    def end(self):
        while self.more("the end"):
            pass
        _, status = os.waitpid(self.child, 0)
        os.close(self.file)
        return os.waitstatus_to_exitcode(status)


def always(histree, store, folder, terminal):
    """What both ways of reading lines do."""
    shell = Terminal(histree, store, folder, terminal)
    shell.until(PROMPT)
    assert "42" in shell.ask("SELECT 40 + 2;")
    # Over several lines; an error ends nothing.
    shell.type("SELECT 'first',\n")
    shell.until(MORE)
    assert "second" in shell.ask("  'sec' || 'ond';")
    assert "no such table: sates" in shell.ask("SELECT * FROM sates;")
    assert "no such column: pth" in shell.ask("SELECT pth FROM states;")
    # Commands.
    tables = shell.ask(".tables")
    assert "states_kernel" in tables and "system_calls" in tables and "sqlite" not in tables
    assert "state_at" in shell.ask(".tables state_*") and "gaps" not in shell.ask(".tables state_*")
    schema = shell.ask(".schema rows")
    assert "rows(pattern, t1, t2, pixels)" in schema and "quark INTEGER" in schema
    assert "not a format" in shell.ask(".mode yaml")
    shell.ask(".mode json")
    assert '{"n":7}' in shell.ask("SELECT 3 + 4 AS n;")
    shell.ask(".timer on")
    assert "took " in shell.ask("SELECT 1;")
    assert "no command '.nothing'" in shell.ask(".nothing")
    assert ".schema" in shell.ask(".help")
    # A line is given up.
    shell.type("SELECT 1,\n")
    shell.until(MORE)
    shell.type("nonsense\x03")
    shell.until("^C")
    shell.until(PROMPT)
    shell.type("\x03")
    shell.until("^C")
    shell.until(PROMPT)
    assert '{"n":9}' in shell.ask("SELECT 4 + 5 AS n;")
    # A statement that would run for ever is stopped, and the next one is asked.
    shell.type("WITH RECURSIVE n(i) AS (SELECT 'be' || 'gun' UNION ALL SELECT i FROM n) SELECT i FROM n "
               "WHERE i <> 'x';\n")
    shell.until("begun")
    os.kill(shell.child, signal.SIGINT)
    shell.until("the statement was stopped")
    shell.until(PROMPT)
    assert '{"n":12}' in shell.ask("SELECT 5 + 7 AS n;")
    shell.type("\x04")
    assert shell.end() == 0


def edited(histree, store, folder):
    """What libedit adds."""
    history = folder / "state" / "histree" / "sql_history"
    assert "SELECT\\0403\\040+\\0404" in history.read_text(encoding="utf-8"), "the lines of the session before"
    assert history.stat().st_mode & 0o77 == 0 and [each.name for each in history.parent.iterdir()] == ["sql_history"]
    shell = Terminal(histree, store, folder, "xterm")
    shell.until(PROMPT)
    # The last line of the session before, by the arrow.
    shell.type("\x1b[A\n")
    assert "12" in shell.until("\n" + PROMPT).partition("\n")[2]
    # Names of tables and columns are completed: the rest of what one can be, a list of what several can be.
    shell.type("SELECT count(*) > 0 AS some, 6 * 7 FROM analys\t;\n")
    assert "42" in shell.until("\n" + PROMPT).partition("\n")[2]
    shell.type("SELECT * FROM states_\t")
    shell.until("states_in")
    shell.until("states_kernel")
    shell.type("\x03")  # given up
    shell.until("^C")
    shell.until(PROMPT)
    shell.type(".sch\tgaps\n")
    assert "cpu INTEGER" in shell.until("\n" + PROMPT)
    # A signal that no key made gives the line up, too.
    shell.type("nonsense")
    shell.until("nonsense")
    shell.interrupt_until(PROMPT)
    shell.type("SELECT 100 + 11;\n")
    shell.until("111")
    shell.until(PROMPT)
    # The cursor goes back.
    shell.type("SELECT 1 + 1;\x1b[D\x1b[D1\n")
    shell.until("12")
    shell.until(PROMPT)
    shell.type(".quit\n")
    assert shell.end() == 0


def main():
    histree, editing = sys.argv[1:3]
    preloads = [None, *sys.argv[3:]]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        store = folder / "demo.histree"
        trace = pathlib.Path(os.environ["HISTREE_SOURCE_ROOT"]) / "tests" / "data" / "demo-trace"
        subprocess.run([histree, "build", "-q", "-a", "kernel,system-calls", "-o", store, trace], check=True)
        for each in preloads:
            Terminal.preload = each
            always(histree, store, folder, "dumb")
            assert each or not (folder / "state").exists(), "a terminal without an editor left a file"
            if editing == "libedit":
                always(histree, store, folder, "xterm")
                edited(histree, store, folder)
    print(f"statements typed: {editing}")


if __name__ == "__main__":
    main()
