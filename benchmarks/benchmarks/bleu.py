"""BLEU components against sacreBLEU's sentence_score."""

import random

import pandas as pd

from sklearn_mteval import BLEUComp
from sklearn_mteval.datasets import load_wmt, make_rankings

from .common import data_dir, seconds


def _sacrebleu_seconds(X, tokenize="13a"):
    """Time sacreBLEU's loop once, its caches empty as they are for new texts."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp
    from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

    pairs = list(zip(X["hypothesis"], X["reference"], strict=True))

    def loop():
        Tokenizer13a.__call__.cache_clear()
        TokenizerRegexp.__call__.cache_clear()
        TokenizerZh.__call__.cache_clear()
        metric = BLEU(effective_order=True, tokenize=tokenize)
        for hypothesis, reference in pairs:
            metric.sentence_score(hypothesis, [reference])

    return seconds(loop, repeat=1)


class RealTexts:
    """20,000 distinct hypotheses of WMT15, with punctuation as it is."""

    unit = "times as fast"

    def setup_cache(self):
        tables = [
            load_wmt(data_dir() / "wmt15", pair, return_X_y=True)[0]
            for pair in ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
        ]
        return pd.concat(tables).drop_duplicates("hypothesis").iloc[:20000]

    def track_ratio_to_sacrebleu(self, X):
        transformer = BLEUComp().fit(X)
        return _sacrebleu_seconds(X) / seconds(lambda: transformer.transform(X))

    def track_ratio_of_two_jobs_to_one(self, X):
        one, two = BLEUComp().fit(X), BLEUComp(n_jobs=2).fit(X)
        return seconds(lambda: one.transform(X)) / seconds(lambda: two.transform(X))

    def peakmem_transform(self, X):
        BLEUComp().fit_transform(X)


class Chinese:
    """The sources of WMT23 zh-en; five hypotheses of each lack every eighth character."""

    unit = "times as fast"

    def setup(self):
        path = data_dir() / "wmt23" / "sources" / "zh-en.txt"
        draw, pairs = random.Random(0), []
        for line in path.read_text(encoding="utf-8").splitlines() * 5:
            kept = (char for char in line if draw.random() > 1 / 8)
            pairs.append(("".join(kept), line))
        self.X = pd.DataFrame(pairs, columns=["hypothesis", "reference"])

    def track_ratio_to_sacrebleu(self):
        transformer = BLEUComp(tokenize="zh").fit(self.X)
        ours = seconds(lambda: transformer.transform(self.X))
        return _sacrebleu_seconds(self.X, "zh") / ours


class Growth:
    """Time for each candidate must not grow with their number."""

    unit = "microseconds for each candidate"
    params = (5_000, 20_000, 80_000)
    param_names = ("n_candidates",)

    def track_time_for_each(self, n_candidates):
        X, _ = make_rankings(n_candidates // 5, 5)
        transformer = BLEUComp().fit(X)
        return 1e6 * seconds(lambda: transformer.transform(X), repeat=1) / n_candidates
