"""What ``train`` learns from: judgements in files, alone or with scores of other metrics."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from sklearn_mteval.cli import _judgements
from sklearn_mteval.cli._scores import named
from sklearn_mteval.cli._training_options import DEFAULTS

ALL = "all"  # of --scores: the metrics that the folders themselves have
_NOT_WITH_SCORES = (
    "classifier", "from", "recomposition", "robust", "joined", "held-out", "encoder-layers",
    "plots", "html", "pdf",
)  # fmt: skip
_WITH_PAIRS = re.compile(r"(.+):([a-z]{2,3}-[a-z]{2,3}(?:,[a-z]{2,3}-[a-z]{2,3})*)", re.DOTALL)


class _File(NamedTuple):
    """Judgements that are trained on, and their language pairs, of which None is the only one."""

    path: str
    format: str
    pairs: tuple


def files_of(options):
    """List the judgements; folders of WMT's rankings cannot be mixed with others."""
    found = [_file(given, options) for given in options["files"]]
    formats = {file.format for file in found}
    if "wmt" in formats and len(formats) > 1:
        raise ValueError("folders of WMT's rankings and other files cannot be mixed.")
    for path, format, pairs in found:
        if format == "wmt" and pairs == (None,):
            raise ValueError(
                f"the language pairs of {path} are missing: give {path}:de-en, say, or --lang-pair."
            )
    pairs = [pair for file in found for pair in file.pairs if pair is not None]
    _judgements.check_options(formats, options | {"lang_pair": pairs or options["lang_pair"]})
    if options["lang_pair"] and not set(options["lang_pair"]) & set(pairs):
        raise ValueError("--lang-pair is given, but all of FILE name their own language pairs.")
    return found


def _file(given, options):
    """Split FILE[:PAIRS], and tell the format."""
    own = None if os.path.exists(given) else _WITH_PAIRS.fullmatch(given)
    path, pairs = (own[1], own[2].split(",")) if own else (given, options["lang_pair"])
    format = _judgements.named_format(path, options["format"])
    return _File(path, format, tuple(pairs or [None]))


def check_options(options, files):
    """Raise for options that do not go with scores of other metrics."""
    if files[0].format == "wmt":
        raise ValueError("--scores and --metric-scores are not for folders of WMT's rankings.")
    for name in _NOT_WITH_SCORES:
        if options[name.replace("-", "_")] != DEFAULTS.get(name):
            raise ValueError(f"--{name} is for training without scores of other metrics.")
    given = [path for path in options["scores"] or [] if path != ALL]
    if given and sum(len(file.pairs) for file in files) > 1:
        raise ValueError(
            "--scores FILE are scores of one test set and language pair, and there are several: "
            f"train on one, or on the metrics of the folders themselves, --scores {ALL}."
        )


def _load_scored(path, format, options):
    """Load judgements of one test set with the scores of metrics as columns; tell their names."""
    from sklearn_mteval.evaluation import collect_scores
    from sklearn_mteval.models.score_stacking import join_scores

    paths = [path for path in options["scores"] or [] if path != ALL]
    own = options["metric_scores"] or ALL in (options["scores"] or [])
    judged = _judgements.load_judged(path, format, options | {"metric_scores": own})
    scores = collect_scores(judged, files=map(named, paths))
    if not scores:
        raise ValueError(f"{path} has no scores of metrics: name files, --scores NAME=FILE.")
    X = join_scores(judged.X, scores, missing=options["missing"])
    return judged._replace(X=X, y=judged.y.loc[X.index]), list(scores)


def _warn_of_texts(X, pairs):
    """Warn of what is suspicious in the texts of each campaign and language pair by itself."""
    from sklearn_mteval.datasets.suspicious.findings import warn_of_texts

    if len(pairs) == 1:
        return warn_of_texts(X, pairs[0])
    names = [label.rpartition(":")[0] for label in X.index.get_level_values("segment")]
    for name, part in X.groupby(names):
        warn_of_texts(part, name.rpartition(".")[2])


def load(files, options, with_scores):
    """Load judgements: X, y, what is held out together, and the columns that are scores."""
    from sklearn_mteval.models.campaigns import join_documents, join_tables, load_campaigns

    if files[0].format == "wmt":
        X, y, lines = load_campaigns([(file.path, list(file.pairs)) for file in files])
        _warn_of_texts(X, [pair for file in files for pair in file.pairs])
        return X, y, lines, []
    tables, documents, names = [], [], []
    for path, format, pairs in files:
        name = Path(path).name
        for pair in pairs:
            given = options | {"metric_scores": False, "lang_pair": pair, "dry_run": False}
            if with_scores:
                given["metric_scores"] = options["metric_scores"]
                judged, names = _load_scored(path, format, given)
            else:
                judged = _judgements.load_judged(path, format, given)
            tables.append((f"{name}.{pair}" if pair else name, judged.X, judged.y))
            documents.append((name, judged))
    X, y = join_tables(tables)
    if "hypothesis" not in X:
        raise ValueError("the translations are missing: give -t or, of ESA, --texts.")
    return X, y, join_documents(documents), names
