"""The list of ready-made models, and names that are none of them."""

import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.models import open_model
from sklearn_mteval.models.cards import READY_MADE
from sklearn_mteval.models.opening import encoder_problem


def test_each_model_says_what_it_needs_and_whether_it_can_be_used(capsys):
    assert main(["models"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2 : 2 + len(READY_MADE)]] == list(READY_MADE)
    of = {line.split()[0]: line for line in lines[2:] if line}
    assert of["static-en"].endswith("yes") and "reference, (source)" in of["static-en"]
    for name, card in READY_MADE.items():
        problem = encoder_problem(card)
        assert of[name].endswith("yes" if problem is None else "no: see below")
        assert problem is None or problem in " ".join(lines)
    assert all(len(line) <= 80 or " " not in line for line in lines)


def test_a_wrong_name_lists_the_right_ones():
    with pytest.raises(ModelFolderError, match=r"static-en, any, .* Did you mean 'static-en'\?"):
        open_model("static-de")
    with pytest.raises(ModelFolderError, match="there is no folder 'some/folder'"):
        open_model("some/folder")
