"""Draw the pictures of the pages on features from the tables in docs/measured/.

``python docs/make_feature_pictures.py`` draws ``feature_sets.png``, ``encoder_layers.png`` and
``without_references.png`` into docs/images, on transparent ground, and prints their numbers.
"""

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot

DOCS = Path(__file__).parent
INK = "#555555"  # the site turns light and dark round on a dark page
BLUE, ORANGE, GREEN = "#3a87c8", "#cf7a1c", "#2b9a6b"
STYLE = {
    "font.size": 10.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}

SETS = {  # what the picture calls a row, and how the row begins
    "BLEU": "BLEU",
    "components of BLEU": "BLEU components (16)",
    "all lexical metrics and components": "all scores, all components (87)",
    "… and alignment of word vectors": "… and word vectors' alignment (91)",
    "alignment by MiniLM": "token alignment (3)",
    "all of these, sentence similarity": (
        "**all scores, all components, both alignments, sentence similarity (96)**"
    ),
}
WITHOUT = {
    "BLEU with the reference": "BLEU with the reference",
    "chrF with the reference": "chrF with the reference",
    "contrastive chrF, nothing learnt": "contrastive chrF, nothing learnt",
    "what the translation shows by itself": "all of the translation",
    "set 2.3 with contrastive chrF": "set 2.3, contrastive chrF",
    "all, with BLEU, METEOR, chrF": "all of the translation, contrastive BLEU, METEOR, chrF",
    "all, with MiniLM, too": "the same and contrastive MiniLM",
}
LAYERS = {  # rows of the table by layer in features.md
    "MiniLM": (BLUE, "o"),
    "all-mpnet-base-v2": (ORANGE, "s"),
    "multilingual-e5-small": (GREEN, "^"),
}


def lines_of(page):
    """Return the lines of tables of a page of measurements, as lists of cells."""
    text = (DOCS / "measured" / page).read_text(encoding="utf-8")
    return [
        [cell.strip() for cell in line.strip("|\n").split("|")]
        for line in re.findall(r"^\|.*$", text, re.MULTILINE)
    ]


def percent(cell):
    """Read percent of the ceiling from a cell such as ``23.7; 46 %``, maybe with a comment."""
    return int(re.search(r"; (-?\d+) %", re.sub(r"<!--.*?-->", "", cell))[1])


def bars(name, page, rows):
    """Draw percent of the ceiling of some rows of a page, whose columns are cs-en and de-en."""
    found = {}
    for cells in lines_of(page):
        found.setdefault(cells[0], cells)  # the first table that has the row
    values = {label: [percent(cell) for cell in found[row][1:3]] for label, row in rows.items()}
    print(name, values)
    figure, ax = pyplot.subplots(figsize=(7.2, 0.5 * len(values) + 1), layout="constrained")
    for k, (pair, color) in enumerate((("cs-en", BLUE), ("de-en", ORANGE))):
        places = [place + 0.38 * k for place in range(len(values))]
        widths = [value[k] for value in values.values()]
        ax.barh(places, widths, 0.36, color=color, label=pair)
        for place, width in zip(places, widths, strict=True):
            ax.text(width + 0.6, place, f"{width}", va="center", fontsize=9)
    ax.set_yticks([place + 0.19 for place in range(len(values))], list(values))
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel="strict Kendall's tau on WMT12, % of the ceiling", xlim=(0, 70))
    ax.legend(frameon=False, loc="upper right")
    save(figure, name)


def layers(name):
    """Draw tau by layer of three encoders."""
    figure, ax = pyplot.subplots(figsize=(7.2, 3.6), layout="constrained")
    table = {cells[0]: cells[1:] for cells in lines_of("features.md")}
    for encoder, (color, marker) in LAYERS.items():
        row = zip(table["layer"], table[encoder], strict=True)
        numbers = [(int(layer), float(tau)) for layer, tau in row if tau]
        print(encoder, numbers)
        ax.plot(*zip(*numbers, strict=True), color=color, marker=marker, label=encoder)
    ax.set(xlabel="layer", ylabel="strict tau x 100 of the token F", xticks=range(0, 13, 2))
    ax.legend(frameon=False, labelcolor=INK)
    save(figure, name)


def save(figure, name):
    """Write a picture."""
    figure.savefig(DOCS / "images" / f"{name}.png", dpi=110, transparent=True)
    pyplot.close(figure)


if __name__ == "__main__":
    with pyplot.rc_context(STYLE):
        bars("feature_sets", "features.md", SETS)
        bars("without_references", "without_references.md", WITHOUT)
        layers("encoder_layers")
