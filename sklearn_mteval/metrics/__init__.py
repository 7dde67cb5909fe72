"""Agreement between metrics and human judgements."""

from sklearn_mteval.metrics.intervals import kendall_tau_interval
from sklearn_mteval.metrics.kendall import TauCounts, kendall_tau, kendall_tau_counts

__all__ = ["TauCounts", "kendall_tau", "kendall_tau_counts", "kendall_tau_interval"]
