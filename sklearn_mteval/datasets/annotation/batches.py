"""Judgements of several batches of a campaign of annotation, as one."""

import pandas as pd

from sklearn_mteval.datasets.annotation.key import selection_of
from sklearn_mteval.exceptions import DataFileError


def joined_batches(parts, key):
    """Join Judgements, each with the path of its file, of batches that a CampaignKey knows.

    Batches have no segment in common, so that nothing of them has to be reconciled; a judge of the
    same name is the same judge. DataFileError for two files with judgements of one segment.
    """
    where, first = {}, parts[0][1]
    for path, judged in parts:
        for segment in judged.X.index.unique("segment"):
            if segment in where:
                raise DataFileError(
                    path,
                    f"segment {segment!r} is judged in {where[segment]}, too: expected the results "
                    "of another batch. Is a file given twice?",
                )
        where |= dict.fromkeys(judged.X.index.unique("segment"), path)
    fields = {name: [getattr(judged, name) for _, judged in parts] for name in first._fields}
    texts = {name: " ".join(filter(None, fields[name])) for name in ("DESCR", "warning")}
    tables = {
        name: _joined(values)
        for name, values in fields.items()
        if name != "selection" and all(isinstance(v, pd.DataFrame | pd.Series) for v in values)
    }
    return first._replace(**texts, **tables, selection=selection_of(key, list(where)))


def _joined(tables):
    """Put tables under each other; counts of the same judges are added."""
    joined = pd.concat(tables, **({"join": "inner"} if tables[0].ndim == 2 else {}))
    if "segment" in joined.index.names:
        return joined
    return joined.groupby(level=0).sum(min_count=1)
