"""What is found of translations, written part by part: no end of a long table is held.

Each writer makes pieces of the output, texts or bytes, of one part of the table after the other.
"""

import json
import re
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import RawIOBase
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.spreadsheets import as_cell
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.report.cells import UNDEFINED, ended, shown

if TYPE_CHECKING:  # --help reads the registry and loads no pandas
    from pandas import DataFrame

_LINE_ENDS = "\r\n|\r|\n"
_SHOWN = 80  # characters of marked words
_IN_MEMORY = 1 << 20  # bytes of a system's lines


@dataclass(frozen=True)
class Translations:
    """Numbers (NaN is missing) or texts of each translation, indexed by segment and system."""

    values: "DataFrame"
    digits: dict = field(default_factory=dict)  # after the point, by column; all where none
    ascending: bool = False  # whether the best has the lowest number in the first column


def as_read(parts):
    """Write a line for each translation, below it a line for each flag and each marked error."""
    for found in parts:
        values = found.values
        names = list(values.columns)
        columns = [[_plain(x, found.digits.get(c, 4)) for x in values[c]] for c in names]
        for labels, *cells in zip(values.index, *columns, strict=True):
            of_row = dict(zip(names, cells, strict=True))
            below = [f"  {flag}" for flag in of_row.pop("flags", [])]
            below += map(_marked, of_row.pop("errors", []))
            said = [_said(name, value) for name, value in of_row.items()]
            lines = ["  ".join([*map(str, labels), *said]), *below]
            yield "".join(f"{shown(line)}\n" for line in lines)


def _said(name, value):
    """Write a number with its name; what is free of errors in per cent."""
    name = name.replace("_", "-")
    if value is None:
        return f"{name} {UNDEFINED}"
    return f"{name} {100 * value:.0f} %" if name == "error-free" else f"{name} {value:g}"


def _marked(error):
    """Write a marked error: how severe, how sure, which words, which characters."""
    words, sure = ended(error["words"], _SHOWN), f"{100 * error['probability']:.0f} %"
    return f"  {error['severity']} {sure}  {words}  ({error['start']}-{error['end']})"


def as_chosen_lines(parts):
    """Write the text of each translation that was chosen, each on one line."""
    for found in parts:
        chosen = found.values["text"][found.values["chosen"] > 0]
        yield "".join(f"{re.sub(_LINE_ENDS, ' ', text)}\n" for text in chosen)


def as_tsv(parts):
    """Write a header and a line for each translation."""
    for k, found in enumerate(parts):
        values = _with_ratings(found.values)
        columns = [[_number(x, found.digits.get(c)) for x in values[c]] for c in values]
        lines = [] if k else ["\t".join([*values.index.names, *values.columns])]
        for labels, *numbers in zip(values.index, *columns, strict=True):
            lines.append("\t".join([*map(as_cell, labels), *numbers]))
        yield "".join(f"{line}\n" for line in lines)


def _with_ratings(values):
    """Write errors as the JSON of a rating, which is how mt-metrics-eval has them."""
    if "errors" not in values:
        return values
    ratings = [json.dumps({"errors": cell}, ensure_ascii=False) for cell in values["errors"]]
    return values.assign(errors=ratings)


def as_jsonl(parts):
    """Write an object for each segment, whose rows need not follow each other, the best first."""
    for found in parts:
        values, names, segments = found.values, list(found.values.columns), {}
        columns = [[_plain(x, found.digits.get(c)) for x in values[c]] for c in names]
        for (segment, system), *numbers in zip(values.index, *columns, strict=True):
            entry = {"system": system, **dict(zip(names, numbers, strict=True))}
            segments.setdefault(segment, []).append(entry)
        sign = 1 if found.ascending else -1

        def place(entry, first=names[0], sign=sign):
            return entry[first] is None, sign * (entry[first] or 0)

        for segment, entries in segments.items():
            line = {"segment": segment, "translations": sorted(entries, key=place)}
            yield f"{json.dumps(line, ensure_ascii=False)}\n"


def as_seg(parts):
    """Write a line for each segment, system after system: those of all but one wait in files."""
    files, n_segments = {}, 0
    with ExitStack() as stack:
        for found in parts:
            table = found.values.pivot_table("score", "segment", "system", dropna=False)
            for system in found.values.index.unique("system"):
                if system not in files:
                    _check_name(str(system))
                    files[system] = stack.enter_context(SpooledTemporaryFile(_IN_MEMORY))
                    files[system].write(f"{system}\tNone\n".encode() * n_segments)
            for system, file in files.items():
                scores = table[system] if system in table else [float("nan")] * len(table)
                lines = [f"{system}\t{'None' if x != x else _plain(x)}\n" for x in scores]
                file.write("".join(lines).encode())
            n_segments += len(table)
        for file in files.values():
            file.seek(0)
            while piece := file.read(_IN_MEMORY):
                yield piece


def _check_name(name):
    """Raise for a system whose name cannot stand in a line of scores."""
    if not name.isprintable() or name != name.strip() or not name:
        raise CandidateError(
            f"the system's name {name!r} cannot stand in lines 'SYSTEM SCORE': rename the system, "
            "or choose the format tsv."
        )


def as_parquet(parts):
    """Write a row for each translation, with all digits, of the types that the first part has."""
    pyarrow = import_extra("pyarrow", "parquet", "the format parquet")
    parquet = import_extra("pyarrow.parquet", "parquet", "the format parquet")
    sink, writer = _Sink(), None
    for found in parts:
        frame = _with_ratings(found.values).reset_index()
        schema = None if writer is None else writer.schema
        try:
            table = pyarrow.Table.from_pandas(frame, schema, preserve_index=False)
        except pyarrow.ArrowException as error:
            raise CandidateError(
                f"labels of segments or systems of several types cannot stand in one column of "
                f"parquet ({error}): choose the format jsonl."
            ) from None
        if writer is None:
            table = table.replace_schema_metadata(None)
            writer = parquet.ParquetWriter(sink, table.schema, compression="zstd")
        writer.write_table(table)
        yield sink.taken()
    if writer is not None:
        writer.close()
    yield sink.taken()


class _Sink(RawIOBase):
    """What a parquet file is written to: bytes are taken out of it as they come."""

    def __init__(self):
        self._pieces, self._n = [], 0

    def write(self, data):
        self._pieces.append(bytes(data))
        self._n += len(data)
        return len(data)

    def writable(self):
        return True

    def tell(self):
        return self._n

    def taken(self):
        """Return what has been written since it was last asked for."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _plain(value, digits=None):
    """Return a Python number for JSON, NaN as None; a zero has no sign; texts as they are."""
    if isinstance(value, list | str):
        return value
    if value != value:
        return None
    if isinstance(value, int):
        return value
    return (float(value) if digits is None else round(float(value), digits)) + 0.0


def _number(value, digits):
    """Write a number, NaN as nothing; a text as a cell; of a list its sentences."""
    value = _plain(value, digits)
    if isinstance(value, str):
        return as_cell(value)
    if isinstance(value, list):
        return as_cell("; ".join(value))
    if value is None:
        return ""
    return str(value) if digits is None or isinstance(value, int) else f"{value:.{digits}f}"
