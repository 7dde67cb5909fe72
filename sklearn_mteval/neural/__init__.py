"""Neural networks that compare two translations, or a translation and its reference.

``pairwise`` is the network on pairs (its ``architectures`` and ``losses`` are tables), ``encoders``
makes vectors of texts while a network is trained, ``reval`` compares a translation and its
reference over their trees. Another family of networks is another package. Torch, the extra
``[neural]``, is loaded by encoders and by the solvers for other devices only.
"""

from sklearn_mteval.neural.encoders.options import EncoderOptions
from sklearn_mteval.neural.pairwise.classifier import PairwiseNN
from sklearn_mteval.neural.reval.regressor import ReValRegressor

__all__ = ["EncoderOptions", "PairwiseNN", "ReValRegressor"]
