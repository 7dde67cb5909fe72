"""What is wrong with a file that is to be submitted to WMT's task of automatic evaluation."""

from collections import defaultdict, deque
from itertools import chain

from sklearn_mteval.datasets._files import Place, pieces_of_lines, unquoted
from sklearn_mteval.datasets._json import is_number, parse_json_lines
from sklearn_mteval.datasets.submissions.form import (
    NAMES,
    SEVERITIES,
    TASKS,
    answers_of_object,
    columns_kept,
    read_items,
    spans_of_cells,
)
from sklearn_mteval.exceptions import DataFileError


def problems_of(path, task, test_set=None):
    """Yield (line, problem) for all that is wrong with a file to be submitted.

    Parameters
    ----------
    path : path-like
        The file, a table (2025) or JSON lines (2026).
    task : {"spans", "scores", "error-free"}
    test_set : path-like, optional
        What it answers. Without it nothing is said of lines that are missing, doubled or moved,
        nor, of JSON lines, of spans beyond their texts. Of each of its lines names and the lengths
        of texts are held in memory.

    Yields
    ------
    int, str
        The line, from 1, and a sentence. Nothing: the file can be submitted.
    """
    lines = chain.from_iterable(pieces_of_lines(path))
    first = next(lines, "")
    if not first:
        yield 1, "the file is empty."
        return
    is_table, header = not first.startswith("{"), first.split("\t")
    expected = None if test_set is None else _Expected(test_set, task)
    if problem := _form_problem(is_table, header, task, expected):
        yield 1, problem
        return
    lines = lines if is_table else chain([first], lines)
    keys = [name for name in header if name not in (*NAMES, *TASKS[task].columns)]
    for line, text in enumerate(lines, 1 + is_table):
        at = Place(path, line)
        try:
            found = _row(at, text, header, keys, task) if is_table else _object(at, text, task)
        except DataFileError as error:
            yield line, error.problem
            continue
        yield from ((line, problem) for problem in _line_problems(*found, task, expected))
    if expected is not None:
        yield from expected.missing()


def _form_problem(is_table, header, task, expected):
    """Say what is wrong with the form or the columns; "" for nothing."""
    if expected is not None and expected.is_table != is_table:
        kinds = ("JSON lines (2026)", "a table (2025)")
        return f"expected {kinds[expected.is_table]} as the test set is, found {kinds[is_table]}."
    answers = TASKS[task].columns
    kept = [name for name in header if name not in answers] if expected is None else expected.kept
    right = not is_table or header == [*kept, *answers]
    return "" if right else f"expected the columns {[*kept, *answers]}, found {header}."


def _line_problems(key, answers, task, expected):
    """Yield what is wrong with a line: its place, its systems, its answers."""
    lengths = {}
    if expected is not None:
        problem, lengths = expected.of(key)
        if problem:
            yield problem
        for system in (lengths.keys() ^ answers.keys()) if lengths else ():
            what = "has no answer" if system in lengths else "is not in the test set"
            yield f"{system} {what}."
    for system, (length, answer) in answers.items():
        there = lengths.get(system, length)
        if None not in (there, length) and there != length:
            yield f"the translation has {length} characters, in the test set {there}."
        of = f"{system}: " if system else ""
        yield from (of + problem for problem in _CHECKS[task](answer, there))


class _Expected:
    """The lines of a test set, each of which is to be answered once and in its place."""

    def __init__(self, test_set, task):
        self.is_table, header, items = read_items(test_set)
        self.kept = columns_kept(header, task)
        self._left, self._before = defaultdict(deque), 0
        keys = [name for name in self.kept if name not in NAMES]
        for item in items:
            systems = [""] if self.is_table else item.hypotheses
            lengths = dict(zip(systems, map(len, item.hypotheses.values()), strict=True))
            key = tuple(item.kept[name] for name in keys)
            self._left[key].append((item.line, lengths))

    def of(self, key):
        """Return what is wrong with the place of a line, "" for nothing, and lengths of texts."""
        if key not in self._left:
            return f"the test set has no {_shown(key)!r}.", {}
        if not self._left[key]:
            return f"{_shown(key)!r} is answered once too often.", {}
        line, lengths = self._left[key].popleft()
        before, self._before = self._before, line
        if line > before:
            return "", lengths
        return f"line {line} of the test set comes after its line {before}.", lengths

    def missing(self):
        """Yield the lines of the test set that are not answered."""
        left = [(line, key) for key, places in self._left.items() for line, _ in places]
        for line, key in sorted(left):
            yield line, f"of the test set ({_shown(key)!r}) has no answer."


def _shown(key):
    """Name a line by its first cells."""
    return " ".join(key)[:80]


def _row(at, text, header, keys, task):
    """Return the key of a row, and of no system the length of its text and the answer."""
    cells = text.split("\t")
    if len(cells) != len(header):
        raise at.error(f"expected {len(header)} cells as in the header, found {len(cells)}.")
    row = dict(zip(header, cells, strict=True))
    length = len(unquoted(row[NAMES[1]])) if NAMES[1] in row else None
    answer = tuple(row[name] for name in TASKS[task].columns)
    if task != "spans":
        try:
            answer = float(answer[0])
        except ValueError:
            answer = answer[0]
    return tuple(row[name] for name in keys), {"": (length, answer)}


def _object(at, text, task):
    """Return the key of a JSON line, and of each system no length, and the answer."""
    (found,) = parse_json_lines(at.path, [(at.line, text)])
    item, answers = answers_of_object(at, found, task)
    return (item,), {system: (None, answer) for system, answer in answers.items()}


def _span_problems(answer, length):
    """Yield what is wrong with spans, of a table three cells, in JSON lines an object."""
    if isinstance(answer, tuple):
        try:
            spans = spans_of_cells(answer)
        except ValueError as error:
            yield str(error)
            return
    else:
        errors = answer.get("errors") if isinstance(answer, dict) else None
        if not isinstance(errors, list) or not all(isinstance(one, dict) for one in errors):
            yield "expected an object with a list 'errors' of objects."
            return
        spans = [tuple(map(one.get, ("start", "end", "severity"))) for one in errors]
    before = 0
    for start, end, severity in spans:
        if type(start) is not int or type(end) is not int or start < 0:
            yield f"start and end must be whole numbers from 0, found {start!r} and {end!r}."
            continue
        if start >= end:
            yield f"a span must start before its end, found {start} to {end}."
        elif length is not None and end > length:
            yield f"the span {start} to {end} ends beyond the text of {length} characters."
        elif start < before:
            yield f"the span {start} to {end} overlaps with another, or stands before it."
        if severity not in SEVERITIES:
            yield f"the severity must be one of {SEVERITIES}, found {severity!r}."
        before = max(before, end)


def _score_problems(answer, _):
    """Yield what is wrong with a score."""
    if not is_number(answer):
        yield f"expected a finite number as the score, found {answer!r}."


def _label_problems(answer, _):
    """Yield what is wrong with the answer whether there is no error."""
    if isinstance(answer, bool) or answer not in (0, 1):
        yield f"expected 1, error-free, or 0, found {answer!r}."


_CHECKS = {
    "spans": _span_problems,
    "scores": _score_problems,
    "error-free": _label_problems,
}
