"""Save fitted models to folders, and load them again, without pickle.

A model is a folder: ``signature.json`` says what it is and names ``model-<hash>.skops``,
which holds the estimator. skops stores types by name and arrays by value, and loading
builds only types from a list of trusted ones, so that a stranger's file runs no code.
``archive`` bounds what such a file may unpack to, ``folders`` writes and reads the folder.
"""

from sklearn_mteval.persistence.folders import check_model_folder as check_model_folder
from sklearn_mteval.persistence.models import load_model, save_model
from sklearn_mteval.persistence.signature import data_hash as data_hash
from sklearn_mteval.persistence.signature import read_signature as read_signature
from sklearn_mteval.persistence.trust import TRUSTED_PACKAGES as TRUSTED_PACKAGES
from sklearn_mteval.persistence.trust import TRUSTED_TYPES as TRUSTED_TYPES

__all__ = ["load_model", "save_model"]
