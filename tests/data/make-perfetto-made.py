#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write tests/data/perfetto-made: small traces of Perfetto, with ftrace events and tracks, in two forms."""
import gzip
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "perfetto"))
import perfetto_trace as pt  # noqa: E402 (a folder beside this one)


def switch(time, before, after):
    return pt.ftrace_event(time, before, "sched:sched_switch", {
        "prev_comm": f"t{before}", "prev_pid": before, "prev_prio": 120, "prev_state": 1, "next_comm": f"t{after}",
        "next_pid": after, "next_prio": 120})


def span(kind, name=None, value=b""):
    out = pt.number(9, kind) + (pt.number(10, 1) if name is None else pt.data(23, name)) + value
    return pt.data(11, out)


def both():
    yield pt.clocks((pt.BOOTTIME, 1000), (pt.REALTIME, 1_700_000_000_000_001_000))
    yield pt.system(name="box")
    yield pt.packet(pt.data(60, pt.number(1, 5) + pt.data(4, pt.number(1, 10) + pt.number(2, 11) + pt.data(5, "main"))),
                    sequence=3, flags=1)
    yield pt.packet(pt.data(59, pt.data(11, pt.number(11, 5))), pt.data(12, pt.data(2, pt.number(1, 1) + pt.data(2, "load"))),
                    span(1, value=pt.data(4, pt.data(10, "url") + pt.data(6, "http://x"))), time=2000, sequence=3, flags=2)
    yield pt.bundle(0, [switch(2000, 0, 11), switch(4000, 11, 0)], sequence=2)
    yield pt.marker()
    yield pt.bundle(1, compact=pt.compact([(2500, 0, 12, 120, "t12"), (3500, 1, 0, 120, "idle")]), sequence=2)
    yield pt.bundle(0, [switch(9000, 0, 11), switch(9500, 11, 0)], sequence=2, lost=True)
    yield pt.process_tree([(10, 1, ["/usr/bin/browser"])], [(12, 10, "helper")], time=9600, sequence=4)
    yield pt.packet(span(2), time=8000, sequence=3, flags=2)


def written(time, thread, text):
    return pt.ftrace_event(time, thread, "ftrace:print", {"ip": 1, "buf": text + "\n"})


def markers():
    yield pt.clocks((pt.BOOTTIME, 0), (pt.REALTIME, 1_700_000_000_000_000_000))
    yield pt.bundle(0, [written(2000, 21, "B|20|outer"), written(2500, 22, "S|20|fetch|9"), written(3000, 21, "C|20|left|4"),
                        written(3500, 21, "no marker|20|x"), written(7000, 21, "E|20")], sequence=2)
    yield pt.bundle(1, [written(2600, 21, "B|20|inner"), written(2900, 21, "E|20"), written(9000, 22, "F|20|fetch|9")],
                    sequence=2)


def driver_markers():
    """Of mdss, whose events say only whether a span begins; of sde and mali, which have the letter of a marker."""
    def mdss(time, begins):
        return pt.ftrace_event(time, 21, 80, pt.number(1, 20) + pt.data(2, "commit") + pt.number(3, begins))

    def sde(time, letter, name, value=0):
        return pt.ftrace_event(time, 21, 333,
                               pt.number(1, 20) + pt.data(2, name) + pt.number(3, ord(letter)) + pt.number(4, value))

    def mali(time, letter):
        return pt.ftrace_event(time, 22, 350,
                               pt.data(1, "job") + pt.number(2, 22) + pt.number(3, ord(letter)) + pt.number(4, 9))

    yield pt.bundle(0, [mdss(1000, 1), sde(2000, "B", "flush"), sde(2500, "C", "depth", -3), sde(4000, "E", "flush"), mdss(5000, 0)],
                    sequence=2)
    yield pt.bundle(1, [mali(3000, "S"), mali(6000, "F")], sequence=2)


def states():
    yield pt.packet(pt.data(60, pt.number(1, 7) + pt.data(3, pt.number(1, 40) + pt.data(6, "modem"))), time=1, sequence=1, flags=1)
    yield pt.packet(pt.data(60, pt.number(1, 9) + pt.number(5, 7) + pt.data(2, "radio")), time=1, sequence=1)
    for time, name in (100, "idle"), (250, "sending"), (400, ""), (900, "idle"):
        yield pt.packet(pt.data(11, pt.number(9, 5) + pt.number(11, 9) + pt.data(23, name)), time=time, sequence=1)


def main():
    folder = HERE / "perfetto-made"
    folder.mkdir(exist_ok=True)
    data = pt.trace(both())
    (folder / "both.pftrace").write_bytes(data)
    (folder / "markers.pftrace").write_bytes(pt.trace(markers()))
    (folder / "driver-markers.pftrace").write_bytes(pt.trace(driver_markers()))
    (folder / "states.pftrace").write_bytes(pt.trace(states()))
    (folder / "both.pftrace.gz").write_bytes(gzip.compress(data, mtime=0))


main()
