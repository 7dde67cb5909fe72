"""Neural networks that compare two translations.

``pairwise`` is the network on pairs (its ``architectures`` and ``losses`` are tables), ``encoders``
makes vectors of texts while a network is trained. Another family of networks is another package:
ReVal stands in the linguistic wing. Torch, the extra ``[neural]``, is loaded by encoders and by the
solvers for other devices only.
"""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
