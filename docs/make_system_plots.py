"""Draw scores of systems and agreement of judges: ``python docs/make_system_plots.py DATA``.

DATA holds ``wmt13``, whose French-English systems are scored, and ``wmt15``, whose English-German
judges are audited.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from make_plots import save

from sklearn_mteval import load_pretrained
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.evaluation import audit_judges
from sklearn_mteval.models import score_candidates, score_systems
from sklearn_mteval.plots import JudgesDisplay, LeaderboardDisplay, ScoreDistributionDisplay

DATA = Path(sys.argv[1])


def main():
    """Draw them."""
    found = load_judgements(DATA / "wmt13", "wmt", lang_pair="fr-en")
    scores = score_candidates(load_pretrained("static-en"), found.translations)
    scores = scores.rename(lambda name: name.removeprefix("newstest2013.fr-en."), level="system")
    systems = score_systems(scores)
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    LeaderboardDisplay.of_systems(systems).plot(panels[0])
    ScoreDistributionDisplay.from_scores(scores, ax=panels[1])
    save(figure, "system_scores")
    print(systems)

    found = load_judgements(DATA / "wmt15", "wmt", lang_pair="en-de")
    names = {judge: f"judge {k}" for k, judge in enumerate(found.judges.unique(), 1)}
    audit = audit_judges(found.y, found.judges.map(names), scores=False)
    save(JudgesDisplay(audit).plot().figure_, "agreement_of_judges")
    print(audit)


if __name__ == "__main__":
    main()
