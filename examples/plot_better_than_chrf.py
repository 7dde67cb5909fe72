"""
Is my metric better than chrF?
==============================

One metric agrees with annotators more often than another on some test set.
Would it do so on other segments, too? A permutation test answers that;
overlapping intervals do not. The command line asks the same question of files:

.. code-block:: sh

   sklearn-mteval compare judgements.csv --better lower --level segment \
       --scores mine.csv --metrics chrf --model static-en

Here ``mine.csv`` has the columns ``system``, ``segment`` and the scores of
your metric; ``.seg.score`` files of the WMT metrics tasks will do, too. Higher
scores must be better, or you name the metric in ``--lower-is-better``.
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
# pairs: a tau of 0.175 means that chrF is right in 58.75 % of the pairs. Each
# cell of the second table is the p-value of the metric of its row being
# *better* than the one of its column: if both were equally good, such a large
# difference would occur by chance that often. A *cluster* begins at the first
# metric that some metric of the cluster before is significantly better than.

from sklearn_mteval.evaluation import compare_metrics

found = compare_metrics(y, scores, level="segment")
found

# %%
# The model is better than chrF, significantly. The sample is small, so the
# intervals are wide and overlap; but the test pairs the metrics on the same
# segments, which intervals cannot. Publish the signature, the last line that
# the command prints, with your numbers: it says exactly how they were made.

from sklearn_mteval.plots import AgreementDisplay

display = AgreementDisplay.from_predictions(
    y,
    scores,
    groups=X.index.droplevel("system"),
    documents=X.index.get_level_values("segment"),
)
_ = display.figure_.suptitle(
    "Agreement of three metrics with annotators,\nwith 95 % intervals"
)

# %%
# What can go wrong
# -----------------
#
# - *The metric has seen the judgements.* A metric that was trained or tuned on
#   these segments looks better than it is. Split by whole segments, or use
#   another campaign.
# - *Ties.* Strict tau (``wmt12``) counts a tie of the metric as wrong, so that
#   a metric with few distinct values, such as marks from 1 to 5, looks bad.
#   ``statistic="acc_eq"`` gives credit for ties that annotators share.
# - *Too many metrics.* The more metrics you compare, the stricter Holm's
#   correction becomes. Compare those that matter.
# - *Systems instead of segments.* Five systems are five points: a correlation
#   between their means proves little.

# %%
# **Read next:** :doc:`/meta_evaluation`, :doc:`/significance`,
# :doc:`/decisions`.
