"""Plain Markdown."""


def setup(app):
    """Connect it."""
    return {"parallel_read_safe": True, "parallel_write_safe": True}
