#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual and the command say the same: check_man.py HISTREE FOLDER

Each verb of `histree help` has a page in FOLDER and an entry in histree.1. Each option of `histree VERB --help` has
one entry in the page of that verb, with the same letter and the same argument, and no page has any other option. Help
and page call the verb the same. No page has a backslash that scdoc swallows: a reader would copy "awk -F 't'".
"""
import collections
import pathlib
import re
import subprocess
import sys

HELP_LINE = re.compile(r"^  (?:-(\w), |    )--([\w-]+)(?: ([A-Z][A-Z=]*))?(?:  |$)")
SWALLOWED = re.compile(r"(?<!\\)(?:\\\\)*\\[a-zA-Z]")
ENTRY = re.compile(r"(?:\*-(\w)\*, )?\*--([\w-]+)\*(?: _([A-Z][A-Z=]*)_)?")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def options_of_help(text):
    found = filter(None, map(HELP_LINE.match, text.splitlines()))
    return {(line[1] or "", line[2], line[3] or "") for line in found}


def options_of_page(page):
    """Entries: lines of the section OPTIONS that are not indented and begin with an option.  One that is documented
    twice is in the list twice."""
    section = re.search(r"^# OPTIONS$(.*?)^# ", page, re.M | re.S)
    lines = (section[1] if section else "").splitlines()
    return [(found[1] or "", found[2], found[3] or "")
            for line in lines if line.startswith("*-") for found in ENTRY.finditer(line)]


def summary_of_help(text):
    """The sentence after the line of usage, without its capital and its period."""
    sentence = text.split("\n\n")[1].replace("\n", " ")
    return sentence[0].lower() + sentence[1:].rstrip(".")


def summary_of_page(page, verb):
    name = re.search(rf"^# NAME\n\nhistree-{verb} - (.*)$", page, re.M)
    return name[1] if name else ""


def faults(histree, folder):
    verbs = re.findall(r"^  ([a-z-]+) ", output(histree, "--help"), re.M)
    overview = (folder / "histree.1.scd").read_text(encoding="utf-8")
    if not verbs:
        yield "'histree --help' lists no verbs"
    for verb in verbs:
        if not re.search(rf"^\*{verb}\*", overview, re.M):
            yield f"histree.1 does not tell of '{verb}'"
        if verb == "help":
            continue  # histree.1 is its page
        path = folder / f"histree-{verb}.1.scd"
        if not path.is_file():
            yield f"there is no {path.name}"
            continue
        page = path.read_text(encoding="utf-8")
        if "\n# EXAMPLES\n" not in page:
            yield f"{path.name} has no examples"
        text = output(histree, verb, "--help")
        if summary_of_help(text) != summary_of_page(page, verb):
            yield f"{path.name} says '{summary_of_page(page, verb)}', its help '{summary_of_help(text)}'"
        entries = options_of_page(page)
        for name, count in collections.Counter(name for _, name, _ in entries).items():
            if count > 1:
                yield f"{path.name} documents '--{name}' {count} times"
        helped, written = options_of_help(text), set(entries)
        for letter, name, argument in sorted(helped - written):
            yield f"{path.name} has no entry '{'-' + letter + ', ' if letter else ''}--{name} {argument}'".rstrip()
        for letter, name, argument in sorted(written - helped):
            yield f"{path.name} has '--{name} {argument}', 'histree {verb} --help' has not".rstrip()
    for path in sorted(folder.glob("*.scd")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if SWALLOWED.search(line):
                yield f"{path.name}:{number}: a backslash before a letter is lost; write two"
    for path in folder.glob("histree-*.1.scd"):
        if path.name.removeprefix("histree-").removesuffix(".1.scd") not in [*verbs, "mpi"]:
            yield f"{path.name} is the page of no verb"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    lines = list(faults(sys.argv[1], pathlib.Path(sys.argv[2])))
    print("\n".join(lines) if lines else "the manual documents each option once, and no other")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
