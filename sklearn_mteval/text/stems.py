"""Porter's stems of English words."""

from functools import lru_cache


@lru_cache(maxsize=1)
def porter_stemmer():
    """Return nltk's Porter stemmer, which remembers words: folds of one table share most."""
    from nltk.stem.porter import PorterStemmer

    return lru_cache(maxsize=2**17)(PorterStemmer().stem)
