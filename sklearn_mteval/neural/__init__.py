"""Neural networks that compare translations (2015 and 2017 papers). Torch is loaded on use."""

from sklearn_mteval.neural.pairwise import PairwiseNN
from sklearn_mteval.neural.text import TextEncoder

__all__ = ["PairwiseNN", "TextEncoder"]
