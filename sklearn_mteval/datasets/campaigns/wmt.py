"""Rankings of the WMT campaigns, in the campaigns' own files.

A campaign is a folder with ``rankings/*.SRC-TRG.csv``, ``sources/``, ``references/`` and
``system-outputs/TESTSET/SRC-TRG/``. There are two ranking formats, told apart by the
header: one row per ranking task (WMT10-14), or one row per pair of systems with a
``rankingID`` (WMT15, 16).
"""

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._files import (
    Place,
    files_in,
    named_files,
    read_records,
)
from sklearn_mteval.datasets._lines import candidates_of_lines, read_aligned
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.datasets.system_names import system_key
from sklearn_mteval.exceptions import DataFileError

_NOT_JUDGED = -1
_REFERENCES = frozenset({"_ref", "ref", "reference"})  # never ranked
_HUMAN_OUTPUTS = frozenset({"refA", "refB", "refC", "refD"})  # mt-metrics-eval's names
_LANGUAGES = ("srclang", "trglang")
_JUDGES = ("judgeId", "judgeID")
_OF_SYSTEMS = [f"system{number}{end}" for number in range(1, 100) for end in ("Id", "rank")]


class _Judgement(NamedTuple):
    """One translation in one ranking task."""

    segment: int
    ranking: str
    system: str
    rank: int
    judge: str


def load_wmt(
    root: PathLike, lang_pair: str, *, return_X_y: bool = False, max_bytes: int | None = None
) -> Any:
    """Load the human rankings of one language pair of a WMT campaign.

    A translation judged in several ranking tasks has a row in each: judges do not always
    agree. Each distinct text is stored once, however many rows hold it.

    Parameters
    ----------
    root : path-like
        The campaign's folder, e.g. ``wmt12``.
    lang_pair : str
        Source and target language, e.g. "de-en".
    return_X_y : bool, default=False
        Whether to return only (X, y).
    max_bytes : int, optional
        Of each file, as for ``read_lines``.

    Returns
    -------
    Bunch
        - X : DataFrame indexed by (segment, ranking, system) with the text columns
          ``source``, ``reference``, ``hypothesis``. ``segment`` is the 1-based line number,
          ``ranking`` a label unlike those of any other campaign, ``system`` the campaign's
          own name of the system.
        - y : Series, the rank: 1 is best, ties allowed.
        - judges : Series, who ranked.
        - n_segments : int, lines of the test set, judged or not.
        - DESCR : str, what was read.

    Raises
    ------
    DataFileError
        Naming file and line: no such language pair, a missing system output, files of
        unequal length, columns of one name, rows of several language pairs, a judge or a system
        without a name, a rank that is not a number, bytes that are not UTF-8, a segment
        beyond the end, a system twice in one row, or ranked differently in one task.

    Notes
    -----
    Unjudged translations (rank −1) and reference translations are left out. In the pair
    format, tasks whose translations all tie have no row, so they cannot be loaded.
    """
    ranking_file, judgements, sources, references, outputs = _read_campaign(
        root, lang_pair, max_bytes
    )
    table = pd.DataFrame(list(judgements)).set_index(["segment", "ranking", "system"])
    texts = {
        "source": [sources[row.segment - 1] for row in judgements],
        "reference": [references[row.segment - 1] for row in judgements],
        "hypothesis": [outputs[row.system][row.segment - 1] for row in judgements],
    }
    once = {}  # each distinct text is one object
    columns = {name: [once.setdefault(t, t) for t in column] for name, column in texts.items()}
    X, y = pd.DataFrame(columns, table.index, dtype=object), table["rank"]
    if return_X_y:
        return X, y
    judges, description = table["judge"].astype(object), f"Human rankings of {ranking_file}."
    return Loaded(X=X, y=y, judges=judges, n_segments=len(sources), DESCR=description)


