# SPDX-License-Identifier: MIT
"""Lines of numbers as SVG, with scales that can be logarithmic: what the pages of results show."""
import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 440, 80, 150, 40, 60
COLOURS = ("#2a6cb8", "#dd6b1f", "#12936a", "#a8408c", "#8b4513", "#c49a1a", "#5d5bb5", "#6bb3dc", "#2c8c99", "#7d8794")


def short(number):
    """1k, 2.5M, 0.01."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= unit:
            return f"{number / unit:g}{name}"
    return f"{number:g}"


class Scale:
    """From numbers to places between two ends of the picture."""

    def __init__(self, numbers, is_log, first, last):
        self.is_log, self.first, self.last = is_log, first, last
        low, high = min(numbers), max(numbers)
        if is_log:
            self.low, self.high = math.floor(math.log10(low)), math.ceil(math.log10(high))
        else:
            self.low, self.high = min(low, 0), high
        if self.low == self.high:
            self.high += 1

    def at(self, number):
        number = math.log10(number) if self.is_log else number
        return self.first + (self.last - self.first) * (number - self.low) / (self.high - self.low)

    def ticks(self):
        if self.is_log:
            return [10.0**power for power in range(self.low, self.high + 1)]
        step = 10 ** math.floor(math.log10((self.high - self.low) / 2))
        count = int((self.high - self.low) / step)
        return [self.low + step * i for i in range(0, count + 1, max(count // 8, 1))]


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{html.escape(words)}</text>'


def line(x1, y1, x2, y2, colour="#d0d0d0"):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def plot_svg(title, axes, series, logarithmic):
    """`series`: label -> [(x, y)]; `logarithmic` has an x, a y, both or neither."""
    series = {label: [(x, y) for x, y in points if "y" not in logarithmic or y > 0]
              for label, points in series.items()}
    points = [point for some in series.values() for point in some]
    if not points:
        return None
    across = Scale([x for x, _ in points], "x" in logarithmic, LEFT, WIDTH - RIGHT)
    up = Scale([y for _, y in points], "y" in logarithmic, HEIGHT - BOTTOM, TOP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
             'font-family="sans-serif" font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             text((LEFT + WIDTH - RIGHT) / 2, 24, title, more='font-size="14"'),
             text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, axes[0]),
             text(18, HEIGHT / 2, axes[1], more=f'transform="rotate(-90 18 {HEIGHT / 2:.0f})"')]
    for tick in across.ticks():
        parts += [line(across.at(tick), TOP, across.at(tick), HEIGHT - BOTTOM),
                  text(across.at(tick), HEIGHT - BOTTOM + 18, short(tick))]
    for tick in up.ticks():
        parts += [line(LEFT, up.at(tick), WIDTH - RIGHT, up.at(tick)), text(LEFT - 6, up.at(tick) + 4, short(tick), "end")]
    for i, (label, some) in enumerate(series.items()):
        colour, places = COLOURS[i % len(COLOURS)], [(across.at(x), up.at(y)) for x, y in some]
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="'
                     + " ".join(f"{x:.1f},{y:.1f}" for x, y in places) + '"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        parts += [line(WIDTH - RIGHT + 12, TOP + 18 * i + 8, WIDTH - RIGHT + 32, TOP + 18 * i + 8, colour),
                  text(WIDTH - RIGHT + 38, TOP + 18 * i + 12, label, "start")]
    return "\n".join(parts + ["</svg>", ""])
