"""Networks on disk: the same bits come back, as numbers only."""

import pickle
import pickletools

import pytest
from network_by_hand import make_pairs
from network_texts import VECTORS, candidates, pairs
from safetensors.numpy import load
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from sklearn_mteval import PairwiseNN, RankRecomposer, load_model, save_model
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.neural import EncoderOptions

NUMBERS = {"solver": "numba", "max_epochs": 3, "random_state": 0}
TEXTS = {"max_epochs": 2, "random_state": 0}
NETS = {
    **{
        f"{solver} {loss}": PairwiseNN(loss=loss, **NUMBERS | {"solver": solver})
        for solver in ("numba", "torch")
        for loss in ("logistic", "kendall", "logistic+kendall")
    },
    "symmetric": PairwiseNN(symmetric=True, **NUMBERS),
    "average": PairwiseNN(encoder="average", **TEXTS),
    "frozen": PairwiseNN(encoder=EncoderOptions(vectors=VECTORS, fine_tuning="frozen"), **TEXTS),
    "cnn": PairwiseNN(encoder=EncoderOptions("cnn", n_units=3, dropout=0.2), **TEXTS),
    "bilstm": PairwiseNN(encoder=EncoderOptions("bilstm", n_units=3), **TEXTS),
}


def through_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


def through_folder(model, folder):
    save_model(model, folder)
    return load_model(folder)


ROUND_TRIPS = pytest.mark.parametrize("through", [through_pickle, through_folder])


def data_of(name):
    return pairs() if NETS[name].encoder is not None else make_pairs(8)


@ROUND_TRIPS
@pytest.mark.parametrize("name", NETS)
def test_the_same_bits_come_back_and_training_goes_on_alike(name, through, tmp_path):
    X, y = data_of(name)
    net = NETS[name].fit(X, y)
    again = through(net, tmp_path / "model")
    for _ in range(2):
        for method in ("decision_function", "predict_proba", "predict"):
            before, after = (getattr(n, method)(X) for n in (net, again))
            assert before.dtype == after.dtype and before.tobytes() == after.tobytes()
        assert [e["loss"] for e in again.history_] == [e["loss"] for e in net.history_]
        net.partial_fit(X, y)
        again.partial_fit(X, y)


@ROUND_TRIPS
@pytest.mark.parametrize("texts", [False, True])
def test_pipelines_with_a_ranker(through, texts, tmp_path, numbers):
    if texts:
        (X, y), model = candidates(), RankRecomposer(NETS["cnn"])
    else:
        (X, y), net = numbers, PairwiseNN(column_roles={"hypothesis": ["a", "b"]}, **NUMBERS)
        model = make_pipeline(MinMaxScaler((-1, 1)), RankRecomposer(make_pipeline(net)))
        model.set_output(transform="pandas")
    model.fit(X, y)
    again = through(model, tmp_path / "model")
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert repr(again) == repr(model)


def test_weights_are_stored_as_safetensors():
    X, y = make_pairs(8)
    net = PairwiseNN(**NUMBERS).fit(X, y)
    state = net.__getstate__()
    assert "weights_" not in state and "_squares" not in state
    found = load(state["_tensors"])
    assert set(found) == {f"{s}{n}" for s in ("", "squares.") for n in net.weights_}
    for name, values in net.weights_.items():
        assert found[name].tobytes() == values.tobytes()
    assert "weights_" in vars(net)  # asking changes nothing
    classes = [
        value for code, value, _ in pickletools.genops(pickle.dumps(net)) if "GLOBAL" in code.name
    ]
    assert not [name for name in classes if "torch" in str(name)]


def test_networks_that_are_not_fitted(tmp_path):
    net = pickle.loads(pickle.dumps(PairwiseNN(hidden_units=7)))
    assert net.hidden_units == 7 and not hasattr(net, "weights_")
    with pytest.raises(NotFittedError, match="This PairwiseNN is not fitted: call fit before"):
        save_model(PairwiseNN(hidden_units=7), tmp_path / "model")


@pytest.mark.parametrize(
    "damage",
    [
        lambda c: c[:-5],
        lambda c: b"",
        lambda c: b"\xff" * 8 + c[8:],
        lambda c: c[:8] + b"x" + c[9:],
    ],
)
def test_damaged_tensors_are_an_error_of_the_folder(damage, tmp_path, monkeypatch):
    net = PairwiseNN(**NUMBERS).fit(*make_pairs(8))
    original = PairwiseNN.__getstate__

    def damaged(self):
        state = original(self)
        return state | {"_tensors": damage(state["_tensors"])} if "_tensors" in state else state

    with monkeypatch.context() as patch:
        patch.setattr(PairwiseNN, "__getstate__", damaged)
        # Copying a model with column names would read it: what stands here has none.
        patch.setattr(
            "sklearn_mteval.persistence.models._with_arrays_for_indexes", lambda model: model
        )
        save_model(net, tmp_path / "model")
    with pytest.raises(ModelFolderError, match="the model cannot be built"):
        load_model(tmp_path / "model")
