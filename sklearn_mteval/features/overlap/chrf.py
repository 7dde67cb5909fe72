"""chrF and chrF++ (Popović 2015, 2017); counts and scores are sacreBLEU's, to the last bit."""

from functools import partial
from itertools import chain
from string import punctuation

import numpy as np

from sklearn_mteval._helpers.memo import Memo
from sklearn_mteval._helpers.options import check_boolean, check_order, check_within
from sklearn_mteval.features.base import first_best, ngram_totals, work_on_pairs
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.tokens import flatten
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
        precisions, recalls = ratio(matches, hypothesis, 0.0), ratio(matches, reference, 0.0)
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
    """Check chrF's options; with ``eps_smoothing`` it is the mean of all orders' F-scores."""
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


_PUNCTUATION = frozenset(punctuation)
_EPSILON = 1e-16  # what sacreBLEU's eps_smoothing takes for a ratio of nothing to nothing


def chrf_counts(sets, *, beta, eps_smoothing=False, **options):
    """Count matches, and n-grams of both texts, characters first: (n_pairs, 3 * orders)."""
    # One row for each hypothesis and each of its references: neighbours share a trie.
    hypotheses = [text for refs, group in sets for _ in refs for text in group]
    references = [text for refs, _ in sets for text in refs]
    sizes = [len(group) for refs, group in sets for _ in refs]
    reference_of = np.repeat(np.arange(len(references)), np.array(sizes, dtype=np.int64))
    counts = _count_rows(hypotheses, references, reference_of, **options)
    if len(references) == len(sets):
        return counts
    scores = f_scores(counts, beta=beta, eps_smoothing=eps_smoothing)
    pairs, n_pairs = [], 0  # the pair of each row
    for refs, group in sets:
        pairs.extend([*range(n_pairs, n_pairs + len(group))] * len(refs))
        n_pairs += len(group)
    return counts[first_best(np.array(pairs), -scores)]


def _count_rows(hypotheses, references, reference_of, **options):
    """Count matches and n-grams of hypotheses with the one reference of each."""
    from sklearn_mteval.features.overlap._ngrams import count_matches

    n, parts = len(hypotheses), []
    sets = np.arange(len(references) + 1)  # each reference is a set of its own
    for flat, bounds, order in units_of([*hypotheses, *references], **options):
        middle, totals = bounds[n], ngram_totals(np.diff(bounds), order)
        sides = flat[:middle], bounds[: n + 1], flat[middle:], bounds[n:] - middle
        matches = count_matches(*sides, reference_of, sets, order)
        parts.append((matches, totals[:n], totals[n:][reference_of]))
    return joined_counts(parts)


def units_of(texts, *, char_order, word_order, lowercase, whitespace):
    """Concatenate distinct texts as chrF reads them: characters, words, bounds, longest n-gram."""
    of = Memo(str.lower if lowercase else str)
    units = []
    if char_order:
        bare = Memo(lambda text: of[text] if whitespace else "".join(of[text].split()))
        read = [bare[text] for text in texts]
        encoded = "".join(read).encode("utf-32-le", "surrogatepass")
        codes = np.frombuffer(encoded, dtype="<u4").astype(np.int64)
        units.append((codes, np.cumsum([0, *map(len, read)]), char_order))
    if word_order:
        words = Memo(partial(_ids_of_word, {}))
        ids = Memo(lambda text: list(chain.from_iterable(map(words.__getitem__, of[text].split()))))
        units.append((*flatten([ids[text] for text in texts]), word_order))
    return units


def _ids_of_word(ids, word):
    """Number a word's tokens: chrF splits one mark off its end, or else off its beginning."""
    tokens = (word,)
    if len(word) > 1 and word[-1] in _PUNCTUATION:
        tokens = word[:-1], word[-1]
    elif len(word) > 1 and word[0] in _PUNCTUATION:
        tokens = word[0], word[1:]
    return [ids.setdefault(token, len(ids)) for token in tokens]


def joined_counts(parts):
    """Join matches, n-grams of hypotheses and of references, of each unit, for ``f_scores``."""
    # sacreBLEU counts no n-grams of a length that the reference has not.
    parts = [(m, np.where(theirs > 0, own, 0), theirs) for m, own, theirs in parts]
    return np.hstack([kind for kinds in zip(*parts, strict=True) for kind in kinds])


def f_scores(counts, *, beta, eps_smoothing):
    """Compute chrF in [0, 100] from counts, in sacreBLEU's order of operations, to the bit."""
    matches, hypothesis, reference = np.split(counts, 3, axis=1)
    factor = float(beta) ** 2
    if eps_smoothing:
        precision = ratio(matches, hypothesis, _EPSILON)
        recall = ratio(matches, reference, _EPSILON)
        scores = ratio((1 + factor) * precision * recall, factor * precision + recall, _EPSILON)
        return 100 * _sum(scores) / scores.shape[1]
    n_used = np.maximum(np.sum((hypothesis > 0) & (reference > 0), axis=1), 1)
    precision = _sum(ratio(matches, hypothesis, 0.0)) / n_used
    recall = _sum(ratio(matches, reference, 0.0)) / n_used
    return 100 * ratio((1 + factor) * precision * recall, factor * precision + recall, 0.0)


def _sum(columns):
    """Add columns one after another, as sacreBLEU does and ``sum`` does not."""
    return np.cumsum(columns, axis=1)[:, -1]
