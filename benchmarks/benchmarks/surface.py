"""SurfaceCounts against a loop over sacreBLEU's tokens; its own rate."""

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import SurfaceCounts

from .common import data_dir, seconds


def _loop(X, known):
    """Count the same, text by text."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    for cached in (Tokenizer13a, TokenizerRegexp):  # sacreBLEU remembers what it has tokenised
        cached.__call__.cache_clear()
    tokenize = Tokenizer13a()
    for side in ("source", "hypothesis"):
        for text in X[side]:
            tokens = tokenize(text.lower()).split()
            (
                len(tokens),
                sum(map(len, tokens)) / max(len(tokens), 1),
                sum(not any(map(str.isalnum, token)) for token in tokens),
                tokens.count("."),
                tokens.count(","),
                sum(token not in known[side] and any(map(str.isalpha, token)) for token in tokens),
            )


class Counts:
    """The distinct translations of WMT13 fr-en, with their sources."""

    def setup_cache(self):
        X = load_wmt(data_dir() / "wmt13", "fr-en", return_X_y=True)[0]
        return X.drop_duplicates("hypothesis")

    def track_thousand_rows_per_second(self, X):
        transformer = SurfaceCounts(ratios=True).fit(X)
        return len(X) / seconds(lambda: transformer.transform(X)) / 1000

    def track_ratio_to_loop(self, X):
        transformer = SurfaceCounts().fit(X)
        known = {side: set(words) for side, words in transformer.vocabularies_.items()}
        ours = seconds(lambda: transformer.transform(X))
        return seconds(lambda: _loop(X, known), repeat=1) / ours
