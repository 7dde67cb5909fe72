"""Models by name."""

import pytest

from sklearn_mteval.exceptions import CandidateError, ModelFolderError
from sklearn_mteval.models.opening import open_model, recommended_model


def test_a_folder_is_opened(folder, ranker):
    assert open_model(folder).predict([[1.0], [5.0]]).tolist() == [2, 1]
    with pytest.raises(ModelFolderError, match=r"there is no folder .*nothing'"):
        open_model(folder / "nothing")


def test_no_model_is_named():
    for ask in (open_model, recommended_model):
        with pytest.raises(CandidateError, match="Expected a pandas DataFrame"):
            ask()
