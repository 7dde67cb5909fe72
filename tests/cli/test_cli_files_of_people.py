"""What a command says of tables as people have them, in words of the command line."""

import pandas as pd
import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.cli._wording import OF_TABLES, as_options

TABLES = {
    "semicolons.csv": "Segment;Rank A;Rank B\n1;1;2\n2;2;1\n3;1;2\n",
    "thousands.csv": 'segment,system,score\n1,A,"1,250"\n1,B,"2,500"\n',
    "answers.csv": "segment,system_a,system_b,winner\n1,x,y,\n2,x,y,x\n3,y,x,n/a\n4,x,y,y\n",
    "bare.csv": "segment,A,B\n1,1,2\n2,2,1\n",
    "names.csv": "Which,This,That,Said\n1,A,B,A\n2,A,B,B\n",
    "quotes.tsv": 'segment\tsystem\trank\tmt\n1\tA\t1\t"So\n1\tB\t2\tno"\n',
}


@pytest.fixture(autouse=True)
def tables(tmp_path, monkeypatch):
    """Write the tables into a folder, and work there."""
    monkeypatch.chdir(tmp_path)
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)
    pd.read_csv("answers.csv").to_excel("answers.xlsx", index=False)


def said(capsys, *arguments, status=0):
    """Run a command and return what it printed, to both."""
    assert main(list(arguments)) == status
    return capsys.readouterr()


ERRORS = {
    "a direction": (["semicolons.csv"], "--better is missing, and is never guessed: 'Rank A' needs "
                    "--better lower."),
    "thousands": (["thousands.csv", "--better", "higher"], "Say which mark stands before decimals: "
                  "--decimal . or --decimal ,."),
    "no answer": (["answers.csv"], "line 2: column 'winner': no judgement here, nor in 1 other "
                  "row(s). Drop such rows, or pass --unjudged skip."),
    "systems": (["bare.csv"], "Pass --columns system=A,B, --better lower for ranks, 1 being"),
    "columns": (["names.csv"], "Pass --columns system=This,That judgement=Said segment=Which, if "),
    "quotes": (["quotes.tsv", "--better", "lower"], "Pass --no-quotes if quotes are characters "
               "like any other, --quotes if"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_errors_name_options(capsys, case):
    arguments, message = ERRORS[case]
    err = said(capsys, "leaderboard", *arguments, status=1).err
    assert message in err
    assert "='" not in err and "=[" not in err and "=False" not in err


CURED = {
    "a direction": ["semicolons.csv", "--better", "lower"],
    "thousands": ["thousands.csv", "--better", "higher", "--decimal", ","],
    "no answer": ["answers.csv", "--unjudged", "skip"],
    "a spreadsheet": ["answers.xlsx", "--unjudged", "skip", "--sheet", "Sheet1"],
    "systems": ["bare.csv", "--columns", "system=A,B", "--better", "lower"],
    "columns": ["names.csv", "--columns", "system=This,That", "judgement=Said",
                "segment=Which"],
    "quotes": ["quotes.tsv", "--better", "lower", "--no-quotes"],
}  # fmt: skip


@pytest.mark.parametrize("case", CURED)
def test_what_an_error_says_is_a_cure(capsys, case):
    out, err = said(capsys, "leaderboard", *CURED[case], "--dry-run")
    assert "taken for --format" in err
    assert "judged translations: " in out and "first judgement: segment" in out
    assert "letters" not in out


def test_dry_run_says_what_was_understood(capsys):
    out, err = said(capsys, "leaderboard", "semicolons.csv", "--better", "lower", "--dry-run")
    assert "Cells are separated by semicolons." in err and "'Rank A' as judgement" in err
    assert "Of 'Rank A' and the like lower is better." in err
    assert out.splitlines() == [
        "judged translations: 6", "segments: 3", "rankings: 3", "tied translations: 0",
        "systems: 2 (A, B)", "texts: none",
        "first judgement: segment 1, ranking semicolons:2, system A: 1, lower is better",
    ]  # fmt: skip


@pytest.mark.filterwarnings("always:column .* is read with")
def test_a_wrong_direction_is_warned_of_with_what_to_type(capsys):
    out, err = said(capsys, "leaderboard", "semicolons.csv", "--better", "higher", "--dry-run")
    (warning,) = (line for line in err.splitlines() if "warning" in line)
    assert "'Rank A' is read with --better higher" in warning
    assert "Pass --better lower;" in warning
    assert out.endswith("system A: 1, higher is better\n")


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_a_dry_run_needs_no_metric(command, capsys):
    out, _ = said(capsys, command, "semicolons.csv", "--better", "lower", "--dry-run")
    assert out.startswith("judged translations: 6\n")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("pass missing='skip'.", "pass --unjudged skip."),
        ("verdicts={'won it': 'a'}.", "--verdicts 'won it=a'."),
        ("Name it by judge=.", "Name it by --columns judge=COLUMN."),
        ("segment='Id', system=['Left', 'R T'].", "--columns segment=Id system=Left,'R T'."),
        ("If wide, system='A'.", "If wide, --columns system=A."),
        ("system must be a column", "--columns system must be a column"),
        ("nothing of that kind: a=b", "nothing of that kind: a=b"),
    ],
)
def test_words_of_the_command_line(message, expected):
    assert as_options(message, OF_TABLES | {"verdicts": "--verdicts"}) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "set jobs=1, jobs= or x=2, found jobs=None",
            "set --jobs 1, --jobs or x=2, found no --jobs",
        ),
        ("jobs must be 1, not jobs: 2", "--jobs must be 1, not jobs: 2"),
        ("jobs=[1, 'a b'], jobs=True or jobs='\\t'", "--jobs 1 'a b', --jobs or --jobs tab"),
    ],
)
def test_words_of_an_option(message, expected):
    assert as_options(message, {"jobs": "--jobs"}) == expected
