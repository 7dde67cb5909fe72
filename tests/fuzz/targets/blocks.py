"""Blocks of segments: of lines, of tables, of what a model says; cuts change nothing."""

import json
from unittest.mock import patch

import numpy as np
import pandas as pd

from fuzz import call, check, target
from fuzz.draw import is_utf8
from fuzz.files import mutated, put
from fuzz.targets.scoring import trained
from sklearn_mteval.datasets import candidate_blocks, load_translations, translation_blocks
from sklearn_mteval.models import rank_candidates, rank_systems
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.pairwise import blocks
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS
from sklearn_mteval.segments import cut


@target(weight=6)
def blocks_of_lines(draw):
    """Files whose lines end at a block's end, or a line before or after it; hostile ones."""
    n, n_systems = draw.integer(1, 6), draw.integer(1, 3)
    contents = []
    for k in range(n_systems):
        lines = [" ".join(draw.words()).replace("\n", " ").replace("\r", " ") for _ in range(n)]
        content = "\n".join(lines).encode("utf-8", "replace") + draw.one([b"\n", b""])
        contents.append(mutated(draw, content, draw.one([0, 0, 1])))
        put(draw, draw.folder / f"s{k}", contents[-1])
    paths = [draw.folder / f"s{k}" for k in range(n_systems)]
    size = draw.one([1, n_systems, n * n_systems, n * n_systems - 1, n * n_systems + 1])
    try:
        whole = load_translations(paths, min_systems=1)
    except (ValueError, OSError):
        whole = None
    parts = call(lambda: list(translation_blocks(paths, min_systems=1, n_candidates=max(1, size))),
                 legal=whole is not None)  # fmt: skip
    check(whole is not None and pd.concat(parts).equals(whole), parts, whole)


@target(weight=6)
def blocks_of_tables(draw):
    """JSON lines and parquet with rows of a segment together, and apart."""
    n = draw.integer(1, 9)
    segments = np.array(draw.codes(n))
    segments = np.sort(segments) if draw.chance(0.7) else segments
    labels = draw.one([segments.tolist(), [f"s {code}" for code in segments]])
    rows = [
        {"segment": label, "system": f"m{k}", "mt": text.encode("utf-8", "replace").decode()}
        for k, (label, text) in enumerate(zip(labels, (draw.text() for _ in range(n)), strict=True))
    ]
    size = draw.integer(1, n + 1)
    sorted_ = len(set(segments)) == 1 + np.count_nonzero(np.diff(segments))
    if draw.chance(0.3):
        path = draw.folder / "c.parquet"
        pd.DataFrame(rows).to_parquet(path)
        content = path.read_bytes()
        path.unlink()
    else:
        path = draw.folder / "c.jsonl"
        content = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    hostile = mutated(draw, content, draw.one([0, 0, 2]))
    put(draw, path, hostile)
    whole = hostile == content and path.is_file() and path.read_bytes() == content
    with patch("sklearn_mteval.datasets.own.table_blocks._ROWS", draw.integer(1, 4)):
        found = call(lambda: list(candidate_blocks(path, n_candidates=size)),
                     legal=whole and sorted_)  # fmt: skip
    if not whole:
        return
    texts = [text for X in found for text in X["hypothesis"]]
    check(texts == [row["mt"] for row in rows], texts, rows)
    names = [set(X.index.get_level_values("segment")) for X in found]
    check(sum(map(len, names)) == len(set(labels)), names, labels)


@target(weight=3)
def blocks_of_a_model(draw):
    """Ranks, scores and sums are the same bits however segments are cut."""
    X = draw.texts()
    if not is_utf8([label for row in X.index for label in row]):
        return
    model = trained(draw.one([*RECOMPOSITIONS]))
    whole = call(rank_candidates, model, X, legal=True)
    size = draw.integer(1, len(X))
    with patch.object(blocks, "BLOCK", size):
        found = call(rank_candidates, model, X, legal=True)
    check(found.equals(whole), found, whole)
    if whole["strength"].isna().all():  # all texts are blank
        return
    sums = [SystemSums.of(whole.iloc[rows]) for rows in cut(X, size)]
    total = sum(sums[::-1], SystemSums())
    expected = call(rank_systems, whole, n_resamples=9, legal=True)
    found = total.result(n_resamples=9).table
    check(found.equals(expected), found, expected)
