"""Compiled kernels on disk are thrown away when any kernel has changed.

numba knows that a kernel is stale by the content of its own file only, not by that of a kernel
which it calls from another file and which was compiled into it.
"""

from hashlib import sha256


def drop_stale_kernels(package):
    """Delete numba's files in a package folder unless its kernels are as they were last time."""
    sources = [path.read_bytes() for path in sorted(package.rglob("*.py"))]
    kernels = sha256(b"".join(source for source in sources if b"_helpers.compiled" in source))
    stamp = package / "__pycache__" / "kernels.sha256"
    if stamp.exists() and stamp.read_text() == kernels.hexdigest():
        return
    for pattern in ("*.nbi", "*.nbc"):
        for path in package.rglob(pattern):
            path.unlink()
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(kernels.hexdigest())
