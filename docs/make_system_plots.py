"""Draw agreement of judges: ``python docs/make_system_plots.py DATA``.

DATA holds ``wmt15``, whose English-German judges are audited.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from make_plots import save

from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.evaluation import audit_judges
from sklearn_mteval.plots import JudgesDisplay

DATA = Path(sys.argv[1])


def main():
    """Draw it."""
    found = load_judgements(DATA / "wmt15", "wmt", lang_pair="en-de")
    names = {judge: f"judge {k}" for k, judge in enumerate(found.judges.unique(), 1)}
    audit = audit_judges(found.y, found.judges.map(names), scores=False)
    save(JudgesDisplay(audit).plot().figure_, "agreement_of_judges")
    print(audit)


if __name__ == "__main__":
    main()
