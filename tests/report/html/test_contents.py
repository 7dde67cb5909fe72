"""What a page shows of segments: against the tables that it is made of."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval._helpers.error_spans import ErrorSpan
from sklearn_mteval.datasets import load_judgements, load_sample
from sklearn_mteval.datasets.judgements import Judgements
from sklearn_mteval.evaluation import challenge, collect_scores
from sklearn_mteval.evaluation.challenges import Challenge
from sklearn_mteval.models import bleu_pipeline, rank_candidates, score_candidates
from sklearn_mteval.report.html.annotators import Said
from sklearn_mteval.report.html.contents import (
    ModelContents,
    contents_of_challenge,
    contents_of_judgements,
)
from sklearn_mteval.report.html.entries import entries_of


@pytest.fixture(scope="module")
def sample():
    X, y = load_sample(return_X_y=True)
    keep = X.index.get_level_values("segment").isin(X.index.unique("segment")[:12])
    X, y = X[keep], y[keep]
    levels = [name for name in X.index.names if name not in ("segment", "system")]
    X = X.droplevel(levels)
    there = ~X.index.duplicated()
    return X[there], y.set_axis(y.index.droplevel(levels))[there]


@pytest.fixture(scope="module")
def model(sample):
    """A model that has seen none of them."""
    X, y = load_sample(return_X_y=True)
    others = ~X.index.get_level_values("segment").isin(sample[0].index.unique("segment"))
    return bleu_pipeline().fit(X[others], y[others])


def data_of(contents):
    return json.loads("".join(contents["segments"]["data"]))


def test_scores_and_judgements_are_those_of_the_tables(judged):
    scores = collect_scores(judged, metrics=["chrf", "ter"])
    data = data_of(contents_of_judgements({"": (judged, scores)}, order=["ter", "chrf"]))
    assert data["scorings"] == ["ter", "chrf"] and data["judged"] == "annotators"
    for segment in data["segments"]:
        k = int(segment["id"][1:])
        assert segment["document"] == f"d{k // 4}" and segment["length"] == 7
        human = {t["system"]: t["human"] for t in segment["translations"]}
        assert human == {"A": 60 + k, "B": 80 - k, "C": 32.5}
        assert {tuple(t["judged"]) for t in segment["translations"] if t["system"] == "C"} == {
            (30, 35)
        }
        ter = [t["scores"][0] for t in segment["translations"]]
        assert ter == sorted(ter, reverse=True)
        for translation in segment["translations"]:
            for name, value in zip(("ter", "chrf"), translation["scores"], strict=True):
                assert value == pytest.approx(
                    scores[name][segment["id"], translation["system"]], rel=1e-4
                )


def test_disagreement_is_counted_by_hand():
    """Judges: A over B, B over C, twice; the metric: B, A, C. One of three pairs is otherwise."""
    rows = [
        {"segment": "1", "system": s, "score": v, "hypothesis": s, "source": "x"}
        for s, v in (("A", 3), ("B", 2), ("C", 1))
    ]
    judged = load_judgements(pd.DataFrame(rows), better="higher")
    scores = pd.Series([2.0, 3.0, 1.0], index=judged.translations.index)
    (segment,) = data_of(contents_of_judgements({"": (judged, {"m": scores})}))["segments"]
    assert segment["disagreement"] == [pytest.approx(1 / 3, rel=1e-4)]
    assert [t["system"] for t in segment["translations"]] == ["B", "A", "C"]
    lower = contents_of_judgements({"": (judged, {"m": scores})}, lower_is_better=["m", "other"])
    assert data_of(lower)["segments"][0]["disagreement"] == [pytest.approx(2 / 3, rel=1e-4)]


def test_standardised_scores_are_shown_as_given():
    """They are on both sides of 0; the best stands first."""
    rows = [
        {"segment": "1", "system": s, "score": v, "hypothesis": s, "source": "x"}
        for s, v in (("A", 0.5), ("B", -1.5), ("C", 1.25))
    ]
    data = data_of(
        contents_of_judgements({"": (load_judgements(pd.DataFrame(rows), better="higher"), None)})
    )
    assert data["judged"] == "annotators"
    (segment,) = data["segments"]
    judged = {t["system"]: (t["human"], t["judged"]) for t in segment["translations"]}
    assert judged == {"C": (1.25, [1.25]), "A": (0.5, [0.5]), "B": (-1.5, [-1.5])}


def test_language_pairs_have_their_names(judged):
    data = data_of(contents_of_judgements({"de-en": (judged, None), "fi-en": (judged, None)}))
    assert {s["id"] for s in data["segments"]} == {
        f"{p} s{k}" for p in ("de-en", "fi-en") for k in range(12)
    }


def test_without_texts_there_is_nothing_to_show(judged):
    bare = judged._replace(translations=judged.translations[[]])
    found = contents_of_judgements({"": (bare, None)})
    assert found["segments"] is None and found["themes"] == [] and len(found["warnings"]) == 1


def test_ranks_of_a_model_block_by_block(sample, model):
    X, _ = sample
    ranked = rank_candidates(model, X)
    contents = ModelContents("bleu")
    half = X.index.get_level_values("segment").isin(X.index.unique("segment")[:5])
    for part in (half, ~half):
        contents.add(X[part], ranked[part])
    found = contents.contents(X.index.unique("system"), model)
    data = data_of(found)
    assert [s["id"] for s in data["segments"]] == list(map(str, X.index.unique("segment")))
    for segment in data["segments"]:
        ranks = [t["rank"] for t in segment["translations"]]
        assert ranks == sorted(ranks)
        for translation in segment["translations"]:
            label = next(k for k in X.index.unique("segment") if str(k) == segment["id"])
            row = ranked.loc[(label, translation["system"])]
            assert translation["rank"] == row["rank"]
            assert translation["scores"] == [pytest.approx(row["score"], rel=1e-4)]
    assert data["families"] and data["log_odds"] is True
    assert all("why" in segment for segment in data["segments"])
    assert any(theme["title"].startswith("Length") for theme in found["themes"])


def test_scores_alone(sample, model):
    X, _ = sample
    contents = ModelContents("bleu")
    contents.add(X, score_candidates(model, X))
    translations = data_of(contents.contents([]))["segments"][0]["translations"]
    assert "rank" not in translations[0] and len(translations[0]["scores"]) == 1


def test_of_equal_translations_none_is_said_to_be_better(model):
    labels = [["1", "1", "2", "2"], ["A", "B"] * 2]
    index = pd.MultiIndex.from_arrays(labels, names=["segment", "system"])
    texts = {"hypothesis": ["the same", "the same", "this is it", "zzz"], "source": ["x"] * 4}
    X = pd.DataFrame(texts | {"reference": ["this is it"] * 4}, index)
    contents = ModelContents("mine")
    contents.add(X, rank_candidates(model, X))
    data = data_of(contents.contents(["A", "B"], model))
    assert ["why" in segment for segment in data["segments"]] == [False, True]


def test_a_challenge_that_was_lost_can_be_chosen(sample, model):
    X, y = sample
    found = challenge(model, X, y, kinds=["empty", "reference_number"], n_segments=5)
    contents = contents_of_challenge(found, X)
    data = data_of(contents)
    assert "prefers it to the corrupted one" in contents["segments"]["notes"][0]
    assert len(data["segments"]) == len(found.pairs)
    for segment, (_, row) in zip(data["segments"], found.pairs.iterrows(), strict=True):
        texts = {t["system"]: t["text"] for t in segment["translations"]}
        assert texts == {"sound": row["sound"], "corrupted": row["corrupted"]}
        lost = {judge for judge in data["scorings"] if row[judge] <= 0}
        assert {tag.removeprefix("not won: ") for tag in segment["tags"]} == lost


def test_names_that_arrow_does_not_hold():
    """Of systems, documents, kinds and judges: file names of other encodings have surrogates."""
    name = "a\udcff"
    labels = [
        pd.Index([name] * 4, dtype=object),
        pd.Index([f"{k}{name}" for k in range(4)], dtype=object),
    ]
    index = pd.MultiIndex.from_arrays(labels, names=["segment", "system"])
    X = pd.DataFrame({c: [name] * 4 for c in ("hypothesis", "source")}, index, dtype=object)
    y = pd.Series([1, 2, 3, 4], index)
    documents = pd.Series([name] * 4, index, dtype=object)
    contents = contents_of_judgements({"": (Judgements(X, y, X, documents=documents), None)})
    assert [t["text"] for t in data_of(contents)["segments"][0]["translations"]] == [name] * 4
    pairs = pd.MultiIndex.from_arrays([labels[0][:1]] * 2, names=["kind", "segment"])
    texts = [pd.Series([name], pairs, dtype=object)] * 3
    names = pd.Index(["system", "sound", "corrupted", name], dtype=object)
    table = pd.concat([*texts, pd.Series([0.0], pairs)], axis=1).set_axis(names, axis=1)
    lost = Challenge(pd.DataFrame(), table, name, (), 0.95, "")
    assert data_of(contents_of_challenge(lost, X))["scorings"] == [name]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(np.nan, None), (np.inf, 1e308), (-np.inf, -1e308), (1 / 3, 0.33333), (2.0, 2), (-0.0, 0)],
)
def test_numbers_that_json_can_hold(value, expected):
    index = pd.MultiIndex.from_tuples([(1, "A")], names=["segment", "system"])
    X = pd.DataFrame({"hypothesis": ["a"]}, index)
    (entry,) = entries_of(X, pd.DataFrame({"m": [value]}, index), strength=[value])
    (translation,) = entry["translations"]
    assert translation["scores"] == [expected] and translation.get("strength") == expected
    json.dumps(entry, allow_nan=False)


def test_spans_beyond_a_text_end_with_it():
    """An annotator's tool may have counted otherwise; those of the source stand in the source."""
    index = pd.MultiIndex.from_tuples([(1, "A")], names=["segment", "system"])
    X = pd.DataFrame({"source": ["\U0001f415\U0001f415c"], "hypothesis": ["\U0001f408b"]}, index)
    spans = [
        ErrorSpan(1, 99, "major"), ErrorSpan(1, 2, "minor", "x", "source"),
        ErrorSpan(2, 99, "minor", "x", "source"),
    ]  # fmt: skip
    for given, expected in (
        (X, [(2, 3), (2, 4), (4, 5)]),
        (X[["hypothesis"]], [(2, 3), (0, 0), (0, 0)]),
    ):
        (entry,) = entries_of(given, annotators=[[Said("", 5.0, spans)]])
        (translation,) = entry["translations"]
        assert [(span["start"], span["end"]) for span in translation["spans"]] == expected
        assert translation["judged"] == [5] and "judges" not in translation


