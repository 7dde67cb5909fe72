import re

import pytest

from sklearn_mteval.candidates import check_candidates, check_texts
from sklearn_mteval.datasets import load_sample


@pytest.fixture(scope="module")
def bunch():
    return load_sample()


def test_is_a_candidate_table(bunch):
    check_candidates(bunch.X, columns=["source", "reference", "hypothesis"])
    for column in bunch.X:
        assert all(text.strip() == text != "" for text in check_texts(bunch.X, column))
    for other in (bunch.y, bunch.domains, bunch.errors):
        assert other.index.equals(bunch.X.index)


def test_return_X_y(bunch):
    X, y = load_sample(return_X_y=True)
    assert X.equals(bunch.X) and y.equals(bunch.y)


def test_has_a_hundred_segments_of_five_domains_by_five_systems(bunch):
    by_segment = bunch.X.groupby(level="segment")
    assert len(by_segment) >= 100
    assert bunch.domains.nunique() >= 5
    assert (by_segment.size() == 5).all() and bunch.X.index.unique("system").size == 5


@pytest.mark.parametrize("column", ["source", "reference"])
def test_segments_differ_and_rows_of_one_agree(bunch, column):
    by_segment = bunch.X[column].groupby(level="segment")
    assert (by_segment.nunique() == 1).all()
    assert by_segment.first().is_unique
    assert (bunch.domains.groupby(level="segment").nunique() == 1).all()


def test_ranks_run_from_1_to_5_with_ties(bunch):
    assert set(bunch.y) == {1, 2, 3, 4, 5}
    assert bunch.y.dtype.kind == "i"
    by_segment = bunch.y.groupby(level="segment")
    assert (by_segment.min() == 1).all()
    assert (by_segment.nunique() < by_segment.size()).any()


def test_identical_translations_of_a_segment_have_one_rank(bunch):
    keys = [bunch.X.index.get_level_values("segment"), bunch.X["hypothesis"].to_numpy()]
    assert (bunch.y.groupby(keys).nunique() == 1).all()


def test_error_labels_are_those_of_the_description(bunch):
    listed = re.search(r"Error labels: (.*?)\.", bunch.DESCR, flags=re.DOTALL)[1]
    known = set(re.split(r",\s+", listed))
    used = {label for labels in bunch.errors for label in labels}
    assert {"wrong sense", "omission", "word order", "agreement"} <= used
    assert {"untranslated", "over-literal"} <= used
    assert used <= known


def test_description_says_where_it_comes_from(bunch):
    text = " ".join(bunch.DESCR.split())
    assert "Provenance: all texts were written for this package" in text
    assert "by a large language model" in text
    assert "no human judges" in text and "no evaluation campaign" in text.replace("and no", "no")


def test_domains_are_those_of_the_description(bunch):
    assert all(domain in bunch.DESCR for domain in bunch.domains.unique())


def test_better_ranked_translations_have_fewer_errors(bunch):
    by_rank = bunch.errors.map(len).groupby(bunch.y.to_numpy()).mean()
    assert by_rank.index.tolist() == [1, 2, 3, 4, 5]
    assert by_rank.loc[1] < by_rank.loc[2] < by_rank.loc[[3, 4, 5]].min()
    assert (bunch.errors.map(len)[bunch.y == 5] > 0).all()
