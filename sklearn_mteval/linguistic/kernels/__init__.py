"""Tree kernels and what learns with them; public as names of ``sklearn_mteval.kernels``."""
