"""PairwiseCrossEncoder: an encoder that reads two translations together and says which is better.

As PEAR does (Proietti, Grundkiewicz and Post 2026), but its sign inverts by construction.
"""

from itertools import product
from math import fsum
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.types import PathLike, Seed
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.embeddings._cross_encoder_examples import contexts_of
from sklearn_mteval.features.embeddings._cross_encoding import CrossEncoding
from sklearn_mteval.features.embeddings._encoding import readable
from sklearn_mteval.pair_classifiers import LogOddsDecisions, check_halves, learn_classes
from sklearn_mteval.text.transformer import ReadsTexts


class PairwiseCrossEncoder(CrossEncoding, ReadsTexts, LogOddsDecisions):
    """Train an encoder that reads both translations of a pair, with what they translate.

    Source, reference or both and two translations are one sequence, so that each word of the one
    translation sees those of the other. Both orders are read, and what they differ by decides.

    Parameters
    ----------
    encoder, columns, adapter_rank, n_frozen_layers, learning_rate : see CrossEncoder
        The same as of :class:`~sklearn_mteval.features.CrossEncoder`.
    max_epochs : int, default=1
        Passes over the pairs.
    dtype, batch_size, device, n_threads, local_files_only, progress : see CrossEncoder
        The same.
    random_state, checkpoint, n_jobs : see CrossEncoder
        The same.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; the second means that t1 is better.
    antisymmetric_ : bool
        True: of (t2, t1) it says the opposite, to the bit, and
        :class:`~sklearn_mteval.RankRecomposer` asks about one direction of each pair only.
    weights_, losses_, fingerprint_ : see CrossEncoder
        The same.
    n_features_in_, feature_names_in_ : int, ndarray of str
        Columns seen in fit, and their names.

    See Also
    --------
    sklearn_mteval.features.CrossEncoder : Reads each translation by itself.
    sklearn_mteval.PairwiseNN : A network on numbers of both translations.

    Notes
    -----
    A pair table has columns ``t1__NAME``, then ``t2__NAME``, of each name in ``columns``, and may
    have others, which are ignored: as ``RankRecomposer`` makes it of candidates, and
    :func:`~sklearn_mteval.pairwise.decompose`. Cells are texts; those of ``reference`` may be lists
    of them, of which training reads the first, and decisions the mean over all.

    The network sees the mean of each text's tokens, and of each translation the difference from,
    and the product with, what stands before it. With f its output, the log-odds that t1 is better
    are f(t1, t2) − f(t2, t1); the loss is logistic, each decision counts with the square root of
    how often it was made, and a pair judged in both directions is one pair. Steps of 64 readings.

    *Cost.* A segment of n translations has n (n − 1) readings, where ``CrossEncoder`` has n, each
    longer by one translation. Texts of more than 384 tokens together (512 with source and
    reference) are cut, the longest one first. Training and use need
    ``pip install "sklearn-mteval[encoders]"``. Other pairs in the table change no bit.

    References
    ----------
    Proietti, Grundkiewicz and Post 2026, PEAR; Hu et al. 2022, LoRA.

    Examples
    --------
    >>> from sklearn_mteval import RankRecomposer
    >>> from sklearn_mteval.pairwise import PairwiseCrossEncoder
    >>> ranker = RankRecomposer(PairwiseCrossEncoder("multilingual-e5-small"))
    >>> ranker.estimator.get_params()["columns"]
    ('source', 'hypothesis')
    """

    antisymmetric = antisymmetric_ = reads_names = True
    text_dropout = margin = 0.0  # which training reads
    _n_translations = 2

    def __init__(
        self, encoder: PathLike, *, columns: list[str] | tuple[str, ...] = ("source", "hypothesis"),
        adapter_rank: int = 16, n_frozen_layers: int = 3, max_epochs: int = 1,
        learning_rate: float = 0.0007, dtype: str = "float32", batch_size: int = 16,
        device: str = "cpu", n_threads: int = 1, local_files_only: bool = True,
        random_state: Seed = 0, checkpoint: PathLike | None = None, n_jobs: int | None = None,
        progress: bool = False
    ):  # fmt: skip
        self.encoder = encoder
        self.columns = columns
        self.adapter_rank = adapter_rank
        self.n_frozen_layers = n_frozen_layers
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.dtype = dtype
        self.batch_size = batch_size
        self.device = device
        self.n_threads = n_threads
        self.local_files_only = local_files_only
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Train on a pair table of texts.

        Parameters
        ----------
        X : DataFrame of shape (n_pairs, 2 * n_features)
            With ``t1__NAME`` and ``t2__NAME`` of all columns that are read.
        y : array-like of shape (n_pairs,)
            Two labels; the larger means that t1 is better.

        Returns
        -------
        PairwiseCrossEncoder
            The classifier itself.

        Raises
        ------
        ValueError
            If a parameter has no such value, the model cannot be used, labels are not two, or
            training diverges; as CandidateError, if the table has not those columns of texts, or no
            pair has two different translations.
        ImportError
            If the extra ``[encoders]`` is not installed.
        """
        self._check_training()
        contexts_of(self.columns)
        both = self._readings(X)
        validate_data(self, X, skip_check_array=True)
        check_halves(X.shape[1], self.feature_names_in_)
        self.classes_, better = learn_classes(y)
        if len(better) != len(X):
            raise ValueError(f"Expected one label for each of {len(X)} pairs, found {len(better)}.")
        examples = _examples(both, better)
        import_extra("torch", "encoders", "A cross-encoder")
        self.fingerprint_ = self._open_model().fingerprint
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        self._learn_weights(examples, [], seed, {})
        return self

    def _log_odds_of(self, X):
        both = self._readings(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        readings = sorted({one for pair in both for some in pair for one in some})
        said = dict(zip(readings, self._answers(readings)[:, 0].tolist(), strict=True))
        # Exact sums, so that neither the order of references nor that of translations matters.
        forth, back = (
            np.array([fsum(said[one] for one in some) / len(some) for some in side])
            for side in (zip(*both, strict=True) if both else ((), ()))
        )
        return forth - back

    def _readings(self, X):
        """Return of each pair the readings, one for each reference, of (t1, t2) and of (t2, t1)."""
        names, sides = (*contexts_of(self.columns), "hypothesis"), []
        for side in ("t1__", "t2__"):
            cells = [check_texts(X, side + n, several=n == "reference") for n in names]
            cells = [[c if isinstance(c, tuple) else (c,) for c in column] for column in cells]
            rows = zip(*cells, strict=True)
            sides.append([[tuple(map(readable, one)) for one in product(*row)] for row in rows])
        return [
            ([(*one, other[0][-1]) for one in first], [(*two, first[0][-1]) for two in other])
            for first, other in zip(*sides, strict=True)
        ]

    def _is_whole(self, n_features):
        """Tell whether what was loaded can be what a fit leaves."""
        return n_features % 2 == 0 and self._has_network(1)


def _examples(both, better):
    """Make of pairs what training sees, in the order of texts: decisions about both readings."""
    from sklearn_mteval.features.embeddings._cross_encoder_training import Example

    counts = {}
    for ((forth, *_), (back, *_)), first in zip(both, better, strict=True):
        if forth != back:
            pair = min(forth, back), max(forth, back)
            counts.setdefault(pair, [0, 0])[(forth != pair[0]) == bool(first)] += 1
    if not counts:
        raise CandidateError("Nothing to learn from: no pair has two different translations.")
    examples = []
    for pair, found in sorted(counts.items()):
        winners = np.flatnonzero(found)
        weights = np.sqrt(np.array(found, dtype=np.float64)[winners])
        examples.append(Example(list(pair), winners, 1 - winners, weights, np.empty((2, 0))))
    return examples
