#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A program whose functions LTTng-UST records by address: histree calls each as the program itself does, with the line that
addr2line has for it, from the binary, from a table of nm, and not from another build; and says where each was called,
with what was inlined there.

usage: check_functions.py HISTREE
Exit: 0 right, 1 wrong, 77 (skipped) where LTTng's daemons, its libraries or a compiler are not installed.
"""
import csv
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from session import Session, Wrong, is_installed, library, run  # noqa: E402 (beside this file)

LIBRARY = """
#include <stdio.h>
static void inner(void) { static volatile int x; x++; }
void plugin(void) { printf("%p inner\\n%p plugin\\n", (void *)inner, (void *)plugin); inner(); }
"""
PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <pthread.h>
static void leaf(int n) { static volatile int x; for (int i = 0; i < n; i++) x += i; }
void middle(int n) { leaf(n); leaf(n / 2); }
static void *work(void *unused) { for (int i = 0; i < 20; i++) middle(50); return unused; }
int main(int count, char **words)
{
	pthread_t thread;
	printf("%p leaf\\n%p middle\\n%p work\\n%p main\\n", (void *)leaf, (void *)middle, (void *)work, (void *)main);
	void *library = count > 1 ? dlopen(words[1], RTLD_NOW) : NULL;
	if (library != NULL)
		((void (*)(void))dlsym(library, "plugin"))();
	if (pthread_create(&thread, NULL, work, NULL) != 0)
		return 1;
	work(NULL);
	return pthread_join(thread, NULL);
}
"""
# What is not instrumented and inlined is in the sites of calls only.
INLINED = """
volatile int sink;
__attribute__((noinline)) void leaf(int n) { sink += n; }
#define INLINE static inline __attribute__((always_inline, no_instrument_function))
INLINE void help(int n)
{
	leaf(n);
}
INLINE void more(int n)
{
	help(n);
	leaf(n);
}
__attribute__((noinline)) void work(void)
{
	more(1);
	help(2);
	leaf(3);
}
int main(void)
{
	work();
	return 0;
}
"""
SITES = ["work inlined.c:16 > more (inlined) inlined.c:11 > help (inlined) inlined.c:7",
         "work inlined.c:16 > more (inlined) inlined.c:12", "work inlined.c:17 > help (inlined) inlined.c:7",
         "work inlined.c:18"]
CYG, DL = "liblttng-ust-cyg-profile.so", "liblttng-ust-dl.so"


def compile_all(folder):
    for name, text in (("program.c", PROGRAM), ("plugin.c", LIBRARY)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)
    plain = ["cc", "-g", "-O0", "-finstrument-functions", "-Wl,--build-id"]
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    run(*plain, "-o", at("program"), at("program.c"), "-lpthread", "-ldl")
    run(*plain, "-no-pie", "-o", at("fixed"), at("program.c"), "-lpthread", "-ldl")
    run(*plain, "-shared", "-fPIC", "-o", at("plugin.so"), at("plugin.c"))


def record(folder, program):
    """The folders of the trace, and what the program calls its functions, by address."""
    said = os.path.join(folder, "said")
    folder = tempfile.mkdtemp(dir=folder)
    with Session(folder, "--subbuf-size=64k", "--num-subbuf=8") as session:
        session.lttng("add-context", "-u", "-c", "channel", "-t", "vpid")
        session.start()
        script = f"exec {program} {os.path.dirname(program)}/plugin.so >{said}"
        if session.trace(["sh", "-c", script], library(CYG), library(DL)).wait(60) != 0:
            raise Wrong("the program failed")
        session.end()
        with open(said, encoding="ascii") as file:
            return session.traces(), dict(line.split() for line in file)


def labels(histree, store):
    """What addresses are called, and their keys."""
    rows = csv.DictReader(run(histree, "info", "--labels", store, "--format", "csv", check=False).splitlines())
    return {row["value"]: (row["name"], row["key"]) for row in rows if row["value"].startswith("0x")}


def build(histree, store, traces, *words):
    return run("sh", "-c", 'exec "$@" 2>&1', "sh", histree, "build", "--force", "-a", "ust-calls,function-calls", "-o",
               store, *words, *traces)


def expect(what, found, wanted):
    if found != wanted:
        raise Wrong(f"{what}: {found} for {wanted}")


