"""Draw the picture of the README: ``python docs/make_ready_made_picture.py``.

It shows the figures for German-English of the first table of ``measured/ready_made.md``, which
``benchmarks/published_figures.py`` keeps equal to what the commands print.
"""

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

DOCS = Path(__file__).parent
# Grey and blue that can be read on white and on black.
GREY, BLUE = "#7d8590", "#2f81f7"
LABELS = {
    "BLEU": "BLEU",
    "chrF": "chrF",
    "any": "any: every language, no torch",
    "static-en": "static-en: into English, no torch",
    "encoder-en": "encoder-en: a small encoder",
    "any-encoder": "any-encoder: every language",
    "encoder-large-en": "encoder-large-en: a larger one",
    "one annotator": "one annotator",
}
_CELL = re.compile(r"(-?[\d.]+) \[(-?[\d.]+), (-?[\d.]+)\]")


def figures(page):
    """Return value, low and high of each row for German-English."""
    table = page[page.index("| tau (wmt12) | cs-en | de-en | en-de |") :].split("\n\n")[0]
    found = {}
    for line in table.splitlines()[2:]:
        name, _, cell, _ = (text.strip() for text in line.strip("|").split("|"))
        if interval := _CELL.search(cell):
            found[name.strip("`")] = tuple(map(float, interval.groups()))
    return found


def main():
    """Draw it."""
    found = figures((DOCS / "measured" / "ready_made.md").read_text(encoding="utf-8"))
    plt.rcParams.update({"font.size": 11, "text.color": GREY, "axes.edgecolor": GREY})
    figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
    for place, name in enumerate(LABELS):
        value, low, high = found[name]
        colour = GREY if name in ("BLEU", "chrF", "one annotator") else BLUE
        axes.plot([low, high], [place, place], color=colour, linewidth=2)
        axes.plot(value, place, "o", color=colour, markersize=8)
        axes.text(high + 1, place, f"{value:.1f}", va="center", color=colour)
    ceiling = found["ceiling"][0]
    axes.axvline(ceiling, color=GREY, linestyle="--", linewidth=1)
    axes.text(ceiling - 0.6, 0, f"ceiling: {ceiling:.1f}", ha="right", va="center")
    axes.set_yticks(range(len(LABELS)), LABELS.values())
    axes.invert_yaxis()
    axes.set_xlim(10, ceiling + 2)
    axes.set_xlabel("Kendall's tau x 100 of ranks, WMT12 German-English", color=GREY)
    axes.tick_params(colors=GREY, length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    figure.savefig(DOCS / "images" / "ready_made.png", dpi=160, transparent=True)


if __name__ == "__main__":
    main()
