"""What a loaded ReValRegressor must hold: weights that fit its word vectors and each other."""

import numpy as np

from sklearn_mteval._helpers.restored import is_array, is_count, is_list_of, is_number
from sklearn_mteval.linguistic.reval.weights import shapes_of, weights_and_squares
from sklearn_mteval.neural.pairwise.saved_state import unpack_tensors
from sklearn_mteval.text.vectors.word_vectors import WordVectors

_LARGEST = 1e12  # of a weight: products of two, added up, stay in the range of single precision


def unpack_state(state):
    """Read the weights in the state of a fitted regressor; raise where they do not fit the rest."""
    state = dict(state)
    tensors = unpack_tensors(state.pop("_tensors"))
    vectors = state["vectors_"]
    if not isinstance(vectors, WordVectors):
        raise ValueError("the saved network has no word vectors. Train and save it again.")
    n_dimensions, trained_on = vectors.matrix.shape[1], tensors["input"].shape[0]
    if trained_on != n_dimensions:
        raise ValueError(
            f"the saved network was trained on word vectors of {trained_on} dimensions, but those "
            f"saved with it have {n_dimensions}. Train and save it again."
        )
    memory, *sizes = (len(tensors[name]) for name in ("forget", "similarity_bias", "output_bias"))
    shapes = shapes_of(n_dimensions, memory, *sizes, tensors["hidden"].shape[1] == 3 * memory)
    state["weights_"], state["_squares"] = weights_and_squares(tensors, shapes)
    bounds = {"low": -_LARGEST, "high": _LARGEST}
    whole = (
        len(tensors) == 2 * len(shapes)
        and all(
            is_array(tensors[name], shape, np.float32, **bounds)
            and is_array(tensors[f"squares.{name}"], shape, np.float32, low=0)
            for name, shape in shapes.items()
        )
        and is_list_of(dict, state["history_"])
        and is_count(state["best_epoch_"])
        and is_number(state["vector_scale_"], low=0)
    )
    if not whole:
        raise ValueError("the saved network is not what training leaves. Train and save it again.")
    return state
