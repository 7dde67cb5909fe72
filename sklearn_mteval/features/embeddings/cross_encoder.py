"""An encoder that reads a translation with its source, reference or both, trained on judgements."""

from itertools import chain, compress
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.options import (
    check_boolean,
    check_one_of,
    check_within,
)
from sklearn_mteval._helpers.restored import is_dict_of, is_list_of, is_number
from sklearn_mteval._helpers.types import PathLike, Seed
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.base import work_on_pairs
from sklearn_mteval.features.embeddings._cross_encoder_examples import (
    SCALES,
    check_targets,
    check_weights,
    contexts_of,
    example_of,
    readings_of,
    together,
)
from sklearn_mteval.features.embeddings._cross_encoding import CrossEncoding
from sklearn_mteval.features.embeddings._ranked_segments import (
    RankedTransformer,
    check_decided,
    cross_fitted,
    folds_of,
    ranked_segments,
)

_MOST_TARGETS = 1000


class CrossEncoder(CrossEncoding, RankedTransformer):
    """Train an encoder that reads a translation with its source, its reference or both.

    Small adapters in the encoder's layers and a small network above them are trained on which of
    two translations of a segment is better, and on graded targets where there are some, such as
    direct assessments or whether a translation is free of errors.

    Parameters
    ----------
    encoder : path-like or str
        A folder with a sentence-transformers model, or a name on the Hugging Face hub.
    columns : list or tuple of str, default=("source", "hypothesis")
        What is read together: "hypothesis", with "source", "reference" or both.
    text_dropout : float, default=0.0
        Of three texts: how often the source is left out in training, and how often the reference,
        at most 0.5 each, of all translations of a segment. If above 0, ``transform`` takes a table
        without one of these columns; otherwise too a text that is not there is an empty one.
    adapter_rank : int, default=16
        Columns of the thin matrices of an adapter.
    n_frozen_layers : int, default=3
        Lowest layers of the encoder that have no adapters.
    max_epochs : int, default=1
        Passes over the segments; in each, six translations of a segment at most, drawn at random.
    learning_rate : float, default=0.0007
        Of the adapters, after a tenth of the steps, 40 at most; from there it falls to nothing.
    target_scale : {"linear", "sqrt", "log"}, default="linear"
        How targets that are numbers are learnt: as they are, or by the square root of their size or
        the logarithm of 1 + it, with their sign. Of MQM penalties, where a few are very large.
    margin : float, default=0.0
        By how much the better of two scores must be higher, for each standard deviation that the
        targets differ by.
    cv : int or None, default=3
        Parts of the segments in ``fit_transform``; see there. None: no cross-fitting.
    dtype, batch_size, device, n_threads, local_files_only, progress : see TokenAlignment
        The same; training is in ``dtype`` as well.
    random_state : int, RandomState or None, default=0
        Seed of the adapters and of the order of training.
    warm_start : bool, default=False
        Whether ``fit`` begins with what the last one has learnt, of another table, say. The network
        above the encoder begins anew where ``columns`` are others; what it says of targets, where
        these are.
    checkpoint : path-like or None, default=None
        A folder where training is written down each five minutes. A ``fit`` of the same table with
        the same parameters goes on from there, and has the same bits as one that was not stopped.
        Files of a finished training may be deleted.
    n_jobs : int or None, default=None
        Processes that share each step of a training, four at most, each with an encoder of its own
        in memory. They change no bit.

    Attributes
    ----------
    targets_ : list of str
        Names of the targets.
    scales_ : dict
        Of each target, mean and standard deviation of a number, on ``target_scale``; None of a
        label (0 or 1).
    weights_ : dict
        What was trained, name → array.
    losses_ : ndarray of shape (n_parts,), float64
        Mean losses of tenths of the training, one after another.
    fingerprint_ : str
        SHA-256 of the model's files.

    See Also
    --------
    LearnedTokenAlignment : Texts encoded by themselves, then aligned.

    Notes
    -----
    Columns:

    ===========================  ==================================================================
    ``crossencoder_score``       higher is better, on the scale of logits: a difference of d says
                                 that judges prefer the one with odds of e^d
    ``crossencoder_TARGET``      of each target: of a number, what is expected, in its own units; of
                                 a label, the probability of 1, in [0, 1]
    ===========================  ==================================================================

    Of several references the one with the highest score counts. Texts that have more than 256
    tokens together (384 where three are read) are cut, the longest one first. Segments with such
    texts are not cut in training: their translations are read in the windows of
    :class:`~sklearn_mteval.pairwise.Windowed`, of 450 letters at most.

    *Training.* The loss of two translations of one segment that were ranked in one ranking is
    logistic, log(1 + exp(m − (s1 − s2))), where m is the ``margin`` times the difference of their
    targets that are numbers, standardised, 0 where there are none; each decision counts with the
    square root of how often it was made. Of what is read in windows, s1 − s2 is the mean over the
    windows that the translations have in common, by their width, as at use; what one has added
    counts as a window that it loses with a probability of 0.98. Targets of such texts are not
    learnt: penalties of a paragraph add up, and say nothing of one window. Added are Huber's loss
    of numbers, standardised, times 0.7, and the logistic loss of labels, times 0.3. AdamW, 64
    translations a step. Adapters are of low rank (Hu et al. 2022), next to each linear layer. The
    judge above the encoder reads the means of each text's tokens, and of source and reference the
    difference from the translation and the product with it (as Rei et al. 2020), and has one hidden
    layer of 128.

    *Cost.* Some 60 pairs of sentences a second and core with 12 layers of 384 dimensions in
    bfloat16. Training is several times slower: to save memory it computes layers twice. It holds
    the texts, and what gradients need of 256 tokens at a time (on other devices of a batch): with
    multilingual-e5-small in bfloat16, and 30,000 rows of sentences, some 1.5 GB in all; each of
    ``n_jobs`` processes has an encoder of its own. What is saved are the adapters and the network,
    2 bytes a weight: 2.4 MB for such an encoder.

    What is learnt depends neither on the order of rows nor on names, to the bit on one machine with
    one thread of a processor. Training and use need ``pip install "sklearn-mteval[encoders]"``.

    References
    ----------
    Hu et al. 2022, LoRA; Rei et al. 2020, COMET, section 2; Ranasinghe, Orasan and Mitkov 2020,
    TransQuest, section 3 (source and translation read together); Wan et al. 2022, UniTE (three
    texts, of which one may be missing).

    Examples
    --------
    >>> from sklearn_mteval.features import CrossEncoder
    >>> judge = CrossEncoder("multilingual-e5-small", adapter_rank=8)
    >>> judge.get_params()["columns"]
    ('source', 'hypothesis')
    """

    def __init__(
        self, encoder: PathLike, *, columns: list[str] | tuple[str, ...] = ("source", "hypothesis"),
        text_dropout: float = 0.0, adapter_rank: int = 16, n_frozen_layers: int = 3,
        max_epochs: int = 1, learning_rate: float = 0.0007, target_scale: str = "linear",
        margin: float = 0.0, cv: int | None = 3, dtype: str = "float32", batch_size: int = 16,
        device: str = "cpu", n_threads: int = 1, local_files_only: bool = True,
        random_state: Seed = 0, warm_start: bool = False, checkpoint: PathLike | None = None,
        n_jobs: int | None = None, progress: bool = False
    ):  # fmt: skip
        self.encoder = encoder
        self.columns = columns
        self.text_dropout = text_dropout
        self.adapter_rank = adapter_rank
        self.n_frozen_layers = n_frozen_layers
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.target_scale = target_scale
        self.margin = margin
        self.cv = cv
        self.dtype = dtype
        self.batch_size = batch_size
        self.device = device
        self.n_threads = n_threads
        self.local_files_only = local_files_only
        self.random_state = random_state
        self.warm_start = warm_start
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(
        self, X: pd.DataFrame, y: ArrayLike, targets: pd.DataFrame | None = None,
        sample_weight: ArrayLike | None = None
    ) -> Self:  # fmt: skip
        """Train on all segments.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With all columns that are read, indexed by segment and system, and by ranking if a
            segment was ranked several times. A segment may have one row only, if it has a target.
        y : array-like of shape (n_candidates,)
            Rank-like, lower is better, ties allowed.
        targets : DataFrame of shape (n_candidates, n_targets), optional
            Graded targets of the same rows, NaN where there is none. A column of 0 and 1 is a
            label, any other a number.
        sample_weight : array-like of shape (n_candidates,), optional
            Above 0. A segment's decisions and targets count with the mean of its rows: with 1 / n
            of a language pair of n rows, say, all pairs count equally.

        Returns
        -------
        CrossEncoder
            The transformer itself.

        Raises
        ------
        ValueError
            If a parameter has no such value, the model cannot be used, or training diverges; as
            CandidateError, if the table is none, targets do not fit it, or nothing can be learnt.
        ImportError
            If the extra ``[encoders]`` is not installed.
        """
        self._learn(X, y, targets, sample_weight)
        return self

    def _learn(self, X, y, targets=None, sample_weight=None, *, n_folds=0):
        """Train on all segments; return each fold's columns by a copy trained on the others."""
        examples, segments, labels = self._prepared(X, y, targets, sample_weight)
        folds = folds_of(segments, n_folds)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=1 + n_folds)
        start = dict(self.weights_) if self.warm_start and hasattr(self, "weights_") else {}
        self._train(examples, seeds[0], labels, start)

        def train(judge, chosen, seed):
            judge._train(compress(examples, chosen), seed, labels, start)

        return cross_fitted(self, X, segments, folds, seeds[1:], train)

    def _prepared(self, X, y, targets, weights):
        """Check everything; return examples, their segments, and which targets are labels."""
        self._check_training()
        check_within("margin", self.margin, 0)
        check_one_of("target_scale", self.target_scale, SCALES)
        check_boolean(warm_start=self.warm_start)
        contexts = contexts_of(self.columns)
        check_within("text_dropout", self.text_dropout, 0, 0.5)
        if self.text_dropout and len(contexts) < 2:
            raise ValueError("text_dropout must be 0 unless three texts are read.")
        self._remember_table(X, (*contexts, "hypothesis"))
        table = together(X, contexts)
        names, values = check_targets(targets, X)
        # By all values, so that each fold takes a target for the same.
        labels = [bool(np.isin(v[~np.isnan(v)], (0, 1)).all()) for v in values.T]
        numbers = np.array(labels) == 0
        values[:, numbers] = SCALES[self.target_scale][0](values[:, numbers])
        weights = check_weights(weights, X)
        segments = ranked_segments(table, y)
        texts = check_texts(table, "hypothesis"), check_texts(table, "reference", several=True)
        rows = list(zip(*texts, strict=True))
        found = [example_of(s, rows, values, weights, len(contexts)) for s in segments]
        import_extra("torch", "encoders", "A cross-encoder")
        fingerprint = self._open_model().fingerprint
        if self.warm_start and getattr(self, "fingerprint_", fingerprint) != fingerprint:
            raise ValueError("warm_start: encoder is not the one of the last fit.")
        if getattr(self, "targets_", names) != names:  # a warm start knows nothing of these
            self.weights_ = {n: a for n, a in self.weights_.items() if not n.startswith("output.")}
        self.targets_, self.fingerprint_ = names, fingerprint
        return self._read_in_windows(found, contexts), segments, labels

    def _read_in_windows(self, examples, contexts):
        """Part the texts of segments that are too long to be read at once."""
        from sklearn_mteval.features.embeddings._cross_encoder_windows import in_windows
        from sklearn_mteval.features.embeddings._text_reader import TextReader

        reader = TextReader(self._open_model().loaded(), len(self.columns))
        return [in_windows(example, reader, contexts) for example in examples]

    def _train(self, examples, seed, labels, start):
        """Train on some segments, and keep what is learnt."""
        from sklearn_mteval.features.embeddings._cross_encoder_training import Scale

        examples = [e for e in examples if len(e.better) or not np.isnan(e.targets).all()]
        check_decided(examples)
        targets = np.concatenate([example.targets for example in examples])
        for name, column in zip(self.targets_, targets.T, strict=True):
            if np.isnan(column).all():
                raise CandidateError(
                    f"targets: no row has a value of {name!r} to train on; those of texts that are "
                    "too long to be read at once are not learnt."
                )
        scales = [Scale.of(*each) for each in zip(targets.T, labels, strict=True)]
        self._learn_weights(examples, scales, seed, start)
        kept = [None if s.label else (s.mean, s.deviation) for s in scales]
        self.scales_ = dict(zip(self.targets_, kept, strict=True))

    def _transform(self, X):
        contexts = contexts_of(self.columns)
        return work_on_pairs(self._judge, together(X, contexts, bool(self.text_dropout)))

    def _judge(self, sets):
        """Judge the hypotheses of sets, each with the best of its sources or references."""
        n = len(self.columns) - 1
        options = [readings_of(texts, hyp, n) for texts, group in sets for hyp in group]
        readings = sorted(set(chain.from_iterable(options)))
        number = {one: k for k, one in enumerate(readings)}
        found = self._answers(readings)
        for column, scale in zip(found.T[1:], self.scales_.values(), strict=True):
            if scale is None:
                column[:] = 1 / (1 + np.exp(-np.clip(column, -500, 500)))
            else:
                column[:] = SCALES[self.target_scale][1](column * scale[1] + scale[0])
        rows = []
        for some in options:
            of_one = found[[number[one] for one in some]]
            rows.append(of_one[of_one[:, 0].argmax()])
        return np.array(rows).reshape(-1, 1 + len(self.scales_))

    def _is_whole(self):
        scales = self.scales_
        return (
            self._has_network(1 + len(scales))
            and is_list_of(str, self.targets_, distinct=True)
            and len(self.targets_) <= _MOST_TARGETS
            and is_dict_of(scales, self.targets_, _is_scale)
            and list(scales) == self.targets_
            and self.target_scale in SCALES
        )

    def _output_names(self):
        return [f"crossencoder_{name}" for name in ("score", *self.targets_)]


def _is_scale(scale):
    """Tell whether this is None, or a mean and a standard deviation."""
    if scale is None:
        return True
    return type(scale) is tuple and len(scale) == 2 and all(map(is_number, scale)) and scale[1] > 0
