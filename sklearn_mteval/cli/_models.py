"""Opening the rankers that commands are given, by folder or by name."""

__all__ = ["open_ranker"]


def open_ranker(name):
    """Open a model; raise ValueError for one that cannot rank."""
    from sklearn_mteval.models import open_model

    model = open_model(name)
    if not hasattr(model, "decision_function"):
        raise ValueError(
            f"{name} is no ranker: expected a RankRecomposer or a pipeline that ends in one, found "
            f"a {type(model).__name__}."
        )
    return model
