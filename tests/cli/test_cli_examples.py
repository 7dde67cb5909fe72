"""The examples at the end of each command's help, run as they stand on small real files."""

import json
import re
import shlex
import shutil
from importlib.resources import files
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from campaign_files import make_campaign, make_mtme, write
from small_treebank import NAMES as DOCUMENTS
from small_treebank import small_model, small_settings, write_treebank

from sklearn_mteval import cli
from sklearn_mteval.datasets import load_sample

EXAMPLES = [
    line
    for module in [cli, *map(cli._module, cli._NAMES)]
    for line in module.EXAMPLES
]  # fmt: skip
# Run by tests of their own: the network is asked for packages, and the whole demo is shown.
ELSEWHERE = ("encoder", "demo")
SYSTEMS = ("mine.en", "other.en", "third.en")
ERROR = {"start": 0, "end": 3, "severity": "minor", "score": 1}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder with all files that the examples name, made of the bundled sample."""
    folder = tmp_path_factory.mktemp("examples")
    X, y = load_sample(return_X_y=True)
    names = dict(zip(sorted(X.index.unique("system"))[:3], SYSTEMS, strict=True))
    segments = X.index.unique("segment")[:24]
    X = X.loc[(segments, list(names)), :].rename(index=names, level="system")
    y = y.loc[(segments, list(names))].rename(index=names, level="system")
    first = X.groupby(level="segment").first()
    for language, column in (("de", "source"), ("en", "reference")):
        write(folder / f"source.{language}", first[column])
        write(folder / f"reference.{language}", first[column])
    write(folder / "mine.de", first["source"].str.rpartition(" ")[0])
    for name in SYSTEMS:
        write(folder / name, X.xs(name, level="system")["hypothesis"])
    lists = [X.xs(segment, level="segment")["hypothesis"] for segment in segments]
    lines = [f"{k} ||| {text} ||| f= 1 ||| -1" for k, texts in enumerate(lists) for text in texts]
    write(folder / "lists.nbest", lines)
    scores = [f"{name}\t{-rank}" for name in SYSTEMS for rank in y.xs(name, level="system")]
    write(folder / "comet.txt", scores)
    judged = X.assign(score=10 - 2 * y).reset_index()
    judged.to_csv(folder / "judged.csv", index=False)
    battles = ["question_id,model_a,model_b,winner"]
    for segment, ranks in y.groupby(level="segment"):
        of = ranks.droplevel("segment")
        for a, b in combinations(SYSTEMS, 2):
            winner = "tie" if of[a] == of[b] else "model_a" if of[a] < of[b] else "model_b"
            battles.append(f"{segment},{a},{b},{winner}")
    write(folder / "battles.csv", battles)
    names = "segment_id source_lang target_lang set_id system_id source_segment hypothesis_segment"
    rows = [
        [str(k), "de", "en", "official", "mine", *first.loc[segment, ["source", "reference"]]]
        for k, segment in enumerate(segments, 1)
    ]
    write(
        folder / "test.tsv",
        [
            "\t".join(row)
            for row in ([*names.split(), "reference_segment"], *([*row, row[-1]] for row in rows))
        ],
    )
    write(
        folder / "answers.tsv",
        [
            "\t".join([*names.split()[:5], "overall"]),
            *("\t".join([*row[:5], "0.5"]) for row in rows),
        ],
    )
    texts = [str(folder / name) for name in SYSTEMS[:2]]
    earlier = ["campaign", "--budget", "10", "-o", str(folder / "trial.json"), "-t", *texts]
    assert cli.main(earlier) == 0
    make_campaign(folder / "wmt12", ["de-en", "cs-en"])
    make_mtme(folder / "wmt23", ["zh-en", "he-en"], metrics=("chrF", "BLEU"), n_systems=8)
    lines = [
        f"system{k}\t" + json.dumps({"errors": [ERROR] * ((k + n) % 3)})
        for k in range(1, 9)
        for n in range(20)
    ]
    write(folder / "wmt23" / "human-scores" / "zh-en.esa.seg.rating", lines)
    write(folder / "xcomet.tsv", lines[1:] + lines[:1])
    shipped = files("sklearn_mteval.models").joinpath("ready_made_files", "static-en")
    shutil.copytree(str(shipped), folder / "my-model")
    write_treebank(folder / "gum", DOCUMENTS)
    shutil.copytree(small_model(), folder / "my-parsers")
    return folder


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # made-up files are warned of: small, in no language
@pytest.mark.parametrize(
    "line", [line for line in dict.fromkeys(EXAMPLES) if line.split()[1] not in ELSEWHERE]
)
def test_an_example_runs_as_it_stands(line, world, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "here"
    shutil.copytree(world, folder)
    monkeypatch.chdir(folder)
    small_settings(monkeypatch)
    before = {path.name for path in folder.iterdir()}
    program, *words = shlex.split(line)
    assert program == "sklearn-mteval"
    if words[:2] == ["treebank", "train"]:
        shutil.rmtree(folder / "my-parsers")
    if "--help" in words:
        with pytest.raises(SystemExit, match="0"):
            cli.main(words)
    else:
        assert cli.main(words) == 0
    out, err = capsys.readouterr()
    written = {path.name for path in folder.iterdir()} - before
    assert out or written or words[0] == "treebank"
    assert ": error:" not in err
    for option, name in pairwise(words):
        if option in ("-o", "--plots", "--systems"):
            assert Path(name).exists()


def test_an_example_is_a_line_of_a_terminal():
    for line in EXAMPLES:
        assert len(f"  {line}") <= 80
        _, command, *words = shlex.split(line)
        assert "--help" in words or cli._parser_of(command).parse_args(words)


def test_every_command_shows_its_examples_last():
    for name in cli._NAMES:
        shown = cli._parser_of(name).format_help()
        examples = re.search(r"\nexamples:\n((?:  .+\n)+)\nmore: docs/[\w/]+\.md\n$", shown)[1]
        assert [line.strip() for line in examples.splitlines()] == [*cli._module(name).EXAMPLES]
        assert all(line.split()[1] in cli._NAMES for line in examples.splitlines())
