"""Training data of the ready-made models: campaigns into and out of English, and corruptions."""

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.datasets.corruptions.registry import CORRUPTIONS
from sklearn_mteval.datasets.corruptions.training import corrupted_judgements
from sklearn_mteval.features import NormalizeText

INTO_ENGLISH = (("wmt13", "fr-en"), *(("wmt15", f"{s}-en") for s in ("cs", "de", "fi", "fr", "ru")))
OUT_OF_ENGLISH = (
    *(("wmt15", f"en-{t}") for t in ("cs", "de", "fi", "fr", "ru")),
    *(("wmt16it", f"en-{t}") for t in ("cs", "de", "es", "nl")),
)
ANY_DIRECTION = INTO_ENGLISH + OUT_OF_ENGLISH
N_FOLDS = 3


class Training(NamedTuple):
    """Rows that a ranker learns from; ``origin`` is the judged row that each is made of."""

    X: pd.DataFrame
    y: pd.Series
    origin: np.ndarray
    fold: np.ndarray


def load_training(data, campaigns=INTO_ENGLISH, n_segments=None):
    """Load (campaign, language pair) as one table of judged translations, their ranks, the others.

    Texts are normalised, segments named by campaign, pair and line (``wmt15.de-en:7``); of each
    pair ``n_segments`` are kept at most, those whose names have the lowest hashes. The other table
    has the translations of judged segments that nobody judged.
    """
    tables, ranks, others = [], [], []
    for campaign, pair in campaigns:
        judged = load_judgements(Path(data) / campaign, "wmt", lang_pair=pair)
        all_of_them = judged.translations
        segments = all_of_them.index.get_level_values("segment")
        known = segments.isin(judged.X.index.unique("segment"))
        known &= ~all_of_them.index.isin(judged.X.index.droplevel("ranking"))
        beside = all_of_them[known].assign(ranking="beside").set_index("ranking", append=True)
        for part, table in ((tables, judged.X), (ranks, judged.y), (others, beside)):
            labels = table.index.to_frame(index=False)[["segment", "ranking", "system"]]
            labels["segment"] = [f"{campaign}.{pair}:{line}" for line in labels["segment"]]
            labels["ranking"] = labels["ranking"].astype(str)
            table.index = pd.MultiIndex.from_frame(labels)
            if table is judged.X:
                kept = sorted(set(labels["segment"]), key=_hashed)[:n_segments]
            part.append(table[labels["segment"].isin(kept).to_numpy()])
    X, y, others = map(pd.concat, (tables, ranks, others))
    normalize = NormalizeText().fit(X)
    return normalize.transform(X), y, normalize.transform(others)


def with_others(X, y, others):
    """Add translations that nobody judged, each as a ranking of its own, worst of its segment."""
    labels = others.index.to_frame(index=False)
    labels["ranking"] = "beside " + labels["system"].astype(str)
    others = others.set_axis(pd.MultiIndex.from_frame(labels))
    return pd.concat([X, others]), pd.concat([y, pd.Series(1000, others.index)])


def with_corruptions(X, y, **options):
    """Add corrupted translations, those of English kinds to pairs into English only.

    Returned is what :func:`corrupted_judgements` returns; the judged rows come first.
    """
    english = X.index.get_level_values("segment").str.contains("-en:", regex=False)
    of_any_language = [kind for kind, made in CORRUPTIONS.items() if made.languages != ("en",)]
    tables, ranks, origins = [X], [y], [np.arange(len(X))]
    for there, kinds in ((english, None), (~english, of_any_language)):
        if there.any():
            n, rows = there.sum(), np.flatnonzero(there)
            table, all_ranks, origin = corrupted_judgements(X[there], y[there], kinds, **options)
            tables.append(table[n:])
            ranks.append(all_ranks[n:])
            origins.append(rows[origin[n:]])
    return pd.concat(tables), pd.concat(ranks), np.concatenate(origins)


def folds_of(X):
    """Deal segments to folds by a hash of their names."""
    segments = X.index.get_level_values("segment")
    fold = {segment: _hashed(segment) % N_FOLDS for segment in set(segments)}
    return np.array([fold[segment] for segment in segments])


def _hashed(name):
    """Return a number that looks drawn at random, but is that of a name."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16)
