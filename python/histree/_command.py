# SPDX-License-Identifier: MIT
"""Answers that the command works out: where the time went, why a thread took so long, what differs, pictures and pages.

A method is a verb or a form of one, and its arguments are the verb's options: `store.top(by="process", from_="+1s",
limit=5)` is `histree top STORE --by process --from +1s --limit 5`, and histree-top(1) says what each means.  So Python
and the command cannot answer differently.
"""
import html
import json
import os
import re
import shutil
import subprocess
import warnings
from typing import Any, Dict, List, Sequence

from ._errors import (ArgumentError, DamageWarning, ExistsError, InputOutputError, InternalError, LibraryError, NotFoundError,
                      in_python)
from ._library import folder, module
from ._times import ns_of

_TIMES = ("start", "end", "time")  # of columns, also behind a "_"
_OK, _NOTHING, _USAGE, _INPUT = range(4)


class Table(List[Dict[str, Any]]):
    """Rows as dicts, in the order of the command; a notebook shows them as a table.

    >>> import histree
    >>> rows = histree.open(DEMO).top(limit=2)
    >>> [row["name"] for row in rows]
    ['awake', 'awake']
    >>> str(rows.to_pandas().dtypes["thread"])
    'int64'
    """

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame, in which times are datetime64[ns, UTC]."""
        pandas = module("pandas")

        frame = pandas.DataFrame(list(self))
        for name in frame.columns:
            if name in _TIMES or name.endswith(tuple(f"_{each}" for each in _TIMES)):
                frame[name] = pandas.to_datetime(frame[name], unit="ns", utc=True)
        return frame

    def _repr_html_(self) -> str:
        names = list(self[0]) if self else []
        cells = ["".join(f"<td>{html.escape('' if row[name] is None else str(row[name]))}</td>" for name in names)
                 for row in self]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


class _Text(str):
    def save(self, path: "os.PathLike[str] | str") -> None:
        """Write it to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)


class Picture(_Text):
    """An SVG, which a notebook shows."""

    def _repr_svg_(self) -> str:
        return str(self)


class Page(_Text):
    """A page of HTML, which a notebook shows in a frame of its own."""

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self)}" style="width: 100%; height: 40em; border: 0"></iframe>'


class Flame(Table):
    """The nodes of a flame graph, and its picture."""

    def __init__(self, rows: Sequence[Dict[str, Any]], words: Sequence[str]) -> None:
        super().__init__(rows)
        self._words = list(words)

    @property
    def svg(self) -> Picture:
        """The flame graph, as a notebook shows it."""
        return Picture(_printed(_with(self._words, "--output", "-")))

    def _repr_svg_(self) -> str:
        return str(self.svg)


def _command() -> str:
    """The command: of the build or the prefix that the library is of, or the one that a shell finds."""
    beside = [] if folder is None else [folder / "cli" / "histree", *(each / "bin" / "histree" for each in folder.parents)]
    for path in beside:
        if os.access(path, os.X_OK) and path.is_file():
            return str(path)
    found = shutil.which("histree")
    if found is None:
        raise LibraryError("the command 'histree' was found neither beside the library nor on PATH; top(), why() and "
                           "others ask it (Debian: the package 'histree')")
    return found


def _word(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(_word, value))
    return str(value) if isinstance(value, (str, int, float, os.PathLike)) else str(ns_of(value))


def _refuse(verb: str, keyword: str) -> None:
    raise ArgumentError(f"'{keyword}' is no keyword here; 'histree {verb} --help' describes those that there are")


def _words(verb: str, words: Sequence[Any], options: Dict[str, Any]) -> List[str]:
    line = [verb]
    if "help" in options:
        _refuse(verb, "help")
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            line.append(option)
        elif value is not None and value is not False:
            line += [option, _word(value)]
    return [*line, "--", *map(_word, words)]


def _with(words: Sequence[str], *option: str) -> List[str]:
    """A line of the command with one more option, before the words that are none."""
    separator = words.index("--")
    return [*words[:separator], *option, *words[separator:]]


