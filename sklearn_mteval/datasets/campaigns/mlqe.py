"""MLQE-PE: one neural translation a source, with its post-edit, direct assessments, errors.

Fomicheva et al. 2020, "MLQE-PE: A Multilingual Quality Estimation and Post-Editing Dataset";
critical errors: Specia et al. 2021, "Findings of the WMT 2021 Shared Task on Quality Estimation".
"""

import re
import warnings
from pathlib import Path
from typing import Any

import pandas as pd

from sklearn_mteval._helpers.options import check_boolean, check_one_of
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._files import check_header, read_lines, records_of, unquoted
from sklearn_mteval.datasets._json import is_number, parse_json
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.datasets._score_lines import number
from sklearn_mteval.exceptions import DataFileError

# Of each kind of judgement the columns that it reads besides the source.
GOLD = {
    "post_edit": ("translation_tokenized", "post_edit_tokenized", "hter"),
    "hter": ("translation", "hter"),
    "da_mean": ("translation", "da_mean", "da_scores"),
    "da_z": ("translation", "da_z", "da_scores"),
    "critical": ("translation", "critical", "votes"),
    "votes": ("translation", "votes"),
}
# As WMT23's quality-estimation task names them, whose direct assessments have no post-edits.
RENAMED = {"original": "source", "scores": "da_scores", "mean": "da_mean", "z_mean": "da_z"}
_COLUMNS = ("source", *dict.fromkeys(column for columns in GOLD.values() for column in columns))
_MT, _POST_EDIT = "mt", "post-edit"  # names of systems
_ROUNDING = 0.01  # of da_mean, in points

_PAIR = re.compile(r"(?:critical\.)?([a-z]{2,3}-[a-z]{2,3})\.")
_PAIRED = re.compile(r'(?<!\S)(["\']) (.*?) \1(?![^\s,.;:!?)])')
_BEFORE = re.compile(r" (?=[,.;:!?%)\]}]|'(?:s|t|m|d|re|ve|ll)\b)", re.IGNORECASE)
_AFTER = re.compile(r"(?<=[(\[{$£€]) ")


