"""The commands evaluate and compare: each format read back, score files, errors on one line."""

import csv
import io
import json
import re
import shutil
import sys

import numpy as np
import pytest
from matplotlib import pyplot

from sklearn_mteval import kendall_tau, load_model, save_model
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_scores, load_wmt, make_rankings
from sklearn_mteval.evaluation import compare_metrics, evaluate_metrics
from sklearn_mteval.features import MetricScores
from sklearn_mteval.metrics import annotator_ceiling, human_system_scores, pairwise_accuracy
from sklearn_mteval.models import bleu_pipeline, score_candidates
from sklearn_mteval.plots import SystemScatterDisplay

SYSTEMS = ["good_one", "bad&two", "so|so"]


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """A campaign of three systems and files of scores."""
    root = tmp_path_factory.mktemp("evaluated")
    X, y = make_rankings(15, 3, mean_length=6, random_state=1)
    names = dict(zip(["system1", "system2", "system3"], SYSTEMS, strict=True))
    first = X.xs("system1", level="system")
    ids = ",".join(f"system{k}Id,system{k}rank" for k in (1, 2, 3))
    rows = [f"srcIndex,judgeId,{ids}"]
    for segment, ranks in y.groupby(level="segment"):
        pairs = [f"{names[system]},{rank}" for (_, system), rank in ranks.items()]
        rows.append(",".join([str(segment), "j", *pairs]))
    write(root / "wmt" / "references" / "newstest-ref.en", first["reference"])
    write(root / "wmt" / "sources" / "newstest-src.de", first["source"])
    write(root / "wmt" / "rankings" / "wmt.de-en.csv", rows)
    for system, name in names.items():
        texts = X.xs(system, level="system")["hypothesis"]
        write(root / "wmt" / "system-outputs" / "newstest" / "de-en" / name, texts)
    rng = np.random.default_rng(0)
    lines = [f"{s}\t{rng.normal() - k}" for k, s in enumerate(SYSTEMS) for _ in range(15)]
    write(root / "good_metric.seg.score", lines)
    table = [f"{k},{s},{rng.normal()},1.0" for k in range(1, 16) for s in SYSTEMS]
    write(root / "two.csv", ["segment,system,noise,flat", *table])
    return root


FEW = ["--resamples", "20", "--permutations", "50", "--jobs", "1"]


def command(campaign, name, *more):
    data = [str(campaign / "wmt"), "--format", "wmt", "--lang-pair", "de-en"]
    files = ["--scores", str(campaign / "good_metric.seg.score"), str(campaign / "two.csv")]
    return [name, *data, *files, *FEW, *more]


@pytest.fixture(scope="module")
def expected(campaign):
    _, y = load_wmt(campaign / "wmt", "de-en", return_X_y=True)
    scores = {}
    for file in ("good_metric.seg.score", "two.csv"):
        scores |= dict(load_scores(campaign / file, SYSTEMS, 15).items())
    with pytest.warns(UserWarning, match="flat"):
        found = evaluate_metrics(y, scores, n_resamples=20, n_permutations=50)
    return y, scores, found


def output(capsys, arguments):
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_json(campaign, expected, capsys):
    found = json.loads(output(capsys, command(campaign, "evaluate", "-f", "json")))
    table, signature = expected[2].table, expected[2].signature
    assert found["signature"] == signature
    assert [entry["name"] for entry in found["metrics"]] == list(table.index)
    for entry in found["metrics"]:
        for name, values in entry["statistics"].items():
            for part, column in (("value", name), ("low", f"{name}_low"), ("high", f"{name}_high")):
                number = table.loc[entry["name"], column]
                assert values[part] == (None if np.isnan(number) else number)
    flat = next(entry for entry in found["metrics"] if entry["name"] == "flat")
    assert flat["statistics"]["system_pearson"] == {"value": None, "low": None, "high": None}
    assert {"rows": 45, "segments": 15, "systems": 3}.items() <= found.items()


def test_tsv(campaign, expected, capsys):
    text = output(capsys, command(campaign, "evaluate", "-f", "tsv"))
    for row in csv.DictReader(io.StringIO(text), delimiter="\t"):
        assert row["signature"] == expected[2].signature
        for column, number in expected[2].table.loc[row["metric"]].items():
            assert (float(row[column]) if row[column] else None) == (
                None if np.isnan(number) else number
            )


