"""Files of scores that a command is given: their names, and tables that have them as columns."""

import os

SCORES_HELP = (
    "scores by any tool: lines 'SYSTEM SCORE', segment by segment, or a CSV or TSV with the "
    "columns system, segment (from 1) and scores, of which NAME= reads one"
)


def named(text):
    """Split NAME=FILE; a file whose name has the sign is found, too."""
    name, sign, path = text.partition("=")
    return (None, text) if not sign or os.path.exists(text) else (name, path)


def read_scores(files, X, tables=()):
    """Join tables of scores and those in files, of the rows of X; None without any."""
    import pandas as pd

    from sklearn_mteval.datasets import load_scores

    tables = list(tables)
    systems, n_segments = X.index.unique("system"), X.index.unique("segment").size
    for path in files:
        # A campaign's file may have references and other systems, too.
        table = load_scores(path, systems, n_segments, others=None).reindex(X.index)
        there = {name for other in tables for name in other}
        # Two files may have one metric's name.
        tables.append(table.add_prefix(f"{path}:") if there & {*table} else table)
    return pd.concat(tables, axis=1) if tables else None


def with_scores(X, model, files):
    """Join scores in files to a table of segments and systems, for a model that reads some."""
    from sklearn_mteval.datasets import Judgements
    from sklearn_mteval.evaluation import collect_scores
    from sklearn_mteval.features.scores import columns_of_scores

    needed = columns_of_scores(model)
    if files and not needed:
        raise ValueError("--scores: the model reads no scores of other metrics; leave them out.")
    lines = X.index.get_level_values("segment").max()
    texts = Judgements(X, None, X, n_segments=lines, other_systems=None)
    found = collect_scores(texts, files=map(named, files))
    missing = [name for name in needed if name not in found]
    if missing:
        raise ValueError(
            f"the model reads scores of {', '.join(needed)}, but there are none of "
            f"{', '.join(missing)}: give --scores {missing[0]}=FILE."
        )
    return X.assign(**{name: found[name].reindex(X.index) for name in needed})
