"""The command decision-table: what it prints is what the function says."""

import json

import numpy as np
import pandas as pd
import pytest
from campaign_files import make_mtme

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.evaluation import decision_table
from sklearn_mteval.report import report_text
from sklearn_mteval.report.formats import formats_of

# Every line of a system that is added ends in the same word.
pytestmark = pytest.mark.filterwarnings("ignore:Of another language than the references")


@pytest.fixture
def root(tmp_path):
    """Make a campaign of nine systems: a curve between systems needs eight."""
    root = make_mtme(tmp_path / "wmt99", ["de-en", "en-de"])
    rng = np.random.default_rng(0)
    for pair in ("de-en", "en-de"):
        outputs = tmp_path / "wmt99" / "system-outputs" / pair
        human = tmp_path / "wmt99" / "human-scores" / f"{pair}.mqm.seg.score"
        metrics = sorted((tmp_path / "wmt99" / "metric-scores" / pair).iterdir())
        for k in range(5):
            text = (outputs / "system1.txt").read_text()
            (outputs / f"more{k}.txt").write_text(text.replace("\n", f" more{k}\n"))
            quality = -rng.integers(0, 9, 20) - k
            for path, noise in ((human, 0), *((metric, 5) for metric in metrics)):
                lines = [f"more{k}\t{x}\n" for x in quality + noise * rng.normal(size=20)]
                path.write_text(path.read_text() + "".join(lines))
    return root


def command(root, pair, *more):
    return list(map(str, ["decision-table", root, "--format", "mtme", "--lang-pair", pair, *more]))


@pytest.mark.parametrize("level", ["system", "segment"])
@pytest.mark.parametrize("form", formats_of("report"))
def test_every_format(root, capsys, form, level):
    judged = load_judgements(root, "mtme", lang_pair="de-en")
    name = next(iter(judged.scores))
    given = ["--metric", name, "--level", level, "-f", form]
    assert main(command(root, "de-en", *given)) == 0
    found = decision_table(name, judged, level=level)
    assert capsys.readouterr().out == report_text(found, form)


def test_options_and_plot(root, capsys, tmp_path):
    judged = load_judgements(root, "mtme", lang_pair="de-en")
    given = ["--metrics", "chrf", "--metric", "chrf", "--level", "segment", "--ties", "half"]
    given += ["--curve", "logistic", "--differences", "2", "1", "--agreements", "0.6"]
    given += ["--factor", "100", "--n-bins", "3", "-f", "json", "--plots", str(tmp_path / "plots")]
    assert main(command(root, "de-en", *given)) == 0
    shown = json.loads(capsys.readouterr().out)
    found = decision_table(
        "chrf", judged, level="segment", ties="half", curve="logistic", differences=[1, 2],
        agreements=[0.6], factor=100, n_bins=3,
    )  # fmt: skip
    assert [row["difference"] for row in shown["table"]] == [1, 2]
    assert shown["signature"] == found.signature
    assert (tmp_path / "plots" / "decisions.png").stat().st_size > 1000


def test_a_table_of_another_campaign(root, capsys, tmp_path):
    judged = {p: load_judgements(root, "mtme", lang_pair=p) for p in ("de-en", "en-de")}
    name = next(iter(judged["de-en"].scores))
    path = tmp_path / "found.json"
    assert main(command(root, "de-en", "--metric", name, "-f", "json", "-o", path)) == 0
    assert main(command(root, "en-de", "--metric", name, "--fitted", path)) == 0
    fitted = decision_table(name, judged["de-en"])
    found = decision_table(name, judged["en-de"], fitted=fitted)
    assert capsys.readouterr().out == report_text(found)


@pytest.mark.parametrize("level", ["system", "segment"])
def test_a_model_is_a_metric(root, capsys, level):
    given = ["--model", "mine=any", "--metric", "mine", "--level", level, "-f", "json"]
    assert main(command(root, "de-en", *given)) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["metric"] == "mine" and shown["counts"]["pairs"] > 0


def test_tsv_reads_back(root, capsys):
    judged = load_judgements(root, "mtme", lang_pair="de-en")
    name = next(iter(judged.scores))
    assert main(command(root, "de-en", "--metric", name, "-f", "tsv")) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = pd.DataFrame([line.split("\t") for line in lines[1:]], columns=lines[0].split("\t"))
    found = decision_table(name, judged)
    for part, frame in (("agreement", found.table), ("needed", found.needed)):
        own = rows[rows["table"] == part]
        assert (
            own["difference"].astype(float).tolist() == frame.reset_index()["difference"].tolist()
        )
        assert own["low"].replace("", "nan").astype(float).tolist() == pytest.approx(
            frame["low"].tolist(), nan_ok=True
        )
    assert (rows["table"] == "bin").sum() == len(found.bins)
    assert set(rows["signature"]) == {found.signature}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "--metric "),
        (["--metric", "none"], "--metric "),
        (["--metric", "good", "--differences", "0"], "differences must be a number > 0"),
        (["--metric", "good", "--fitted", "/none"], "/none"),
    ],
)
def test_errors(root, capsys, more, message):
    assert main(command(root, "de-en", *more)) == 1
    *_, line = capsys.readouterr().err.splitlines()
    assert line.startswith("sklearn-mteval decision-table: error: ") and message in line
