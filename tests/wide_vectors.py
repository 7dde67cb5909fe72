"""``python tests/wide_vectors.py`` prints what numpy can do with AVX-512 on this processor.

As ``NPY_DISABLE_CPU_FEATURES`` takes it: numpy warns of what it does not know, or the processor
does not have, and a warning is an error. Nothing is printed where there is nothing.
"""

import numpy as np


def wide_vectors():
    """Return the names of the features in use of AVX-512, which x86-64 calls its fourth level."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return [name for name in found if name.startswith("AVX512") or name == "X86_V4"]


if __name__ == "__main__":
    print(" ".join(wide_vectors()))
