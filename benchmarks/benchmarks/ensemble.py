"""PairEnsemble against LightGBM's LambdaMART, on the same columns: quality and time."""

import numpy as np
import pandas as pd

from sklearn_mteval import RankRecomposer, kendall_tau
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import LexicalFeatures

from .common import data_dir, seconds

TRAINING = [("wmt13", "fr-en"), *(("wmt15", f"{s}-en") for s in ("cs", "fi", "fr", "ru"))]
TEST = ("wmt15", "de-en")
# Trees as in PairEnsemble: 150 of 8 leaves; and LightGBM's defaults: 100 of 31 leaves.
AS_OURS = {
    "n_estimators": 150,
    "learning_rate": 0.05,
    "num_leaves": 8,
    "min_child_samples": 50,
    "max_bin": 63,
}
# Of ten settings the one with the highest tau on the test pair, to its advantage.
BEST_OF_TEN = {"n_estimators": 500, "learning_rate": 0.05, "min_child_samples": 200}


class LambdaMART:
    """Burges's LambdaMART with scikit-learn's interface, as far as the benchmark needs one."""

    def __init__(self, **options):
        try:
            from lightgbm import LGBMRanker
        except ImportError:
            raise NotImplementedError("lightgbm is not installed") from None
        options = {"n_jobs": 1, "random_state": 0, "verbose": -1, **options}
        self.ranker = LGBMRanker(objective="lambdarank", **options)

    def fit(self, X, y):
        """Learn from rankings: relevance is how many ranks a translation is above the last."""
        groups = comparable_groups(X)
        order = np.argsort(groups, kind="stable")
        ranks, sizes = y.to_numpy()[order], np.bincount(groups)
        worst = np.maximum.reduceat(ranks, np.cumsum(sizes) - sizes)
        relevance = (np.repeat(worst, sizes) - ranks).astype(np.int64)
        gains = np.arange(relevance.max() + 1)  # 2^relevance - 1 counts little but the best
        self.ranker.set_params(label_gain=gains.tolist())
        self.ranker.fit(X.to_numpy()[order], relevance, group=sizes)
        return self

    def decision_function(self, X):
        """Score translations."""
        return self.ranker.booster_.predict(X.to_numpy())


LEARNERS = {
    "PairEnsemble": lambda: RankRecomposer(PairEnsemble()),
    "PairEnsemble, not calibrated": lambda: RankRecomposer(PairEnsemble(calibrate=False)),
    "its logistic regression": lambda: _only("logreg"),
    "its trees": lambda: _only("boosting"),
    "LambdaMART, defaults": LambdaMART,
    "LambdaMART, trees as ours": lambda: LambdaMART(**AS_OURS),
    "LambdaMART, the best of ten": lambda: LambdaMART(**BEST_OF_TEN),
}


def _only(name):
    """Leave the other member out."""
    (other,) = {"logreg", "boosting"} - {name}
    return RankRecomposer(PairEnsemble(calibrate=False).set_params(**{other: "drop"}))


class HeldOutPair:
    """Lexical features, 72 columns: train on WMT13 and four pairs of WMT15, test on WMT15 de-en."""

    params = tuple(LEARNERS)
    param_names = ("learner",)
    timeout = 1800

    def setup_cache(self):
        tables = {pair: _load(*pair) for pair in (*TRAINING, TEST)}
        X, y = (pd.concat(parts) for parts in zip(*map(tables.get, TRAINING), strict=True))
        lexical = LexicalFeatures(data_dir() / "vectors" / "distilled-en-100d.txt.gz")
        lexical.set_output(transform="pandas")
        return lexical.fit_transform(X), y, lexical.transform(tables[TEST][0]), tables[TEST][1]

    def setup(self, cache, learner):
        self.model = LEARNERS[learner]()

    def track_tau(self, cache, learner):
        X, y, X_test, y_test = cache
        strengths = self.model.fit(X, y).decision_function(X_test)
        return 100 * kendall_tau(y_test, strengths, groups=comparable_groups(X_test))

    track_tau.unit = "tau x 100"

    def track_training(self, cache, learner):
        return seconds(lambda: self.model.fit(*cache[:2]), repeat=1)

    track_training.unit = "seconds"

    def track_prediction(self, cache, learner):
        model, X_test = self.model.fit(*cache[:2]), cache[2]
        return len(X_test) / seconds(lambda: model.decision_function(X_test))

    track_prediction.unit = "rows a second"


def _load(campaign, pair):
    """Load rankings whose segments bear the pair's name."""
    X, y = load_wmt(data_dir() / campaign, pair, return_X_y=True)
    labels = X.index.to_frame(index=False)
    labels["segment"] = f"{campaign} {pair}:" + labels["segment"].astype(str)
    index = pd.MultiIndex.from_frame(labels)
    return X.set_axis(index), y.set_axis(index)
