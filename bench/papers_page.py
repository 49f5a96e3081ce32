# SPDX-License-Identifier: MIT
"""The page of bench/papers: numbers as text, tables of Markdown, plots, and what it calls the variants."""
import datetime
import pathlib
import textwrap

from plot import plot_svg

LABELS = {
    "sht": "SHT", "osht": "oSHT", "esht": "eSHT", "rsht:2": "R2", "rsht:3@8G": "R3", "rsht:3": "R3 cut",
    "rsht:4@8G": "R4", "rsht:4": "R4 cut", "vrsht@8G": "vR",
}


def label_of(variant):
    return LABELS.get(variant, variant)


def arguments_of(variant):
    """ "rsht:3@8G" is rsht with three levels, and 8 GiB for its buffers instead of 64 MiB."""
    name, _, memory = variant.partition("@")
    name, _, depth = name.partition(":")
    return ["--variant", name] + (["--r-depth", depth] if depth else []) + (["--memory", memory] if memory else [])


def text_of(number, digits=3):
    if number is None:
        return ""
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.{digits}g}"


def table(heads, rows):
    """A table of Markdown that can be read as it is."""
    cells = [[str(cell) for cell in row] for row in [heads] + rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    lines = ["| " + " | ".join(cell.rjust(width) if i else cell.ljust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))) + " |" for row in cells]
    rule = "|" + "|".join("-" * (width + 1) + (":" if i else "-") for i, width in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule] + lines[1:]) + "\n"


def paragraph(text):
    return textwrap.fill(text, 116, break_long_words=False, break_on_hyphens=False) + "\n"


class Page:
    """The text of the results, and the plots that go with it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.name = f"{datetime.date.today().isoformat()}-papers"
        self.parts = []

    def add(self, *parts):
        self.parts.extend(parts)
        (self.folder / f"{self.name}.md").write_text("\n".join(self.parts), encoding="utf-8")

    def plot(self, name, title, axes, series, logarithmic="xy"):
        """`series`: label -> [(x, y)]."""
        file = f"{self.name}-{name}.svg"
        picture = plot_svg(title, axes, series, logarithmic)
        if picture is None:
            return
        (self.folder / file).write_text(picture, encoding="utf-8")
        self.add(f"![{title}]({file})\n")
