"""Processes that are killed at any moment while they fill a cache: nothing is lost."""

import time

import numpy as np
import pytest
from nursery import nursery

from sklearn_mteval import load_model
from sklearn_mteval.features.embeddings._encoding import EncodingCache
from sklearn_mteval.text.record_cache import RecordCache
from sklearn_mteval.trees import BracketedTrees, CachedParser

RECORDS = (
    "from itertools import count; from sklearn_mteval.text.record_cache import RecordCache",
    """
first = int(words[1]) * 10**6
with RecordCache(words[0], "test", level=1) as cache:
    for number in count(first):
        cache.put({f"{number} {k}": f"{number} {k}".encode() * 50 for k in range(9)})
        print(number, flush=True)
""",
)
PARSES = (
    "from sklearn_mteval.trees import BracketedTrees, CachedParser; "
    "from sklearn_mteval.linguistic.trees import cache; cache._COMMIT = 0",
    """
first = int(words[1]) * 10**6
texts = {f"w{first + k}": f"(S (NN w{first + k}))" for k in range(3000)}
parser = CachedParser(BracketedTrees({}), words[0])
parser.parser = type("P", (BracketedTrees,), {"_signature": lambda self: "test"})(texts)
for text, parses in zip(texts, parser.parse_nbest(texts, 1)):
    print(text, flush=True)
""",
)
EMBEDDINGS = (
    "from itertools import count; import numpy as np\n"
    "from sklearn_mteval.features.embeddings._encoding import EncodingCache",
    """
first = int(words[1]) * 10**6
with EncodingCache(words[0], "sentences", "test") as cache:
    for number in count(first):
        cache.put_many({f"{number} {k}": np.full(64, number + k, dtype="f4") for k in range(9)})
        print(number, flush=True)
""",
)


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


@pytest.mark.slow
@pytest.mark.parametrize("kind", CACHES)
def test_kills_while_a_cache_is_filled(kind, tmp_path):
    path = tmp_path / "cache"
    writer, assert_there = CACHES[kind]
    written = []
    with nursery(*writer) as begin:
        for round_ in range(40):
            written += begin(path, round_, kill=(20, 0.01))
            assert_there(path, written)
    assert written


SEARCH = (
    """
from sklearn.model_selection import GridSearchCV
from sklearn_mteval import SegmentKFold, save_model
from sklearn_mteval.datasets import make_rankings
from sklearn_mteval.models import bleu_pipeline
X, y = make_rankings(12, 3, random_state=0)
""",
    """
pipeline = bleu_pipeline().set_params(memory=words[0] + "-steps")
grid = {"rank__recomposition": ["hard", "soft"]}
search = GridSearchCV(pipeline, grid, cv=SegmentKFold(3)).fit(X, y)
search.best_estimator_.set_params(memory=None)
save_model(search.best_estimator_, words[0])
print(search.best_estimator_.decision_function(X).tobytes().hex(), flush=True)
""",
)


@pytest.mark.slow
def test_many_kills_while_a_grid_search_fills_its_cache(tmp_path):
    """One that is left alone gives the right model."""
    path = tmp_path / "model"
    with nursery(*SEARCH) as begin:
        start = time.monotonic()
        expected = begin(f"{path}-undisturbed")
        whole = time.monotonic() - start
        for _ in range(20):
            begin(path, kill=(0, whole / 2))
            if path.exists() and any(path.iterdir()):
                load_model(path)
        assert begin(path) == expected
    assert load_model(path)
