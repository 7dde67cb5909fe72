"""All sets of translations at hand, as ``suspicious_texts.py`` looks at them."""

import os
from functools import partial
from pathlib import Path

from sklearn_mteval.datasets import load_esa, load_mlqe, load_mqm, load_mtme
from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations

DATA = Path(os.environ["SKLEARN_MTEVAL_DATA"])
WMT = {"wmt12": "cs-en de-en en-de", "wmt13": "fr-en", "wmt16it": "en-cs en-de en-es en-nl"}
WMT["wmt15"] = "cs-en de-en fi-en fr-en ru-en en-cs en-de en-fi en-fr en-ru"
# The system that is the reference, of the files that have one.
REFERENCES = {"newstest2020": "Human-A.0", "newstest2021": "ref.A", "bio2021": "reference"}
REFERENCES |= {"newstest2021_ende": None, "ted": "ref"}  # None has translated all segments


def _expert_annotations():
    """Yield (name, language pair, loader) of the MQM files, with references and without."""
    for path in sorted((DATA / "mqm").glob("*.tsv*")):
        _, campaign, pair = path.name.partition(".")[0].split("_")
        pair = f"{pair[:2]}-{pair[2:]}"
        key = f"{campaign}_{pair.replace('-', '')}"
        reference = REFERENCES.get(key, REFERENCES.get(campaign))
        if reference is not None:
            yield f"{campaign} {pair}", pair, partial(load_mqm, path, reference_system=reference)
        yield f"{campaign} {pair}, no reference", pair, partial(load_mqm, path)


def loaders():
    """Yield (name, language pair, what loads it)."""
    for campaign, pairs in WMT.items():
        for pair in pairs.split():
            yield f"{campaign} {pair}", pair, partial(load_wmt_translations, DATA / campaign, pair)
    yield from _expert_annotations()
    for pair, reference in [("zh-en", "refA"), ("he-en", "refA"), ("he-en", "refB")]:
        load = partial(load_mtme, DATA / "wmt23", pair, reference=reference, human_systems=True)
        yield f"wmt23 {pair} {reference}", pair, load
    for pair in ("en-cs", "en-ja"):
        path = DATA / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
        options = {"texts": DATA / "wmt24", "human_systems": True}
        yield f"wmt24 {pair}", pair, partial(load_esa, path, pair, **options)
    for path in sorted([*DATA.glob("mlqe/*.gz"), *DATA.glob("da/*.gz")]):
        name = path.name.removesuffix(".tsv.gz")
        pair = next(part for part in name.split(".") if "-" in part)
        yield f"{path.parent.name} {name}", pair, partial(load_mlqe, path)


def sets():
    """Yield (name, language pair, candidate table)."""
    for name, pair, load in loaders():
        loaded = load()
        yield name, pair, getattr(loaded, "X", loaded)
