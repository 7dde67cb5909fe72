"""Save fitted models to folders, and load them again, without pickle.

``signature.json`` says what a model is and names ``model-<hash>.skops``, which holds it: types by
name, arrays by value. Only trusted types are built, so that a stranger's file runs no code.
"""

from sklearn_mteval.persistence.folders import check_model_folder as check_model_folder
from sklearn_mteval.persistence.models import load_model, save_model
from sklearn_mteval.persistence.signature import data_hash as data_hash
from sklearn_mteval.persistence.signature import read_signature as read_signature
from sklearn_mteval.persistence.trust import TRUSTED_PACKAGES as TRUSTED_PACKAGES
from sklearn_mteval.persistence.trust import TRUSTED_TYPES as TRUSTED_TYPES

__all__ = ["load_model", "save_model"]
