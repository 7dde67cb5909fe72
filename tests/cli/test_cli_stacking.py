"""``train`` beside outside metrics, and what applies such a model."""

import json
import re

import numpy as np
import pytest
from campaign_files import error_line, make_mtme, write

from sklearn_mteval import load_model
from sklearn_mteval.cli import main
from sklearn_mteval.persistence import read_signature

# The campaigns' words are made up.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
PAIRS = ["zh-en", "he-en"]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaigns") / "wmt23"
    make_mtme(folder, PAIRS)
    rng = np.random.default_rng(5)
    for pair in PAIRS:
        human = (folder / "human-scores" / f"{pair}.mqm.seg.score").read_text().split()
        values = np.array(human[1::2], float) + rng.normal(size=80)
        lines = [f"{name}\t{value}" for name, value in zip(human[::2], values, strict=True)]
        write(folder / "metric-scores" / pair / "fair-src.seg.score", lines)
        write(folder / "documents" / f"{pair}.docs", [f"news\td{k // 2}" for k in range(20)])
    return folder


@pytest.fixture(scope="module")
def model(root, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model"
    given = [
        str(root),
        "--format",
        "mtme",
        "--lang-pair",
        "zh-en",
        "--scores",
        "all",
        "-o",
        str(path),
    ]
    assert main(["train", *given, "--no-progress"]) == 0
    return path


def scores_of(root, pair, metric):
    (file,) = (root / "metric-scores" / pair).glob(f"{metric}-*")
    return f"{metric}={file}"


def test_one_command_trains_and_says_how_good_it_is(root, model, capsys, tmp_path):
    given = [
        str(root),
        "--format",
        "mtme",
        "--lang-pair",
        "zh-en",
        "--scores",
        "all",
        "--no-progress",
    ]
    assert main(["train", *given, "-o", str(tmp_path / "again")]) == 0
    out = capsys.readouterr().out
    assert "On the 10 documents held out, in five folds" in out
    assert re.search(r"^model +[0-9.]+ +[+-][0-9.]+ +\[[+-][0-9.]+, [+-][0-9.]+\]", out, re.M)
    signature = read_signature(tmp_path / "again")
    assert signature["sha256"] == read_signature(model)["sha256"]
    noted = signature["scores"]
    assert noted["metrics"].split(", ") == load_model(model)[0].scores
    assert noted["best_metric"] in ("good", "fair")
    assert noted["difference_low"] <= noted["acc_eq"] - noted["best_metric_acc_eq"]


def test_files_are_as_good_as_the_folders_own(root, model, tmp_path):
    files = [scores_of(root, "zh-en", metric) for metric in ("good", "bad", "fair")]
    given = [
        str(root),
        "--format",
        "mtme",
        "--lang-pair",
        "zh-en",
        "--scores",
        *files,
        "--no-progress",
    ]
    assert main(["train", *given, "-o", str(tmp_path / "m")]) == 0
    assert read_signature(tmp_path / "m")["sha256"] == read_signature(model)["sha256"]


def test_several_pairs_and_a_file_of_options(root, tmp_path, capsys):
    config = tmp_path / "c.toml"
    config.write_text(
        f'files = "{root}"\nlang-pair = ["zh-en", "he-en"]\nmetric-scores = "good"\n'
        f'features = "bleu"\noutput = "{tmp_path / "m"}"\nno-progress = true\n'
    )
    assert main(["train", "--config", str(config)]) == 0
    # Documents of one name are one in all pairs.
    assert "Trained on 160 translations" in (out := capsys.readouterr().out)
    assert "On the 10 documents" in out
    names = load_model(tmp_path / "m")[:-1].get_feature_names_out()
    assert names[0] == "scorecolumn__metrics" and "bleu_" in names[1]


def test_another_pair_is_evaluated_ranked_and_scored(root, model, tmp_path, capsys):
    there = [str(root), "--format", "mtme", "--lang-pair", "he-en"]
    options = ["--model", f"own={model}", "--statistic", "acc_eq", "--stand-alone", "-f", "json"]
    assert main(["evaluate", *there, *options]) == 0
    evaluated = json.loads(capsys.readouterr().out)
    assert "own:score" in str(evaluated) and "good" in str(evaluated)
    texts = [f"{root}/system-outputs/he-en/system{k}.txt" for k in (1, 2)]
    files = [scores_of(root, "he-en", metric) for metric in ("good", "bad", "fair")]
    for command in ("rank", "score"):
        assert main([command, str(model), "-t", *texts, "--scores", *files]) == 0
        assert len(capsys.readouterr().out.splitlines()) >= 40


def test_a_metric_that_is_missing(root, model, capsys):
    there = [str(root), "--format", "mtme", "--lang-pair", "he-en", "--metric-scores", "good"]
    assert main(["evaluate", *there, "--model", str(model)]) == 1
    expected = "reads scores of .*, but there are none of 'fair', 'bad': give --scores fair=FILE"
    assert re.search(expected, error_line(capsys, "evaluate"))
    texts = [f"{root}/system-outputs/he-en/system{k}.txt" for k in (1, 2)]
    files = ["--scores", scores_of(root, "he-en", "good")]
    assert main(["rank", str(model), "-t", *texts, *files]) == 1
    assert "there are none of fair, bad: give --scores fair=FILE" in error_line(capsys, "rank")
    assert (
        main(["rank", "any", "-t", *texts, "-r", f"{root}/references/he-en.refA.txt", *files]) == 1
    )
    assert "the model reads no scores" in capsys.readouterr().err


def test_scores_that_are_missing(root, model, tmp_path, capsys):
    lines = (root / "metric-scores" / "zh-en" / "good-refA.seg.score").read_text().splitlines()
    lines[3] = lines[3].split("\t")[0] + "\tNone"
    file = write(tmp_path / "good.seg.score", lines)
    given = [str(root), "--format", "mtme", "--lang-pair", "zh-en", "--scores", f"good={file}"]
    output = ["--no-progress", "-o", str(tmp_path / "m")]
    assert main(["train", *given, *output]) == 1
    assert re.search("good has no score of .4, 'system1'.; 1 of 80", error_line(capsys, "train"))
    assert main(["train", *given, "--missing", "skip", *output]) == 0
    assert "Trained on 79 translations" in capsys.readouterr().out
    # What a metric has no score of has none by the model.
    there = [
        str(root),
        "--format",
        "mtme",
        "--lang-pair",
        "zh-en",
        "--metric-scores",
        "fair",
        "bad",
    ]
    new = ["--scores", f"good={file}", "--model", str(model), "--level", "segment"]
    assert main(["evaluate", *there, *new]) == 1
    assert "no score" in error_line(capsys, "evaluate")
    assert main(["evaluate", *there, *new, "--missing", "skip"]) == 0
    assert re.search(r"^model .* 79$", capsys.readouterr().out, re.M)


ERRORS = {
    "of rankings": (
        ["a:de-en", "--format", "wmt", "--scores", "m"],
        "are not for folders of WMT",
    ),
    "classifier": (["--classifier", "nn"], "--classifier is for training without scores of other"),
    "robust": (["--robust"], "--robust is for training without"),
    "joined": (["--joined"], "--joined is for training without"),
    "several pairs": (["--lang-pair", *PAIRS, "--scores", "m"], "of one test set and language"),
    "none of a name": (["--metric-scores", "COMET"], "expected one metric 'COMET', found none"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_cannot_be_trained(case, root, tmp_path, capsys):
    given, words = ERRORS[case]
    whole = case == "of rankings"
    start = [] if whole else [str(root), "--format", "mtme"]
    if "--lang-pair" not in given and not whole:
        start += ["--lang-pair", "zh-en"]
    if not {"--scores", "--metric-scores"} & {*given} and not whole:
        start += ["--scores", "all"]
    assert main(["train", *start, *given, "-o", str(tmp_path / "m")]) == 1
    assert re.search(words, error_line(capsys, "train"))
    assert not (tmp_path / "m").exists()


def test_texts_alone_are_held_out_by_document(root, tmp_path, monkeypatch, capsys):
    seen = {}

    def spy(X, y, *, segments, **options):
        seen["documents"] = dict(zip(X.index.get_level_values("segment"), segments, strict=True))
        raise ValueError("enough")

    monkeypatch.setattr("sklearn_mteval.models.train_on_campaign", spy)
    given = [str(root), "--format", "mtme", "--lang-pair", "zh-en", "-o", str(tmp_path / "m")]
    assert main(["train", *given]) == 1 and "enough" in capsys.readouterr().err
    assert seen["documents"] == {k + 1: f"wmt23:d{k // 2}" for k in range(20)}
