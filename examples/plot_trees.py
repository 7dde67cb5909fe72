"""
Do trees tell more than words?
==============================

A metric that compares words sees which words are right. A tree shows what they
do together: whether a whole noun phrase has come across, or only pieces of it.
A tree kernel lets a support vector machine learn which pieces good
translations have (Guzmán et al. 2014).
"""

# %%
# Two trees
# ---------
#
# The parser comes with the package. What stands in both trees is bold.

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.plots import TreeDisplay

X, y = load_sample(return_X_y=True)
row = X.loc[(122, "online")]
display = TreeDisplay.from_texts(row["hypothesis"], row["reference"])
_ = display.figure_.suptitle(
    "Trees of a translation and of its reference, with their common words"
)

# %%
# Learning from trees
# -------------------
#
# :class:`~sklearn_mteval.kernels.RelatedTrees` parses translation and
# reference, and marks what occurs in both.
# :class:`~sklearn_mteval.kernels.PreferenceKernelSVC` compares the trees. It
# takes numbers as well, here those of chrF.

import pandas as pd
from sklearn.pipeline import make_union

from sklearn_mteval import (
    RankRecomposer,
    make_ranking_pipeline,
    segment_train_test_split,
)
from sklearn_mteval.features import MetricScores
from sklearn_mteval.kernels import PreferenceKernelSVC, RelatedTrees

X_train, X_test, y_train, y_test = segment_train_test_split(
    X, y, test_size=0.4
)
chrf = MetricScores(("chrf",))
models = {
    "trees": RelatedTrees("SYN"),
    "trees and chrF": make_union(RelatedTrees("SYN"), chrf),
}
scores = {"chrF": chrf.fit_transform(X_test)[:, 0]}
for name, features in models.items():
    svc = PreferenceKernelSVC(calibration_folds=None)
    ranker = RankRecomposer(svc, recomposition="hard")
    models[name] = make_ranking_pipeline(features, ranker).fit(
        X_train, y_train
    )
    scores[name] = models[name].decision_function(X_test)

# %%
# What has it learnt?
# -------------------
#
# The bars show the pieces of trees that weigh most. ``REL`` marks what the
# reference has, too. Blue pieces speak for a translation, brown ones against
# it. Seventy-seven segments are too few for a rule of good translations: small
# pieces that occur everywhere come first.

from sklearn_mteval.plots import FragmentDisplay

display = FragmentDisplay.from_estimator(
    models["trees"], n_fragments=8, beam=50, max_nodes=4
)
_ = display.figure_.suptitle("The sixteen pieces of trees that weigh most")

# %%
# Is it worth it?
# ---------------
#
# Fifty held-out segments are few, and the intervals overlap widely. On real
# judgements, trees and metric scores together agree better than either.

from sklearn_mteval.plots import AgreementDisplay

display = AgreementDisplay.from_predictions(
    y_test,
    pd.DataFrame(scores, index=X_test.index),
    groups=X_test.index.droplevel("system"),
    documents=X_test.index.get_level_values("segment"),
)
_ = display.figure_.suptitle(
    "Agreement with annotators of chrF,\nof trees, and of both"
)

# sphinx_gallery_thumbnail_number = 2

# %%
# **Read next:** :doc:`/linguistic/learning_from_trees`,
# :doc:`/linguistic/trees`.
