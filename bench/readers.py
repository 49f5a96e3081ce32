# SPDX-License-Identifier: MIT
"""
What programs of the benchmark suite print, as parts of a page: of each output what it shows, in a sentence, and tables of
Markdown.  bench/record names for each command which of these reads it.
"""
from measuring import median, table, text_of, times_of


def finished(text):
    """Markdown whose first paragraph is the sentence."""
    sentence, _, rest = text.strip().partition("\n\n")
    return sentence.replace("\n", " "), [rest.strip() + "\n"]


def lines_of(text):
    return [line.split("\t") for line in text.splitlines()]


def counted(cells):
    """A line of a table that was TSV, with numbers that can be read."""
    return [f"{int(cell):,}" if cell.isdigit() else cell for cell in cells]


def overviews(text):
    """bench/history_overviews and bench/segment_overviews: what is answered without and with overviews."""
    rows = lines_of(text)
    at = next(i for i, row in enumerate(rows) if any(cell.startswith("without") for cell in row))
    unit = "us" if rows[at][-1] == "us" else "ms"
    facts = "; ".join(" ".join(cell for cell in row if cell) for row in rows[:at] if row[0] != "what")
    answers = [(row[0], row[1], float(row[2]), float(row[3])) for row in rows[at + 1:] if len(row) >= 4]
    ratios = {(what, part): without / max(with_, 1e-3) for what, part, without, with_ in answers}
    whole = {what: ratio for (what, part), ratio in ratios.items() if part == "1/1"}
    kind = "numbers and rows of a history" if unit == "us" else "statistics, densities and charts of segments"
    best = max(whole, key=whole.get)
    said = (f"Overviews are sums that a build keeps beside what it wrote: with them {kind} over all of the time take "
            f"{times_of([1 / ratio for ratio in whole.values()])} what they take without, and \"{best}\" gains most, "
            f"{text_of(whole[best], 2)} times.")
    return said, [table([f"{rows[at][0]}, {unit}", "part of the time", "without", "with", "without / with"],
                        [[what, part, text_of(without), text_of(with_), text_of(ratios[what, part], 2)]
                         for what, part, without, with_ in answers]), f"What there is (bytes; s to make it): {facts}.\n"]


def side_tables(text):
    """bench/segment_fields: an order by a field, by sorting and with a side table."""
    cells = {(field, what): float(value) for field, what, value in lines_of(text)[1:]}
    rows, ratios = [], []
    for (field, what), value in cells.items():
        if what.startswith("sorting, ") and (field, what.replace("sorting", "side table")) in cells:
            with_ = cells[field, what.replace("sorting", "side table")]
            ratio = with_ / value if "M/s" in what else value / with_
            rows.append([f"by {field}: {what[len('sorting, '):]}", text_of(value), text_of(with_), text_of(ratio, 2)])
            if what == "sorting, first 100, ms":
                ratios.append(ratio)
    return (f"An order by a field, such as a name, has its first 100 segments {times_of(ratios)} sooner from a side table that "
            "the build made than by sorting."), [table(["segments", "sorting", "side table", "gain"], rows)]


def segment_screens(text):
    """bench/segment_views: screens of rows, charts and statistics of a store of segments."""
    rows = [row for row in lines_of(text)[1:] if row[0]]
    screens = [row for row in rows if len(row) >= 6]
    single = [row for row in rows if len(row) < 6]
    slowest = max(float(row[5]) for row in screens)
    return (f"The screens of a store of {int(screens[0][1]):,} segments: 128 rows from anywhere, in any order, take at most "
            f"{text_of(slowest, 2)} ms of processor time once the way to the last row was gone, which takes "
            f"{min(float(row[3]) for row in screens):.0f} to {max(float(row[3]) for row in screens):.0f} ms; statistics of all, "
            "without overviews, take "
            + next(row[2] for row in single if row[0] == "statistics") + " ms."), [
        table(["rows in an order, ms", "rows", "first", "way to the last", "a page, mean", "at most", "at most / mean"],
              [[*counted(row[:6]), text_of(float(row[5]) / max(float(row[4]), 1e-3), 2)] for row in screens]),
        table(["ms, of one; MB", "", "share of statistics"],
              [[row[0], row[-1], text_of(float(row[-1]) / float(next(r[-1] for r in single if r[0] == "statistics")), 2)
                if "MB" not in row[0] else ""] for row in single])]


