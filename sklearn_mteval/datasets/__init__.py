"""Loaders: human rankings and penalties as candidate tables."""

from sklearn_mteval.datasets._files import check_same_length, read_lines, read_table
from sklearn_mteval.datasets.mqm import load_mqm
from sklearn_mteval.datasets.sample import load_sample
from sklearn_mteval.datasets.synthetic import make_rankings
from sklearn_mteval.datasets.wmt import load_wmt, load_wmt_translations, wmt_system_names

__all__ = [
    "check_same_length",
    "load_mqm",
    "load_sample",
    "load_wmt",
    "load_wmt_translations",
    "make_rankings",
    "read_lines",
    "read_table",
    "wmt_system_names",
]
