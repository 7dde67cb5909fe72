"""
How do I score a large file within bounded memory?
==================================================

A file with millions of lines does not fit into memory as a table. What a model
says of a translation depends on its segment only, so that a file can be read
and scored block by block. Memory then does not grow with the file.
"""

# %%
# Files of growing length
# -----------------------
#
# The lines are those of the sample, numbered so that no two of them are the
# same.

from pathlib import Path

from sklearn_mteval.datasets import load_sample

sample, _ = load_sample(return_X_y=True)
sample = sample.xs("hybrid", level="system")


def write_files(folder, n):
    """Write n lines of each column; return the files' names."""
    names = {}
    for column in ("source", "reference", "hypothesis"):
        texts = sample[column].tolist()
        lines = [f"{k}. {texts[k % len(texts)]}\n" for k in range(n)]
        names[column] = Path(folder, f"{column}.txt")
        names[column].write_text("".join(lines), encoding="utf-8")
    return names


# %%
# The whole file, or block by block
# ---------------------------------
#
# :func:`~sklearn_mteval.datasets.translation_blocks` reads as many lines as
# are asked for. The mean of all scores is a sum, to which each block adds its
# own. chrF is computed here because it is fast; with a model, the line is
# ``score_candidates(model, X)``.

from sklearn_mteval.datasets import translation_blocks
from sklearn_mteval.features import MetricScores

chrf = MetricScores(("chrf",))


def mean_score(names, n_candidates):
    """Return the mean score of a file, read in blocks; None: in one block."""
    total = count = 0
    for X in translation_blocks(
        [names["hypothesis"]],
        names["source"],
        [names["reference"]],
        min_systems=1,
        n_candidates=n_candidates,
    ):
        scores = chrf.fit_transform(X)[:, 0]
        total, count = total + scores.sum(), count + len(scores)
    return total / count


# %%
# Peak memory
# -----------
#
# ``tracemalloc`` counts the bytes that Python and numpy hold at the same time.

import tracemalloc
from tempfile import TemporaryDirectory

import pandas as pd

sizes, ways = (
    [1000, 2000, 4000, 8000],
    {"one table": None, "blocks of 500 lines": 500},
)
peaks, means = {name: [] for name in ways}, {name: [] for name in ways}
with TemporaryDirectory() as folder:
    mean_score(
        write_files(folder, 100), None
    )  # what is compiled on first use is not counted
    for n in sizes:
        names = write_files(folder, n)
        for way, n_candidates in ways.items():
            tracemalloc.start()
            means[way].append(mean_score(names, n_candidates))
            peaks[way].append(tracemalloc.get_traced_memory()[1] / 2**20)
            tracemalloc.stop()
pd.DataFrame(means, index=sizes).rename_axis("lines")

# %%
# Both ways find the same means. One table needs more memory the longer the
# file is; blocks need as much as one block. The commands ``rank`` and
# ``score`` work in blocks of about 8,192 translations.

import matplotlib.pyplot as plt

figure, ax = plt.subplots(layout="constrained")
for (way, values), colour in zip(
    peaks.items(), ("#B84A00", "#0072B2"), strict=True
):
    ax.plot(sizes, values, marker="o", color=colour, label=way)
ax.set(xlabel="lines of the file", ylabel="peak memory, MiB", ylim=(0, None))
ax.legend(frameon=False)
_ = figure.suptitle(
    "Peak memory by the length of the file, with and without blocks"
)

# %%
# **Read next:** :doc:`/howto/a_billion_lines`, :doc:`/scale`.
