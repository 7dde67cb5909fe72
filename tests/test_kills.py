"""Processes that are killed at any moment while they fill a cache: nothing is lost."""

import random
import subprocess
import sys
import time

import numpy as np
import pytest

from sklearn_mteval import load_model
from sklearn_mteval.features.embeddings._encoder_cache import EncodingCache
from sklearn_mteval.text.record_cache import RecordCache
from sklearn_mteval.trees import BracketedTrees, CachedParser

RECORDS = """
import sys
from itertools import count
from sklearn_mteval.text.record_cache import RecordCache
first = int(sys.argv[2]) * 10**6
with RecordCache(sys.argv[1], "test", level=1) as cache:
    print("ready", flush=True)
    for number in count(first):
        cache.put({f"{number} {k}": f"{number} {k}".encode() * 50 for k in range(9)})
        print(number, flush=True)
"""
PARSES = """
import sys
from itertools import count
from sklearn_mteval.trees import BracketedTrees, CachedParser, cache
cache._COMMIT = 0
first = int(sys.argv[2]) * 10**6
texts = {f"w{first + k}": f"(S (NN w{first + k}))" for k in range(3000)}
parser = CachedParser(BracketedTrees({}), sys.argv[1])
parser.parser = type("P", (BracketedTrees,), {"_signature": lambda self: "test"})(texts)
for number, (text, parses) in enumerate(zip(texts, parser.parse_nbest(texts, 1))):
    print(text if number else "ready", flush=True)
"""
EMBEDDINGS = """
import sys
from itertools import count
import numpy as np
from sklearn_mteval.features.embeddings._encoder_cache import EncodingCache
first = int(sys.argv[2]) * 10**6
with EncodingCache(sys.argv[1], "sentences", "test") as cache:
    print("ready", flush=True)
    for number in count(first):
        cache.put_many({f"{number} {k}": np.full(64, number + k, dtype="f4") for k in range(9)})
        print(number, flush=True)
"""


def killed(code, path, round_, rng):
    """Run code until it is killed; return the lines that it had written by then."""
    command = [sys.executable, "-c", code, path, str(round_)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(rng.uniform(0, 0.05))
        process.kill()
        return [line.strip() for line in process.stdout if line.endswith("\n")]


def assert_records(path, numbers):
    """What was said to be written is there, whole."""
    with RecordCache(path, "test") as cache:
        for number in numbers:
            for k in range(9):
                assert cache.get(f"{number} {k}") == f"{number} {k}".encode() * 50


def assert_parses(path, texts):
    class Asked(BracketedTrees):
        def _signature(self):
            return "test"

        def _parse(self, sentences, n):
            assert not list(sentences), "what was parsed is parsed again"
            return iter(())

    found = list(CachedParser(Asked({}), path).parse_nbest(texts, 1))
    assert [parses.tree for parses in found] == [f"(S (NN {text}))" for text in texts]


def assert_embeddings(path, numbers):
    with EncodingCache(path, "sentences", "test") as cache:
        for number in map(int, numbers):
            found = cache.get_many([f"{number} {k}" for k in range(9)])
            for k in range(9):
                expected = np.full(64, number + k, dtype="f4")
                assert found[f"{number} {k}"].tobytes() == expected.tobytes()


CACHES = {
    "records": (RECORDS, assert_records),
    "parses": (PARSES, assert_parses),
    "embeddings": (EMBEDDINGS, assert_embeddings),
}


def kill_writers(kind, path, n_kills, seed):
    code, assert_there = CACHES[kind]
    rng, written = random.Random(seed), []
    for round_ in range(n_kills):
        lines = killed(code, path, round_, rng)
        written += lines
        assert_there(path, written)
    assert written


@pytest.mark.parametrize("kind", CACHES)
def test_kills_while_a_cache_is_filled(kind, tmp_path):
    kill_writers(kind, tmp_path / "cache", 2, 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CACHES)
def test_many_kills_while_a_cache_is_filled(kind, tmp_path):
    kill_writers(kind, tmp_path / "cache", 20, 1)


SEARCH = """
import sys
from sklearn.model_selection import GridSearchCV
from sklearn_mteval import SegmentKFold, save_model
from sklearn_mteval.datasets import make_rankings
from sklearn_mteval.models import bleu_pipeline
X, y = make_rankings(12, 3, random_state=0)
pipeline = bleu_pipeline().set_params(memory=sys.argv[1] + "-steps")
grid = {"rank__recomposition": ["hard", "soft"]}
search = GridSearchCV(pipeline, grid, cv=SegmentKFold(3))
print("ready", flush=True)
search.fit(X, y)
search.best_estimator_.set_params(memory=None)
save_model(search.best_estimator_, sys.argv[1])
print(search.best_estimator_.decision_function(X).tobytes().hex(), flush=True)
"""


def kill_searches(path, n_kills, seed):
    """Kill grid searches with a cache of steps; one that is left alone gives the right model."""
    rng = random.Random(seed)

    def search(folder, moment=None):
        command = [sys.executable, "-W", "ignore", "-c", SEARCH, folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            if moment is not None:
                time.sleep(moment)
                process.kill()
            return process.stdout.read().strip()

    start = time.monotonic()
    expected = search(f"{path}-undisturbed")
    whole = time.monotonic() - start
    for _ in range(n_kills):
        search(str(path), rng.uniform(0, whole / 2))
        if path.exists() and any(path.iterdir()):
            load_model(path)
    assert search(str(path)) == expected
    assert load_model(path)


@pytest.mark.slow
def test_many_kills_while_a_grid_search_fills_its_cache(tmp_path):
    kill_searches(tmp_path / "model", 20, 1)
