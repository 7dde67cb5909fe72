"""The model within others that were fitted around it."""


def unwrapped(model):
    """Return the model that a search has chosen, or that is asked about windows."""
    inner = getattr(model, "best_estimator_", getattr(model, "ranker_", model))
    return model if inner is model else unwrapped(inner)
