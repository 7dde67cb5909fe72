"""A classifier of pairs that reads both translations at once."""

import copy

import numpy as np
import pandas as pd
import pytest
import torch
from batteries import run_battery
from encoder_model import random_model
from scipy.special import expit
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils import estimator_checks

from sklearn_mteval import RankRecomposer, SegmentKFold, kendall_tau_scorer, load_model, save_model
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.embeddings._text_reader import TextReader
from sklearn_mteval.pairwise import PairwiseCrossEncoder, decompose
from sklearn_mteval.pairwise.pairwise_cross_encoder import _examples
from sklearn_mteval.testing import pair_classifier_checks

COLUMNS = (
    ("source", "hypothesis"),
    ("reference", "hypothesis"),
    ("source", "reference", "hypothesis"),
)
GOOD, BAD = ["fine", "clear", "right"], ["bad", "murky", "wrong"]


def judged(n=16, seed=0):
    """Translations that are better the more good words they have."""
    rng = np.random.default_rng(seed)
    rows, labels = [], []
    for segment in range(n):
        for system, k in (("A", 2), ("B", 1), ("C", 0)):
            words = rng.permutation([*rng.choice(GOOD, k), *rng.choice(BAD, 2 - k)])
            text = f"sentence {segment} " + " ".join(words)
            rows.append((f"Satz {segment}", f"sentence {segment} fine", text, 2.0 - k))
            labels.append((f"{seed} {segment}", system))
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "system"])
    table = pd.DataFrame(rows, index, columns=[*COLUMNS[-1], "y"])
    return table[list(COLUMNS[-1])], table["y"]


def reader(**options):
    given = {"encoder": random_model(), "n_frozen_layers": 0, "adapter_rank": 4}
    return PairwiseCrossEncoder(**(given | {"max_epochs": 8, "learning_rate": 0.02} | options))


@pytest.fixture(scope="module", params=COLUMNS, ids="-".join)
def fitted(request):
    return reader(columns=request.param).fit(*decompose(*judged()))


@pytest.mark.slow
def test_it_passes_the_battery():
    run_battery(pair_classifier_checks(reader(max_epochs=2)))


def test_it_passes_what_scikit_learn_asks_of_any_estimator():
    """Those of its checks that need no table of numbers."""
    for name in (
        "check_estimator_cloneable", "check_estimator_repr", "check_estimator_tags_renamed",
        "check_get_params_invariance", "check_no_attributes_set_in_init", "check_set_params",
        "check_valid_tag_types", "check_estimators_unfitted", "check_mixin_order",
    ):  # fmt: skip
        getattr(estimator_checks, name)("PairwiseCrossEncoder", reader())


def test_it_learns_who_is_better(fitted):
    pairs, better = decompose(*judged(20, seed=1))
    assert fitted.score(pairs, better) > 0.9
    assert fitted.losses_[-1] < 0.5 * fitted.losses_[0]


