"""Whether sound translations are preferred to errors of content, on cases written by hand.

A case of ``benchmarks/content_cases`` has a reference, a near and a free paraphrase of it, and the
reference's own words with one error. Models rank a paraphrase with the error, as two translations
of a segment, and score each by itself; printed are percentages of cases in which the paraphrase is
preferred, by kind of error. No source is given. Then how many texts ``content_flags`` flags.
"""

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import pandas as pd

from sklearn_mteval import load_pretrained
from sklearn_mteval.features import ChrFComp, content_flags
from sklearn_mteval.models import rank_candidates, score_candidates
from sklearn_mteval.models.opening import with_source

CASES = Path(__file__).parent / "content_cases"
SOUND = ("free", "near")


def table(cases, columns):
    """Make a candidate table of some columns of the cases."""
    names = ["segment", "system"]
    X = cases[list(columns)].rename_axis("segment").rename_axis("system", axis=1)
    X = X.stack().to_frame("hypothesis").rename_axis(names)  # noqa: PD013
    references = cases["reference"].loc[X.index.get_level_values("segment")]
    return X.assign(reference=references.to_numpy()).astype(object)


def preferred(values, sound):
    """Tell of each case whether the sound text has the larger value."""
    values = values.unstack("system")  # noqa: PD010
    return values[sound] > values["error"]


def loaded(name, encoder):
    """Load a model with an encoder that is on this machine, or else with the folder given."""
    try:
        return load_pretrained(name)
    except ValueError:
        if encoder is None:
            raise
        return load_pretrained(name, encoder=encoder)


def verdicts(name, cases, encoder):
    """Yield (how, sound, Series of bool): whether a model prefers the sound text in each case."""
    tables = {sound: table(cases, [sound, "error"]) for sound in SOUND}
    if name == "chrF":
        for sound, X in tables.items():
            chrf = ChrFComp().set_output(transform="pandas").fit_transform(X)
            yield "scores", sound, preferred(chrf["chrf_score"], sound)
        return
    model = loaded(name, encoder)
    for sound in SOUND:
        X = with_source(tables[sound], name)
        yield "ranks", sound, preferred(rank_candidates(model, X)["strength"], sound)
        yield "scores", sound, preferred(score_candidates(model, X), sound)


def printed(rows, kinds):
    """Print a table: rows of (label, Series of bool) as percentages by kind."""
    names = list(dict.fromkeys(kinds))
    print("| | all | " + " | ".join(names) + " |\n| --- " + "| ---: " * (len(names) + 1) + "|")
    for label, right in rows:
        by_kind = right.groupby(kinds).mean()
        found = [right.mean(), *(by_kind[name] for name in names)]
        print(f"| {label} | " + " | ".join(f"{100 * rate:.0f}" for rate in found) + " |")


def main():
    """Print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="ready-made models, or chrF")
    parser.add_argument("--encoder", type=Path, help="a folder, for models that need one")
    parser.add_argument("--cases", type=Path, nargs="+", default=sorted(CASES.glob("*.tsv")))
    arguments = parser.parse_args()
    for path in arguments.cases:
        cases = pd.read_csv(path, sep="\t", quoting=3, keep_default_na=False)
        print(f"\n{path.stem}: {len(cases)} cases, percent preferred to the error")
        rows = [
            (f"{name}, {how}, {sound}", right)
            for name in arguments.models
            for how, sound, right in verdicts(name, cases, arguments.encoder)
        ]
        printed(sorted(rows, key=lambda row: row[0].split(", ")[::2]), cases["kind"])
        print("\nFlagged, without source")
        flags = content_flags(table(cases, ["error", *SOUND])).map(bool)
        flags = flags.unstack("system")  # noqa: PD010
        printed([(name, flags[name]) for name in ("error", *SOUND)], cases["kind"])


if __name__ == "__main__":
    main()
