"""The query of n-gram models against kenlm's, and the time to estimate one."""

import tempfile
from pathlib import Path

import pandas as pd

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import LanguageModelScore
from sklearn_mteval.linguistic.language_models.file_model import FileModel
from sklearn_mteval.metrics import kendall_tau
from sklearn_mteval.text import estimate, write_arpa
from sklearn_mteval.text.tokens import TokenInterner

from .common import data_dir, seconds


def _corpus():
    """Read the English references of WMT13 and WMT15: 10,124 sentences."""
    files = [data_dir() / "wmt13/references/newstest2013-ref.en"]
    files += sorted((data_dir() / "wmt15/references").glob("*.en"))
    return [line for file in files for line in file.read_text(encoding="utf-8").split("\n")]


def _kenlm(path):
    """Open a model with kenlm itself."""
    try:
        import kenlm
    except ImportError:
        raise NotImplementedError("kenlm is not installed") from None
    config = kenlm.Config()
    config.show_progress, config.arpa_complain = False, kenlm.ARPALoadComplain.NONE
    return kenlm.Model(str(path), config)


def _loop(oracle, texts):
    """Score texts with kenlm, as its users do, tokenised as ours are."""
    tokens = TokenInterner("13a", lowercase=True)
    numbers = [tokens(text) for text in texts]
    words = tokens.words
    for sentence in numbers:
        oracle.score(" ".join([words[k] for k in sentence]))


class Query:
    """20,000 distinct hypotheses of WMT15 under a model of order 5, tokenised on both sides."""

    unit = "times as fast"
    timeout = 600

    def setup_cache(self):
        tables = [
            load_wmt(data_dir() / "wmt15", pair, return_X_y=True)[0]
            for pair in ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
        ]
        texts = pd.concat(tables).drop_duplicates("hypothesis")["hypothesis"].iloc[:20000]
        model = estimate(_corpus(), order=5)
        folder = tempfile.mkdtemp()
        write_arpa(model, Path(folder, "x.arpa"))
        return texts.tolist(), model, Path(folder, "x.arpa")

    def track_ratio_to_kenlm(self, cache):
        texts, model, path = cache
        oracle = _kenlm(path)
        return seconds(lambda: _loop(oracle, texts)) / seconds(lambda: model.score(texts))

    def track_ratio_to_kenlm_without_tokenising(self, cache):
        texts, model, path = cache
        oracle = _kenlm(path)
        tokens = TokenInterner("13a", lowercase=True)
        flat, bounds = model._numbered(tokens, texts)
        words = tokens.words
        lines = [" ".join([words[k] for k in tokens(text)]) for text in texts]
        ours = seconds(lambda: model._score_tokens(flat, bounds))
        return seconds(lambda: list(map(oracle.score, lines))) / ours

    def track_ratio_of_a_file_model_to_kenlm(self, cache):
        texts, _, path = cache
        oracle, model = _kenlm(path), FileModel(path)
        return seconds(lambda: _loop(oracle, texts)) / seconds(lambda: model.score(texts))


class Estimation:
    """Order 5 from 10,124 references of WMT13 and WMT15."""

    def setup_cache(self):
        return _corpus()

    def track_estimate(self, corpus):
        return seconds(lambda: estimate(corpus, order=5))

    track_estimate.unit = "seconds"

    def peakmem_estimate(self, corpus):
        estimate(corpus, order=5)


class Alone:
    """Kendall's tau on WMT12 of single numbers under a model of the corpus, nothing learned."""

    unit = "tau x 100"
    params = tuple(
        (pair, order, column, variant)
        for pair in ("cs-en", "de-en")
        for order in (3, 5)
        for column, variant in (
            ("log_probability", "wmt12"),
            ("word_log_probability", "wmt12"),
            ("oov", "wmt14"),  # fewer is better: the sign is changed
        )
    )

    def track_tau(self, setting):
        pair, order, column, variant = setting
        X, y = load_wmt(data_dir() / "wmt12", pair, return_X_y=True)
        score = LanguageModelScore(estimate(_corpus(), order=order))
        values = score.set_params(features=[f"hypothesis_{column}"]).fit_transform(X)[:, 0]
        strength = -values if column == "oov" else values
        groups = X.index.droplevel("system")
        return 100 * kendall_tau(y, strength, groups=groups, statistic=variant)
