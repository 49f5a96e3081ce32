#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The JSON of each verb is what docs/json.md says: check_json.py HISTREE [--write]

Each heading of the page is a command on a store of the demo trace; the table below it has the keys of its rows, in their
order, with their types. Real output must have these keys in each row, and values of these types. --write prints the page
anew, to be read before it is kept.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs/json.md"
HISTREE = pathlib.Path(sys.argv[1]).resolve()
HEADING = re.compile(r"^## `histree (.*)`$")
ROW = re.compile(r"^\| `([^`]+)` \| ([a-z, ]+) \|")
NAMES = {str: "text", bool: "truth", int: "integer", float: "number", type(None): "null", list: "list", dict: "object"}


def rows_of(command, folder):
    words = re.findall(r"'([^']*)'|(\S+)", command)
    done = subprocess.run([HISTREE, *(quoted or word for quoted, word in words), "--format", "json"], capture_output=True,
                          text=True, cwd=folder, check=False)
    if done.returncode != 0:
        sys.exit(f"histree {command}: {done.stderr}")
    return json.loads(done.stdout)


def keys_of(rows):
    """The types of each key, in the order in which they come."""
    found = {}
    for row in rows:
        for key, value in row.items():
            found.setdefault(key, set()).add(NAMES[type(value)])
    return found


def fits(found, said):
    return found <= said or (found <= said | {"integer"} and "number" in said)


def check(command, said, rows):
    wrong = [f"no rows"] if not rows else []
    found = keys_of(rows)
    if list(found) != list(said):
        wrong.append(f"the keys are {', '.join(found)}")
    wrong += [f"a row lacks {key}" for key in found if any(key not in row for row in rows)]
    wrong += [f"{key} is {', '.join(sorted(types))}" for key, types in found.items()
              if key in said and not fits(types, said[key])]
    for each in wrong:
        print(f"histree {command}: {each}")
    return not wrong


def main():
    sections, command, head = {}, None, []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        heading, row = HEADING.match(line), ROW.match(line)
        if heading:
            command = heading[1]
            sections[command] = {}
        elif row and command:
            sections[command][row[1]] = set(row[2].split(", "))
        elif command is None:
            head.append(line)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([HISTREE, "build", "-q", "-o", "demo.histree", ROOT / "demo/trace"], cwd=folder, check=True)
        answers = {command: rows_of(command, folder) for command in sections}
    if "--write" in sys.argv:
        print("\n".join(head).rstrip())
        for command, rows in answers.items():
            print(f"\n## `histree {command}`\n\n| key | value |\n|---|---|")
            for key, types in keys_of(rows).items():
                said = sections[command].get(key, set())
                print(f"| `{key}` | {', '.join(sorted(types | said, key=lambda name: (name == 'null', name)))} |")
        return 0
    results = [check(command, said, answers[command]) for command, said in sections.items()]
    print(f"{len(results)} answers")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
