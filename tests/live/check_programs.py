#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A program as LTTng-UST records it: what it never freed, what it has in use, and what counters of its threads counted.

usage: check_programs.py HISTREE
Exit: 0 right, 1 wrong, 77 (skipped) where LTTng's daemons, its libraries or a compiler are not installed.
"""
import csv
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from session import Session, Wrong, is_installed, library, run  # noqa: E402 (beside this file)

PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
static void *handed_over;
static void *work(void *unused)
{
	(void)unused;
	handed_over = malloc(70001);
	for (int i = 1; i <= 100; i++)
		free(realloc(malloc(i), 2 * i));
	return malloc(70002);
}
int main(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
		return 1;
	free(handed_over);
	return calloc(7, 10001) == NULL;
}
"""
MEMORY = "liblttng-ust-libc-wrapper.so"


def record(folder):
    """The folders of the trace."""
    program = os.path.join(folder, "program")
    with open(program + ".c", "w", encoding="ascii") as file:
        file.write(PROGRAM)
    run("cc", "-O0", "-o", program, program + ".c", "-lpthread")
    with Session(folder, "--subbuf-size=64k", "--num-subbuf=8") as session:
        for context in ("vpid", "perf:thread:page-fault", "perf:thread:task-clock"):
            session.lttng("add-context", "-u", "-c", "channel", "-t", context)
        session.start()
        if session.trace([program], library(MEMORY)).wait(60) != 0:
            raise Wrong("the program failed")
        session.end()
        return session.traces()


def expect(what, found, wanted):
    if found != wanted:
        raise Wrong(f"{what}: {found} for {wanted}")


def check(histree, folder):
    store = os.path.join(folder, "program.histree")
    run(histree, "build", "--quiet", "-a", "ust-memory,allocations,counters", "-o", store, *record(folder))
    blocks = list(csv.DictReader(run(histree, "segments", store, "allocations", "--where", "bytes > 70000", "--sort",
                                     "+bytes", "--format", "csv").splitlines()))
    main, thread = blocks[2]["tid"], blocks[0]["tid"]
    expect("blocks", [(row["name"], row["bytes"], row["tid"], row["freed"], row["freed_by"]) for row in blocks],
           [("malloc", "70001", thread, "free", main), ("malloc", "70002", thread, "never", ""),
            ("calloc", "70007", main, "never", "")])
    small = run(histree, "segments", store, "allocations", "--where", f"tid == {thread} && bytes <= 200", "--format",
                "csv").splitlines()[1:]
    expect("small blocks", len([line for line in small if not line.endswith("never,")]), 200)
    events = json.loads(run(histree, "events", store, "--format", "json"))
    for path, value in last_values(histree, store, "counters"):
        _, tid, counter = path.split("/")
        values = [int(event["contents"].partition(f"{counter}=")[2].partition(",")[0]) for event in events
                  if f"vtid={tid}," in event["contents"]]
        # LTTng-UST begins some of its counters anew.
        expect(path, value, sum(max(0, after - before) for before, after in zip(values, values[1:])))
    memory = dict(last_values(histree, store, "ust-memory"))
    live = sum(int(row["bytes"]) for row in csv.DictReader(
        run(histree, "segments", store, "allocations", "--where", "freed == never", "--format", "csv").splitlines()))
    expect("memory at the end", memory[f"Processes/{main}/Memory"], live)


def last_values(histree, store, analysis):
    last = {row["path"]: row["value"] for row in csv.DictReader(
        run(histree, "states", store, "-a", analysis, "--format", "csv").splitlines()) if row["type"] == "long"}
    return [(path, int(value)) for path, value in last.items()]


def main():
    if not is_installed() or library(MEMORY) is None:
        print("skipped: needs LTTng's daemons, liblttng-ust-libc-wrapper.so and a compiler")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            check(sys.argv[1], folder)
        except Wrong as wrong:
            print(wrong)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