def load_wmt_translations(
    root: PathLike, lang_pair: str, *, max_bytes: int | None = None
) -> pd.DataFrame:
    """Load every translation of every judged system, whether it was judged or not.

    What the systems are scored on: their scores by a metric are means over the test set, not
    over the few segments that were judged.

    Parameters
    ----------
    root, lang_pair, max_bytes : see :func:`load_wmt`
        The same.

    Returns
    -------
    DataFrame of shape (n_translations, 3)
        Indexed by (segment, system), segments from 1 to the last line; columns as of
        :func:`load_wmt`. A blank translation that nobody judged is left out: WMT15 is handed on
        with blanks for what no judge saw, and a metric would take them for bad translations.

    Raises
    ------
    DataFileError
        As :func:`load_wmt`.
    """
    _, judgements, sources, references, outputs = _read_campaign(root, lang_pair, max_bytes)
    judged = {(judgement.segment, judgement.system) for judgement in judgements}
    X = candidates_of_lines(outputs, sources, [references])
    labelled = zip(X.index, X["hypothesis"], strict=True)
    return X[[bool(text.strip()) or label in judged for label, text in labelled]]


def wmt_system_names(root, lang_pair):
    """Name what a score file may hold: systems with an output, judged or not, and references.

    A set of all the forms in which rankings and score files name them: the file, and its name
    without the test set and the language pair; and the customary names of references, which
    submissions of metrics score as well.
    """
    names = {*_REFERENCES, *_HUMAN_OUTPUTS}
    for folder in (Path(root) / "system-outputs").glob(f"*/{lang_pair}"):
        for name in files_in(folder):
            full = name.removesuffix(".txt")
            short = full.removeprefix(f"{folder.parent.name}.{lang_pair}.")
            names |= {name, full, short, short.removesuffix(f".{lang_pair}"), system_key(name)}
    return names


def _read_campaign(root, lang_pair, max_bytes):
    """Read judgements and texts: ranking file, {judgement: line}, lines, {system: lines}."""
    root = Path(root)
    ranking_file = _ranking_file(root, lang_pair)
    source_language, target_language = lang_pair.split("-")
    judgements = _read_judgements(ranking_file, max_bytes)
    source_file, reference_file = (
        # Of the language pair, else of all pairs.
        _only_file(root / folder, f"-{lang_pair.replace('-', '')}-{ending}", f"-{ending}")
        for folder, ending in (
            ("sources", f"src.{source_language}"),
            ("references", f"ref.{target_language}"),
        )
    )
    files = _system_files(root, lang_pair, ranking_file, judgements)
    lines = read_aligned([source_file, reference_file, *files.values()], max_bytes)
    sources, references = lines[source_file], lines[reference_file]
    outputs = {name: lines[file] for name, file in files.items()}
    for judgement, line in judgements.items():
        if not 1 <= judgement.segment <= len(sources):
            raise Place(ranking_file, line).error(
                f"segment {judgement.segment} does not exist: {source_file} has "
                f"{len(sources)} lines, counted from 1."
            )
    return ranking_file, judgements, sources, references, outputs


def _ranking_file(root, lang_pair):
    """Find the rankings of a language pair."""
    if not re.fullmatch(r"[a-z]{2,3}-[a-z]{2,3}", str(lang_pair)):
        raise ValueError(f"lang_pair must be like 'de-en', found {lang_pair!r}.")
    folder = root / "rankings"
    if not os.path.isdir(folder):
        raise DataFileError(
            folder,
            "no such folder: expected the folder of one campaign, with rankings/, sources/, "
            "references/ and system-outputs/, e.g. .../wmt12.",
        )
    return _only_file(folder, f".{lang_pair}.csv")


