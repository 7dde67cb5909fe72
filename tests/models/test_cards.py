"""The cards of the ready-made models, and which model they recommend."""

import re
import shutil
from importlib.resources import files
from pathlib import Path
from unittest.mock import patch

import pandas as pd
import pytest

from sklearn_mteval import load_pretrained
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.models import open_model, opening
from sklearn_mteval.models.cards import READY_MADE, read_cards
from sklearn_mteval.models.opening import recommended_model

X, _ = load_sample(return_X_y=True)
SHIPPED = files("sklearn_mteval.models").joinpath("ready_made_files")
GUIDE = Path(__file__).parents[2] / "docs" / "ready_made.md"
GERMAN = pd.DataFrame(
    {
        "source": "the cat sleeps in the house",
        "reference": "die Katze schläft heute wieder einmal im Haus",
        "hypothesis": ["die Katze schläft", "der Hund bellt"],
    },
    index=pd.MultiIndex.from_product([[1], ["A", "B"]], names=["segment", "system"]),
)
CARD = """
order = 1
source_languages = ["any"]
target_languages = ["any"]
source = "used"
reference = "needed"
"""
BY_SOURCE = CARD.replace('"used"', '"needed"').replace(
    'reference = "needed"', "reference = 'unused'"
)
WITH_ENCODER = '\n[encoder]\nhub = "nobody/has-this"\n'


@pytest.fixture(autouse=True)
def _as_shipped():
    with patch.dict(READY_MADE):
        yield


@pytest.fixture
def add(tmp_path):
    """Make a folder with a model and a card a ready-made model."""

    def add(name, card):
        shutil.copytree(SHIPPED.joinpath("any"), tmp_path / name)
        (tmp_path / name / "card.toml").write_text(card, encoding="utf-8")
        both = READY_MADE | read_cards(tmp_path)
        READY_MADE.clear()
        READY_MADE.update(sorted(both.items(), key=lambda item: item[1].order))

    return add


@pytest.fixture
def there(monkeypatch):
    """Let the encoders of these models be on the machine, no others."""

    def let(*names):
        def find(name):
            if name not in names:
                raise ValueError(f"{name}: its encoder is not on this machine.")

        monkeypatch.setattr(opening, "find_encoder", find)

    return let


def test_a_folder_with_a_card_is_a_ready_made_model(add, there, capsys, tmp_path, monkeypatch):
    there()
    add("my-model", CARD)
    assert recommended_model(X) == recommended_model(GERMAN) == "my-model"
    found = load_pretrained("my-model").decision_function(X[:40])
    assert found.tolist() == load_pretrained("any").decision_function(X[:40]).tolist()
    assert open_model("my-model").predict(X[:40]).min() == 1
    with pytest.raises(ValueError, match=r"no ready-made model 'comet', but \['my-model', 'enc"):
        load_pretrained("comet")
    monkeypatch.chdir(tmp_path / "my-model")  # a folder of that name would come first
    for name, text in {"ref": "a cat\n", "good": "a cat\n", "bad": "dog\n"}.items():
        Path(name).write_text(text, encoding="utf-8")
    assert main(["score", "-r", "ref", "-t", "good", "bad"]) == 0
    assert capsys.readouterr().err.startswith("model: my-model\nno -s: ")


def test_the_best_model_for_a_table_is_named(there):
    there()
    assert recommended_model(X) == "static-en"
    assert recommended_model(X.drop(columns="source")) == "static-en"
    assert recommended_model(GERMAN) == "any"
    there("encoder-en")
    assert recommended_model(X) == "encoder-en"
    assert recommended_model(GERMAN) == "any"
    there("encoder-en", "encoder-large-en")
    assert recommended_model(X) == "encoder-large-en"


def test_models_of_a_language_are_for_no_other(add, there):
    there()
    add("english", CARD.replace('target_languages = ["any"]', 'target_languages = ["en", "de"]'))
    assert recommended_model(X) == "english"
    assert recommended_model(GERMAN) == "any"  # German cannot be told from other languages


@pytest.mark.parametrize("table", [X, GERMAN], ids=["en", "de"])
def test_without_references_a_model_is_to_read_the_source(table, add, there):
    there()
    plain, alone = table.drop(columns="reference"), table[["hypothesis"]]
    others = r"references \(-r, .*how far they agree \(rerank\)"
    for name, card in list(READY_MADE.items()):
        if card.reference != "needed":
            del READY_MADE[name]
    with pytest.raises(ValueError, match=rf"without references\. Give {others}"):
        recommended_model(plain)
    add("by-source", BY_SOURCE + WITH_ENCODER)
    problem = r"by-source: its encoder is not on this machine\."
    with pytest.raises(ValueError, match=rf"without references: {problem} Or give {others}"):
        recommended_model(plain)
    with pytest.raises(ValueError, match=rf"give sources .* for by-source; or {others}"):
        recommended_model(alone)
    there("by-source")
    assert recommended_model(plain) == "by-source"


def test_an_encoder_that_is_not_there_is_named(add):
    pytest.importorskip("sentence_transformers")
    add("mine", CARD + WITH_ENCODER)
    with pytest.raises(ValueError, match=r"mine: its encoder .* download nobody/has-this, or load"):
        load_pretrained("mine")


@pytest.mark.parametrize(
    ("card", "message"),
    [
        (CARD + "author = 'me'", r"unexpected keyword argument 'author'"),
        (CARD.replace("reference", "#"), r"missing 1 required .*'reference'"),
        (CARD.replace('"needed"', '"read"'), r"reference .*\('needed', 'used', 'unus"),
        (CARD.replace('"used"', "true"), r"source .* found True"),
        (CARD.replace('["any"]', '"any"'), "source_languages must list"),
        (CARD.replace("order = 1", "order = 'first'"), "order must be an integer, found 'first'"),
        (CARD + "[encoder]\nname = 'e'", "unexpected keyword argument 'name'"),
        ("order: 1", "Expected '=' after a key"),
    ],
)
def test_a_card_that_is_wrong_is_named(card, message, tmp_path):
    (tmp_path / "model").mkdir()
    file = tmp_path / "model" / "card.toml"
    file.write_text(card, encoding="utf-8")
    with pytest.raises(ValueError, match=f"^{re.escape(str(file))}: .*{message}"):
        read_cards(tmp_path)


def test_folders_without_card_are_no_models(tmp_path):
    (tmp_path / "notes").mkdir()
    assert read_cards(tmp_path) == {}


def test_the_guide_has_a_row_for_each_card_and_says_the_same():
    section = GUIDE.read_text(encoding="utf-8").split("## Which model")[1].split("\n## ")[0]
    rows = {
        name: (reads, needs, use)
        for name, reads, needs, use in re.findall(
            r"^\| `([^`]+)` \| (.+) \| (.+) \| (.+) \|$", section, re.MULTILINE
        )
    }
    assert rows.keys() == READY_MADE.keys()
    for name, (reads, needs, use) in rows.items():
        card = READY_MADE[name]
        for column in ("source", "reference"):
            assert (column in reads) == (getattr(card, column) != "unused")
        assert (needs == "nothing") == (card.encoder is None)
        assert ("into English" in use) == (card.target_languages == ["en"])


def test_cards_say_what_models_were_trained_on():
    """As the cards for readers do: WMT13 fr-en and WMT15 at least."""
    for card in READY_MADE.values():
        assert {"wmt13 fr-en", "wmt15 de-en"} <= set(card.trained_on), card.name
        assert ("wmt16it en-nl" in card.trained_on) == ("en" not in card.target_languages)
