# SPDX-License-Identifier: MIT
"""
What the scripts of the benchmark suite share: running programs on one core, medians, tables, and saying where.

What a script prints is Markdown whose first paragraph says what was measured and what it shows; bench/record makes pages of it.
"""
import datetime
import json
import os
import pathlib
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def output(*command, **options):
    """What a program prints; anything else that it says goes to standard error as it is."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}")
    return done.stdout


def measure(command, allowed=(0,)):
    """Wall and processor seconds, and the peak memory in MB, of one run."""
    with tempfile.TemporaryFile("w+") as said:
        begun = time.monotonic()
        with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=said) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        ended = time.monotonic()
        if process.returncode not in allowed:
            said.seek(0)
            sys.exit(f"{said.read()}{' '.join(map(str, command))}: exit {process.returncode}")
    return ended - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


class Programs:
    """The programs of one build folder, pinned to one core, if one is named and taskset is there to do it."""

    def __init__(self, folder, core):
        self.folder = pathlib.Path(folder)
        self.pin = ["taskset", "-c", str(core)] if core is not None and shutil.which("taskset") else []
        if not (self.folder / "bench" / "peers").exists():
            sys.exit(f"'{folder}' has no bench/peers: make it with\n"
                     f"    meson setup {folder} --buildtype=release -Dbench=true && ninja -C {folder}")

    def histree(self, *arguments):
        return output(*self.pin, self.folder / "src" / "cli" / "histree", *arguments)

    def histree_cpu(self, *arguments):
        """ns of processor time that a call takes."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.histree(*arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1e9 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def bench(self, *arguments):
        return output(*self.pin, self.folder / "bench" / arguments[0], *arguments[1:])

    def histree_json(self, *arguments):
        return json.loads(self.histree(*arguments, "--format", "json"))[0]


def median(values):
    return statistics.median(values)


def spread(values):
    """How far the runs lie apart, in percent of the median."""
    middle = statistics.median(values)
    return 100 * (max(values) - min(values)) / middle if middle else 0


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def commit():
    """Of the sources; with a plus where the tree has changes that are not committed."""
    def git(*words):
        done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
        return done.stdout.strip()
    return (git("rev-parse", "--short", "HEAD") or "unknown") + ("+" if git("status", "--porcelain") else "")


def circumstances(commands, note=None):
    """Lines that say when, on what and how something was measured."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return [
        f"date      {datetime.date.today().isoformat()}",
        f"machine   {processor()}, {os.cpu_count()} cores, {memory:.0f} GiB, Linux {platform.release()}",
        f"load      {os.getloadavg()[0]:.1f} when it began: other work ran on the machine, if this is much above 0",
        f"commit    {commit()}",
        *(f"command   {command}" for command in commands),
    ] + ([f"note      {note}"] if note else [])


def text_of(number, digits=3):
    if number is None:
        return ""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.{digits}g}"


def memory_text(megabytes):
    """Of a program that was started from here: what is no more than we have ourselves is not known."""
    floor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return f"{megabytes:.0f}" if megabytes > 1.02 * floor else f"< {floor:.0f}"


def times_of(numbers):
    """How far some ratios reach, in words."""
    low, high = min(numbers), max(numbers)
    return f"{low:.2g} times" if len(numbers) == 1 else f"{text_of(low, 2)} to {text_of(high, 2)} times"


def table(heads, rows):
    """A table of Markdown that can be read as it is."""
    cells = [[str(cell) for cell in row] for row in [heads] + rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    lines = ["| " + " | ".join(cell.rjust(width) if i else cell.ljust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))) + " |" for row in cells]
    rule = "|" + "|".join("-" * (width + 1) + (":" if i else "-") for i, width in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule] + lines[1:]) + "\n"


def paragraph(text):
    return textwrap.fill(text, 116, break_long_words=False, break_on_hyphens=False) + "\n"


def list_of(kind):
    """For argparse: words with commas."""
    return lambda text: [kind(word) for word in text.split(",")]
