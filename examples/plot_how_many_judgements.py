"""
How many judgements do I need?
==============================

Training needs rankings by annotators, which cost money. A learning curve says
what more of them would bring: a model is trained on more and more segments,
and asked about the same segments, which were held out.
"""

# %%
# Segments held out
# -----------------
#
# Whole segments are held out: translations of one segment share its source and
# its reference, so that a model that has seen one of them knows something of
# the others.

from sklearn_mteval import segment_train_test_split
from sklearn_mteval.datasets import load_sample

X, y = load_sample(return_X_y=True)
X_train, X_test, y_train, y_test = segment_train_test_split(
    X, y, test_size=0.5
)
groups = X_test.index.droplevel("system")

# %%
# Training on more and more
# -------------------------
#
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
# The curve
# ---------
#
# The dashed line is a metric that learns nothing from these segments. A few
# dozen segments are enough to be better than it; but the 64 segments held out
# cannot tell whether 64 are better than 32.

from sklearn_mteval.features import MetricScores
from sklearn_mteval.plots import LearningCurveDisplay

chrf = MetricScores(("chrf",)).fit_transform(X_test)[:, 0]
references = {"chrF": kendall_tau(y_test, chrf, groups=groups)}
display = LearningCurveDisplay(
    sizes, values, intervals, references=references
).plot()
_ = display.figure_.suptitle(
    "Agreement on held-out segments by the number of segments trained on"
)

# %%
# **Read next:** :doc:`/howto/how_many_judgements`.
