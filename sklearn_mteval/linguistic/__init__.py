"""The linguistic wing: what needs trees or language models, and nothing of the core imports.

Its names are public where the readers of each paper look for them: ``trees``, ``kernels``,
``features``, ``neural``, ``text``, ``plots`` and ``datasets``, which load them on first use.
"""