def test_metrics_without_a_score_are_told_of(judged):
    """Those of other segments, say: a page without them should not look whole."""
    scores = pd.Series(1.0, index=judged.translations.index)
    other = scores.set_axis(scores.index.set_levels([f"t{k}" for k in range(12)], level=0))
    found = contents_of_judgements({"": (judged, {"m": scores, "other": other})})
    assert found["warnings"][0] == "No translation here has a score of other."


def test_the_best_systems_are_named_first(judged):
    scores = collect_scores(judged, metrics=["chrf"])
    assert data_of(contents_of_judgements({"": (judged, scores)}))["systems"][0] == "B"
    given = contents_of_judgements({"": (judged, scores)}, systems=["C", "A", "gone"])
    assert data_of(given)["systems"] == ["C", "A", "B"]


def test_kinds_of_flags_are_told_by_how_they_begin():
    """A name may be a word that another kind begins with; quoted words may be any."""
    index = pd.MultiIndex.from_tuples([(1, "A")], names=["segment", "system"])
    flags = [
        "name number in the source, opposite here",
        "negation: true in the reference, not true here",
        "number 7 is in neither source nor reference",
        "2 words of the source are untranslated: name, number",
    ]
    for flag, kind in zip(flags, ("name", "negation", "number", "untranslated words"), strict=True):
        (entry,) = entries_of(pd.DataFrame({"hypothesis": ["a"]}, index), flags=[[flag]])
        assert entry["translations"][0]["kinds"] == [f"flag: {kind}"]


def test_explanations_find_the_segments_of_their_language_pair(judged, sample, model):
    X, y = sample
    given = Judgements(X=X, y=y, translations=X)
    scores = {"m": pd.Series(1.0, X.index)}
    for pair in ("", "de-en"):
        data = data_of(contents_of_judgements({pair: (given, scores)}, model=model))
        assert any("why" in segment for segment in data["segments"])
