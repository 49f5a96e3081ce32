#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What functions were inlined at an address: print_chains says the same as addr2line -i -f of each address of a program, with
DWARF 4 and 5, by gcc and clang, and of some addresses of a large file.

It is no difference that the outermost function is called as its symbol is, "work.cold", where addr2line takes the name that
the source has, or another one of that address.  binutils 2.40 read some ranges of clang's DWARF 5 wrongly, and take some
lines of headers for lines of the file that includes them; so llvm-symbolizer is the judge of clang, and of the large file
where it is installed.

usage: check_inlined.py PRINT_CHAINS FILE
Exit: 0 right, 1 wrong, 77 (skipped) where no addr2line or no compiler is installed.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

ADDRESSES = 20000
GCC_JUDGE = ["addr2line", "-a", "-i", "-f", "-e"]
CLANG_JUDGE = ["llvm-symbolizer", "--output-style=GNU", "--functions=linkage", "--no-demangle", "--inlines", "-a", "-e"]


def ask(words, path, addresses):
    """Chains by address: (name, file, line), the innermost first."""
    text = "".join(f"0x{address:x}\n" for address in addresses)
    lines = subprocess.run([*words, path], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    chains, chain = {}, None
    at = 0
    while at < len(lines):
        if lines[at].startswith("0x"):
            chain = chains.setdefault(int(lines[at], 16), [])
            at += 1
            continue
        file, _, line = lines[at + 1].split(" (disc")[0].rpartition(":")
        is_known = line not in ("0", "?")
        chain.append((lines[at], os.path.basename(file) if is_known else "??", line if is_known else "?"))
        at += 2
    return chains


def functions(path):
    """The addresses of all functions, and where each name is."""
    rows = [line.split() for line in subprocess.run(["nm", "-S", path], capture_output=True, text=True,
                                                    check=True).stdout.splitlines()]
    rows = [(int(row[0], 16), int(row[1], 16), row[3]) for row in rows if len(row) == 4 and row[2] in "tTwWi"]
    # addr2line takes what begins a program, of which there are no lines, for what was left out.
    return ([address for start, size, name in rows if name != "_start" for address in range(start, start + size)],
            {name: start for start, _, name in rows})


def is_same(found, wanted, places):
    if [found[:-1], found[-1][1:]] != [wanted[:-1], wanted[-1][1:]]:
        return False
    found, wanted = found[-1][0], wanted[-1][0]
    return found == wanted or found.startswith(wanted + ".") or places.get(found, -1) == places.get(wanted)


def without_files(chains):
    return {address: [(name, "", line) for name, _, line in chain] for address, chain in chains.items()}


def without_innermost_lines(chains):
    """libdw, and others, mix up the lines of functions that are left out with those of what is there."""
    return {address: [(chain[0][0], "", ""), *chain[1:]] for address, chain in chains.items()}


def compare(program, path, judge, addresses, places, ignored=None):
    """How many addresses have a chain of several functions; ends where one differs."""
    found, wanted = ask([program], path, addresses), ask(judge, path, addresses)
    if ignored is not None:
        found, wanted = ignored(found), ignored(wanted)
    wrong = [address for address in addresses if not is_same(found[address], wanted[address], places)]
    for address in wrong[:5]:
        print(f"{path}: 0x{address:x}: {found[address]} for {wanted[address]}")
    if wrong:
        sys.exit(f"{path}: {len(wrong)} of {len(addresses)} addresses differ")
    return sum(len(chain) > 1 for chain in wanted.values())


def check_programs(program, folder):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inlined.c")
    for compiler, judge in (("gcc", GCC_JUDGE), ("clang", CLANG_JUDGE)):
        if shutil.which(compiler) is None or shutil.which(judge[0]) is None:
            print(f"{compiler}: it or its judge is not installed")
            continue
        for version in "4", "5":
            for more in [], ["-no-pie"], ["-O3", "-ffunction-sections", "-Wl,--gc-sections"]:
                path = os.path.join(folder, "inlined")
                subprocess.run([compiler, "-O2", "-g", f"-gdwarf-{version}", *more, "-o", path, source], check=True)
                addresses, places = functions(path)
                ignored = without_innermost_lines if "-ffunction-sections" in more else None
                inlined = compare(program, path, judge, addresses, places, ignored)
                start = ask([program], path, [places["_start"]])[places["_start"]]
                if len(start) > 1 or start[0][1].startswith("inlined"):
                    sys.exit(f"{path}: _start is in a function that the linker left out")
                print(f"{compiler}, DWARF {version} {' '.join(more)}: {len(addresses)} addresses, {inlined} inlined")
                if inlined < 500:
                    sys.exit("next to nothing is inlined: this shows nothing")


def main():
    program, large = sys.argv[1:]
    if any(shutil.which(name) is None for name in ("addr2line", "nm", "gcc")):
        print("binutils or gcc are not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check_programs(program, folder)
    judge = GCC_JUDGE if shutil.which(CLANG_JUDGE[0]) is None else CLANG_JUDGE
    all_of, places = functions(large)
    seed = int(os.environ.get("HISTREE_SEED", "1"), 0)
    addresses = sorted(set(random.Random(seed).choices(all_of, k=ADDRESSES)))
    inlined = compare(program, large, judge, addresses, places, without_files if judge is GCC_JUDGE else None)
    print(f"{large}: {len(addresses)} addresses, {inlined} inlined, seed {seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
