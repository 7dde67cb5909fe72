"""Where tasks run: in this process, in others of this machine, or on a Dask cluster.

Each engine is given independent calls and generates their results in any order, with what told
them apart. An error of one call ends it; nothing that is finished is lost.
"""

import contextlib
from itertools import islice

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval._helpers.workers import in_order

MOST_FUTURES = 1000  # that the scheduler sees at a time
WAIT = 10  # seconds for a scheduler to answer
# Dask lets workers give each freed block of more than 64 KiB back to the system at once. To fetch
# it again takes a tenth of a model's time: blocks up to these sizes are kept.
_ENVIRONMENT = {
    "MALLOC_TRIM_THRESHOLD_": 256 << 20,
    "MALLOC_MMAP_THRESHOLD_": 32 << 20,
    "OMP_NUM_THREADS": 1,
}


def on_this_machine(function, calls, n_jobs):
    """Generate the result of each call: (what tells it apart, arguments), in so many processes."""
    return in_order(lambda: lambda call: (call[0], function(*call[1])), calls, n_jobs)


def on_cluster(function, calls, client, retries):
    """Generate the result of each call on a Dask cluster; a killed worker loses its task only."""
    distributed = import_extra("distributed", "distributed", "client=")
    calls, names = iter(calls), {}

    def submit(n):
        """Hand the next calls to the scheduler."""
        for name, arguments in islice(calls, n):
            future = client.submit(function, *arguments, pure=False, retries=retries)
            names[future] = name
            yield future

    try:
        running = distributed.as_completed(list(submit(MOST_FUTURES)))
        for future in running:
            name = names[future]
            try:
                result = future.result()
            except distributed.KilledWorker as error:
                raise RuntimeError(
                    f"{name}: {error.allowed_failures + 1} workers died while they worked on it, "
                    "out of memory perhaps: write fewer segments to a file, or give workers more. "
                    "What is finished stays; call again to go on."
                ) from None
            except distributed.CancelledError:
                raise RuntimeError(
                    f"{name}: the scheduler was lost. What is finished stays; call again to go on."
                ) from None
            del names[future]
            yield name, result
            running.update(submit(1))
    finally:
        client.cancel(list(names))


@contextlib.contextmanager
def open_client(scheduler=None, n_workers=None):
    """Open a client of a scheduler, or of new workers, which end with it; None without either."""
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
