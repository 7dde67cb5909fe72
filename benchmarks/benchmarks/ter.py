"""Translation edit rate against sacreBLEU's sentence_score."""

import numpy as np
import pandas as pd

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import TERComp
from sklearn_mteval.features.base import work_on_pairs
from sklearn_mteval.features.overlap.ter import ter_scores

from .common import data_dir, seconds


def _sacrebleu_seconds(X):
    """Time sacreBLEU's loop once, its caches empty as they are for new texts."""
    from sacrebleu.metrics import TER
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    pairs = list(zip(X["hypothesis"], X["reference"], strict=True))

    def loop():
        TercomTokenizer.__call__.cache_clear()
        metric = TER()
        for hypothesis, reference in pairs:
            metric.sentence_score(hypothesis, [reference])

    return seconds(loop, repeat=1)


def _wmt15(n_candidates):
    """Return distinct hypotheses of WMT15, a mixture of all language pairs."""
    tables = [
        load_wmt(data_dir() / "wmt15", pair, return_X_y=True)[0]
        for pair in ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
    ]
    X = pd.concat(tables).drop_duplicates("hypothesis")
    return X.sample(n_candidates, random_state=0)


class RealTexts:
    """2,000 distinct hypotheses of WMT15: as many as sacreBLEU does in seconds."""

    unit = "times as fast"

    def setup_cache(self):
        return _wmt15(2000)

    def track_ratio_of_scores_to_sacrebleu(self, X):
        return _sacrebleu_seconds(X) / seconds(lambda: work_on_pairs(ter_scores, X))

    def track_ratio_of_components_to_sacrebleu(self, X):
        transformer = TERComp().fit(X)
        return _sacrebleu_seconds(X) / seconds(lambda: transformer.transform(X))


class Growth:
    """Time for each candidate must not grow with their number."""

    unit = "microseconds for each candidate"
    params = (1_250, 5_000, 20_000)
    param_names = ("n_candidates",)

    def setup_cache(self):
        return _wmt15(20_000)

    def track_time_for_each(self, X, n_candidates):
        part = X[:n_candidates]
        transformer = TERComp().fit(part)
        return 1e6 * seconds(lambda: transformer.transform(part), repeat=1) / n_candidates


class LongTexts:
    """Two texts of so many words, of a thousand distinct ones."""

    unit = "milliseconds"
    params = (500, 2_000, 8_000)
    param_names = ("n_words",)

    def track_time(self, n_words):
        words = np.random.default_rng(0).integers(1000, size=(2, n_words)).astype(str)
        X = pd.DataFrame([[" ".join(text) for text in words]], columns=["hypothesis", "reference"])
        transformer = TERComp().fit(X)
        return 1e3 * seconds(lambda: transformer.transform(X))
