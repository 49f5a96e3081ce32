#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual and the command say the same: check_man.py HISTREE FOLDER

Each verb of `histree help` has a page in FOLDER and stands in histree.1; each option of `histree VERB --help`
has its entry there with the same letter and the same argument, and no page has an option that there is not.
"""
import pathlib
import re
import subprocess
import sys

HELP_LINE = re.compile(r"^  (?:-(\w), |    )--([\w-]+)(?: ([A-Z]+))?(?:  |$)")
ENTRY = re.compile(r"(?:\*-(\w)\*, )?\*--([\w-]+)\*(?: _([A-Z]+)_)?")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def options_of_help(text):
    found = filter(None, map(HELP_LINE.match, text.splitlines()))
    return {(line[1] or "", line[2], line[3] or "") for line in found}


def options_of_page(page):
    """Entries: lines of the section OPTIONS that are not indented and begin with an option."""
    section = re.search(r"^# OPTIONS$(.*?)^# ", page, re.M | re.S)
    options = set()
    for line in (section[1] if section else "").splitlines():
        if line.startswith("*-"):
            options |= {(found[1] or "", found[2], found[3] or "") for found in ENTRY.finditer(line)}
    return options


def faults(histree, folder):
    verbs = re.findall(r"^  ([a-z]+) ", output(histree, "--help"), re.M)
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
        helped, written = options_of_help(output(histree, verb, "--help")), options_of_page(page)
        for letter, name, argument in sorted(helped - written):
            yield f"{path.name} has no entry '{'-' + letter + ', ' if letter else ''}--{name} {argument}'".rstrip()
        for letter, name, argument in sorted(written - helped):
            yield f"{path.name} has '--{name} {argument}', 'histree {verb} --help' has not".rstrip()
    for path in folder.glob("histree-*.1.scd"):
        if path.name.removeprefix("histree-").removesuffix(".1.scd") not in verbs:
            yield f"{path.name} is the page of no verb"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    lines = list(faults(sys.argv[1], pathlib.Path(sys.argv[2])))
    print("\n".join(lines) if lines else "the manual names each option, and no other")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
