"""N-gram language models: estimated from a corpus, written as ARPA files, queried."""

from sklearn_mteval.text.language_models.arpa import write_arpa
from sklearn_mteval.text.language_models.estimation import estimate
from sklearn_mteval.text.language_models.file_model import FileModel
from sklearn_mteval.text.language_models.model import NgramModel

__all__ = ["FileModel", "NgramModel", "estimate", "write_arpa"]
