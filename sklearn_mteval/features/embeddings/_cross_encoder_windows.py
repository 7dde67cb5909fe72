"""Segments whose texts are too long to be read at once: in windows, as long texts are judged."""

import numpy as np
import pandas as pd

from sklearn_mteval.features.embeddings._cross_encoder_training import InWindows
from sklearn_mteval.text.windows import windows_of

_LONGEST = 450  # letters of each text in a window: of two or three texts it is read to the end


def in_windows(example, reader, contexts):
    """Return an example that is read in windows if texts would be cut, else the example itself."""
    if reader.read_whole(example.readings):
        return example
    columns = [*contexts, "hypothesis"]
    systems = pd.MultiIndex.from_product(
        [[0], range(len(example.readings))], names=["segment", "system"]
    )
    table = pd.DataFrame(example.readings, systems, columns, dtype=object)
    there = [name for name in contexts if table[name].str.strip().any()]
    windows = windows_of(table, anchor=[*contexts, *there][-1], longest=_LONGEST)
    if not windows.parted.any():
        return example
    shared = windows.shared > 0
    texts = list(windows.table.loc[shared, columns].itertuples(index=False, name=None))
    readings = sorted(set(texts))
    number = {text: k for k, text in enumerate(readings)}
    weights = np.zeros((len(table), len(readings)))
    place = windows.row[shared], [number[text] for text in texts]
    np.add.at(weights, place, windows.shared[shared])
    widths = weights.sum(axis=1, keepdims=True)
    found = InWindows(weights / widths, windows.added / widths[:, 0])
    targets = np.full_like(example.targets, np.nan)
    return example._replace(readings=readings, targets=targets, in_windows=found)
