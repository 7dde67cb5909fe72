"""What somebody types who knows sacreBLEU or COMET, or slips: the answer is what to type."""

import re
import shlex
import subprocess
import sys

import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.datasets.sample import sample_files

TEXTS = "-s source.de -t online.en -r reference.en"
SCORED = f"score {TEXTS}"
# What is typed, and what should have been.
MEANT = {
    "score reference.en -t online.en": "score -t online.en -r reference.en",
    "score refrence.en -t online.en": "score -t online.en -r refrence.en",
    "score reference.en online.en": "score -r reference.en -t online.en",
    "score static-en reference.en -i online.en": "score static-en -t online.en -r reference.en",
    "score reference.en -i online.en -m bleu chrf": "score -t online.en -r reference.en",
    "score -r reference.en -i online.en -m static-en": (
        "score static-en -r reference.en -t online.en"
    ),
    "sacrebleu reference.en -i online.en -m bleu chrf": "score -t online.en -r reference.en",
    "sacrebleu -l de-en -tok 13a -w 2 -b -lc --force reference.en -i online.en -f text": (
        "score --lang-pair de-en -t online.en -r reference.en"
    ),
    f"comet-score {TEXTS} --gpus 0 --batch_size 8 --quiet": f"{SCORED} --no-progress",
    f"comet-score {TEXTS} -d 4 --model Unbabel/wmt22-comet-da": SCORED,
    f"{SCORED} --model Unbabel/wmt22-comet-da": SCORED,
    f"score Unbabel/wmt22-comet-da {TEXTS}": SCORED,
    "comet-compare -t online.en rule.en -r reference.en": (
        "score -t online.en rule.en -r reference.en"
    ),
    "comet-mbr -t online.en rule.en": "rerank -t online.en rule.en",
    f"{SCORED} -lp de-en": f"{SCORED} --lang-pair de-en",
    f"{SCORED} -l=de-en": f"{SCORED} --lang-pair de-en",
    f"{SCORED} -tok 13a -lc": SCORED,
    f"{SCORED} --num_workers 2": f"{SCORED} --jobs 2",
    f"{SCORED} --n-jobs 2": f"{SCORED} --jobs 2",
    f"{SCORED} --to_json x.json": f"{SCORED} -o x.json",
    f"-s source.de {SCORED.replace(' -s source.de', '')}": SCORED,
    f"{TEXTS}": SCORED,
    f"static-en {TEXTS}": f"score static-en {TEXTS}",
    f"scor {TEXTS}": SCORED,
    "rank online.en rule.en -r reference.en": "rank -r reference.en -t online.en rule.en",
    "rank -r reference.en -t online.en rule.en static-en": (
        "rank static-en -r reference.en -t online.en rule.en"
    ),
    "rank --system online.en rule.en --refs reference.en": (
        "rank -t online.en rule.en -r reference.en"
    ),
    "select online.en rule.en -r reference.en": "select -r reference.en -t online.en rule.en",
    "challenge static-en reference.en -t online.en -m bleu": (
        "challenge static-en -t online.en --metrics bleu -r reference.en"
    ),
    "evaluate -i judgements.csv --better lower -m bleu": (
        "evaluate judgements.csv --better lower --metrics bleu"
    ),
    "evaluate --metrics bleu chrf judgements.csv --better lower": (
        "evaluate judgements.csv --metrics bleu chrf --better lower"
    ),
    "evaluate judgements.csv --better lower -m bleu -l de-en": (
        "evaluate judgements.csv --better lower --metrics bleu --lang-pair de-en"
    ),
    "evaluate judgements.csv --better lower --metrics bleu comet": (
        "evaluate judgements.csv --better lower --metrics bleu --scores comet=comet.txt"
    ),
    "judgements.csv --better lower --metrics bleu": (
        "evaluate judgements.csv --better lower --metrics bleu"
    ),
    "leaderboard battles.csv --format json": "leaderboard battles.csv -f json",
    "leaderboard -f pairwise battles.csv": "leaderboard battles.csv --format pairwise",
    "leaderboard --pairwise battles.csv": "leaderboard battles.csv --format pairwise",
    "train -i judgements.csv --better lower -o m --model static-en": (
        "train judgements.csv --better lower -o m --from static-en"
    ),
    "train --better lower --features bleu judgements.csv -o m": (
        "train judgements.csv --better lower --features bleu -o m"
    ),
}
# What nobody can tell, or what is wrong otherwise: no command line is proposed.
UNKNOWN = [
    "score",
    "score -r reference.en",
    "xyz",
    "leaderboard battles.csv --metrics bleu",
    "leaderboard battles.csv --model static-en",
    f"{SCORED} --seed x",
    f"{SCORED} --xyz 3",
    "challenge",
    "sacrebleu -t wmt20 -l en-de",
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the first lines of the sample's files, and scores of COMET."""
    for name, content in sample_files().items():
        lines = content.splitlines(keepends=True)
        (tmp_path / name).write_text("".join(lines[: 201 if "csv" in name else 40]), "utf-8")
    systems = ("online", "rule", "hybrid", "neural", "phrase")
    scores = [f"{name}\t{k % 7}\n" for name in systems for k in range(40)]
    (tmp_path / "comet.txt").write_text("".join(scores), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys, line):
    """What a command line that is not understood is told."""
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(line))
    assert stop.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