def test_text(campaign, expected, capsys):
    text = output(capsys, command(campaign, "evaluate"))
    table = expected[2].table
    assert text.endswith(f"\n\n{expected[2].signature}\n")
    for name, row in table.iterrows():
        values = [f"{100 * row[column]:.1f}" for column in ("wmt12", "wmt12_low", "wmt12_high")]
        pattern = r"{} +{} \[ *{}, +{}\]".format(name, *map(re.escape, values))
        assert re.search(rf"^{pattern}", text, re.MULTILINE)
    assert "\N{EN DASH} stands for what is undefined" in text
    assert "\N{EN DASH} [" in text


def test_latex_and_markdown(campaign, capsys):
    latex = output(capsys, command(campaign, "evaluate", "-f", "latex"))
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 2
    body = latex.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert {line.split(" & ")[0] for line in body} == {r"good\_metric", "noise", "flat"}
    columns = re.search(r"\\begin\{tabular\}\{(l r*|lr*)\}", latex)[1]
    assert all(line.count(" & ") == len(columns) - 1 and line.endswith(r" \\") for line in body)
    assert re.search(r"noise & \\textbf\{", latex)
    assert not re.search(r"[^\\$]\s-\d", latex)  # a minus is set as one
    markdown = output(capsys, command(campaign, "compare", "-f", "markdown"))
    tables = [part.splitlines() for part in markdown.split("\n\n") if part.startswith("| ")]
    assert len(tables) == 3
    assert [lines[1].split(" | ")[:2] for lines in tables[1:]] == [
        ["| ---", "---:"],
        ["| ---:", "---"],  # the number of the cluster, the metric
    ]
    compared = output(capsys, command(campaign, "compare", "-f", "latex"))
    assert r"\begin{tabular}{rlrrr}" in compared
    for lines in tables:
        assert len({line.count(" | ") for line in lines}) == 1


def test_comparison(campaign, expected, capsys):
    y, scores, _ = expected
    with pytest.warns(UserWarning, match="flat"):
        direct = compare_metrics(y, scores, n_resamples=20, n_permutations=50)
    found = json.loads(output(capsys, command(campaign, "compare", "-f", "json")))
    assert found["signature"] == direct.signature
    for entry in found["metrics"]:
        assert entry["cluster"] == direct.clusters[entry["name"]]
        assert entry["p_better_than"] == direct.p_values.loc[entry["name"]].dropna().to_dict()
    text = output(capsys, command(campaign, "compare", "--jobs", "2"))
    assert "p-values, permutation test, Holm's correction" in text
    assert text.endswith(f"\n{direct.signature}\n")
    tsv = output(capsys, command(campaign, "compare", "-f", "tsv", "--level", "segment"))
    header = next(csv.reader(io.StringIO(tsv), delimiter="\t"))
    names = [f"p_better_than_{name}" for name in direct.p_values.columns]
    assert header[-5:] == ["cluster", *names, "signature"]


def test_computed_metrics_and_output_file(campaign, capsys, tmp_path):
    file = tmp_path / "found.json"
    arguments = command(campaign, "evaluate", "--metrics", "bleu", "ter", "-f", "json")
    assert output(capsys, [*arguments, "--level", "segment", "-o", str(file)]) == ""
    found = {entry["name"]: entry for entry in json.loads(file.read_text())["metrics"]}
    assert set(found) == {"good_metric", "noise", "flat", "bleu", "ter"}
    X, y = load_wmt(campaign / "wmt", "de-en", return_X_y=True)
    scores = MetricScores(["ter"]).set_output(transform="pandas").fit_transform(X)
    direct = evaluate_metrics(y, scores, level="segment", n_resamples=20)
    assert found["ter"]["statistics"]["wmt12"]["value"] == direct.table["wmt12"].iloc[0]


def test_a_saved_model(campaign, capsys, tmp_path):
    X, y = load_wmt(campaign / "wmt", "de-en", return_X_y=True)
    model = bleu_pipeline().fit(X, y)
    save_model(model, tmp_path / "model")
    data = ["evaluate", str(campaign / "wmt"), "--format", "wmt", "--lang-pair", "de-en", *FEW]
    out = output(capsys, [*data, "--model", f"ours={tmp_path / 'model'}", "-f", "json"])
    (entry,) = json.loads(out)["metrics"]
    strengths = model.decision_function(X)
    tau = kendall_tau(y, strengths, groups=X.index.droplevel("system"))
    assert entry["name"] == "ours"
    assert entry["statistics"]["wmt12"]["value"] == pytest.approx(tau)
    alone = output(capsys, [*data, "--model", str(tmp_path / "model"), "-f", "json"])
    assert json.loads(alone)["metrics"] == [entry | {"name": "model"}]


