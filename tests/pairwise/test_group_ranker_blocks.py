"""LightGBM trained on blocks, by its own data, is LightGBM trained on all rows."""

import pickle

import numpy as np
import pytest
from blocks_of_segments import NAMES, cut, table
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.linear_model import Ridge

from sklearn_mteval import GroupRanker
from sklearn_mteval.exceptions import CandidateError, SegmentLeakWarning
from sklearn_mteval.pairwise import lightgbm_blocks

LGBM = LGBMRanker(n_estimators=15, min_child_samples=5, n_jobs=1, verbosity=-1)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(lightgbm_blocks, "_ROWS", 7)


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("n_blocks", [1, 4, 30])
def test_it_is_the_ranker_of_all_rows(names, n_blocks):
    X, y = table(NAMES[names])
    X.iloc[::7, 1] = np.nan
    expected, found = GroupRanker(LGBM).fit(X, y), GroupRanker(LGBM).fit_blocks(cut(X, y, n_blocks))
    other, _ = table(NAMES[names], seed=1)
    np.testing.assert_allclose(
        found.decision_function(other), expected.decision_function(other), rtol=1e-6, atol=1e-9
    )
    np.testing.assert_array_equal(found.predict(other), expected.predict(other))
    for name in ("n_groups_", "validation_segments_", "n_features_in_"):
        assert getattr(found, name) == getattr(expected, name)
    assert (found.standalone_ is None) == (expected.standalone_ is None) == (names == "alone")
    if found.standalone_ is not None:
        own = found.standalone_.feature_names_in_
        np.testing.assert_allclose(
            *(r.standalone_.decision_function(other[own]) for r in (found, expected)), rtol=1e-6
        )


def test_bins_of_a_sample(monkeypatch):
    X, y = table(n_segments=300)
    ranker = GroupRanker(clone(LGBM).set_params(subsample_for_bin=100))
    found = ranker.fit_blocks(cut(X, y, 5))
    assert found.score(*table(seed=1)) > 0.5


def test_the_order_of_rows_in_a_block_changes_no_bit():
    blocks, rng = cut(*table(), 3), np.random.default_rng(0)
    shuffled = [(X.iloc[p], y.iloc[p]) for X, y in blocks for p in [rng.permutation(len(X))]]
    first, second = (GroupRanker(LGBM).fit_blocks(b) for b in (blocks, shuffled))
    other, _ = table(seed=1)
    np.testing.assert_array_equal(first.decision_function(other), second.decision_function(other))


def test_it_can_be_pickled_and_tells_leaks():
    X, y = table()
    ranker = GroupRanker(LGBM).fit_blocks(cut(X, y, 3))
    with pytest.warns(SegmentLeakWarning):
        ranker.predict(X.iloc[::2])
    again = pickle.loads(pickle.dumps(ranker))
    np.testing.assert_array_equal(again.decision_function(X), ranker.decision_function(X))


def refused():
    X, y = table()
    (X1, y1), (X2, y2), *_ = cut(X, y, 3)
    good = [(X1, y1), (X2, y2)]

    class Changing:
        n = 0

        def __iter__(self):
            self.n += 1
            return iter(good if self.n <= 2 else good[:1])

    return {
        "generator": (LGBM, {}, (b for b in good), TypeError, "read only once"),
        "table": (LGBM, {}, X, TypeError, "must yield tables"),
        "a segment twice": (LGBM, {}, [*good, (X1, y1)], CandidateError, "Block 3 .*earlier block"),
        "text": (LGBM, {}, [(X1.assign(a="x"), y1)], CandidateError, "Block 1 .*numbers"),
        "ties only": (LGBM, {}, [(X1, y1 * 0)], CandidateError, "Nothing to learn from"),
        "changed": (LGBM, {}, Changing(), CandidateError, "blocks changed"),
        "nothing": (LGBM, {}, [], CandidateError, "blocks is empty"),
        "another ranker": (Ridge(), {}, good, TypeError, "LGBMRanker.*found Ridge"),
        "own objective": (LGBMRanker(objective=len), {}, good, ValueError, "objective"),
        "held out": (LGBM, {"validation_fraction": 0.2}, good, ValueError, "holds no segments out"),
        "plain arrays": (LGBM, {"item_level": None}, good, CandidateError, "item_level=None"),
        "n_grades": (LGBM, {"n_grades": 1}, good, ValueError, "n_grades"),
    }


@pytest.mark.parametrize("name", refused())
def test_what_cannot_be_done_is_refused_and_changes_nothing(name):
    estimator, options, blocks, error, message = refused()[name]
    ranker = GroupRanker(LGBM).fit(*table(seed=2)).set_params(estimator=estimator, **options)
    before = pickle.dumps(vars(ranker))
    with pytest.raises(error, match=message):
        ranker.fit_blocks(blocks)
    assert pickle.dumps(vars(ranker)) == before
