"""Where encoders compute: found, set in whatever a model holds, and given back."""

import os

import pytest

from sklearn_mteval._helpers.devices import compute_on, computing, found_device
from sklearn_mteval.features import SentenceEncoder, TokenAlignment
from sklearn_mteval.pairwise import RankRecomposer, Windowed, make_ranking_pipeline

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("cuda", "mps", "expected"),
    [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_auto_is_the_fastest_that_torch_sees(monkeypatch, cuda, mps, expected):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert found_device("auto") == expected


@pytest.mark.parametrize("device", ["cuda:77", "gpu", ""])
def test_a_device_that_is_not_there_is_an_error(device):
    with pytest.raises(ValueError, match=f"torch has no '{device}' on this machine"):
        found_device(device)


def nested():
    """Return a model that holds encoders in a union, in a pipeline and in what is fitted."""
    sentences, tokens = SentenceEncoder(len, encoder_name="a"), TokenAlignment(len)
    model = make_ranking_pipeline(sentences, RankRecomposer())
    windowed = Windowed(None)
    windowed.ranker_ = {"several": [(model, tokens)]}
    return windowed, sentences, tokens


def test_every_encoder_of_a_model_is_told():
    model, sentences, tokens = nested()
    assert compute_on(model) is model
    assert (sentences.device, tokens.device, tokens.dtype) == ("cpu", "cpu", "float32")
    compute_on(model, "meta", "bfloat16")  # which every torch has
    assert (sentences.device, tokens.device, tokens.dtype) == ("meta", "meta", "bfloat16")
    assert not hasattr(sentences, "dtype")
    with pytest.raises(ValueError, match="torch has no 'cuda:77'"):
        compute_on(model, "cuda:77")
    with pytest.raises(ValueError, match="dtype must be one of"):
        compute_on(model, dtype="float64")
    assert tokens.device == "meta"


def test_a_model_without_an_encoder_needs_no_torch(monkeypatch):
    monkeypatch.setattr("sklearn_mteval._helpers.devices.found_device", None)
    model = make_ranking_pipeline(RankRecomposer())
    assert compute_on(model, "cuda") is model


def test_for_a_while_and_in_processes_that_are_started():
    _, sentences, tokens = nested()
    before = dict(os.environ)
    with computing("meta", "float16"):
        compute_on([sentences, tokens])
        assert set(os.environ) - set(before) == {"SKLEARN_MTEVAL_DEVICE", "SKLEARN_MTEVAL_DTYPE"}
        with computing():  # what is not given stays
            assert os.environ["SKLEARN_MTEVAL_DEVICE"] == "meta"
        compute_on(tokens, "cpu")
    assert (sentences.device, tokens.device, tokens.dtype) == ("meta", "cpu", "float16")
    assert dict(os.environ) == before
    with pytest.raises(ValueError, match="torch has no"), computing("nowhere"):
        pytest.fail("it was entered")
    assert dict(os.environ) == before
