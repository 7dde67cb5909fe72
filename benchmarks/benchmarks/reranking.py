"""Minimum Bayes risk of lists of 100 candidates, against plain double loops and fastchrf.

n-best lists are not among the data: candidates are spliced of the outputs of the systems of a
segment, the beginning of one and the end of another, so that most words are shared, as in n-best
lists.
"""

import random

import numpy as np

from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations
from sklearn_mteval.models import rerank

from .common import data_dir, seconds

N_CANDIDATES, N_LISTS, N_PEER = 100, 50, 3
APPROXIMATIONS = ("aggregate", "prune", "low-rank")


def spliced_lists(n_lists=N_LISTS, n_candidates=N_CANDIDATES):
    """Make lists of different candidates of WMT15 de-en."""
    X = load_wmt_translations(data_dir() / "wmt15", "de-en")
    rng, lists = random.Random(0), []
    for _, texts in X["hypothesis"].groupby(level="segment"):
        texts = sorted(set(texts))
        found = dict.fromkeys(texts)
        for _ in range(20 * n_candidates):
            if len(found) >= n_candidates or len(texts) < 5:
                break
            one, other = (text.split() for text in rng.sample(texts, 2))
            cut = rng.random()
            found[" ".join([*one[: int(cut * len(one))], *other[int(cut * len(other)) :]])] = None
        if len(found) >= n_candidates:
            lists.append([*found][:n_candidates])
        if len(lists) == n_lists:
            break
    return lists


def choices(found):
    """Tell which candidate of each list is chosen."""
    return found.index[found["chosen"]].get_level_values("system").to_numpy() - 1


class Lists:
    """Seconds for 1,000 lists of 100 candidates, and how many times as fast as others."""

    unit = "seconds for 1,000 lists"

    def setup_cache(self):
        lists = spliced_lists()
        rerank(lists[:2], utility=["chrf", "bleu", "alignment"])  # compiled, loaded
        return lists

    def _for_1000(self, lists, **options):
        return 1000 / len(lists) * seconds(lambda: rerank(lists, **options), repeat=1)

    def track_chrf(self, lists):
        return self._for_1000(lists)

    def track_chrf_with_words(self, lists):
        return self._for_1000(lists, utility="chrf++")

    def track_bleu(self, lists):
        return self._for_1000(lists, utility="bleu")

    def track_alignment(self, lists):
        return self._for_1000(lists, utility="alignment")

    def track_chrf_aggregate(self, lists):
        return self._for_1000(lists, approximation="aggregate")

    def track_chrf_ratio_to_sacrebleu(self, lists):
        from sacrebleu.metrics import CHRF

        metric, some, best = CHRF(), lists[:N_PEER], []

        def loop():
            for texts in some:
                values = [
                    np.mean([metric.sentence_score(h, [r]).score for r in texts]) for h in texts
                ]
                best.append(int(np.argmax(values)))

        theirs = seconds(loop, repeat=1)
        assert choices(rerank(some)).tolist() == best[:N_PEER]
        return theirs / seconds(lambda: rerank(some))

    track_chrf_ratio_to_sacrebleu.unit = "times as fast"

    def track_chrf_ratio_to_fastchrf(self, lists):
        """Against the Rust loop that mbrs calls."""
        fastchrf = _fastchrf()

        def theirs():
            return np.mean(fastchrf.pairwise_chrf(lists, lists), axis=2)

        assert (choices(rerank(lists)) == theirs().argmax(axis=1)).mean() > 0.95  # single precision
        return seconds(theirs, repeat=1) / seconds(lambda: rerank(lists), repeat=1)

    track_chrf_ratio_to_fastchrf.unit = "times as fast"

    def track_aggregate_ratio_to_fastchrf(self, lists):
        fastchrf = _fastchrf()
        theirs = seconds(lambda: fastchrf.aggregate_chrf(lists, lists), repeat=1)
        return theirs / seconds(lambda: rerank(lists, approximation="aggregate"), repeat=1)

    track_aggregate_ratio_to_fastchrf.unit = "times as fast"


class Approximations:
    """What approximations of chrF-MBR lose: of the way from the median candidate to the best."""

    params = APPROXIMATIONS
    param_names = ("approximation",)

    def setup_cache(self):
        lists = spliced_lists()
        return lists, rerank(lists)

    def track_loss(self, given, approximation):
        lists, exact = given
        found = rerank(lists, approximation=approximation)
        values = exact["value"].groupby(level="segment")
        reached = exact["value"][found["chosen"]].to_numpy()
        return float(np.mean((values.max() - reached) / (values.max() - values.median())))

    track_loss.unit = "of the way from the median candidate to the best"

    def track_same_choice(self, given, approximation):
        lists, exact = given
        return np.mean(choices(rerank(lists, approximation=approximation)) == choices(exact))

    track_same_choice.unit = "of the lists"

    def track_utilities_asked(self, given, approximation):
        lists, exact = given
        found = rerank(lists, approximation=approximation)
        return found["compared"].sum() / exact["compared"].sum()

    track_utilities_asked.unit = "of all utilities"


def _fastchrf():
    """Import fastchrf, or tell asv to skip."""
    try:
        import fastchrf
    except ImportError:
        raise NotImplementedError("fastchrf is not installed") from None
    return fastchrf
