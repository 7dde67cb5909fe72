"""How far to believe a model here: names of files tell the languages where nothing else does."""

import pytest

from sklearn_mteval._helpers.extras import MissingExtraError
from sklearn_mteval.cli import main
from sklearn_mteval.models import belief as module
from sklearn_mteval.models.belief import belief


@pytest.mark.parametrize(
    ("source", "pair"), [("source.de", "de-en"), ("source.he", "he-en"), ("source.txt", "zh-en")]
)
def test_names_of_files_tell_languages(source, pair, tmp_path, monkeypatch, capsys):
    def without_extras(lines):
        raise MissingExtraError("py3langid is not installed")

    monkeypatch.setattr(module, "language_of", without_extras)
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--files", "."]) == 0
    (tmp_path / "source.de").rename(source)
    asked = ["rank", "static-en", "-s", source, "-r", "reference.en", "-o", "ranks.tsv", "-t"]
    assert main([*asked, "online.en", "rule.en"]) == 0
    # Without a code of the source, the newest measurement into English is the nearest.
    assert belief("static-en", languages=("", "en"), by="strength").pair == "zh-en"
    assert f"How far to believe it: on {pair} " in capsys.readouterr().err
