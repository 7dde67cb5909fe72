"""
How large must a difference of chrF be?
=======================================

One system is two points of chrF better than another. Would annotators agree? A
decision table counts, for all pairs of systems that were judged, how often
annotators agree with a difference of that size, and says which difference is
needed to be sure.
"""

# %%
# Systems that were judged
# ------------------------
#
# The data are generated: 16 systems that translate 40 segments, and an
# annotator who often errs. With
# :func:`~sklearn_mteval.datasets.load_judgements` you read judgements of your
# own.

from sklearn_mteval.datasets import make_rankings
from sklearn_mteval.features import MetricScores

X, y = make_rankings(40, 16, annotator_noise=0.6, random_state=0)
scores = (
    MetricScores(("chrf",))
    .set_output(transform="pandas")
    .fit_transform(X)
    .iloc[:, 0]
)
chrf = scores.rename("chrF")

# %%
# The decision table
# ------------------
#
# ``needed`` has the difference that is needed for an agreement of 80, 90 and
# 95 %.

from sklearn_mteval.evaluation import decision_table

found = decision_table(chrf, y)
found.needed

# %%
# How to read the curve
# ---------------------
#
# Where systems differ by nothing, annotators agree half of the time. Dots are
# pairs of systems in bins of similar differences. The band is wide, because
# sixteen systems make 120 pairs that depend on each other. Dashed lines lead
# from an agreement to the difference that it needs: an answer for these
# systems and this annotator, which other data will change.

from sklearn_mteval.plots import DecisionTableDisplay

display = DecisionTableDisplay.of(found).plot()
_ = display.figure_.suptitle(
    "Agreement of annotators by the difference\nof chrF of two systems"
)

# %%
# **Read next:** :doc:`/decisions`.
