"""
Which features are worth their time?
====================================

More features cost more time. Do they agree better with annotators, too? Sets
of features can be compared if each has the same learner, the same folds and
the same statistic.
"""

# %%
# Sets of features
# ----------------
#
# Each set is a transformer, and a union of several is one, too.

from sklearn.pipeline import make_union

from sklearn_mteval import BLEUComp
from sklearn_mteval.features import (
    ChrFComp,
    ContentErrors,
    LexicalFeatures,
    MetricScores,
    TERComp,
)

sets = {
    "BLEU": MetricScores(("bleu",)),
    "chrF": MetricScores(("chrf",)),
    "components of BLEU": BLEUComp(),
    "components of BLEU, chrF, TER": make_union(
        BLEUComp(), ChrFComp(), TERComp()
    ),
    "lexical features": LexicalFeatures(),
    "lexical features and content errors": make_union(
        LexicalFeatures(), ContentErrors()
    ),
}

# %%
# The same folds for all
# ----------------------
#
# ``SegmentKFold`` keeps segments whole. Everything that is fitted stands in
# the pipeline, so that it is fitted on the training folds only. The processor
# time of each set is measured, too.

from time import process_time

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import (
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    make_ranking_pipeline,
)
from sklearn_mteval.datasets import load_sample

X, y = load_sample(return_X_y=True)
taus, seconds = {}, {}
for name, features in sets.items():
    ranker = RankRecomposer(
        make_pipeline(PairDifference(), LogisticRegression(C=0.01))
    )
    model = make_ranking_pipeline(features, StandardScaler(), ranker)
    taus[name] = 100 * cross_val_score(
        model, X, y, cv=SegmentKFold(5), scoring=kendall_tau_scorer
    )
    start = process_time()
    features.fit(X).transform(X)
    seconds[name] = 1000 / len(X) * (process_time() - start)
folds = pd.DataFrame(taus)

# %%
# Differences, fold by fold
# -------------------------
#
# Some folds are harder than others, for all sets. Therefore the plot shows how
# much each set *gains* over BLEU in the same fold: a small dot for each of the
# five folds, and a large one for their mean. A set that gains in all folds is
# worth having. The processor time that it needs is given in brackets.

import matplotlib.pyplot as plt

gains = folds.sub(folds["BLEU"], axis=0).drop(columns="BLEU")
names = [
    f"{name}\n({seconds[name]:.2f} s for 1,000 translations)" for name in gains
]
figure, ax = plt.subplots(figsize=(4.8, 3), layout="constrained")
for gain in gains.to_numpy():
    ax.plot(gain, names, "o", color="#5F5F5F", markersize=4)
ax.plot(gains.mean(), names, "o", color="#0072B2", markersize=9)
ax.axvline(0, color="#5F5F5F", linewidth=0.8)
ax.invert_yaxis()
ax.set_xlabel("Tau (wmt12) × 100, less that of BLEU", loc="right")
_ = figure.suptitle("What features gain over BLEU, in five folds")

# %%
# **Read next:** :doc:`/feature_sets`.