def load_mlqe(
    path: PathLike, *, gold: str | None = None, return_X_y: bool = False,
    max_bytes: int | None = None
) -> Any:  # fmt: skip
    """Load one file of MLQE-PE: post-edits, direct assessments or critical errors.

    Parameters
    ----------
    path : path-like
        Tab-separated file without quoting, plain or compressed by gzip, such as
        ``en-de.train.tsv.gz`` (its columns: source, translation, translation_tokenized,
        post_edit_tokenized, hter, da_mean, da_z, da_scores) or ``critical.en-de.train.tsv.gz``
        (source, translation, votes, critical); or the direct assessments of WMT23's task, whose
        columns original, scores, mean and z_mean are source, da_scores, da_mean and da_z.
    gold : {"post_edit", "hter", "da_mean", "da_z", "critical", "votes"}, optional
        What is judged, and by what. Only the columns that it needs must be there. None: "critical"
        in a file that has such a column, "da_mean" in one without post-edits, else "post_edit".

        - "post_edit": the machine translation (system "mt") and what a translator made of it
          ("post-edit"). y is HTER, the edits for each word, of the translation, and 0 of its
          post-edit: a translation that needed none ties, and so does one in which only case was
          mended, which HTER does not count.
        - "hter", "da_mean", "da_z": the translation alone. y is HTER, or the mean of its direct
          assessments, or of these standardised for each annotator, with the sign changed.
        - "critical", "votes": the translation alone. y is 1 where most annotators saw a critical
          error, else 0; or the proportion of those who did. Answers but 0 and 1, which the
          campaign has and does not explain, are left out of it.
    return_X_y, max_bytes : see :func:`load_rankings`
        The same.

    Returns
    -------
    Bunch
        - X : DataFrame with the text columns ``source`` and ``hypothesis``, indexed by (segment,
          ranking, system) with ``gold="post_edit"``, else by (segment, system). ``segment`` is the
          number of the line below the header, of a repeated source that of the first.
        - y : Series, lower is better. Within [0, 1] but for "da_mean", within [-100, 0], and
          "da_z". Scores of different segments can be compared.
        - n_judgements : Series, how many ``y`` is the mean of; None with ``gold="post_edit"``.
        - n_segments : int, lines below the header.
        - lang_pair : str, such as "en-de", of a file's name that is like those above; else "".
        - DESCR : str, what was read.

    Raises
    ------
    ValueError
        For an unknown ``gold``.
    DataFileError
        Naming file and line: a column that is missing; what is no number of its range; a majority
        that its judgements do not have; an empty source or post-edit; a source with two
        translations; no row.

    Warns
    -----
    UserWarning
        If ``da_mean`` is not the mean of the scores, which is what counts.

    Notes
    -----
    Post-edits, and translations with critical errors, are in the file as tokens only. Spaces before
    marks that end a word, after brackets that begin one and within pairs of quotes are taken out;
    96 to 99 % of the translations are then as the system wrote them. Repeated sources have one
    translation; its scores are averaged over all annotators, and further post-edits are systems of
    their own, "post-edit2", each in a ranking with the translation.
    """
    check_boolean(return_X_y=return_X_y)
    check_one_of("gold", gold, (None, *GOLD))
    path = Path(path)
    lines = read_lines(path, max_bytes=max_bytes)
    first = lines[0].split("\t") if lines else []
    if set(RENAMED) <= set(first):
        lines[0] = "\t".join(RENAMED.get(name, name) for name in first)
    header, rows = records_of(path, lines, ["source"], _COLUMNS)
    gold = gold or _usual(header)
    check_header(path, 1, header, GOLD[gold], _COLUMNS)
    if not rows:
        raise DataFileError(path, "expected translations, found none below the header.")
    segments = _segments(rows, GOLD[gold][0])
    if gold == "post_edit":
        table = _post_edits(rows, segments, path.name.removesuffix(".gz").removesuffix(".tsv"))
        n_judgements, unchanged = None, (table.groupby("ranking")["gold"].max() == 0).sum()
        what = f"{len(rows)} post-edits, {unchanged} without an edit"
    else:
        table = _scores(rows, segments, gold)
        n_judgements = table["n_judgements"]
        what = f"{gold} of {len(table)} translations, {len(rows) - len(table)} of them repeated"
    X, y = table[["source", "hypothesis"]].astype(object), table["gold"].rename(gold)
    if return_X_y:
        return X, y
    n_segments = rows[-1][0].line - 1
    descr = f"{what}, of {path}."
    pair = _PAIR.match(path.name)
    others = {"n_judgements": n_judgements, "n_segments": n_segments, "DESCR": descr}
    return Loaded(X=X, y=y, lang_pair=pair[1] if pair else "", **others)


def _usual(header):
    """Return what is judged in a file with these columns."""
    if "critical" in header:
        return "critical"
    assessed = set(GOLD["da_mean"]) <= set(header) and "post_edit_tokenized" not in header
    return "da_mean" if assessed else "post_edit"


def _segments(rows, column):
    """Number the rows by their sources; each must have one translation."""
    first, found = {}, []
    for at, cells in rows:
        if not cells["source"].strip():
            raise at.error("the source is empty.")
        segment, text = first.setdefault(cells["source"], (at.line - 1, cells[column]))
        if text != cells[column]:
            raise at.error(
                f"another {column} than in line {segment + 1}, which has the same source: expected "
                "the translations of one system. Split the file."
            )
        found.append(segment)
    return found


