"""The files of a test set in mt-metrics-eval's layout, read and checked against each other."""

import math
import re
from pathlib import Path

import numpy as np

from sklearn_mteval._helpers.error_spans import SOURCE, TRANSLATION
from sklearn_mteval.datasets._files import (
    Place,
    check_same_length,
    named_files,
    names_of,
    read_lines,
)
from sklearn_mteval.datasets._lines import (
    as_object,
    candidates_of_lines,
    read_records_of_segments,
    read_texts,
    text_files,
)
from sklearn_mteval.datasets._score_lines import MISSING, score_blocks, score_rows
from sklearn_mteval.datasets.span_files import check_within, rating_rows
from sklearn_mteval.exceptions import DataFileError

_PAIR = re.compile(r"[A-Za-z0-9_]{2,20}-[A-Za-z0-9_]{2,20}")  # also "en-zh_TW"
_SYNTHETIC = "synthetic"  # so begins the name of a reference that no human wrote
_REFERENCE = re.compile(rf"ref[A-Za-z]?|reference|{_SYNTHETIC}.*")  # with or without its text
_NO_REFERENCE, _ALL_REFERENCES = "src", "all"  # what the name of a metric ends in
_WRONG_ROOT = (
    "root must be one test set, e.g. …/wmt23, with the folders sources/, system-outputs/, …"
)
_USUAL = ("mqm", "esa", "da-sqm")  # human scores, the first of which is taken where none is named
_RESERVED = ("source", "reference", "hypothesis", "human")  # no names of columns of scores


