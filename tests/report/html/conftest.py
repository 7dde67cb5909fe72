import pandas as pd
import pytest

from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.evaluation import collect_scores, evaluate_metrics
from sklearn_mteval.report.html.contents import contents_of_judgements
from sklearn_mteval.report.html.document import document, page_of
from sklearn_mteval.report.results import RESULTS


@pytest.fixture(scope="session")
def judged():
    """Twelve segments of three systems, judged twice; B is best, C says odd things."""
    rows, texts = [], {"A": "a cat sat on the mat", "B": "the cat sat on the mat", "C": "cat {}"}
    for k in range(12):
        for judge in range(2):
            for system, score in (("A", 60 + k), ("B", 80 - k), ("C", 30 + 5 * judge)):
                rows.append(
                    {
                        "segment": f"s{k}",
                        "system": system,
                        "score": score,
                        "judge": f"j{judge}",
                        "source": f"die Katze {k}",
                        "reference": f"the cat sat on the mat {k}",
                        "hypothesis": f"{texts[system].format(k)} {k}",
                    }
                )
    found = load_judgements(pd.DataFrame(rows), better="higher")
    segments = found.X.index.get_level_values("segment")
    documents = pd.Series([f"d{int(name[1:]) // 4}" for name in segments], found.X.index)
    return found._replace(documents=documents)


@pytest.fixture(scope="session")
def page(judged):
    """The plain dict of a page."""
    scores = collect_scores(judged, metrics=["chrf", "bleu"])
    found = evaluate_metrics(judged.y, scores, n_resamples=20, n_permutations=20)
    contents = contents_of_judgements({"": (judged, scores)}, order=["chrf", "bleu"])
    contents |= {"warnings": ["Twelve segments only."]}
    return page_of(
        "Cats", RESULTS[type(found)].report(found), summary=["chrf is best."],
        command="sklearn-mteval evaluate cats.csv", **contents,
    )  # fmt: skip


@pytest.fixture(scope="session")
def file(page, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(document(page), encoding="utf-8")
    return path
