"""
Why must segments not be split over folds?
==========================================

Cross-validation estimates how well a model judges texts that it has not seen.
Rows of one segment share the source and the reference, and often the very
translation, which several annotators have ranked. If some of these rows are in
the training data and others in the test data, the model is asked about what it
has seen.
"""

# %%
# Three annotators for each segment
# ---------------------------------
#
# The data are generated: 80 segments with four translations each, which three
# annotators have ranked. Annotators agree with each other about much that
# features do not see, as they do in real campaigns.

import numpy as np
import pandas as pd

from sklearn_mteval.datasets import make_rankings

X, _, quality = make_rankings(80, 4, return_quality=True, random_state=0)
rng = np.random.default_rng(0)
quality = quality + rng.normal(
    0, 0.3, len(quality)
)  # what features do not see
opinions = {
    name: -(quality + rng.normal(0, 0.1, len(quality)))
    .groupby(level="segment")
    .rank()
    for name in ("anna", "boris", "clara")
}
y = pd.concat(opinions, names=["ranking"]).reorder_levels(
    ["segment", "ranking", "system"]
)
X = pd.concat(dict.fromkeys(opinions, X), names=["ranking"])
X = X.reorder_levels(["segment", "ranking", "system"])

# %%
# Folds of rows, and folds of segments
# ------------------------------------
#
# Four learners get the same features and both kinds of folds. A ranker
# remembers which segments it was trained on, and warns when it is asked about
# them: a ``SegmentLeakWarning``, which is ignored here.

import warnings

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_mteval import (
    BLEUComp,
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    make_ranking_pipeline,
)
from sklearn_mteval.exceptions import SegmentLeakWarning

features = BLEUComp().set_output(transform="pandas").fit_transform(X)
learners = {
    "logistic regression": LogisticRegression(max_iter=1000),
    "nearest neighbours": KNeighborsClassifier(7),
    "decision tree": DecisionTreeClassifier(random_state=0),
    "random forest": RandomForestClassifier(30, random_state=0),
}
folds = {
    "rows, shuffled": KFold(5, shuffle=True, random_state=0),
    "whole segments": SegmentKFold(5),
}
taus = pd.DataFrame(index=list(learners), columns=list(folds), dtype=float)
for name, learner in learners.items():
    ranker = RankRecomposer(make_pipeline(PairDifference(), learner))
    model = make_ranking_pipeline(StandardScaler(), ranker)
    for kind, cv in folds.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SegmentLeakWarning)
            found = cross_val_score(
                model, features, y, cv=cv, scoring=kendall_tau_scorer
            )
        taus.loc[name, kind] = 100 * found.mean()
taus.round(1)

# %%
# The optimistic tau
# ------------------
#
# The distance between the two dots is the leak. Logistic regression has few
# coefficients and cannot remember translations, so that little leaks. The
# random forest remembers them: by folds of rows it seems to be the best of the
# four learners, and on new segments logistic regression is better.
# ``SegmentKFold`` reads the segments from the index, and works in
# ``GridSearchCV``, too.

import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(4.6, 2.6), layout="constrained")
ax.hlines(
    taus.index,
    taus.min(axis=1),
    taus.max(axis=1),
    color="#5F5F5F",
    linewidth=1,
)
for kind, colour in zip(folds, ("#B84A00", "#0072B2"), strict=True):
    ax.plot(taus[kind], taus.index, "o", color=colour, label=kind)
ax.invert_yaxis()
ax.set_xlabel("Kendall's tau (wmt12) × 100, mean of five folds")
ax.legend(
    frameon=False, title="folds of", loc="upper left", bbox_to_anchor=(1, 1)
)
_ = figure.suptitle(
    "Tau of four learners\nby folds of rows and by folds of segments"
)

# %%
# **Read next:** :doc:`/pitfalls`.
