"""Libraries that come with an extra of the package, such as ``[neural]``."""

from importlib import import_module

__all__ = ["MissingExtraError", "import_extra"]


class MissingExtraError(ImportError):
    """A library of an extra is not installed."""


def import_extra(name, extra, what, hint="", *, look_up=import_module):
    """Import a library that ``what``, the message's subject, needs, or say how to install it.

    ``look_up`` may ask for its version instead.
    """
    try:
        return look_up(name)
    except ImportError as error:
        raise MissingExtraError(
            f'{what} needs {name} ({error}): pip install "sklearn-mteval[{extra}]".{hint}'
        ) from None
