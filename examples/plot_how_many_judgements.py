"""
How many judgements do I need?
==============================

To halve an interval you need four times as many judged segments. Let the first
judgements tell you how many more it takes: to tell systems apart, watch how
many pairs of them differ already; to train a model, draw a learning curve.
"""

# %%
# To tell systems apart
# ---------------------
#
# These are the leaderboards of the first 16, 32, 64 and 128 segments. Two
# systems are told apart if p is at most 0.05 after Holm's correction.

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.evaluation import leaderboard

X, y = load_sample(return_X_y=True)
segment = y.index.get_level_values("segment")
for n in (16, 32, 64, 128):
    found = leaderboard(X[segment <= n], y[segment <= n])
    error = found.table["standard_error"].mean()
    apart = (found.pairs["p_value"] <= 0.05).sum()
    print(f"{n:3} segments: error {error:.2f}, {apart} of 10 pairs differ")

# %%
# The error, which is the mean standard error of a system's strength, falls
# with the square root of the number of segments. Systems that differ much are
# told apart soon, and the pairs that remain differ little: a difference as
# large as its own error needs eight times as many segments to be found with a
# probability of 80 %. Instead of judging everything, let
# ``sklearn-mteval next`` ask for the comparisons that say most, or
# ``sklearn-mteval select`` draw the segments in which metrics see differences.

# %%
# To train a model
# ----------------
#
# A learning curve says what more judgements would bring: a model is trained on
# more and more segments, and asked about the same segments, which were held
# out. Whole segments are held out, because translations of one segment share
# its source and its reference. ``sklearn-mteval train`` prints such a curve.

from sklearn_mteval import segment_train_test_split

X_train, X_test, y_train, y_test = segment_train_test_split(
    X, y, test_size=0.5
)
groups = X_test.index.droplevel("system")

# %%
# The features compare words of the translation with those of the reference;
# logistic regression learns from pairs of translations which of their
# differences matter.

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import RankRecomposer, kendall_tau, make_ranking_pipeline
from sklearn_mteval.features import LexicalFeatures
from sklearn_mteval.metrics import agreement_interval

segments = X_train.index.unique("segment")
order = np.random.default_rng(0).permutation(segments)
sizes, values, intervals = [4, 8, 16, 32, 64], [], []
for size in sizes:
    chosen = X_train.index.isin(order[:size], level="segment")
    ranker = RankRecomposer(LogisticRegression(C=0.1))
    model = make_ranking_pipeline(LexicalFeatures(), StandardScaler(), ranker)
    strength = model.fit(X_train[chosen], y_train[chosen]).decision_function(
        X_test
    )
    values.append(kendall_tau(y_test, strength, groups=groups))
    intervals.append(agreement_interval(y_test, strength, groups=groups))

# %%
# The dashed line is a metric that learns nothing from these segments. A few
# dozen segments are enough to be better than it; but the 64 segments held out
# cannot tell whether 64 are better than 32. More judgements are worth it if
# the interval of the last gain lies above 0.

from sklearn_mteval.features import MetricScores
from sklearn_mteval.plots import LearningCurveDisplay

chrf = MetricScores(("chrf",)).fit_transform(X_test)[:, 0]
references = {"chrF": kendall_tau(y_test, chrf, groups=groups)}
display = LearningCurveDisplay(
    sizes, values, intervals, references=references
).plot()
_ = display.figure_.suptitle(
    "Agreement on held-out segments\nby the number of segments trained on"
)

# %%
# What can go wrong
# -----------------
#
# - *Testing until it is significant.* Tests that you repeat after each batch,
#   until they say "different", say so too often. Decide beforehand how many
#   comparisons there will be.
# - *Picking the most telling segments by a rule.* Means on them are off. Draw
#   at random, and keep the probabilities for ``leaderboard --selection``.
# - *Whole documents, or many judgements of few segments.* What is judged
#   together depends on each other. More segments say more.

# %%
# **Read next:** :doc:`/selection`,
# :doc:`/tutorial/5_train_a_model`.
