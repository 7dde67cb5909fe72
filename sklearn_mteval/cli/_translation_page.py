"""The page of ``rank`` and ``score``: what it shows is collected while blocks are worked on."""

from collections import deque
from pathlib import Path

from sklearn_mteval.cli import _html

__all__ = ["TranslationPage"]

_TITLES = {"ranks": "Ranks", "scores": "Scores"}


class TranslationPage:
    """The page of what a model finds, "ranks" or "scores"; memory is bounded."""

    def __init__(self, arguments, found):
        self._arguments, self._found = arguments, found
        self._beside, self._waiting = _html.Beside(arguments.html), deque()
        self._model = self._name = self._contents = self._suspicious = None

    def noting(self, model, tables, blocks):
        """Pass tables on to the model, and keep each until its result is there."""
        from sklearn_mteval.datasets.suspicious import Findings
        from sklearn_mteval.report.html.contents import ModelContents

        self._model, self._blocks = model, blocks
        self._name = Path(model).name if isinstance(model, str) else "model"
        if self._arguments.model is not None:
            self._name = Path(self._arguments.model).name
        self._contents = ModelContents(self._name, self._beside, self._beside.name)
        self._suspicious = Findings()
        for X in tables:
            self._waiting.append(X)
            self._suspicious.add(X)
            yield X

    def add(self, found, flags):
        """Add the result of the first table that waits for one."""
        self._contents.add(self._waiting.popleft(), found, flags)

    def write(self, systems, counts):
        """Write the page, and the segments beside it if they are too many."""
        from sklearn_mteval.models.opening import open_ranker
        from sklearn_mteval.report.plots_of_results import of_systems
        from sklearn_mteval.report.rankings import report_of_ranks
        from sklearn_mteval.report.scores import report_of_scores
        from sklearn_mteval.report.summaries.systems import summary_of_systems, warnings_of_systems

        report = {"ranks": report_of_ranks, "scores": report_of_scores}[self._found]
        model = open_ranker(self._model) if isinstance(self._model, str) else self._model
        _html.write_page(
            self._arguments,
            f"{_TITLES[self._found]} by {self._name}",
            plots=of_systems(systems, counts),
            contents=lambda *_: self._contents.contents(systems.index, model),
            beside=self._beside,
            summary=summary_of_systems(systems, self._found, self._name),
            warnings=[*warnings_of_systems(systems, self._found), *self._suspicious.said()],
            report=report(systems),
        )
