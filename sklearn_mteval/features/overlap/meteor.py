"""METEOR and its components as features, as nltk computes it.

The metric of Banerjee and Lavie (2005), with parameters as Lavie and Agarwal (2007) put them.
"""

import numpy as np

from sklearn_mteval._helpers.options import check_boolean, check_within
from sklearn_mteval._helpers.restored import is_number
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.features.base import first_best, warn_of_tokenizer, work_on_pairs
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.tokens import load_tokenizer
from sklearn_mteval.text.transformer import TextTransformer
from sklearn_mteval.text.wordnet import find_wordnet

_NAMES = (
    "exact_matches", "stem_matches", "synonym_matches", "chunks", "hypothesis_length",
    "reference_length", "fragmentation", "precision", "recall", "f_mean", "penalty", "score",
)  # fmt: skip


class METEORComp(TextTransformer):
    """Components of METEOR for each candidate translation.

    Scores equal nltk's ``meteor_score`` to the last bit, on the same tokens and synonyms.

    Parameters
    ----------
    alpha : float, default=0.9
        Weight of recall in the F mean, in [0, 1]: 0 is precision, 1 is recall.
    beta : float, default=3.0
        Exponent of fragmentation in the penalty, at least 0.
    gamma : float, default=0.5
        Highest penalty, in [0, 1].
    lowercase : bool, default=True
        Whether to lowercase hypotheses and references first. Stems are always in lower case.
    wordnet : path-like, "auto" or None, default=None
        Where synonyms come from: a folder with the database files of WordNet 3.0, or nltk's
        ``wordnet.zip``. None: there is no synonym stage. "auto", whose scores depend on the
        machine, takes the first that is there of: the environment variable ``WNSEARCHDIR``,
        ``WNHOME`` (its folder ``dict``), ``/usr/share/wordnet``, nltk's data path, else None.
    tokenize, n_jobs : see BLEUComp
        The same.

    Attributes
    ----------
    wordnet_ : str or None
        The WordNet folder in use; None: no synonym stage. Where it is not there, ``transform``
        raises an error: a saved model with synonyms is not used without them.

    Notes
    -----
    The 12 output columns, all finite and not negative; of several references, the numbers
    against the one with the highest score (the first of those):

    - ``meteor_exact_matches``, ``meteor_stem_matches``, ``meteor_synonym_matches``: words
      aligned in each stage (counts; higher is better). The last is 0 without WordNet, so that
      names and widths do not depend on the machine;
    - ``meteor_chunks``: runs of matches that are neighbours on both sides (a count; lower is
      better for as many matches);
    - ``meteor_hypothesis_length``, ``meteor_reference_length``: in tokens;
    - ``meteor_fragmentation``: chunks / matches in [0, 1], lower is better, 0 without matches;
    - ``meteor_precision``, ``meteor_recall``: matches / length of hypothesis and reference in
      [0, 1], higher is better, 0 for an empty text;
    - ``meteor_f_mean``: P R / (α P + (1 − α) R) in [0, 1], higher is better;
    - ``meteor_penalty``: γ · fragmentation^β in [0, γ], lower is better, 0 without matches;
    - ``meteor_score``: (1 − penalty) · F mean in [0, 1], higher is better.

    As in nltk, synonyms are those of the *stem* of a word, compared with stems of the reference,
    and the alignment is greedy. The METEOR 1.x program has other parameters, paraphrases and a
    search for the fewest chunks.

    References
    ----------
    Banerjee and Lavie 2005, section 2.2 (stages, chunks, penalty); Lavie and Agarwal 2007,
    section 2 (α, β, γ); Porter 1980; Fellbaum 1998 (WordNet); Guzmán et al. 2015, 2017.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import METEORComp
    >>> X = pd.DataFrame({"hypothesis": ["the dogs bark"], "reference": ["the dog barked at me"]})
    >>> features = METEORComp().set_output(transform="pandas").fit_transform(X)
    >>> features[["meteor_stem_matches", "meteor_chunks", "meteor_penalty", "meteor_score"]]
       meteor_stem_matches  meteor_chunks  meteor_penalty  meteor_score
    0                  2.0            1.0        0.018519      0.613426
    """

    def __init__(
        self, *, alpha: float = 0.9, beta: float = 3.0, gamma: float = 0.5, tokenize: str = "13a",
        lowercase: bool = True, wordnet: PathLike | None = None, n_jobs: int | None = None
    ):  # fmt: skip
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.tokenize = tokenize
        self.lowercase = lowercase
        self.wordnet = wordnet
        self.n_jobs = n_jobs

    def _fit(self, X):
        self.wordnet_ = prepare_meteor((), **self._options())["wordnet"]
        self._remember_table(X)
        warn_of_tokenizer(X, self.tokenize)

    def _is_whole(self):
        return are_options({**self._options(), "wordnet": self.wordnet_})

    def _transform(self, X):
        options = {**self._options(), "wordnet": self.wordnet_}
        return work_on_pairs(meteor_counts, X, n_jobs=self.n_jobs, **options)

    def _output_names(self):
        return [f"meteor_{name}" for name in _NAMES]


