"""A model asked about all partitions of a folder, wherever there are processes to do it."""

import json
import os
import tempfile
import warnings
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.atomic import TEMPORARY_SUFFIX
from sklearn_mteval._helpers.devices import asked_for
from sklearn_mteval._helpers.options import check_integer, check_n_jobs, check_one_of
from sklearn_mteval._helpers.progress import working
from sklearn_mteval._helpers.types import PathLike, Seed
from sklearn_mteval.datasets._json import parse_json
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.models.scoring import table_and_pairs
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.pairwise.consensus import Competitors
from sklearn_mteval.persistence import save_model
from sklearn_mteval.scale import tasks
from sklearn_mteval.scale.engines import on_cluster, on_this_machine
from sklearn_mteval.scale.manifest import (
    MANIFEST,
    Manifest,
    made_folder,
    read_file,
    write_file,
    write_manifest,
)
from sklearn_mteval.scale.partitions import Partitions

if TYPE_CHECKING:
    from distributed import Client
else:
    Client = Any

_TASK, _MODEL = "task.json", "model"
_DIFFERS = {
    "what": "of another kind of task",
    "model": "of another model",
    "source": "of other partitions",
    "device": "computed on another device",
    "dtype": "computed in another number type",
    "version": "of another version of sklearn_mteval",
}


def map_partitions(
    model: PathLike | BaseEstimator, source: PathLike, target: PathLike, *, what: str = "rank",
    client: Client | None = None, n_jobs: int | None = None, retries: int = 2,
    trusted: Iterable[str] = (), progress: bool = False
) -> Partitions:  # fmt: skip
    """Rank, score or transform all partitions of a folder, each in a task and a file of its own.

    What is finished when a call is interrupted, is killed or fails is not done again by the next
    one. Results are the same bytes wherever tasks run.

    Parameters
    ----------
    model : path-like or fitted estimator
        The folder of a saved model or the name of a ready-made one, which each process opens once,
        checked by its hash; an estimator is saved in the target's folder first.
    source : path-like
        A folder of partitions, which all processes can read by this path.
    target : path-like
        The folder of results, which all can write into: new, empty, or of the same call before.
    what : {"rank", "score", "transform"}, default="rank"
        What results are: those of :func:`~sklearn_mteval.models.rank_candidates`, of
        :func:`~sklearn_mteval.models.score_candidates` (a column ``score``), or the features that
        the model's steps before its last one make, with the target of the source, to train on.
    client : distributed.Client, optional
        Of a Dask cluster, whose workers have the package and the same folders. None: no cluster.
    n_jobs : int or None, default=None
        Processes on this machine, as joblib counts them, where there is no client. None: this one.
    retries : int, default=2
        How often a task of a client that has failed is tried again.
    trusted : iterable of str, default=()
        Full names of further types in the model, as for :func:`~sklearn_mteval.load_model`.
    progress : bool, default=False
        Whether the files that are done are shown.

    Returns
    -------
    Partitions
        The results: of the rows of each file, in their order.

    Raises
    ------
    DataFileError
        If the source is no folder of partitions, a file of it is damaged or missing, the target has
        other results, or it cannot be written to, as when the disk is full.
    ModelFolderError
        If a worker finds another model.
    CandidateError
        If the model cannot be used for the tables.
    ValueError
        If the model tells only how far systems agree, and no segment has three translations.
    RuntimeError
        If workers were killed again and again, or the scheduler is lost.
    ChildProcessError
        If one of ``n_jobs`` processes was killed.

    Warns
    -----
    UserWarning
        If finished results are damaged: they are made again. Of a model that tells only how far
        systems agree, as :func:`~sklearn_mteval.models.rank_candidates` does.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.scale import collect, map_partitions, write_partitions
    >>> X, y = load_sample(return_X_y=True)
    >>> with TemporaryDirectory() as folder:
    ...     _ = write_partitions(X, f"{folder}/texts", segments_per_file=50)
    ...     _ = map_partitions("static-en", f"{folder}/texts", f"{folder}/ranks")
    ...     ranked = collect(f"{folder}/ranks").loc[X.index]
    >>> ranked.loc[1, "rank"].to_dict()
    {'online': 1, 'neural': 3, 'hybrid': 2, 'phrase': 4, 'rule': 5}
    """
    check_one_of("what", what, tasks.WHAT)
    check_integer("retries", retries, minimum=0)
    check_n_jobs(n_jobs)
    if client is not None and not hasattr(client, "submit"):
        raise TypeError(f"client must be a distributed.Client, found {client!r}.")
    if client is not None and n_jobs is not None:
        raise ValueError("n_jobs is for this machine: leave it out where there is a client.")
    parts = Partitions(source)
    target = Path(target).absolute()
    where = asked_for()
    saved = tasks.Model(*_path_and_hash(model, target, trusted), tuple(trusted), **where)
    task = tasks.Task(what, saved.sha256, parts.sha256, **where)
    _open_target(target, task)
    if saved.path == str(target / _MODEL) and not (target / _MODEL).exists():
        save_model(model, saved.path, trusted=trusted)

    done = _finished(target, parts.manifest.parts, task)
    waiting = [part for part in parts.manifest.parts if part.file not in done]
    columns, levels = parts.manifest.columns, parts.manifest.levels
    given = (str(parts.folder.absolute()), str(target), columns, levels)
    calls = ((part.file, (task, saved, part, *given)) for part in waiting)
    if client is None:
        results = on_this_machine(tasks.run_task, calls, n_jobs)
    else:
        results = on_cluster(tasks.run_task, calls, client, retries)
    with working("partitions", len(parts), "files", shown=progress) as step:
        step.advance(len(done))
        for name, result in results:
            done[name] = result
            step.advance()
    _finish(target, [done[part.file] for part in parts.manifest.parts], levels, task)
    return Partitions(target)


