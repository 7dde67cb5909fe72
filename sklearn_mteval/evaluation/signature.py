"""The line that says how numbers were made, in the manner of sacreBLEU."""

import hashlib

import numpy as np

from sklearn_mteval._helpers.order import hash_rows
from sklearn_mteval._version import __version__
from sklearn_mteval.evaluation.system import kind_of_scores
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.persistence import data_hash


def signature_line(parts, seed, data):
    """Join ``key:value`` of what is not None, the seed, versions and the hash of the data."""
    parts = {**parts, "seed": seed, "sklearn_mteval": __version__, "numpy": np.__version__}
    parts = {**parts, "data": data}.items()
    return "|".join(f"{key}:{value}" for key, value in parts if value is not None)


def signature_of(joined, options, counts, **more):
    """Say on one line how an evaluation was made; ``more`` are further keys."""
    parts = {"level": options.level}
    if options.level != "system":
        levels = [name for name in joined.y.index.names if name != "system"]
        has_threshold, ties = STATISTICS[options.statistic].threshold, options.epsilon
        parts |= {
            "statistic": options.statistic,
            "groups": "+".join(levels) if options.grouping == "segment" else options.grouping,
            "average": options.average,
            "threshold": f"{options.threshold:g}" if has_threshold else None,
            "acc_eq": "calibrated" if ties == "calibrate" else f"epsilon={ties:g}",
        }
    if options.level != "segment":
        parts["human_systems"] = kind_of_scores(joined.y)
    parts |= {"negated": names(options.lower_is_better), "competitors": joined.competitors}
    parts["tok"] = joined.tokenizers
    if options.ceiling is not None:
        parts["ceiling"] = f"{options.ceiling.ceiling:.6g}"
    parts |= {"missing": options.missing, "on": f"{options.rows}-rows", **counts}
    clusters = "segments" if joined.documents is None else "documents"
    parts |= of_intervals(options.confidence, options.n_resamples, clusters=clusters)
    if options.level != "segment" and "spa" in options.system_statistics:
        parts["spa_permutations"] = options.n_permutations
    return signature_line(parts | more, options.random_state, hash_of(joined))


def of_intervals(confidence, n_resamples, **units):
    """Say how intervals were made; ``units``: of what, by the name of the key."""
    return {"interval": f"{confidence:g}", **units, "resamples": n_resamples}


def names(some):
    """Return names, whatever their order, as the value of a key; None of none."""
    return ",".join(sorted(set(some))) or None


def hash_of(joined):
    """Hash labels, judgements and scores, whatever the order of rows and metrics: 12 hex digits."""
    metrics = sorted(joined.rows.columns)
    parts = [data_hash(joined.rows[metrics], joined.y)]
    for metric in metrics:
        table = joined.tables[metric].sort_index()
        labels = repr((metric, table.index.tolist(), table.columns.tolist()))
        parts += [labels, hashlib.sha256(bytes_of(table.to_numpy())).hexdigest()]
    if joined.documents is not None:
        parts.append(joined.documents.sort_index().tolist())
    return short_hash(repr(parts))


def bytes_of(values):
    """Return numbers as bytes: -0.0 as what it equals, and NaN as one pattern of bits."""
    content = np.ascontiguousarray(values + 0.0, dtype="<f8")
    content[np.isnan(content)] = np.nan
    return content.tobytes()


def hash_of_rows(text, columns, n_rows):
    """Hash a text and rows, whatever their order: 12 hex digits."""
    return short_hash(text, np.sort(hash_rows(columns, n_rows)).astype("<u8").tobytes())


def short_hash(text, more=b""):
    """Hash a text, and bytes after it: 12 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass") + more).hexdigest()[:12]
