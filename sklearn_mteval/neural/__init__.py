"""Neural networks that compare translations (2015 and 2017 papers). Torch is loaded on use."""

from sklearn_mteval.neural.encoders.options import TextEncoder
from sklearn_mteval.neural.pairwise.classifier import PairwiseNN

__all__ = ["PairwiseNN", "TextEncoder"]
