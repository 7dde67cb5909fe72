"""The weights of ReVal's network (2015 paper, sections 3 and 4), and where they start."""

import numpy as np

# Of the encoder; the other four are the similarity layers'.
COMPOSITION = ("input", "input_bias", "hidden", "forget", "hidden_bias")


def shapes_of(n_dimensions, memory, hidden_units, n_classes, output_gate):
    """Return the shapes of the weights by name, in the order that the kernels take them.

    ``input`` makes of a word the sums of the gates i, u, o if there is one, and f; ``hidden`` those
    of all but f, from the sum of the children's hidden states; ``forget`` that of f, from one
    child's. Both steps have a bias for each gate, as the published numbers of parameters require.
    """
    own = (3 if output_gate else 2) * memory
    return {
        "input": (n_dimensions, own + memory),
        "input_bias": (own + memory,),
        "hidden": (memory, own),
        "forget": (memory, memory),
        "hidden_bias": (own + memory,),
        "similarity": (2 * memory, hidden_units),
        "similarity_bias": (hidden_units,),
        "output": (hidden_units, n_classes),
        "output_bias": (n_classes,),
    }


def initial_weights(shapes, rng):
    """Draw the start, float32: uniform within ± 1 / sqrt(inputs), biases too, as Torch7's layers.

    Weights ``forget`` stand before ``hidden_bias``, with as many inputs.
    """
    weights = {}
    for name, shape in shapes.items():
        if len(shape) == 2:
            bound = shape[0] ** -0.5
        weights[name] = rng.uniform(-bound, bound, shape).astype(np.float32)
    return weights


def weights_and_squares(tensors, names):
    """Tell weights from the optimiser's sums of squares: two dicts, in the order of the names."""
    squares = (f"squares.{name}" for name in names)
    return {name: tensors[name] for name in names}, {name: tensors[name] for name in squares}
