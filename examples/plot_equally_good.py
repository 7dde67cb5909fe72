"""
When are two translations equally good?
=======================================

Annotators often find two translations equally good. A metric hardly ever gives
two equal scores, so it needs a threshold: two translations tie if their scores
differ by less. How large should it be?
"""

# %%
# Annotators who tie
# ------------------
#
# The judgements are generated. Annotators see three grades of quality only, so
# that about a third of the pairs tie.

from sklearn_mteval import segment_train_test_split
from sklearn_mteval.datasets import make_rankings

X, y = make_rankings(600, 4, n_ranks=3, annotator_noise=0.05, random_state=0)
X_train, X_test, y_train, y_test = segment_train_test_split(
    X, y, test_size=0.5, random_state=0
)

# %%
# The threshold
# -------------
#
# :func:`~sklearn_mteval.metrics.calibrate_ties` tries every difference of
# scores as a threshold and keeps the one with the highest accuracy: the
# proportion of pairs of which metric and annotators say the same, better,
# worse or tied. It is found on one half of the segments, and checked on the
# other half.

from sklearn_mteval.features import MetricScores
from sklearn_mteval.metrics import calibrate_ties, pairwise_accuracy

metrics = {"chrF": "chrf", "BLEU": "bleu"}
found = {}
for name, metric in metrics.items():
    train, test = (
        MetricScores((metric,)).fit_transform(part)[:, 0]
        for part in (X_train, X_test)
    )
    found[name] = calibrate_ties(
        y_train, train, groups=X_train.index.droplevel("system")
    )
    groups = X_test.index.droplevel("system")
    for epsilon in (0, found[name].epsilon):
        accuracy = pairwise_accuracy(
            y_test, test, groups=groups, epsilon=epsilon
        )
        print(f"{name}, threshold {epsilon:.2f}: accuracy {accuracy:.3f}")

# %%
# How to read the curve
# ---------------------
#
# The open dot on the left has no threshold: the metric hardly ever ties.
# Further right more pairs tie, rightly at first, and then pairs that
# annotators do tell apart. The filled dot is the best threshold. BLEU and chrF
# have different scales, and so different thresholds. A huge threshold ties
# everything: compare with the proportion of pairs that annotators tie, which
# needs no metric. ``evaluate --statistic acc_eq`` prints each metric with the
# threshold that serves it best on the very judgements that it is evaluated on,
# which flatters it a little.

import matplotlib.pyplot as plt

from sklearn_mteval.plots import TieCalibrationDisplay

figure, ax = plt.subplots(layout="constrained")
for name, calibration in found.items():
    TieCalibrationDisplay.from_calibration(calibration, name=name, ax=ax)
_ = figure.suptitle("Accuracy with ties by the threshold, for chrF and BLEU")

# %%
# Learning when annotators tie
# ----------------------------
#
# A model learns not only from the difference: two good translations tie more
# often than two bad ones that differ as much. ``RankRecomposer(ties="model")``
# learns from all pairs, and ``predict`` gives equal ranks where it expects a
# tie.

from sklearn_mteval import BLEUComp, RankRecomposer, make_ranking_pipeline

model = make_ranking_pipeline(BLEUComp(), RankRecomposer(ties="model"))
ranks = model.fit(X_train, y_train).predict(X_test)
accuracy = pairwise_accuracy(y_test, -ranks, groups=groups)
print(f"ranks of a model of ties: accuracy {accuracy:.3f}")

# %%
# **Read next:** :doc:`/ties`.
