"""Several language pairs: a report of each, nothing pooled."""

import json

import pytest
from campaign_files import make_campaign, make_mtme, write

from sklearn_mteval.cli import main
from sklearn_mteval.report.formats import formats_of, writer

FEW = ["--resamples", "20"]
COMMANDS = {
    "evaluate": ["wmt99", "--format", "mtme", "--permutations", "20"],
    "compare": ["wmt99", "--format", "mtme", "--permutations", "20"],
    "decision-table": ["wmt99", "--format", "mtme", "--metric", "good", "--level", "segment"],
    "leaderboard": ["wmt12", "--format", "wmt"],
    "errors": ["wmt99", "--format", "mtme", "--gold", "r"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    make_mtme(tmp_path / "wmt99", ["de-en"], seed=0)
    make_mtme(tmp_path / "wmt99", ["en-de"], seed=1)
    make_campaign(tmp_path / "wmt12", ["de-en", "cs-en"])
    for pair in ("de-en", "en-de"):
        lines = [
            f'system{k}\t{{"errors": [{{"start": 0, "end": {n % 3}, "severity": "minor"}}]}}'
            if (n + k) % 2
            else f'system{k}\t{{"errors": []}}'
            for k in (1, 2, 3)
            for n in range(1, 21)
        ]
        write(tmp_path / "wmt99" / "human-scores" / f"{pair}.r.seg.rating", lines)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def output(capsys, *words):
    assert main([*words]) == 0
    return capsys.readouterr().out


def pairs_of(command):
    return ["de-en", "cs-en" if command == "leaderboard" else "en-de"]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_pair_gets_the_report_that_it_gets_alone(command, folder, capsys):
    few = [] if command == "decision-table" else FEW  # it draws nothing
    given, pairs = [command, *COMMANDS[command], *few, "-f", "json"], pairs_of(command)
    several = json.loads(output(capsys, *given, "--lang-pair", *pairs))
    assert list(several) == pairs
    for pair in pairs:
        assert several[pair] == json.loads(output(capsys, *given, "--lang-pair", pair))


def test_text_has_a_heading_for_each(folder, capsys):
    given = ["evaluate", *COMMANDS["evaluate"], *FEW, "--lang-pair"]
    text = output(capsys, *given, "en-de", "de-en")
    alone = [output(capsys, *given, pair) for pair in ("en-de", "de-en")]
    assert text == f"en-de\n=====\n\n{alone[0]}\nde-en\n=====\n\n{alone[1]}"


@pytest.mark.filterwarnings("ignore:tau .* is below 0")  # by chance
def test_files_of_each_pair_have_its_name(folder, capsys):
    for k, pair in enumerate(pairs_of("evaluate")):
        lines = [f"system{s}\t{(n * s + k) % 7}" for s in (1, 2, 3) for n in range(20)]
        lines += ["refB\t0"] * 20
        write(folder / f"mine.{pair}", lines)
    given = ["evaluate", *COMMANDS["evaluate"], *FEW, "-f", "json", "--lang-pair"]
    several = json.loads(output(capsys, *given, "de-en", "en-de", "--scores", "m=mine.{lang_pair}"))
    for pair in several:
        alone = json.loads(output(capsys, *given, pair, "--scores", f"m=mine.{pair}"))
        assert several[pair] == alone


def test_plots_of_each_pair_have_a_folder(folder, capsys):
    given = ["decision-table", *COMMANDS["decision-table"], "--plots", "plots"]
    output(capsys, *given, "--lang-pair", "de-en", "en-de")
    drawn = sorted(path.parent.name for path in (folder / "plots").rglob("decisions.png"))
    assert drawn == ["de-en", "en-de"]


def test_a_dry_run_tells_of_all(folder, capsys):
    given = ["evaluate", *COMMANDS["evaluate"], "--dry-run", "--lang-pair", "de-en", "en-de"]
    text = output(capsys, *given)
    assert text.startswith("de-en:\njudged translations: 80\n")
    assert "\nen-de:\njudged translations: 80\n" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate", "wmt99", "--lang-pair", "de-en", "de-en"], "one is there twice"),
        (["evaluate", "wmt99", "--lang-pair", "de-en", "en-de", "--scores", "m=x"],
         "write {lang_pair} into the name"),
        (["evaluate", "wmt99", "--lang-pair", "de-en", "fr-en"], "fr-en"),
        (["leaderboard", "wmt12", "--lang-pair", "de-en", "cs-en", "--selection", "x"],
         "--selection x: of several language pairs"),
        (["next", "wmt12", "--lang-pair", "de-en", "cs-en"],
         "comparisons are chosen for one language pair at a time"),
    ],
)  # fmt: skip
def test_what_makes_no_sense(words, message, folder, capsys):
    assert main(words) == 1
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_every_format_of_reports_can_be_joined():
    for output_format in formats_of("report"):
        text = '{"a": 1}\n' if output_format == "json" else "a\tb\n1\t2\n"
        assert writer(output_format, "several")({"x-y": text, "y-x": text}).count("x-y") >= 1


def test_columns_that_one_pair_has_are_empty_for_the_other():
    joined = writer("tsv", "several")({"x-y": "a\tb\n1\t2\n", "y-x": "a\tc\n3\t4\n5\t\n"})
    expected = ["lang_pair\ta\tb\tc", "x-y\t1\t2\t", "y-x\t3\t\t4", "y-x\t5\t\t"]
    assert joined.splitlines() == expected