def _post_edits(rows, segments, label):
    """Make a table of translations and their post-edits."""
    table, seen = [], {}
    for (at, cells), segment in zip(rows, segments, strict=True):
        edited = cells["post_edit_tokenized"]
        if not edited.strip():
            raise at.error("the post-edit is empty.")
        again = seen[segment] = seen.get(segment, 0) + 1
        key = segment, f"{label}:{at.line - 1}"
        source, hter = _text(cells["source"]), _number(at, cells, "hter", 0, 1)
        translation = _text(cells["translation_tokenized"], tokenized=True)
        table.append((*key, _MT, source, translation, hter))
        system = _POST_EDIT if again == 1 else f"{_POST_EDIT}{again}"
        table.append((*key, system, source, _text(edited, tokenized=True), 0.0))
    levels = ["segment", "ranking", "system"]
    return pd.DataFrame(table, columns=[*levels, "source", "hypothesis", "gold"]).set_index(levels)


def _scores(rows, segments, gold):
    """Make a table of translations, their scores averaged over all judgements."""
    texts, scores, contradictory = {}, {}, []
    for (at, cells), segment in zip(rows, segments, strict=True):
        texts[segment] = _text(cells["source"]), _text(cells["translation"], "votes" in cells)
        scores.setdefault(segment, []).append(_score(at, cells, gold, contradictory))
    for at, said, mean in contradictory[:1]:
        warnings.warn(
            f"{at.path}, line {at.line}: da_mean is {said}, but that of da_scores is {mean:g}, "
            f"which counts; so in {len(contradictory)} of {len(rows)} lines.",
            stacklevel=3,
        )
    table = []
    for segment, found in scores.items():
        n = sum(n for _, n in found)
        mean = sum(score * n for score, n in found) / n if len(found) > 1 else found[0][0]
        table.append((segment, _MT, *texts[segment], mean, n))
    levels = ["segment", "system"]
    columns = [*levels, "source", "hypothesis", "gold", "n_judgements"]
    return pd.DataFrame(table, columns=columns).set_index(levels)


def _score(at, cells, gold, contradictory):
    """Return the score of a row, lower is better, and how many judgements it is the mean of.

    A mean that its judgements do not have is noted as contradictory.
    """
    if gold == "hter":
        return _number(at, cells, "hter", 0, 1), 1
    if gold in ("da_mean", "da_z"):
        scores = _numbers(at, cells, "da_scores", 0, 100)
        score = _number(at, cells, gold, *((0, 100) if gold == "da_mean" else ()))
        mean = sum(scores) / len(scores)
        if gold == "da_mean" and abs(score - mean) > _ROUNDING:
            contradictory.append((at, cells["da_mean"], mean))
            score = mean
        return 0.0 - score, len(scores)
    votes = _numbers(at, cells, "votes", 0, 9)
    if gold == "critical":
        critical = _number(at, cells, "critical", 0, 1)
        if critical != (2 * votes.count(1) > len(votes)):
            raise at.error(
                f"critical is {cells['critical']!r}, but the votes are {cells['votes']}: expected "
                "1 where most of them are 1, else 0."
            )
        return critical, len(votes)
    n = votes.count(0) + votes.count(1)
    if not n:
        raise at.error(f"expected votes of 0 or 1, found {cells['votes']}.")
    return votes.count(1) / n, n


def _number(at, cells, column, low=None, high=None):
    """Read a number of a cell, of a range if one is given."""
    value = number(cells[column])
    if value is None or (low is not None and not low <= value <= high):
        raise at.error(
            f"{column} must be a number" + f" from {low} to {high}" * (low is not None) + ", found "
            f"{cells[column][:60]!r}."
        )
    return value


def _numbers(at, cells, column, low, high):
    """Read a list of numbers of a range."""
    found = parse_json(at.path, cells[column], at.line)
    numbers = isinstance(found, list) and found and all(map(is_number, found))
    if not numbers or not all(low <= value <= high for value in found):
        raise at.error(
            f"{column} must be a list of numbers from {low} to {high}, such as [1,0,1], found "
            f"{cells[column][:60]!r}."
        )
    return found


def _text(cell, tokenized=False):
    """Return the text of a cell, unquoted and, if asked for, detokenised."""
    text = unquoted(cell)
    if not tokenized:
        return text
    text = _PAIRED.sub(r"\1\2\1", " ".join(text.split()))
    return _AFTER.sub("", _BEFORE.sub("", text))
