"""Random judgements of five systems, and metrics, for tests of evaluations."""

import numpy as np
import pandas as pd


def judgements(rankings, n_segments=12, seed=0):
    """Ranks or penalties of five systems, and three metrics, one of them with ties."""
    rng = np.random.default_rng(seed)
    rows = [
        (segment, f"task{2 * segment + task}", system) if rankings else (segment, system)
        for segment in range(1, n_segments + 1)
        for task in range(2 if rankings else 1)
        for system in rng.choice(list("ABCDE"), 4, replace=False)
    ]
    names = ["segment", "ranking", "system"] if rankings else ["segment", "system"]
    y = pd.Series(rng.integers(1, 5, len(rows)), index=pd.MultiIndex.from_tuples(rows, names=names))
    index = pd.MultiIndex.from_product(
        [range(1, n_segments + 4), list("ABCDE")], names=["segment", "system"]
    )
    quality = index.get_level_values("system").map(dict(zip("ABCDE", range(5), strict=True)))
    scores = pd.DataFrame(
        {
            "smooth": rng.normal(size=len(index)) + 0.3 * quality,
            "rough": rng.integers(0, 4, len(index)),
            "noise": rng.normal(size=len(index)),
        },
        index=index,
        dtype=float,
    )
    return y, scores
