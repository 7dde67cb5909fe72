"""Where tasks run: in this process, in others of this machine, or on a Dask cluster.

Each engine is given independent calls and generates their results in any order, with what told
them apart. An error of one call ends it; nothing that is finished is lost.
"""

from functools import partial
from itertools import islice

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.workers import in_order

MOST_FUTURES = 1000  # that the scheduler sees at a time


def on_this_machine(function, calls, n_jobs):
    """Generate the result of each call: (what tells it apart, arguments), in so many processes."""
    return in_order(partial(_of_calls, function), calls, n_jobs)


def _of_calls(function):
    """Make the function of a call, which returns what tells the call apart, too."""
    return lambda call: (call[0], function(*call[1]))


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
