import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.datasets import make_rankings


def as_bytes(*tables):
    return b"".join(table.to_csv().encode() for table in tables)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (7, 1), (12, 3)])
def test_shapes(shape):
    X, y, quality = make_rankings(*shape, return_quality=True)
    check_candidates(X, columns=["source", "reference", "hypothesis"])
    assert X.shape == (shape[0] * shape[1], 3)
    assert (X.index.unique("segment").size, X.index.unique("system").size) == shape
    assert y.index.equals(X.index) and quality.index.equals(X.index)
    assert y.dtype == np.int64 and quality.between(0, 1).all()


def test_quality_is_returned_on_request_only():
    X, y, quality = make_rankings(5, 2, return_quality=True)
    assert as_bytes(*make_rankings(5, 2)) == as_bytes(X, y)
    assert quality.name == "quality"


@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_seed_gives_the_same_bytes(seed):
    first = make_rankings(9, 4, random_state=seed, return_quality=True)
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    again = make_rankings(9, 4, random_state=seed, return_quality=True)
    assert as_bytes(*first) == as_bytes(*again)
    assert (state == np.random.get_state()[1]).all()  # noqa: NPY002
    instance = np.random.RandomState(seed)
    assert as_bytes(*make_rankings(9, 4, random_state=instance)) == as_bytes(*first[:2])
    assert as_bytes(*make_rankings(9, 4, random_state=instance)) != as_bytes(*first[:2])


def test_another_seed_gives_other_data():
    tables = [as_bytes(*make_rankings(9, 4, random_state=seed)) for seed in range(5)]
    assert len(set(tables)) == 5


def test_a_right_judge_without_steps_ranks_by_quality():
    _, y, quality = make_rankings(
        60, 6, annotator_noise=0, n_ranks=0, random_state=1, return_quality=True
    )
    by_quality = quality.groupby(level="segment").rank(method="dense", ascending=False)
    assert y.tolist() == by_quality.tolist()


@pytest.mark.parametrize("n_ranks", [1, 2, 5])
def test_a_right_judge_ties_what_lies_in_one_step(n_ranks):
    _, y, quality = make_rankings(
        60, 6, annotator_noise=0, n_ranks=n_ranks, random_state=1, return_quality=True
    )
    step = (quality * n_ranks).astype(int).clip(upper=n_ranks - 1)
    assert y.tolist() == step.groupby(level="segment").rank("dense", ascending=False).tolist()
    assert y.max() <= n_ranks
    assert (y.groupby(level="segment").nunique() < 6).any()


def test_ranks_are_dense_from_1():
    _, y = make_rankings(40, 6)
    for _, ranks in y.groupby(level="segment"):
        assert sorted(set(ranks)) == list(range(1, ranks.max() + 1))


def test_noise_makes_the_judge_err():
    shares = []
    for noise in (0, 0.05, 0.5):
        _, y, quality = make_rankings(
            100, 5, annotator_noise=noise, n_ranks=0, random_state=2, return_quality=True
        )
        right = quality.groupby(level="segment").rank("dense", ascending=False)
        shares.append((right == y).mean())
    assert shares[0] == 1 > shares[1] > shares[2]


def test_quality_is_the_share_of_reference_words_kept():
    X, _, quality = make_rankings(50, 4, random_state=4, return_quality=True)
    proportion = [
        len(set(row.hypothesis.split()) & set(row.reference.split())) / len(row.reference.split())
        for row in X.itertuples()
    ]
    assert np.corrcoef(proportion, quality)[0, 1] > 0.9


def test_texts():
    X, _ = make_rankings(200, 4, mean_length=12)
    by_segment = X.groupby(level="segment")
    for column in ("source", "reference"):
        assert by_segment[column].first().is_unique
        assert (X[column] == by_segment[column].transform("first")).all()
    imperfect = X["hypothesis"] != X["reference"]
    assert X["hypothesis"][imperfect].is_unique
    assert X["source"].map(id).nunique() == 200
    lengths = by_segment["reference"].first().str.split().map(len)
    assert lengths.min() >= 2
    assert lengths.mean() == pytest.approx(12, abs=1)


def test_vocabulary_is_of_the_size_asked_for_and_zipfian():
    X, _ = make_rankings(300, 1, n_words=30)
    words = pd.Series(" ".join(X["reference"]).split()).value_counts()
    assert len(words) == 30
    assert words.iloc[0] / words.iloc[9] == pytest.approx(10, rel=0.4)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_segments", 0),
        ("n_systems", 0),
        ("n_systems", -1),
        ("mean_length", 1),
        ("n_words", 1),
        ("n_ranks", -1),
        ("annotator_noise", -0.1),
        ("annotator_noise", float("nan")),
        ("random_state", "seed"),
    ],
)
def test_bad_parameters(parameter, value):
    with pytest.raises(ValueError, match=rf"{parameter}|{value}"):
        make_rankings(**{parameter: value})
