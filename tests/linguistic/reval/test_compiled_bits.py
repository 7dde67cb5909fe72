"""The same seed gives the same bits, whatever was compiled before, and in any order."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys
from hashlib import sha256
import numpy as np
from sklearn_mteval.linguistic.reval.compiled import encode, gradients, similarities
from sklearn_mteval.linguistic.reval.forests import chains
from sklearn_mteval.linguistic.reval.weights import initial_weights, shapes_of

words = ["the", "cat", "sleeps", "dog"]
rng = np.random.default_rng(5)
forest = chains([" ".join(rng.choice(words, n)) for n in (1, 7, 3, 12, 2)])
vectors = rng.normal(size=(len(forest.vocabulary), 50)).astype(np.float32)
weights = tuple(initial_weights(shapes_of(50, 12, 7, 5, False), np.random.RandomState(1)).values())
pairs = np.array([[0, 1], [2, 3], [4, 2], [1, 1]])
targets = np.full((4, 5), 0.2, np.float32)

def train():
    cost, slopes = gradients(pairs, targets, forest.arrays(), vectors, weights)
    return [cost, *slopes]

def predict():
    texts = encode(np.arange(5), forest.arrays(), vectors, weights[:5], True)
    return [texts, similarities(pairs, texts, weights[5:])]

steps = {"train": train, "predict": predict}
found = {name: [np.asarray(part).tobytes() for part in steps[name]()] for name in sys.argv[1:]}
print([sha256(b"".join(found[name])).hexdigest() for name in sorted(found)])
"""


@pytest.mark.slow
def test_neither_the_cache_nor_the_order_of_compiling_changes_a_bit(tmp_path):
    said = []
    for cache, order in (("a", "train predict"), ("a", "train predict"), ("b", "predict train")):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / cache)}
        command = [sys.executable, "-c", SCRIPT, *order.split()]
        said.append(
            subprocess.run(command, env=environment, check=True, capture_output=True).stdout
        )
    assert said[0] == said[1] == said[2] != b""
