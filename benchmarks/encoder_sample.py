"""Make the sample that tells whether a model is an encoder of ``PACKAGED``.

    python benchmarks/encoder_sample.py multilingual-e5-small FOLDER

FOLDER is what ``sklearn-mteval encoder`` made. Equal weights give equal bytes.
"""

import sys
from pathlib import Path

import numpy as np

from sklearn_mteval.features.embeddings import packaged
from sklearn_mteval.features.embeddings._encoder_models import FolderModel
from sklearn_mteval.features.embeddings.packaged.likeness import sample_of

if __name__ == "__main__":
    name, folder = sys.argv[1:]
    file = Path(packaged.__file__).parent / "data" / f"{name}.npz"
    file.parent.mkdir(exist_ok=True)
    np.savez_compressed(file, **sample_of(FolderModel(Path(folder), "cpu", 1).loaded()))
    print(f"{file}: {file.stat().st_size} bytes")
