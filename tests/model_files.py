"""Helpers of the persistence tests: looking into model folders, and forging them."""

import hashlib
import json

from sklearn_mteval.persistence import read_signature

SIGNATURE = "signature.json"


def strengths(model):
    return model.decision_function([[0.5], [3.0], [2.5]]).tobytes()


def model_file(folder):
    return folder / read_signature(folder)["model"]


def sign(folder, **changed):
    """Change the signature as a forger would."""
    signature = json.loads((folder / SIGNATURE).read_text()) | changed
    (folder / SIGNATURE).write_text(json.dumps(signature))


def forge(folder, content):
    """Put other content under the model's name, rightly signed."""
    model_file(folder).write_bytes(content)
    sign(folder, sha256=hashlib.sha256(content).hexdigest())
