"""Tau on real data: strict ("wmt12"), pooled, times 100."""

from sklearn_mteval import kendall_tau
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import sentence_bleu
from sklearn_mteval.models import bleu_pipeline

from .common import data_dir


class WMT12:
    """BLEU, and its components with logistic regression trained on WMT13 fr-en."""

    unit = "tau x 100"
    params = ("cs-en", "de-en")
    param_names = ("lang_pair",)
    timeout = 300

    def setup_cache(self):
        return bleu_pipeline().fit(*load_wmt(data_dir() / "wmt13", "fr-en", return_X_y=True))

    def setup(self, model, lang_pair):
        self.X, self.y = load_wmt(data_dir() / "wmt12", lang_pair, return_X_y=True)
        self.groups = self.X.index.droplevel("system")

    def _tau(self, strengths):
        return 100 * kendall_tau(self.y, strengths, groups=self.groups)

    def track_bleu(self, model, lang_pair):
        return self._tau(sentence_bleu(self.X))

    def track_hard(self, model, lang_pair):
        model.set_params(rank__recomposition="hard")
        return self._tau(model.decision_function(self.X))

    def track_soft(self, model, lang_pair):
        model.set_params(rank__recomposition="soft")
        return self._tau(model.decision_function(self.X))
