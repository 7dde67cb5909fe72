"""One's own judgements, in tables of three layouts, as candidate tables."""

import warnings
from typing import Any

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import check_boolean, check_one_of
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._lines import check_texts_option
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.datasets.own import VERDICTS
from sklearn_mteval.datasets.own._dialect import DECIMALS, DELIMITERS
from sklearn_mteval.datasets.own._direction import turned
from sklearn_mteval.datasets.own._finding import direction, find_columns
from sklearn_mteval.datasets.own._judged_rows import (
    description,
    judged_rows,
    odd_rows,
    without_summaries,
)
from sklearn_mteval.datasets.own._line_texts import check_alike, texts_of_lines, texts_of_table
from sklearn_mteval.datasets.own._names import listed
from sklearn_mteval.datasets.own._reading import read_any_table
from sklearn_mteval.datasets.own._tidied import tidied
from sklearn_mteval.datasets.own.layouts import LAYOUTS

_ENDINGS = (
    ".gz", ".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".pq",
    ".xlsx", ".xlsm",
)  # fmt: skip


def load_rankings(
    path_or_frame: PathLike | pd.DataFrame, *, format: str | None = None, better: str | None = None,
    segment: str | bool | None = None, system: str | list[str] | None = None,
    judgement: str | list[str] | None = None, judge: str | bool | None = None,
    ranking: str | bool | None = None, source: str | bool | None = None,
    reference: str | list[str] | bool | None = None,
    hypothesis: str | list[str] | bool | None = None, verdicts: str | dict | None = None,
    texts: dict | None = None, missing: str = "error", delimiter: str | None = None,
    decimal: str | None = None, sheet: str | None = None, quoted: bool | None = None,
    return_X_y: bool = False, max_bytes: int | None = None
) -> Any:  # fmt: skip
    r"""Load your own judgements, from a file or a DataFrame, as a candidate table.

    A row is a judged translation ("long"; what one annotator says of one segment is a ranking,
    unless a column ``ranking`` says more), a comparison of two systems or texts, or a choice of one
    of several ("pairwise"), or a task with a column for each system ("wide"; a system whose cell is
    empty is not in it). Titles above the header are passed over, empty cells below a segment, as
    where cells were merged, are filled, and averages and totals left out.

    Parameters
    ----------
    path_or_frame : path-like or DataFrame
        UTF-8 text with a header, its cells separated by commas, semicolons or tabs; JSON lines or a
        JSON list of objects; a spreadsheet (``.xlsx``, the extra ``excel``) or parquet (the extra
        ``parquet``); a pipe or "-". Named levels of a DataFrame's index are columns like others.
    format : {"long", "pairwise", "wide"}, optional
        The layout. None: as the header says, if it does so for certain.
    better : {"lower", "higher"}
        Which judgement is better, as of ranks or of scores. Required but for comparisons.
    segment, judge, ranking, source : str or False, optional
        Names of columns; False: not to be read. None: a name that is customary, in English, German,
        French or Spanish. Case, accents and what stands between words do not matter. Without a
        column of segments, rows of one source are one segment; with ``segment=False`` each
        comparison or task is a segment of its own.
    system : str or list of str, optional
        Long: the column of systems. Pairwise: the two columns, or more; False, or without such
        columns: systems are called A and B, or, where these have several texts of a segment, each
        text is a system of its own. Wide: the names of the systems, each a column.
    judgement : str or list of str, optional
        The column of ranks, scores or outcomes; several: of each annotator. Wide: what stands
        before or after the system's name.
    reference : str, list of str or False, optional
        One or several columns of references. Of several, those that are empty are left out.
    hypothesis : str, list of str or False, optional
        Long: the column of translations. Pairwise: the columns, of which names that are none of a
        place are the systems'. Wide: what stands before or after the system's name, or a list.
    verdicts : {"names", "positions"} or dict, optional
        Pairwise: how winners are written. None: by the names of systems, or by "a" ("model_a",
        "left") and "b", whichever all rows allow, also "A is slightly better" and the like in four
        languages; besides "tie" and "both_bad". A dict maps words of the table to "a", "b", "tie"
        or "both_bad"; "-" and "+" stand for numbers below and above 0.
    texts : dict, optional
        Line-aligned files of texts that the table does not hold: ``"source"``: a path;
        ``"reference"``: one or several; ``"hypothesis"``: a list of paths, named as systems, or a
        dict from systems to paths. Segments are then line numbers, counted from 1.
    missing : {"error", "skip"}, default="error"
        What a row without judgement does: raise, or be left out. Empty cells, "-", "None", "NA",
        "n/a", "null" and "NaN" are no judgements.
    delimiter : {",", ";", "\\t"}, optional
        What stands between cells of a text. None: as the header has it; if unclear, it raises.
    decimal : {".", ","}, optional
        What stands before decimals in texts. None: as the numbers have it; "1,234" alone raises.
    sheet : str, optional
        Of a spreadsheet, the name of the sheet. None: the first.
    quoted : bool, optional
        Whether double quotes stand around cells of a text table, or are characters like any other.
        None: they do; a tab-separated table in which that could hide rows is refused.
    return_X_y : bool, default=False
        Whether to return only (X, y).
    max_bytes : int, optional
        The most that may be read, of each file and of a line. None: 1 GiB, of a gzip file 50 times
        its size or 16 MiB, and 16 MiB a line.

    Returns
    -------
    Bunch
        - X : DataFrame indexed by (segment, ranking, system) with those of the text columns
          ``source``, ``reference``, ``hypothesis`` that there are. ``segment`` is an integer if
          all labels are; ``ranking`` is unlike those of other files, after the file's name.
        - y : Series, rank-like: lower is better. Ranks as they are, scores with a minus; of
          comparisons 1 and 2, ties 1 and 1.
        - judges : Series, who judged; "" where that is not known.
        - both_bad : Series of bool, True for both rows of a comparison in which both were bad.
        - shown_first : Series of bool, True for the first system of a comparison; None for other
          layouts.
        - n_contradictions : int, how many pairs of systems (long: translations) one annotator
          judged more than once and not alike; all of these are kept, as rankings of their own.
        - n_unjudged : int, rows without judgement, which were left out.
        - n_segments : int or None, lines of the files of texts.
        - format : str, the layout that was read.
        - DESCR : str, what was read, as what, and which judgement is better.
        - better : str, "lower" or "higher", as it was passed; "" of comparisons.

    Raises
    ------
    DataFileError
        Naming file and line: a column that is missing, there twice, or could be one of two; a cell
        that is no name, number, known outcome or text; a system compared with itself; another text
        than in a row before; files of unequal length.
    CandidateError
        The same of a DataFrame, naming the row, counted from 0.
    ValueError
        For options that do not go together.

    Warns
    -----
    UserWarning
        Of a column whose name contradicts ``better``, such as "rank" with "higher"; of rows that
        are hardly judgements: an average, a total, a number far from all others.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn_mteval.datasets import load_rankings
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.csv"
    ...     _ = path.write_text("segment,system_a,system_b,winner\n1,A,B,A\n1,B,C,tie\n")
    ...     mine = load_rankings(path)
    >>> mine.y
    segment  ranking  system
    1        mine:2   A         1
                      B         2
             mine:3   B         1
                      C         1
    Name: rank, dtype: int64
    """
    columns = {
        "segment": segment, "judge": judge, "ranking": ranking, "source": source,
        "reference": reference, "system": system, "judgement": judgement, "hypothesis": hypothesis,
    }  # fmt: skip
    check_boolean(return_X_y=return_X_y)
    if quoted is not None:
        check_boolean(quoted=quoted)
    for name, value, values in (
        ("missing", missing, ("error", "skip")),
        ("better", better, (None, "lower", "higher")),
        ("delimiter", delimiter, (None, *DELIMITERS)),
        ("decimal", decimal, (None, *DECIMALS)),
    ):
        check_one_of(name, value, values)
    _check_verdicts(verdicts)
    texts = check_texts_option(texts)
    table = read_any_table(
        path_or_frame, delimiter=delimiter, sheet=sheet, quoted=quoted, max_bytes=max_bytes
    )
    layout, columns = find_columns(table, LAYOUTS, format, columns, better)
    _check_better(better, layout, columns, verdicts)
    found = columns
    table, columns, remarks = tidied(table, columns)
    if not table.n_rows:
        raise table.error("there is no judgement, only a header.")
    options = {"better": better, "verdicts": verdicts, "missing": missing, "decimal": decimal}
    judged = judged_rows(table, layout, columns, options)
    judged = without_summaries(table, judged, remarks)
    if not len(judged.y):
        raise table.error("there is no judgement.")
    cells = texts_of_table(table, columns, judged)
    for name in cells:
        if name in texts:
            problem = (
                f"{name!r} is in the table and in texts=: pass {name}=False to take the files."
            )
            raise ValueError(problem)
    check_alike(table, judged, cells)
    cells = {name: distinct[codes] for name, (codes, distinct) in cells.items()}
    lines, n_segments = texts_of_lines(table, judged, texts, max_bytes)
    cells |= lines
    for remark in [*remarks, *turned(found, judged, better), *odd_rows(table, judged)]:
        warnings.warn(remark, stacklevel=2)
    index = _index(table, judged)
    names = [name for name in ("source", "reference", "hypothesis") if name in cells]
    X = pd.DataFrame({name: cells[name] for name in names}, index=index, dtype=object)
    y = pd.Series(judged.y, index=index, name="rank")
    if return_X_y:
        return X, y
    codes, labels = judged.judge
    shown_first = judged.shown_first
    if shown_first is not None:
        shown_first = pd.Series(shown_first, index=index, name="shown_first")
    return Loaded(
        X=X,
        y=y,
        judges=pd.Series(labels[codes], index=index, name="judge", dtype=object),
        both_bad=pd.Series(judged.both_bad, index=index, name="both_bad"),
        shown_first=shown_first,
        n_contradictions=judged.n_contradictions,
        n_unjudged=table.n_rows - len(np.unique(judged.place)),
        n_segments=n_segments,
        format=layout.name,
        DESCR=description(table, layout, found, judged, better),
        better=better or "",
    )


