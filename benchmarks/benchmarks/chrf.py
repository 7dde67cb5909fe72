"""chrF, its components and chrF++ against sacreBLEU's sentence_score."""

import pandas as pd

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import ChrFComp

from .common import data_dir, seconds


def sacrebleu_seconds(X, **options):
    """Time sacreBLEU's loop once; chrF there has no caches to empty."""
    from sacrebleu.metrics import CHRF

    pairs = list(zip(X["hypothesis"], X["reference"], strict=True))

    def loop():
        metric = CHRF(**options)
        for hypothesis, reference in pairs:
            metric.sentence_score(hypothesis, [reference])

    return seconds(loop, repeat=1)


class RealTexts:
    """20,000 distinct hypotheses of WMT15 (5,000 for chrF++), with punctuation as it is."""

    unit = "times as fast"

    def setup_cache(self):
        tables = [
            load_wmt(data_dir() / "wmt15", pair, return_X_y=True)[0]
            for pair in ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
        ]
        return pd.concat(tables).drop_duplicates("hypothesis").iloc[:20000]

    def track_ratio_to_sacrebleu(self, X):
        transformer = ChrFComp().fit(X)
        return sacrebleu_seconds(X) / seconds(lambda: transformer.transform(X))

    def track_ratio_to_sacrebleu_with_words(self, X):
        X = X.iloc[:5000]
        transformer = ChrFComp(word_order=2).fit(X)
        theirs = sacrebleu_seconds(X, word_order=2)
        return theirs / seconds(lambda: transformer.transform(X))

    def peakmem_transform(self, X):
        ChrFComp().fit_transform(X)
