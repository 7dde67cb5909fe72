from sklearn_mteval.linguistic.language_models.estimation import estimate as estimate
from sklearn_mteval.linguistic.language_models.model import write_arpa as write_arpa
from sklearn_mteval.text.vectors.word_vectors import WordVectors as WordVectors
from sklearn_mteval.text.vectors.word_vectors import load_word_vectors as load_word_vectors
