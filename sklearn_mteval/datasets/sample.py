"""Data to try things with: a small German–English sample, and synthetic rankings of any size."""

import json
from importlib import resources
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.datasets._lines import candidates_of_lines
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
    """Return the sample as files that users have, by name: texts, judgements, comparisons."""
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


_SYLLABLES = ["ba", "de", "fi", "go", "lu", "ma", "ne", "po", "ri", "su", "ta", "vo"]


def make_rankings(
    n_segments: int = 100, n_systems: int = 5, *, annotator_noise: float = 0.05, n_ranks: int = 5,
    mean_length: int = 20, n_words: int = 2000, random_state: Seed = 0, return_quality: bool = False
) -> tuple:  # fmt: skip
    """Generate segments, corrupted translations and noisy ranks, as an annotator would give them.

    A reference is a sequence of words of Zipfian frequency, each of which a system keeps with a
    probability of its own, replaces or drops. The annotator sees quality plus noise, in steps.

    Parameters
    ----------
    n_segments, n_systems : int, default=100 and 5
        Size: there are n_segments * n_systems candidates.
    annotator_noise : float, default=0.05
        Standard deviation of the annotator's error, in units of quality; 0 for one who is
        always right.
    n_ranks : int, default=5
        Steps of the annotator's scale; qualities in one step are tied. 0: no steps, no ties.
    mean_length : int, default=20
        Mean length of a reference in words, at least 2.
    n_words : int, default=2000
        Size of the vocabulary.
    random_state : int, RandomState or None, default=0
        Seed; the same seed gives the same data.
    return_quality : bool, default=False
        Whether to return the true quality too.

    Returns
    -------
    X : DataFrame of shape (n_segments * n_systems, 3)
        Indexed by (segment, system), columns ``source``, ``reference``, ``hypothesis``.
    y : Series
        Human rank within the segment: 1 is best, ties as the annotator's scale makes them.
    quality : Series
        Only if asked for: proportion of the reference's words kept, in [0, 1], higher is better.

    Examples
    --------
    >>> from sklearn_mteval.datasets import make_rankings
    >>> X, y, quality = make_rankings(2, 3, return_quality=True)
    >>> X.shape, y.tolist()
    ((6, 3), [1, 2, 1, 2, 1, 3])
    """
    for name, size in (("n_segments", n_segments), ("n_systems", n_systems)):
        if size < 1:
            raise ValueError(f"{name} must be at least 1, found {size}.")
    if mean_length < 2 or n_words < 2 or n_ranks < 0 or not 0 <= annotator_noise < np.inf:
        raise ValueError(
            "Expected mean_length >= 2, n_words >= 2, n_ranks >= 0 and annotator_noise >= 0, found "
            f"{mean_length}, {n_words}, {n_ranks} and {annotator_noise}."
        )
    rng = check_random_state(random_state)
    words = np.array([_word(k) for k in range(n_words)], dtype=object)
    frequency = 1 / np.arange(1, n_words + 1)
    frequency /= frequency.sum()
    lengths = 2 + rng.poisson(mean_length - 2, size=n_segments)
    skill = rng.uniform(0.4, 0.9, size=n_systems)
    keep = np.clip(skill + rng.normal(0, 0.1, size=(n_segments, n_systems)), 0.05, 1.0)
    sources, references = [], []
    outputs = {f"system{k + 1}": [] for k in range(n_systems)}
    quality = np.empty((n_segments, n_systems))
    for segment, length in enumerate(lengths):
        text = words[rng.choice(n_words, size=length, p=frequency)]
        kept = rng.uniform(size=(n_systems, length)) < keep[segment][:, np.newaxis]
        dropped = ~kept & (rng.uniform(size=(n_systems, length)) < 0.3)
        other = words[rng.randint(n_words, size=(n_systems, length))]
        for system, lines in enumerate(outputs.values()):
            output = np.where(kept[system], text, other[system])[~dropped[system]]
            lines.append(" ".join(output))
        quality[segment] = kept.mean(axis=1)
        references.append(" ".join(text))
        sources.append(" ".join(word[::-1] for word in text))
    seen = quality + rng.normal(0, 1, size=quality.shape) * annotator_noise
    if n_ranks:
        seen = np.floor(np.clip(seen, 0, 1 - 1e-9) * n_ranks)
    # Dense ranks within the segment, 1 for the highest.
    ranks = [np.unique(-row, return_inverse=True)[1] + 1 for row in seen]
    X = candidates_of_lines(outputs, sources, [references])
    y = pd.Series(np.concatenate(ranks), index=X.index, name="rank", dtype=np.int64)
    if return_quality:
        return X, y, pd.Series(quality.ravel(), index=X.index, name="quality")
    return X, y


def _word(number):
    """Spell a number in syllables: every number a word of its own."""
    rest, last = divmod(number, len(_SYLLABLES))
    return _SYLLABLES[last] + (_word(rest) if rest else "")
