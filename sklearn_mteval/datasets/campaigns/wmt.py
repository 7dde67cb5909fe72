"""Rankings of the WMT campaigns, in the campaigns' own files.

A folder with ``rankings/*.SRC-TRG.csv``, ``sources/``, ``references/`` and
``system-outputs/TESTSET/SRC-TRG/``. There are two ranking formats: one row per ranking task
(WMT10-14), or one row per pair of systems with a ``rankingID`` (WMT15, 16).
"""

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._files import Place, files_in, named_files
from sklearn_mteval.datasets._lines import as_object, candidates_of_lines, read_aligned
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.datasets.campaigns._ranking_file import REFERENCES, read_rankings
from sklearn_mteval.datasets.system_names import system_key
from sklearn_mteval.exceptions import DataFileError

_HUMAN_OUTPUTS = frozenset({"refA", "refB", "refC", "refD"})  # mt-metrics-eval's names


class _Campaign(NamedTuple):
    """The rankings of a language pair, and the texts of its test set."""

    ranking_file: Path
    judged: pd.DataFrame  # segment, ranking, system, rank, judge and line of each judgement
    sources: list
    references: list
    outputs: dict  # of each judged system


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
    return_X_y, max_bytes : see :func:`load_rankings`
        The same.

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
        Naming file and line: no such language pair, a missing system output, files of unequal
        length, rows of several language pairs, a judge or a system without a name, a rank that is
        no number, a segment beyond the end, a system twice in one row or ranked in two ways.

    Notes
    -----
    Unjudged translations (rank −1) and reference translations are left out. In the pair
    format, tasks whose translations all tie have no row, so they cannot be loaded.
    """
    found = _rankings(_read_campaign(root, lang_pair, max_bytes))
    return (found.X, found.y) if return_X_y else found


def _rankings(campaign):
    """Make what :func:`load_wmt` returns."""
    judged = campaign.judged
    index = pd.MultiIndex.from_frame(judged[["segment", "ranking", "system"]])
    place = judged["segment"].to_numpy() - 1
    hypotheses = np.empty(len(judged), dtype=object)
    for system, rows in judged.groupby("system").indices.items():
        hypotheses[rows] = as_object(campaign.outputs[system])[place[rows]]
    columns = {
        "source": as_object(campaign.sources)[place],
        "reference": as_object(campaign.references)[place],
        "hypothesis": hypotheses,
    }
    return Loaded(
        X=pd.DataFrame(columns, index, dtype=object),
        y=pd.Series(judged["rank"].to_numpy(), index, name="rank"),
        judges=pd.Series(judged["judge"].tolist(), index, name="judge", dtype=object),
        n_segments=len(campaign.sources),
        DESCR=f"Human rankings of {campaign.ranking_file}.",
    )


def load_wmt_translations(root, lang_pair, *, max_bytes=None):
    """Load every translation of every judged system, judged or not, indexed (segment, system)."""
    return _translations(_read_campaign(root, lang_pair, max_bytes))


def _translations(campaign):
    """Make a table of all translations, but for blank ones that nobody judged."""
    # WMT15 is handed on with blanks for what no judge saw: to a metric they are bad translations.
    X = candidates_of_lines(campaign.outputs, campaign.sources, [campaign.references])
    there = np.array([bool(text.strip()) for text in X["hypothesis"]], dtype=bool)
    place = pd.Index([*campaign.outputs]).get_indexer(campaign.judged["system"])
    there[(campaign.judged["segment"].to_numpy() - 1) * len(campaign.outputs) + place] = True
    return X[there]


def load_wmt_with_translations(root, lang_pair):
    """Return what :func:`load_wmt` and ``load_wmt_translations`` do, of files read once."""
    campaign = _read_campaign(root, lang_pair, None)
    return _rankings(campaign), _translations(campaign)


def wmt_system_names(root, lang_pair):
    """Name what a score file may hold, in all forms: systems, judged or not, and references."""
    names = {*REFERENCES, *_HUMAN_OUTPUTS}
    for folder in (Path(root) / "system-outputs").glob(f"*/{lang_pair}"):
        for name in files_in(folder):
            full = name.removesuffix(".txt")
            short = full.removeprefix(f"{folder.parent.name}.{lang_pair}.")
            names |= {name, full, short, short.removesuffix(f".{lang_pair}"), system_key(name)}
    return names


def _read_campaign(root, lang_pair, max_bytes):
    """Read rankings and texts of a language pair."""
    root = Path(root)
    ranking_file = _ranking_file(root, lang_pair)
    source_language, target_language = lang_pair.split("-")
    judged = read_rankings(ranking_file, max_bytes)
    source_file, reference_file = (
        # Of the language pair, else of all pairs.
        _only_file(root / folder, f"-{lang_pair.replace('-', '')}-{ending}", f"-{ending}")
        for folder, ending in (
            ("sources", f"src.{source_language}"),
            ("references", f"ref.{target_language}"),
        )
    )
    files = _system_files(root, lang_pair, ranking_file, judged)
    lines = read_aligned([source_file, reference_file, *files.values()], max_bytes)
    once = {}  # each distinct text is one object
    lines = {file: [once.setdefault(t, t) for t in texts] for file, texts in lines.items()}
    sources, segments = lines[source_file], judged["segment"].to_numpy()
    beyond = (segments < 1) | (segments > len(sources))
    if beyond.any():
        row = int(beyond.argmax())
        raise Place(ranking_file, int(judged["line"][row])).error(
            f"segment {segments[row]} does not exist: {source_file} has {len(sources)} lines, "
            "counted from 1."
        )
    outputs = {name: lines[file] for name, file in files.items()}
    return _Campaign(ranking_file, judged, sources, lines[reference_file], outputs)


def _ranking_file(root, lang_pair):
    """Find the rankings of a language pair."""
    if not re.fullmatch(r"[a-z]{2,3}-[a-z]{2,3}", str(lang_pair)):
        raise ValueError(f"lang_pair must be like 'de-en', found {lang_pair!r}.")
    folder = root / "rankings"
    if not os.path.isdir(folder):
        raise Place(folder).error(
            "no such folder: expected the folder of one campaign, with rankings/, sources/, "
            "references/ and system-outputs/, e.g. .../wmt12."
        )
    return _only_file(folder, f".{lang_pair}.csv")


def _only_file(folder, *endings):
    """Find the file of the first ending that any has."""
    for ending in endings:
        files = list(named_files(folder, "", ending).values())
        if files:
            break
    if len(files) != 1:
        wanted = " or ".join(f"*{ending}" for ending in endings)
        there = [file.name for file in named_files(folder).values()]
        found = f"{'expected one' if files else 'no'} file {wanted}, found {len(files)}"
        raise DataFileError(folder, f"{found} among {there}.")
    return files[0]


def _system_files(root, lang_pair, ranking_file, judged):
    """Find the output file of each judged system."""
    folders = sorted((root / "system-outputs").glob(f"*/{lang_pair}"))
    if not folders:
        raise DataFileError(root / "system-outputs", f"no folder */{lang_pair}.")
    there = [(folder, files_in(folder)) for folder in folders]
    found = {}
    for name, line in judged.drop_duplicates("system")[["system", "line"]].itertuples(index=False):
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
