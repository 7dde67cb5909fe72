"""Translation edit rate (TER, Snover et al. 2006) as features; edits are sacreBLEU's."""

import warnings

import numpy as np

from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval.features.base import flatten_sets, language_of_references, work_on_pairs
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.tokenizers import UNSPACED
from sklearn_mteval.text.tokens import TokenInterner
from sklearn_mteval.text.transformer import TextTransformer

_EDITS = ("insertion", "deletion", "substitution", "shift")


class TERComp(TextTransformer):
    """Components of the translation edit rate, as sacreBLEU counts it, for each translation.

    Parameters
    ----------
    normalized : bool, default=False
        Whether to normalise and split off punctuation, as Tercom does; else words are what
        stands between spaces.
    no_punct : bool, default=False
        Whether to remove punctuation.
    asian_support : bool, default=False
        Whether ``normalized`` and ``no_punct`` treat Chinese and Japanese characters too.
    case_sensitive : bool, default=False
        Whether case counts.
    n_jobs : int or None, default=None
        Processes; the result does not depend on it.

    Notes
    -----
    The 12 output columns, all finite; of edits and their rates fewer are better, of lengths
    neither:

    - ``ter_insertions``, ``ter_deletions``: words of the hypothesis that the reference lacks, and
      words of the reference that the hypothesis lacks;
    - ``ter_substitutions``: words of the hypothesis that stand for others of the reference;
    - ``ter_shifts``: blocks of words moved to another place before these were counted;
    - ``ter_edits``: the sum of these four;
    - ``ter_hypothesis_length``, ``ter_reference_length``: in tokens; of several references
      the mean;
    - ``ter_insertion_rate``, ``ter_deletion_rate``, ``ter_substitution_rate``,
      ``ter_shift_rate``: edits / reference length, 0 for an empty reference;
    - ``ter_score``: −TER, −100 times edits / reference length: **higher is better**, 0 is
      best. Against an empty reference an empty hypothesis has 0, any other −100.

    Insertions and deletions are errors of the translation, as in Tercom and TERp (mending an
    insertion deletes a word). Of several references the edits are those to the one that needs
    fewest, the first if several do. As in sacreBLEU, the edits of long texts need not be the
    fewest (beam, 1,000 shifts), and references are tokenised twice, so that under ``normalized``
    a hypothesis that equals its reference may have edits.

    References
    ----------
    Snover et al. 2006, section 3 (TER); Snover et al. 2009 (TERp); Post 2018 (sacreBLEU);
    Guzmán et al. 2015 (components as features).

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import TERComp
    >>> X = pd.DataFrame({"hypothesis": ["on the mat the cat sat down"],
    ...                   "reference": ["the cat sat on a mat"]})
    >>> features = TERComp().set_output(transform="pandas").fit_transform(X)
    >>> features[["ter_insertions", "ter_substitutions", "ter_shifts", "ter_score"]]
       ter_insertions  ter_substitutions  ter_shifts  ter_score
    0             1.0                1.0         1.0      -50.0
    """

    def __init__(
        self, *, normalized: bool = False, no_punct: bool = False, asian_support: bool = False,
        case_sensitive: bool = False, n_jobs: int | None = None
    ):  # fmt: skip
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive
        self.n_jobs = n_jobs

    def _fit(self, X):
        options = prepare_ter((), **self._options())
        self._remember_table(X)
        warn_of_ter(language_of_references(X), options)

    def _is_whole(self):
        return bool(prepare_ter((), **self._options()))

    def _transform(self, X):
        counts = work_on_pairs(ter_counts, X, n_jobs=self.n_jobs, **self._options())
        edits, lengths = counts[:, :4], counts[:, 4:]
        rates = ratio(edits, lengths[:, 1:], 0.0)
        return np.column_stack([edits, edits.sum(axis=1), lengths, rates, _scores(counts)])

    def _output_names(self):
        rates = [f"{kind}_rate" for kind in _EDITS]
        names = [f"{kind}s" for kind in _EDITS] + ["edits", "hypothesis_length", "reference_length"]
        return [f"ter_{name}" for name in (*names, *rates, "score")]


def prepare_ter(
    references, *, normalized=False, no_punct=False, asian_support=False, case_sensitive=False
):
    """Check TER's options, and return what ``ter_scores`` is called with."""
    options = {
        "normalized": normalized, "no_punct": no_punct,
        "asian_support": asian_support, "case_sensitive": case_sensitive,
    }  # fmt: skip
    check_boolean(**options)
    return options


def ter_options(language):
    """Return the options that split what a language writes without spaces, as sacreBLEU can."""
    return {"normalized": True, "asian_support": True} if language in ("zh", "yue", "ja") else {}


def warn_of_ter(language, options):
    """Warn where TER, of these options, takes sentences for words."""
    needed = ter_options(language)
    if language in UNSPACED and not (needed and needed.items() <= options.items()):
        cure = "use normalized=True, asian_support=True" if needed else "leave it out"
        warnings.warn(
            "TER parts words at spaces, which the references do not have between words; their "
            f"language is {language!r}: {cure}.",
            stacklevel=4,
        )


def ter_scores(sets, **options):
    """Score distinct pairs: −TER, at most 0, sacreBLEU's score with the sign changed."""
    return _scores(ter_counts(sets, **options))


def ter_counts(sets, **options):
    """Count insertions, deletions, substitutions, shifts, both texts' tokens: (n_pairs, 6)."""
    from sacrebleu.metrics import TER

    from sklearn_mteval.features.overlap._ter_kernel import count_edits

    tokenize = TER(**options).tokenizer
    tokens = TokenInterner(tokenize, lowercase=False)
    # sacreBLEU tokenises references twice, which a few normalised texts show ("it's.").
    twice = [
        (tuple(tokenize(text.rstrip()) for text in references), group) for references, group in sets
    ]
    flat = flatten_sets(twice, tokens)
    edits = count_edits(*flat, len(tokens.words))
    return np.column_stack([edits, flat.hypothesis_lengths(), flat.mean_reference_lengths()])


def _scores(counts):
    """Compute −TER, to the bit as sacreBLEU does but for the sign."""
    edits, reference_length = counts[:, :4].sum(axis=1), counts[:, -1]
    return 0 - 100 * ratio(edits, reference_length, edits > 0)  # not -0.0
