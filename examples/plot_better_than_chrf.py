"""
Is my metric better than chrF?
==============================

One metric agrees with annotators more often than another on some test set.
Would it do so on other segments, too? A permutation test answers that;
overlapping intervals do not.
"""

# %%
# Scores of the metrics
# ---------------------
#
# The metric in question is ``static-en``, a model that comes with the package,
# and could be any column of numbers, higher for better translations. BLEU and
# chrF are computed for comparison.

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import MetricScores
from sklearn_mteval.models import load_pretrained, score_candidates

X, y = load_sample(return_X_y=True)
scores = (
    MetricScores(("bleu", "chrf"))
    .set_output(transform="pandas")
    .fit_transform(X)
)
scores.columns = ["BLEU", "chrF"]
scores["static-en"] = score_candidates(load_pretrained("static-en"), X)
scores.head()

# %%
# Agreement with annotators, and tests
# ------------------------------------
#
# Kendall's tau counts the pairs of translations that metric and annotators
# order alike, less those that they order otherwise, in proportion to all
# pairs. Each cell of the second table is the p-value that the metric of its
# row is *not* better than the one of its column.

from sklearn_mteval.evaluation import compare_metrics

found = compare_metrics(y, scores, level="segment")
found

# %%
# The model is better than chrF, significantly. The sample is small, so the
# intervals are wide and overlap; but the test pairs the metrics on the same
# segments, which intervals cannot.

from sklearn_mteval.plots import AgreementDisplay

display = AgreementDisplay.from_predictions(
    y,
    scores,
    groups=X.index.droplevel("system"),
    documents=X.index.get_level_values("segment"),
)
_ = display.figure_.suptitle(
    "Agreement of three metrics with annotators, with 95 % intervals"
)

# %%
# **Read next:** :doc:`/howto/better_than_chrf`, :doc:`/meta_evaluation`.
