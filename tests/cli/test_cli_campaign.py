"""What ``campaign`` writes, and what it refuses; tests/test_annotation_server.py has it judged."""

import json
from pathlib import Path

import pytest

from sklearn_mteval.cli import main


@pytest.fixture
def given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["the house", "an old river", "one large garden", "a small town"]
    for name in ("mine", "other"):
        lines = [f"{name} says: {w} and {v} near {n}" for n, w in enumerate(words) for v in words]
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return ["campaign", "-t", "mine", "other", "--budget", "6", "--annotators", "2"]


def test_names_of_systems_are_in_the_key_alone(given, capsys):
    assert main(given) == 0
    campaign, key = Path("campaign.json").read_text(), Path("campaign.key.json").read_text()
    made, known = json.loads(campaign), json.loads(key)
    assert sorted(known["systems"].values()) == ["mine", "other"]
    tokens = {t for task in made["data"] for document in task for i in document for t in i["tgt"]}
    assert set(known["systems"]) < tokens and not tokens & {"mine", "other"}
    err = capsys.readouterr().err
    assert "6 segments of 2 systems for 2 of 2 annotators, 3 to 3 each; 1 of them" in err
    assert "and there are 2 checks." in err


def test_a_key_is_never_overwritten(given, capsys):
    assert main(given) == 0
    before = Path("campaign.json").read_bytes(), Path("campaign.key.json").read_bytes()
    assert main([*given, "--seed", "1"]) == 1
    assert "campaign.key.json is there already" in capsys.readouterr().err
    assert (Path("campaign.json").read_bytes(), Path("campaign.key.json").read_bytes()) == before
    assert main([*given, "-o", "second.json"]) == 0


def test_a_name_that_is_markup(given):
    """pearmut's dashboard puts the campaign's name into its page as it is."""
    assert main([*given, "-o", "<img src=x onerror='hit()'>.json"]) == 0
    (made,) = Path().glob("*'>.json")
    assert json.loads(made.read_text())["campaign_id"] == "_img src_x onerror__hit____"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--budget", "1"], "budget must be an integer >= 2"),
        (["-o", "-"], "a campaign is several files"),
        (["--documents", "mine2"], "mine2"),
        (["--tool", "sheet", "--protocol", "da"], "--protocol and --marks are for the other tools"),
        (
            ["--tool", "label-studio", "-o", "view.xml"],
            "the view next to it are one file, view.xml",
        ),
    ],
)
def test_what_cannot_be_planned(given, capsys, more, said):
    assert main([*given, *more]) == 1
    assert said in capsys.readouterr().err
    assert not list(Path().glob("*.json"))