def _run(words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    command, environment = _command(), dict(os.environ)
    if folder is not None and command.startswith(str(folder)):  # a wheel has the libraries of both
        environment["LD_LIBRARY_PATH"] = f"{folder}:{environment.get('LD_LIBRARY_PATH', '')}".rstrip(":")
    return subprocess.run([command, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          encoding="utf-8", errors="surrogateescape", env=environment)


def _raise(status: int, said: str) -> None:
    text = in_python(re.sub(r"^histree: ", "", said.strip().split("\n")[-1]))
    if status == _NOTHING:
        raise NotFoundError(text)
    if status == _USAGE:
        raise ArgumentError(text)
    if status == _INPUT:
        raise ExistsError(text) if "exists already" in text else InputOutputError(text)
    raise InternalError(text)


def _printed(words: Sequence[str], *, is_answer: bool = True) -> str:
    """What the command prints.  An answer may have no rows, or lack what damage took; anything else is done or not."""
    done = _run(words)
    if done.returncode == _OK or (is_answer and done.returncode == _NOTHING and done.stdout):
        return done.stdout
    if is_answer and done.returncode == _INPUT and done.stdout.strip() not in ("", "[", "[]"):
        warnings.warn(done.stderr.strip(), DamageWarning, 4)
        return done.stdout
    _raise(done.returncode, done.stderr)
    raise AssertionError


def _rows(words: Sequence[str]) -> List[Dict[str, Any]]:
    if "--format" in words[:words.index("--")]:  # which is JSON, since it is read here
        _refuse(words[0], "format")
    text = _printed(_with(words, "--format", "json")).strip()
    rows: List[Dict[str, Any]] = json.loads(text) if text else []
    return rows


class Asked:
    """What a store is asked by the command; see the module.  Keywords are options: `from_`, `to`, `by`, `limit`, ..."""

    path: str

    def _use(self) -> Any:
        raise NotImplementedError

    def _table(self, verb: str, words: Sequence[Any], options: Dict[str, Any]) -> Table:
        self._use()
        return Table(_rows(_words(verb, [self.path, *words], options)))

    def _do(self, verb: str, words: Sequence[Any], options: Dict[str, Any], *, is_answer: bool) -> str:
        self._use()
        return _printed(_words(verb, [self.path, *words], options), is_answer=is_answer)

    def top(self, **options: Any) -> Table:
        """What threads did with their time: by thread, process, CPU, ...; see histree-top(1).

        >>> import histree
        >>> [(row["process"], row["name"]) for row in histree.open(DEMO).top(by="process", where="name == burn", limit=1)]
        [(14321, 'burn')]
        """
        return self._table("top", [], options)

    def why(self, thread: Any, **options: Any) -> Table:
        """What a thread waited for, by cause, or with table="threads" or "waits"; needs "graph"; see histree-why(1)."""
        return self._table("why", [thread], options)

    def critical_path(self, thread: Any, **options: Any) -> Table:
        """The path of waits behind a thread; needs the analysis "graph"; see histree-why(1)."""
        totals = options.pop("totals", False)
        return self._table("why", [thread], {"table": "totals" if totals else "steps", "rules": "trace-compass", **options})

    def flame(self, *threads: Any, **options: Any) -> Flame:
        """Call stacks, samples, or with waits=True what threads waited for; `.svg` is the picture; see histree-flame(1)."""
        self._use()
        words = _words("flame", [self.path, *threads], options)
        return Flame(_rows(words), words)

    def stats(self, analysis: str, **options: Any) -> Table:
        """How long segments lasted, by one of their fields; see histree-segments(1).

        >>> import histree
        >>> histree.open(DEMO).stats("system-calls", limit=1)[0]["value"]
        'futex'
        """
        return self._table("segments", [analysis], {"by": "name", **options})

    def density(self, analysis: str, **options: Any) -> Table:
        """How many segments there were of each duration; see histree-segments(1)."""
        return self._table("segments", [analysis], {"histogram": True, **options})

    def compare(self, other: Any, **options: Any) -> Table:
        """What differs between this store and another one, or two times of one; see histree-compare(1)."""
        return self._table("compare", [getattr(other, "path", other)], options)

    def numbers(self, *patterns: str, **options: Any) -> Table:
        """The least, mean and greatest number that attributes had, or with growth=True by how much they grew; see histree-states(1).

        >>> import histree
        >>> histree.open(DEMO).numbers("Threads/*/Prio", where="name == burn", limit=1)[0]["max"]
        120
        """
        return self._table("states", patterns, {"numbers": True, **options})

    def report(self, **options: Any) -> Page:
        """The page of `histree report`, with pictures; see histree-report(1)."""
        return Page(self._do("report", [], {**options, "html": "-"}, is_answer=True))

    def draw(self, *patterns: str, **options: Any) -> Picture:
        """A picture of states or numbers over time, or of the tree; see histree-draw(1)."""
        self._use()
        return drawing(self.path, patterns, options)

    def export(self, path: Any, *patterns: str, **options: Any) -> None:
        """Write states, segments or events in the format of another tool, by the end of the name; see histree-export(1)."""
        self._do("export", patterns, {**options, "output": path}, is_answer=False)

    def copy(self, path: Any, **options: Any) -> None:
        """Make a store of a part of the time, or of some threads; see histree-copy(1)."""
        self._do("copy", [path], options, is_answer=False)

    def add(self, *analyses: str, **options: Any) -> None:
        """Add analyses to the store, from its trace; open it again to see them; see histree-add(1)."""
        self._do("add", [",".join(analyses)], options, is_answer=False)


def drawing(path: str, patterns: Sequence[str], options: Dict[str, Any]) -> Picture:
    """The picture of the rows of a query of states, or of a store."""
    return Picture(_printed(_words("draw", [path, *patterns], {**options, "output": "-"}), is_answer=False))
