"""Contrastive chrF against a loop of sacreBLEU over competitors; tau without references."""

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import ContrastiveScore
from sklearn_mteval.metrics import kendall_tau

from .common import data_dir, seconds


def _sacrebleu_seconds(X):
    """Time sacreBLEU's loop once; chrF there has no caches to empty."""
    from sacrebleu.metrics import CHRF

    systems = X.groupby(level=["segment", "system"], sort=False)["hypothesis"].first()
    texts_of = [group.tolist() for _, group in systems.groupby(level="segment", sort=False)]

    def loop():
        metric = CHRF()
        for texts in texts_of:
            for k, text in enumerate(texts):
                for competitor in texts[:k] + texts[k + 1 :]:
                    metric.sentence_score(text, [competitor])

    return seconds(loop, repeat=1)


class Competitors:
    """The first 500 judged translations of WMT12 de-en: each against all of its segment."""

    unit = "times as fast"

    def setup_cache(self):
        return load_wmt(data_dir() / "wmt12", "de-en", return_X_y=True)[0].iloc[:500]

    def track_ratio_to_sacrebleu(self, X):
        transformer = ContrastiveScore().fit(X)
        return _sacrebleu_seconds(X) / seconds(lambda: transformer.transform(X))


class WithoutReferences:
    """Strict Kendall's tau on WMT12 of scores that learn nothing and read no reference."""

    unit = "tau x 100"
    params = tuple(
        (pair, metric, references)
        for pair in ("cs-en", "de-en")
        for metric in ("bleu", "meteor", "chrf", "chrf++")
        for references in ("each", "all")
    )

    def track_tau(self, setting):
        pair, metric, references = setting
        X, y = load_wmt(data_dir() / "wmt12", pair, return_X_y=True)
        options = {"wordnet": "auto"} if metric == "meteor" else None
        transformer = ContrastiveScore(metric, references=references, options=options)
        scores = transformer.fit_transform(X)[:, 0]
        groups = X.index.droplevel("system")
        return 100 * kendall_tau(y, scores, groups=groups, statistic="wmt12")
