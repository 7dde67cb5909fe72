"""Commands on campaigns of the metrics tasks and on exports of Appraise."""

import json
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from campaign_files import SYSTEMS, error_line, make_mtme, write

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.evaluation import evaluate_metrics, metrics_task
from sklearn_mteval.report import report_text

FEW = ["--resamples", "10", "--permutations", "20"]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return make_mtme(tmp_path_factory.mktemp("campaign") / "wmt99", ["de-en", "en-de"])


@pytest.fixture(scope="module")
def esa(tmp_path_factory):
    rows = [
        f"j,{system},{k},TGT,deu,eng,{90 - 20 * i - k},d,False,[],0,1"
        for i, system in enumerate(SYSTEMS)
        for k in range(20)
    ]
    return write(tmp_path_factory.mktemp("esa") / "esa.csv", rows)


def found(capsys, arguments):
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_evaluate_finds_the_metrics_of_the_folder(root, capsys):
    command = ["evaluate", root, "--format", "mtme", "--lang-pair", "de-en", "-f", "json", *FEW]
    record = found(capsys, command)
    assert {entry["name"] for entry in record["metrics"]} == {"good", "bad"}
    assert record["systems"] == 4  # refB among them
    judgements = load_judgements(root, lang_pair="de-en")
    expected = evaluate_metrics(
        judgements.y, judgements.scores, n_resamples=10, n_permutations=20
    ).table
    for entry in record["metrics"]:
        value = entry["statistics"]["wmt12"]["value"]
        assert value == expected.loc[entry["name"], "wmt12"]
    less = found(capsys, [*command, "--no-human-systems", "--metric-scores", "good"])
    assert [entry["name"] for entry in less["metrics"]] == ["good"]
    assert less["systems"] == 3
    more = found(capsys, [*command, "--metrics", "bleu", "--level", "segment"])
    assert {entry["name"] for entry in more["metrics"]} == {"good", "bad", "bleu"}


def test_compare_takes_them_too(root, capsys):
    command = ["compare", root, "--format", "mtme", "--lang-pair", "de-en", "--level", "segment"]
    record = found(capsys, [*command, "--statistic", "acc_eq", "-f", "json", *FEW])
    assert [entry["name"] for entry in record["metrics"]] == ["good", "bad"]


def test_evaluate_esa(root, esa, capsys):
    command = ["evaluate", esa, "--format", "esa", "--lang-pair", "de-en", "-f", "json", *FEW]
    record = found(capsys, [*command, "--texts", root, "--metrics", "bleu"])
    assert record["rows"] == 60
    assert record["system_scores"][0]["human"] == pytest.approx(90 - 9.5)
    lines = [f"{system} {k}" for system in SYSTEMS for k in range(20)]
    file = write(Path(esa).with_name("own.seg.score"), lines)
    assert found(capsys, [*command, "--scores", file])["metrics"][0]["name"] == "own"


@pytest.mark.parametrize("form", ["text", "tsv", "json", "latex", "markdown"])
def test_metrics_task(root, capsys, form):
    command = ["metrics-task", root, "--lang-pair", "de-en", "en-de", "--permutations", "50"]
    assert main([*command, "-f", form]) == 0
    out = capsys.readouterr().out
    campaigns = {pair: load_judgements(root, "mtme", lang_pair=pair) for pair in ("de-en", "en-de")}
    task = metrics_task(campaigns, n_permutations=50)
    assert out == report_text(task, form)
    if form == "text":
        assert "de-en SPA" in out
        assert "en-de acc_eq" in out
    if form == "json":
        record = json.loads(out)
        assert [entry["name"] for entry in record["metrics"]] == ["good", "bad"]
        assert record["metrics"][0]["average"] == task.table["average"].iloc[0]


def test_the_rule_of_clusters(root, capsys):
    command = ["metrics-task", root, "--lang-pair", "de-en", "--permutations", "50", "-f", "json"]
    for rule in ("metrics-task", "clusters"):
        assert main([*map(str, command), "--ranks", rule]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["ranks"] == rule and f"|ranks:{rule}|" in shown["signature"]


def test_options_of_metrics_task(root, capsys, tmp_path):
    command = ["metrics-task", root, "--lang-pair", "de-en", "--permutations", "50", "-f", "json"]
    options = ["--system-statistic", "none", "--segment-statistic", "pearson", "--sort-by", "ranks"]
    record = found(capsys, [*command, *options])
    assert record["tasks"] == [{"campaign": "de-en", "statistic": "pearson"}]
    assert record["sorted_by"] == "ranks"
    assert main([*command, "-o", str(tmp_path / "task.json")]) == 0
    assert json.loads((tmp_path / "task.json").read_text())["tasks"][0]["statistic"] == "system_spa"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "{root}", "--format", "mtme"], "--format mtme needs --lang-pair"),
        (
            ["evaluate", "{root}", "--format", "mtme", "--lang-pair", "fr-en"],
            "no such file: there are",
        ),
        (
            ["evaluate", "{root}", "--format", "mtme", "--lang-pair", "de-en", "--gold", "esa"],
            "no human scores 'esa'",
        ),
        (
            [
                "evaluate",
                "{root}",
                "--format",
                "mtme",
                "--lang-pair",
                "de-en",
                "--metric-scores",
                "COMET",
            ],
            "expected one metric 'COMET'",
        ),
        (["evaluate", "{esa}", "--format", "esa"], "no metric to evaluate"),
        (
            ["evaluate", "{esa}", "--format", "esa", "--metrics", "bleu"],
            "there are no translations, which a metric or a model reads: give -t or --texts",
        ),
        (
            ["evaluate", "{esa}", "--format", "esa", "--scores", "x", "--gold", "mqm"],
            "--gold belongs to --format mlqe and mtme.",
        ),
        (["metrics-task", "{root}", "--lang-pair", "de-en", "fr-en"], "no such file"),
        (["metrics-task", "/none", "--lang-pair", "de-en"], "root must be one test set"),
        (["metrics-task", "{root}", "--lang-pair", "de-en", "--alpha", "2"], "alpha"),
        (["metrics-task", "{root}", "--lang-pair", "de-en", "-o", "{root}/x"], "No such"),
    ],
)
def test_errors_take_one_line(root, esa, capsys, arguments, message):
    arguments = [word.format(root=root, esa=esa) for word in arguments]
    if message == "No such":
        arguments[-1] += "/y"
    assert main(arguments) == 1
    assert message in error_line(capsys, arguments[0])


def test_a_folder_without_metrics(root, capsys, tmp_path):
    copy = tmp_path / "copy"
    copytree(root, copy)
    rmtree(copy / "metric-scores")
    assert main(["evaluate", str(copy), "--format", "mtme", "--lang-pair", "de-en"]) == 1
    assert "no metric in the folder" in error_line(capsys, "evaluate")


def test_the_output_is_not_written_into_the_campaign(root, capsys):
    inside = f"{root}/sources/de-en.txt"
    assert main(["metrics-task", root, "--lang-pair", "de-en", "-o", inside]) == 1
    assert "would be lost" in error_line(capsys, "metrics-task")
