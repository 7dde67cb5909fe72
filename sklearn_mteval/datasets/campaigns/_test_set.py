"""The files of a test set in mt-metrics-eval's layout, read and checked against each other."""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sklearn_mteval.datasets._files import check_same_length, named_files, read_lines
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets._score_lines import MISSING, score_blocks, score_rows
from sklearn_mteval.datasets.campaigns._ratings import rating_rows
from sklearn_mteval.exceptions import DataFileError

__all__ = [
    "TestSet", "chosen_references", "competing", "is_human", "is_reference", "list_metrics",
    "read_documents", "read_human_scores", "read_metric_scores", "read_test_set",
]  # fmt: skip

_PAIR = re.compile(r"[A-Za-z0-9_]{2,20}-[A-Za-z0-9_]{2,20}")  # also "en-zh_TW"
_SYNTHETIC = "synthetic"  # so begins the name of a reference that no human wrote
_REFERENCE = re.compile(rf"ref[A-Za-z]?|reference|{_SYNTHETIC}.*")  # with or without its text
_NO_REFERENCE, _ALL_REFERENCES = "src", "all"  # what the name of a metric ends in
_RESERVED = ("source", "reference", "hypothesis", "human")  # no names of columns of scores


class TestSet(NamedTuple):
    """One language pair of a test set: where it is, and its texts by name."""

    root: Path
    lang_pair: str
    max_bytes: int | None
    source_file: Path
    sources: list
    references: dict  # name → lines
    outputs: dict  # name → lines, of references, too
    systems: list  # names of outputs that compete

    def other_than(self, systems):
        """Name the references and outputs that are none of these systems."""
        return tuple(name for name in self.references | self.outputs if name not in systems)


def read_test_set(root, lang_pair, max_bytes):
    """Read the texts of a language pair, files of equal length."""
    root = Path(root)
    if not isinstance(lang_pair, str) or not _PAIR.fullmatch(lang_pair):
        raise ValueError(f"lang_pair must be like 'zh-en' or 'en-zh_TW', found {lang_pair!r}.")
    sources = named_files(root / "sources", "", ".txt")
    if lang_pair not in sources:
        there = f"there are {sorted(sources)}" if sources else "root must be one test set, e.g. "
        there += "" if sources else "…/wmt23, with the folders sources/, system-outputs/, …"
        raise DataFileError(root / "sources" / f"{lang_pair}.txt", f"no such file: {there}.")
    source_file = sources[lang_pair]
    lines = read_lines(source_file, max_bytes=max_bytes)
    if not lines:
        raise DataFileError(source_file, "the file is empty, expected one segment per line.")
    folder = root / "system-outputs" / lang_pair
    texts = []
    for files in (
        named_files(root / "references", f"{lang_pair}.", ".txt"),
        named_files(folder, "", ".txt"),
    ):
        texts.append({name: read_lines(file, max_bytes=max_bytes) for name, file in files.items()})
        for name, file in files.items():
            check_same_length(file, texts[-1][name], source_file, lines)
    references, outputs = texts
    systems = [name for name in outputs if not is_reference(name, references)]
    return TestSet(root, lang_pair, max_bytes, source_file, lines, references, outputs, systems)


def chosen_references(test_set, reference, metric_files):
    """Return the names of the references to use."""
    there = list(test_set.references)
    if reference is None:
        read = {name for _, names in metric_files.values() for name in names}
        return [name for name in there if (name in read if read else is_human(name))]
    names = _names("reference", reference)
    for name in names:
        if name not in there:
            problem = f"no reference {name!r} of {test_set.lang_pair}; there are {there}."
            raise DataFileError(test_set.root / "references", problem)
    return names


def competing(test_set, chosen):
    """List references that are systems, too."""
    others = [name for name in test_set.outputs if is_reference(name, test_set.references)]
    return [name for name in others if name not in chosen and is_human(name)]


def is_reference(name, references):
    """Tell whether an output is a reference: one of those, or named as references are."""
    return name in references or bool(_REFERENCE.fullmatch(name))


def is_human(reference):
    """Tell whether somebody wrote a reference."""
    return not reference.startswith(_SYNTHETIC)


