"""
Can I rank with LightGBM in a pipeline?
=======================================

LightGBM's ranker must be told which rows belong together, and scikit-learn's
pipelines do not tell it. :class:`~sklearn_mteval.GroupRanker` reads the groups
from the index of the table, so that pipelines, searches and early stopping
work. LightGBM is no dependency of this package (``pip install lightgbm``);
XGBoost's and CatBoost's rankers work in the same way.
"""

# %%
# Judgements in groups
# --------------------
#
# The data are generated: 300 segments with five translations each, and an
# annotator who often errs. Rows of one segment are a group.

from sklearn_mteval import segment_train_test_split
from sklearn_mteval.datasets import make_rankings

X, y = make_rankings(300, 5, annotator_noise=0.15, random_state=0)
X_train, X_test, y_train, y_test = segment_train_test_split(
    X, y, test_size=0.25, random_state=0
)

# %%
# A pipeline that stops early
# ---------------------------
#
# A quarter of the training segments is held out to stop the training when
# twenty more trees have not helped. The groups stay whole there, too.

from lightgbm import LGBMRanker

from sklearn_mteval import (
    BLEUComp,
    GroupRanker,
    kendall_tau_scorer,
    make_ranking_pipeline,
)

options = {"num_leaves": 7, "n_jobs": 1, "verbosity": -1}
patient = LGBMRanker(n_estimators=300, early_stopping_rounds=20, **options)
stopped = make_ranking_pipeline(
    BLEUComp(), GroupRanker(patient, validation_fraction=0.25)
)
stopped.fit(X_train, y_train)
trees = stopped[-1].estimator_.best_iteration_
print(f"{trees} trees, tau {kendall_tau_scorer(stopped, X_test, y_test):.3f}")

# %%
# How many trees are enough?
# --------------------------
#
# The same pipeline is cross-validated with fixed numbers of trees, over folds
# of whole segments.

from sklearn.model_selection import validation_curve

from sklearn_mteval import SegmentKFold

sizes = [1, 5, 20, 80, 300]
pipeline = make_ranking_pipeline(
    BLEUComp(), GroupRanker(LGBMRanker(**options))
)
trained, held_out = validation_curve(
    pipeline,
    X_train,
    y_train,
    param_name="groupranker__estimator__n_estimators",
    param_range=sizes,
    cv=SegmentKFold(3),
    scoring=kendall_tau_scorer,
)

# %%
# On the segments trained on, more trees always look better. On those held out,
# tau rises, and then falls again. The dashed line is where early stopping
# stopped.

import matplotlib.pyplot as plt

figure, ax = plt.subplots(layout="constrained")
for name, taus, colour in (
    ("segments trained on", trained, "#B84A00"),
    ("segments held out", held_out, "#0072B2"),
):
    mean, spread = 100 * taus.mean(axis=1), 100 * taus.std(axis=1)
    ax.errorbar(
        sizes, mean, spread, marker="o", capsize=3, color=colour, label=name
    )
ax.axvline(
    trees, color="#5F5F5F", linestyle="--", linewidth=1, label="early stopping"
)
ax.set(xscale="log", xlabel="trees", ylabel="Kendall's tau (wmt12) × 100")
ax.legend(frameon=False)
_ = figure.suptitle("Tau of LightGBM's ranker by the number of trees")

# %%
# What can go wrong
# -----------------
#
# - ``KFold`` *in place of* ``SegmentKFold`` puts translations of one segment
#   into both training and test, and the score is too good.
# - *A step that loses the index*, such as a function that returns an array.
#   ``make_ranking_pipeline`` keeps it through scikit-learn's steps; where it
#   is lost, ``fit`` says so.
# - *Scores of single translations.* A list-wise ranker orders the translations
#   of a segment; its strengths do not average to a score of a system.

# %%
# **Read next:** :doc:`/classifiers`, :doc:`/training_out_of_core`.
