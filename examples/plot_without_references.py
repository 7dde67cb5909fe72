"""
Can I rank translations without references?
===========================================

Nobody has translated your text before, so there is no reference to compare
with. Two things remain: what the competing systems say, and how each
translation reads next to its source. This example learns from both which
translation annotators prefer.
"""

# %%
# The translations
# ----------------
#
# The references of the sample are deleted, so that nothing below can read
# them. They are kept only for chrF, with which the result is compared.

from sklearn_mteval import segment_train_test_split
from sklearn_mteval.datasets import load_sample

X, y = load_sample(return_X_y=True)
references = X["reference"]
X = X.drop(columns="reference")
X_train, X_test, y_train, y_test = segment_train_test_split(
    X, y, test_size=0.5
)

# %%
# Features that need no reference
# -------------------------------
#
# :class:`~sklearn_mteval.features.ContrastiveScore` scores each translation
# against those of the other systems, as if these were references. The columns
# of :class:`~sklearn_mteval.features.SurfaceCounts` describe one translation
# and its source: lengths, punctuation, unknown words. Each set of features
# gets a model of its own, and the last model has both.

from sklearn.pipeline import make_union
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import RankRecomposer, make_ranking_pipeline
from sklearn_mteval.features import (
    ContrastiveScore,
    MetricScores,
    SurfaceCounts,
)

sets = {
    "source and translation": SurfaceCounts(),
    "competing systems": make_union(
        ContrastiveScore("chrf"), ContrastiveScore("bleu")
    ),
}
sets["both"] = make_union(*sets.values())
scores = {}
for name, features in sets.items():
    model = make_ranking_pipeline(features, StandardScaler(), RankRecomposer())
    scores[name] = model.fit(X_train, y_train).decision_function(X_test)

referenced = X_test.assign(reference=references)
scores["chrF, reads the reference"] = MetricScores(("chrf",)).fit_transform(
    referenced
)[:, 0]

# %%
# Agreement with annotators
# -------------------------
#
# The plot shows Kendall's tau on segments that no model was trained on, with
# 95 % intervals. A tau of 0 is chance. Both kinds of features together are
# above chance; 64 segments are too few to say so of either kind alone. A
# reference is worth more: chrF, which learns nothing, agrees better.

import pandas as pd

from sklearn_mteval.plots import AgreementDisplay

display = AgreementDisplay.from_predictions(
    y_test,
    pd.DataFrame(scores, index=X_test.index),
    groups=X_test.index.droplevel("system"),
    documents=X_test.index.get_level_values("segment"),
    references={"chance": 0},
)
_ = display.figure_.suptitle(
    "Agreement with annotators, with and without references"
)

# %%
# **Read next:** :doc:`/linguistic/quality_estimation`.
