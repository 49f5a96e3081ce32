# SPDX-License-Identifier: MIT
"""The page of bench/papers: its text and its plots, and what it calls the variants."""
import pathlib

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


class Page:
    """The text of the results, and the plots that go with it, which are files in a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.parts = []

    def add(self, *parts):
        self.parts.extend(parts)

    def plot(self, name, title, axes, series, logarithmic="xy"):
        """`series`: label -> [(x, y)]."""
        file = f"papers-{name}.svg"
        picture = plot_svg(title, axes, series, logarithmic)
        if picture is None:
            return
        (self.folder / file).write_text(picture, encoding="utf-8")
        self.add(f"![{title}]({file})\n")