def check(histree, folder):
    compile_all(folder)
    store = os.path.join(folder, "program.histree")
    for name in ("program", "fixed"):
        program = os.path.join(folder, name)
        traces, truth = record(folder, program)
        build(histree, store, traces)
        found = labels(histree, store)
        expect("names", {address: known for address, (known, _) in found.items()}, truth)
        if name == "fixed":
            addresses = [address for address in truth if int(address, 16) < 1 << 32]
            lines = run("addr2line", "-e", program, *addresses).splitlines()
            expect("lines", [found[address][1] for address in addresses],
                   [f"{address} {os.path.basename(line)}" for address, line in zip(addresses, lines)])
        stacks = [line.rpartition(" ")[0] for line in run(histree, "flame", store, "--folded").splitlines()]
        wanted = ["main;plugin", "main;plugin;inner", "main;work", "main;work;middle", "main;work;middle;leaf", "work",
                  "work;middle", "work;middle;leaf"]
        expect("stacks", sorted(set(stacks) | {"main"}), sorted(["main", *wanted]))
        names = {line.split("\t")[3] for line in run(histree, "segments", store, "function-calls", "--format",
                                                     "tsv").splitlines()[1:]}
        expect("segments", names, set(truth.values()))

        build(histree, store, traces, "--symbols", "none")
        expect("labels of no place", labels(histree, store), {})
        build(histree, store, traces, "--symbols", said_table(folder, truth))
        expect("names of a table", {address: known for address, (known, _) in labels(histree, store).items()}, truth)

        # Another build of the program has its functions elsewhere: the addresses stay, and that is said.
        kept = os.path.join(folder, "root")
        shutil.rmtree(kept, ignore_errors=True)
        os.makedirs(kept + folder)
        shutil.copy(program, kept + folder)
        shutil.copy(os.path.join(folder, "plugin.so"), kept)  # not where it was, but by its name
        run("cc", "-g", "-finstrument-functions", "-Wl,--build-id", "-DOTHER", "-O1", "-o", program, program.replace("fixed",
            "program") + ".c", "-lpthread", "-ldl")
        said = build(histree, store, traces)
        expect("names of another build", sorted(known for known, _ in labels(histree, store).values()), ["inner", "plugin"])
        if not re.search(f"4 of 6 functions keep their addresses: here is another build of '{program}'.*--symbols", said):
            raise Wrong(f"another build is not said: {said}")
        build(histree, store, traces, "--symbols", kept)
        expect("names of a root", {address: known for address, (known, _) in labels(histree, store).items()}, truth)
    return "names of 2 programs and a library"


def check_sites(histree, folder):
    """Where calls were made, with what was inlined there, of a program that moves and of one that does not."""
    source, store = os.path.join(folder, "inlined.c"), os.path.join(folder, "inlined.histree")
    with open(source, "w", encoding="ascii") as file:
        file.write(INLINED)
    for version, more in (("4", ["-no-pie"]), ("5", [])):
        program = os.path.join(folder, "inlined")
        run("cc", "-g", f"-gdwarf-{version}", "-O2", "-finstrument-functions", "-Wl,--build-id", *more, "-o", program, source)
        traces, _ = record(folder, program)
        build(histree, store, traces)
        rows = csv.DictReader(run(histree, "segments", store, "function-calls", "--format", "csv").splitlines())
        calls = [(row["name"], row["caller"], row["site"]) for row in rows]
        expect("sites", [site for name, _, site in calls if name == "leaf"], SITES)
        expect("the site of work", [site for name, _, site in calls if name == "work"], ["main inlined.c:22"])
        build(histree, store, traces, "--symbols", "none")
        rows = csv.DictReader(run(histree, "segments", store, "function-calls", "--format", "csv").splitlines())
        expect("sites of no place", {row["site"] for row in rows}, {""})


def said_table(folder, truth):
    path = os.path.join(folder, "table")
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{address.removeprefix('0x')} t {name}\n" for address, name in truth.items())
    return path


def main():
    if not is_installed() or library(CYG) is None or library(DL) is None or shutil.which("addr2line") is None:
        print("LTTng, its libraries or a compiler are not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(check(os.path.abspath(sys.argv[1]), folder))
            check_sites(os.path.abspath(sys.argv[1]), folder)
        except Wrong as wrong:
            print(wrong)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