def test_the_ceiling_and_stand_alone_scores(campaign, capsys, tmp_path):
    # Each segment is judged twice, now and then otherwise: by j again, and then by k.
    folder = shutil.copytree(campaign / "wmt", tmp_path / "wmt")
    file = folder / "rankings" / "wmt.de-en.csv"
    header, *rows = file.read_text().splitlines()
    data = ["evaluate", str(folder), "--format", "wmt", "--lang-pair", "de-en", *FEW, "-f", "json"]
    data += ["--metrics", "chrf", "--level", "segment"]
    again = [row.split(",") for row in rows]
    for row in again[::3]:
        row[3], row[5] = row[5], row[3]
    for judge, counted in (("j", False), ("k", True)):
        more = [",".join([row[0], judge, *row[2:]]) for row in again]
        write(file, [header, *rows, *more])
        found = json.loads(output(capsys, data))
        assert ("ceiling" in found) == counted
    wmt = load_wmt(folder, "de-en")
    options = {"annotators": wmt.judges, "texts": wmt.X["hypothesis"], "n_resamples": 20}
    expected = annotator_ceiling(wmt.y, **options)._asdict()
    assert found["ceiling"] == pytest.approx(expected)
    (entry,) = found["metrics"]
    tau = entry["statistics"]["wmt12"]["value"]
    assert entry["of_ceiling"] == pytest.approx(tau / expected["ceiling"])
    for more in (["--average", "groups"], ["--statistic", "tau-b"], ["--level", "system"]):
        assert "ceiling" not in json.loads(output(capsys, [*data, *more]))

    save_model(bleu_pipeline().fit(wmt.X, wmt.y), tmp_path / "m")
    found = json.loads(output(capsys, [*data, "--model", str(tmp_path / "m"), "--stand-alone"]))
    assert {entry["name"] for entry in found["metrics"]} == {"chrf", "m", "m:score"}
    scores = score_candidates(load_model(tmp_path / "m"), wmt.X)
    tau = kendall_tau(wmt.y, scores, groups=wmt.X.index.droplevel("system"))
    (entry,) = (entry for entry in found["metrics"] if entry["name"] == "m:score")
    assert entry["statistics"]["wmt12"]["value"] == pytest.approx(tau)
    assert "|competitors:at-hand|" in found["signature"]


def test_models_and_metrics_are_evaluated_on_the_same_translations(campaign, capsys, tmp_path):
    """Nobody judged segments 11 to 15; a file has scores of segments 1 to 12 only."""
    folder = shutil.copytree(campaign / "wmt", tmp_path / "wmt")
    rankings = folder / "rankings" / "wmt.de-en.csv"
    rankings.write_text("".join(rankings.read_text().splitlines(keepends=True)[:11]))
    table = (campaign / "two.csv").read_text().splitlines(keepends=True)
    (tmp_path / "part.csv").write_text("".join(table[: 1 + 3 * 12]))
    X, y = load_wmt(campaign / "wmt", "de-en", return_X_y=True)
    save_model(bleu_pipeline().fit(X, y), tmp_path / "m")
    data = ["evaluate", str(folder), "--format", "wmt", "--lang-pair", "de-en", *FEW, "-f", "json"]
    both = ["--model", f"m={tmp_path / 'm'}", "--metrics", "chrf"]
    found = json.loads(output(capsys, [*data, *both]))
    assert {m["name"]: m["translations"] for m in found["metrics"]} == {"m": 45, "chrf": 45}
    scores = score_candidates(load_model(tmp_path / "m"), X.droplevel("ranking"))
    means = scores.groupby(level="system").mean()
    for system in found["system_scores"]:
        assert system["metrics"]["m"] == pytest.approx(means[system["name"]])
    part = [*both, "--scores", f"noise={tmp_path / 'part.csv'}"]
    for rows, sizes, left_out in (("common", [36] * 3, [9, 9, 0]), ("own", [45, 45, 36], [0] * 3)):
        entries = json.loads(output(capsys, [*data, *part, "--rows", rows]))["metrics"]
        entries = {entry["name"]: entry for entry in entries}
        found = [entries[name] for name in ("m", "chrf", "noise")]
        assert [entry["translations"] for entry in found] == sizes
        assert [entry["left_out"] for entry in found] == left_out
        assert {entry["rows"] for entry in found} == {30}
    note = "Scores that not all metrics have are left out: "
    text = " ".join(output(capsys, [*data[:-2], *part]).split())
    assert f"{note}9 of chrf, 9 of m." in text or f"{note}9 of m, 9 of chrf." in text