def typed(said):
    """The command line in what is told."""
    return re.search(r" Type: sklearn-mteval ([^;]*)", said)[1]


@pytest.mark.parametrize("line", MEANT)
def test_the_command_to_type_is_told(line, folder, capsys):
    assert typed(told(capsys, line)) == MEANT[line]


@pytest.mark.slow
@pytest.mark.parametrize("line", sorted({*MEANT.values()} - {"score -t online.en -r refrence.en"}))
def test_the_command_that_is_told_runs(line, folder, capsys):
    assert main([*shlex.split(line), *["--even-if-worse"] * line.startswith("train")]) == 0


@pytest.mark.parametrize("line", UNKNOWN)
def test_nothing_is_told_that_nobody_can_know(line, folder, capsys):
    assert "Type: " not in told(capsys, line)


@pytest.mark.parametrize("program", ["score", "sacrebleu"])
def test_metrics_of_sacrebleu_are_told_with_its_own_command(program, folder, capsys):
    said = told(capsys, f"{program} reference.en -i online.en -m bleu chrf")
    command = said.partition("bleu, chrf by sacreBLEU: ")[2]
    assert command == "sacrebleu reference.en -i online.en -m bleu chrf"
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert '"chrF2"' in done.stdout


def test_names_of_files_are_quoted_for_the_shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("my reference.en", "a;b.en"):
        (tmp_path / name).write_text("a\n", "utf-8")
    said = told(capsys, "score 'my reference.en' -t 'a;b.en'")
    assert said.endswith(" Type: sklearn-mteval score -t 'a;b.en' -r 'my reference.en'")


def test_a_file_that_looks_like_a_foreign_option_is_read(folder, capsys):
    (folder / "-tok").write_text("a house\n", "utf-8")
    (folder / "ref").write_text("a house\n", "utf-8")
    assert main(["score", "static-en", "-t", "./-tok", "-r", "ref"]) == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("score reference.en -t online.en", "'reference.en' stands where the model does"),
        ("score reference.en -t online.en", "and is a file"),
        ("rank -r reference.en -t rule.en static-en", "'static-en' is a model, and stands where"),
        ("leaderboard battles.csv --spans x", "no option --spans of this command, only of errors"),
        ("challenge -t online.en", "expected the MODEL"),
    ],
)
def test_what_is_wrong_is_told_as_well(line, message, folder, capsys):
    assert message in told(capsys, line)


@pytest.mark.slow
def test_an_option_that_is_given_twice_has_the_values_of_both(folder, capsys):
    both = "score static-en -r reference.en -t online.en rule.en"
    printed = []
    for line in (both, both.replace("rule.en", "-t rule.en")):
        assert main(shlex.split(line)) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] and "rule.en" in printed[0]


def test_what_is_given_twice_takes_the_default_s_place():
    from sklearn_mteval.cli import _parser_of

    parse = _parser_of("decision-table").parse_args
    assert parse(["x"]).agreements == [0.8, 0.9, 0.95]
    assert parse(["x", "--agreements", "0.7", "--agreements", "0.6"]).agreements == [0.7, 0.6]
    assert parse(["x"]).agreements == [0.8, 0.9, 0.95]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("rank my-modle -r reference.en -t online.en rule.en", "Did you mean 'my-model'?"),
        ("rank models/my-modle -r reference.en -t rule.en online.en", "'models/my-model'?"),
        ("score static-em -r reference.en -t online.en", "Did you mean 'static-en'?"),
        ("score -r Referense.en -t online.en", "Did you mean 'reference.en'?"),
        ("evaluate judgments.csv --metrics bleu", "Did you mean 'judgements.csv'?"),
        ("score -r reference.en -t nothing-like-it", "(No such file or directory)."),
    ],
)
def test_a_name_that_is_not_there_is_told_the_nearest(line, hint, folder, capsys):
    for place in (folder / "my-model", folder / "models" / "my-model"):
        place.mkdir(parents=True)
    assert main(shlex.split(line)) == 1
    assert capsys.readouterr().err.splitlines()[-1].endswith(hint)
