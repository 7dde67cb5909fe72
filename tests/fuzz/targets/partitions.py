"""Folders of partitions: what is written comes back; what is changed in them is refused."""

import json
import warnings

import numpy as np
import pandas as pd

from fuzz import call, check, target
from fuzz.draw import WORDS
from fuzz.files import mutated
from sklearn_mteval import RankRecomposer
from sklearn_mteval.datasets import make_rankings
from sklearn_mteval.models import rank_candidates, rank_systems
from sklearn_mteval.scale import Partitions, collect, map_partitions, system_table, write_partitions
from sklearn_mteval.scale.manifest import digest

STRANGE = [
    None, True, -1, 0, 1.5, 1e300, 1 << 62, 10**400, "", "x", "0" * 16, "f" * 16, "0" * 64, "../x",
    "/etc/passwd", "part-000000.parquet", "part-000001.parquet", "text", "float64", [], {}, [1],
]  # fmt: skip


def texts(draw, n):
    """Draw cells of one kind, and whether partitions hold them."""
    words = [draw.one(WORDS) for _ in range(n)]
    values, legal = draw.one([
        (words, not any("\ud800" <= c <= "\udfff" for word in words for c in word)),
        ([f"w{k % 3}" for k in range(n)], True), ([["a"] * (k % 3) for k in range(n)], True),
        (draw.numbers(n), True), (list(range(n)), True), ([k % 2 == 0 for k in range(n)], True),
        ([None] * n, True), ([b"a"] * n, False), ([("a", 1)] * n, False), ([{}] * n, False),
        ([["a"], "b"] * n, n == 0), ([2**70] * n, n == 0),
    ])  # fmt: skip
    cells = np.empty(n, dtype=object)
    cells[:] = values[:n]
    if isinstance(values[0] if values else None, int | float):
        return pd.Series(values[:n]).to_numpy(), legal
    return cells, legal


@target(weight=4)
def partitions_come_back(draw):
    n_segments, n_systems = draw.size(8), draw.integer(1, 3)
    kind = draw.one([range(90), [f"s{k}" for k in range(90)], [k / 2 for k in range(90)]])
    levels = [list(kind)[:n_segments], ["a", "b", "c"][:n_systems]]
    index = pd.MultiIndex.from_product(levels, names=["segment", "system"])
    cells, legal = texts(draw, len(index))
    X = pd.DataFrame({"hypothesis": "x"}, index).assign(
        other=pd.Series(cells, index, dtype=cells.dtype)
    )
    y = pd.Series(draw.numbers(len(X), ["ties", "normal", "extreme"]), index, dtype=float)
    ranked, n = draw.chance(), draw.one([1, 2, 50])
    order = draw.rng.permutation(len(X))
    cuts = sorted(draw.integer(0, len(X)) for _ in range(draw.integer(0, 4)))
    rows = np.split(order, cuts)
    if draw.chance(0.1):
        rows.append(order[:1])
        legal = legal and len(order) == 0
    tables = [(X.iloc[part], y.iloc[part]) if ranked else X.iloc[part] for part in rows]
    # Of parts of mixed cells each may be fine, but they are not alike.
    legal = legal and len(X) > 0 and cells.dtype != object
    parts = call(
        write_partitions, iter(tables), draw.folder / "p", segments_per_file=n, legal=legal
    )
    found = pd.concat([table for table, _ in parts]).loc[X.index]
    check(found.equals(X) and found.dtypes.equals(X.dtypes), found, X)
    check(len(parts) == -(-n_segments // n), len(parts), n_segments, n)
    segments = [set(table.index.get_level_values("segment")) for table, _ in parts]
    check(sum(map(len, segments)) == n_segments, segments)
    if ranked:
        ranks = pd.concat([ranks for _, ranks in parts])
        check(ranks.loc[X.index].equals(y.rename("y")), ranks, y)


def changed(draw, value):
    """Change a value somewhere in JSON."""
    if isinstance(value, dict) and value and draw.chance(0.9):
        key = draw.one(list(value))
        if draw.chance(0.1):
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: changed(draw, value[key])}
    if isinstance(value, list) and value and draw.chance(0.9):
        k = draw.integer(0, len(value) - 1)
        if draw.chance(0.2):
            return value[::-1]
        return [*value[:k], changed(draw, value[k]), *value[k + 1 :]]
    return draw.one(STRANGE)


def spoil(draw, folder, names, manifest="partitions.json"):
    """Change a folder in one or two ways; tell whether its manifest was made to fit the files."""
    fitted = False
    for _ in range(draw.integer(1, 2)):
        path = folder / draw.one(names)
        match draw.integer(0, 4):
            case 0 if path.exists():
                path.unlink()
            case 1 if path.exists():
                other = folder / draw.one(names)
                path.write_bytes(other.read_bytes() if other.exists() else b"")
            case 2 | 3 if path.exists():
                path.write_bytes(mutated(draw, path.read_bytes(), 2))
                fitted = draw.chance(0.7)
            case _:
                try:
                    given = json.loads((folder / manifest).read_text())
                except (ValueError, OSError):
                    continue
                (folder / manifest).write_text(json.dumps(changed(draw, given)))
    if fitted:
        try:
            given = json.loads((folder / manifest).read_text())
            for part in given["parts"]:
                content = (folder / part["file"]).read_bytes()
                part.update(sha256=digest(content), bytes=len(content))
            (folder / manifest).write_text(json.dumps(given))
        except (ValueError, OSError, KeyError, TypeError, AttributeError):
            fitted = False
    return fitted


@target(weight=6)
def changed_partitions(draw):
    X, y = make_rankings(6, 2, random_state=draw.integer(0, 3))
    X = X.assign(name=[f"w{k % 3}" for k in range(len(X))], lists=[["a"]] * len(X))
    folder = draw.folder / "p"
    before = write_partitions(X, folder, y=y, segments_per_file=2)
    names = ["partitions.json", *(part.file for part in before.manifest.parts)]
    fitted = spoil(draw, folder, names)
    found = call(collect, folder)
    parts = Partitions(folder).manifest.parts
    check(len(found) == sum(part.rows for part in parts) and found.index.is_unique, found)
    # Cells of another's making may be anything; those of a hash that stands are what was written.
    if not fitted and list(found.columns) == list(X.columns):
        known = found.index.intersection(X.index)
        check(found.loc[known].equals(X.loc[known]), found, X)


@target(weight=3)
def changed_results(draw):
    X, y = make_rankings(6, 3, random_state=1)
    X = pd.DataFrame({"a": draw.rng.normal(size=len(X)), "b": y.to_numpy(float)}, X.index)
    model = RankRecomposer().fit(X, y)
    write_partitions(X, draw.folder / "p", y=y, segments_per_file=2)
    folder = draw.folder / "r"
    before = map_partitions(model, draw.folder / "p", folder)
    with warnings.catch_warnings(action="ignore"):
        expected = rank_candidates(model, X)
    files = [part.file for part in before.manifest.parts]
    names = ["task.json", *files, *(name.replace("parquet", "record") for name in files)]
    spoil(draw, folder, names, draw.one(["task.json", "partitions.json"]))
    if draw.chance():
        found = call(system_table, folder)
        check(found.equals(rank_systems(expected)), found)
    else:
        found = call(map_partitions, model, draw.folder / "p", folder)
        found = pd.concat([table for table, _ in found]).loc[X.index]
        check(found.equals(expected), found, expected)