def test_the_log_odds_are_those_of_transformers_own_model(fitted):
    """Both orders by the encoder with adapters' products added, and the judge, by numpy."""
    from transformers import AutoModel, AutoTokenizer

    folder, weights = f"{random_model()}", fitted.weights_
    tokenizer = AutoTokenizer.from_pretrained(folder)
    library = AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        for name, layer in library.named_modules():
            if f"{name}.up" in weights:
                up, down = (weights[f"{name}.{p}"].astype(float) for p in ("up", "down"))
                layer.weight += 2 * torch.from_numpy(up @ down).float()

    def said(texts):
        parts = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
        ids, sides = [tokenizer.cls_token_id], [0]
        for side, part in enumerate(parts):
            ids += [*part, tokenizer.sep_token_id]
            sides += [side] * len(part) + [min(side + 1, len(parts) - 1)]
        types = [int(side == len(parts) - 1) for side in sides]
        with torch.no_grad():
            states = library(torch.tensor([ids]), token_type_ids=torch.tensor([types]))
        states, sides = states.last_hidden_state[0].numpy().astype(float), np.array(sides)
        means = [states[sides == side].mean(axis=0) for side in range(len(parts))]
        seen, n = list(means), len(means)
        for k, m in [*((k, n - 2) for k in range(n - 2)), *((k, n - 1) for k in range(n - 1))]:
            seen += [abs(means[k] - means[m]), means[k] * means[m]]
        hidden = np.tanh(weights["hidden.weight"] @ np.concatenate(seen) + weights["hidden.bias"])
        return (weights["output.weight"] @ hidden + weights["output.bias"])[0]

    pairs = decompose(*judged(2, seed=2))[0]
    contexts = fitted.columns[:-1]
    for (_, row), found in zip(pairs.iterrows(), fitted.decision_function(pairs), strict=True):
        context, first, second = (
            [row[f"t1__{name}"] for name in contexts], row["t1__hypothesis"], row["t2__hypothesis"]
        )  # fmt: skip
        expected = said([*context, first, second]) - said([*context, second, first])
        assert found == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_the_other_direction_is_the_opposite_to_the_bit(fitted):
    pairs = decompose(*judged(5, seed=3))[0]
    turned = pairs.iloc[:, [3, 4, 5, 0, 1, 2]].set_axis(pairs.columns, axis=1)
    found = fitted.decision_function(pairs)
    assert abs(found).min() > 0
    np.testing.assert_array_equal(fitted.decision_function(turned), -found)
    np.testing.assert_array_equal(
        fitted.predict_proba(turned), fitted.predict_proba(pairs)[:, ::-1]
    )
    np.testing.assert_allclose(fitted.predict_proba(pairs)[:, 1], expit(found))
    equal = pairs.assign(t2__hypothesis=pairs["t1__hypothesis"])
    assert (fitted.decision_function(equal) == 0).all()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_neither_order_nor_company_changes_a_bit(dtype):
    pairs, better = decompose(*judged(12))
    order = np.random.default_rng(3).permutation(len(pairs))
    turned = pairs.iloc[:, [3, 4, 5, 0, 1, 2]].set_axis(pairs.columns, axis=1)
    one, *others = (
        reader(dtype=dtype, max_epochs=1).fit(*table)
        for table in (
            (pairs, better), (pairs.iloc[order], better[order]), (turned, 1 - better)
        )
    )  # fmt: skip
    for other in others:
        for name, array in one.weights_.items():
            np.testing.assert_array_equal(other.weights_[name], array)
    found = one.decision_function(pairs)
    np.testing.assert_array_equal(one.decision_function(pairs.iloc[order]), found[order])
    for n in (1, 2, 17):
        np.testing.assert_array_equal(one.decision_function(pairs.iloc[:n]), found[:n])


@pytest.mark.parametrize("recomposition", ["soft", "hard", "expected", "absolute"])
def test_a_ranker_of_texts(recomposition):
    X, y = judged(12)
    ranker = RankRecomposer(reader(), recomposition=recomposition).fit(X, y)
    assert ranker.n_pairs_ == 36  # one direction of each
    Z, z = judged(6, seed=1)
    assert ranker.score(Z, z) > 0.8
    alone = ranker.decision_function(Z[:3])
    np.testing.assert_array_equal(alone, ranker.decision_function(Z)[:3])


def test_strengths_are_sums_over_pairs(fitted):
    """Soft: of two translations, P(better) times 1 and minus it; the rest is the recomposer's."""
    X, y = judged(4)
    ranker = RankRecomposer(reader(max_epochs=1)).fit(X, y)
    two = judged(3, seed=1)[0].iloc[[0, 2, 3, 5]]
    chances = ranker.compare(two)["probability"].to_numpy()
    better = np.where(chances > 0.5, chances, -(1 - chances))
    np.testing.assert_allclose(ranker.decision_function(two), better, atol=1e-12)


