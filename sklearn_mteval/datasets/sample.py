"""The small German–English sample that comes with the package."""

import json
from importlib import resources
from itertools import combinations
from typing import Any

import pandas as pd

from sklearn_mteval.datasets._loaded import Loaded


def load_sample(*, return_X_y: bool = False) -> Any:
    """Load the bundled sample: 128 German segments, five ranked English translations each.

    Written for this package, texts and ranks alike, by a language model; not a human
    evaluation campaign (see ``DESCR``). For examples, tests and the demo.

    Parameters
    ----------
    return_X_y : bool, default=False
        Whether to return only (X, y).

    Returns
    -------
    Bunch
        - X : DataFrame of shape (640, 3), indexed by (segment, system), with the text
          columns ``source``, ``reference``, ``hypothesis``.
        - y : Series, the rank: 1 is best, ties allowed.
        - domains : Series, the kind of text of each row.
        - errors : Series of lists, the kinds of error in each translation.
        - DESCR : str, provenance and error labels.

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> X, y = load_sample(return_X_y=True)
    >>> print(X.loc[(11, "phrase"), "hypothesis"])
    The file could not be stored, because on the drive no more storage space is free.
    >>> print(y.loc[(11, "phrase")])
    2
    """
    folder = resources.files(__package__) / "data"
    lines = (folder / "sample_de_en.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [
        segment | translation | {"system": system, "hypothesis": translation["text"]}
        for segment in map(json.loads, lines)
        for system, translation in segment["translations"].items()
    ]
    table = pd.DataFrame(rows).set_index(["segment", "system"])
    X, y = table[["source", "reference", "hypothesis"]].astype(object), table["rank"]
    if return_X_y:
        return X, y
    description = (folder / "sample_de_en.md").read_text(encoding="utf-8")
    return Loaded(X=X, y=y, domains=table["domain"], errors=table["errors"], DESCR=description)


def sample_files() -> dict[str, str]:
    """Return the sample as files that users have: texts a line each, and two tables of judgements.

    Returns
    -------
    dict of str to str
        The content by file name: ``source.de``, ``reference.en``, ``SYSTEM.en`` for each system;
        ``judgements.csv``, a row a translation, with its rank; ``battles.csv``, a row for each
        two translations of a segment, with the name of the winner's column.
    """
    X, y = load_sample(return_X_y=True)
    table = X.assign(rank=y).reset_index()
    first = table.drop_duplicates("segment")
    texts = {"source.de": first["source"], "reference.en": first["reference"]}
    texts |= {f"{system}.en": rows["hypothesis"] for system, rows in table.groupby("system")}
    files = {name: "".join(f"{text}\n" for text in lines) for name, lines in texts.items()}
    battles = [
        (segment, a, b, "A" if rank_a < rank_b else "B" if rank_b < rank_a else "tie")
        for segment, rows in table.groupby("segment")
        for (a, rank_a), (b, rank_b) in combinations(rows[["system", "rank"]].to_numpy(), 2)
    ]
    columns = ["segment", "system_a", "system_b", "winner"]
    files["judgements.csv"] = table.to_csv(index=False, lineterminator="\n")
    files["battles.csv"] = pd.DataFrame(battles, columns=columns).to_csv(
        index=False, lineterminator="\n"
    )
    return files
