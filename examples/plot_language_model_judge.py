"""
Can a language model judge in place of annotators?
==================================================

It cannot replace them, because its errors are not random: it may have a
favourite system. But it can help. Annotators judge some segments, and the
model judges all of them. What the model says about the segments that
annotators did not judge makes the means of the systems more certain.
"""

# %%
# Annotators and a model
# ----------------------
#
# Scores of 600 segments and four systems are generated. The model sees how
# hard a segment is, and it is eight points too kind to the system "delta", the
# worst one. Annotators judge 90 segments.

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
systems = ["alpha", "beta", "gamma", "delta"]
worse = np.array([0, 3, 5, 9])
quality = 85 - rng.gamma(2, 8, (600, 1)) - rng.gamma(1, 4, (600, 4)) - worse
annotator = quality + rng.normal(0, 4, quality.shape)
model = quality + rng.normal(0, 4, quality.shape) + [0, 0, 0, 8]


def judgements(scores, judge):
    """Return scores as a Series, lower is better."""
    index = pd.MultiIndex.from_product(
        [range(len(scores)), [judge], systems],
        names=["segment", "ranking", "system"],
    )
    return pd.Series(-scores.ravel(), index)


# %%
# Three ways to compute the means
# -------------------------------
#
# The first leaderboard has annotators' judgements only. The second has the
# help of the model, as an *automatic judge*. The third has the model's
# judgements only.

from sklearn_mteval.evaluation import leaderboard

by_annotators, by_model = (
    judgements(annotator[:90], "annotator"),
    judgements(model, "model"),
)
together = pd.concat([by_annotators, by_model])


def board(y, **options):
    """Return a leaderboard by mean."""
    return leaderboard(pd.DataFrame(index=y.index), y, by="mean", **options)


judges = together.index.get_level_values("ranking")
found = {
    "annotators alone": board(by_annotators),
    "annotators, helped by the model": board(
        together, judges=judges, automatic_judges=["model"]
    ),
    "the model alone": board(by_model),
}
helped = found["annotators, helped by the model"]
judged, worth = helped.counts["translations"], helped.counts["worth"]
print(f"{judged} judged translations are worth {worth}")

# %%
# Who is right?
# -------------
#
# The stars are what annotators would say of all 600 segments, which only a
# simulation knows. With the model's help, intervals become shorter and the
# favourite gains nothing, because the errors of the model are measured where
# annotators judged, too. The intervals of the model alone are the shortest,
# and that of "delta" is far from the truth.

import matplotlib.pyplot as plt

figure, ax = plt.subplots(layout="constrained")
rows = np.arange(len(systems))
for k, (name, result) in enumerate(found.items()):
    table = result.table.loc[systems]
    bounds = np.abs(table[["low", "high"]].sub(table["score"], axis=0)).T
    colour = ["#5F5F5F", "#0072B2", "#B84A00"][k]
    place = rows + 0.2 * (k - 1)
    ax.errorbar(
        table["score"],
        place,
        xerr=bounds,
        fmt="o",
        capsize=3,
        color=colour,
        label=name,
    )
ax.plot(
    annotator.mean(axis=0),
    rows,
    "*",
    color="#222222",
    markersize=9,
    label="the truth",
)
ax.set_yticks(rows, systems)
ax.invert_yaxis()
ax.set_xlabel("mean score, with 95 % intervals")
figure.legend(loc="outside lower center", ncols=2, frameon=False)
_ = figure.suptitle(
    "Means of four systems by annotators,\nwith a model's help, by the model"
)

# %%
# The command does the same with a file of judgements, whose column ``judge``
# says who judged:
#
# .. code-block:: sh
#
#    sklearn-mteval leaderboard both.csv --by win-rate \
#        --automatic-judges model
#
# What can go wrong
# -----------------
#
# - *No annotators at all.* Then there is nothing to measure the errors on.
# - *Annotators judged the hard segments.* What they judged must be like the
#   rest: drawn at random, or with known probabilities (``--selection``).
# - *The model was trained on these very judgements.* It then agrees with the
#   annotators where they judged, and not elsewhere.
# - *Without* ``--automatic-judges`` all judgements count alike, and the
#   favourite leads. ``--judge-model discrimination`` is no substitute, since
#   it takes the majority for right.
# - *Strengths are not corrected.* Use ``--by win-rate`` or ``--by mean``.

# %%
# **Read next:** :doc:`/people_and_models`, :doc:`/measured/leaderboards`.