def test_a_grid_search():
    X, y = judged(9)
    grid = {"estimator__columns": COLUMNS[:2]}
    search = GridSearchCV(
        RankRecomposer(reader(max_epochs=1)), grid, cv=SegmentKFold(2), scoring=kendall_tau_scorer
    ).fit(X, y)
    assert search.best_params_["estimator__columns"] in COLUMNS[:2]
    assert clone(search.best_estimator_).estimator.get_params()["max_epochs"] == 1


def test_of_several_references_the_mean_is_taken():
    pairs, better = decompose(*judged(6))
    judge = reader(columns=COLUMNS[1], max_epochs=1).fit(pairs, better)
    names = ["t1__reference", "t2__reference"]
    other = pairs.assign(**dict.fromkeys(names, "quite another text"))
    both = pairs.copy()
    for name in names:
        both[name] = [[text, "quite another text"] for text in pairs[name]]
    found = [judge.decision_function(table) for table in (pairs, other, both)]
    assert abs(found[0] - found[1]).max() > 1e-6
    np.testing.assert_allclose(found[2], (found[0] + found[1]) / 2, atol=1e-12)
    both["t2__reference"] = [texts[::-1] for texts in both["t1__reference"]]
    np.testing.assert_array_equal(judge.decision_function(both), found[2])


def test_pairs_become_decisions_about_both_readings():
    """One pair judged three times, in both directions; one once; one of equal texts."""
    ab, ba = [("s", "a", "b")], [("s", "b", "a")]
    cd, dc = [("s", "c", "d"), ("r", "c", "d")], [("s", "d", "c"), ("r", "d", "c")]
    equal = [("s", "e", "e")]
    both = [(dc, cd), (ab, ba), (ba, ab), (equal, equal), (ab, ba)]
    first, second = _examples(both, np.array([1, 1, 1, 0, 1]))
    assert first.readings == [*ab, *ba] and second.readings == [cd[0], dc[0]]
    assert first.better.tolist() == [0, 1] and first.worse.tolist() == [1, 0]
    np.testing.assert_allclose(first.weights, [np.sqrt(2), 1])
    assert (second.better.tolist(), second.worse.tolist()) == ([1], [0])


