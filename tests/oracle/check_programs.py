#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Names of functions of programs that one process ran one after the other: of each call those of its time, and C++ names as
people write them.

usage: check_programs.py HISTREE PROGRAM OTHER_PROGRAM
The programs have different functions at the same addresses.  Exit: 0 equal, 77 skipped: there is no libdw.
"""
import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
BASE, SIZE = 0x400000, 0x100000
FIRST, SECOND = "_Z4drawRKi", "_ZN4core3fmt9write_fmt17h0123456789abcdefE"


def people(name):
    """As it is shown: where there is no libstdc++, it stays."""
    try:
        ctypes.CDLL("libstdc++.so.6")
    except OSError:
        return name
    return {FIRST: "draw(int const&)", SECOND: "core::fmt::write_fmt"}.get(name, name)


def symbols(program):
    """{name: address}."""
    lines = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout.splitlines()
    return {words[2]: int(words[0], 16) for words in map(str.split, lines) if len(words) == 3 and words[1] in "tT"}


class Trace:
    def __init__(self):
        self.time, self.events = 100, []

    def say(self, name, **fields):
        self.time += 10
        self.events.append({"time": self.time, "name": name, "cpu": 0, "vpid": 5, "vtid": 5, "procname": "p", **fields})

    def dump(self, program):
        self.say("lttng_ust_statedump:start")
        self.say("lttng_ust_statedump:bin_info", baddr=BASE, memsz=SIZE, path=str(program), is_pic=0)
        self.say("lttng_ust_statedump:end")

    def call(self, *addresses):
        for address in addresses:
            self.say("lttng_ust_cyg_profile:func_entry", addr=address, call_site=1)
        for address in reversed(addresses):
            self.say("lttng_ust_cyg_profile:func_exit", addr=address, call_site=1)


def ask(histree, *words):
    return subprocess.run([histree, *map(str, words)], check=True, capture_output=True, text=True).stdout


def names_of(histree, folder, trace):
    """The names of calls in their order, and {address: name} of the labels."""
    (folder / "trace.json").write_text("".join(json.dumps(event) + "\n" for event in trace.events), encoding="utf-8")
    store = folder / "store"
    ask(histree, "build", "-q", "--force", "--map", "tracer=ust", "-a", "ust-calls,function-calls", "-o", store, folder / "trace.json")
    calls = sorted((one["start"], one["name"]) for one in json.loads(ask(histree, "segments", store, "function-calls", "--format", "json")))
    labels = {}
    for line in ask(histree, "info", "--labels", store, "--format", "tsv").splitlines()[1:]:
        cells = line.split("\t")
        address = next((cell for cell in cells if cell.startswith("0x") and " " not in cell), None)
        if address:
            labels[int(address, 16)] = cells
    return [name for _, name in calls], labels


def main():
    histree, one, other = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
    said = symbols(one), symbols(other)
    first, second, main_at = said[0][FIRST], said[0][SECOND], said[0]["main"]
    assert (said[1]["start"], said[1]["second"], said[1]["main"]) == (first, second, main_at), said
    with tempfile.TemporaryDirectory() as name:
        folder, trace = pathlib.Path(name), Trace()
        trace.call(second)       # the program runs while it is dumped
        trace.dump(one)
        trace.call(main_at, first)
        trace.dump(one)          # once more, as a session begins anew
        trace.call(first)
        trace.dump(other)        # exec
        trace.call(main_at, first)
        trace.dump(pathlib.Path(name, "no-such-program"))
        trace.call(second)
        calls, labels = names_of(histree, folder, trace)
        if calls[1] == hex(main_at):
            return SKIP
        wanted = [people(SECOND), "main", people(FIRST), people(FIRST), "main", "start", hex(second)]
        # A call that ended before its binary was dumped had no name yet.
        assert calls[1:] == wanted[1:] and calls[0] in (wanted[0], hex(second)), (calls, wanted)
        assert f"{people(FIRST)} or start" in labels[first], labels[first]
        assert "main" in labels[main_at], labels[main_at]
        assert people(SECOND) in labels[second], labels[second]
    return 0


if __name__ == "__main__":
    sys.exit(main())
