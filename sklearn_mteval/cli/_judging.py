"""Options of leaderboards that know who judged, and covariates of who was shown where."""

from sklearn_mteval.cli._options import add
from sklearn_mteval.evaluation.option_values import JUDGE_MODELS

COVARIATES = ("length", "position", "self")


def add_arguments(group):
    """Declare how judges are modelled, and what they count."""
    add(
        group,
        "--judge-model",
        "judges are alike, or each discriminates (and is swayed by covariates) "
        "differently, which is reported; default: alike",
        "alike",
        choices=JUDGE_MODELS,
    )
    add(
        group,
        "--judge-weights JUDGE=W",
        "what a comparison of a judge counts, above 0, as in gpt-4=0.3 (default: 1)",
        nargs="+",
        type=_weight,
    )


def _weight(text):
    """Read JUDGE=W."""
    name, _, number = text.rpartition("=")
    if not name:
        raise ValueError(text)
    return name, float(number)


_weight.__name__ = "JUDGE=W"  # what argparse calls it: invalid JUDGE=W value


def judges_for(arguments, judged, kept):
    """Return the options of a leaderboard that say who judged."""
    pairs = arguments.judge_weights
    weights = None if pairs is None else dict(pairs)
    if pairs is not None and len(weights) < len(pairs):
        raise ValueError("--judge-weights names a judge twice.")
    if pairs is None and arguments.judge_model == "alike" and not arguments.automatic_judges:
        return {}
    if judged.judges is None:
        raise ValueError(
            "--judge-model, --judge-weights and --automatic-judges: these judgements name no "
            "judges."
        )
    return {"judges": judged.judges[kept], "judge_weights": weights}


def with_covariates(judged, names):
    """Return the candidates, with columns of the covariates that judgements say."""
    import pandas as pd

    X = judged.X
    if "position" in names:
        if judged.shown_first is None:
            raise ValueError("--covariates position: only comparisons of two have a first one.")
        X = X.assign(position=judged.shown_first.to_numpy(dtype=float))
    if "self" in names:
        if judged.judges is None:
            raise ValueError("--covariates self: these judgements name no judges.")
        systems = X.index.get_level_values("system").astype(str)
        own = pd.DataFrame({"self": (judged.judges.to_numpy() == systems).astype(float)}, X.index)
        X = pd.concat([X, own], axis=1)
    return X
