"""Lexical features against sacreBLEU's sentence chrF; ready-made models, also from a cold start."""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import sklearn_mteval
from sklearn_mteval import models
from sklearn_mteval.datasets import load_sample, load_wmt
from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations
from sklearn_mteval.features import LexicalFeatures

from .chrf import sacrebleu_seconds
from .common import data_dir, seconds

NAMES = ("static-en", "any", "encoder-en", "encoder-large-en")
WITHOUT_ENCODER = NAMES[:2]


def distinct_translations():
    """Return 20,000 distinct translations of WMT15, those of one segment together."""
    tables = []
    for pair in ("cs-en", "de-en", "fi-en", "fr-en", "ru-en"):
        X, _ = load_wmt(data_dir() / "wmt15", pair, return_X_y=True)
        labels = X.index.to_frame(index=False)
        labels["segment"] = f"{pair}:" + labels["segment"].astype(str)
        tables.append(X.set_axis(pd.MultiIndex.from_frame(labels)))
    X = pd.concat(tables).drop_duplicates("hypothesis")
    return X.sort_index(level="segment").iloc[:20000]


def translations_a_second(X, function):
    """Count rows a second, the best of three runs."""
    return len(X) / seconds(lambda: function(X))


class Lexical:
    """LexicalFeatures of 20,000 distinct translations: tokens, vectors and all columns."""

    params = ("vectors of 100 dimensions", "by spelling", "without reference")
    param_names = ("options",)
    timeout = 900

    def setup_cache(self):
        X = distinct_translations()
        return X, sacrebleu_seconds(X)

    def setup(self, cache, options):
        vectors = data_dir() / "vectors" / "distilled-en-100d.txt.gz"
        self.transformer = LexicalFeatures(
            None if options == "by spelling" else vectors,
            use_references=options != "without reference",
        ).fit(cache[0])

    def track_translations_a_second(self, cache, options):
        return translations_a_second(cache[0], self.transformer.transform)

    track_translations_a_second.unit = "translations a second"

    def track_ratio_to_sacrebleus_chrf(self, cache, options):
        X, theirs = cache
        return theirs / seconds(lambda: self.transformer.transform(X))

    track_ratio_to_sacrebleus_chrf.unit = "times as fast as sacreBLEU's sentence chrF"

    def peakmem_transform(self, cache, options):
        self.transformer.transform(cache[0])


def load(name):
    """Load a ready-made model, or tell asv to skip one that lacks its encoder."""
    try:
        return sklearn_mteval.load_pretrained(name)
    except (ImportError, OSError, ValueError) as error:
        raise NotImplementedError(f"{name} cannot be loaded: {error}") from None


class Strengths:
    """``decision_function`` of 20,000 distinct translations, 2,000 with an encoder."""

    params = NAMES
    param_names = ("name",)
    timeout = 3600

    def setup_cache(self):
        return distinct_translations()

    def setup(self, X, name):
        self.model = load(name)
        self.X = X if name in WITHOUT_ENCODER else X.iloc[:2000]

    def track_translations_a_second(self, X, name):
        return translations_a_second(self.X, self.model.decision_function)

    track_translations_a_second.unit = "translations a second"

    def track_ratio_to_sacrebleus_chrf(self, X, name):
        theirs = sacrebleu_seconds(self.X)
        return theirs / seconds(lambda: self.model.decision_function(self.X))

    track_ratio_to_sacrebleus_chrf.unit = "times as fast as sacreBLEU's sentence chrF"


class ColdStart:
    """New processes: loading a model, ``rank`` of five systems with 1,000 lines each."""

    unit = "seconds"
    params = WITHOUT_ENCODER
    param_names = ("name",)

    def setup(self, name):
        load(name)
        X = load_wmt_translations(data_dir() / "wmt13", "fr-en").loc[:1000]
        self.folder = TemporaryDirectory()
        self.files = [
            self._write(f"{k}.en", X.xs(system, level="system")["hypothesis"])
            for k, system in enumerate(X.index.unique("system")[:5])
        ]
        first = X.groupby(level="segment").first()
        self.source, self.reference = (
            self._write(column, first[column]) for column in ("source", "reference")
        )

    def teardown(self, name):
        self.folder.cleanup()

    def _write(self, name, lines):
        path = Path(self.folder.name) / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    def track_importing_the_package(self, name):
        return self._seconds("-c", "import sklearn_mteval; sklearn_mteval.RankRecomposer")

    def track_loading_after_that(self, name):
        timed = f"sklearn_mteval.load_pretrained({name!r})"
        setup = "import sklearn_mteval; sklearn_mteval.RankRecomposer"
        program = f"import timeit; print(timeit.timeit({timed!r}, {setup!r}, number=1))"
        run = [sys.executable, "-c", program]
        return min(float(subprocess.check_output(run)) for _ in range(3))

    def track_rank(self, name):
        files = ["-s", self.source, "-r", self.reference, "-t", *self.files]
        return self._seconds("-m", "sklearn_mteval", "rank", name, *files)

    def _seconds(self, *arguments):
        """Time a new interpreter, the best of three."""
        run = [sys.executable, *arguments]
        return seconds(lambda: subprocess.run(run, check=True, capture_output=True))


class OneTranslation:
    """A loaded model, asked about one translation after the other, as a service is."""

    params = WITHOUT_ENCODER
    param_names = ("model",)

    def setup(self, name):
        self.model = models.load(name)
        X, _ = load_sample(return_X_y=True)
        self.rows = X.drop_duplicates("hypothesis").iloc[:200].to_dict("records")

    def track_median_of_200(self, name):
        times = []
        for row in self.rows:
            start = time.process_time()
            self.model.score(row["hypothesis"], reference=row["reference"], source=row["source"])
            times.append(time.process_time() - start)
        return 1000 * sorted(times)[len(times) // 2]

    track_median_of_200.unit = "milliseconds of a processor"
