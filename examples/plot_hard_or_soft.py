"""
Hard or soft recomposition?
===========================

A classifier compares each translation with each other one, and its decisions
have to become a ranking. *Hard* recomposition counts won comparisons, and
*soft* recomposition weighs each by its probability (Avramidis 2012). Which one
agrees better with annotators, and which one leaves ties?
"""

# %%
# The search
# ----------
#
# The rule of recomposition is an option of the ranker, and so can be searched
# like any other, together with the classifier.

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import (
    BLEUComp,
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    make_ranking_pipeline,
)
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import ChrFComp

X, y = load_sample(return_X_y=True)
learners = {
    "nearest neighbours": KNeighborsClassifier(7),
    "naive Bayes": GaussianNB(),
    "random forest": RandomForestClassifier(30, random_state=0),
    "logistic regression": LogisticRegression(C=0.1),
}
rules = ["hard", "soft"]
features = (
    make_union(BLEUComp(), ChrFComp())
    .set_output(transform="pandas")
    .fit_transform(X)
)
pipeline = make_ranking_pipeline(StandardScaler(), RankRecomposer())
grid = {
    "rankrecomposer__estimator": [
        make_pipeline(PairDifference(), learner)
        for learner in learners.values()
    ],
    "rankrecomposer__recomposition": rules,
}
search = GridSearchCV(
    pipeline, grid, scoring=kendall_tau_scorer, cv=SegmentKFold(5), refit=False
)
found = search.fit(features, y).cv_results_

# %%
# Ties that are left
# ------------------
#
# Five translations make ten comparisons. Two translations often win the same
# number of them, and hard recomposition then ties them. The numbers are the
# proportions of pairs with equal ranks, with nearest neighbours.

from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.model_selection import cross_val_predict

ties = {}
for rule in rules:
    ranker = RankRecomposer(
        grid["rankrecomposer__estimator"][0], recomposition=rule
    )
    model = make_ranking_pipeline(StandardScaler(), ranker)
    ranks = cross_val_predict(model, features, y, cv=SegmentKFold(5))
    systems = pd.Series(ranks, y.index).groupby(level="system")
    columns = [column.to_numpy() for _, column in systems]
    ties[rule] = np.mean(
        [one == other for one, other in combinations(columns, 2)]
    )
print({rule: f"{100 * value:.1f} %" for rule, value in ties.items()})

# %%
# Tau by learner and rule
# -----------------------
#
# Dots are means over five folds, and lines are one standard deviation to each
# side. Strict tau takes a tie for an error, so that soft recomposition gains
# most where decisions of the learner are intransitive or tie, as those of
# nearest neighbours and of the random forest do. Where the decisions follow
# from a score of each translation, as with logistic regression, both rules
# give the same ranking.

import matplotlib.pyplot as plt

taus = 100 * found["mean_test_score"].reshape(len(learners), len(rules))
spreads = 100 * found["std_test_score"].reshape(len(learners), len(rules))
figure, ax = plt.subplots(layout="constrained")
rows = np.arange(len(learners))
for k, (rule, colour) in enumerate(
    zip(rules, ("#B84A00", "#0072B2"), strict=True)
):
    place = rows + 0.2 * k - 0.1
    ax.errorbar(
        taus[:, k],
        place,
        xerr=spreads[:, k],
        fmt="o",
        capsize=3,
        color=colour,
        label=rule,
    )
ax.set_yticks(rows, list(learners))
ax.invert_yaxis()
ax.set_xlabel("Kendall's tau (wmt12) × 100")
ax.legend(frameon=False, title="recomposition")
_ = figure.suptitle(
    "Tau of four learners with hard and with soft recomposition"
)

# %%
# **Read next:** :doc:`/classifiers`.
