"""
Which of my systems is best?
============================

Annotators ranked translations of several systems, segment by segment. A
leaderboard makes scores of the systems from these ranks, and says which
systems can be told apart: a difference that could be chance is not an order.
"""

# %%
# The judgements
# --------------
#
# A table of candidates ``X`` has one row for each translation, indexed by
# segment and system; ``y`` holds the ranks, of which 1 is the best.
# :func:`~sklearn_mteval.datasets.load_judgements` reads both from files of
# your own.

from sklearn_mteval.datasets import load_sample

X, y = load_sample(return_X_y=True)
y.unstack().head()

# %%
# The leaderboard
# ---------------
#
# Each pair of ranks is a comparison, and the scores are Bradley and Terry's
# strengths: the difference of two scores is the logarithm of the odds that one
# system is preferred to the other. Segments are resampled for the intervals,
# because judgements of one segment depend on each other.

from sklearn_mteval.evaluation import leaderboard

found = leaderboard(X, y)
found

# %%
# Systems that share one of the *letters* cannot be told apart by these
# judgements, whatever their order. The plot shows the scores with their
# intervals, and the letters.

from sklearn_mteval.plots import LeaderboardDisplay

display = LeaderboardDisplay.of(found).plot()
_ = display.figure_.suptitle(
    "Scores of five systems, with intervals and letters"
)

# %%
# **Read next:** :doc:`/tutorial/2_compare_systems`,
# :doc:`/leaderboards`.
