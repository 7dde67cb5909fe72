"""What a ranker was trained on and how, as short texts for readers."""

from sklearn_mteval.pairwise.leaks import splits_that_cut

_TIES = {"drop": "pairs that annotators tie are left out", "model": "modelled"}


def fitted_facts(ranker):
    """Say what a RankRecomposer, fitted or not, does, and what it was trained on: {what: text}."""
    how, level = ranker.recomposition, ranker.item_level
    facts = {
        "recomposition": how if isinstance(how, str) else getattr(how, "__name__", _named(how)),
        "ties": _TIES.get(ranker.ties, str(ranker.ties)),
        "items": "plain arrays, one ranking" if level is None else f"index level {level!r}",
    }
    classifier = vars(ranker).get("estimator_")
    if classifier is None:
        asked = "the default" if ranker.estimator is None else _named(ranker.estimator)
        return {"classifier": asked, **facts, "fitted": "no"}
    facts = {"classifier": _named(classifier), **facts}
    facts["pairs"] = f"{ranker.n_pairs_:,} trained on, {ranker.n_tied_pairs_:,} tied"
    facts["columns"] = f"{ranker.n_features_in_:,}"
    facts["leaks"] = "does not remember what it was trained on: cannot warn"
    trained = vars(ranker).get("_trained")
    if trained is not None:
        facts["rankings"] = f"{len(trained.groups):,} of {len(trained.systems):,} systems"
        facts["index levels"] = ", ".join(map(str, trained.names))
        facts["leaks"] = "remembers these rankings, and warns if it is to predict some of them"
    if cut := [f"{key}={value!r}" for key, value in splits_that_cut(classifier)]:
        facts["segments cut"] = f"{', '.join(cut)} splits pairs of one segment"
    facts["scores"] = "by the ranker itself"
    if head := vars(ranker).get("standalone_"):
        number = f"{head.n_features_in_:,}"
        facts["scores"] = f"by a stand-alone head on {number} columns that compare no systems"
    return facts


def _named(estimator):
    """Name an estimator, and the steps of a pipeline."""
    if steps := getattr(estimator, "steps", None):
        return " → ".join(type(step).__name__ for _, step in steps)
    return type(estimator).__name__
