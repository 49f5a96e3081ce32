#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whatever is closed, dropped, kept or shared in whatever order: a closed thing raises, and nothing crashes.

Each scene runs in a process of its own, so that a crash is a failed test and not the end of them.
"""
import ctypes
import os
import random
import signal
import subprocess
import sys
import threading
import unittest

from support import demo, histree, main

from histree._glue import own

HERE = os.path.dirname(os.path.abspath(__file__))


def scene(function):
    """Run a function of this file in a new process, with Python's own checks of memory on; it must end well."""
    def test(self):
        done = subprocess.run(
            [sys.executable, "-X", "dev", "-W", "error", "-c",
             f"import sys; sys.path.insert(0, {HERE!r}); import test_lifetimes as t; t.{function.__name__}({demo()!r})"],
            capture_output=True, text=True, check=False, timeout=120, env={**os.environ, "PYTHONMALLOC": "debug"})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
    return test


def raises(kind, action, text=""):
    try:
        action()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(f"{kind.__name__} was not raised")


# ---- scenes ----


def a_signal_while_an_object_is_freed_is_not_lost(_path):
    # raise(SIGINT) is what frees the object, so that the signal comes exactly then.
    kept = own(signal.SIGINT, ctypes.CDLL(None)["raise"])
    try:
        del kept
        for _ in range(1000):
            pass
    except KeyboardInterrupt:
        return
    raise AssertionError("the signal was lost")


def closed_things_raise(path):
    store = histree.open(path)
    history, query = store.history(), store.states("Threads/*")
    rows, batches = iter(query), query.batches()
    segments, events = iter(store.segments("system-calls")), store.events()
    statement = store.sql("SELECT path FROM attributes")
    next(rows), next(segments), next(events), next(statement)
    batch = next(batches)
    store.close()
    store.close()
    for action in (lambda: store.info, lambda: store.states(), lambda: store.segments("system-calls"),
                   lambda: store.attributes(), lambda: store.sql("SELECT 1"), lambda: store.history(), lambda: history.info,
                   lambda: history.states(), lambda: store.events(), lambda: list(query),
                   lambda: query.__arrow_c_stream__(), lambda: next(events), lambda: next(statement), lambda: next(batches),
                   lambda: store.gaps, store.__enter__, lambda: store.connection(), lambda: query.first()):
        raises(histree.ClosedError, action, "closed; open it again")
    # Rows of a batch that was read stay, then it is over.
    raises(histree.ClosedError, lambda: [None for _ in rows])
    raises(histree.ClosedError, lambda: [None for _ in segments])
    assert len(batch.list("path")) == len(batch)


def a_history_of_a_closed_store(path):
    store = histree.open(path)
    history = store.history()
    history.close()
    raises(histree.ClosedError, lambda: history.states())
    # The store opens another one.
    assert store.history() is not history
    assert store.states("CPUs/0", at="+1ms").first() is not None
    with store:
        pass
    raises(histree.ClosedError, lambda: store.history())


def everything_in_any_order(path):
    import gc

    for seed in range(60):
        chance = random.Random(seed)
        things = []
        store = histree.open(path)
        things.append(store)
        makers = [
            lambda: store.history(), lambda: store.states("Threads/**"), lambda: iter(store.states()),
            lambda: store.states("CPUs/**").batches(), lambda: next(store.states().batches()),
            lambda: store.states().__arrow_c_stream__(), lambda: store.states().__arrow_c_schema__(),
            lambda: store.segments("system-calls").__arrow_c_stream__(), lambda: iter(store.segments("system-calls", sort="name")),
            lambda: store.events(limit=5), lambda: store.sql("SELECT * FROM states"), lambda: histree.StateSystem(),
        ]
        for _ in range(12):
            things.append(chance.choice(makers)())
        for _ in range(40):
            thing = chance.choice(things)
            act = chance.randrange(4)
            try:
                if act == 0 and hasattr(thing, "__next__"):
                    next(thing, None)
                elif act == 1 and len(things) > 1:
                    things.remove(thing)
                elif act == 2 and hasattr(thing, "close") and chance.random() < 0.2:
                    thing.close()
                elif act == 3 and hasattr(thing, "batches"):
                    things.append(thing.batches())
            except histree.ClosedError:
                pass
            del thing
        store = None
        chance.shuffle(things)
        while things:
            things.pop()
        gc.collect()


