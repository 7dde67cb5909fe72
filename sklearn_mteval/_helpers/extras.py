"""Libraries that come with an extra of the package, such as ``[neural]``."""

from contextlib import contextmanager
from importlib import import_module


class MissingExtraError(ImportError):
    """A library of an extra is not installed."""


def import_extra(name, extra, what, hint="", *, look_up=import_module):
    """Import, or ``look_up``, a library that ``what`` needs, or say how to install it."""
    try:
        return look_up(name)
    except ImportError as error:
        raise MissingExtraError(
            f'{what} needs {name} ({error}): pip install "sklearn-mteval[{extra}]".{hint}'
        ) from None


@contextmanager
def torch_threads(n):
    """Let torch use so many threads for a while; None: as it is set."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(n or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def check_device(device):
    """Raise a ValueError if torch cannot compute on a device."""
    torch = import_extra("torch", "neural", "This")
    try:
        torch.empty(0, device=device)
    except Exception as error:  # each library of a device has its own
        reason = str(error).partition(". ")[0]
        raise ValueError(
            f"device: torch has no {device!r} on this machine ({reason}). Give one that it has, "
            "such as cpu, or install torch for yours."
        ) from None
