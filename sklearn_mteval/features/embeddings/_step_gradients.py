"""Outputs and gradients of a step's batches, in one process or several, with the same bits.

Batches are dealt to lanes, and lanes to processes. Gradients are added up within each lane, then
over lanes, in their order: however many processes there are.
"""

import ctypes
import sys
from contextlib import contextmanager
from functools import partial

import torch
from joblib import effective_n_jobs

from sklearn_mteval._helpers.extras import torch_threads
from sklearn_mteval._helpers.workers import processes, receive, send
from sklearn_mteval.features.embeddings._text_reader import padded

_N_LANES = 4
_BATCHES_A_TRIM = 8


class Lanes:
    """A network that runs lanes of batches, and then each batch again for its gradients.

    Only one batch at a time has in memory what its gradients need.
    """

    def __init__(self, network, reader):
        self.network, self.reader, self.give_back = network, reader, giving_back()
        self.trained = [part for part in network.parameters() if part.requires_grad]
        self.lanes = {}

    def outputs(self, lanes):
        """Return the outputs of batches, lane → list of them, without gradients."""
        self.lanes = lanes
        with torch.no_grad():
            return {lane: [self._run(batch) for batch in some] for lane, some in lanes.items()}

    def gradients(self, slopes):
        """Return of each lane the gradients of what is trained, given those of its outputs."""
        found = {}
        for lane, batches in self.lanes.items():
            for part in self.trained:
                part.grad = None
            for k, (batch, slope) in enumerate(zip(batches, slopes[lane], strict=True)):
                self._run(batch).backward(slope)
                if k % _BATCHES_A_TRIM == 0:
                    self.give_back()
            found[lane] = [part.grad for part in self.trained]
        return found

    def _run(self, batch):
        return self.network(*self.reader.batch(batch, padded(batch[0][0])))


class Crew:
    """Own lanes, and other processes with theirs."""

    def __init__(self, own, others=()):
        self.own, self.others = own, others

    def outputs(self, batches):
        """Return the outputs of batches, a list."""
        weights = [part.detach() for part in self.own.trained] if self.others else []
        found = self._each("outputs", batches, weights)
        return [found[k % _N_LANES][k // _N_LANES] for k in range(len(batches))]

    def add_gradients(self, slopes):
        """Set the gradients of what is trained, given those of the outputs of all batches."""
        found = self._each("gradients", slopes)
        for part, *of_lanes in zip(self.own.trained, *map(found.get, sorted(found)), strict=True):
            part.grad = sum(of_lanes[1:], start=of_lanes[0])

    def _each(self, work, things, weights=()):
        """Let each process do its share of a work: things are of batches."""
        lanes = {k: things[k::_N_LANES] for k in range(min(_N_LANES, len(things)))}
        n = 1 + len(self.others)
        own, *shares = ({k: lanes[k] for k in lanes if k % n == process} for process in range(n))
        for process, share in zip(self.others, shares, strict=True):
            send(process, (work, share, weights))
        found = getattr(self.own, work)(own)
        for process in self.others:
            found |= receive(process)
        return found


@contextmanager
def crew(own, open_network, options, n_jobs):
    """Yield a crew of so many processes, each with what ``open_network()`` returns."""
    n = min(effective_n_jobs(n_jobs), _N_LANES)
    with processes(n) as start:
        yield Crew(own, [start(partial(_helper, open_network, options)) for _ in range(n - 1)])


def _helper(open_network, options):
    """Return what another process does of each step."""
    lanes = Lanes(*open_network(options))

    @torch.no_grad()
    def update(weights):
        for part, weight in zip(lanes.trained, weights, strict=True):
            part.copy_(weight)

    def work(job):
        name, share, weights = job
        if weights:
            update(weights)
        with torch_threads(options.n_threads):
            return getattr(lanes, name)(share)

    return work


def giving_back():
    """Return a function that gives free memory back to the system, where glibc keeps it."""
    # Tensors of each step have other sizes, and free memory between what stays would only grow.
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None
    trim = getattr(libc, "malloc_trim", None)
    return lambda: trim and trim(0)
