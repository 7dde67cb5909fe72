"""Is a sound paraphrase preferred to an error of content in the reference's words?

``python benchmarks/content_verdicts.py MODEL … [--encoder FOLDER] [--cases FILE …]`` asks
ready-made models, and chrF, about cases written by hand (``content_cases/``): a reference, a near
and a free paraphrase of it, and the reference with one error. Printed are percent of the cases in
which each paraphrase is preferred, by ranks and by scores, and how many are flagged.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_mteval import load_pretrained
from sklearn_mteval.features import ChrFComp, content_flags
from sklearn_mteval.models import score_candidates

CASES = Path(__file__).parent / "content_cases"
PARAPHRASES = ("free", "near")


def segments(cases, paraphrase):
    """Make a segment of each case: the paraphrase, and the error; sources are empty."""
    index = pd.MultiIndex.from_product(
        [range(len(cases)), [paraphrase, "error"]], names=["segment", "system"]
    )
    texts = cases[[paraphrase, "error"]].to_numpy().ravel()
    columns = {"reference": cases["reference"].repeat(2).to_numpy(), "hypothesis": texts}
    return pd.DataFrame({"source": "", **columns}, index, dtype=object)


def judges(names, encoder):
    """Yield (label, function of a table): chrF, then ranks and scores of models."""
    chrf = ChrFComp().set_output(transform="pandas")
    yield "chrF", lambda X: chrf.fit_transform(X)["chrf_score"].to_numpy()
    for name in names:
        model = load_pretrained(name, **({"encoder": encoder} if "encoder" in name else {}))
        yield f"{name}, ranks", model.decision_function
        yield f"{name}, scores", partial(score_candidates, model)


def won(judge, cases):
    """Tell of each paraphrase in which cases it is preferred: the error is not as good."""
    found = {}
    for paraphrase in PARAPHRASES:
        values = np.asarray(judge(segments(cases, paraphrase))).reshape(-1, 2)
        found[paraphrase] = values[:, 0] > values[:, 1]
    return pd.DataFrame(found)


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--encoder")
    parser.add_argument("--cases", nargs="+", type=Path, default=sorted(CASES.glob("*.tsv")))
    given = parser.parse_args()
    tables = {p.stem: pd.read_csv(p, sep="\t", dtype=str, quoting=3) for p in given.cases}
    for name, cases in tables.items():
        flagged = [content_flags(segments(cases, p)) for p in PARAPHRASES]
        errors = flagged[0].xs("error", level="system").astype(bool).mean()
        sound = [
            f.xs(p, level="system").astype(bool).mean()
            for f, p in zip(flagged, PARAPHRASES, strict=True)
        ]
        print(f"{name}: {len(cases)} cases; flagged: error {100 * errors:.0f} %, free "
              f"{100 * sound[0]:.0f} %, near {100 * sound[1]:.0f} %")  # fmt: skip
    for label, judge in judges(given.models, given.encoder):
        for name, cases in tables.items():
            found = won(judge, cases)
            means = 100 * found.mean()
            kinds = 100 * found["free"].groupby(cases["kind"], sort=False).mean()
            row = ", ".join(f"{kind} {share:.0f}" for kind, share in kinds.items())
            print(
                f"{label} | {name} | free {means['free']:.0f} | near {means['near']:.0f} | {row}",
                flush=True,
            )


if __name__ == "__main__":
    main()