def _names(option, value):
    """Return a name or a list of names as a list of distinct ones."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{option} must be a name or a list of names, found {value!r}.")
    return list(dict.fromkeys(names))


def read_documents(test_set):
    """Return domain and document of each segment, (2, n_segments); "" without such a file."""
    name, n_segments = f"{test_set.lang_pair}.docs", len(test_set.sources)
    found = np.full((2, n_segments), "", dtype=object)
    for file in named_files(test_set.root / "documents", "", ".docs").values():
        if file.name.removesuffix(".gz") == name:
            lines = read_lines(file, max_bytes=test_set.max_bytes)
            check_same_length(file, lines, test_set.source_file, test_set.sources)
            for k, line in enumerate(lines):
                fields = line.split(maxsplit=1)
                if len(fields) != 2:
                    problem = f"expected a domain and a document, found {line[:60]!r}."
                    raise DataFileError(file, problem, k + 1)
                found[:, k] = fields[0], fields[1].rstrip()
    return found


def read_human_scores(test_set, gold):
    """Read human scores: the file, and {system: array} of y, judges and, of ratings, spans."""
    if not isinstance(gold, str):
        raise ValueError(f"gold must name human scores, such as 'mqm', found {gold!r}.")
    folder, prefix = test_set.root / "human-scores", f"{test_set.lang_pair}."
    scores = named_files(folder, prefix, ".seg.score")
    ratings = named_files(folder, prefix, ".seg.rating")
    if gold in scores:
        blocks = _blocks(test_set, scores[gold], _score_lines(test_set, scores[gold]))
        # A penalty of nothing is 0 and not -0.
        return scores[gold], {name: 0.0 - np.array(v) for name, v in blocks.items()}, {}, None
    if gold in ratings:
        rows = rating_rows(ratings[gold], gold, test_set.max_bytes)
        blocks = _blocks(test_set, ratings[gold], rows)
        parts = {name: list(zip(*block, strict=True)) for name, block in blocks.items()}
        penalties = {name: np.array(part[0]) for name, part in parts.items()}
        judges = {name: as_object(part[1]) for name, part in parts.items()}
        return ratings[gold], penalties, judges, {n: as_object(p[2]) for n, p in parts.items()}
    there = sorted({*scores, *ratings})
    raise DataFileError(
        folder,
        f"no human scores {gold!r} of {test_set.lang_pair}, neither {prefix}{gold}.seg.score nor "
        f".seg.rating: pass gold=, one of {there}.",
    )


def list_metrics(test_set):
    """Map the full names of metrics to their files and the references that they read."""
    there, found = list(test_set.references), {}
    folder = test_set.root / "metric-scores" / test_set.lang_pair
    for name, file in named_files(folder, "", ".seg.score").items():
        base, _, ending = name.rpartition("-")
        read = {_NO_REFERENCE: [], _ALL_REFERENCES: there}.get(ending, ending.split("."))
        if not base or not set(read) <= set(there):
            raise DataFileError(
                file,
                f"expected METRIC-REF.seg.score, REF being {_NO_REFERENCE!r} (it reads no "
                f"reference), {_ALL_REFERENCES!r}, or of {there}: rename the file.",
            )
        found[name] = file, read
    return found


def read_metric_scores(test_set, files, wanted, allowed):
    """Read scores of metrics that read allowed references only: {name: {system: array}}."""
    folder = test_set.root / "metric-scores" / test_set.lang_pair
    variants = {}  # base name → full names
    for name, (_, read) in files.items():
        if set(read) <= allowed:
            variants.setdefault(name.rpartition("-")[0], []).append(name)
    if wanted is True:
        reserved = {*_RESERVED, *files}
        chosen = {}
        for base, names in variants.items():
            alone = len(names) == 1 and base not in reserved
            chosen |= {base: names[0]} if alone else dict(zip(names, names, strict=True))
    else:
        chosen = {}
        for name in _names("metric_scores", wanted):
            meant = [name] if name in files else variants.get(name, [])
            if len(meant) != 1:
                found = (
                    f"{len(meant)} variants, {meant}" if meant else f"none; there are {[*files]}"
                )
                raise DataFileError(folder, f"expected one metric {name!r}, found {found}.")
            chosen[name] = meant[0]
    found = {}
    for name, full in chosen.items():
        file = files[full][0]
        blocks = _blocks(test_set, file, _score_lines(test_set, file))
        found[name] = {system: np.array(values) for system, values in blocks.items()}
    return found


def _score_lines(test_set, file):
    """Read lines SYSTEM SCORE."""
    rows = score_rows(file, read_lines(file, max_bytes=test_set.max_bytes), [MISSING])
    if rows[0][1] is None:
        raise DataFileError(file, "expected lines 'SYSTEM SCORE', found a line of one word.", 1)
    return rows


def _blocks(test_set, file, rows):
    """Collect rows by system: {system: one value for each segment}."""
    for line, system, _ in rows:
        if system not in test_set.outputs:
            raise DataFileError(
                file,
                f"the system {system[:60]!r} has no output in system-outputs/{test_set.lang_pair}; "
                f"there are {', '.join(map(repr, test_set.outputs))}.",
                line,
            )
    return score_blocks(file, rows, len(test_set.sources))
