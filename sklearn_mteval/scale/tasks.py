"""What is done with one partition: a file read, a model asked, a file written with its record.

A task is given paths and hashes, never tables or models, and refuses what has another hash. A part
with a record is finished.
"""

import json
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from importlib.resources import as_file
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import pandas as pd

from sklearn_mteval._helpers.devices import compute_on
from sklearn_mteval._version import __version__
from sklearn_mteval.datasets._json import parse_json
from sklearn_mteval.exceptions import CandidateError, DataFileError, ModelFolderError
from sklearn_mteval.models import open_model, score_candidates
from sklearn_mteval.models.cards import READY_MADE
from sklearn_mteval.models.opening import with_source
from sklearn_mteval.models.ranking import ranked_block
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.pairwise.absolute import apply_steps
from sklearn_mteval.pairwise.blocks import in_blocks
from sklearn_mteval.pairwise.consensus import Competitors
from sklearn_mteval.persistence import load_model, read_signature
from sklearn_mteval.scale.manifest import Part, digest, part_of, read_file, write_file
from sklearn_mteval.scale.partitions import read_part
from sklearn_mteval.scale.tables import kinds_of, to_arrow, to_parquet


def _ranks(model, X):
    """Rank candidates, as :func:`rank_candidates`, but for what it says of all of them."""
    return in_blocks(partial(ranked_block, model), X, "ranking", None)


def _scores(model, X):
    """Score candidates."""
    return score_candidates(model, X).to_frame(), None


def _features(model, X):
    """Return the columns of features that a model's steps before its ranker make."""
    found = model.transform(X) if hasattr(model, "transform") else apply_steps(model, X)[0]
    if not isinstance(found, pd.DataFrame) or not found.index.equals(X.index) or found is X:
        raise CandidateError(
            "transform: expected a model whose steps make a table with the index of X, found "
            f"{'none before its last' if found is X else type(found).__name__}. Make it with "
            "make_ranking_pipeline(...), or call set_output(transform='pandas')."
        )
    return found, None


# What tasks make of a model and a table: another table, and Competitors or None.
WHAT = {"rank": _ranks, "score": _scores, "transform": _features}
SUMMED = ("rank", "score")  # of which there is a table of systems; others keep the source's ranks


@dataclass(frozen=True)
class Model:
    """A model by the name or folder that it is opened with, the hash that it must have, and where
    its encoders compute, and in what, None: as they were saved.
    """

    path: str
    sha256: str
    trusted: tuple = ()
    device: str | None = None
    dtype: str | None = None


@dataclass(frozen=True)
class Task:
    """What is done with all partitions of a folder, with hashes of its manifest and the model; on
    another device, or in other numbers, encoders say something else.
    """

    what: str
    model: str
    source: str
    version: str = __version__
    device: str | None = None
    dtype: str | None = None

    @property
    def sha256(self):
        """Tell this task from others."""
        return digest(json.dumps(asdict(self), sort_keys=True).encode())


class Result(NamedTuple):
    """The part that a task has made, the kinds of its columns, and Competitors or None."""

    part: Part
    columns: dict
    competitors: Competitors | None


_RECORD = {"task", "source", "part", "columns", "sums", "competitors"}
_opening = Lock()  # a process opens a model once, whatever threads it has


def hash_of_model(name_or_folder):
    """Return the hash of a saved model, or of one that comes with the package."""
    if name_or_folder in READY_MADE and not Path(name_or_folder).exists():
        with as_file(READY_MADE[name_or_folder].files) as path:
            return read_signature(path)["sha256"]
    return read_signature(name_or_folder)["sha256"]


@lru_cache(maxsize=1)
def _open(model):
    """Open a model, or return the last one again; ModelFolderError if it is another one."""
    found = hash_of_model(model.path)
    if found != model.sha256:
        raise ModelFolderError(
            f"{model.path} is another model here: expected one of the hash "
            f"{model.sha256[:16]}…, found {found[:16]}…. Results of several models are "
            "not mixed: give each a folder of its own."
        )
    opened = (
        load_model(model.path, trusted=model.trusted) if model.trusted else open_model(model.path)
    )
    return compute_on(opened, model.device, model.dtype)


def run_task(task, model, part, source, target, columns, levels):
    """Do a task with one part of a source folder, and return its Result."""
    if task.version != __version__:
        raise ValueError(
            f"the process that asked for {part.file} has sklearn_mteval {task.version}, this one "
            f"{__version__}: install the same version on all machines."
        )
    X, y, segments = read_part(source, part, columns, levels)
    summed = task.what in SUMMED
    with _opening:
        opened = _open(model)
    found, competitors = WHAT[task.what](opened, with_source(X, model.path))
    table = to_arrow(found, None if summed else y)
    content = to_parquet(table)
    made = part_of(part.file, content, segments)
    record = {
        "task": task.sha256,
        "source": part.sha256,
        "part": asdict(made),
        "columns": kinds_of(table.schema),
        "sums": SystemSums.of(found if task.what == "rank" else found["score"]).to_dict()
        if summed
        else None,
        "competitors": competitors,
    }
    text = json.dumps(record).encode()
    write_file(Path(target) / made.file, content)
    write_file(_record_path(target, made), b"%s\n%s\n" % (text, digest(text).encode()))
    return Result(replace(made, record=digest(text)), record["columns"], competitors)


def _record_path(folder, part):
    """Return where the record of a part stands."""
    return (Path(folder) / part.file).with_suffix(".record")


def _read_record(folder, part):
    """Read the record of a part, a line of JSON and one of its hash; return both."""
    path = _record_path(folder, part)
    text, _, sha256 = read_file(path).partition(b"\n")
    if sha256 != digest(text).encode() + b"\n":
        raise DataFileError(path, "damaged: call map_partitions again, which makes it anew.")
    record = parse_json(path, text.decode("utf-8", "replace"))
    if not isinstance(record, dict) or set(record) != _RECORD:
        raise DataFileError(path, "no record as map_partitions writes it.")
    return record, digest(text)


def read_record(folder, source_part, task):
    """Return the result of a finished task, "damaged" if it is not as written, or None."""
    if not _record_path(folder, source_part).exists():
        return None
    try:
        record, sha256 = _read_record(folder, source_part)
        made, competitors = Part(**record["part"]), record["competitors"]
        if competitors is not None:
            competitors = Competitors(*competitors)
        result = read_file(Path(folder) / source_part.file)
    except (DataFileError, TypeError):
        return "damaged"
    expected = (task.sha256, source_part.sha256, len(result), digest(result))
    if (record["task"], record["source"], made.bytes, made.sha256) != expected:
        return "damaged"
    return Result(replace(made, record=sha256), record["columns"], competitors)


def read_sums(folder, part):
    """Read the sums of systems of a part; DataFileError if they are not those that were written."""
    record, sha256 = _read_record(folder, part)
    if sha256 != part.record:
        raise DataFileError(_record_path(folder, part), "it is of another result.")
    return SystemSums.from_dict(record["sums"])
