#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds and questions by ranks: measured times for 1 and 2 ranks, with a slow disk, with a slow link.

    measure.py BUILD_FOLDER TRACES_FOLDER [ROUNDS]

TRACES_FOLDER has one folder a host (traces/generate --host).  Of several rounds the least time counts; user and
system time are of all ranks and the launcher.  A throttled disk lets a host take as long as its traces and files take
at that rate, so that what a table shows of it is what a model has to say: the greater of computing and of the disk.
"""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# PMIX_MCA_gds: histree-mpi(1).
ENVIRONMENT = {**os.environ, "PMIX_MCA_gds": "hash", "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(words):
    """Returns seconds of wall time, and of the processor, user and system."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT, timeout=900)
    wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def least(rounds, words, clean=lambda: None):
    results = []
    for _ in range(rounds):
        clean()
        results.append(run(words))
    return min(wall for wall, _ in results), min(processor for _, processor in results)


def ranks(count, *words):
    return ["mpirun", "-q", "--oversubscribe", "-n", count, *words]


def builds(program, histree, traces, folder, rounds):
    store = folder / "s.histree"
    options = ["build", "-q", "--clock", "none", "--threads", "1", "-a", "kernel,system-calls", "-o", store, *traces]

    def clean():
        shutil.rmtree(store, ignore_errors=True)

    size = sum(path.stat().st_size for trace in traces for path in trace.rglob("*") if path.is_file())
    slow = max(size // 4, 1)  # bytes a second: four seconds for one rank to read all
    print("| build | wall s | user + sys s |\n|---|---|---|")
    print("| `histree build --threads 1` | {:.2f} | {:.2f} |".format(*least(rounds, [histree, *options], clean)))
    nothing = least(rounds, ranks(2, program, "--version"))
    print("| a job of 2 ranks that does nothing | {:.2f} | {:.2f} |".format(*nothing))
    for name, more in (("", []), (f", disk of {slow / 1e6:.0f} MB/s each", ["--throttle-disk", slow])):
        for count in (1, 2):
            result = least(rounds, ranks(count, program, *options[:1], *more, *options[1:]), clean)
            print(f"| {count} rank{'s' * (count > 1)}{name} | {result[0]:.2f} | {result[1]:.2f} |")
    return store


QUESTIONS = {
    "single: an attribute at a time": ["states", "--at", "+10ms", "N2/CPUs/0/Current_thread"],
    "2D: CPUs at 100 times": ["states", "--from", "+1ms", "--to", "+200ms", "--times", "100", "*/CPUs/**"],
    "rows of a range: all CPUs, 20 ms": ["states", "--from", "+1ms", "--to", "+21ms", "*/CPUs/**"],
    "full: all at a time": ["states", "--at", "+10ms"],
    "the longest 100 calls": ["segments", "system-calls", "--sort", "duration", "-r", "-n", "100"],
    "calls that last 50 us and more": ["segments", "system-calls", "--where", "duration >= 50us"],
    "statistics of all calls": ["segments", "--by", "name", "system-calls"],
    "statistics of those of 1 us and more": ["segments", "--by", "name", "system-calls", "--where", "duration >= 1us"],
    "SQL: calls by name": ["sql", "SELECT host, name, count(*), sum(duration) FROM system_calls GROUP BY 1, 2"],
}


def questions(program, histree, store, folder, rounds):
    print("\n| question, warm, ms with the process | `histree` | 1 rank | 2 ranks | 2 ranks, link 1 MB/s |")
    print("|---|---|---|---|---|")
    columns = [[least(rounds, [histree, words[0], store, *words[1:]])[0] for words in QUESTIONS.values()]]
    for count, more in ((1, []), (2, []), (2, ["--throttle-link", "1000000"])):
        path = folder / "socket"
        job = subprocess.Popen(list(map(str, ranks(count, program, "serve", "-q", "--socket", path, *more, store))),
                               env=ENVIRONMENT)
        while not path.exists():
            time.sleep(0.01)
        columns.append([least(rounds, [program, words[0], "--socket", path, store, *words[1:]])[0]
                        for words in QUESTIONS.values()])
        job.send_signal(signal.SIGTERM)
        job.wait(30)
    for index, name in enumerate(QUESTIONS):
        print(f"| {name} | " + " | ".join(f"{1000 * column[index]:.1f}" for column in columns) + " |")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, traces = pathlib.Path(sys.argv[1]), sorted(path for path in pathlib.Path(sys.argv[2]).iterdir())
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    folder = pathlib.Path(tempfile.mkdtemp(prefix="histree-ranks-"))
    program, histree = build / "src/mpi/histree-mpi", build / "src/cli/histree"
    try:
        store = builds(program, histree, traces, folder, rounds)
        questions(program, histree, store, folder, 3 * rounds)
    finally:
        shutil.rmtree(folder)
    print(f"\nload of the machine meanwhile: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
