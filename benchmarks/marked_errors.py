"""Agreement of two annotators who marked errors: ``python benchmarks/marked_errors.py``.

Prints precision, recall and F of the second against the first, on WMT23's zh-en translations that
two experts both marked (MQM), and on WMT24's en-cs translations that two annotators did (ESA).
``SKLEARN_MTEVAL_DATA`` names the data.
"""

import os
from pathlib import Path

from sklearn_mteval.datasets import load_esa, load_mtme
from sklearn_mteval.metrics import span_agreement


def experts(data):
    """Return both experts' errors and the documents of what both judged."""
    one, two = (load_mtme(data / "wmt23", "zh-en", gold=f"mqm.rater{k}") for k in (1, 2))
    both = one.spans.index.intersection(two.spans.index)
    return one.spans[both], two.spans[both], one.documents[both]


def annotators(data):
    """Return two annotators' errors and the documents of what two judged."""
    file = data / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
    esa = load_esa(file, "en-cs", texts=data / "wmt24")
    table = esa.spans.reset_index().assign(
        judge=esa.judges.to_numpy(), document=esa.documents.to_numpy()
    )
    table = table.drop_duplicates(["segment", "system", "judge"])
    marked = table.groupby(["segment", "system", "document"])["spans"].agg(list)
    marked = marked[marked.map(len) == 2]
    return marked.str[0], marked.str[1], marked.index.get_level_values("document")


def main():
    """Print them, of the experts also with half credit for another severity."""
    data = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    for name, spans, credit in (
        ("MQM zh-en", experts(data), 1),
        ("MQM zh-en, half credit for another severity", experts(data), 0.5),
        ("ESA en-cs", annotators(data), 1),
    ):
        first, second, documents = spans
        found = span_agreement(first, second, severity_credit=credit, segments=documents)
        print(f"{name}, {len(first)} translations\n{100 * found.round(3)}")


if __name__ == "__main__":
    main()