def capsules(path):
    import gc
    import arrow_consumer

    store = histree.open(path)
    expected = [row.path for row in store.states("Threads/*")]
    taken = arrow_consumer.Stream(store.states("Threads/*").__arrow_c_stream__())
    unused = [store.states().__arrow_c_stream__() for _ in range(50)]
    unread = arrow_consumer.Stream(store.states().__arrow_c_stream__())
    first = arrow_consumer.Stream(store.states().__arrow_c_stream__())
    batch = first.next()
    store.close()
    del store, unused
    gc.collect()
    # A consumer has what it took, whatever became of the store.
    schema, paths = taken.schema(), []
    while True:
        memory = taken.next()
        if memory is None:
            break
        paths += arrow_consumer.columns(schema, memory)["path"]
        arrow_consumer.release(arrow_consumer.ctypes.addressof(memory), 8)
    assert paths == expected
    taken.close()
    unread.close()
    # A batch outlives its stream.
    schema = first.schema()
    first.close()
    assert arrow_consumer.columns(schema, batch)["quark"]
    arrow_consumer.release(arrow_consumer.ctypes.addressof(batch), 8)


def a_capsule_goes_while_an_exception_passes(path):
    store = histree.open(path)

    class Mine(Exception):
        pass

    def refuse(_capsule):
        raise Mine("as it was raised")

    for make in (lambda: store.states().__arrow_c_stream__(), lambda: store.states().__arrow_c_schema__(),
                 lambda: store.segments("system-calls").__arrow_c_stream__()):
        # The only reference is the argument of a call that fails: of C, of Python.
        raises(TypeError, lambda: int(make()), "int()")
        raises(TypeError, lambda: "".join([make()]))
        raises(Mine, lambda: refuse(make()), "as it was raised")


def released_by_another_thread(path):
    import arrow_consumer

    store = histree.open(path)
    streams = [arrow_consumer.Stream(store.states().__arrow_c_stream__()) for _ in range(20)]
    store.close()
    threads = [threading.Thread(target=stream.close) for stream in streams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def threads_share_a_store(path):
    store = histree.open(path)
    expected = sorted(store.states(), key=lambda row: (row.quark, row.start))
    calls = list(store.segments("system-calls", sort="duration"))
    faults = []

    def work(seed):
        try:
            chance = random.Random(seed)
            for _ in range(6):
                kind = chance.randrange(5)
                if kind == 0:
                    assert sorted(store.states(), key=lambda row: (row.quark, row.start)) == expected
                elif kind == 1:
                    assert list(store.segments("system-calls", sort="duration")) == calls
                elif kind == 2:
                    assert store.sql("SELECT count(*) FROM states").fetchone()[0] == len(expected)
                elif kind == 3:
                    row = chance.choice(expected)
                    assert row in list(store.states(row.quark, at=row.start))
                else:
                    assert len(list(store.events(limit=50))) == 50
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults


def threads_share_an_iterator(path):
    store = histree.open(path)
    whole = sum(len(batch) for batch in store.states().batches())
    rows = store.sql("SELECT path FROM states")
    query = store._histories[None].states()
    stream = query._open(None, False)
    got, faults = [], []

    def work():
        try:
            while True:
                batch = stream.next()
                if batch is None:
                    break
                got.append(len(batch))
            for row in rows:
                got.append(0)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults
    assert sum(got) == whole


def a_store_is_closed_under_its_readers(path):
    for _ in range(15):
        store = histree.open(path)
        ready, faults = threading.Barrier(5), []

        def work():
            try:
                ready.wait()
                while True:
                    list(store.states("Threads/*"))
                    list(store.segments("system-calls"))
                    store.sql("SELECT max(end) FROM states").fetchall()
            except histree.ClosedError:
                pass
            except BaseException as error:
                faults.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        ready.wait()
        store.close()
        for thread in threads:
            thread.join()
        assert not faults, faults


def the_process_ends_with_all_open(path):
    global kept
    store = histree.open(path)
    system = histree.StateSystem()
    system.modify(1, "A", 1)
    kept = [store, iter(store.states()), next(store.states().batches()), store.states().__arrow_c_stream__(), system,
            store.sql("SELECT * FROM states"), store.events(), store.segments("system-calls")]
    next(kept[1]), next(kept[5]), next(kept[6])
    try:
        kept.append(kept[2].numpy("start"))
    except ImportError:
        pass


def a_fork_reads_on(path):
    store = histree.open(path)
    expected = len(list(store.states()))
    child = os.fork()
    if child == 0:
        os._exit(0 if len(list(store.states())) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


SCENES = [closed_things_raise, a_history_of_a_closed_store, everything_in_any_order, capsules,
          a_capsule_goes_while_an_exception_passes, released_by_another_thread, threads_share_a_store,
          threads_share_an_iterator, a_store_is_closed_under_its_readers, the_process_ends_with_all_open, a_fork_reads_on,
          a_signal_while_an_object_is_freed_is_not_lost]


class Lifetimes(unittest.TestCase):
    pass


for each in SCENES:
    setattr(Lifetimes, f"test_{each.__name__}", scene(each))


if __name__ == "__main__":
    main()
