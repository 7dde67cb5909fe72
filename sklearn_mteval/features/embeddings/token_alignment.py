"""Greedy alignment of tokens: the scores of BERTScore (Zhang et al. 2020, section 3)."""

from collections.abc import Callable, Sequence

import numpy as np

from sklearn_mteval._helpers.options import check_within
from sklearn_mteval._helpers.restored import is_number
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.features.embeddings._encoder_models import unit_rows
from sklearn_mteval.features.embeddings._encoding import context_of
from sklearn_mteval.features.embeddings._token_transformer import TokenTransformer, best_cosines
from sklearn_mteval.text.transformer import text_cells

_PARTS = ("precision", "recall", "f")


class TokenAlignment(TokenTransformer):
    """How well the tokens of two texts match each other, by the cosine of their vectors.

    Parameters
    ----------
    encoder : path-like, str or callable
        A folder with a sentence-transformers model, a name on the Hugging Face hub, or a
        callable: list of n texts → n arrays of shape (n_tokens, n_dimensions).
    columns : list or tuple of str, default=("hypothesis", "reference")
        The two columns that are aligned, "hypothesis" and "reference" or "source", in either order.
        With "source" the encoder must be one of both languages.
    layers : {"auto", "last"}, int or list of int, default="auto"
        The layers whose outputs stand for the tokens, 1 being the first and 0 the embeddings below
        it; of several, the vectors of a token are scaled to length 1 and averaged. "last": what the
        model gives at its end. "auto": middle ones, which align better than the last: layers 3 to
        6 of all-MiniLM-L6-v2 and layer 7 of all-mpnet-base-v2, as chosen on WMT13 and WMT15; of
        other models the layer at 7/12 of the depth. Layers above the highest are not computed. A
        callable takes "auto" only.
    dtype : {"float32", "bfloat16", "float16", "auto"}, default="float32"
        What a folder's model computes products in. "bfloat16" takes a third of the time on
        processors that have it (AVX512_BF16, AMX) and several times as long on others; it changes
        scores by some 0.0001, and with AMX their last bits hang on the batch. "auto": bfloat16
        where the device has it without AMX, else float16 on a GPU and float32 on a processor,
        chosen anew wherever a model is loaded. What follows is computed in float32.
    position_penalty : float, default=0.0
        p in [0, 1]: what a pair of tokens loses for standing at distant places. See Notes.
    batch_size, device, n_threads, local_files_only, encoder_name, progress : see SentenceEncoder
        The same.
    cache : path-like or None, default=None
        A folder that keeps embeddings on disk (2 bytes for each dimension of a token).

    Attributes
    ----------
    fingerprint_ : str or None
        SHA-256 of the model's files; ``encoder_name`` for a callable.
    layers_ : list of int
        The layers that are averaged; empty for what the model gives at its end.

    Notes
    -----
    Three columns, each in [−1, 1], in practice in [0, 1], higher is better:

    - ``tokenalignment_precision``: mean over the hypothesis's tokens of the highest cosine with
      a token of the reference;
    - ``tokenalignment_recall``: the same from the reference's side;
    - ``tokenalignment_f``: their harmonic mean; 0 unless both are positive.

    With the source in the place of the reference they are called
    ``tokenalignment_source_precision`` and so on.

    With a position penalty p, the cosine of token i of n and token j of m (from 0) counts as
    cos − p·abs((i + ½)/n − (j + ½)/m), before the highest is taken: the distance of the middles
    of two tokens, each text being as long as 1. Reading both texts backwards changes nothing. The
    columns are then in [−1 − p, 1].

    Of several references the one with the highest F counts. All three are 0 if a text has no
    token. Tokens are without special ones such as [CLS] and [SEP] and those of a default prompt;
    their vectors are rounded to half precision, with the cache and without.

    Long texts, lone surrogates, the last bits, and what is saved: as in
    :class:`SentenceEncoder`.

    References
    ----------
    Zhang et al. 2020, BERTScore, section 3.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn_mteval.features import TokenAlignment
    >>> X = pd.DataFrame({"hypothesis": ["a cat"], "reference": ["a cat sat"]})
    >>> vectors = {"a": [1.0, 0.0], "cat": [0.0, 1.0], "sat": [0.6, 0.8]}
    >>> def look_up(texts):
    ...     return [np.array([vectors[word] for word in text.split()]) for text in texts]
    >>> TokenAlignment(look_up).fit_transform(X).round(2).tolist()
    [[1.0, 0.93, 0.97]]
    """

    _decisive = _PARTS.index("f")

    def __init__(
        self, encoder: PathLike | Callable, *, columns: Sequence[str] = ("hypothesis", "reference"),
        layers: str | int | list[int] = "auto", dtype: str = "float32",
        position_penalty: float = 0.0, batch_size: int = 16, device: str = "cpu",
        n_threads: int = 1, local_files_only: bool = True, cache: PathLike | None = None,
        encoder_name: str | None = None, progress: bool = False
    ):  # fmt: skip
        self.encoder = encoder
        self.columns = columns
        self.layers = layers
        self.dtype = dtype
        self.position_penalty = position_penalty
        self.batch_size = batch_size
        self.device = device
        self.n_threads = n_threads
        self.local_files_only = local_files_only
        self.cache = cache
        self.encoder_name = encoder_name
        self.progress = progress

    def _fit(self, X):
        check_within("position_penalty", self.position_penalty, 0, 1)
        self._remember_table(X, ("hypothesis", context_of(self.columns)))
        self._check_encoder(text for (text,) in text_cells(X, "hypothesis"))

    def _is_whole(self):
        return super()._is_whole() and is_number(self.position_penalty, 0, 1)

    def _preparation(self):
        return lambda tokens: unit_rows(tokens.astype(np.float32))

    def _compared(self, hypothesis, reference):
        return greedy_alignment(hypothesis, reference, float(self.position_penalty))

    def _output_names(self):
        return [f"tokenalignment_{self._prefix()}{part}" for part in _PARTS]


def greedy_alignment(hypothesis, reference, position_penalty=0.0):
    """Return precision, recall and F of two texts' tokens, vectors of length 1 or 0 in rows."""
    if not len(hypothesis) or not len(reference):
        return 0.0, 0.0, 0.0
    precision, recall = (
        float(best.mean(dtype=np.float64))
        for best in best_cosines(hypothesis, reference, position_penalty)
    )
    both = precision > 0 and recall > 0
    return precision, recall, 2 * precision * recall / (precision + recall) if both else 0.0
