"""A dictionary that computes what it does not have."""


class Memo(dict):
    """Values of a function, each computed when it is first looked up; for ``str.translate``."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def __missing__(self, key):
        value = self[key] = self._function(key)
        return value
