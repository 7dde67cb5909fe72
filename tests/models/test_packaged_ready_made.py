"""A ready-made model whose encoder comes as a package: where it is, and which are accepted."""

import shutil
import warnings
from unittest.mock import patch

import numpy as np
import pytest
from packed_encoder import TinyEncoder
from safetensors.numpy import load_file, save_file

from sklearn_mteval import RankRecomposer, load_pretrained, make_ranking_pipeline, save_model
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import TokenAlignment
from sklearn_mteval.features.embeddings._encoder_models import FolderModel
from sklearn_mteval.features.embeddings.packaged.fetching import write_model_folder
from sklearn_mteval.features.embeddings.packaged.four_bits import read_packed
from sklearn_mteval.features.embeddings.packaged.likeness import sample_of
from sklearn_mteval.features.embeddings.packaged.registry import ORIGIN, cached_folder, origin_of
from sklearn_mteval.models import open_model, ready_made
from sklearn_mteval.models.cards import READY_MADE, read_cards

NAME = "multilingual-e5-small"
X, Y = (table[:30] for table in load_sample(return_X_y=True))
CARD = f"""
order = 1
source_languages = ["any"]
target_languages = ["any"]
source = "unused"
reference = "needed"

[encoder]
hub = "intfloat/{NAME}"
"""
PACKED = read_packed(TinyEncoder().packed)


@pytest.fixture
def trained_with(tmp_path, monkeypatch):
    """A model that was trained with an encoder in a folder, which is gone."""
    monkeypatch.setenv("SKLEARN_MTEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = tmp_path / "of-training"
    write_model_folder(folder, PACKED, {})
    known = sample_of(FolderModel(folder, "cpu", 1).loaded())
    monkeypatch.setattr(ready_made, "known_sample", lambda name: known)
    pipe = make_ranking_pipeline(TokenAlignment(folder), RankRecomposer())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows
        save_model(pipe.fit(X, Y), tmp_path / "models" / "mine", X=X, y=Y)
    (tmp_path / "models" / "mine" / "card.toml").write_text(CARD, encoding="utf-8")
    expected = pipe.decision_function(X)
    shutil.rmtree(folder)
    with patch.dict(READY_MADE, read_cards(tmp_path / "models")):
        yield expected


def unpacked(folder, change=lambda name, weights: weights):
    folder.parent.mkdir(parents=True, exist_ok=True)
    write_model_folder(folder, PACKED, {})
    weights = load_file(folder / "model.safetensors")
    changed = {name: change(name, array) for name, array in weights.items()}
    save_file(changed, folder / "model.safetensors", {"format": "pt"})
    return folder


def test_it_is_found_in_the_cache_and_named(trained_with):
    folder = unpacked(cached_folder(NAME))
    (folder / ORIGIN).write_text(str(origin_of(NAME)).replace("'", '"'), encoding="utf-8")
    model = open_model("mine", windows=False)
    assert model[0].encoder == str(folder) and model[0].dtype == "auto"
    model.set_params(tokenalignment__dtype="float32")
    assert model.decision_function(X).tolist() == trained_with.tolist()


def test_where_it_is_not_there_the_command_is_named(trained_with, monkeypatch):
    with pytest.raises(ValueError, match=f"'sklearn-mteval encoder {NAME}', download intfloat/"):
        load_pretrained("mine")
    monkeypatch.setattr(ready_made, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r'mine needs .*"sklearn-mteval\[multilingual\]"'):
        load_pretrained("mine")


def test_the_same_encoder_in_half_precision_is_accepted_by_name(trained_with, tmp_path):
    folder = unpacked(tmp_path / "half", lambda name, weights: weights.astype(np.float16))
    model = load_pretrained("mine", encoder=folder, windows=False)
    model.set_params(tokenalignment__dtype="float32")
    found = model.decision_function(X)
    assert np.corrcoef(found, trained_with)[0, 1] > 0.98  # ties of a random encoder may part


def test_an_encoder_that_was_trained_further_is_refused(trained_with, tmp_path):
    folder = unpacked(tmp_path / "tuned", lambda name, weights: weights * 1.01)
    with pytest.raises(ValueError, match=r"tuned is another model: other weights \(\d+ of"):
        load_pretrained("mine", encoder=folder)