def test_named_columns(campaign, capsys):
    file = str(campaign / "two.csv")
    data = ["evaluate", str(campaign / "wmt"), "--format", "wmt", "--lang-pair", "de-en", *FEW]
    out = output(capsys, [*data, "--scores", f"noise={file}", "--level", "segment", "-f", "json"])
    assert [entry["name"] for entry in json.loads(out)["metrics"]] == ["noise"]
    assert main([*data, "--scores", f"COMET={file}"]) == 1
    assert "has no column 'COMET', but 'noise', 'flat'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a[:6], "no metric to evaluate"),
        (
            lambda a: [*a, "--reference-system", "x"],
            "--reference-system belongs to --format esa, mqm and mtme.",
        ),
        (lambda a: [*a[:4], *a[6:]], "--format wmt needs --lang-pair"),
        (lambda a: [*a, "--gold", "mqm"], "--gold belongs to --format mlqe and mtme."),
        (lambda a: [*a, "--texts", "x"], "--texts belongs to --format esa."),
        (lambda a: [*a, "--no-human-systems"], "--human-systems belongs to --format esa and mtme."),
        (lambda a: [*a, "--lower-is-better", "TER"], "no metric 'TER'"),
        (lambda a: [*a, "--metrics", "ter", "--lower-is-better", "ter"], "higher is better"),
        (lambda a: [*a, "--scores", a[7], a[7]], "two metrics are named 'good_metric'"),
        (lambda a: [*a, "--scores", "m=/none/there"], "/none/there: cannot be read"),
        (lambda a: [*a, "--confidence", "2"], "confidence"),
        (lambda a: [*a, "--grouping", "none"], "say nothing about other segments"),
        (lambda a: [*a, "--output", "/none/there.txt"], "No such folder"),
    ],
)
def test_errors_take_one_line(campaign, capsys, change, message):
    assert main(change(command(campaign, "evaluate"))) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("sklearn-mteval evaluate: error: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("confidence", "2"), ("resamples", "0"), ("permutations", "0"), ("seed", "-1"),
        ("jobs", "0"), ("alpha", "0.7"),
    ],
)  # fmt: skip
def test_numbers_are_checked_before_anything_is_read(option, value, capsys):
    words = ["compare", "no such file", "--metrics", "chrf", f"--{option}", value]
    assert main(words) == 1
    assert re.search(f"error: --{option} must .*, found {value}", capsys.readouterr().err)


PNG = b"\x89PNG\r\n\x1a\n"


def plotted(folder):
    names = sorted(file.name for file in folder.glob("*.png"))
    assert len(list(folder.iterdir())) == 2 * len(names)  # each as SVG, too
    assert all((folder / name).read_bytes().startswith(PNG) for name in names)
    return names


def test_plots(campaign, capsys, tmp_path, monkeypatch):
    shown, open_before = [], pyplot.get_fignums()
    monkeypatch.setattr(
        SystemScatterDisplay, "_title", lambda self: shown.append(self) or "systems"
    )
    folder = tmp_path / "new" / "plots"
    first = output(capsys, command(campaign, "evaluate", "--plots", str(folder)))
    assert first == output(capsys, command(campaign, "evaluate"))
    assert plotted(folder) == ["agreement.png", "systems.png"]
    display, _ = shown  # as PNG and as SVG
    _, y = load_wmt(campaign / "wmt", "de-en", return_X_y=True)
    human = human_system_scores(y.to_frame(), y)
    best = first.split("---\n")[1].split()[0]
    for system, score in zip(display.names, display.human, strict=True):
        assert human[system] == score
    assert best in display.metric_name
    output(capsys, command(campaign, "compare", "--plots", str(folder)))
    assert plotted(folder) == ["agreement.png", "significance.png", "systems.png"]
    assert pyplot.get_fignums() == open_before
    other = tmp_path / "segments"
    output(capsys, command(campaign, "compare", "--level", "segment", "--plots", str(other)))
    assert plotted(other) == ["agreement.png", "significance.png"]
    more = ["--level", "system", "--alpha", "0.3", "--plots", str(tmp_path / "systems")]
    output(capsys, command(campaign, "compare", *more))
    assert plotted(tmp_path / "systems") == ["agreement.png", "significance.png", "systems.png"]


