"""How fast language is checked, and what the numbers say of a translation."""

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import LanguageCheck
from sklearn_mteval.metrics import kendall_tau

from .common import data_dir, seconds


def _fitted(X, **options):
    """Fit a checker, or tell asv to skip where its program is missing."""
    try:
        return LanguageCheck(**options).fit(X)
    except ValueError as missing:
        raise NotImplementedError(str(missing)) from None


class Speed:
    """2,000 distinct translations of WMT12 de-en."""

    unit = "texts a second"
    params = ("spelling", "style", "diction")

    def track_texts_per_second(self, check):
        X = load_wmt(data_dir() / "wmt12", "de-en", return_X_y=True)[0]
        X = X.drop_duplicates("hypothesis").iloc[:2000]
        checker = _fitted(X, checks=[check])
        return len(X) / seconds(lambda: checker.transform(X), repeat=1)


class SingleNumbers:
    """Kendall's tau of one number, negated, on WMT12; wmt14, as most counts tie."""

    unit = "tau x 100 (wmt14)"
    params = tuple(
        (pair, name)
        for pair in ("cs-en", "de-en")
        for name in (
            "misspelt_words",
            "misspelt_proportion",
            "kincaid",
            "passive_sentences",
            "nominal_sentences",
            "wordy_phrases",
        )
    )

    def track_tau(self, setting):
        pair, name = setting
        X, y = load_wmt(data_dir() / "wmt12", pair, return_X_y=True)
        complaints = _fitted(X, features=[f"hypothesis_{name}"]).transform(X)[:, 0]
        groups = X.index.droplevel("system")
        return 100 * kendall_tau(y, -complaints, groups=groups, statistic="wmt14")
