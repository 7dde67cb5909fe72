"""
Which comparisons should be judged next?
========================================

Some systems are told apart already, others are not, and a new one has hardly
been judged. More comparisons of systems that are told apart would be wasted.
From the judgements so far you can compute which comparisons would tell you
most.
"""

# %%
# The judgements so far
# ---------------------
#
# They are generated: 500 comparisons of five systems. Three of them are close
# to each other, "delta" is clearly worse, and "novel" has been in twenty
# comparisons only.

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
strengths = {
    "alpha": 0.5,
    "beta": 0.25,
    "gamma": 0.0,
    "delta": -1.5,
    "novel": 0.3,
}
systems = list(strengths)
rows = []
for segment in range(500):
    known = rng.choice(systems[:4], 2, replace=False)
    one, other = (known[0], "novel") if segment < 20 else known
    won = rng.random() < 1 / (1 + np.exp(strengths[other] - strengths[one]))
    rows += [(segment, one, 2 - won), (segment, other, 1 + won)]
table = pd.DataFrame(rows, columns=["segment", "system", "rank"])
y = table.set_index(["segment", "system"])["rank"]
X = pd.DataFrame(index=y.index)

# %%
# The leaderboard
# ---------------
#
# Only "delta" shares its letter with no other. The interval of "novel" is
# several times as long as the others.

from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.plots import LeaderboardDisplay

found = leaderboard(X, y)
display = LeaderboardDisplay.of(found).plot()
_ = display.figure_.suptitle(
    "Strengths of five systems, one of them new,\nafter 500 comparisons"
)

# %%
# A hundred comparisons more
# --------------------------
#
# :func:`~sklearn_mteval.evaluation.select_comparisons` chooses one comparison
# after the other, each as if those before it had been judged already. With the
# goal "tiers" it tells as many systems apart as possible, with "intervals" it
# makes the intervals of all strengths short.

from sklearn_mteval.evaluation import select_comparisons

goals = {
    "tiers": "to tell systems apart",
    "intervals": "to make strengths certain",
}
counts = {}
for goal in goals:
    chosen = select_comparisons(X, y, 100, goal=goal)
    pairs = [
        sorted(pair, key=systems.index)
        for pair in chosen[["system", "against"]].to_numpy()
    ]
    one, other = np.transpose(pairs)
    counts[goal] = pd.crosstab(
        one, other, rownames=["system"], colnames=["against"]
    )
counts["tiers"]

# %%
# Who is compared with whom
# -------------------------
#
# A cell is the number of comparisons of two systems. To tell systems apart, no
# comparison with "delta" is asked for, since its place is known. To make
# strengths certain, all comparisons are with "novel".

import matplotlib.pyplot as plt

figure, panels = plt.subplots(
    1, 2, figsize=(5, 2.8), layout="constrained", sharey=True
)
for ax, (goal, text) in zip(panels, goals.items(), strict=True):
    cells = (
        counts[goal]
        .reindex(index=systems[:-1], columns=systems[1:], fill_value=0)
        .to_numpy()
    )
    ax.imshow(np.where(cells, cells, np.nan), cmap="Blues", vmin=-20, vmax=100)
    for (row, column), n in np.ndenumerate(cells):
        if row <= column:
            ax.text(column, row, n, ha="center", va="center", color="#222222")
    ax.set_xticks(range(4), systems[1:])
    ax.set_yticks(range(4), systems[:-1])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_title(text)
_ = figure.suptitle(
    "Which pairs of systems the next hundred comparisons are of"
)

# sphinx_gallery_thumbnail_number = 2

# %%
# **Read next:** :doc:`/selection`.
