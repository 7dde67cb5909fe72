"""The sentence-level metrics that are computed here, by name; importing this loads none of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature


@dataclass(frozen=True)
class OverlapMetric:
    """A metric, higher is better: ``prepare_M(references, **options)`` checks options, for which
    ``M_scores(sets, **prepared)`` scores the distinct pairs of ``work_on_pairs``.
    """

    name: str  # in parameters and columns
    label: str  # in tables and plots
    module: str
    defaults: Mapping = field(default_factory=dict)  # options that differ from the module's

    def options(self):
        """List the names of its options."""
        parameters = signature(self._function(f"prepare_{self.module}")).parameters.values()
        return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]

    def prepare(self, references, options):
        """Check options, and return what ``scores`` is called with; weights are of references."""
        function = self._function(f"prepare_{self.module}")
        return function(references, **{**self.defaults, **options})

    def scores(self, sets, **prepared):
        """Score distinct pairs: an array of shape (n_pairs,)."""
        return self._function(f"{self.module}_scores")(sets, **prepared)

    def _function(self, name):
        return getattr(import_module(f"sklearn_mteval.features.overlap.{self.module}"), name)


METRICS = {
    metric.name: metric
    for metric in (
        OverlapMetric("bleu", "BLEU", "bleu"),
        OverlapMetric("nist", "NIST", "nist"),
        OverlapMetric("ter", "TER", "ter"),
        OverlapMetric("meteor", "METEOR", "meteor"),
        OverlapMetric("chrf", "chrF", "chrf"),
        OverlapMetric("chrf++", "chrF++", "chrf", {"word_order": 2}),
    )
}
