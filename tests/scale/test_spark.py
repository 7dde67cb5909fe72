"""The guide's recipe for Spark, which is no dependency: skipped where it is not installed."""

import sys

import pandas as pd
import pytest

from sklearn_mteval import load_pretrained
from sklearn_mteval.models import rank_candidates
from sklearn_mteval.scale import Partitions, write_partitions

pytest.importorskip("pyspark")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # pyspark's own, of pandas and of sockets
def test_spark_ranks_file_by_file(sample, tmp_path, monkeypatch):
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # else the first python3 of the path
    X, _ = sample
    parts = write_partitions(X, tmp_path / "texts", segments_per_file=20)
    source = str(parts.folder)

    def rank(batches):
        model, parts = load_pretrained("static-en"), Partitions(source)
        for batch in batches:
            for k in batch["k"]:
                X, _ = parts[k]
                yield rank_candidates(model, X).reset_index()

    options = {"spark.ui.enabled": "false", "spark.driver.memory": "1g"}
    builder = SparkSession.builder.master("local[2]")
    for name, value in options.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        files = spark.createDataFrame([(k,) for k in range(len(parts))], "k long")
        columns = "segment long, system string, rank long, strength double, score double"
        files.repartition(len(parts)).mapInPandas(rank, columns).write.parquet(
            str(tmp_path / "ranks")
        )
    finally:
        spark.stop()
    found = pd.read_parquet(tmp_path / "ranks").set_index(["segment", "system"])
    expected = rank_candidates(load_pretrained("static-en"), X)
    pd.testing.assert_frame_equal(found.loc[X.index], expected, check_exact=True)
