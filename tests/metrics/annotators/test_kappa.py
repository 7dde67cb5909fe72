"""Kappa by hand, by comparing all judgements with each other, and of the campaigns."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import annotator_agreement

FEW = {"n_resamples": 20}


def table(rows, columns=("segment", "ranking", "system", "judge", "rank")):
    """A table of judgements, indexed as load_wmt does it."""
    return pd.DataFrame(rows, columns=list(columns)).set_index(["segment", "ranking", "system"])


def agreement(judged, kind, **options):
    texts = judged.get("text")
    return annotator_agreement(
        judged["rank"], judged["judge"], kind=kind, texts=texts, **(FEW | options)
    )


def by_comparing(judged, kind):
    """P(A), P(E) and the number of comparisons, as the papers' words have it."""
    tasks, judgements = {}, []
    names = judged["text"] if "text" in judged else judged.index.get_level_values("system")
    rows = zip(judged.index, names, judged["judge"], judged["rank"], strict=True)
    for (segment, ranking, _), name, judge, rank in rows:
        tasks.setdefault((segment, ranking), set()).add((name, rank, judge))
    for (segment, ranking), task in tasks.items():
        for (a, rank, judge), (b, other, _) in combinations(sorted(task), 2):
            if a != b:
                said = (rank > other) - (rank < other)
                judgements.append((segment, a, b, said, judge, ranking))
    agreed = compared = 0
    for one, other in combinations(judgements, 2):
        if one[:3] == other[:3] and (one[4] == other[4]) == (kind == "intra"):
            compared += 1
            agreed += one[3] == other[3]
    if not judgements:
        return np.nan, np.nan, 0
    ties = np.mean([said == 0 for *_, said, _, _ in judgements])
    better = worse = (1 - ties) / 2
    return (agreed / compared if compared else np.nan, better**2 + ties**2 + worse**2, compared)


def test_by_hand():
    judged = table(
        [
            *[(1, "r1", s, "ann", r) for s, r in zip("ABC", (1, 2, 2), strict=True)],
            *[(1, "r2", s, "bob", r) for s, r in zip("ABC", (1, 3, 2), strict=True)],
            *[(1, "r3", s, "ann", r) for s, r in zip("AB", (2, 1), strict=True)],
            *[(2, "r4", s, "ann", r) for s, r in zip("AB", (1, 1), strict=True)],
        ]
    )
    # AB: better (ann), better (bob), worse (ann); AC: better, better; BC: equal, worse. In
    # segment 2 AB: equal, which nobody repeats. Two of eight judgements are ties.
    found = agreement(judged, "inter")
    expected = (1 / 4) ** 2 + 2 * (3 / 8) ** 2
    assert found.agreed == 2 / 4  # AB: yes, no; AC: yes; BC: no
    assert found.expected == pytest.approx(expected)
    assert found.kappa == pytest.approx((1 / 2 - expected) / (1 - expected))
    assert found.n_comparisons == 4
    itself = agreement(judged, "intra")
    assert (itself.agreed, itself.n_comparisons) == (0, 1)
    assert itself.expected == found.expected
    assert itself.kappa == pytest.approx(-expected / (1 - expected))


@st.composite
def judged_tables(draw, texts=False):
    rows = []
    for task in range(draw(st.integers(1, 7))):
        segment, judge = draw(st.integers(0, 1)), draw(st.sampled_from("xyz"))
        for system in draw(st.lists(st.sampled_from("ABCD"), min_size=1, unique=True)):
            rank = draw(st.integers(1, 3))
            rows.append((segment, task, system, judge, rank))
    judged = table(rows)
    if texts:
        same = draw(st.sampled_from(["ABCD", "AACD", "AABB", "AAAA"]))
        of = dict(zip("ABCD", same, strict=True))
        judged["text"] = [of[s] for s in judged.index.get_level_values("system")]
    return judged


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("kind", ["inter", "intra"])
@pytest.mark.parametrize("texts", [False, True])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_is_what_comparing_all_judgements_finds(kind, texts, data):
    judged = data.draw(judged_tables(texts))
    agreed, expected, compared = by_comparing(judged, kind)
    found = agreement(judged, kind)
    assert found.n_comparisons == compared
    assert found.agreed == pytest.approx(agreed, nan_ok=True)
    assert found.expected == pytest.approx(expected, nan_ok=True)
    kappa = (agreed - expected) / (1 - expected) if expected != 1 else np.nan
    assert found.kappa == pytest.approx(kappa, nan_ok=True)


