"""Draw the plot of the guide to outside metrics: ``python docs/make_outside_metrics_picture.py``.

It shows the table of ``outside_metrics.md`` that ``train`` prints of WMT23 Chinese-English.
"""

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

DOCS = Path(__file__).parent
# Grey and blue that can be read on white and on black.
GREY, BLUE = "#7d8590", "#2f81f7"
LABELS = {"model": "the model", "mean of those chosen": "the mean of five metrics"}
_ROW = re.compile(r"^(\S.*?)  +\d+\.\d  +(\S+)  +\[(\S+), (\S+)\]", re.MULTILINE)


def differences(page):
    """Return the difference from the best metric, low and high of each other row."""
    table = page[page.index("from XCOMET-Ensemble") :].split("```")[0]
    return {name: tuple(map(float, numbers)) for name, *numbers in _ROW.findall(table)}


def main():
    """Draw it."""
    found = differences((DOCS / "outside_metrics.md").read_text(encoding="utf-8"))
    plt.rcParams.update({"font.size": 11, "text.color": GREY, "axes.edgecolor": GREY})
    figure, axes = plt.subplots(figsize=(8, 4.4), layout="constrained")
    for place, (name, (value, low, high)) in enumerate(found.items()):
        colour = BLUE if name in LABELS else GREY
        axes.plot([low, high], [place, place], color=colour, linewidth=2)
        axes.plot(value, place, "o", color=colour, markersize=8)
        text = f"{value:+.1f}".replace("-", "\N{MINUS SIGN}")
        axes.text(low - 0.2, place, text, ha="right", va="center", color=colour)
    axes.axvline(0, color=GREY, linestyle="--", linewidth=1)
    axes.text(0.15, len(found) - 1, "best single metric", ha="left", va="center")
    axes.set_yticks(range(len(found)), [LABELS.get(name, name) for name in found])
    axes.invert_yaxis()
    axes.set_xlim(-9.5, 3)
    axes.set_xlabel("acc_eq x 100, from XCOMET-Ensemble, WMT23 Chinese-English", color=GREY)
    axes.tick_params(colors=GREY, length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    figure.savefig(DOCS / "images" / "outside_metrics.png", dpi=160, transparent=True)


if __name__ == "__main__":
    main()
