"""
Can a neural network compare two translations?
==============================================

:class:`~sklearn_mteval.PairwiseNN` (Guzmán et al. 2015) reads embeddings of
two translations and of their reference, and features of each translation, and
decides which of the two is better. It stands in a pipeline like any other
classifier of pairs. Is it better than logistic regression, and when should
its training end?
"""

# %%
# Features: words that match, and meanings
# ----------------------------------------
#
# Components of BLEU say which words match. The mean vectors of the words of
# translation and reference say what these mean: the network recognises them by
# the names of their columns. The word vectors come with the package.

from sklearn.pipeline import make_union

from sklearn_mteval import BLEUComp, EmbeddingAverager
from sklearn_mteval.datasets import load_sample

X, y = load_sample(return_X_y=True)
both = make_union(BLEUComp(), EmbeddingAverager("english"))
features = both.set_output(transform="pandas").fit_transform(X)
print(features.shape[1], "columns of each translation")

# %%
# A network and a line
# --------------------
#
# Nothing forces a network to say of (t2, t1) the opposite of what it says of
# (t1, t2). ``symmetric=True`` makes it so. Logistic regression on the
# differences of the features is so by itself. Kendall's tau of each is that on
# segments held out, with its standard deviation over four folds.

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import (
    PairDifference,
    PairwiseNN,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    make_ranking_pipeline,
)

network = PairwiseNN(hidden_units=4, max_epochs=60, random_state=0)
line = make_pipeline(PairDifference(), LogisticRegression(C=0.01))
learners = {
    "network": network,
    "symmetric network": PairwiseNN(
        hidden_units=4, symmetric=True, max_epochs=60, random_state=0
    ),
    "logistic regression": line,
}
how = {"scoring": kendall_tau_scorer, "cv": SegmentKFold(4)}
for name, learner in learners.items():
    model = make_ranking_pipeline(StandardScaler(), RankRecomposer(learner))
    taus = 100 * cross_val_score(model, features, y, **how)
    print(f"{name:19}  {taus.mean():4.1f}  ± {taus.std():.1f}")

# %%
# On a hundred segments none is better than the other: the folds differ more
# than the learners do. Trained on a whole campaign, WMT13 French-English, the
# symmetric network and logistic regression are equally good, too. A network
# may pay with embeddings that say more than word vectors do, and with some ten
# thousand judged pairs.
#
# When does training end?
# -----------------------
#
# A tenth of the segments is held out by ``fit`` itself. After each epoch their
# tau is computed, and the epoch with the highest is kept; it is the dashed
# line. The cost of the pairs trained on goes on falling after that.

import matplotlib.pyplot as plt

model = make_ranking_pipeline(StandardScaler(), RankRecomposer(network))
trained = model.fit(features, y)[-1].estimator_
epochs = [row["epoch"] for row in trained.history_]
figure, (cost, tau) = plt.subplots(2, sharex=True, layout="constrained")
cost.plot(epochs, [row["loss"] for row in trained.history_], color="#B84A00")
cost.set_ylabel("cost of training pairs")
tau.plot(
    epochs, [100 * row["tau"] for row in trained.history_], color="#0072B2"
)
tau.set(xlabel="epoch", ylabel="tau × 100, held out")
for ax in (cost, tau):
    ax.axvline(
        trained.best_epoch_, color="#5F5F5F", linestyle="--", linewidth=1
    )
_ = figure.suptitle("Training of a pairwise network, epoch by epoch")

# %%
# What can go wrong
# -----------------
#
# - *Embeddings that are not recognised* count as similarities. The attribute
#   ``column_roles_`` says what the network took each column for.
# - *Features of different sizes*: scale them, as here, or the largest decides.
# - *Few segments held out*: their tau is noisy, as the lower plot shows, and
#   the best epoch is partly luck.

# %%
# **Read next:** :doc:`/pairwise_nn`, :doc:`/classifiers`.
