"""Sentence embeddings of a pretrained encoder as features."""

from collections.abc import Callable, Sequence

import numpy as np

from sklearn_mteval._helpers.restored import is_count
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.features.embeddings._encoding import EncodingTransformer
from sklearn_mteval.features.embeddings._sentence_vectors import (
    check_columns_option,
    vector_names,
    vector_similarities,
)
from sklearn_mteval.text.transformer import text_cells

_MOST_DIMENSIONS = 1_000_000  # of a model that is loaded: each is a column, though there be no row


class SentenceEncoder(EncodingTransformer):
    """Embedding of each distinct text by a sentence encoder, as of sentence-transformers.

    Parameters
    ----------
    encoder : path-like, str or callable
        A folder with a sentence-transformers model, a name on the Hugging Face hub, or a
        callable: list of n texts → array of shape (n, n_dimensions).
    columns : list or tuple of str, default=("hypothesis", "reference")
        The text columns to encode, in the order of the output. A cell of ``reference`` may be
        a list of several references: the mean of their embeddings.
    similarity : bool, default=False
        Whether to add the similarity of hypothesis and reference.
    batch_size : int, default=16
        Texts at a time; on a GPU as many as have the tokens of so many of 512 tokens.
    device : str, default="cpu"
        Where torch runs the model, e.g. ``"cuda"``; "auto": a GPU if torch sees one.
    n_threads : int or None, default=1
        Threads of torch, and of BLAS where tokens are aligned: no result depends on
        ``OMP_NUM_THREADS``. None leaves their own settings, which change the last digits.
    local_files_only : bool, default=True
        Whether a name is looked up in the hub's local cache only. Nothing is ever
        downloaded unless this is False.
    cache : path-like or None, default=None
        A folder that keeps embeddings on disk (4 bytes for each dimension of a text).
    encoder_name : str or None, default=None
        The name of a callable in the cache, to be changed whenever the callable changes.
    progress : bool, default=False
        1 shows a progress bar on standard error.

    Attributes
    ----------
    fingerprint_ : str or None
        SHA-256 of the model's files; ``encoder_name`` for a callable.
    n_dimensions_ : int
        Dimensions of an embedding, d.

    Notes
    -----
    The output columns of ``hypothesis`` are ``hypothesis_emb0`` to ``hypothesis_emb{d-1}``, and
    so on for each column, as the model gives them. With ``similarity`` two more follow:
    ``similarity_cosine`` in [−1, 1], higher is more alike, 0 against a zero vector; and
    ``similarity_euclidean``, a distance: 0 for equal embeddings, lower is more alike.

    A text longer than the model reads (often 256 or 512 tokens) is cut off there. A lone
    surrogate, which is no character, is read as U+FFFD.

    A text's embedding depends on the text alone, to the bit on one machine (as tested on
    processors): texts of one length, padded to a multiple of 16 tokens, are encoded together.
    Another device, number of threads or version of the libraries changes the last bits; so does
    ``batch_size`` on other devices and with tokenisers that pad on the left. A cache gives the
    bits of whoever filled it. A callable answers for itself.

    What is saved or pickled is the folder or name of the model and its fingerprint, not its
    weights: ``transform`` refuses another one. A callable must be a function of a module.

    References
    ----------
    Reimers and Gurevych 2019, Sentence-BERT, section 3.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn_mteval.features import SentenceEncoder
    >>> X = pd.DataFrame({"hypothesis": ["a cat"], "reference": ["the cat sat"]})
    >>> def letters(texts):
    ...     return np.array([[text.count("a"), text.count("t")] for text in texts])
    >>> encoder = SentenceEncoder(letters, similarity=True)
    >>> encoder.fit_transform(X).round(3).tolist()
    [[2.0, 1.0, 2.0, 3.0, 0.868, 2.0]]
    """

    _kind = "sentences"

    def __init__(
        self, encoder: PathLike | Callable, *, columns: Sequence[str] = ("hypothesis", "reference"),
        similarity: bool = False, batch_size: int = 16, device: str = "cpu",
        n_threads: int | None = 1, local_files_only: bool = True, cache: PathLike | None = None,
        encoder_name: str | None = None, progress: bool = False
    ):  # fmt: skip
        self.encoder = encoder
        self.columns = columns
        self.similarity = similarity
        self.batch_size = batch_size
        self.device = device
        self.n_threads = n_threads
        self.local_files_only = local_files_only
        self.cache = cache
        self.encoder_name = encoder_name
        self.progress = progress

    def _fit(self, X):
        check_columns_option(self.columns, self.similarity)
        self._remember_table(X, self.columns)
        texts = (text for cell in text_cells(X, self.columns[0]) for text in cell)
        self.n_dimensions_ = self._check_encoder(texts).shape[0]

    def _is_whole(self):
        return super()._is_whole() and is_count(self.n_dimensions_, 1, _MOST_DIMENSIONS)

    def _transform(self, X):
        columns = [text_cells(X, column) for column in self.columns]
        distinct = {cell: 0 for cells in columns for cell in cells}
        texts = list({text: 0 for cell in distinct for text in cell})
        model = self._fitted_model()
        with self._step(len(texts)) as step:
            vector_of = self._encode(texts, model, step.advance)
        means = {cell: self._mean(cell, vector_of) for cell in distinct}
        shape = len(X), self.n_dimensions_
        blocks = [np.reshape([means[cell] for cell in cells], shape) for cells in columns]
        if self.similarity:
            place = list(self.columns).index
            pair = blocks[place("hypothesis")], blocks[place("reference")]
            blocks.append(vector_similarities(*pair))
        return np.hstack(blocks)

    def _mean(self, cell, vector_of):
        """Average the vectors of a cell's texts."""
        vectors = [vector_of[text] for text in cell]
        if any(len(vector) != self.n_dimensions_ for vector in vectors):
            raise ValueError(
                f"model gave {self.n_dimensions_} dimensions in fit, and now "
                f"{[len(vector) for vector in vectors]} for {cell!r}."
            )
        return np.mean(vectors, axis=0, dtype=np.float64)

    def _output_names(self):
        similarities = ("cosine", "euclidean") if self.similarity else ()
        return vector_names(self.columns, self.n_dimensions_, similarities)
