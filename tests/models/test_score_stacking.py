"""Training beside outside metrics, where the truth is known."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval import load_model, save_model
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import calibrate_ties
from sklearn_mteval.models import rank_candidates, score_candidates
from sklearn_mteval.models import score_stacking as stacking

N_SEGMENTS, SYSTEMS = 120, list("ABCDEF")


def judged(seed, scale=1.0):
    """Penalties of a hidden quality, and metrics: three that see it with noise, two that do not."""
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product(
        [range(1, N_SEGMENTS + 1), SYSTEMS], names=["segment", "system"]
    )
    quality = rng.normal(size=len(index))
    y = pd.Series(np.clip(np.round(2 - 2 * quality), 0, None), index)
    noisy = {f"good{k}": quality + 0.8 * rng.normal(size=len(index)) for k in range(3)}
    # Of other scales, which must not matter.
    noisy["good1"] = 100 * noisy["good1"] - 7
    useless = {f"useless{k}": rng.normal(size=len(index)) for k in range(2)}
    X = pd.DataFrame(noisy | useless, index) * scale
    documents = pd.Series(index.get_level_values("segment") // 4, index)
    return X, y, documents


def acc_eq(y, scores):
    return calibrate_ties(y, scores, groups=y.index.get_level_values("segment")).accuracy


@pytest.fixture(scope="module")
def trained():
    X, y, documents = judged(1)
    return stacking.train_on_scores(X, y, list(X), documents=documents, progress=False)


def test_a_useless_metric_is_not_chosen(trained):
    model, _, chosen = trained
    assert sorted(chosen) == ["good0", "good1", "good2"]
    assert model[0].scores == chosen


def test_a_useless_metric_does_not_hurt(trained):
    """The model is the very one that has never heard of it."""
    X, y, documents = judged(1)
    good = [name for name in X if name.startswith("good")]
    without, table, _ = stacking.train_on_scores(X, y, good, documents=documents, progress=False)
    assert table[0].accuracy == trained[1][0].accuracy
    new, *_ = judged(2)
    expected = without.decision_function(new)
    assert trained[0].decision_function(new).tobytes() == expected.tobytes()


def test_better_than_any_single_metric_on_unseen_data(trained):
    model, table, _ = trained
    ours, mean, best, *others = table
    assert (ours.name, mean.name) == ("model", "mean of those chosen")
    assert 0.02 < ours.low < ours.difference < ours.high and ours.p == 0
    assert best.difference == 0 and np.isnan(best.low)
    assert all(row.difference <= 0 for row in others)
    X, y, _ = judged(3)
    single = max(acc_eq(y, X[name]) for name in X)
    assert acc_eq(y, model.decision_function(X)) > single + 0.03
    # What is printed is what the public function computes.
    _, seen, _ = judged(1)
    assert best.accuracy == pytest.approx(acc_eq(seen, judged(1)[0][best.name]))


def test_documents_never_straddle(monkeypatch):
    X, y, documents = judged(4)
    seen, choose = [], stacking.choose_scores

    def spy(part, ranks, names, units, **options):
        # Metrics are chosen, and strengths learnt, on these rows alone.
        assert part.index.equals(ranks.index)
        seen.append(set(units))
        assert len(part) == sum(documents.isin(set(units)))
        return choose(part, ranks, names, units, **options)

    monkeypatch.setattr(stacking, "choose_scores", spy)
    stacking.train_on_scores(X, y, ["good0", "good1"], documents=documents, progress=False)
    every = set(documents)
    assert len(seen) == 6 and seen[-1] == every
    left_out = [every - units for units in seen[:5]]
    assert sorted(d for units in left_out for d in units) == sorted(every)


def test_where_no_metric_knows_anything_nothing_is_learnt():
    X, _, documents = judged(5)
    rng = np.random.default_rng(0)
    y = pd.Series(rng.integers(0, 3, len(X)).astype(float), X.index)
    _, table, _ = stacking.train_on_scores(X, y, list(X), documents=documents, progress=False)
    assert table[0].low < 0.01  # no better than the metric that is best by chance


def test_neither_rows_nor_jobs_matter(trained):
    X, y, documents = judged(1)
    order = np.random.default_rng(0).permutation(len(X))
    again = stacking.train_on_scores(
        X.iloc[order], y.iloc[order], list(X)[::-1], documents=documents.iloc[order],
        n_jobs=2, progress=False,
    )  # fmt: skip
    assert repr(again[1:]) == repr(trained[1:])  # NaN are equal
    new, *_ = judged(2)
    found = again[0].decision_function(new)
    assert found.tobytes() == trained[0].decision_function(new).tobytes()


def test_saved_applied_and_incomplete(trained, tmp_path):
    save_model(trained[0], tmp_path / "m")
    model = load_model(tmp_path / "m")
    new, *_ = judged(2)
    ranked = rank_candidates(model, new)
    assert ranked["strength"].tolist() == trained[0].decision_function(new).tolist()
    alone = score_candidates(model, new.iloc[[7]])
    assert alone.iloc[0] == ranked["score"].iloc[7]
    with pytest.raises(CandidateError, match="The scores of 'good1' are missing"):
        rank_candidates(model, new.drop(columns="good1"))
    with pytest.raises(CandidateError, match=r"Column 'good2', row \(1, 'C'\): expected"):
        rank_candidates(model, new.assign(good2=new["good2"].mask(np.arange(len(new)) == 2)))


def test_features_of_texts_stand_beside():
    X, y, documents = judged(6)
    X = X.assign(hypothesis=[f"a {'b ' * k}" for k in range(len(X))], reference="a b c")
    model, _, chosen = stacking.train_on_scores(
        X, y, ["good0", "good1"], features="bleu", normalize=True, documents=documents,
        progress=False,
    )  # fmt: skip
    names = model[:-1].get_feature_names_out()
    assert names[0] == "scorecolumn__metrics" and len(names) > 10 and len(chosen) == 2


def test_judgements_without_ties():
    X, y, documents = judged(7)
    y = y + np.random.default_rng(0).random(len(y)) / 1e3
    model, table, _ = stacking.train_on_scores(
        X, y, ["good0", "good1"], documents=documents, progress=False
    )
    assert model[-1].ties == "drop" and table[0].difference > 0


def test_what_cannot_be_trained():
    X, y, documents = judged(8)
    with pytest.raises(CandidateError, match=r"5 folds need as many documents, .* found 3"):
        stacking.train_on_scores(X, y, ["good0"], documents=documents % 3, progress=False)
    with pytest.raises(CandidateError, match="documents has 2 entries for 720 rows"):
        stacking.train_on_scores(X, y, ["good0"], documents=[1, 2], progress=False)
    with pytest.raises(CandidateError, match="The scores of 'COMET' are missing"):
        stacking.train_on_scores(X, y, ["COMET"], progress=False)


def test_scores_are_joined_or_missed():
    index = pd.MultiIndex.from_tuples(
        [(1, "j", "A"), (1, "j", "B"), (2, "j", "A")], names=["segment", "ranking", "system"]
    )
    X = pd.DataFrame({"hypothesis": list("xyz")}, index)
    rows = pd.MultiIndex.from_tuples([(1, "B"), (2, "A"), (1, "A")], names=["segment", "system"])
    m = pd.Series([2.0, np.nan, 1.0], rows)
    with pytest.raises(CandidateError, match=r"metric m has no score of \(2, 'A'\); 1 of 3"):
        stacking.join_scores(X, {"m": m})
    found = stacking.join_scores(X, {"m": m}, missing="skip")
    assert found["m"].tolist() == [1, 2] and found.index.equals(index[:2])
    with pytest.raises(CandidateError, match="No translation has a score of every metric"):
        stacking.join_scores(X, {"m": m, "n": m.iloc[:0]}, missing="skip")
    with pytest.raises(ValueError, match="cannot be named 'hypothesis'"):
        stacking.join_scores(X, {"hypothesis": m})
