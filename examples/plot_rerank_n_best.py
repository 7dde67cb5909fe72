"""
Which translation of an n-best list should I take?
==================================================

A system names several candidates for each segment, or several systems name one
each. Minimum Bayes risk takes the candidate that has most in common with the
others. That gives better translations, but they must not be judged by the
metric that chose them.
"""

# %%
# Lists of candidates
# -------------------
#
# The five translations of each segment of the sample serve as its list.
# :func:`~sklearn_mteval.models.rerank` needs nothing else: with the utility
# chrF, the candidate is chosen whose mean chrF against all candidates of its
# list is highest. No reference is read. On the command line,
# ``sklearn-mteval rerank lists.nbest`` does it for the lists that Moses and
# Marian write, and ``rerank -t a.en b.en c.en`` for the files of systems.

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.models import rerank

X, y = load_sample(return_X_y=True)
utilities = {"chrF": "chrf", "BLEU": "bleu", "word alignment": "alignment"}
chosen = {
    name: rerank(X, utility=utility)["chosen"]
    for name, utility in utilities.items()
}
rerank(X, utility="chrf").loc[2]

# %%
# Two judges of the choice
# ------------------------
#
# How good is a choice? One judge is chrF with the reference, the other judge
# is the annotators' ranks. Both are shown on one scale: 0 % is a random
# choice, and 100 % is the choice of the best candidate of every segment.

import pandas as pd

from sklearn_mteval.features import MetricScores

judges = pd.DataFrame(
    {
        "chrF with the reference": MetricScores(("chrf",)).fit_transform(X)[
            :, 0
        ],
        "annotators": -y.groupby(level="segment").rank(),
    }
)
segments = judges.groupby(level="segment")
random, best = segments.mean().mean(), segments.max().mean()
gained = pd.DataFrame(
    {name: judges[rows].mean() for name, rows in chosen.items()}
)
gained = 100 * gained.sub(random, axis=0).div(best - random, axis=0)
gained.round(0)

# %%
# What the choices are worth
# --------------------------
#
# To chrF, all three choices look better than to annotators: they were made by
# what texts have in common, and this is what chrF counts. Judge a choice by
# something that took no part in it, preferably by annotators.
#
# The choice also goes wrong where many systems are variants of one, which
# agree with each other and outvote better ones, and in lists of one or two
# different candidates, where each is as near to the other.

import matplotlib.pyplot as plt

figure, ax = plt.subplots(layout="constrained")
gained.T.plot.bar(ax=ax, rot=0, color=["#B84A00", "#0072B2"])
ax.set(
    xlabel="utility that chose", ylabel="gain, % of what the best choice gains"
)
ax.legend(
    title="judged by", frameon=False, loc="upper left", bbox_to_anchor=(1, 1)
)
_ = figure.suptitle("What minimum Bayes risk gains, by two judges")

# %%
# **Read next:** :doc:`/rerank`.
