import numpy as np
import pytest

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.units import Signs
from sklearn_mteval.metrics.significance.permutation import standardised
from sklearn_mteval.metrics.system.permutation import exchange_of_soft_accuracy
from sklearn_mteval.metrics.system.soft_accuracy import soft_accuracy_of_means

PAIRS = ((0, 1), (0, 2), (1, 2))


@pytest.fixture(params=["whole", "missing", "ties"])
def tables(request):
    rng = np.random.default_rng(5)
    human = rng.normal(size=(30, 4))
    metrics = human + rng.normal(size=(3, 30, 4))
    if request.param == "missing":
        human[20:], human[3, 1] = np.nan, np.nan
        metrics[:, 5, 2] = metrics[:, 7] = np.nan
    if request.param == "ties":
        human, metrics = np.round(human), np.round(metrics)
        metrics[:, :, 1] = metrics[:, :, 0]  # two systems are alike
    return human, metrics


def test_every_exchange_is_that_of_exchanged_tables(tables):
    human, metrics = tables
    values, tested, difference = exchange_of_soft_accuracy(human, metrics)
    means = [np.nanmean(human, axis=0)]

    def accuracy(table):
        return soft_accuracy_of_means(human, table)(*means, np.nanmean(table, axis=0))

    assert values == pytest.approx([accuracy(table) for table in metrics])
    assert (tested == values).all()
    signs = np.where(np.random.default_rng(0).random((9, *human.shape)) < 0.5, -1, 1)
    signs[0] = 1
    packed = np.packbits(signs.reshape(9, -1) < 0, axis=1)
    found = difference(Signs.from_rows(packed, human.size), np.arange(3)).T
    some = difference(Signs.from_rows(packed, human.size), np.array([2, 0])).T
    np.testing.assert_allclose(some, found[:, [2, 0]], atol=1e-12)
    standard = standardised(metrics.reshape(3, -1))[0].reshape(metrics.shape)
    for row, sign in zip(found, signs, strict=True):
        expected = []
        for one, other in PAIRS:
            first = np.where(sign > 0, standard[one], standard[other])
            second = np.where(sign > 0, standard[other], standard[one])
            expected.append(accuracy(first) - accuracy(second))
        assert row == pytest.approx(expected, abs=1e-9)


def test_what_cannot_be_tested():
    human = np.arange(6.0).reshape(3, 2)
    constant = np.ones((3, 2))
    _, tested, _ = exchange_of_soft_accuracy(human, np.stack([human, constant]))
    assert np.isnan(tested).tolist() == [False, True]
    partly = np.where(human == 2, np.nan, human)
    with pytest.raises(CandidateError, match="the same translations"):
        exchange_of_soft_accuracy(human, np.stack([human, partly]))