def prepare_meteor(
    references, *, alpha=0.9, beta=3.0, gamma=0.5, tokenize="13a", lowercase=True, wordnet=None
):
    """Check METEOR's options and find WordNet; return what ``meteor_scores`` is called with."""
    check_within("alpha", alpha, 0, 1)
    check_within("beta", beta, 0)
    check_within("gamma", gamma, 0, 1)
    load_tokenizer(tokenize)
    check_boolean(lowercase=lowercase)
    found = find_wordnet(wordnet)
    return {
        "alpha": alpha, "beta": beta, "gamma": gamma,
        "tokenize": tokenize, "lowercase": lowercase, "wordnet": found,
    }  # fmt: skip


def are_options(options):
    """Tell whether these can be what ``prepare_meteor`` returned, perhaps on another machine."""
    parts = (is_number(options[name], 0, 1) for name in ("alpha", "gamma"))
    texts = (isinstance(options[name], str | None) for name in ("tokenize", "wordnet"))
    flag = isinstance(options["lowercase"], bool)
    return all(parts) and all(texts) and flag and is_number(options["beta"], 0)


def meteor_scores(sets, **options):
    """Score distinct pairs in [0, 1]; of several references the best."""
    return meteor_counts(sets, **options)[:, -1]


def meteor_counts(sets, *, alpha, beta, gamma, tokenize, lowercase, wordnet):
    """Compute METEORComp's columns of distinct pairs, against the reference with the best score."""
    from sklearn_mteval.features.overlap._meteor_alignment import align

    folder = find_wordnet(wordnet)  # again: a model that had one is not used without
    row, counts, lengths = align(sets, tokenize=tokenize, lowercase=lowercase, wordnet=folder)
    components = _components(counts, lengths, float(alpha), float(beta), float(gamma))
    return components[first_best(row, -components[:, -1])]


def _components(counts, lengths, alpha, beta, gamma):
    """Compute the columns of :class:`METEORComp` from matches and chunks, and lengths."""
    matches, chunks = counts[:, :3].sum(axis=1), counts[:, 3]
    precision, recall = ratio(matches, lengths[:, 0], 0.0), ratio(matches, lengths[:, 1], 0.0)
    f_mean = ratio(precision * recall, alpha * precision + (1 - alpha) * recall, 0.0)
    fragmentation = ratio(chunks, matches, 0.0)
    # Python's power is the C library's; numpy's vectorised one differs in the last bit.
    powers = np.array([part**beta for part in fragmentation.tolist()])
    penalty = np.where(matches > 0, gamma * powers, 0.0)
    score = (1 - penalty) * f_mean
    return np.column_stack(
        [counts, lengths, fragmentation, precision, recall, f_mean, penalty, score]
    )
