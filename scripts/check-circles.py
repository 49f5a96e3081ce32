#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of src/ call one another in one direction: a circle of calls is two files that are one.

    check-circles.py BUILD       the objects of src/ in a folder that histree was built in, by what nm says of them
    check-circles.py --self-test show that a made-up circle is found

Includes are the matter of check-layers.py; a public header, or a header of two files, hides who calls whom.
"""
import collections
import pathlib
import re
import subprocess
import sys


def symbols(paths):
    """What each file defines and what it needs: query_query.c of query_query.c.o, which may be in several libraries."""
    objects = collections.defaultdict(lambda: (set(), set()))
    said = subprocess.run(["nm", "-P", "-A", "-g", *map(str, paths)], capture_output=True, text=True, check=True).stdout
    for line in said.splitlines():
        path, _, rest = line.rpartition(": ")
        file, (name, kind) = pathlib.PurePath(path).name[:-2], rest.split()[:2]
        if kind in "TDBRVW":
            objects[file][0].add(name)
        elif kind == "U":
            objects[file][1].add(name)
    return objects


def graph_of(objects):
    """Of each file, those that it calls, of {file: (defined, needed)}."""
    home = {name: file for file, (defined, _) in objects.items() for name in defined}
    return {file: {home[name] for name in needed if home.get(name, file) != file} for file, (_, needed) in objects.items()}


def circles(graph):
    """The strongly connected files, each circle once: what a file reaches that reaches it."""
    def reached(start):
        seen, todo = set(), [start]
        while todo:
            for each in graph[todo.pop()]:
                if each not in seen:
                    seen.add(each)
                    todo.append(each)
        return seen

    reach = {file: reached(file) for file in graph}
    return {frozenset({file, *(each for each in reach[file] if file in reach[each])}) for file in graph if file in reach[file]}


def self_test():
    found = circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()})
    if found != {frozenset({"b", "c"})}:
        sys.exit(f"self-test: {found}")
    print("self-test: a circle of two is found, and no other")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        return self_test()
    objects = symbols(path for path in sorted(pathlib.Path(sys.argv[1], "src").rglob("*.o"))
                      if not re.search(r"lib\w*_python|libhistree_sqlite", str(path)))
    if len(objects) < 200:
        sys.exit(f"check-circles: only {len(objects)} objects in '{sys.argv[1]}': build histree first")
    wrong = circles(graph_of(objects))
    for each in sorted(wrong, key=sorted):
        print(f"a circle of calls: {', '.join(sorted(each))}")
    if not wrong:
        print(f"{len(objects)} files, and no circle of calls")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
