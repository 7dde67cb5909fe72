"""Campaigns of the metrics tasks: reading WMT23 with eleven metrics, the task table, an audit."""

from sklearn_mteval.datasets import load_esa, load_judgements, load_mtme
from sklearn_mteval.evaluation import audit_judges, metrics_task
from sklearn_mteval.metrics import calibrate_ties

from .common import data_dir, seconds

ACCURACIES = {  # as the campaign's own tool finds them
    ("zh-en", "XCOMET-Ensemble"): 0.543,
    ("zh-en", "BLEU"): 0.472,
    ("he-en", "XCOMET-Ensemble"): 0.586,
    ("he-en", "BLEU"): 0.442,
}


class Reading:
    """WMT23 zh-en with eleven metrics; WMT24 en-cs with its texts."""

    def track_seconds_of_mtme(self):
        return seconds(lambda: load_mtme(data_dir() / "wmt23", "zh-en", metric_scores=True))

    def track_seconds_of_esa(self):
        folder = data_dir() / "wmt24"
        file = folder / "esa" / "esa_generalMT2024_wave2.csv"
        return seconds(lambda: load_esa(file, "en-cs", texts=folder))

    track_seconds_of_mtme.unit = track_seconds_of_esa.unit = "seconds"

    def peakmem_mtme(self):
        load_mtme(data_dir() / "wmt23", "zh-en", metric_scores=True)

    def track_largest_difference_to_the_campaigns_accuracies(self):
        found = []
        for (lang_pair, metric), accuracy in ACCURACIES.items():
            given = {"human_systems": True, "metric_scores": [metric]}
            X, y = load_mtme(data_dir() / "wmt23", lang_pair, **given, return_X_y=True)
            segments = X.index.get_level_values("segment")
            calibrated = calibrate_ties(y, X[metric], groups=segments, average="groups")
            found.append(abs(calibrated.accuracy - accuracy))
        return max(found)


class Task:
    """Eleven metrics, two language pairs, two levels, 1,000 permutations, one thread."""

    timeout = 300
    params = ("spa", "accuracy")
    param_names = ("system_statistic",)

    def setup(self, system_statistic):
        folder = data_dir() / "wmt23"
        self.campaigns = {
            pair: load_judgements(folder, lang_pair=pair) for pair in ("zh-en", "he-en")
        }

    def track_seconds(self, system_statistic):
        given = {"system_statistic": system_statistic}
        return seconds(lambda: metrics_task(self.campaigns, **given), repeat=1)

    track_seconds.unit = "seconds"


class Audit:
    """The 61 judges of WMT24 en-cs."""

    def setup(self):
        file = data_dir() / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
        self.esa = load_esa(file, "en-cs", human_systems=True)

    def track_seconds(self):
        esa = self.esa
        return seconds(lambda: audit_judges(esa.y, esa.judges, checks=esa.checks))

    track_seconds.unit = "seconds"
