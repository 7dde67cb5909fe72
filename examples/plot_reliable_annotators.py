"""
Are my annotators reliable?
===========================

Some annotators judge with care, some hardly look, and one may have read the
scale the wrong way round. Two things tell them apart: whether they say what
others say of the same translations, and how well they tell the systems apart.
"""

# %%
# Judgements with a judge's name
# ------------------------------
#
# The judgements are generated, so that it is known who judges how: six
# annotators, four of whom are more or less careful, while "felix" answers at
# random and "greta" has the scale reversed. Each ranks three translations of a
# segment, and each segment is ranked by two annotators.

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
care = {
    "anna": 3.0,
    "boris": 2.0,
    "clara": 2.0,
    "dario": 1.0,
    "felix": 0.0,
    "greta": -2.0,
}
systems, strengths = ["alpha", "beta", "gamma"], np.array([0.5, 0.0, -0.5])
rows = []
for segment in range(400):
    quality = strengths + rng.normal(0, 0.5, 3)
    for name in rng.choice(list(care), 2, replace=False):
        seen = care[name] * quality + rng.gumbel(size=3)
        ranks = 1 + (-seen).argsort().argsort()
        rows += [
            (segment, name, *row) for row in zip(systems, ranks, strict=True)
        ]
table = pd.DataFrame(rows, columns=["segment", "ranking", "system", "rank"])
y = table.set_index(["segment", "ranking", "system"])["rank"]
judges = y.index.get_level_values("ranking")

# %%
# The audit
# ---------
#
# :func:`~sklearn_mteval.evaluation.audit_judges` compares each annotator with
# the others. A *discrimination* of 1 is that of an average annotator, 0 is
# chance, and a negative one belongs to somebody who answers the wrong way
# round.

from sklearn_mteval.evaluation import audit_judges

audit = audit_judges(y, judges, scores=False)
audit[["judgements", "agreement_with_others", "discrimination"]].round(2)

# %%
# Who agrees with the others?
# ---------------------------
#
# Two annotators who answer at random agree on half of the pairs. Agreement
# alone cannot say which of two annotators is right, and it is lower for those
# whose segments a bad annotator has judged, too.

from sklearn_mteval.plots import JudgesDisplay

display = JudgesDisplay(audit).plot()
_ = display.figure_.suptitle("Agreement of six annotators with the others")

# %%
# Who can tell the systems apart?
# -------------------------------
#
# The discrimination separates them: the interval of "felix" contains 0, and
# that of "greta" is below 0. A leaderboard with
# ``judge_model="discrimination"`` takes that into account, so that you need
# not remove anybody's judgements.

from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.plots import LeaderboardDisplay

found = leaderboard(
    pd.DataFrame(index=y.index), y, judges=judges, judge_model="discrimination"
)
display = LeaderboardDisplay.of_judges(found).plot()
_ = display.figure_.suptitle(
    "Discrimination of six annotators, with 95 % intervals"
)

# sphinx_gallery_thumbnail_number = 2

# %%
# **Read next:** :doc:`/judges`.
