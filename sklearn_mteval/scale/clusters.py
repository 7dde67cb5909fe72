"""Where a command finds its workers: at a scheduler's address, or started on this machine."""

import contextlib

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.options import check_integer

WAIT = 10  # seconds for a scheduler to answer
# Dask lets workers give each freed block of more than 64 KiB back to the system at once. To fetch
# it again takes a tenth of a model's time: blocks up to these sizes are kept.
_ENVIRONMENT = {
    "MALLOC_TRIM_THRESHOLD_": 256 << 20,
    "MALLOC_MMAP_THRESHOLD_": 32 << 20,
    "OMP_NUM_THREADS": 1,
}


@contextlib.contextmanager
def open_client(scheduler=None, n_workers=None):
    """Open a Dask client of a scheduler, or of so many new workers, processes of one thread each.

    None without either. ValueError if nothing answers at the address. Workers that were started
    here end with the context; a worker that is killed is started again.
    """
    if scheduler is not None and n_workers is not None:
        raise ValueError("workers are those of the scheduler: name it, or their number, not both.")
    if scheduler is None and n_workers is None:
        yield None
        return
    distributed = import_extra("distributed", "distributed", "A cluster")
    with contextlib.ExitStack() as opened:
        if scheduler is None:
            check_integer("n_workers", n_workers, minimum=1)
            dask = import_extra("dask", "distributed", "A cluster")
            options = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": ":0"}
            with dask.config.set({"distributed.nanny.pre-spawn-environ": _ENVIRONMENT}):
                scheduler = opened.enter_context(distributed.LocalCluster(**options))
        elif not scheduler:  # of which Dask would make workers of its own
            raise ValueError("the address of the scheduler is empty.")
        try:
            client = opened.enter_context(distributed.Client(scheduler, timeout=WAIT))
        except (OSError, ValueError) as error:
            raise ValueError(
                f"no Dask scheduler answers at {scheduler!r} ({error}): expected an address as "
                "'tcp://HOST:8786', which 'dask scheduler' prints when it starts."
            ) from None
        yield client
