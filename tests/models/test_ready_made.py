import json
import shutil
import warnings
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

import sklearn_mteval
from sklearn_mteval import kendall_tau, load_pretrained
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.datasets import corrupt, load_sample
from sklearn_mteval.evaluation import challenge
from sklearn_mteval.features import MetricScores
from sklearn_mteval.models import (
    open_model,
    rank_candidates,
    rank_systems,
    score_candidates,
)
from sklearn_mteval.models.cards import READY_MADE

X, Y = load_sample(return_X_y=True)
LIGHT = [name for name, card in READY_MADE.items() if card.encoder is None]
SHIPPED = files("sklearn_mteval.models").joinpath("ready_made_files")


def tau(strengths, table=X, ranks=Y):
    return kendall_tau(ranks, strengths, groups=comparable_groups(table))


@pytest.mark.parametrize("name", READY_MADE)
def test_each_ships_with_a_card_and_its_signature(name):
    card = SHIPPED.joinpath(name, "README.md").read_text(encoding="utf-8")
    for heading in ("Trained on", "How well", "Limits", "Licence", "Made by"):
        assert f"## {heading}" in card
    signature = json.loads(SHIPPED.joinpath(name, "signature.json").read_text(encoding="utf-8"))
    assert signature["versions"]["sklearn_mteval"] == sklearn_mteval.__version__


def test_what_static_en_reads_has_at_most_8_mb():
    vectors = files("sklearn_mteval.text.vectors").joinpath("data", "english.vectors")
    size = sum(len(file.read_bytes()) for file in SHIPPED.joinpath("static-en").iterdir())
    assert len(vectors.read_bytes()) + size <= 8 * 10**6


@pytest.mark.parametrize("name", LIGHT)
def test_each_agrees_with_the_sample(name):
    assert tau(load_pretrained(name).decision_function(X)) > 0.15


def test_static_en_agrees_with_the_sample_better_than_chrf():
    chrf = MetricScores(["chrf"]).fit_transform(X)[:, 0]
    assert tau(load_pretrained("static-en").decision_function(X)) > tau(chrf)


def test_a_copy_of_a_system_changes_nothing_for_the_others():
    model = load_pretrained("static-en")
    twin = X.xs("neural", level="system", drop_level=False).rename({"neural": "twin"})
    before = rank_candidates(model, X)
    after = rank_candidates(model, pd.concat([X, twin]))
    pd.testing.assert_frame_equal(after.loc[X.index], before)
    systems = rank_systems(after)
    pd.testing.assert_frame_equal(systems.drop("twin"), rank_systems(before))
    assert systems.loc["twin"].equals(systems.loc["neural"])


WITH_REFERENCE = [name for name in LIGHT if READY_MADE[name].reference == "needed"]


@pytest.mark.parametrize("name", WITH_REFERENCE)
def test_nothing_beside_a_translation_changes_a_bit_of_its_score(name):
    model = load_pretrained(name)
    expected = score_candidates(model, X)
    one = X.xs("neural", level="system", drop_level=False)
    others = [corrupt(one, kind).droplevel("corruption") for kind in ("garbage", "empty")]
    others = [part.rename({"neural": f"bad {k}"}, level="system") for k, part in enumerate(others)]
    for some in (one, pd.concat([one, *others]), X.sample(frac=0.3, random_state=0), X[7:8]):
        found = score_candidates(model, some)
        known = found.index.isin(X.index)
        assert found[known].tolist() == expected[found.index[known]].tolist()
        assert rank_candidates(model, some)["score"].tolist() == found.tolist()


@pytest.mark.parametrize("name", WITH_REFERENCE)
def test_what_is_plainly_wrong_loses_alone_by_two_and_among_many(name):
    kinds = ["empty", "garbage", "other_segment", "source_copied", "foreign_appended"]
    found = challenge(load_pretrained(name), X, Y, kinds=kinds, metrics=[], n_segments=40)
    margins = found.pairs[["model_alone", "model_two", "model_many"]].to_numpy()
    assert margins.shape == (200, 3) and (margins > 0).all()


@pytest.mark.parametrize("name", WITH_REFERENCE)
def test_one_wrong_number_name_or_negation_loses(name):
    kinds = ["number", "name", "negation"]
    found = challenge(load_pretrained(name), X, Y, kinds=kinds, metrics=[])
    own = found.pairs[~found.pairs.index.get_level_values("kind").str.startswith("reference")]
    assert (own["model_alone"] > 0).groupby(level="kind").mean().min() >= 0.93


