"""
A feature of my own, in a pipeline and a grid search
====================================================

A feature is a transformer of scikit-learn's: a table of candidates goes in, a row of numbers for
each translation comes out. This one is combined with BLEU's components, trained on rankings, and
tried with several settings by ``GridSearchCV``, without leaks between segments.
"""

# %%
# The feature
# -----------
#
# How many of the reference's words stand in the translation? A function of the table is enough for
# ``FunctionTransformer``.

import pandas as pd
from sklearn.preprocessing import FunctionTransformer

from sklearn_mteval.datasets import load_sample


def words_found(X):
    """Return the proportion of the reference's words that the translation has."""
    pairs = zip(X["hypothesis"], X["reference"], strict=True)
    values = [
        len(set(one.lower().split()) & set(other.lower().split())) / len(set(other.lower().split()))
        for one, other in pairs
    ]
    return pd.DataFrame({"words_found": values}, index=X.index)


X, y = load_sample(return_X_y=True)
words_found(X).head()

# %%
# The pipeline and the search
# ---------------------------
#
# ``SegmentKFold`` keeps the translations of a segment together, so that none is trained on while
# another is asked about. The score is Kendall's tau with the ranks, as it is of any other model.

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_union
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import (
    BLEUComp,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    make_ranking_pipeline,
)

both = make_union(BLEUComp(), FunctionTransformer(words_found))
ranker = RankRecomposer(LogisticRegression())
grid = {
    "features": [BLEUComp(), FunctionTransformer(words_found), both],
    "rankrecomposer__estimator__C": [0.001, 0.01, 0.1, 1.0],
}
pipeline = make_ranking_pipeline(both, StandardScaler(), ranker)
pipeline.steps[0] = ("features", both)
search = GridSearchCV(pipeline, grid, scoring=kendall_tau_scorer, cv=SegmentKFold(5), n_jobs=1)
search.fit(X, y)

# %%
# What was found
# --------------
#
# Each line is one choice of features; its points are means over the folds, its whiskers one
# standard deviation to each side.

import matplotlib.pyplot as plt

found = pd.DataFrame(search.cv_results_)
found["features"] = found["param_features"].map(
    lambda step: {"BLEUComp": "BLEU", "FeatureUnion": "both"}.get(type(step).__name__, "words")
)
figure, ax = plt.subplots(layout="constrained")
for name, rows in found.groupby("features"):
    C = rows["param_rankrecomposer__estimator__C"].astype(float)
    tau, spread = 100 * rows["mean_test_score"], 100 * rows["std_test_score"]
    ax.errorbar(C, tau, spread, marker="o", capsize=3, label=name)
ax.set(xscale="log", xlabel="C of logistic regression", ylabel="Kendall's tau (wmt12) × 100")
ax.legend(frameon=False)
figure
