"""Benchmarks: speed as a ratio to a peer in the same run, quality as tau on real data.

Run them with asv (``asv run --config benchmarks/asv.conf.json``) or at once, in the
environment at hand, with ``make bench``. One thread, distinct texts.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
