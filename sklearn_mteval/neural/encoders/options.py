"""EncoderOptions: what a network encodes its texts with. Torch is loaded on use."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.options import check_integer, check_one_of, check_within
from sklearn_mteval.text.vectors.word_vectors import load_word_vectors

_TUNING = ("frozen", "moderate", "full")


class EncoderOptions(BaseEstimator):
    """How :class:`PairwiseNN` turns texts into vectors on the fly; needs the extra ``[neural]``.

    Parameters
    ----------
    kind : {"average", "cnn", "lstm", "bilstm"}, default="average"
        Mean of the word vectors; filters over ``window`` words with maxima over ``pool``
        positions; the last state of an LSTM in one or both directions.
    vectors : path, mapping, KeyedVectors or None, default=None
        Pretrained word vectors, as for ``EmbeddingAverager``; None starts at random.
    n_dimensions : int, default=50
        Size of word vectors that start at random.
    fine_tuning : {"frozen", "moderate", "full"}, default="full"
        Word vectors stay as they are; are trained with a penalty on their distance from the
        start; or are trained freely, with the network's L2 penalty.
    distance_penalty : float, default=0.01
        Of moderate fine-tuning: half its product with the squared distance is added.
    n_units : int, default=50
        Filters of a CNN, units of an LSTM in each direction.
    window : int, default=3
        Words that a filter sees.
    pool : int, default=3
        Positions that each maximum is taken over; the maxima of a sentence are averaged.
    dropout : float, default=0.0
        Proportion of word-vector entries and outputs that are dropped in training, in [0, 1).
    lowercase : bool, default=True
        Whether to lowercase texts.

    Notes
    -----
    The vocabulary is all words of ``vectors`` and, where vectors are trained, words that two
    or more of the training texts hold. All others share one vector, which starts at zero. A text
    without words is encoded as zeros.

    References
    ----------
    Guzmán et al. 2017, sections 5.6 and 5.7; Kim 2014; Hochreiter and Schmidhuber 1997.
    """

    def __init__(
        self, kind: str = "average", *, vectors: Any = None, n_dimensions: int = 50,
        fine_tuning: str = "full", distance_penalty: float = 0.01, n_units: int = 50,
        window: int = 3, pool: int = 3, dropout: float = 0.0, lowercase: bool = True
    ):  # fmt: skip
        self.kind = kind
        self.vectors = vectors
        self.n_dimensions = n_dimensions
        self.fine_tuning = fine_tuning
        self.distance_penalty = distance_penalty
        self.n_units = n_units
        self.window = window
        self.pool = pool
        self.dropout = dropout
        self.lowercase = lowercase

    def __getstate__(self):
        """Keep only what loads anywhere: no path of this system, no mapping of many arrays."""
        state = super().__getstate__().copy()
        if isinstance(self.vectors, Path):
            state["vectors"] = str(self.vectors)
        elif self.vectors is not None and not isinstance(self.vectors, str):
            state["vectors"] = load_word_vectors(self.vectors)
        return state


def check_options(options):
    """Check the values of EncoderOptions; ImportError without torch."""
    said = "EncoderOptions's {}".format
    check_one_of(said("kind"), options.kind, _kinds())
    check_one_of(said("fine_tuning"), options.fine_tuning, _TUNING)
    for name in ("n_dimensions", "n_units", "window", "pool"):
        check_integer(said(name), getattr(options, name), minimum=1)
    check_within(said("dropout"), options.dropout, 0, np.nextafter(1, 0))
    check_within(said("distance_penalty"), options.distance_penalty, 0)


def trains_vectors(options):
    """Tell whether word vectors are fine-tuned."""
    return options.fine_tuning != "frozen"


def as_options(encoder):
    """Return PairwiseNN's ``encoder`` as checked EncoderOptions, or None."""
    if encoder is None:
        return None
    if isinstance(encoder, str):
        encoder = EncoderOptions(encoder)
    if not isinstance(encoder, EncoderOptions):
        raise ValueError(
            f"PairwiseNN's encoder must be None, one of {list(_kinds())} or EncoderOptions, "
            f"found {encoder!r}."
        )
    check_options(encoder)
    return encoder


def _kinds():
    """Names of the encoders; whatever an encoder is used for comes by here first."""
    import_extra("torch", "neural", "PairwiseNN's encoder of texts")
    from sklearn_mteval.neural.encoders.word_encoder import ENCODERS

    return ENCODERS
