"""NIST's score against nltk's sentence_nist, and what fitting its weights costs."""

import pandas as pd

from sklearn_mteval import kendall_tau
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import NISTScore

from .common import data_dir, seconds


def _nltk_seconds(X):
    """Time nltk's loop once, with texts tokenised as ours are."""
    from nltk.translate.nist_score import sentence_nist
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    pairs = list(zip(X["hypothesis"], X["reference"], strict=True))

    def loop():
        Tokenizer13a.__call__.cache_clear()
        TokenizerRegexp.__call__.cache_clear()
        tokenizer = Tokenizer13a()
        for hypothesis, reference in pairs:
            words = [tokenizer(text.lower()).split() for text in (reference, hypothesis)]
            sentence_nist(words[:1], words[1])

    return seconds(loop, repeat=1)


class RealTexts:
    """20,000 distinct hypotheses of WMT15 of five words and more: of less nltk crashes."""

    unit = "times as fast"

    def setup_cache(self):
        tables = [
            load_wmt(data_dir() / "wmt15", pair, return_X_y=True)[0]
            for pair in ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
        ]
        X = pd.concat(tables).drop_duplicates("hypothesis")
        return X[X["hypothesis"].str.split().str.len() >= 5].iloc[:20000]

    def track_ratio_to_nltk(self, X):
        transformer = NISTScore().fit(X)
        X = X.iloc[:5000]
        return _nltk_seconds(X) / seconds(lambda: transformer.transform(X))

    def peakmem_fit_transform(self, X):
        NISTScore().fit_transform(X)


class Fitting:
    """Time for each reference must not grow with their number; hypotheses serve as such."""

    unit = "microseconds for each reference"
    params = (5_000, 20_000, 60_000)
    param_names = ("n_references",)

    def setup_cache(self):
        tables = [
            load_wmt(data_dir() / campaign, pair, return_X_y=True)[0]
            for campaign, pairs in (
                ("wmt15", ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")),
                ("wmt13", ("fr-en",)),
                ("wmt12", ("cs-en", "de-en")),
            )
            for pair in pairs
        ]
        texts = pd.concat(tables).drop_duplicates("hypothesis").sample(frac=1, random_state=0)
        return texts.assign(reference=texts["hypothesis"])

    def track_time_for_each(self, X, n_references):
        X = X.iloc[:n_references]
        return 1e6 * seconds(lambda: NISTScore().fit(X), repeat=1) / n_references


class Quality:
    """Strict tau on WMT12; the papers have 19.66 (cs-en) and 23.09 (de-en)."""

    unit = "tau x 100"
    params = ("cs-en", "de-en")
    param_names = ("language_pair",)

    def setup(self, pair):
        self.X, self.y = load_wmt(data_dir() / "wmt12", pair, return_X_y=True)

    def _tau(self, transformer):
        scores = transformer.transform(self.X)[:, 0]
        groups = self.X.index.droplevel("system")
        return 100 * kendall_tau(self.y, scores, groups=groups)

    def track_tau(self, pair):
        return self._tau(NISTScore().fit(self.X))

    def track_tau_with_case(self, pair):
        return self._tau(NISTScore(lowercase=False).fit(self.X))

    def track_tau_with_weights_of_wmt13(self, pair):
        others = load_wmt(data_dir() / "wmt13", "fr-en", return_X_y=True)[0]
        return self._tau(NISTScore().fit(others))
