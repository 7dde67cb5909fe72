"""
A feature of my own, in a pipeline and a grid search
====================================================

A feature is a transformer of scikit-learn's: a table of candidates goes in, a
row of numbers for each translation comes out. This one is added to BLEU's
components, trained on rankings, and tried with several settings by
``GridSearchCV``, without leaks between segments.
"""

# %%
# The feature
# -----------
#
# How many words of the source were left as they are, without being in the
# reference? A function of the table is enough for ``FunctionTransformer``.

import re

import pandas as pd

from sklearn_mteval.datasets import load_sample


def words(text):
    """Return the distinct words of a text."""
    return set(re.findall(r"\w+", text.lower()))


def untranslated(X):
    """Count words that are the source's and not the reference's."""
    texts = zip(X["source"], X["reference"], X["hypothesis"], strict=True)
    counts = [
        len((words(third) & words(first)) - words(second))
        for first, second, third in texts
    ]
    return pd.DataFrame({"untranslated": counts}, index=X.index, dtype=float)


X, y = load_sample(return_X_y=True)
untranslated(X).head()

# %%
# The pipeline and the search
# ---------------------------
#
# ``SegmentKFold`` keeps the translations of a segment together, so that none
# is trained on while another is asked about. The score is Kendall's tau with
# the ranks, as it is of any other model.

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_mteval import (
    BLEUComp,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    make_ranking_pipeline,
)

bleu, both = (
    BLEUComp(),
    make_union(BLEUComp(), FunctionTransformer(untranslated)),
)
pipeline = make_ranking_pipeline(
    both, StandardScaler(), RankRecomposer(LogisticRegression())
)
grid = {
    "featureunion": [bleu, both],
    "rankrecomposer__estimator__C": [0.001, 0.01, 0.1, 1.0],
}
search = GridSearchCV(
    pipeline, grid, scoring=kendall_tau_scorer, cv=SegmentKFold(5)
)
search.fit(X, y)
found = pd.DataFrame(search.cv_results_)

# %%
# What was found
# --------------
#
# Each line is one choice of features; its points are means over the folds, its
# whiskers one standard deviation to each side. The feature helps with every C.
# Only segments that were not searched over can say how much the best setting
# is worth on other texts.

import matplotlib.pyplot as plt

figure, ax = plt.subplots(layout="constrained")
choices = {"BLEU": "BLEUComp", "BLEU and untranslated words": "FeatureUnion"}
kinds = found["param_featureunion"].map(lambda step: type(step).__name__)
for (name, kind), shift in zip(choices.items(), (0.97, 1.03), strict=True):
    rows = found[kinds == kind]
    C = rows["param_rankrecomposer__estimator__C"].astype(float) * shift
    tau, spread = 100 * rows["mean_test_score"], 100 * rows["std_test_score"]
    ax.errorbar(C, tau, spread, marker="o", capsize=3, label=name)
ax.set(
    xscale="log",
    xlabel="C of logistic regression",
    ylabel="Kendall's tau (wmt12) × 100",
)
ax.legend(frameon=False)
_ = figure.suptitle(
    "Tau by C,\nwith and without the feature of untranslated words"
)

# %%
# **Read next:** :doc:`/feature_sets`, :doc:`/extending`.