def _read_judgements(path, max_bytes):
    """Read either ranking format; return {judgement: line} in the order of the file."""
    optional = ["rankingID", *_LANGUAGES, *_JUDGES, *_OF_SYSTEMS]
    header, rows = read_records(path, ["srcIndex"], optional=optional, max_bytes=max_bytes)
    found = (re.fullmatch(r"system([0-9]+)(Id|rank)", name) for name in header)
    numbers = list(dict.fromkeys(match[1] for match in found if match)) or ["1"]
    for name in (f"system{number}{end}" for number in numbers for end in ("Id", "rank")):
        if name not in header:
            raise Place(path, 1).error(f"no column {name}; the header is {header}.")
    judge_column = next((name for name in _JUDGES if name in header), None)
    languages = {}  # of a row → the first line that has them
    campaign = path.name.removesuffix(".gz").removesuffix(".csv")
    ranks = {}  # (ranking, system) → the judgement and its line
    tasks = {}  # ranking → its segment
    for at, cells in rows:
        segment = _integer(at, "srcIndex", cells)
        task = cells.get("rankingID", at.line)
        ranking = f"{campaign}:{task}"
        if tasks.setdefault(ranking, segment) != segment:
            raise at.error(f"ranking task {task} is of segment {tasks[ranking]}, here {segment}.")
        languages.setdefault(tuple(cells[name] for name in _LANGUAGES if name in cells), at.line)
        if len(languages) > 1:
            (first, line), (other, _) = languages.items()
            raise at.error(
                f"expected one language pair, found {[*other]} here and {[*first]} in line {line}."
            )
        judge = cells.get(judge_column, "")
        if judge_column is not None:
            at.check_label(judge_column, judge)
        of_row = set()
        for number in numbers:
            system = cells[f"system{number}Id"]
            if system in of_row:
                raise at.error(f"the system {system!r} is twice in one row.")
            if system and system not in _REFERENCES:
                of_row.add(system)
            name = f"system{number}rank"
            rank = _integer(at, name, cells)
            if rank == _NOT_JUDGED or system in _REFERENCES:
                continue
            if rank < 1:
                raise at.error(f"{name} must be 1 or more (-1: no judgement), found {rank}.")
            at.check_label(f"system{number}Id", system)
            judgement = _Judgement(segment, ranking, system, rank, judge)
            known, known_line = ranks.setdefault((ranking, system), (judgement, at.line))
            if known.rank != rank:
                raise at.error(
                    f"system {system!r} has rank {rank} here and {known.rank} in line "
                    f"{known_line}, in the same ranking task."
                )
    if not ranks:
        raise DataFileError(path, "no judgement in the file.")
    return dict(ranks.values())


def _integer(at, name, cells):
    """Read a whole number."""
    if not re.fullmatch(r"\s*-?[0-9]{1,9}\s*", cells[name]):
        raise at.error(f"{name} must be a whole number, found {cells[name]!r}.")
    return int(cells[name])


def _only_file(folder, *endings):
    """Find the file of the first ending that any has."""
    for ending in endings:
        files = list(named_files(folder, "", ending).values())
        if files:
            break
    if len(files) != 1:
        wanted = " or ".join(f"*{ending}" for ending in endings)
        there = [file.name for file in named_files(folder).values()]
        found = "expected one" if files else "no"
        problem = f"{found} file {wanted}, found {len(files)} among {there}."
        raise DataFileError(folder, problem)
    return files[0]


def _system_files(root, lang_pair, ranking_file, judgements):
    """Find the output file of each judged system."""
    folders = sorted((root / "system-outputs").glob(f"*/{lang_pair}"))
    if not folders:
        raise DataFileError(root / "system-outputs", f"no folder */{lang_pair}.")
    there = [(folder, files_in(folder)) for folder in folders]
    found = {}
    for judgement, line in judgements.items():
        name = judgement.system
        if name in found:
            continue
        files = []
        for folder, by_name in there:
            full = f"{folder.parent.name}.{lang_pair}.{name}"
            wanted = (name, full, f"{name}.txt", f"{name}.{lang_pair}")
            files += [by_name[file] for file in wanted if file in by_name][:1]
        if len(files) != 1:
            names = sorted(name for _, by_name in there for name in by_name)
            raise Place(ranking_file, line).error(
                f"expected one output of the system {name!r}, a file {name} or {full} in "
                f"{' or '.join(map(str, folders))}; found {len(files)} among {names}."
            )
        found[name] = files[0]
    return found
