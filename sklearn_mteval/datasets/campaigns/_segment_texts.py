"""Texts of a test set, one for each segment: lines of a text file, or JSON lines with a field each.

mt-metrics-eval reads both since WMT24++: ``NAME.txt``, or ``NAME.jsonl`` whose objects hold the
text as "source", "target" (of a reference) or "hypothesis", and whatever else is known.
"""

from typing import Any, NamedTuple

from sklearn_mteval.datasets._files import Place, named_files, read_lines
from sklearn_mteval.datasets._json import parse_json
from sklearn_mteval.exceptions import DataFileError

_ENDINGS = (".txt", ".jsonl")
_NOT_SUPPLIED = "[No translation supplied]"  # mt-metrics-eval's word for a text that is missing


class SegmentTexts(NamedTuple):
    """The texts of a file; None for a segment without."""

    texts: list[str | None]
    records: list[dict[str, Any]] | None  # what JSON lines say besides


def text_files(folder, prefix=""):
    """Map the names of a folder's files of texts, less prefix and ending, to the files."""
    found = {}
    for ending in _ENDINGS:
        for name, file in named_files(folder, prefix, ending).items():
            if name in found:
                raise DataFileError(
                    folder / f"{prefix}{name}",
                    f"is there twice, as {found[name].name} and {file.name}: remove one of them.",
                )
            found[name] = file
    return dict(sorted(found.items(), key=lambda item: item[1].name))


def read_texts(file, field, max_bytes):
    """Read a file's texts, of JSON lines those in ``field``."""
    if not file.name.removesuffix(".gz").endswith(".jsonl"):
        lines = read_lines(file, max_bytes=max_bytes)
        return SegmentTexts([None if t.rstrip() == _NOT_SUPPLIED else t for t in lines], None)
    texts, records = [], read_records_of_segments(file, max_bytes)
    for line, record in enumerate(records, 1):
        text = record.get(field, 0)
        if text is not None and not isinstance(text, str):
            found = f"{field!r} is no text" if field in record else f"the names {[*record][:20]}"
            raise Place(file, line).error(
                f"expected an object with a text {field!r}, or null for none, found {found}."
            )
        texts.append(None if text is None or text.rstrip() == _NOT_SUPPLIED else text)
    return SegmentTexts(texts, [{k: v for k, v in r.items() if k != field} for r in records])


def read_records_of_segments(file, max_bytes):
    """Read JSON lines, an object for each segment."""
    records = []
    for line, text in enumerate(read_lines(file, max_bytes=max_bytes), 1):
        record = parse_json(file, text, line)
        if not isinstance(record, dict):
            raise Place(file, line).error(f"expected an object, found {type(record).__name__}.")
        records.append(record)
    return records