def test_four_texts_stand_one_after_another():
    read = TextReader(reader()._open_model().loaded(), 4)
    texts = ("ein Satz", "a sentence", "one phrase here", "two")
    ((ids, kinds, sides),) = read.encode([texts])
    parts = [read.tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
    ends = [[*part, read.tokenizer.sep_token_id] for part in parts]
    assert ids == [read.tokenizer.cls_token_id, *ends[0], *ends[1], *ends[2], *ends[3]]
    n = [len(part) for part in parts]
    assert list(sides) == [0] * (1 + n[0]) + [1] * (1 + n[1]) + [2] * (1 + n[2]) + [3] * (n[3] + 2)
    assert list(kinds) == (sides == 3).astype(int).tolist()
    with pytest.warns(UserWarning, match="512 tokens of a reading of four texts: 1 of 1"):
        ((ids, *_),) = read.encode([("word " * 400, "a", "word " * 400, "b")])
    assert len(ids) == 512


@pytest.mark.filterwarnings("ignore:The encoder reads")
def test_empty_long_and_damaged_texts(fitted):
    texts = ["", " ", "word " * 700, "\ud800", "日本語", "a\0b"]
    rows = [(a, b, c) * 2 for a, b, c in zip(texts, texts[1:], texts[::-1], strict=False)]
    X = pd.DataFrame(rows, columns=list(fitted.feature_names_in_), dtype=object)
    X["t2__hypothesis"] = "fine"
    assert np.isfinite(fitted.decision_function(X)).all()
    assert fitted.decision_function(X.iloc[:0]).shape == (0,)
    assert fitted.predict_proba(X.iloc[:0]).shape == (0, 2)


def test_a_saved_model_is_the_same(fitted, tmp_path):
    pairs = decompose(*judged(3, seed=4))[0]
    save_model(fitted, tmp_path / "saved")
    loaded = load_model(tmp_path / "saved")
    np.testing.assert_array_equal(loaded.predict_proba(pairs), fitted.predict_proba(pairs))


def test_a_training_that_was_finished_is_not_done_again(tmp_path):
    pairs, better = decompose(*judged(6))
    once = reader(checkpoint=tmp_path / "new", max_epochs=1).fit(pairs, better)
    (file,) = (tmp_path / "new").iterdir()
    again = reader(checkpoint=tmp_path / "new", max_epochs=1).fit(pairs, better)
    for name, array in once.weights_.items():
        np.testing.assert_array_equal(again.weights_[name], array)
    file.write_bytes(b"PK")
    with pytest.raises(ValueError, match="delete it"):
        reader(checkpoint=tmp_path / "new", max_epochs=1).fit(pairs, better)


@pytest.mark.parametrize(
    "changed",
    [
        {"weights_": {}},
        {"weights_": {"output.bias": np.zeros(1, dtype=np.float32)}},
        {"losses_": None},
        {"fingerprint_": 3},
        {"classes_": np.array([1, 0])},
        {"n_features_in_": 5},
        {"columns": ["hypothesis"]},
        {"dtype": "int4"},
        {"n_frozen_layers": -1},
    ],
)
def test_crafted_states_are_refused(fitted, changed):
    state = copy.deepcopy(fitted.__getstate__())
    with pytest.raises(ValueError, match=r"does not hold what a fit leaves|columns must be"):
        PairwiseCrossEncoder.__new__(PairwiseCrossEncoder).__setstate__(state | changed)


def test_weights_of_other_columns_are_refused(fitted):
    crafted = copy.copy(fitted)
    crafted.columns = COLUMNS[2] if len(fitted.columns) == 2 else COLUMNS[0]
    with pytest.raises(ValueError, match=r"'hidden\.weight' does not fit"):
        crafted.predict(decompose(*judged(2))[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["hypothesis"]}, "columns must be 'hypothesis' and either"),
        ({"columns": "source"}, "columns must be"),
        ({"adapter_rank": 0}, "adapter_rank must be"),
        ({"n_frozen_layers": 1}, "n_frozen_layers must be below 1"),
        ({"max_epochs": 0}, "max_epochs must be"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"learning_rate": 0}, "learning_rate must be"),
        ({"dtype": "float8"}, r"dtype .*found "),
        ({"encoder": len}, "a callable cannot be trained"),
        ({"encoder": "./nowhere"}, "there is no folder"),
        ({"checkpoint": 3}, "checkpoint must be None or a folder"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        reader(**options).fit(*decompose(*judged(4)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X.to_numpy(), "Expected a pandas DataFrame with the columns"),
        (lambda X: X.drop(columns="t2__source"), "Expected one column 't2__source', found 0"),
        (lambda X: X.assign(t1__hypothesis=None), "'t1__hypothesis', row 0 .*found NoneType"),
        (lambda X: X.assign(t1__hypothesis=[["a"]] * len(X)), "Only references may be lists"),
        (lambda X: X.assign(t2__source=1.5), "expected a string, found float"),
        (lambda X: X.assign(t2__hypothesis=X["t1__hypothesis"]), "no pair has two different"),
        (lambda X: X.iloc[:0], "no pair has two different|y has 0 classes"),
    ],
)
def test_bad_tables(change, message):
    X, y = decompose(*judged(4))
    X = change(X)
    with pytest.raises(CandidateError if len(X) else ValueError, match=message):
        reader().fit(X, y[: len(X)])


def test_bad_labels(fitted):
    X, y = decompose(*judged(4))
    with pytest.raises(ValueError, match="one label for each of 24 pairs, found 23"):
        reader().fit(X, y[:-1])
    with pytest.raises(ValueError, match="two classes, t1 is worse or better; y has 1 class"):
        reader().fit(X, 0 * y)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(X.assign(other=1))
