"""
Which segments should annotators judge?
=======================================

You can pay for judgements of a quarter of the test set. If you take the
segments that look hardest, you get means of hard segments. If you draw
segments by chance, with known probabilities, you can compute means of all
segments from them, and you may draw those more often in which the systems
differ more.
"""

# %%
# Metric scores of all segments
# -----------------------------
#
# The data are generated: six systems, and 400 segments, of which some are
# hard. On these all systems are worse, and differ more. A metric shows
# that with some noise, before anybody has judged.

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
segments, systems = range(400), list("ABCDEF")
hard = rng.gamma(1, 1, (400, 1))
quality = 95 - hard * (8 + np.arange(6) + rng.normal(0, 4, (400, 6)))
index = pd.MultiIndex.from_product(
    [segments, systems], names=["segment", "system"]
)
scores = pd.DataFrame(
    {"metric": (quality + rng.normal(0, 4, quality.shape)).ravel()}, index
)

# %%
# The choice
# ----------
#
# :func:`~sklearn_mteval.evaluation.select_segments` draws a hundred segments.
# A segment is more probable to be drawn if its scores vary more between
# systems. Its probability stands in the table, because the leaderboard needs
# it (``leaderboard(…, selection=chosen)``).

from sklearn_mteval.evaluation import select_segments

chosen = select_segments(scores, 100, random_state=0)
chosen.head()

# %%
# How far are the means from those of all segments?
# -------------------------------------------------
#
# What annotators would say of all segments is known here, because it is
# generated. For each way of choosing, systems' means on the chosen segments
# are compared with those on all, 60 times if they are drawn by chance.
# Segments that were drawn have the weight 1 / probability; "variance" has no
# probabilities.

quality = pd.DataFrame(quality, segments, systems)
ways = {"spread": 60, "random": 60, "variance": 1}
sizes, errors = [0.1, 0.25, 0.5], {}
for way, n_draws in ways.items():
    errors[way] = []
    for size in sizes:
        squares = []
        for seed in range(n_draws):
            drawn = select_segments(
                scores, size, method=way, random_state=seed
            )
            drawn = drawn[drawn["chosen"]]
            weights = 1 / drawn["probability"].fillna(1)
            means = (
                quality.loc[drawn.index].mul(weights, axis=0).sum()
                / weights.sum()
            )
            squares.append(((means - quality.mean()) ** 2).mean())
        errors[way].append(np.sqrt(np.mean(squares)))
pd.DataFrame(errors, index=sizes).round(2)

# %%
# Taking the segments in which scores vary most ("variance") gives means of
# hard segments. Their error is ten times as large; note the logarithmic axis.
# Of the two ways that draw by chance, "spread" has the smaller error for the
# same number of judgements.

from sklearn_mteval.plots import SelectionDisplay

display = SelectionDisplay(sizes, errors, unit="points", marked=0.25).plot()
display.ax_.set(yscale="log", ylim=(0.3, 30))
_ = display.figure_.suptitle(
    "Error of systems' means\nby the proportion of segments judged"
)

# %%
# **Read next:** :doc:`/selection`.
