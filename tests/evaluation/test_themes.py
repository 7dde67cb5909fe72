"""Themes by loops over segments, and spoilt texts by hand."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.evaluation.themes import FAULTS, spoilt_texts, themes_of


def table(**columns):
    """A candidate table of three systems."""
    n = len(columns["hypothesis"])
    index = pd.MultiIndex.from_product(
        [range(n // 3), ["A", "B", "C"]], names=["segment", "system"]
    )
    return pd.DataFrame(columns, index=index)


@pytest.fixture
def made():
    rng = np.random.default_rng(0)
    n = 40
    lengths = np.repeat(rng.integers(1, 30, n), 3)
    X = table(hypothesis=["the dog"] * 3 * n, reference=[" ".join(["dog"] * k) for k in lengths])
    scores = pd.DataFrame({"m": rng.integers(0, 6, 3 * n) / 5, "n": rng.random(3 * n)}, X.index)
    scores = scores.mask(rng.random(scores.shape) < 0.1)
    return X, scores, lengths


def win_rate(parts, system):
    """The proportion of the other translations of segments that a system is better than."""
    won = met = 0
    for part in parts:
        for other in set(part.index) - {system}:
            if not np.isnan(part[system]) and not np.isnan(part[other]):
                won += (part[system] > part[other]) + (part[system] == part[other]) / 2
                met += 1
    return won / met if met else np.nan


def test_scores_and_win_rates_by_length_are_those_of_a_loop(made):
    X, scores, lengths = made
    theme = next(theme for theme in themes_of(X, scores) if theme.title == "Length")
    kinds = theme.table.index.unique("kind")
    assert 3 <= len(kinds) <= 4 and "words of the reference" in theme.note
    seen = 0
    for kind in kinds:
        low, high = map(int, kind.removesuffix(" words").split("\N{EN DASH}"))
        chosen = scores[(lengths >= low) & (lengths <= high)]
        for name in scores:
            parts = [p.droplevel("segment") for _, p in chosen[name].groupby(level="segment")]
            for system in "ABC":
                row = theme.table.loc[(name, kind, system)]
                values = chosen[name].xs(system, level="system").dropna()
                seen += len(values)
                assert row["n"] == len(values)
                assert row["score"] == pytest.approx(values.mean())
                half = 1.959964 * values.std() / np.sqrt(len(values))
                assert row["high"] - row["score"] == pytest.approx(half)
                assert row["score"] - row["low"] == pytest.approx(half)
                assert row["win_rate"] == pytest.approx(win_rate(parts, system))
    assert seen == scores.notna().sum().sum()


def test_documents_domains_and_flags(made):
    X, scores, _ = made
    labels = [f"d{k // 9}" if k >= 3 else "" for k in range(len(X))]
    flags = [["number 7 is missing"] if k % 4 == 0 else [] for k in range(len(X))]
    found = {
        t.title: t for t in themes_of(X, scores, documents=labels, domains=labels, flags=flags)
    }
    assert list(found) == ["Length", "Difficulty", "Document", "Domain", "Flags"]
    documents = found["Document"].table
    assert documents.index.unique("kind").tolist() == [f"d{k}" for k in range(1, 13)] + [
        "d0",
        "d13",
    ]
    assert documents.loc[("n", "d0", "A"), "n"] <= 2
    both = found["Flags"].table.loc["n"]
    assert both["n"].sum() == scores["n"].notna().sum()
    flagged = scores["n"][[bool(one) for one in flags]].xs("B", level="system")
    assert both.loc[("with flags", "B"), "score"] == pytest.approx(flagged.mean())
    many = themes_of(X, scores, documents=[str(k // 3) for k in range(len(X))])
    assert next(t for t in many if t.title == "Document").note == "The 20 largest of 40 documents."


def test_difficulty_is_by_judgements_if_they_say_it(made):
    X, scores, _ = made
    difficulty = np.repeat(np.arange(40.0), 3)
    y = pd.Series(difficulty, X.index)
    theme = next(t for t in themes_of(X, scores, y) if t.title == "Difficulty")
    assert "judgement" in theme.note and "annotators" in theme.table.index.unique("scoring")
    rows = theme.table.loc["annotators"].loc[:, "score"]
    assert rows.loc[("the hardest quarter", "A")] == pytest.approx(-np.arange(30, 40).mean())
    assert rows.loc[("the easiest quarter", "A")] == pytest.approx(-np.arange(10).mean())


def test_rankings_say_who_wins_but_not_how_hard_a_segment_is():
    X, y = load_sample(return_X_y=True)
    scores = pd.DataFrame({"m": np.arange(len(X)) * 1.0}, X.index)
    found = {theme.title: theme for theme in themes_of(X, scores, y)}
    assert "mean m score" in found["Difficulty"].note
    rates = found["Length"].table.xs("annotators")["win_rate"].dropna()
    assert len(rates) and rates.between(0, 1).all() and 0.3 < rates.mean() < 0.7


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_segments_and_no_scores_have_no_themes_or_sound_ones(n):
    X = table(hypothesis=["a", "b", "c"] * n, reference=["a b"] * 3 * n)
    scores = pd.DataFrame({"m": np.full(3 * n, np.nan)}, X.index)
    assert themes_of(X, scores) == []
    for theme in themes_of(X, scores.fillna(1.0)):
        assert theme.table["score"].isin([1.0]).all()


SOURCE = "ein kleiner Hund bellt sehr laut im Garten ."
REFERENCE = "a small dog barks very loudly in the garden ."


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (REFERENCE, None),
        (SOURCE, "untranslated"),
        ("the small dog barks the small dog barks", "doubled"),
        ("a small dog" + " barks" * 6 + " in the garden", "doubled"),
        ("a dog a dog", "doubled"),
        ("a dog barks", "truncated"),
        ("a dog", "truncated"),
        (" ", "empty"),
    ],
)
def test_a_spoilt_text_has_its_fault(text, fault):
    X = table(hypothesis=[text, REFERENCE, REFERENCE], source=[SOURCE] * 3,
              reference=[[REFERENCE, REFERENCE + " !"]] * 3)  # fmt: skip
    found = spoilt_texts(X)
    assert found["translations"].tolist() == [1, 1, 1]
    assert found[list(FAULTS)].loc[["B", "C"]].to_numpy().sum() == 0
    told = found.loc["A", list(FAULTS)]
    if text in ("a dog a dog",):
        told["truncated"] = 0  # that, too
    assert told[told > 0].index.tolist() == [fault] * (fault is not None)


def test_what_source_or_reference_has_too_is_no_fault():
    same = ["Berlin", "no no no no", "", "ja"]
    X = table(hypothesis=same * 3, source=np.repeat(same, 3).tolist()[:12],
              reference=np.repeat(same, 3).tolist()[:12])  # fmt: skip
    X["hypothesis"] = X["reference"]
    assert spoilt_texts(X)[list(FAULTS)].to_numpy().sum() == 0


def test_without_source_and_reference_other_translations_tell():
    X = table(hypothesis=["a b c d e f g h", "a b c d e f g i", "a", "", "b c", "", "", "", ""])
    found = spoilt_texts(X)
    assert found["truncated"].tolist() == [0, 0, 1] and found["empty"].tolist() == [1, 0, 1]
    assert found["translations"].tolist() == [3, 3, 3]
