"""The guide's recipe for Spark, which is no dependency: skipped where it is not installed."""

import re
from pathlib import Path

import pandas as pd
import pytest

from sklearn_mteval import load_pretrained
from sklearn_mteval.models import rank_candidates
from sklearn_mteval.scale import write_partitions

pytest.importorskip("pyspark")
PAGE = Path(__file__).parents[2] / "docs" / "training_out_of_core.md"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # pyspark's own, of pandas and of sockets
def test_the_recipe_ranks_file_by_file(sample, tmp_path, monkeypatch):
    X, _ = sample
    monkeypatch.chdir(tmp_path)
    write_partitions(X, "texts", segments_per_file=25)
    [recipe] = re.findall(r"```py\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    local = 'builder.master("local[2]").config("spark.ui.enabled", "false")'
    exec(recipe.replace("builder", local), {"__name__": "__main__"})
    found = pd.read_parquet("ranks by Spark").set_index(["segment", "system"])
    expected = rank_candidates(load_pretrained("static-en"), X)
    pd.testing.assert_frame_equal(found.loc[X.index], expected, check_exact=True)
