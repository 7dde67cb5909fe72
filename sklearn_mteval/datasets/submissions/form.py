"""The form of WMT's shared task of automatic evaluation: test sets that it hands out, and answers.

Two years have two forms, told apart by the first character of a file.

*2026, JSON lines.* An item a line, ``{"item_id": "official_###_SOURCE_###_TARGET_###_DOMAIN_###_
DOCUMENT_###_SEGMENT", "src": …, "ref": {"text": …, "type": …}, "hyps": {SYSTEM: TEXT, …}}``;
answered by ``{"item_id": …, "task1_pred": {SYSTEM: ANSWER, …}}``. Known from files of participants
that name the pages of July 2026 (``mteval-test26.jsonl``); of ``task3_pred`` it is assumed.

*2025, a table.* A translation a row, tab-separated, columns as in the organisers' scripts
(repository ``wmt25-mteval``), texts with a backslash and an n for a line end. Spans were answered
by the same rows with three more columns, scores by rows without the texts and with ``overall``;
2025 had no task of error-free segments: its column is assumed.

In both, positions count code points (as Python does; an emoji is one, of UTF-16 two), from 0, and
the end is not part of the span: the scorer of 2025 counts ``[start:end]``. Challenge sets are rows
or items like any other, whose ``set_id`` (2025), or ``item_id`` (2026), begins with "challenge".
The column ``method`` of 2025 says how annotators judged (ESA, MQM); it is not the metric's name.
"""

import json
from itertools import chain
from typing import NamedTuple

from sklearn_mteval.datasets._files import Place, pieces_of_lines, rows_of, unquoted
from sklearn_mteval.datasets._json import parse_json_lines
from sklearn_mteval.exceptions import DataFileError

SEVERITIES = ("minor", "major")
NO_ERROR = ("-1", "-1", "no-error")
NAMES = ("source_segment", "hypothesis_segment", "reference_segment")  # of texts, in a table
NEEDED = ("source_lang", "target_lang", "system_id", *NAMES[:2])
MISSING = ("", "NaN")  # a reference that is not there
JOINT = "_###_"
SETS = ("official", "challenge")


class Task(NamedTuple):
    """A task: the columns of a table's answers, whether texts stay, the name in JSON lines."""

    columns: tuple[str, ...]
    keeps_texts: bool
    name: str


TASKS = {
    "spans": Task(("start_indices", "end_indices", "error_types"), True, "task1_pred"),
    "scores": Task(("overall",), False, "task2_pred"),
    "error-free": Task(("error_free",), False, "task3_pred"),
}


class Item(NamedTuple):
    """A line of a test set: one or several translations of a segment."""

    line: int
    kept: dict[str, str]  # what the answer repeats
    target: str  # language
    source: str
    reference: str  # "": there is none
    hypotheses: dict[str, str]  # of each system


def read_items(path):
    """Open a test set: whether it is a table, the names that answers repeat, an iterator of Items.

    Lines are read as they are needed; DataFileError for a line that is not of the form.
    """
    lines = chain.from_iterable(pieces_of_lines(path))
    first = next(lines, "")
    lines = chain([first], lines)
    if first.startswith("{"):
        return False, ["item_id"], _items_of_json(path, lines)  # one at least
    header, rows = rows_of(path, lines, NEEDED, NAMES[2:], delimiter="\t", quoted=False)
    for task in TASKS.values():
        if not {*task.columns}.isdisjoint(header):
            raise DataFileError(path, f"is answered already: it has columns {task.columns}.", 1)
    items = (_item_of_row(line, header, cells) for line, cells in rows)
    if (item := next(items, None)) is None:
        raise DataFileError(path, "has a header, but no translations.")
    return True, header, chain([item], items)