@pytest.mark.parametrize("name", WITH_REFERENCE)
def test_how_long_a_sentence_is_does_not_change_what_its_reference_scores(name):
    lines = X.groupby("segment")["reference"].first().str.strip(".!?\"' ")
    texts = [", ".join(lines.iloc[k : k + n]) for n in (1, 2, 4, 6) for k in (0, 20, 40)]
    texts = [text.replace(". ", ", ").replace("? ", ", ") for text in texts]  # one sentence
    rows = pd.MultiIndex.from_product([range(len(texts)), ["reference", "half"]])
    halves = [text[: len(text) // 2] for text in texts]
    table = pd.DataFrame(
        {
            "source": "",
            "reference": np.repeat(texts, 2),
            "hypothesis": np.ravel(list(zip(texts, halves, strict=True))),
        },
        index=rows.set_names(["segment", "system"]),
    )
    found = score_candidates(load_pretrained(name), table)
    whole, half = (found.xs(system, level="system") for system in ("reference", "half"))
    assert whole.min() > 0.9
    assert (whole > half + 0.5).all()


def test_neither_row_order_nor_names_nor_other_segments_change_a_bit():
    model = load_pretrained("static-en")
    expected = pd.Series(model.decision_function(X), index=X.index)
    shuffled = X.sample(frac=1, random_state=1)
    found = pd.Series(model.decision_function(shuffled), index=shuffled.index)
    assert found.loc[X.index].equals(expected)
    part = X.loc[[3, 7]]
    assert np.array_equal(model.decision_function(part), expected.loc[[3, 7]])
    renamed = X.rename(lambda name: f"x{name}", level="system")
    assert np.array_equal(model.decision_function(renamed), expected)


def test_entities_and_quotes_change_nothing():
    model = load_pretrained("static-en")
    quoted = X.assign(hypothesis="«" + X["hypothesis"] + "»")
    escaped = X.assign(hypothesis="&quot;" + X["hypothesis"] + "&quot;")
    assert np.array_equal(model.decision_function(quoted), model.decision_function(escaped))


def test_scores_without_competitors_are_those_of_one_system():
    model = load_pretrained("static-en")
    one = X.xs("online", level="system", drop_level=False)
    scores = score_candidates(model, one)
    assert scores.between(-1, 1).all()
    assert scores.nunique() > 100
    other = X.xs("rule", level="system", drop_level=False)
    assert scores.mean() > score_candidates(model, other).mean()


@pytest.mark.parametrize("name", LIGHT)
def test_odd_texts_have_finite_scores(name):
    texts = ["", " ", "ααα βββ", "日本語のテキスト", "\udc80", "a" * 5000, "!!!", "…", "the " * 300]
    rows = pd.MultiIndex.from_product([[1], range(len(texts))], names=["segment", "system"])
    odd = {"hypothesis": texts, "source": "x", "reference": "the cat"}
    table = pd.DataFrame(odd, index=rows, dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few of these are English
        assert np.isfinite(load_pretrained(name).decision_function(table)).all()


def test_unknown_names_and_needless_encoders_are_refused():
    with pytest.raises(ValueError, match="no ready-made model 'comet', but"):
        load_pretrained("comet")
    with pytest.raises(ValueError, match="static-en has no encoder"):
        load_pretrained("static-en", encoder="folder")
    with pytest.raises(ValueError, match="'reference'"):
        load_pretrained("static-en").predict(X.drop(columns="reference"))


def test_a_folder_of_that_name_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SHIPPED.joinpath("any"), "static-en")
    assert "chrfcomp" in dict(open_model("static-en", windows=False)[1].transformer_list)


@pytest.mark.parametrize("name", READY_MADE)
def test_what_ships_names_no_folder_of_a_machine(name):
    for file in SHIPPED.joinpath(name).iterdir():
        content = file.read_bytes()
        assert not any(part in content for part in (b"site-packages", b"/work/", b"/home/"))


def test_an_encoder_is_found_by_its_package_and_checked():
    pytest.importorskip("sentence_transformers")
    from encoder_model import one_layer_model

    table = X.loc[list(range(1, 6))]
    model = load_pretrained("encoder-en")
    assert model.get_params()["estimator__features__learnedtokenalignment__dtype"] == "auto"
    assert np.isfinite(model.decision_function(table)).all()
    with pytest.raises(ValueError, match="is another model"):
        load_pretrained("encoder-en", encoder=one_layer_model())
