"""The service that docs/scale.md shows: FastAPI around a model that is loaded once."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sklearn_mteval import models
from sklearn_mteval.datasets import load_sample

pytest.importorskip("fastapi")
TestClient = pytest.importorskip("fastapi.testclient").TestClient
TestClient.__test__ = False

PAGE = Path(__file__).parent.parent / "docs" / "scale.md"


@pytest.fixture(scope="module")
def client():
    """Run the page's program."""
    (script,) = re.findall(r"```python\n(from fastapi .*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(script.splitlines()) <= 16
    program = {"__name__": "service"}
    exec(compile(script, str(PAGE), "exec"), program)
    return TestClient(program["app"])


def test_it_answers_several_clients_as_the_model_does(client):
    X, _ = load_sample(return_X_y=True)
    rows = X[:24].rename(columns={"hypothesis": "translation"}).to_dict("records")
    X = X[:24]
    texts = X["source"], X["hypothesis"], X["reference"]
    expected = models.score(*map(list, texts), model="static-en")["score"].tolist()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda row: client.post("/score", json=row).json(), rows))
    assert found == [{"score": score} for score in expected]


@pytest.mark.parametrize(
    "row", [{}, {"translation": "x"}, {"translation": 1, "reference": "x"},
            {"translation": "", "reference": " "}]
)  # fmt: skip
def test_what_it_cannot_judge_is_the_clients_error(client, row):
    answer = client.post("/score", json=row)
    assert answer.status_code == 422
    assert "detail" in answer.json()


def test_hostile_texts_have_scores(client):
    for text in ("", "\x00", "<script>", "x" * 800, "\u202e😀", "a\nb\r\n"):
        row = {"translation": text, "reference": "The dog barks."}
        assert -1 <= client.post("/score", json=row).json()["score"] <= 1