def screens(text):
    """bench/views: models of views and a screen of rows, cold and warm."""
    costs = {(what, cache): (float(least), float(cpu)) for what, cache, _, least, _, cpu, _ in lines_of(text)[1:]}
    names = list(dict.fromkeys(what for what, _ in costs))
    warm = {what: costs[what, "warm"][1] for what in names}
    return ("What a screen of a kernel trace costs in the library: the states of a window of 50 threads take "
            f"{text_of(warm['rows, a window'], 2)} ms of processor time warm and {text_of(costs['rows, a window', 'cold'][1], 2)} ms "
            f"with nothing in any cache, the tree of all threads {text_of(warm['tree of threads'], 2)} ms."), [
        table(["", "cold: wall ms", "processor ms", "warm: wall ms", "processor ms", "cold / warm, processor"],
              [[what, *(text_of(number) for cache in ("cold", "warm") for number in costs[what, cache]),
                text_of(costs[what, "cold"][1] / max(warm[what], 1e-3), 2)] for what in names])]


def page_in_browser(text):
    """bench/page: the page in a headless browser."""
    values = {row[0]: (float(row[1]), row[2]) for row in lines_of(text)[1:]}
    painted = values["opened again: first rows painted"][0]
    frames = [values[f"{kind}: frame, median"][0] for kind in ("scroll", "jump", "zoom")]
    return (f"The page in a headless browser that draws in software on the same cores: the first rows are painted after "
            f"{painted:.0f} ms in a browser that was there, a frame takes {min(frames):.1f} to {max(frames):.1f} ms (no display "
            f"makes one shorter than 16.7), and the server has {values['server resident, at most'][0]:.0f} MiB at most."), [
        table(["the page", "", "", "of a frame of 16.7 ms"],
              [[what, text_of(value), unit, text_of(value / 16.7, 2) if "frame" in what else ""]
               for what, (value, unit) in values.items()])]


def page_questions(text):
    """bench/page --questions: what the page asks the server."""
    values = {row[0]: float(row[1]) for row in lines_of(text)[1:]}
    names = [what.removesuffix(": median") for what in values if what.endswith(": median")]
    answers = {name: values[f"{name}: median"] for name in names}
    slowest = max(answers, key=answers.get)
    return (f"The server answers what the page asks when a span is selected within {text_of(median(list(answers.values())), 2)} ms "
            f"in the median; \"{slowest}\" takes {text_of(answers[slowest], 2)} ms."), [
        table(["question, ms", "first", "median", "processor time of the server", "first / median"],
              [[name, *(text_of(values[f"{name}: {what}"]) for what in ("first", "median", "server")),
                text_of(values[f"{name}: first"] / max(values[f"{name}: median"], 1e-3), 2)] for name in names])]


def places_of_events(text):
    """bench/events seek: one event of the trace, by number and by time."""
    rows = lines_of(text)
    return (f"Any event of the trace is found again from the store's index, {rows[0][0]} in {float(rows[0][1]):.0f} us of "
            f"processor time and {rows[1][0]} in {float(rows[1][1]):.0f} us in the median."), [
        table(["an event, us", "median", "95 of 100", "greatest", "greatest / median"],
              [[row[0], *(text_of(float(cell)) for cell in row[1:]), text_of(float(row[3]) / float(row[1]), 2)] for row in rows])]


