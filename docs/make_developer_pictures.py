"""Draw the architecture and the learners: ``python docs/make_developer_pictures.py``.

The numbers of the learners are those of the first table of ``docs/measured/classifiers.md``.
"""

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from make_plots import save

DOCS = Path(__file__).parent
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#B84A00", "#007A5A", "#5F5F5F"
# What is in a box, and what goes on from it to the next.
ROOMS = [
    ("datasets", "files of judgements", "X, y"),
    ("features", "numbers of each row", "columns"),
    ("pairwise", "all pairs of a segment", "strengths"),
    ("metrics", "pairs against y", "a statistic"),
    ("evaluation", "metrics, intervals, tests", "a table"),
    ("report, plots", "text, pages, drawings", None),
]


def architecture():
    """Draw the rooms that a candidate goes through."""
    figure, ax = plt.subplots(figsize=(8.5, 3.6), layout="constrained")
    ax.set_axis_off()
    ax.set_xlim(0, 17)
    ax.set_ylim(1, 8)
    # Three boxes to the right, then three back to the left below them.
    places = [(2.6, 7), (8.5, 7), (14.4, 7), (14.4, 2), (8.5, 2), (2.6, 2)]
    box = {"boxstyle": "round,pad=0.6", "facecolor": "white", "edgecolor": BLUE}
    for (x, y), (room, what, _) in zip(places, ROOMS, strict=True):
        text = f"$\\bf{{{room.replace(' ', '~')}}}$\n{what}"
        ax.text(x, y, text, ha="center", va="center", fontsize=10, bbox=box, zorder=3)
    for k, (_, _, goes_on) in enumerate(ROOMS[:-1]):
        (x, y), (to_x, to_y) = places[k], places[k + 1]
        gap = 2.25 if y == to_y else 0
        sign = 1 if to_x > x else -1
        start = (x + sign * gap, y) if gap else (x, y - 1)
        end = (to_x - sign * gap, to_y) if gap else (to_x, to_y + 1)
        ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": GREY})
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        above = {"xytext": (0, 6), "textcoords": "offset points", "ha": "center"}
        aside = {"xytext": (-6, 0), "textcoords": "offset points", "ha": "right", "va": "center"}
        ax.annotate(goes_on, middle, fontsize=9, color=GREY, **(above if gap else aside))
    ax.text(8.5, 4.5, "classifiers, neural, kernels\ndecide on pairs", ha="center", va="center",
            fontsize=10, bbox=box | {"edgecolor": GREY, "linestyle": "--"}, zorder=3)  # fmt: skip
    ax.annotate("", (13.2, 6), (10.9, 4.9), arrowprops={"arrowstyle": "<|-|>", "color": GREY})
    save(figure, "architecture")


def learners():
    """Draw tau of learners on each language pair."""
    page = (DOCS / "measured" / "classifiers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w\w-en) \|(.*)\|$", page, re.MULTILINE)
    figure, ax = plt.subplots(figsize=(7, 2.9), layout="constrained")
    series = [
        ("logistic regression", "o", BLUE, 0.18),
        ("boosted trees", "s", ORANGE, 0),
        ("PairEnsemble", "D", GREEN, -0.18),
    ]
    for k, (name, marker, colour, offset) in enumerate(series):
        values = [float(re.findall(r"(\d+\.\d);", cells)[k]) for _, cells in rows]
        heights = [offset - row for row in range(len(rows))]
        ax.plot(values, heights, marker, color=colour, label=name)
    ax.set_yticks([-row for row in range(len(rows))], [pair for pair, _ in rows])
    ax.set_xlabel("Strict Kendall's tau, in hundredths, on WMT15")
    ax.grid(axis="x", color="#E0E0E0")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, "learners")


if __name__ == "__main__":
    architecture()
    learners()
