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