def _check_verdicts(verdicts):
    """Raise for what says nothing of how winners are written."""
    if verdicts is None or (isinstance(verdicts, str) and verdicts in ("names", "positions")):
        return
    if not isinstance(verdicts, dict) or not all(
        isinstance(word, str) and isinstance(verdict, str) and verdict in VERDICTS
        for word, verdict in verdicts.items()
    ):
        raise ValueError(
            "verdicts must be 'names', 'positions' or a dict from words of the table to "
            f"{', '.join(map(repr, VERDICTS))}, found {verdicts!r:.200}."
        )


def _check_better(better, layout, columns, verdicts):
    """Raise unless the direction is given where it is needed, and only there."""
    if layout.no_better is not None and better is not None:
        raise ValueError(f"better= is for ranks and scores; {layout.no_better}.")
    if layout.no_better is None and better is None:
        raise ValueError(
            f"better= is missing, and is never guessed: {listed(columns.judgement)[0]!r} needs "
            f"{direction(columns.judgement)}."
        )
    if verdicts is not None and not layout.verdicts:
        raise ValueError(f"verdicts= is for format='pairwise', not {layout.name!r}.")


def _index(table, judged):
    """Make the index of codes and labels that are there; nothing is hashed again."""
    stem = "" if table.path is None else f"{_stem(table.path)}:"
    levels, codes = [], []
    for of_row, labels in (judged.segment, judged.ranking, judged.system):
        used = np.bincount(of_row, minlength=len(labels)) > 0
        levels.append(pd.Index(labels[used]))
        codes.append((np.cumsum(used) - 1)[of_row])
    levels[1] = stem + levels[1].astype(str)
    names = ["segment", "ranking", "system"]
    return pd.MultiIndex(levels, codes, names=names, verify_integrity=False)


def _stem(path):
    """Name a file without what says its format."""
    name = path.name
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name
