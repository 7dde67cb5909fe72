"""Character n-gram F-score, chrF, and with word n-grams chrF++ (Popović 2015, 2017).

Counts and scores are those of sacreBLEU, to the last bit.
"""

import numpy as np

from sklearn_mteval._helpers.options import check_boolean, check_order, check_within
from sklearn_mteval.features.base import ratio, work_on_pairs
from sklearn_mteval.features.overlap._chrf_counts import chrf_counts, f_scores
from sklearn_mteval.text.transformer import TextTransformer


class ChrFComp(TextTransformer):
    """Components of chrF or chrF++ for each candidate translation, and the score.

    Counts and scores equal sacreBLEU's.

    Parameters
    ----------
    char_order : int, default=6
        Longest character n-gram, at most 100; 0 for none.
    word_order : int, default=0
        Longest word n-gram, at most 100; 0 for none. 2 makes chrF++.
    beta : float, default=2
        How many times as much recall weighs as precision, from 0 to 1000.
    lowercase : bool, default=False
        Whether to lowercase hypotheses and references first.
    whitespace : bool, default=False
        Whether whitespace counts as characters.
    n_jobs : int or None, default=None
        Processes; the result does not depend on it.

    Notes
    -----
    The 5 (char_order + word_order) + 1 output columns, all finite and not negative; of each
    kind first the character n-grams, n from 1 to ``char_order``, then the word n-grams:

    - ``chrf_char_matches_n``, ``chrf_word_matches_n``: n-grams in common, each as often as
      the text that has it less often (a count; higher is better);
    - ``chrf_char_hypothesis_total_n``, …: n-grams of the hypothesis, 0 if the reference has
      none of this length (a count);
    - ``chrf_char_reference_total_n``, …: n-grams of the reference (a count);
    - ``chrf_char_precision_n``, …: matches / hypothesis total, in [0, 1], 0 where there is
      no n-gram (higher is better);
    - ``chrf_char_recall_n``, …: matches / reference total, likewise;
    - ``chrf_score``: in [0, 100], higher is better: the F-score of the mean precision and
      the mean recall over the orders of which both texts have n-grams.

    Of several references all columns describe the one with the best score, the first if
    several are best.

    References
    ----------
    Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation"; Popović 2017,
    "chrF++: words helping character n-grams"; Post 2018 (sacreBLEU).

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import ChrFComp
    >>> X = pd.DataFrame({"hypothesis": ["abab"], "reference": ["ab c"]})
    >>> features = ChrFComp(char_order=2).set_output(transform="pandas").fit_transform(X)
    >>> features[["chrf_char_matches_1", "chrf_char_recall_1", "chrf_score"]]
       chrf_char_matches_1  chrf_char_recall_1  chrf_score
    0                  2.0            0.666667   54.012346
    """

    def __init__(
        self, *, char_order: int = 6, word_order: int = 0, beta: float = 2, lowercase: bool = False,
        whitespace: bool = False, n_jobs: int | None = None
    ):  # fmt: skip
        self.char_order = char_order
        self.word_order = word_order
        self.beta = beta
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.n_jobs = n_jobs

    def _fit(self, X):
        prepare_chrf((), **self._options())
        self._remember_table(X)

    def _is_whole(self):
        return bool(prepare_chrf((), **self._options()))

    def _transform(self, X):
        counts = work_on_pairs(chrf_counts, X, n_jobs=self.n_jobs, **self._options())
        matches, hypothesis, reference = np.split(counts, 3, axis=1)
        precisions, recalls = ratio(matches, hypothesis), ratio(matches, reference)
        score = f_scores(counts, beta=self.beta, eps_smoothing=False)
        return np.column_stack([counts, precisions, recalls, score])

    def _output_names(self):
        names = [
            f"chrf_{unit}_{part}_{n}"
            for part in ("matches", "hypothesis_total", "reference_total", "precision", "recall")
            for unit, order in (("char", self.char_order), ("word", self.word_order))
            for n in range(1, order + 1)
        ]
        return [*names, "chrf_score"]


def prepare_chrf(
    references, *, char_order=6, word_order=0, beta=2, lowercase=False, whitespace=False,
    eps_smoothing=False
):  # fmt: skip
    """Check chrF's options, and return what ``chrf_scores`` is called with.

    With ``eps_smoothing`` the score is the mean of all orders' F-scores, 1e-16 where there is no
    n-gram, not the F-score of the means over the orders that both texts have.
    """
    check_order("char_order", char_order, minimum=0)
    check_order("word_order", word_order, minimum=0)
    if char_order + word_order == 0:
        raise ValueError("char_order or word_order must be >= 1, found 0 for both.")
    check_within("beta", beta, 0, 1000)
    flags = {"lowercase": lowercase, "whitespace": whitespace, "eps_smoothing": eps_smoothing}
    check_boolean(**flags)
    return {"char_order": char_order, "word_order": word_order, "beta": beta, **flags}


def chrf_scores(sets, *, beta, eps_smoothing, **options):
    """Score distinct pairs in [0, 100], as sacreBLEU does; of several references the best."""
    counts = chrf_counts(sets, beta=beta, eps_smoothing=eps_smoothing, **options)
    return f_scores(counts, beta=beta, eps_smoothing=eps_smoothing)
