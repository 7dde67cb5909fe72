"""How far flags can be believed: ``python benchmarks/content_flags.py [SAMPLE]``.

First the percentage of human translations with a flag, each compared with another human translation
of its source as the reference; pairs whose chrF is below 20 are no translations of one source.
Then, for systems of the campaigns with expert MQM, the percentage of flagged translations in which
an annotator marked an error that costs 1 or more at the flagged words (or that is missing), by the
kind of flag; next to it the percentage of unflagged translations with a mark at all. With SAMPLE,
so many flagged translations that no annotator marked there are listed, to be read. Last, Kendall's
tau x 100 of chrF with what is flagged where it stands, and put last.
"""

import os
import re
import sys
from pathlib import Path

import pandas as pd

from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.datasets import load_mqm, load_wmt
from sklearn_mteval.features import ChrFComp, content_flags
from sklearn_mteval.metrics import kendall_tau
from sklearn_mteval.models.flagged import put_flagged_last

REFERENCES = {
    "newstest2020_ende": ["Human-A.0", "Human-B.0", "Human-P.0"],
    "newstest2020_zhen": ["Human-A.0", "Human-B.0"],
    "newstest2021_ende": ["ref.A", "ref.B"],
    "newstest2021_enru": ["ref.A", "ref.B"],
    "newstest2021_zhen": ["ref.A", "ref.B"],
    **{
        f"bio2021_{pair}": ["reference", "reference_r1"]
        for pair in ("ende", "enes", "enru", "esen", "fren", "ruen", "zhen")
    },
    "ted_zhen": ["ref", "refB"],
}
CAMPAIGNS = [("wmt13", "fr-en")] + [
    ("wmt15", pair)
    for pair in ("cs-en", "de-en", "fi-en", "fr-en", "ru-en", "en-cs", "en-de", "en-fr", "en-ru")
]
HUMAN = re.compile(r"human|ref", re.IGNORECASE)
LEAST_CHRF = 20
OTHER_WORDS = re.compile(r"\b(?:in the|of the|reference|source|here|nothing|is missing)\b|[:,]")


def table_of(data, name, reference):
    """Return translations with a reference, and what annotators marked in them."""
    for suffix in (".tsv.gz", ".tsv"):
        path = data / "mqm" / f"mqm_{name}{suffix}"
        if path.exists():
            found = load_mqm(path)
            X = found.X
            texts = X["hypothesis"].xs(reference, level="system")
            X = X.assign(reference=X.index.get_level_values("segment").map(texts))
            rows = X["reference"].notna() & (X.index.get_level_values("system") != reference)
            return X[rows], found.spans[rows]
    raise FileNotFoundError(path)


def chrf(X):
    """Return chrF of hypotheses."""
    from sacrebleu.metrics import CHRF

    metric = CHRF()
    return [
        metric.sentence_score(h, [r]).score
        for h, r in zip(X["hypothesis"], X["reference"], strict=True)
    ]


def of_people(data):
    """Print how many human translations are flagged."""
    print("| human translations | compared | flagged, % |\n| --- | ---: | ---: |")
    for name, (first, *others) in REFERENCES.items():
        X, _ = table_of(data, name, first)
        X = X[X.index.get_level_values("system").isin(others)]
        X = X[X["hypothesis"] != X["reference"]]
        X = X[[score >= LEAST_CHRF for score in chrf(X)]]
        flagged = 100 * content_flags(X).map(bool).mean()
        print(f"| {name} | {len(X):,} | {flagged:.1f} |")


def is_marked(text, spans, flag):
    """Tell whether annotators marked words of a flag, or something as missing."""
    words = re.findall(r"[^\W_]+", OTHER_WORDS.sub(" ", flag.partition(" ")[2]))
    for span in spans:
        if span.place == "source" or "omission" in span.category.lower():
            return True
        marked = text[span.start : span.end].lower()
        if any(word.lower() in marked for word in words):
            return True
    return False


def of_systems(data, n_shown):
    """Print how many flags annotators agree with, by kind, and list others."""
    rows, unflagged, shown = [], [], []
    for name, (first, *_) in REFERENCES.items():
        X, spans = table_of(data, name, first)
        chosen = ~X.index.get_level_values("system").map(lambda s: bool(HUMAN.search(s)))
        X, spans = X[chosen], spans[chosen]
        flags = content_flags(X)
        for text, source, reference, marks, said in zip(
            X["hypothesis"], X["source"], X["reference"], spans, flags, strict=True
        ):
            marks = [m for m in marks if m.severity.lower() in ("major", "critical", "minor")]
            if not said:
                unflagged.append(bool(marks))
            for flag in said:
                kind = "untranslated" if flag[0].isdigit() else flag.split()[0].rstrip(":")
                kind += " replaced" if flag.endswith(" here") else ""
                marked = is_marked(text, marks, flag)
                rows.append((name, kind, marked))
                if not marked:
                    shown.append((name, flag, source, reference, text))
    found = pd.DataFrame(rows, columns=["file", "kind", "marked"])
    print("\n| flags of systems | flags | marked by an annotator there, % |\n| --- | ---: | ---: |")
    for by in ("kind", "file"):
        for key, some in found.groupby(by)["marked"]:
            print(f"| {key} | {len(some):,} | {100 * some.mean():.1f} |")
    print(f"| all | {len(found):,} | {100 * found['marked'].mean():.1f} |")
    share = 100 * sum(unflagged) / len(unflagged)
    print(f"| any mark, unflagged | {len(unflagged):,} | {share:.1f} |")
    if n_shown:
        for name, flag, *texts in pd.Series(shown).sample(n_shown, random_state=0):
            print(f"\n{name}: {flag}", *texts, sep="\n    ")


def of_losing(data):
    """Print what putting flagged translations last changes."""
    print("\n| put last | flagged, % | tau of chrF | flagged last |\n| --- | ---: | ---: | ---: |")
    for campaign, pair in CAMPAIGNS:
        X, y = load_wmt(data / campaign, pair, return_X_y=True)
        chrf = ChrFComp().set_output(transform="pandas").fit_transform(X)["chrf_score"]
        groups, flags = comparable_groups(X), content_flags(X)
        found = pd.DataFrame({"rank": 1, "strength": chrf, "score": 0.0}, index=X.index)
        last = put_flagged_last(found, X, flags)["strength"]
        taus = (100 * kendall_tau(y, strength, groups=groups) for strength in (chrf, last))
        said = " | ".join(f"{tau:.2f}" for tau in taus)
        print(f"| {campaign} {pair} | {100 * flags.map(bool).mean():.1f} | {said} |")


def main():
    """Print."""
    data = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    of_people(data)
    of_systems(data, int(sys.argv[1]) if sys.argv[1:] else 0)
    of_losing(data)


if __name__ == "__main__":
    main()