def _path_and_hash(model, target, trusted):
    """Return the path of a model that workers open, and its hash."""
    if isinstance(model, str | os.PathLike):
        sha256 = tasks.hash_of_model(model)
        return os.path.abspath(model) if os.path.exists(model) else str(model), sha256
    with tempfile.TemporaryDirectory() as folder:
        return str(target / _MODEL), save_model(model, f"{folder}/model", trusted=trusted)["sha256"]


def _open_target(target, task):
    """Make the folder of a task's results, or check that it is of the same task."""
    path = target / _TASK
    if path.exists():
        given = parse_json(path, read_file(path).decode("utf-8", "replace"))
        for key, value in asdict(task).items():
            found = given.get(key) if isinstance(given, dict) else None
            if found != value:
                raise DataFileError(
                    target, f"it has results {_DIFFERS[key]}: expected {value!r}, found "
                    f"{found!r:.100}. They are not mixed: choose a new folder, or delete this one."
                )  # fmt: skip
        return
    names = [name for name in made_folder(target) if not name.endswith(TEMPORARY_SUFFIX)]
    if names:
        raise DataFileError(target, f"it holds {names[0]!r} already: choose a new folder.")
    write_file(path, json.dumps(asdict(task), indent=1).encode() + b"\n")


def _finished(target, parts, task):
    """Return what is finished, by name; warn of what is damaged."""
    found = {part.file: tasks.read_record(target, part, task) for part in parts}
    damaged = [name for name, result in found.items() if result == "damaged"]
    if damaged:
        warnings.warn(
            f"{target}: {len(damaged)} results are damaged and made again, the first is "
            f"{damaged[0]}.",
            stacklevel=3,
        )
    return {name: result for name, result in found.items() if result not in (None, "damaged")}


def _finish(target, results, levels, task):
    """Check what is found of all parts, and write the manifest of results, unless it is there."""
    columns = results[0].columns
    for result in results:
        if list(result.columns.items()) != list(columns.items()):
            raise DataFileError(
                target / result.part.file,
                f"expected the columns {columns}, as of the parts before, found {result.columns}: "
                "a step of the model makes others of other segments.",
            )
    counted = [result.competitors for result in results if result.competitors is not None]
    if counted:
        competitors = sum(counted, Competitors())
        competitors.check()
        competitors.warn(stacklevel=4)
    manifest = Manifest(columns, levels, [result.part for result in results], asdict(task))
    if not (target / MANIFEST).exists() or Partitions(target).manifest != manifest:
        write_manifest(target, manifest)


def system_table(
    folder: PathLike, *, confidence: float = 0.95, n_resamples: int = 1000, random_state: Seed = 0,
    return_pairs: bool = False
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Summarise the ranks or scores in a folder of partitions by system.

    Sums of each part were written with it; they add up to the bits of one process's.

    Parameters
    ----------
    folder : path-like
        Results of :func:`map_partitions`, ranks or scores.
    confidence, n_resamples, random_state, return_pairs : see ``models.score_systems``
        The same.

    Returns
    -------
    systems : DataFrame of shape (n_systems, 7) or (n_systems, 5)
        As :func:`~sklearn_mteval.models.rank_systems` makes it of ranks, or
        :func:`~sklearn_mteval.models.score_systems` of scores.
    pairs : DataFrame of shape (n_systems * (n_systems - 1) / 2, 6)
        If asked for: see there.

    Raises
    ------
    DataFileError
        If these are no results of a model, or not all of them.
    """
    drawn = {"n_resamples": n_resamples, "random_state": random_state}
    return table_and_pairs(systems_of(folder, confidence=confidence, **drawn), return_pairs)


def systems_of(folder, **options):
    """Make Systems of the ranks or scores in a folder of partitions."""
    parts = Partitions(folder)
    task = parts.manifest.task
    if task is None or task["what"] not in tasks.SUMMED:
        raise DataFileError(folder, "expected ranks or scores, as map_partitions makes them.")
    sums = SystemSums()
    for part in parts.manifest.parts:
        sums += tasks.read_sums(folder, part)
    if sums.resampled:  # few segments, whose scores are not in their sums
        sums = SystemSums()
        for X, _ in parts:
            sums += SystemSums.of(X if task["what"] == "rank" else X["score"])
    return sums.result(**options)
