"""A fit that is all or nothing: what fails, or is interrupted, leaves an estimator as it was."""

from functools import wraps
from inspect import isfunction

_FITS = ("fit", "fit_blocks", "partial_fit", "fit_transform")


class WholeFits:
    """For estimators: each fit that a class defines is all or nothing."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        for name in _FITS:
            if isfunction(vars(cls).get(name)):
                setattr(cls, name, all_or_nothing(vars(cls)[name]))


def all_or_nothing(fit):
    """Make a method restore what its estimator and lists and dicts within hold, if it raises."""

    @wraps(fit)
    def whole(self, *args, **options):
        before = _contents(self)
        try:
            return fit(self, *args, **options)
        except BaseException:
            for holder, content in before:
                holder.clear()
                (holder.extend if isinstance(holder, list) else holder.update)(content)
            raise

    return whole


def _contents(estimator):
    """List the dicts and lists within an estimator, each with a copy of it."""
    found, waiting = {}, [vars(estimator)]
    while waiting:
        holder = waiting.pop()
        if hasattr(holder, "get_params") and not isinstance(holder, type):
            holder = vars(holder)
        if id(holder) in found or not isinstance(holder, dict | list | tuple):
            continue
        found[id(holder)] = holder, holder if isinstance(holder, tuple) else holder.copy()
        waiting += holder.values() if isinstance(holder, dict) else holder
    return [pair for pair in found.values() if not isinstance(pair[0], tuple)]


def unwrapped(model):
    """Return the model that a search has chosen, or that is asked about windows."""
    inner = getattr(model, "best_estimator_", getattr(model, "ranker_", model))
    return model if inner is model else unwrapped(inner)
