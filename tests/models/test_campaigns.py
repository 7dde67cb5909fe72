"""Tables of several campaigns: labels that cannot be confused, lines that are held out together."""

import pandas as pd
import pytest

from sklearn_mteval.candidates import check_sources
from sklearn_mteval.models import campaigns
from sklearn_mteval.models.campaigns import join_tables, load_campaigns


@pytest.fixture
def loaded(rankings, monkeypatch):
    """Every language pair has the same rankings of other texts; which were read, in order."""
    X, y = rankings
    seen = []

    def load(root, pair, *, return_X_y):
        assert return_X_y
        seen.append((str(root), pair))
        X_pair = pd.concat({pair: X.assign(source=X["source"] + pair)}, names=["ranking"])
        X_pair = X_pair.reorder_levels(["segment", "ranking", "system"])
        return X_pair, y.set_axis(X_pair.index)

    monkeypatch.setattr(campaigns, "load_wmt", load)
    return seen


def test_no_two_segments_of_several_campaigns_are_one(rankings, loaded, tmp_path):
    roots = [str(tmp_path / name) for name in ("wmt13", "wmt15")]
    X, y, lines = load_campaigns([(roots[0], ["de-en", "cs-en"]), (roots[1], ["de-en"])])
    assert loaded == [(roots[0], "de-en"), (roots[0], "cs-en"), (roots[1], "de-en")]
    assert X.index.equals(y.index) and X.index.equals(lines.index) and X.index.is_unique
    assert len(X) == 3 * len(rankings[0])
    check_sources(X)
    assert X.index.unique("segment").size == 90
    assert lines.unique().size == 60  # a line of both pairs is held out together
    label = "wmt13.cs-en:000007"
    assert lines.xs(label).unique().tolist() == ["wmt13:000007"]
    assert X.xs(label)["source"].str.endswith("cs-en").all()
    original = rankings[1].xs(7, level="segment")
    assert y.xs(label).droplevel("ranking").sort_index().equals(original.sort_index())
    assert sorted(lines.unique()) == list(lines.unique())  # as the lines are sorted


def test_one_language_pair_keeps_its_line_numbers(rankings, loaded):
    X, y, lines = load_campaigns([("root", ["de-en"])])
    assert X.index.unique("segment").tolist() == rankings[0].index.unique("segment").tolist()
    assert lines.tolist() == X.index.get_level_values("segment").tolist()
    assert y.index.equals(X.index)


def test_a_folder_that_is_named_twice_is_one_campaign(loaded):
    once = load_campaigns([("root", ["de-en", "cs-en"])])
    twice = load_campaigns([("root", ["de-en"]), ("./root", ["cs-en"])])
    for one, other in zip(once, twice, strict=True):
        assert one.equals(other)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([], "no language pair"),
        ([("a", [])], "no language pair"),
        ([("a", ["de-en"]), ("a", ["de-en"])], "de-en is given twice"),
        ([("x/wmt", ["de-en"]), ("y/wmt", ["cs-en"])], "folders named 'wmt'.*rename one"),
    ],
)
def test_campaigns_that_cannot_be_told_apart(loaded, given, problem):
    with pytest.raises(ValueError, match=problem):
        load_campaigns(given)


def test_tables_are_joined(rankings):
    X, y = rankings
    alone = join_tables([("one", X, y)])
    assert alone[0] is X and alone[1] is y
    joined, ranks = join_tables([("one", X, y), ("two", X, y + 1)])
    assert joined.index.is_unique and joined.index.equals(ranks.index)
    assert joined.index.unique("segment").size == 2 * X.index.unique("segment").size
    assert ranks.xs("two:7").tolist() == (y.xs(7) + 1).tolist()
    assert joined.xs("one:7").equals(X.xs(7))
    with pytest.raises(ValueError, match="Two of the tables are named 'one'"):
        join_tables([("one", X, y), ("one", X, y)])
    with pytest.raises(ValueError, match="two has the columns"):
        join_tables([("one", X, y), ("two", X[["hypothesis"]], y)])
    other = X.rename_axis(["segment", "engine"])
    with pytest.raises(ValueError, match="two has the levels"):
        join_tables([("one", X, y), ("two", other, y)])