@pytest.fixture
def judged():
    """Forty tasks of three annotators."""
    rng = np.random.default_rng(4)
    return table(
        [
            (task // 4, task, system, f"j{task % 3}", rng.integers(1, 4) + (system == "A"))
            for task in range(40)
            for system in "ABCD"
        ]
    )


@pytest.mark.parametrize("kind", ["inter", "intra"])
def test_order_and_names_do_not_matter(judged, kind):
    expected = agreement(judged, kind, n_resamples=300)
    shuffled = judged.sample(frac=1, random_state=0)
    assert agreement(shuffled, kind, n_resamples=300) == expected
    renamed = shuffled.reset_index()
    renamed["segment"] = renamed["segment"].map(lambda s: f"s{7 * s % 11}")
    renamed["ranking"] = renamed["ranking"].map(lambda r: 13 * r % 41)
    renamed["system"] = renamed["system"].map(dict(zip("ABCD", "ZAMB", strict=True)))
    renamed["judge"] = renamed["judge"].map({"j0": 7, "j1": 1, "j2": 3})
    renamed = renamed.set_index(["segment", "ranking", "system"])
    assert agreement(renamed, kind, n_resamples=300) == expected


@pytest.mark.slow
def test_interval_is_of_tables_put_together(judged):
    found = agreement(judged, "inter", n_resamples=3000)
    rng = np.random.default_rng(5)
    rows = judged.reset_index()
    segments = [rows[rows["segment"] == k] for k in range(10)]
    values = []
    for _ in range(150):
        taken = rng.integers(0, len(segments), len(segments))
        again = pd.concat([segments[k] for k in taken], ignore_index=True)
        sizes = [len(segments[k]) for k in taken]
        again["segment"] += 100 * np.repeat(np.arange(len(taken)), sizes)
        again = again.set_index(["segment", "ranking", "system"])
        values.append(agreement(again, "inter", n_resamples=1).kappa)
    expected = np.quantile(values, [0.025, 0.975])
    np.testing.assert_allclose([found.low, found.high], expected, atol=0.04)
    assert found.low < found.kappa < found.high
    narrow = agreement(judged, "inter", n_resamples=3000, confidence=0.5)
    assert found.low < narrow.low < narrow.high < found.high


def test_annotators_who_always_agree(judged):
    same = judged.assign(rank=[1, 2, 3, 3] * 40)
    found = agreement(same, "inter")
    assert (found.kappa, found.agreed, found.low, found.high) == (1, 1, 1, 1)


@pytest.mark.parametrize("case", ["once", "all tie", "one system", "no row"])
def test_undefined_is_nan_with_a_warning(judged, case):
    part = {
        "once": judged.query("ranking % 4 == 0"),
        "all tie": judged.assign(rank=1),
        "one system": judged.query("system == 'A'"),
        "no row": judged.iloc[:0].astype({"rank": float}),
    }[case]
    with pytest.warns(UndefinedMetricWarning, match="inter-annotator kappa"):
        found = agreement(part, "inter")
    assert np.isnan([found.kappa, found.low, found.high]).all()


def test_one_segment_has_no_interval(judged):
    found = agreement(judged.query("segment == 3"), "inter")
    assert np.isfinite(found.kappa)
    assert np.isnan([found.low, found.high]).all()


def test_bad_input(judged):
    y, annotators = judged["rank"], judged["judge"]
    with pytest.raises(CandidateError, match="Series of ranks"):
        annotator_agreement(y.to_numpy(), annotators)
    with pytest.raises(CandidateError, match="MultiIndex"):
        annotator_agreement(y.reset_index(drop=True), annotators.to_numpy())
    with pytest.raises(CandidateError, match="index level 'system' is missing"):
        annotator_agreement(y.rename_axis(["segment", "ranking", "engine"]), annotators)
    with pytest.raises(CandidateError, match="annotators has 159 entries"):
        annotator_agreement(y, annotators.iloc[:-1])
    with pytest.raises(CandidateError, match=r"annotators\.loc"):
        annotator_agreement(y, annotators.iloc[::-1])
    with pytest.raises(CandidateError, match="annotators has no label in row 3"):
        annotator_agreement(y, [*annotators[:3], None, *annotators[4:]])
    with pytest.raises(CandidateError, match="empty labels"):
        annotator_agreement(y, [""] * len(y))
    with pytest.raises(CandidateError, match="another annotator"):
        annotator_agreement(y, np.arange(len(y)))
    with pytest.raises(CandidateError, match="numeric"):
        annotator_agreement(y.astype(object).where(y != 2, "second"), annotators)
    with pytest.raises(CandidateError, match="NaN"):
        annotator_agreement(y.where(y != 2), annotators)
    with pytest.raises(CandidateError, match="texts has 1 entries"):
        annotator_agreement(y, annotators, texts=["a"])
    with pytest.raises(ValueError, match=r"kind .*found "):
        annotator_agreement(y, annotators, kind="both")
    with pytest.raises(ValueError, match="confidence"):
        annotator_agreement(y, annotators, confidence=1)
    with pytest.raises(ValueError, match="n_resamples"):
        annotator_agreement(y, annotators, n_resamples=0)


@pytest.mark.parametrize("lang_pair", ["cs-en", "de-en", "en-de"])
def test_kappa_of_wmt12_is_about_the_papers(data_dir, lang_pair):
    # "Around 0.3-0.4" between annotators; they agree more with themselves.
    data = load_wmt(data_dir / "wmt12", lang_pair)
    between = annotator_agreement(data.y, data.judges, n_resamples=200)
    itself = annotator_agreement(data.y, data.judges, kind="intra", n_resamples=200)
    assert 0.28 < between.kappa < 0.4
    assert between.low < between.kappa < between.high
    assert between.kappa < itself.kappa
    assert between.expected == itself.expected


def test_texts_undo_the_copies_of_ranks_in_wmt15(data_dir):
    # The file gives a judged translation's rank to every system with that output.
    data = load_wmt(data_dir / "wmt15", "cs-en")
    copied = annotator_agreement(data.y, data.judges, n_resamples=1)
    once = annotator_agreement(data.y, data.judges, texts=data.X["hypothesis"], n_resamples=1)
    assert once.n_comparisons < copied.n_comparisons / 5
    assert 0.35 < once.kappa < 0.5 < copied.kappa


def test_judgements_of_any_size_are_compared():
    ranks = ranking_of([1e308, -1e308, 1e308, -1e308])
    assert annotator_agreement(ranks, list("aabb"), n_resamples=2).agreed == 1


def ranking_of(ranks):
    rows = [(1, f"task {k // 2}", "AB"[k % 2]) for k in range(len(ranks))]
    return pd.Series(ranks, pd.MultiIndex.from_tuples(rows, names=["segment", "ranking", "system"]))
