"""Judgements that prefer translations to their corruptions."""

import pandas as pd
import pytest

from sklearn_mteval.datasets import add_corruptions, load_sample
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ContrastiveScore

X, Y = load_sample(return_X_y=True)


def added(table, ranks, **options):
    both, y = add_corruptions(table, ranks, **options)
    assert len(both) == len(y) and both.index.equals(y.index)
    pd.testing.assert_frame_equal(
        both.iloc[: len(table)].reset_index(drop=True), table.reset_index(drop=True)
    )
    assert y.iloc[: len(table)].tolist() == ranks.tolist()
    return both.iloc[len(table) :], y.iloc[len(table) :]


def test_each_pair_is_a_ranking_of_a_translation_and_its_corruption():
    more, ranks = added(X, Y, kinds=["doubled", "number"], proportion=0.5)
    pairs = more.xs("pair", level="ranking")
    assert (pairs.groupby(level="segment").size() == 2).all()
    sound = pairs[ranks[more.index.get_level_values("ranking") == "pair"].to_numpy() == 1]
    worse = pairs.drop(sound.index).reset_index("system")
    kinds = worse.pop("system").str.partition("#")[0]
    assert set(kinds) == {"doubled", "number", "reference_number"}
    doubled = worse.loc[kinds == "doubled", "hypothesis"]
    of_doubled = sound.droplevel("system").loc[doubled.index, "hypothesis"]
    assert (doubled == of_doubled + " " + of_doubled).all()
    known = set(zip(X["reference"], X["hypothesis"], strict=True))
    assert set(zip(sound["reference"], sound["hypothesis"], strict=True)) <= known
    wrong = worse[kinds == "reference_number"]
    assert (wrong["hypothesis"] != wrong["reference"]).all()
    for text, reference in zip(wrong["hypothesis"], wrong["reference"], strict=True):
        words = zip(text.split(), reference.split(), strict=True)
        assert sum(mine != its for mine, its in words) == 1


def test_the_best_translation_is_preferred_to_a_wrong_reference():
    more, _ = added(X, Y, kinds=["negation"], reference_proportion=0.2)
    best, n = Y.groupby(level="segment").min(), 0
    for segment, ranking, system in more.index:
        if ranking == "pair" and not system.startswith("reference_negation#"):
            origin, kind, _ = segment.split("#")
            if kind == "reference_negation":
                assert Y[int(origin), system] == best[int(origin)]
                n += 1
    assert n > 5


def test_competitors_stand_beside_every_second_pair_and_nothing_is_said_of_them():
    more, _ = added(X, Y, kinds=["empty"], reference_proportion=0)
    sizes = more.groupby(level="segment").size()
    assert sizes.value_counts().to_dict() == {2: len(sizes) / 2, 5: len(sizes) / 2}
    beside = more[more.index.get_level_values("ranking") != "pair"]
    assert not beside.droplevel("system").index.duplicated().any()


def test_neither_order_nor_labels_choose():
    shuffled = X.sample(frac=1, random_state=0)
    more, _ = added(shuffled, Y[shuffled.index], random_state=3)
    mine, _ = added(X, Y, random_state=3)
    content = [sorted(zip(t["source"], t["hypothesis"], strict=True)) for t in (mine, more)]
    assert content[0] == content[1]
    other, _ = added(X, Y, random_state=4)
    assert sorted(other["hypothesis"]) != sorted(mine["hypothesis"])


def test_levels_of_rankings_are_kept():
    labels = X.index.to_frame(index=False).assign(annotator="a", ranking=7)
    index = pd.MultiIndex.from_frame(labels[["annotator", "segment", "ranking", "system"]])
    more, ranks = added(X.set_axis(index), Y.set_axis(index), kinds="shuffled")
    assert more.index.names == index.names
    groups = ranks.groupby(["annotator", "segment", "ranking"]).agg(["size", "max"])
    assert set(map(tuple, groups.to_numpy().tolist())) == {(2, 2), (1, 1)}


def test_without_references_only_translations_are_corrupted():
    table = X.drop(columns="reference")
    more, _ = added(table, Y, kinds=["number", "empty"])
    assert not any(s.startswith("reference") for s in more.index.unique("system"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"proportion": 0}, "proportion must lie between 0 and 1"),
        ({"reference_proportion": 2}, "reference_proportion must lie"),
        ({"kinds": ["typo"]}, "kinds must be of empty"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        add_corruptions(X, Y, **options)


def test_bad_tables():
    with pytest.raises(CandidateError, match="column 'hypothesis'"):
        add_corruptions(X.drop(columns="hypothesis"), Y)
    with pytest.raises(CandidateError, match="y"):
        add_corruptions(X, Y[:-1])


def test_systems_may_be_named_like_kinds():
    table = X.rename({"neural": "empty", "online": "doubled"}, level="system")
    y = Y.set_axis(table.index)
    both, ranks = add_corruptions(table, y, ["empty", "doubled"])
    assert not both.index.duplicated().any()
    ContrastiveScore().fit(both, ranks)  # refuses systems with two translations of a segment


def test_nothing_is_added_where_nothing_can_be_corrupted():
    blank = X.assign(hypothesis="").drop(columns="reference")
    more, ranks = added(blank, Y, kinds=["empty", "number"])
    assert len(more) == len(ranks) == 0


def test_there_are_as_many_pairs_as_wanted_rounded_up():
    """0.0317 of 640 translations are 20.3: 21 of one kind, 11 of each of two."""
    given = {"proportion": 0.0317, "reference_proportion": 0}
    for kinds, each in ((["empty"], 21), (["empty", "doubled"], 11)):
        more, _ = added(X, Y, kinds=kinds, **given)
        made = more.index.unique("segment").str.split("#").str[1]
        assert made.value_counts().to_dict() == dict.fromkeys(kinds, each)
