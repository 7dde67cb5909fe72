"""``train`` judges itself: what it says of the new model, what it saves, what it starts from."""

import re

import pytest
from campaign_files import error_line
from consensus_model import saved_consensus_model
from threadpoolctl import threadpool_limits

from sklearn_mteval import load_model, load_pretrained
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_sample, to_long
from sklearn_mteval.models import score_candidates

pytestmark = pytest.mark.usefixtures("no_encoders")
BAD = ["--features", "bleu", "--classifier", "naive-bayes", "--held-out", "0.5"]


@pytest.fixture
def sample(tmp_path, monkeypatch):
    """The package's sample as a table of one's own, here."""
    monkeypatch.chdir(tmp_path)
    to_long(*load_sample(return_X_y=True)).to_csv("sample.csv", index=False)
    return tmp_path


def train(*options, file="sample.csv"):
    with threadpool_limits(1):
        return main(["train", file, "--better", "lower", "--no-progress", *options])


def test_a_worse_model_is_not_saved_without_being_told_so(sample, capsys):
    assert train(*BAD, "-o", "mine") == 1
    out, err = capsys.readouterr()
    assert re.search(r"^static-en \(ready-made\) +[0-9.]+ .*-[0-9.]+ +\[-[0-9.]+, -", out, re.M)
    assert "The new model is worse than static-en by" in out and "on 64 segments held out" in out
    assert "--from static-en" in err and "--even-if-worse" in err and "Saved" not in out
    assert not (sample / "mine").exists()
    assert train(*BAD, "-o", "mine", "--even-if-worse") == 0
    assert "Saved: mine" in capsys.readouterr().out
    load_model("mine")


@pytest.mark.slow
def test_own_judgements_are_learnt_from_beside_a_ready_made_model(sample, capsys):
    assert train("-o", "mine") == 0
    out = capsys.readouterr().out
    assert "starting from static-en; on the 26 segments held out:" in out
    rows = re.findall(r"^(new model|static-en \(ready-made\)|chrF|BLEU) +(-?[0-9.]+) ", out, re.M)
    taus = {name: float(tau) for name, tau in rows}
    assert len(taus) == 4 and taus["new model"] > taus["static-en (ready-made)"]
    assert re.search(r"^From 51 to 102 segments: [+-][0-9.]+ tau \[", out, re.M)
    model, X = load_model("mine"), load_sample().X
    ready = load_pretrained("static-en")
    assert model.predict(X).tolist() != ready.predict(X).tolist()
    # Scores of translations are their own: whatever stands beside them changes nothing.
    alone = score_candidates(model, X.iloc[:1])
    assert alone.equals(score_candidates(model, X)[:1])


@pytest.mark.slow
def test_a_saved_model_can_be_started_from(sample, capsys):
    options = ["--features", "chrf", "bleu", "--classifier", "logreg", "--even-if-worse"]
    assert train(*options, "-o", "first") == 0
    assert train("--from", "first", "-o", "second", "--even-if-worse") == 0
    out = capsys.readouterr().out
    assert "starting from first" in out and re.search(r"^first \(saved\) +[0-9.]+ ", out, re.M)
    names = load_model("second").ranker_[:-1].get_feature_names_out()
    assert len(names) == 2 + len(load_model("first").ranker_[:-1].get_feature_names_out())


def test_a_dry_run_trains_nothing(sample, capsys):
    assert train("--dry-run") == 0
    out = capsys.readouterr().out
    assert "judged translations: 640\nsegments: 128\n" in out
    assert "systems: 5 (hybrid, neural, online, phrase, rule)" in out
    assert out.endswith(
        "would start from: static-en\nfeatures: those of static-en\nclassifier: ensemble\n"
        "would train on 102 segments, and hold 26 out\n"
    )
    assert [path.name for path in sample.iterdir()] == ["sample.csv"]
    assert train("--dry-run", "--from", "nothing", "--features", "chrf", "bleu") == 0
    assert "would start from: nothing\nfeatures: chrf, bleu\n" in capsys.readouterr().out


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_segments(sample, n, capsys):
    X, y = load_sample(return_X_y=True)
    few = X.index.get_level_values("segment") <= n
    to_long(X[few], y[few]).to_csv("few.csv", index=False)
    assert train("-o", "mine", "--format", "long", file="few.csv") == 1
    line = error_line(capsys, "train")
    assert "Training needs 6 segments with a preference or more, 2 of which are held" in line
    assert f"found {n}" in line and "--held-out 0.2" in line and "static-en" in line
    assert "held_out" not in line


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--from", "static-en", "--classifier", "knn"], "--classifier is for training from noth"),
        (["--from", "static-em"], "Did you mean 'static-en'"),
        (["--from", "agreeing"], "can rank, not score"),
    ],
)
def test_what_cannot_be_started_from(sample, options, words, capsys):
    saved_consensus_model("agreeing")
    assert train("-o", "mine", *options) == 1
    assert words in capsys.readouterr().err
    assert not (sample / "mine").exists()
