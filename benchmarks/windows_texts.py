"""Texts of many lines for ``windows.py``: lines of WMT campaigns that follow each other, joined."""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

DATA = Path(os.environ["SKLEARN_MTEVAL_DATA"])
WITHOUT_BLANKS = ("zh", "ja")  # languages whose sentences stand side by side
MODERN = "system-outputs/{pair}/{name}.txt"
WMT15 = "system-outputs/newstest2015/{pair}/newstest2015.{name}.{pair}.txt"
# Year, pattern of systems' files, source, reference, the system that is judged, two others.
CAMPAIGNS = {
    "zh-en": ("wmt23", MODERN, "refA", ("GPT4-5shot", "ONLINE-B", "ONLINE-M")),
    "he-en": ("wmt23", MODERN, "refB", ("GPT4-5shot", "ONLINE-B", "ONLINE-A")),
    "en-cs": ("wmt24", MODERN, "refA", ("GPT-4", "ONLINE-B", "CUNI-Transformer")),
    "en-ja": ("wmt24", MODERN, "refA", ("GPT-4", "ONLINE-B", "NTTSU")),
    "de-en": ("wmt15", WMT15, None, ("online-B.0", "online-A.0", "uedin-syntax.4027")),
    "en-de": ("wmt15", WMT15, None, ("online-B.0", "online-A.0", "Neural-MT.4079")),
    "ru-en": ("wmt15", WMT15, None, ("online-B.0", "online-A.0", "uedin-syntax.3930")),
    "en-ru": ("wmt15", WMT15, None, ("online-B.0", "online-A.0", "uedin-syntax.3938")),
}


class Campaign(NamedTuple):
    """Lines of a language pair, by what they are of, and the document of each."""

    pair: str
    lines: pd.DataFrame  # source, reference, and a column for each system, the judged one first
    documents: np.ndarray

    @property
    def systems(self):
        return list(self.lines.columns[2:])

    def joiner(self, column):
        language = self.pair.split("-")[column != "source"]
        return "" if language in WITHOUT_BLANKS else " "


def load(pair):
    """Read a language pair; lines that are empty anywhere are left out."""
    year, pattern, reference, systems = CAMPAIGNS[pair]
    source, target = pair.split("-")
    files = {"source": f"sources/{pair}.txt", "reference": f"references/{pair}.{reference}.txt"}
    if year == "wmt15":
        name = f"newstest2015-{source}{target}"
        files = {"source": f"sources/{name}-src.{source}"}
        files["reference"] = f"references/{name}-ref.{target}"
    files |= {name: pattern.format(pair=pair, name=name) for name in systems}
    lines = pd.DataFrame({name: read(DATA / year / file) for name, file in files.items()})
    documents = np.zeros(len(lines))
    if year != "wmt15":
        documents = pd.factorize(pd.Series(read(DATA / year / "documents" / f"{pair}.docs")))[0]
    there = (lines != "").all(axis=1).to_numpy()
    return Campaign(pair, lines[there].reset_index(drop=True), documents[there])


def read(path):
    return [line.strip() for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def drawn(campaign, k, n, rng):
    """Draw n texts of k lines: of one document, or of several that follow each other."""
    starts = np.arange(0, len(campaign.documents) - k + 1)
    whole = campaign.documents[starts] == campaign.documents[starts + k - 1]
    starts = starts[whole] if whole.sum() >= n else starts
    return [np.arange(start, start + k) for start in rng.choice(starts, n, replace=False)]


def proportion(text, share):
    """Cut a text after a proportion of its words, or of its characters where it has few words."""
    words = text.split()
    if len(words) * 12 < len(text):
        return text[: max(1, int(len(text) * share))]
    return " ".join(words[: max(1, int(len(words) * share))])


def spaced(campaign, rows, between):
    """Join lines by something else, on all sides."""
    texts = {name: between.join(campaign.lines[name].iloc[rows]) for name in campaign.lines}
    hypotheses = {name: texts[name] for name in campaign.systems}
    return None, {name: texts[name] for name in ("source", "reference")}, hypotheses
