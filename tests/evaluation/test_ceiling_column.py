"""The proportion of the annotators' ceiling in evaluations and their reports."""

import json
import re

import pandas as pd
import pytest
from random_judgements import judgements

from sklearn_mteval.evaluation import compare_metrics, evaluate_metrics
from sklearn_mteval.metrics import annotator_ceiling
from sklearn_mteval.report import report_text

FEW = {"n_resamples": 20, "n_permutations": 50}


@pytest.mark.parametrize("statistic", ["wmt12", "wmt14"])
def test_proportion_of_the_ceiling(statistic):
    y, scores = judgements(rankings=True)
    given = {"statistic": statistic, "level": "segment", **FEW}
    ceiling = annotator_ceiling(y, statistic=statistic)
    plain, found = (evaluate_metrics(y, scores, ceiling=c, **given) for c in (None, ceiling))
    assert plain.table["of_ceiling"].isna().all()
    tau = found.table[statistic]
    assert found.table["of_ceiling"].tolist() == (tau / ceiling.ceiling).tolist()
    pd.testing.assert_frame_equal(*(f.table.drop(columns="of_ceiling") for f in (plain, found)))
    assert f"|ceiling:{ceiling.ceiling:.6g}|" in found.signature
    assert "ceiling" not in plain.signature and "ceiling" not in report_text(plain)
    name, value = tau.index[0], 100 * tau.iloc[0] / ceiling.ceiling
    (line,) = (line for line in report_text(found).splitlines() if line.startswith(name))
    ends = (100 * tau.iloc[0] / end for end in (ceiling.highest, ceiling.lowest))
    shown = re.search(r"\]  +([\d.]+) \( *([\d.]+)- *([\d.]+)\)", line)
    assert shown.groups() == tuple(f"{x:.1f}" for x in (value, *ends))
    assert f"The ceiling is {100 * ceiling.ceiling:.1f} [" in report_text(found)
    record = json.loads(report_text(found, "json"))
    assert record["ceiling"]["n_pairs"] == ceiling.n_pairs
    assert record["ceiling"]["annotator_low"] == ceiling.annotator_low
    assert [m["of_ceiling"] for m in record["metrics"]] == found.table["of_ceiling"].tolist()
    assert "ceiling" not in json.loads(report_text(plain, "json"))
    assert compare_metrics(y, scores, ceiling=ceiling, **given).evaluation.table.equals(found.table)
    with pytest.raises(TypeError, match="what annotator_ceiling returns, or None, found float"):
        evaluate_metrics(y, scores, ceiling=0.5)
