"""What a ranker was trained on and how, as short texts for readers."""

from sklearn_mteval.pairwise.leaks import splits_that_cut


def fitted_facts(ranker):
    """Say what a RankRecomposer, fitted or not, does, and what it was trained on: {what: text}."""
    recomposition = ranker.recomposition
    name = recomposition if isinstance(recomposition, str) else _name(recomposition)
    facts = {
        "recomposition": name,
        "ties": {"drop": "pairs that annotators tie are left out", "model": "modelled"}.get(
            ranker.ties, str(ranker.ties)
        ),
        "items": "plain arrays, one ranking"
        if ranker.item_level is None
        else f"index level {ranker.item_level!r}",
    }
    classifier = vars(ranker).get("estimator_")
    if classifier is None:
        asked = "the default" if ranker.estimator is None else _named(ranker.estimator)
        return {"classifier": asked, **facts, "fitted": "no"}
    facts = {"classifier": _named(classifier), **facts}
    facts["pairs"] = f"{ranker.n_pairs_:,} trained on, {ranker.n_tied_pairs_:,} tied"
    facts["columns"] = f"{ranker.n_features_in_:,}"
    trained = vars(ranker).get("_trained")
    if trained is not None:
        facts["rankings"] = f"{len(trained.groups):,} of {len(trained.systems):,} systems"
        facts["index levels"] = ", ".join(map(str, trained.names))
        facts["leaks"] = "remembers these rankings, and warns if it is to predict some of them"
    else:
        facts["leaks"] = "does not remember what it was trained on: cannot warn"
    cut = [f"{key}={value!r}" for key, value in splits_that_cut(classifier)]
    if cut:
        facts["segments cut"] = f"{', '.join(cut)} splits pairs of one segment"
    head = vars(ranker).get("standalone_")
    facts["scores"] = (
        "by the ranker itself"
        if head is None
        else f"by a stand-alone head on {head.n_features_in_:,} columns that compare no systems"
    )
    return facts


def _named(estimator):
    """Name an estimator, and the steps of a pipeline."""
    steps = getattr(estimator, "steps", None)
    if steps:
        return " → ".join(type(step).__name__ for _, step in steps)
    return type(estimator).__name__


def _name(function):
    """Name a function."""
    return getattr(function, "__name__", type(function).__name__)
