# SPDX-License-Identifier: MIT
"""Build stores from traces, and wait for those that others build."""
import ctypes
import os
import queue
import threading
import warnings
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Union

from . import _abi
from ._errors import ArgumentError, CancelledError, DamageWarning, NotFoundError, error_of
from ._handles import Handle, Scope
from ._history import History
from ._library import cstring, encoded, lib
from ._store import Store
from ._times import Time, ns_of

Path = Union[str, "os.PathLike[str]"]


class Progress(NamedTuple):
    """How far a build is.  `share` is from 0 to 1, or None while nobody knows, as of a live session."""

    events: int
    bytes_done: int
    bytes_total: int
    seconds: float
    share: Optional[float]
    making_overviews: bool


class AvailableAnalysis(NamedTuple):
    """An analysis that a build can be asked for; `kind` is "states" or "segments"."""

    name: str
    version: int
    summary: str
    kind: str
    by_default: bool


def analyses() -> List[AvailableAnalysis]:
    """All analyses that this version knows.

    >>> import histree
    >>> "kernel" in [analysis.name for analysis in histree.analyses()]
    True
    """
    out: List[AvailableAnalysis] = []
    raw = _abi.AnalysisInfo()
    while lib.histree_analysis(len(out), ctypes.byref(raw)):
        out.append(AvailableAnalysis(raw.name.decode(), raw.version, raw.summary.decode("utf-8", "replace"),
                                     "segments" if raw.makes_segments else "states", raw.by_default))
    return out


class _Work:
    """A long call in a thread of its own, so that this one hears signals and may call back whoever waits."""

    def __init__(self) -> None:
        self.messages: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        self.stop = False
        self._cancel = _abi.GO_ON_CALL(self._go_on)

    def _go_on(self, _context: Any) -> bool:
        return not self.stop

    def cancel_of(self, options: Any) -> None:
        """Let these options end the call."""
        options.work.go_on = self._cancel

    def run(self, work: Callable[[], Any], tell: Optional[Callable[[Any], Any]] = None) -> Any:
        """Do the work and return what it returns; what it says meanwhile is told here."""
        done = object()
        result: List[Any] = []

        def body() -> None:
            try:
                result.append((work(), None))
            except BaseException as raised:
                result.append((None, raised))
            self.messages.put(done)

        thread = threading.Thread(target=body, name="histree", daemon=True)
        thread.start()
        try:
            while True:
                message = self.messages.get()
                if message is done:
                    break
                if tell is not None:
                    tell(message)
        finally:
            self.stop = True
            # The call uses what this function holds; it asks 'go_on' often, so this is short.
            thread.join()
        value, raised = result[0]
        if raised is not None:
            raise raised
        return value


def _strings(texts: Sequence[bytes]) -> Any:
    return (ctypes.c_char_p * max(len(texts), 1))(*texts)


def build(traces: Union[Path, Sequence[Path]], output: Optional[Path], *, analyses: Optional[Sequence[str]] = None,
          progress: Optional[Callable[[Progress], Any]] = None, force: bool = False, add: bool = False,
          resume: bool = False, ignore_gaps: bool = False, overviews: bool = True, memory_max: int = 0,
          variant: Optional[str] = None, publish_seconds: float = 0) -> Union[Store, History]:
    """Build a store from a trace, or from several that are one experiment, and open it.

    `progress` is called now and then with a Progress, in the thread of the caller.  Ctrl-C, or an exception that
    `progress` raises, cancels the build, which then leaves nothing.  Where some of the trace could not be read, the
    store is made and a DamageWarning says so.  By default all analyses that apply to the trace are made; with `add`,
    they are added to the store of that name, which was made of the same traces, and is the old one or the new one at
    each moment.  Without an output there is no store: the history of the one analysis that is asked for is made in
    memory.

    >>> import histree
    >>> history = histree.build(TRACE, None, analyses=["kernel"])
    >>> history.state("CPUs/0/Current_thread", at="+12ms")
    14322
    """
    if isinstance(traces, (str, bytes, os.PathLike)):
        traces = [traces]
    if isinstance(analyses, str):
        analyses = [analyses]
    if not traces:
        raise ArgumentError("there is no trace to build from")
    options, work = _abi.BuildOptions(), _Work()
    names = _strings([encoded(each) for each in traces])
    wanted = _strings([cstring(each, "the analysis") for each in analyses or ()])
    result = _abi.BuildResult()
    options.traces, options.trace_count = names, len(traces)
    if output is not None:
        options.store = encoded(output)
    else:
        if analyses is None or len(analyses) != 1:
            raise ArgumentError("a history in memory is that of one analysis: analyses=['kernel']")
        options.backend = _abi.BACKENDS["BACKEND_MEMORY"]
        options.result = ctypes.pointer(result)
    if analyses is not None:
        options.analyses, options.analysis_count = wanted, len(analyses)
    options.force, options.add, options.resume, options.ignore_gaps = force, add, resume, ignore_gaps
    options.no_overviews = not overviews
    options.publish_ns = int(publish_seconds * 1e9)
    options.tree.memory_max = memory_max
    if variant is not None:
        options.tree.variant = cstring(variant, "the variant")
    work.cancel_of(options)

    if progress is not None:
        options.work.progress = _abi.PROGRESS_CALL(lambda _context, raw: work.messages.put(_progress_of(raw.contents)))
    error = _abi.Error()
    status = work.run(lambda: lib.histree_build(ctypes.byref(options), ctypes.byref(error)), progress)
    if status < 0:
        raise error_of(status, error)
    if status == _abi.STATUSES["PARTIAL"]:
        warnings.warn(error.message.decode("utf-8", "replace"), DamageWarning, 2)
    if output is not None:
        return Store(output)
    handle = Handle(result.history, lib.histree_history_close)
    return History(handle, Scope(f"a history of '{os.fspath(traces[0])}' in memory"))


def _progress_of(raw: Any) -> Progress:
    share: Optional[float] = None
    if raw.bytes_total:
        share = min(raw.bytes / raw.bytes_total, 1.0)
    return Progress(raw.rows, raw.bytes, raw.bytes_total, raw.elapsed_ns / 1e9, share, raw.overviews_share > 0)


def wait(path: Path, *, until: Optional[Time] = None, timeout: Optional[float] = None, analysis: Optional[str] = None,
         times: str = "ns") -> History:
    """Open the history of a store that may be growing, once it is complete or has reached `until`.

    It never changes; to see more, wait again.  NotFoundError if `timeout`, in seconds, is over.

    >>> import histree
    >>> histree.wait(DEMO, timeout=1).info.complete
    True
    """
    work = _Work()
    options = _abi.StoreWait(until=_abi.TIME_MAX if until is None else ns_of(until),
                             timeout_ns=-1 if timeout is None else max(0, int(timeout * 1e9)))
    work.cancel_of(options)
    out, error = ctypes.c_void_p(), _abi.Error()
    name = None if analysis is None else cstring(analysis, "the analysis")
    raw = encoded(path)
    status = work.run(lambda: lib.histree_store_wait(raw, name, ctypes.byref(options), None, ctypes.byref(out),
                                                     ctypes.byref(error)))
    if status == _abi.STATUSES["NOT_FOUND"]:
        text = error.message.decode("utf-8", "replace")
        raise NotFoundError(text or f"'{os.fspath(path)}' has no such history yet")
    if status == _abi.STATUSES["ERR_CANCELLED"]:
        raise CancelledError("the wait was ended")
    if status != 0:
        raise error_of(status, error)
    return History(Handle(out.value, lib.histree_history_close), Scope(f"'{os.fspath(path)}'"), times)
