"""The command for the ready-made models' figures, on small campaigns that are made up."""

import importlib.util
import sys
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from sacrebleu.metrics import CHRF
from sklearn.base import clone

from sklearn_mteval import RankRecomposer, kendall_tau
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.datasets import make_rankings
from sklearn_mteval.features import LexicalFeatures, sentence_bleu
from sklearn_mteval.metrics import agreement_interval

PATH = Path(__file__).parent.parent / "benchmarks" / "ready_made_figures.py"
PAIRS = ["cs-en", "de-en", "fi-en", "fr-en", "ru-en"]


def made_up(root, pair, *, return_X_y):
    """Stand in for load_wmt: rankings of the pair's own, segments numbered as in any other."""
    assert return_X_y
    seed = crc32(f"{root.name} {pair}".encode())
    X, y = make_rankings(12, 4, mean_length=8, n_words=60, random_state=seed)
    labels = X.index.to_frame(index=False)
    labels.insert(1, "ranking", "t" + labels["segment"].astype(str))
    index = pd.MultiIndex.from_frame(labels)
    return X.set_axis(index), y.set_axis(index)


def made_up_translations(root, pair):
    """Stand in for load_wmt_translations."""
    return made_up(root, pair, return_X_y=True)[0].droplevel("ranking")


@pytest.fixture
def figures(monkeypatch):
    """The script as a module, with a learner that is fast, and rankings that are made up."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # so that its own default is undone
    monkeypatch.syspath_prepend(PATH.parent)
    for name in (
        "ready_made_features",
        "ready_made_output",
        "ready_made_training",
        "ready_made_words",
    ):
        monkeypatch.delitem(sys.modules, name, raising=False)
    spec = importlib.util.spec_from_file_location("ready_made_figures", PATH)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # for what is pickled
    spec.loader.exec_module(module)

    def learner(calibrate=True):
        linear = PairEnsemble(calibrate=calibrate, cv=2).set_params(boosting="drop")
        return RankRecomposer(linear)

    monkeypatch.setattr(module, "learner", learner)
    monkeypatch.setattr("ready_made_features.load_wmt", made_up)
    monkeypatch.setattr("ready_made_features.load_wmt_translations", made_up_translations)
    return module


@pytest.mark.slow
def test_the_whole_command(figures, tmp_path, capsys):
    # A model that is asked about segments it was trained on warns, and warnings are errors.
    arguments = ["--data", str(tmp_path), "--kind", "any", "--output", str(tmp_path / "out")]
    figures.main([*arguments, "--segments", "9"])
    printed = capsys.readouterr().out
    tables = {
        name: pd.read_csv(tmp_path / "out" / f"{name}.tsv", sep="\t")
        for name in ("against_single", "systems", "calibration", "learning_curve", "ablation")
    }
    tests = [f"wmt15 {pair}" for pair in PAIRS]
    assert printed.count("\n## ") == 5 and all(f"| {pair} |" in printed for pair in tests)
    assert tables["against_single"]["pair"].tolist() == tests
    assert tables["calibration"]["pair"].tolist() == [*tests, "all"]
    drawn = tables.keys() - {"systems"}
    assert all((tmp_path / "out" / f"{name}.png").stat().st_size > 5000 for name in drawn)

    # What needs no training, computed another way.
    for pair, row in zip(PAIRS, tables["against_single"].to_dict("records"), strict=True):
        X, y = made_up(tmp_path / "wmt15", pair, return_X_y=True)
        kept = np.random.default_rng(0).permutation(12)[:9] + 1
        X, y = X.loc[sorted(kept)], y.loc[sorted(kept)]
        texts = zip(X["hypothesis"], X["reference"], strict=True)
        chrf = [CHRF().sentence_score(text, [reference]).score for text, reference in texts]
        groups = X.index.droplevel("system")
        assert row["chrF"] == pytest.approx(100 * kendall_tau(y, chrf, groups=groups), abs=1e-3)
        low, high = row["model less chrF: low"], row["model less chrF: high"]
        assert low <= row["model less chrF"] <= high
        assert row["model less chrF"] == pytest.approx(row["model"] - row["chrF"], abs=2e-4)
        assert row["model less it"] == pytest.approx(row["model"] - row["its tau"], abs=2e-4)

    systems = tables["systems"].set_index("pair")
    assert list(systems.index) == [*tests, "mean"]
    single = tables["against_single"].set_index("pair")
    assert systems.loc[tests, "tau of chrF"].tolist() == single["chrF"].tolist()
    spa = systems["SPA of model"]
    assert spa["mean"] == pytest.approx(spa[tests].mean(), abs=2e-4)
    low = systems.loc[tests, "SPA of model: low"]
    assert ((low <= spa[tests]) | low.isna()).all()  # fewer than ten segments have no interval

    curve = tables["learning_curve"].set_index("trained on")
    whole = curve.loc["100 %: WMT13 and WMT15"]
    assert whole[tests].tolist() == tables["against_single"]["model"].tolist()
    assert whole["mean"] == pytest.approx(whole[tests].mean(), abs=2e-4)
    pairs = curve["pairs"]
    assert pairs["10 % of the segments"] < pairs["30 % of the segments"] < whole["pairs"]
    assert pairs["WMT13 only"] + pairs["WMT15 only"] == pytest.approx(whole["pairs"], abs=2)
    for pair in tests:  # what was trained on is not measured on
        assert np.isnan(curve.loc[f"{pair} only", pair])
        assert curve.loc[f"{pair} only", tests].notna().sum() == 4

    ablation = tables["ablation"].set_index("columns")
    families = ["alignment", "order", "ngrams", "unknown", "competing", "small", "source"]
    families += ["chrfcomp", "contenterrors"]
    names = [f(name) for name in families for f in ("without {}".format, "{} alone".format)]
    assert ablation.index.tolist() == ["everything", *names]
    for name in families:
        both = ablation.loc[[f"without {name}", f"{name} alone"]]
        assert both["number"].sum() == ablation.loc["everything", "number"]
        lost = ablation.loc[f"without {name}", "tau"] - ablation.loc["everything", "tau"]
        assert both["less everything's"].iloc[0] == pytest.approx(lost, abs=2e-4)


@pytest.mark.slow
def test_the_test_is_measured_on_wmt12_alone(figures, tmp_path):
    arguments = ["--data", str(tmp_path), "--kind", "any", "--test", "--output", str(tmp_path)]
    figures.main([*arguments, "--segments", "6", "--only", "calibration", "learning_curve"])
    measured = pd.read_csv(tmp_path / "calibration.tsv", sep="\t")["pair"].tolist()
    assert measured == ["wmt12 cs-en", "wmt12 de-en", "wmt12 en-de", "all"]
    curve = pd.read_csv(tmp_path / "learning_curve.tsv", sep="\t")
    assert [name for name in curve if name.startswith("wmt")] == measured[:3]
    assert len(curve) == 10 and curve.notna().all(axis=None)
    assert not (tmp_path / "ablation.tsv").exists()


def test_features_are_fitted_on_the_training_part_and_cached(figures, tmp_path):
    split = figures.Split(("wmt13 fr-en",), ("wmt15 cs-en", "wmt15 de-en"))
    texts = figures.load(tmp_path, split.training + split.tests, 5)
    lexical = LexicalFeatures(features=["alignment"])

    def found(union):
        return figures.Features(union, texts, tmp_path / "cache", tmp_path)(split)

    training, tests = found(lexical)
    fitted = lexical.fit(texts.of(split.training).X)
    assert tests.X.to_numpy().tolist() == fitted.transform(texts.of(split.tests).X).tolist()
    assert training.y.equals(texts.of(split.training).y)
    assert tests.y.equals(texts.of(split.tests).y) and tests.X.index.equals(tests.y.index)
    (file,) = (tmp_path / "cache").iterdir()
    file.write_bytes(b"")  # whoever reads it fails
    with pytest.raises(EOFError):
        found(clone(lexical))
    assert "monotone" in found(LexicalFeatures(features=["order"]))[0].X
    assert len(list(file.parent.iterdir())) == 2


def test_in_a_test_part_all_systems_at_hand_compete(figures, tmp_path):
    split = figures.Split(("wmt13 fr-en",), ("wmt15 cs-en",))
    texts = figures.load(tmp_path, split.training + split.tests, 4)
    judged = texts.y.index.get_level_values("system") != "system2"  # which nobody judged
    texts = figures.Part(texts.X[judged], texts.y[judged])
    union = LexicalFeatures(features=["competing"])
    tests = figures.Features(union, texts, None, tmp_path)(split)[1]
    X = made_up_translations(tmp_path / "wmt15", "cs-en")
    lexical = union.fit(texts.of(split.training).X).set_output(transform="pandas")
    expected = lexical.transform(X)
    keys = [(int(label[0].split(":")[1]), label[-1]) for label in tests.y.index]
    assert len(keys) == 12 and {key[1] for key in keys} == {"system1", "system3", "system4"}
    assert tests.X.to_numpy().tolist() == expected.loc[keys].to_numpy().tolist()
    alone = lexical.transform(texts.of(split.tests).X)
    assert tests.X.to_numpy().tolist() != alone.to_numpy().tolist()


def test_words_describe_segments_that_they_were_not_learnt_from(figures, monkeypatch, rankings):
    features = importlib.import_module("ready_made_features")
    learnt_from = []

    class Table:
        def __init__(self, path):
            assert path == "table"

        def learned_vectors(self, X, y):
            assert y.index.equals(X.index)
            learnt_from.append(set(X.index.unique("segment")))
            return {key: [1.0, 0.0] for key in " ".join(X["reference"]).split()}

    monkeypatch.setattr(features, "WordTable", Table)
    labels = rankings[0].index.to_frame(index=False).astype({"segment": str})
    X, y = (table.set_axis(pd.MultiIndex.from_frame(labels)) for table in rankings)
    words = features.LearnedWords("table").set_output(transform="pandas")
    columns = words.fit_transform(X, y)
    everything, *others = learnt_from
    assert everything == set(X.index.unique("segment")) and columns.index.equals(X.index)
    described = [everything - some for some in others]
    assert len(others) > 1 and all(described)
    assert sorted(name for some in described for name in some) == sorted(everything)
    for some, rest in zip(described, others, strict=True):
        vectors = Table("table").learned_vectors(X.loc[list(rest)], y.loc[list(rest)])
        kept = X.index.get_level_values("segment").isin(some)
        lexical = LexicalFeatures(vectors, weights="length").set_output(transform="pandas")
        assert columns[kept].equals(lexical.fit_transform(X[kept]))
    vectors = Table("table").learned_vectors(X, y)
    lexical = LexicalFeatures(vectors, weights="length").set_output(transform="pandas")
    assert words.transform(X).equals(lexical.fit_transform(X))


def test_the_test_pairs_are_measured_on_only_if_asked(figures):
    for kind in figures.RECOMMENDED:
        for splits in figures.splits_of(kind, False):
            pairs = {pair for split in splits for names in split for pair in names}
            assert not any("wmt12" in pair for pair in pairs)
            tested = [pair for split in splits for pair in split.tests]
            assert sorted(tested) == [f"wmt15 {pair}" for pair in PAIRS]
            for split in splits:
                assert set(split.training) | set(split.tests) == pairs
                assert not set(split.training) & set(split.tests)
        (split,) = figures.splits_of(kind, True)[0]
        into_german = ["wmt12 en-de"] * (kind == "any")
        assert list(split.tests) == ["wmt12 cs-en", "wmt12 de-en", *into_german]
        assert split.training == ("wmt13 fr-en", *(f"wmt15 {pair}" for pair in PAIRS))


def test_calibration_error_by_hand(figures):
    better, probability = np.array([1.0, 0, 1, 1]), np.array([0.8, 0.3, 0.9, 0.4])
    # Bins of 0.3 and 0.4, one of two better; of 0.8 and 0.9, both.
    assert figures.calibration_error(better, probability, n_bins=2) == pytest.approx(0.15)
    assert figures.calibration_error(better, probability) == pytest.approx(1.2 / 4)
    assert figures.calibration_error(np.array([1.0, 1, 0]), np.array([1.0, 1, 0])) == 0
    # Both directions: 0.8, 0.9, 0.7 and 0.6, three of four better; and as much below one half.
    both = [np.concatenate([x, 1 - x]) for x in (better, probability)]
    assert figures.calibration_error(*both, n_bins=2) == pytest.approx(0, abs=1e-12)


def test_pairs_that_annotators_decided(figures, sample):
    X, y = (table.loc[:20] for table in sample)
    features = pd.DataFrame({"bleu": sentence_bleu(X)}, X.index)
    ranker = figures.learner().fit(features, y)
    found = figures.decided_pairs(ranker, figures.Part(features, y))
    expected = []
    for _, ranks in y.groupby(level=[n for n in y.index.names if n != "system"]):
        for first in ranks.index:
            for second in ranks.index:
                if ranks[first] != ranks[second]:
                    pair = np.r_[features.loc[first], features.loc[second]][np.newaxis]
                    with_names = pd.DataFrame(pair, columns=["t1__bleu", "t2__bleu"])
                    probability = ranker.estimator_.predict_proba(with_names)[0, 1]
                    expected.append((float(ranks[first] < ranks[second]), probability))
    expected = np.array(sorted(expected))
    assert len(expected) and np.array(sorted(zip(*found, strict=True))) == pytest.approx(expected)


def test_families_are_the_groups_of_lexical_features(figures, sample):
    X, _ = sample
    X = X.assign(source=X["reference"])
    for group in figures.GROUPS:
        lexical = LexicalFeatures({"the": [1.0]}, features=[group]).fit(X)
        names = lexical.get_feature_names_out()
        assert {figures.family(name) for name in names} == {group}
        assert {figures.family(f"lexicalfeatures__{name}") for name in names} == {group}
    assert figures.family("tokenalignment__precision_of_its_own") == "tokenalignment"


def test_the_best_column_and_its_sign(figures):
    index = pd.MultiIndex.from_product([range(10), ["a", "b"]], names=["segment", "system"])
    y = pd.Series([1, 2] * 10, index)
    X = pd.DataFrame({"good": [2, 1] * 8 + [0, 1] * 2, "errors": [1, 2] * 9 + [1, 0]}, index)
    X["always tied"] = 0
    assert figures.best_column(figures.Part(X, y)) == ("errors", -1)


def test_tau_of_some_strengths(figures):
    index = pd.MultiIndex.from_product([range(20), ["a", "b"]], names=["segment", "system"])
    y, strengths = pd.Series([1, 2] * 20, index), [2, 1] * 15 + [1, 2] * 5
    segments = np.repeat(np.arange(20), 2)
    bounds = agreement_interval(y.to_numpy(), strengths, groups=segments)
    assert figures.tau(y, strengths) == pytest.approx([50, *(100 * b for b in bounds)])
    found = figures.differences(y, {"model": strengths, "perfect": [2, 1] * 20})
    assert found[0, 1, 0] == -50 and found[0, 1, 1] < -50 < found[0, 1, 2] < 0


def test_smaller_draws_are_parts_of_larger_ones(figures):
    index = pd.MultiIndex.from_product([range(100), ["a", "b"]], names=["segment", "system"])
    part = figures.Part(pd.DataFrame({"x": 0}, index), pd.Series(0, index))
    tenth, third = (
        set(figures.some_segments(part, p).y.index.get_level_values("segment")) for p in (0.1, 0.3)
    )
    assert (len(tenth), len(third)) == (10, 30) and tenth < third
