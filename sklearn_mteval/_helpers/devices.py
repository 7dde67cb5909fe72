"""Where encoders compute, and in what numbers: those of one model, or of all that are opened."""

import os
from contextlib import contextmanager

from sklearn_mteval._helpers.extras import check_device, import_extra

DTYPES = ("auto", "bfloat16", "float16", "float32")
# Also for the processes that a command starts.
_VARIABLES = {"device": "SKLEARN_MTEVAL_DEVICE", "dtype": "SKLEARN_MTEVAL_DTYPE"}


def found_device(device):
    """Return a device that torch has, of "auto" cuda, else mps, else cpu; else ValueError."""
    if device != "auto":
        check_device(device)
        return device
    torch = import_extra("torch", "neural", "An encoder")
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


@contextmanager
def computing(device=None, dtype=None):
    """Open models for a device and a number type for a while; None: as they were saved."""
    if device is not None:
        device = found_device(device)  # before the work
    before = {name: os.environ.get(name) for name in _VARIABLES.values()}
    try:
        _set(dict(zip(_VARIABLES.values(), (device, dtype), strict=True)))
        yield
    finally:
        _set(before, missing=True)


def asked_for():
    """Return device and number type of ``computing``, None for what was not asked for."""
    return {name: os.environ.get(variable) for name, variable in _VARIABLES.items()}


def _set(variables, missing=False):
    """Set variables of the environment; without a value they stay, or go if they are missing."""
    for name, value in variables.items():
        if value is not None:
            os.environ[name] = value
        elif missing:
            os.environ.pop(name, None)


def compute_on(model, device=None, dtype=None):
    """Set device and number type of all encoders in a model, None: as of ``computing``."""
    where = asked_for()
    device, dtype = device or where["device"], dtype or where["dtype"]
    if dtype:
        from sklearn_mteval._helpers.options import check_one_of  # numpy: not at a command's start

        check_one_of("dtype", dtype, DTYPES)
    for part in _with_encoder(model) if device or dtype else ():
        if device:
            part.device = device = found_device(device)
        if dtype and hasattr(part, "dtype"):
            part.dtype = dtype
    return model


def _with_encoder(model):
    """Yield the estimators with an encoder in whatever a model holds, fitted parts too."""
    waiting, seen = [model], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, list | tuple | dict):
            waiting += one.values() if isinstance(one, dict) else one
        elif hasattr(one, "get_params") and not isinstance(one, type):
            waiting += vars(one).values()
            if hasattr(one, "encoder") and hasattr(one, "device"):
                yield one
