"""The weights of ReVal's network (2015 paper, sections 3 and 4): their start, and saved ones."""

import numpy as np

from sklearn_mteval._helpers.restored import is_array, is_count, is_list_of, is_number
from sklearn_mteval.neural.pairwise.saved_state import unpack_tensors
from sklearn_mteval.text.vectors.word_vectors import WordVectors

# Of the encoder; the other four are the similarity layers'.
COMPOSITION = ("input", "input_bias", "hidden", "forget", "hidden_bias")
_LARGEST = 1e12  # of a weight: products of two, added up, stay in the range of single precision


def shapes_of(n_dimensions, memory, hidden_units, n_classes, output_gate):
    """Return the shapes of the weights by name, in the order that the kernels take them."""
    # Of a word, ``input`` makes the sums of the gates i, u, o if there is one, and f; of the sum of
    # its children's hidden states, ``hidden`` those of all but f, ``forget`` that of f, of one's.
    # Both steps have a bias for each gate, as the published numbers of parameters require.
    own = (3 if output_gate else 2) * memory
    return {
        "input": (n_dimensions, own + memory), "input_bias": (own + memory,),
        "hidden": (memory, own), "forget": (memory, memory), "hidden_bias": (own + memory,),
        "similarity": (2 * memory, hidden_units), "similarity_bias": (hidden_units,),
        "output": (hidden_units, n_classes), "output_bias": (n_classes,)
    }  # fmt: skip


def initial_weights(shapes, rng):
    """Draw the start, float32: uniform within ± 1 / sqrt(inputs), biases too, as in Torch7."""
    weights = {}
    for name, shape in shapes.items():
        if len(shape) == 2:  # a bias comes after weights of as many inputs
            bound = shape[0] ** -0.5
        weights[name] = rng.uniform(-bound, bound, shape).astype(np.float32)
    return weights


def weights_and_squares(tensors, names):
    """Tell weights from the optimiser's sums of squares: two dicts, in the order of the names."""
    squares = (f"squares.{name}" for name in names)
    return {name: tensors[name] for name in names}, {name: tensors[name] for name in squares}


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
