"""``--plots`` of the commands: which files there are, and that they show what was found."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from campaign_files import make_campaign
from matplotlib import pyplot
from sklearn.linear_model import Perceptron

from sklearn_mteval import load_model, save_model
from sklearn_mteval.cli import _calibration, _plots, main
from sklearn_mteval.cli._calibration import calibration_on
from sklearn_mteval.datasets import blocks, load_judgements, load_translations, make_rankings
from sklearn_mteval.models import bleu_pipeline, rank_candidates, rank_systems, score_candidates
from sklearn_mteval.plots import LeaderboardDisplay, PairCalibrationDisplay
from sklearn_mteval.report import plots_of_results

PNG = b"\x89PNG\r\n\x1a\n"
TEXTS = {
    "ref": "hello there old friend of mine\nthe world is round\nit is not so\n",
    "good": "hello there old friend of mine !\nthe world is round\nit is not like that\n",
    "bad": "hello\nso what is it then\nit\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with texts and a model."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text)
    X, y = make_rankings(20, 3, random_state=0)
    save_model(bleu_pipeline().fit(X, y), "model")
    return tmp_path


@pytest.fixture
def shown(monkeypatch):
    """The plots that the commands have drawn, by name."""
    seen, draw = {}, _plots.draw

    def noted(plots, folder):
        plots = list(plots)
        seen.update({plot.name: plot for plot in plots})
        draw(plots, folder)

    monkeypatch.setattr(_plots, "draw", noted)
    return seen


def files(folder):
    found = sorted(Path(folder).iterdir())
    assert not pyplot.get_fignums()
    pictures = [file for file in found if file.suffix == ".png"]
    assert all(file.read_bytes().startswith(PNG) for file in pictures)
    drawings = [file.with_suffix(".svg") for file in pictures]
    assert {*found} == {*pictures, *drawings}  # each is there as both
    assert all("<svg" in file.read_text(encoding="utf-8") for file in drawings)
    return [file.name for file in pictures]


def output(capsys, *arguments):
    assert main(list(map(str, arguments))) == 0, capsys.readouterr().err
    return capsys.readouterr()


TEXT_OPTIONS = ["model", "-r", "ref", "-t", "good", "bad"]


@pytest.mark.parametrize("command", ["rank", "score"])
@pytest.mark.parametrize("more", [[], ["--partitions", "parts"]])
def test_rank_and_score(command, more, capsys, shown):
    plain = output(capsys, command, *TEXT_OPTIONS)
    drawn = output(capsys, command, *TEXT_OPTIONS, *more, "--plots", "new/plots")
    assert more or drawn == plain
    assert files("new/plots") == ["scores.png", "systems.png"]
    scores = score_candidates(
        load_model("model"), load_translations(["good", "bad"], None, ["ref"])
    )
    means = scores.groupby(level="system").mean().sort_values(ascending=False)
    systems, quantiles = shown["systems"].display, shown["scores"].display
    assert systems.names == quantiles.names == means.index.tolist()
    assert np.allclose(systems.scores, means)
    for name, row in zip(quantiles.names, quantiles.quantiles, strict=True):
        expected = np.quantile(scores.xs(name, level="system"), [0.05, 0.25, 0.5, 0.75, 0.95])
        assert np.allclose(row, expected, atol=0.002)


def test_blocks_change_nothing(capsys, shown, monkeypatch):
    output(capsys, "score", *TEXT_OPTIONS, "--plots", "one")
    whole = shown["scores"].display
    monkeypatch.setattr(blocks, "BLOCK", 2)
    output(capsys, "score", *TEXT_OPTIONS, "--plots", "two")
    assert np.array_equal(shown["scores"].display.quantiles, whole.quantiles)
    assert Path("one/scores.png").read_bytes() == Path("two/scores.png").read_bytes()


def test_a_model_without_scores_has_mean_ranks():
    X = load_translations(["good", "bad"], None, ["ref"])
    X_train, y = make_rankings(20, 3, random_state=0)
    ranked = rank_candidates(bleu_pipeline().fit(X_train, y), X).assign(score=np.nan)
    table = rank_systems(ranked)
    plots = list(plots_of_results.of_systems(table, None))
    assert [plot.name for plot in plots] == ["systems"]
    assert plots[0].display.label == LeaderboardDisplay.of_systems(table).label


@pytest.fixture
def campaign(tmp_path):
    return make_campaign(tmp_path / "wmt12", ["de-en"])


def test_evaluate_draws_the_calibration_of_models(campaign, capsys, shown):
    given = ["evaluate", campaign, "--lang-pair", "de-en", "--resamples", 10]
    output(capsys, *given, "--model", "one=model", "two=model", "--plots", "plots")
    assert files("plots") == ["agreement.png", "calibration.png", "systems.png"]
    judged = load_judgements(campaign, "wmt", lang_pair="de-en")
    # Among judged rows of one campaign, all translations are at hand.
    ax = pyplot.figure().add_subplot()
    expected = PairCalibrationDisplay.from_estimator(load_model("model"), judged.X, judged.y, ax=ax)
    pyplot.close("all")
    for display, name in zip(shown["calibration"].display._displays, ["one", "two"], strict=True):
        assert display.name == name
        assert np.allclose(display.observed, expected.observed, equal_nan=True)
        assert np.allclose(display.proportions, expected.proportions)
    output(capsys, *given, "--metrics", "bleu", "--plots", "others")
    assert files("others") == ["agreement.png", "systems.png"]


def test_no_more_segments_are_asked_about_than_it_takes(campaign, monkeypatch):
    asked = []
    monkeypatch.setattr(_calibration, "_MOST", 5)
    monkeypatch.setattr(_calibration, "calibration_of", asked.append)
    judged = load_judgements(campaign, "wmt", lang_pair="de-en")
    calibration_on(judged, {"model": load_model("model")}, {})
    _, X, y = asked[0]["model"]
    assert X.index.unique("segment").size == 5 and X.index.equals(y.index)
    there = judged.X.index.isin(X.index.unique("segment"), level="segment")
    assert there.sum() == len(X)  # whole segments


def test_a_model_without_probabilities_is_left_out(campaign):
    X, y = make_rankings(20, 3, random_state=0)
    model = bleu_pipeline()
    model.set_params(rank__estimator=Perceptron(), rank__recomposition="hard")
    judged = load_judgements(campaign, "wmt", lang_pair="de-en")
    assert calibration_on(judged, {"model": model.fit(X, y)}, {}) == []


@pytest.mark.filterwarnings("ignore:The English vectors know only:UserWarning")
@pytest.mark.usefixtures("no_encoders")
def test_train(campaign, capsys, shown):
    given = [
        "train",
        f"{campaign}:de-en",
        "--format",
        "wmt",
        "--features",
        "bleu",
        "--classifier",
        "logreg",
    ]
    out = output(capsys, *given, "-o", "new", "--even-if-worse", "--plots", "plots").out
    assert files("plots") == ["calibration.png", "learning_curve.png"]
    curve = shown["learning_curve"].display
    assert f"{100 * curve.values[-1]:.1f}" in out
    assert shown["calibration"].display._displays[0].name == "new model"


@pytest.mark.slow
def test_select(capsys, shown):
    rng = np.random.default_rng(0)
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "and", "slept", "all", "day"])
    for name in ("ref", "good", "bad"):
        lines = [" ".join(rng.choice(words, 8)) for _ in range(30)]
        Path(name).write_text("".join(f"{line}\n" for line in lines))
    given = ["select", "-t", "good", "bad", "-r", "ref", "-n", "12", "-o", "chosen.tsv"]
    output(capsys, *given, "--method", "spread", "--plots", "plots")
    assert files("plots") == ["selection.png"]
    display = shown["selection"].display
    assert list(display.errors) == ["spread", "random"] and display.marked == 0.4
    output(capsys, *given, "--plots", "plots")  # no learned metric
    assert list(shown["selection"].display.errors) == ["random"]
    assert main(["select", "-t", "good", "bad", "--plots", "plots"]) == 1
    assert "--plots: errors are of metrics' scores" in capsys.readouterr().err


def test_leaderboard_draws_how_far_judges_agree(capsys, shown, tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        (segment, judge, system, level + rng.integers(0, 20))
        for segment in range(20)
        for judge in ("ann", "bob")
        for system, level in (("A", 10), ("B", 20), ("C", 5))
    ]
    table = pd.DataFrame(rows, columns=["segment", "judge", "system", "score"])
    table.to_csv("judged.csv", index=False)
    given = ["leaderboard", "judged.csv", "--better", "higher", "--resamples", 20]
    output(capsys, *given, "--plots", "plots")
    assert files("plots") == ["agreement_of_judges.png", "leaderboard.png"]
    assert set(shown["agreement_of_judges"].display.audit.index) == {"ann", "bob"}
    table[table["judge"] == "ann"].to_csv("judged.csv", index=False)
    output(capsys, *given, "--plots", "alone")
    assert files("alone") == ["leaderboard.png"]


@pytest.mark.parametrize(
    "command",
    [["rank", *TEXT_OPTIONS], ["select", "-t", "good", "bad", "-r", "ref"],
     ["train", "none:de-en", "--format", "wmt", "-o", "new"]],
)  # fmt: skip
def test_no_folder(command, capsys):
    assert main([*command, "--plots", "ref"]) == 1
    assert "--plots ref: expected a folder, found a file." in capsys.readouterr().err


def test_plots_are_named_and_described(capsys, shown):
    output(capsys, "rank", *TEXT_OPTIONS, "--plots", "plots")
    for plot in shown.values():
        assert plot.title and plot.description.endswith(".")