def _item_of_row(line, header, cells):
    """Make an Item of a row of a table; a backslash and n become as many characters of space."""
    row = dict(zip(header, cells, strict=True))
    texts = [unquoted(row.get(name, "")).replace("\\n", " \n") for name in NAMES]
    reference = "" if texts[2] in MISSING else texts[2]
    return Item(line, row, row["target_lang"], texts[0], reference, {row["system_id"]: texts[1]})


def _items_of_json(path, lines):
    """Generate the Items of JSON lines."""
    for line, text in enumerate(lines, 1):
        if not text.strip():
            continue
        at, (found,) = Place(path, line), parse_json_lines(path, [(line, text)])
        ref, hypotheses = found.get("ref") or "", found.get("hyps")
        texts = [found.get("item_id"), found.get("src")]
        texts += [(ref.get("text") or "") if isinstance(ref, dict) else ref]
        if not isinstance(hypotheses, dict) or not hypotheses:
            raise at.error("expected 'hyps', an object with the translation of each system.")
        if not all(isinstance(text, str) for text in [*texts, *hypotheses.values()]):
            raise at.error(
                "expected texts as 'item_id', 'src' and each of 'hyps', and as 'ref' nothing, a "
                "text, or an object with 'text'."
            )
        name = texts[0].split(JOINT)
        languages = name[1:] if name[0].startswith(SETS) else name
        if len(languages) < 2:
            raise at.error(f"item_id must name set, source and target language, found {texts[0]!r}")
        yield Item(line, {"item_id": texts[0]}, languages[1], *texts[1:], hypotheses)


def answered(is_table, header, task, answers):
    """Generate the lines of what is submitted; ``answers`` are an Item and one for each system: of
    spans lists of (start, end, severity), of scores 0 to 100, of error-free 0 or 1.
    """
    form = TASKS[task]
    names = columns_kept(header, task)
    for k, (item, found) in enumerate(answers):
        if is_table:
            if k == 0:  # not before there is an answer
                yield "\t".join([*names, *form.columns]) + "\n"
            cells = _cells(task, *found)
            yield "\t".join([*(item.kept[name] for name in names), *cells]) + "\n"
            continue
        by_system = {
            system: _object(text, one) if task == "spans" else one
            for (system, text), one in zip(item.hypotheses.items(), found, strict=True)
        }
        yield json.dumps(item.kept | {form.name: by_system}, ensure_ascii=False) + "\n"


def columns_kept(header, task):
    """List the names of a test set that its answers repeat."""
    return [name for name in header if TASKS[task].keeps_texts or name not in NAMES]


def _cells(task, answer):
    """Write an answer as cells of a table."""
    if task != "spans":
        return [str(answer)]
    return [" ".join(map(str, of)) for of in zip(*answer, strict=True)] if answer else NO_ERROR


def spans_of_cells(cells):
    """List what a table has as spans, (start, end, severity): what is no whole number stays text.

    ValueError for cells of unequally many.
    """
    if cells == NO_ERROR:
        return []
    starts, ends, severities = (cell.split(" ") for cell in cells)
    if not len(starts) == len(ends) == len(severities):
        raise ValueError(
            f"expected as many of each, or {' '.join(NO_ERROR)}, found {len(starts)} starts, "
            f"{len(ends)} ends and {len(severities)} severities."
        )
    places = ([int(n) if n.isdecimal() else n for n in of] for of in (starts, ends))
    return list(zip(*places, severities, strict=True))


def answers_of_object(at, found, task):
    """Return the item_id of a JSON line, and its answers by system; DataFileError for neither."""
    item, answers = found.get("item_id"), found.get(TASKS[task].name)
    if not isinstance(item, str) or not isinstance(answers, dict):
        raise at.error(f"expected a text 'item_id' and an object {TASKS[task].name!r}.")
    return item, answers


def _object(text, spans):
    """Write spans as JSON has them; an empty translation has an omission, as it has no words."""
    return {
        "errors": [dict(zip(("start", "end", "severity"), span, strict=True)) for span in spans],
        "omission": None if text.strip() else "major",
        "instruction_fault": None,
    }
