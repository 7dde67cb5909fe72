"""Why a model prefers a translation, as plain dicts."""

import json

import pandas as pd
import pytest

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.models import explain, load_pretrained, rank_candidates
from sklearn_mteval.models.explanations.explain import explain_segment
from sklearn_mteval.models.explanations.why import why_of_segments

TEXTS = {"C": "The dog barks.", "A": "The dog does not bark.", "B": "The barks", "Z": "dogs"}


@pytest.fixture(scope="module")
def model():
    return load_pretrained("static-en")


@pytest.fixture(scope="module")
def table():
    return load_sample().X


def test_it_is_what_the_explanation_says(model, table):
    segment = table.index.get_level_values("segment")[0]
    X = table.xs(segment, level="segment", drop_level=False)
    X = X.droplevel([level for level in X.index.names if level not in ("segment", "system")])
    X = X[~X.index.duplicated()]
    found, reason = why_of_segments(model, X, 1)
    found = found[segment]
    ranks = rank_candidates(model, X)["rank"].droplevel("segment")
    assert reason == "" and json.loads(json.dumps(found)) == found
    assert ranks[found["first"]] == ranks.min() and ranks[found["second"]] == ranks.max()
    told = explain_segment(model, X, (found["first"], found["second"]))
    assert found["decision"] == told.pairs["decision"].item() >= 0
    assert found["probability"] == told.pairs["probability"].item()
    values = [family["value"] for family in found["families"]]
    assert sum(values) == pytest.approx(found["decision"])
    assert sorted(map(abs, values), reverse=True) == list(map(abs, values))
    assert len(found["columns"]) == 5 and set(found["words"]) == set(found["flags"])
    sizes = told.columns["value"].abs()
    assert abs(found["columns"][0]["value"]) == sizes.max()


def test_many_segments_are_explained_as_each_alone(model, table):
    found, reason = why_of_segments(model, table, 2)
    assert reason == "" and list(found) == table.index.unique("segment").tolist()[:2]
    last = table.index.unique("segment")[-1]
    assert list(why_of_segments(model, table, 1, segments=[last])[0]) == [last]
    X = table[table.index.get_level_values("segment") == list(found)[1]]
    assert why_of_segments(model, X, 1)[0] == {k: found[k] for k in list(found)[1:]}


def test_what_cannot_be_explained_has_a_reason(table):
    class OfTexts:
        """No ranker."""

    index = pd.MultiIndex.from_product([[1], ["A"]], names=["segment", "system"])
    alone = pd.DataFrame({"hypothesis": ["a"], "reference": ["a"]}, index=index)
    assert why_of_segments(OfTexts(), alone, 5) == (
        {}, "No segment has two translations to compare."
    )  # fmt: skip
    found, reason = why_of_segments(OfTexts(), table, 5)
    assert found == {} and "OfTexts" in reason


def test_several_pairs_are_written_without_a_warning():
    assert str(explain(None, TEXTS, "The dog is not barking.", model="static-en"))
