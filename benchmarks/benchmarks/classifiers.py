"""Learners of pairs against scikit-learn's and statsmodels', on a real pair table."""

import warnings
from functools import cache

import numpy as np
from scipy.special import log_expit, logit
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import KNN, BLEUComp, LogReg, NaiveBayes, PairDifference
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.pairwise import decompose

from .common import data_dir, seconds

# A feature of BLEU's components for each dimension that they have: statsmodels needs that.
_INDEPENDENT = [0, 1, 2, 3, 8, 9, 10, 11, 12, 14, 15]


def real_pairs():
    """Return differences of BLEU's components of all decided pairs of WMT13 fr-en, and labels."""
    X, y = load_wmt(data_dir() / "wmt13", "fr-en", return_X_y=True)
    features = BLEUComp().set_output(transform="pandas").fit_transform(X)
    pairs, labels = decompose(features, y)
    return PairDifference().fit_transform(pairs), labels


def scikit_learn(X, y, solver="newton-cholesky", tol=1e-8):
    """Fit scikit-learn's logistic regression without penalty, and return its log-likelihood."""
    model = LogisticRegression(C=np.inf, solver=solver, tol=tol, max_iter=10_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it cannot always reach so small a gradient
        model.fit(X, y)
    return log_expit(np.where(y, 1, -1) * model.decision_function(X)).sum()


class Fitting:
    """Fitting all features, 164,592 pairs × 11."""

    unit = "times as fast"

    def setup_cache(self):
        X, y = real_pairs()
        X = np.ascontiguousarray(X[:, _INDEPENDENT])
        return X, y, seconds(lambda: LogReg().fit(X, y))

    def track_ratio_to_statsmodels(self, cache):
        import statsmodels.api as sm

        X, y, ours = cache
        design = sm.add_constant(StandardScaler().fit_transform(X))
        return seconds(lambda: sm.Logit(y, design).fit(disp=0)) / ours

    def _ratio_to_scikit_learn(self, cache, solver):
        X, y, ours = cache
        return seconds(lambda: scikit_learn(StandardScaler().fit_transform(X), y, solver)) / ours

    def track_ratio_to_lbfgs(self, cache):
        return self._ratio_to_scikit_learn(cache, "lbfgs")

    def track_ratio_to_newton_cholesky(self, cache):
        return self._ratio_to_scikit_learn(cache, "newton-cholesky")


def refit_all(X, y):
    """Select features as LogReg(stepwise=True) does, but fit every candidate."""

    @cache
    def likelihood(features):
        return scikit_learn(X[:, sorted(features)], y) if features else null

    def gain(features):
        return 2 * (likelihood(frozenset(features)) - likelihood(frozenset(selected)))

    entry, removal = chi2.isf([0.05, 0.1], 1)
    null = log_expit(np.where(y, 1, -1) * logit(y.mean())).sum()
    selected = []
    while len(selected) < X.shape[1]:
        others = set(range(X.shape[1])).difference(selected)
        best = max(others, key=lambda k: gain([*selected, k]))
        if gain([*selected, best]) <= entry:
            break
        selected = [*selected, best]
        while True:
            losses = {k: -gain([other for other in selected if other != k]) for k in selected}
            worst = min(losses, key=losses.get)
            if losses[worst] >= removal:
                break
            selected = [k for k in selected if k != worst]
    return sorted(selected)


class Stepwise:
    """Selection among the 16 features and the time it takes."""

    def setup_cache(self):
        return real_pairs()

    def track_seconds(self, cache):
        return seconds(lambda: LogReg(stepwise=True).fit(*cache), repeat=1)

    track_seconds.unit = "seconds"

    def track_ratio_to_refitting_every_candidate(self, cache):
        X, y = np.ascontiguousarray(cache[0][:, _INDEPENDENT]), cache[1]
        model = LogReg(stepwise=True).fit(X, y)
        Z = StandardScaler().fit_transform(X)
        assert refit_all(Z, y) == np.flatnonzero(model.selected_).tolist()
        ours = seconds(lambda: LogReg(stepwise=True).fit(X, y), repeat=1)
        return seconds(lambda: refit_all(Z, y), repeat=1) / ours

    track_ratio_to_refitting_every_candidate.unit = "times as fast"


class Neighbours:
    """500 queries, k = 406."""

    unit = "times as fast"

    def setup_cache(self):
        X, y = real_pairs()
        queries = X[np.random.default_rng(0).choice(len(X), 500, replace=False)]
        ours = KNN().fit(X, y)
        return X, y, queries, seconds(lambda: ours.predict_proba(queries))

    def _ratio(self, cache, algorithm):
        X, y, queries, ours = cache
        scaler = StandardScaler().fit(X)
        peer = KNeighborsClassifier(round(len(X) ** 0.5), algorithm=algorithm)
        peer.fit(scaler.transform(X), y)
        queries = scaler.transform(queries)
        return seconds(lambda: peer.predict_proba(queries), repeat=1) / ours

    def track_ratio_to_brute_force(self, cache):
        return self._ratio(cache, "brute")

    def track_ratio_to_kd_tree(self, cache):
        return self._ratio(cache, "kd_tree")


class Loess:
    """One feature of all pairs, smoothed at 50 points, sorting included on both sides."""

    unit = "times as fast"

    def setup_cache(self):
        X, y = real_pairs()
        return X[:, [12]] + 1e-9 * np.random.default_rng(0).normal(size=(len(X), 1)), y

    def track_ratio_to_statsmodels(self, cache):
        from statsmodels.nonparametric.smoothers_lowess import lowess

        X, y = cache
        ours = seconds(lambda: NaiveBayes().fit(X, y))
        grid = NaiveBayes().fit(X, y).grids_[0]
        return seconds(lambda: lowess(y, X[:, 0], frac=0.5, it=0, xvals=grid)) / ours