class TestSet:
    """One language pair of a test set: its place, texts by name (of references, too; not supplied:
    None, of outputs empty), and the ``systems`` that compete.
    """

    def __init__(self, root, lang_pair, max_bytes):
        self.root, self.lang_pair, self.max_bytes = Path(root), lang_pair, max_bytes
        if not isinstance(lang_pair, str) or not _PAIR.fullmatch(lang_pair):
            raise ValueError(f"lang_pair must be like 'zh-en' or 'en-zh_TW', found {lang_pair!r}.")
        folder = self.root / "sources"
        files = text_files(folder)
        if lang_pair not in files:
            there = f"there are {sorted(files)}" if files else _WRONG_ROOT
            raise DataFileError(folder / f"{lang_pair}.txt", f"no such file: {there}.")
        self.first_file, self._records = files[lang_pair], {}
        self.sources, self._source_records = read_texts(self.first_file, "source", max_bytes)
        self.n_segments, at = len(self.sources), Place(self.first_file)
        if not self.sources:
            raise at.error("the file is empty, expected one segment per line.")
        if None in self.sources:
            line = self.sources.index(None) + 1
            raise at._replace(line=line).error("expected a source, found none.")
        self._metric_scores = self.root / "metric-scores" / lang_pair
        self._reference_files = text_files(self.root / "references", f"{lang_pair}.")
        self.references = {
            name: self._texts(file, "target").texts for name, file in self._reference_files.items()
        }
        self.outputs = {}
        for name, file in text_files(self.root / "system-outputs" / lang_pair).items():
            self.outputs[name], self._records[name] = self._texts(file, "hypothesis")
        self.systems = [name for name in self.outputs if not is_reference(name, self.references)]
        self.n_not_supplied = sum(self.outputs[name].count(None) for name in self.systems)
        for texts in self.outputs.values():
            texts[:] = ["" if text is None else text for text in texts]

    def _lines(self, file, read=read_lines):
        """Read a file that has a line for each segment."""
        lines = read(file, max_bytes=self.max_bytes)
        check_same_length(file, len(lines), self.first_file, self.n_segments)
        return lines

    def _texts(self, file, field):
        """Read a file that has a text for each segment."""
        found = read_texts(file, field, self.max_bytes)
        check_same_length(file, len(found.texts), self.first_file, self.n_segments)
        return found

    def other_than(self, systems):
        """Name the references and outputs that are none of these systems."""
        return tuple(name for name in self.references | self.outputs if name not in systems)

    def chosen_references(self, reference, metric_files):
        """Return the names of the references to use."""
        if reference is None:
            read = {name for _, names in metric_files.values() for name in names}
            return [name for name in self.references if (name in read if read else is_human(name))]
        names = list(dict.fromkeys(names_of("reference", reference)))
        for name in names:
            if name not in self.references:
                there = [*self.references]
                problem = f"no reference {name!r} of {self.lang_pair}; there are {there}."
                raise DataFileError(self.root / "references", problem)
        return names

    def competing(self, chosen):
        """List references that are systems, too."""
        others = [name for name in self.outputs if is_reference(name, self.references)]
        return [name for name in others if name not in chosen and is_human(name)]

    def translations(self, systems, references):
        """Make a candidate table of all outputs of systems, with some references."""
        for name in references:
            if None in self.references[name]:
                at = Place(self._reference_files[name], self.references[name].index(None) + 1)
                raise at.error(
                    "expected a reference, found none. Name other references: reference=."
                )
        texts = self.references | self.outputs
        outputs = {name: texts[name] for name in systems}
        return candidates_of_lines(
            outputs, self.sources, [self.references[name] for name in references]
        )

    def documents(self):
        """Return domain and document of each segment, (2, n_segments); "" where no file says."""
        found = np.full((2, self.n_segments), "", dtype=object)
        for k, record in enumerate(self._source_records or ()):
            labels = [record.get(key, "") for key in ("domain", "document_id")]
            if not all(isinstance(label, str) for label in labels):
                problem = f"domain and document_id must be names, found {labels!r}."
                raise DataFileError(self.first_file, problem, k + 1)
            found[:, k] = labels
        file = named_files(self.root / "documents", "", ".docs").get(self.lang_pair)
        for k, line in enumerate(self._lines(file) if file else ()):
            fields = line.split(maxsplit=1)
            if len(fields) != 2:
                problem = f"expected a domain and a document, found {line[:60]!r}."
                raise DataFileError(file, problem, k + 1)
            found[:, k] = fields[0], fields[1].rstrip()
        return found

    def metadata(self):
        """Return what is said of each translation besides, the last of a name: {system: list of
        dict}.
        """
        files = named_files(self.root / "metadata" / self.lang_pair, "", ".jsonl")
        if self._source_records is None and not any(self._records.values()) and not files:
            return None
        found, nothing = {}, [{} for _ in self.sources]
        for name in self.systems:
            more = self._lines(files[name], read_records_of_segments) if name in files else nothing
            parts = self._source_records or nothing, self._records.get(name) or nothing, more
            found[name] = [a | b | c for a, b, c in zip(*parts, strict=True)]
        return found

    def _human_files(self):
        """Return folder and prefix of human scores, and the files of scores and of ratings."""
        folder, prefix = self.root / "human-scores", f"{self.lang_pair}."
        ends = ".seg.score", ".seg.rating"
        return folder, prefix, *(named_files(folder, prefix, end) for end in ends)

    def gold(self, name):
        """Return the name of the human scores that are meant; None: of the usual ones."""
        if not isinstance(name, str | None):
            raise ValueError(f"gold must name human scores, such as 'mqm', found {name!r}.")
        *_, scores, ratings = self._human_files()
        alone = [*scores] or [*ratings]
        usual = next((usual for usual in _USUAL if usual in scores), None)
        return name or usual or (alone[0] if len(alone) == 1 else _USUAL[0])

    def ratings(self, gold):
        """Read what each rater of human scores marked, and of MQM the penalty (else NaN):
        {(segment, rater, system): (penalty, errors)}.
        """
        *_, ratings = self._human_files()
        files = {n: file for n, file in ratings.items() if n == gold or n.startswith(f"{gold}.")}
        found, is_mqm = {}, gold.partition(".")[0] == _USUAL[0]
        for name, file in files.items():
            lines = read_lines(file, max_bytes=self.max_bytes)
            rater = name.removeprefix(f"{gold}.")
            rows = rating_rows(file, lines, rater, penalties=is_mqm)
            for system, block in self._blocks(file, rows).items():
                for segment, (penalty, who, spans) in enumerate(block, 1):
                    # A file of all raters' ratings repeats those of each.
                    if not math.isnan(penalty):
                        said = penalty if is_mqm else math.nan
                        found.setdefault((segment, who, system), (said, spans))
        return found

    def human_scores(self, gold):
        """Read human scores: the file, and {system: array} of y, judges and, of ratings, spans."""
        folder, prefix, scores, ratings = self._human_files()
        if gold in scores:
            # A penalty of nothing is 0 and not -0.
            y = {name: 0.0 - values for name, values in self.scores(scores[gold]).items()}
            return scores[gold], y, {}, None
        if gold in ratings:
            lines = read_lines(ratings[gold], max_bytes=self.max_bytes)
            blocks = self._blocks(ratings[gold], rating_rows(ratings[gold], lines, gold))
            parts = {name: list(zip(*block, strict=True)) for name, block in blocks.items()}
            penalties = {name: np.array(part[0]) for name, part in parts.items()}
            judges, spans = ({n: as_object(part[k]) for n, part in parts.items()} for k in (1, 2))
            for name, column in spans.items():
                texts = zip(self.sources, self.outputs[name], column, strict=True)
                for k, (source, output, cell) in enumerate(texts, 1):
                    check_within(
                        ratings[gold], cell, {SOURCE: source, TRANSLATION: output}, k, name
                    )
            return ratings[gold], penalties, judges, spans
        there = sorted({*scores, *ratings})
        raise Place(folder).error(
            f"no human scores {gold!r} of {self.lang_pair}, neither {prefix}{gold}.seg.score nor "
            f".seg.rating: pass gold=, one of {there}."
        )

    def metrics(self):
        """Map the full names of metrics to their files and the references that they read."""
        there, found = [*self.references], {}
        for name, file in named_files(self._metric_scores, "", ".seg.score").items():
            base, _, ending = name.rpartition("-")
            read = {_NO_REFERENCE: [], _ALL_REFERENCES: there}.get(ending, ending.split("."))
            if not base or not set(read) <= set(there):
                raise Place(file).error(
                    f"expected METRIC-REF.seg.score, REF being {_NO_REFERENCE!r} (it reads no "
                    f"reference), {_ALL_REFERENCES!r}, or of {there}: rename the file."
                )
            found[name] = file, read
        return found

    def metric_scores(self, files, wanted, allowed):
        """Read scores of metrics that read allowed references only: {name: {system: array}}."""
        variants = {}  # base name → full names
        for name, (_, read) in files.items():
            if set(read) <= allowed:
                variants.setdefault(name.rpartition("-")[0], []).append(name)
        chosen = {}
        if wanted is True:
            reserved = {*_RESERVED, *files}
            for base, names in variants.items():
                alone = len(names) == 1 and base not in reserved
                chosen |= {base: names[0]} if alone else dict(zip(names, names, strict=True))
        else:
            for name in dict.fromkeys(names_of("metric_scores", wanted)):
                meant = [name] if name in files else variants.get(name, [])
                if len(meant) != 1:
                    none = f"none; there are {[*files]}"
                    found = f"{len(meant)} variants, {meant}" if meant else none
                    problem = f"expected one metric {name!r}, found {found}."
                    raise DataFileError(self._metric_scores, problem)
                chosen[name] = meant[0]
        return {name: self.scores(files[full][0]) for name, full in chosen.items()}

    def scores(self, file):
        """Read lines SYSTEM SCORE: {system: array of a score for each segment}."""
        rows = score_rows(file, read_lines(file, max_bytes=self.max_bytes), [MISSING])
        if rows[0][1] is None:
            raise Place(file, 1).error("expected lines 'SYSTEM SCORE', found a line of one word.")
        return {name: np.array(values) for name, values in self._blocks(file, rows).items()}

    def _blocks(self, file, rows):
        """Collect rows by system: {system: one value for each segment}."""
        for line, system, _ in rows:
            if system not in self.outputs:
                raise Place(file, line).error(
                    f"the system {system[:60]!r} has no output in system-outputs/{self.lang_pair}; "
                    f"there are {', '.join(map(repr, self.outputs))}."
                )
        return score_blocks(file, rows, self.n_segments)


def is_reference(name, references):
    """Tell whether an output is a reference: one of those, or named as references are."""
    return name in references or bool(_REFERENCE.fullmatch(name))


def is_human(reference):
    """Tell whether somebody wrote a reference."""
    return not reference.startswith(_SYNTHETIC)