def shards(text):
    """bench/shards: hosts of their own beside one file of the same states."""
    costs, ratios = {}, {}
    for row in lines_of(text)[1:]:
        if ":" in row[1]:
            ratios[row[0], row[1].split()[0]] = float(row[2])
        else:
            costs[row[0], row[1]] = float(row[2])
    names = list(dict.fromkeys(question for question, _ in costs))
    inside, together = ([ratio for (_, who), ratio in ratios.items() if who == wanted] for wanted in ("inside", "all"))
    return (f"A store of many hosts has a history for each: a question about one host takes {times_of(inside)} the processor "
            f"time that it takes in a store of that host alone, and one about all hosts {times_of(together)} that of one file "
            "with the same states."), [
        table(["question, us", "a host alone", "in the store of all", "ratio", "all hosts in one file", "in the store of all",
               "ratio"],
              [[name, *(text_of(costs.get((name, who))) for who in ("shard", "inside")), text_of(ratios.get((name, "inside"))),
                *(text_of(costs.get((name, who))) for who in ("one", "all")), text_of(ratios.get((name, "all")))]
               for name in names])]


def segment_unions(text):
    """bench/segment_union: segments of several hosts in one order."""
    rows = lines_of(text)[1:]
    first = [float(row[3]) for row in rows if row[1] == "the first"]
    every = [float(row[6]) for row in rows if row[1] == "all"]
    return (f"Segments of many hosts in one order: the first comes after {text_of(min(first), 2)} to {text_of(max(first), 2)} us, "
            f"and all of them take {times_of(every)} what the hosts take one after the other."), [
        table(["order", "segments", "one host, us", "all hosts in one order, us", "one after the other, us", "ratio"],
              [[row[0], row[1], row[2], row[3], row[5], row[6]] for row in rows])]


def prepared_statements(text):
    """bench/sql_points: what SQL adds to a single query."""
    costs = [(line[:45].strip(), float(line.split()[-2])) for line in text.splitlines() if line.endswith(" ns")]
    base = costs[0][1]
    return (f"A prepared statement that asks for one state adds {text_of(costs[1][1] - base, 2)} ns to the {text_of(base, 2)} ns of "
            f"the library's own query, and {text_of(costs[-1][1] - base, 2)} ns if it names the attribute by its path."), [
        table(["one state", "ns", "of the library's"], [[name, text_of(cost), text_of(cost / base, 2)] for name, cost in costs])]


def arrow_batches(text):
    """bench/columns: states as Arrow batches and as Arrow IPC."""
    rows = lines_of(text)[1:]
    base = float(rows[0][2])
    rates = {row[0]: float(row[4]) for row in rows}
    return (f"{int(rows[0][1]):,} states as columns of Arrow: all ten columns come as batches at "
            f"{text_of(rates['batches, all'], 2)} million rows a second and go to a file at {text_of(rates['ipc file'], 2)}, where "
            f"reading the states alone has {text_of(rates['read'], 2)}."), [
        table(["", "s", "million rows a second", "bytes a row", "of reading alone"],
              [[row[0], row[2], row[4], text_of(int(row[5]) / int(row[1])) if row[5] != "0" else "",
                text_of(float(row[2]) / base, 2)] for row in rows])]


def in_python(text):
    """bench/python/measure.py: states into Python beside the same query in C."""
    rows = lines_of(text)[1:]
    ratios = {row[0]: float(row[3]) for row in rows}
    return (f"{int(rows[0][1]):,} states into Python beside the loop in C that keeps nothing: arrays of numpy over the library's own "
            f"memory take {text_of(ratios['numpy, arrays of all batches, 4 columns'], 2)} times as long, a frame of pandas "
            f"{text_of(ratios['pandas, to_pandas(), 4 columns'], 2)} times, and objects a row "
            f"{text_of(ratios['rows, len(list(...)), 4 columns'], 2)} times."), [
        table(["", "s", "million rows a second", "of the loop in C"], [[row[0], row[2], row[4], row[3]] for row in rows])]
