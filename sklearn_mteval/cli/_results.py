"""Texts as ``rank``, ``score`` and ``duel`` read and judge them, in blocks of segments."""

import contextlib
from collections import deque
from itertools import chain
from typing import Any, NamedTuple

from sklearn_mteval.cli import _html, _translation_page
from sklearn_mteval.cli._documents import Documents
from sklearn_mteval.cli._options import options_for, target_of
from sklearn_mteval.cli._output import naming_options, say
from sklearn_mteval.cli._scores import with_scores

_COLUMNS = ("segment", "system", "source", "reference", "hypothesis", "document")


def blocks_of(arguments, min_systems):
    """Open what is to be judged."""
    from sklearn_mteval.datasets import candidate_blocks, translation_blocks
    from sklearn_mteval.datasets.formats.own import columns_of

    if arguments.candidates is not None:
        options = {"ranking": False} | columns_of(arguments.columns, _COLUMNS)
        options.pop("document", None)
        return candidate_blocks(arguments.candidates, **options)
    given = arguments.translations, arguments.source, arguments.reference
    size = {"n_candidates": None} if arguments.scores else {}
    return translation_blocks(*given, min_systems=min_systems, **size)


class Block(NamedTuple):
    """What is found of a block of translations."""

    X: Any  # the candidates; None where they are not at hand
    found: Any  # ranks or scores
    flags: Any = None
    marks: Any = None
    pairs: Any = None  # PairValues
    documents: Any = None  # a Series by segment


class Results:
    """What is found of translations, block by block; the sums of systems are there at the end."""

    def __init__(self, arguments, found, min_systems):
        self._arguments, self._found, self._min_systems = arguments, found, min_systems
        self.model = self.completed = None  # which are known when the first block is there
        self._sums, self._flagged = None, 0  # flagged segments of each system
        self.belief = ""  # a sentence, when the first block has been read

    def __iter__(self):
        from sklearn_mteval._helpers.progress import working
        from sklearn_mteval.datasets.formats.own import columns_of
        from sklearn_mteval.models.streaming import found_in_order
        from sklearn_mteval.models.system_sums import SystemSums

        arguments, competitors, waiting = self._arguments, None, deque()
        blocks = blocks_of(arguments, self._min_systems)
        with working("reading"):
            tables = iter(blocks)
            first = next(tables)
        self.model, self.completed = self._model_for(first)
        flagged = arguments.flags or (
            _html.wanted(arguments) and not {"source", "reference"}.isdisjoint(first.columns)
        )
        options = {
            "flags": flagged, "flagged_lose": arguments.flagged_lose, "language": arguments.to,
            "marker": arguments.marks, "explained": _html.wanted(arguments),
            "n_jobs": arguments.n_jobs,
        }  # fmt: skip
        column = columns_of(arguments.columns, _COLUMNS).get("document")
        documents = Documents(arguments.documents, column)

        def read():
            for X in chain([first], tables):
                waiting.append((X, documents.of(X)))
                yield self.completed(X)
            documents.check_end()

        results = found_in_order(self.model, read(), self._found, **options)
        self._sums, step = SystemSums(), contextlib.nullcontext()
        if blocks.n_candidates != len(first):
            what = {"ranks": "ranking", "scores": "scoring"}[self._found]
            step = working(what, blocks.n_candidates, "translations", rated=True)
        with naming_options(first, {"reference": "-r", "source": "-s"}), step as step:
            for found, more, flags, marks, pairs in results:
                X, of_segments = waiting.popleft()
                self._sums += SystemSums.of(found, of_segments)
                if more is not None:
                    competitors = more if competitors is None else competitors + more
                    competitors.check()
                if arguments.flags:
                    n = flags.map(bool).groupby(level="system").sum()
                    self._flagged = n.add(self._flagged, fill_value=0)
                yield Block(X, found, flags, marks, pairs, of_segments)
                if step is not None:
                    step.advance(len(found))
        if competitors is not None:
            competitors.warn()

    def _model_for(self, X):
        """Name the model, and make what completes each block for it."""
        from sklearn_mteval.models.opening import open_ranker, recommended_model, with_source

        name = self._arguments.model
        if name is None:
            name = recommended_model(X, language=target_of(self._arguments.lang_pair))
            say(f"model: {name}\n")
        if with_source(X, name) is not X:
            say("no -s: words that were left untranslated are not noticed\n")
        self.belief = _translation_page.belief_of(self._arguments, self._found, name, X)
        if not self._arguments.scores:
            model = name if self._arguments.windows else open_ranker(name, windows=False)
            return model, lambda X: with_source(X, name)
        model = open_ranker(name, windows=self._arguments.windows)
        files = self._arguments.scores
        return model, lambda X: with_scores(with_source(X, name), model, files)

    def systems(self):
        """Make Systems; their table shows what is undefined."""
        import warnings

        from sklearn.exceptions import UndefinedMetricWarning

        result = self._sums.result
        with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
            systems = result(**options_for(self._arguments, result))
        if not self._arguments.flags:
            return systems
        return systems._replace(table=systems.table.assign(flagged=self._flagged.astype(int)))
