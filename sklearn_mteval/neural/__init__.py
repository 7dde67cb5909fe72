"""Neural networks that compare translations (2015 and 2017 papers). Torch is loaded on use.

``pairwise`` is the network on pairs (its ``architectures`` and ``losses`` are tables), ``encoders``
makes vectors of texts while a network is trained. Another family of networks is another package.
"""

from sklearn_mteval.neural.encoders.options import EncoderOptions
from sklearn_mteval.neural.pairwise.classifier import PairwiseNN

__all__ = ["EncoderOptions", "PairwiseNN"]
