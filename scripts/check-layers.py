#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A folder is a layer: a file includes only headers of layers below it, and of its own folder.  No circles.

    check-layers.py ROOT         check ROOT/src and ROOT/include/histree, and that files which CONTRIBUTING.md and
                                 ARCHITECTURE.md name are there; one line for each violation
    check-layers.py --self-test  show that made-up violations are found
"""
import pathlib
import re
import sys
import tempfile

LAYERS = {  # folder of src/: level; folders of one level do not know each other
    "base": 0, "item": 1, "text": 1, "node": 2, "store": 3, "tree": 4, "segment_tree": 4, "state": 5, "segment": 5, "event": 5, "symbols": 5,
    "trace": 6, "analysis": 6, "clock": 6, "filter": 6, "query": 6, "graph": 6, "event_index": 7, "partial": 7, "store_folder": 7, "overview": 7,
    "columns": 7, "pipeline": 7, "view": 7, "draw": 8, "export": 8, "server": 8, "sql": 8, "python": 8, "cli": 9, "mpi": 9,
    "without": 10,
}
BELOW = {  # neighbours on one level, of which the first stands on the others
    "segment_tree": {"tree"}, "query": {"filter"}, "analysis": {"clock"}, "graph": {"query"},
    "store_folder": {"event_index", "partial"},
    "server": {"sql"},  # which answers statements of the page
    "mpi": {"cli"},  # what `histree states` prints and `histree build` takes, from there
    "pipeline": {"event_index", "partial", "store_folder", "overview"},
}
ROOMS = {  # folders within a layer: level of each; "" is the layer's own files.  Rooms of one level do not know
    # each other.  A layer that is not in this table has no rule inside.
    "server": {"text": 0, "catalogue": 1, "http": 2, "model": 2, "tsp": 3, "api": 3, "web": 3, "": 4},
    "analysis": {"": 0, "kernel": 1, "graph": 2, "samples": 1, "tracks": 1, "ust": 2, "program": 1, "language": 2, "xml": 2, "definition": 3},
    "export": {"": 0, "arrow": 1, "csv": 1, "parquet": 1, "sqlite": 1, "viewer": 1, "chrome": 2, "perfetto": 2},
    "pipeline": {"": 0, "build": 1, "load": 1, "copy": 1, "hosts": 2},
}
PUBLIC = {  # header of include/histree/: level of the layer that it speaks for
    "cursor.h": 0, "status.h": 0, "value.h": 0,
    "attributes.h": 5, "history.h": 5, "segments.h": 5,
    "critical_path.h": 6, "filter.h": 6, "segment_stats.h": 6, "states.h": 6,
    "build.h": 7, "columns.h": 7, "events.h": 7, "store.h": 7, "time_use.h": 7,
    "export.h": 8,
    "histree.h": 9,
}
STRUCTS = {  # public headers above a folder that declare structs which it takes or fills, or what it does; it calls nothing of them
    "item": {"segments.h"},
    "tree": {"history.h", "states.h", "segments.h"},  # options, info, region, order
    "segment_tree": {"segments.h"},
    "clock": {"store.h"},  # clocks of hosts
    "trace": {"store.h"},
}
# Of the programs of this project: their functions are exported, as those of public headers are, but they are no promise.
PROGRAMS = {"view/view.h", "draw/pictures.h", "pipeline/slices.h"}
# They use the library as everybody does: public headers, and base/; and the headers of PROGRAMS.
ONLY = {"cli": {"base", "server", "sql"}, "mpi": {"base", "cli"}, "server": {"base", "sql"}, "sql": {"base"}, "python": set()}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([a-z0-9_]+)/([a-z0-9_/.]+)[">]')
NEIGHBOUR = re.compile(r'^\s*#\s*include\s+"([a-z0-9_.]+)"')


def fault(folder, level, owner, name):
    """What is wrong with including owner/name from a file of `folder` at `level`; None if nothing is."""
    if owner == "histree":
        if name not in PUBLIC:
            return f"'histree/{name}' is not in the table of public headers"
        high = PUBLIC[name] > level and name not in STRUCTS.get(folder, ())
        return f"'histree/{name}' is of a higher level" if high else None
    if owner not in LAYERS or owner == folder:
        return None  # a system header such as <sys/stat.h>, or its own folder
    if folder not in LAYERS:
        return f"a public header includes '{owner}/{name}'"
    if f"{owner}/{name}" in PROGRAMS and folder in ONLY:
        return None
    if owner not in ONLY.get(folder, {owner}):
        return f"'{folder}' may include public headers and {', '.join(ONLY[folder])} only, not '{owner}/{name}'"
    if owner in BELOW.get(folder, ()):
        return None
    return f"'{owner}/{name}' is not of a layer below '{folder}'" if LAYERS[owner] >= level else None


def room_fault(folder, room, name):
    """What is wrong with including folder/name from a file of the same layer in `room`; None if nothing is."""
    rooms = ROOMS.get(folder)
    if rooms is None:
        return None
    owner = name.rpartition("/")[0]
    for each in (room, owner):
        if each not in rooms:
            return f"'{folder}/{each}' is not in the table of rooms"
    if owner == room or rooms[owner] < rooms[room]:
        return None
    return f"'{folder}/{name}' is not of a room below '{folder}/{room}'"


def check(root):
    """Yield a line for each violation below `root`."""
    for path in sorted([*root.glob("src/**/*.[ch]"), *root.glob("include/histree/**/*.h")]):
        inside = path.relative_to(root / "src").parts if path.is_relative_to(root / "src") else ()
        folder = inside[0] if inside else "histree"
        table = LAYERS if inside else PUBLIC
        level = table.get(folder if inside else path.name)
        if level is None:
            yield f"{path.relative_to(root)}:1: not in the table of layers in scripts/check-layers.py"
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = INCLUDE.match(line)
            near = NEIGHBOUR.match(line)
            why = fault(folder, level, *found.groups()) if found else None
            if found and found[1] == folder and inside:
                why = room_fault(folder, "/".join(inside[1:-1]), found[2])
            if near:  # "value.h": the form of the public headers among themselves
                why = "say the folder of an included header" if inside else fault(folder, level, "histree", near[1])
            if why:
                yield f"{path.relative_to(root)}:{number}: {why}"


def circles(root):
    """Yield a line for each set of files of src/ that include one another in a circle; NAME.c and NAME.h are one."""
    graph = {}
    for path in sorted(root.glob("src/**/*.[ch]")):
        name = str(path.relative_to(root / "src").with_suffix(""))
        included = {f"{found[1]}/{found[2]}".removesuffix(".h")
                    for found in map(INCLUDE.match, path.read_text(encoding="utf-8").splitlines()) if found}
        graph.setdefault(name, set()).update(included - {name})

    def reachable(name):
        seen, todo = set(), [name]
        while todo:
            for each in graph.get(todo.pop(), ()):
                if each not in seen:
                    seen.add(each)
                    todo.append(each)
        return seen

    reach = {name: reachable(name) for name in graph}
    told = set()
    for name in graph:
        circle = {name} | {each for each in reach[name] if name in reach.get(each, ())}
        if len(circle) > 1 and not circle & told:
            told |= circle
            yield f"src/{name}: in a circle of includes with {', '.join(sorted(circle - {name}))}"


GUIDED = re.compile(r"`((?:src|scripts|docs|include)/[\w./-]+)`")


def guides(root):
    """Yield a line for each file or folder that a guide sends its reader to and that there is not."""
    for name in "CONTRIBUTING.md", "ARCHITECTURE.md":
        text = (root / name).read_text(encoding="utf-8") if (root / name).exists() else ""
        for number, line in enumerate(text.splitlines(), 1):
            for path in GUIDED.findall(line):
                if "NAME" not in path and "LAYER" not in path and not (root / path).exists():
                    yield f"{name}:{number}: there is no '{path}'"


def self_test():
    """A small tree with one violation of each kind, and files that are right."""
    bad = {
        "src/node/up.c": '#include "tree/tree_writer.h"\n',
        "src/trace/side.c": '#include "analysis/analysis.h"\n',
        "src/cli/deep.c": '#include "tree/tree_reader.h"\n',
        "src/node/public_up.c": '#include "histree/states.h"\n',
        "src/node/bare.c": '#include "node.h"\n',
        "src/base/unlisted.c": '#include "histree/news.h"\n',
        "src/attic/unknown.c": "\n",
        "src/tree/neighbour.c": '#include "segment_tree/segment_scan.h"\n',
        "src/server/http/up.c": '#include "server/tsp/outputs.h"\n',
        "src/analysis/kernel/aside.c": '#include "analysis/ust/call_stacks.h"\n',
        "src/server/cellar/unknown.c": '#include "server/http/http.h"\n',
        "include/histree/value.h": '#include "store.h"\n',
        "include/histree/store.h": '#include "store/block_file.h"\n',
    }
    circle = {
        "src/base/round.h": '#include "base/about.h"\n',
        "src/base/about.c": '#include "base/round.h"\n',
    }
    good = {
        "src/segment_tree/stands_on.c": '#include "tree/tree_reader.h"\n',
        "src/server/tsp/down.c": '#include "server/http/http.h"\n#include "server/tsp/outputs.h"\n',
        "src/tree/down.c": '#include <sys/stat.h>\n#include "histree/value.h"\n#include "node/node.h"\n',
        "src/cli/right.c": '#include "histree/histree.h"\n#include "view/view.h"\n#include "base/error.h"\n#include "cli/options.h"\n',
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**bad, **good}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        found = sorted(line.split(":")[0] for line in check(root))
        for name, text in circle.items():
            (root / name).write_text(text, encoding="utf-8")
        round_trips = list(circles(root))
        (root / "CONTRIBUTING.md").write_text("a row in `src/tree/down.c`, or in `src/tree/gone.c`\n", encoding="utf-8")
        astray = list(guides(root))
    if found != sorted(bad):
        sys.exit(f"self-test: expected {sorted(bad)}, found {found}")
    if len(round_trips) != 1:
        sys.exit(f"self-test: expected one circle, found {round_trips}")
    if astray != ["CONTRIBUTING.md:1: there is no 'src/tree/gone.c'"]:
        sys.exit(f"self-test: expected one path that leads nowhere, found {astray}")
    print(f"self-test: {len(bad)} violations found, {len(good)} right files passed")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    lines = [*check(root), *circles(root), *guides(root)]
    print("\n".join(lines) if lines else "every include goes down, none in a circle")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
