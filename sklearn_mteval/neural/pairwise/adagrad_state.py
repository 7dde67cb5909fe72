"""Weights with Adagrad's sums of squares, which solvers copy and go back to."""

from contextlib import nullcontext

from sklearn_mteval._helpers.extras import torch_threads


class ArrayState:
    """Of a solver on arrays: ``_weights`` and ``_squares``, two dicts with the same names."""

    name = "numba"

    def weights(self):
        """Return the present weights, not copied."""
        return self._weights

    def threads(self, n):
        """Do nothing: there is one thread."""
        return nullcontext()

    def state(self):
        """Return a copy of weights and, as ``squares.NAME``, of Adagrad's sums of squares."""
        squares = {f"squares.{name}": values for name, values in self._squares.items()}
        return {name: values.copy() for name, values in {**self._weights, **squares}.items()}

    def restore(self, state):
        """Go back to a state; without squares, the optimiser starts afresh."""
        for name, values in self._weights.items():
            values[:] = state[name]
            self._squares[name][:] = state.get(f"squares.{name}", 0)


class TensorState:
    """Of a solver through torch: ``_tensors()`` yields names, weights and sums of squares."""

    name = "torch"
    threads = staticmethod(torch_threads)

    def state(self):
        """Return a copy of weights and, as ``squares.NAME``, of Adagrad's sums of squares."""
        state = {}
        for name, values, squares in self._tensors():
            state[name] = values.detach().cpu().numpy().copy()
            state[f"squares.{name}"] = squares.cpu().numpy().copy()
        return state

    def restore(self, state):
        """Go back to a state; without squares, the optimiser starts afresh."""
        import torch

        with torch.no_grad():
            for name, values, squares in self._tensors():
                values.copy_(torch.from_numpy(state[name]))
                saved = state.get(f"squares.{name}")
                squares.zero_() if saved is None else squares.copy_(torch.from_numpy(saved))