def test_plots_of_undefined_statistics_and_names_beyond_the_font(campaign, capsys, tmp_path):
    flat = tmp_path / "度量$x_1$.csv"
    flat.write_text((campaign / "two.csv").read_text().replace("noise", flat.stem))
    data = ["evaluate", str(campaign / "wmt"), "--format", "wmt", "--lang-pair", "de-en", *FEW]
    more = ["--level", "system", "--plots", str(tmp_path / "p")]
    output(capsys, [*data, "--scores", str(flat), *more])
    assert plotted(tmp_path / "p") == ["agreement.png", "systems.png"]


def test_plots_into_no_folder_or_without_matplotlib(campaign, capsys, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("mine")
    assert main(command(campaign, "evaluate", "--plots", str(file))) == 1
    assert f"--plots {file}: expected a folder, found a file" in capsys.readouterr().err
    assert file.read_text() == "mine"
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(command(campaign, "evaluate", "--plots", str(tmp_path / "p"))) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("sklearn-mteval evaluate: error: --plots needs matplotlib")
    assert 'pip install "sklearn-mteval[plots]"' in err
    assert not (tmp_path / "p").exists()


def test_scores_of_systems_in_json(campaign, expected, capsys):
    found = json.loads(output(capsys, command(campaign, "evaluate", "-f", "json")))
    y, scores, direct = expected
    human = human_system_scores(y.to_frame(), y)
    assert [s["human"] for s in found["system_scores"]] == sorted(human, reverse=True)
    for system in found["system_scores"]:
        assert system["human"] == human[system["name"]]
        for name, score in system["metrics"].items():
            expected_score = scores[name].xs(system["name"], level="system").mean()
            assert score == pytest.approx(expected_score)
            assert score == direct.systems.loc[system["name"], name]
    only = json.loads(
        output(capsys, command(campaign, "evaluate", "-f", "json", "--level", "segment"))
    )
    assert "system_scores" not in only


@pytest.mark.parametrize(
    ("statistic", "title"),
    [("ndcg", "NDCG"), ("mrr", "MRR"), ("best_system_rate", "best system"), ("tau-b", "tau-b")],
)
def test_other_statistics(campaign, expected, capsys, statistic, title):
    text = output(
        capsys, command(campaign, "evaluate", "--statistic", statistic, "--level", "segment")
    )
    assert re.search(rf"^metric +{title} +acc_eq", text, re.MULTILINE)
    y, scores, _ = expected
    noise = {"noise": scores["noise"]}
    direct = evaluate_metrics(y, noise, statistic=statistic, level="segment", n_resamples=20)
    assert re.search(rf"^noise +{100 * direct.table[statistic].iloc[0]:.1f} \[", text, re.MULTILINE)


def test_an_interrupt_takes_one_line(campaign, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("sklearn_mteval.evaluation.evaluate_metrics", interrupted)
    assert main(command(campaign, "evaluate")) == 130
    assert capsys.readouterr() == ("", "sklearn-mteval evaluate: interrupted\n")


def test_thresholds_of_judgements_and_scores(campaign, capsys):
    options = ["--statistic", "darr", "--threshold", "2", "--epsilon", "0.5", "-f", "json"]
    found = json.loads(output(capsys, command(campaign, "evaluate", *options)))
    y = load_wmt(campaign / "wmt", "de-en", return_X_y=True)[1]
    scores = load_scores(campaign / "good_metric.seg.score", SYSTEMS, 15).iloc[:, 0]
    joined = scores.reindex(y.index.droplevel("ranking")).to_numpy()
    groups = y.index.droplevel("system")
    statistics = next(m for m in found["metrics"] if m["name"].startswith("good"))["statistics"]
    tau = kendall_tau(y, joined, groups=groups, statistic="darr", threshold=2)
    assert statistics["darr"]["value"] == pytest.approx(tau)
    accuracy = pairwise_accuracy(y, joined, groups=groups, epsilon=0.5)
    assert statistics["acc_eq"]["value"] == pytest.approx(accuracy)
    with pytest.raises(SystemExit):
        main(command(campaign, "evaluate", "--epsilon", "best"))
