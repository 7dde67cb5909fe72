"""Training in torch, through skorch. Imported on first use: torch is slow to load.

Modules, devices, the optimiser's groups of parameters, history and the loop over epochs are
skorch's; batches are sliced, and a step does no more than it must.
"""

import numpy as np
import torch
from skorch import NeuralNet

from sklearn_mteval.neural.pairwise.adagrad_state import TensorState
from sklearn_mteval.neural.pairwise.losses import pair_costs


class SlicingNet(NeuralNet):
    """A net of skorch with batches that are sliced, and steps without callbacks.

    ``cost`` takes what the module returns, and signs: a mean cost, and the same penalised.
    """

    def __init__(self, module, *, cost, **options):
        super().__init__(module, criterion=torch.nn.Identity, **options)
        self.cost = cost

    def get_iterator(self, dataset, training=False):
        """Slice, do not load."""
        return dataset.batches()

    def train_step(self, batch, **fit_params):
        """Take one step; return the batch's mean cost."""
        inputs, signs = batch
        for group in self.optimizer_.param_groups:
            for parameter in group["params"]:  # zero_grad() does the same, and much besides
                parameter.grad = None
        cost, penalised = self.cost(self.module_(*inputs), signs)
        penalised.backward()
        self.optimizer_.step()
        return cost.detach()

    def run_single_epoch(self, iterator, training, prefix, step_fn, **fit_params):
        """Run all batches; note the mean cost of a pair."""
        if iterator is None:
            return
        self._set_training(training)
        costs, sizes = [], []
        for batch in iterator:
            costs.append(step_fn(batch))
            sizes.append(len(batch[1]))
        cost = np.average(torch.stack(costs).cpu().numpy(), weights=sizes)
        self.history.record(f"{prefix}_loss", float(cost))


class TorchSolver(TensorState):
    """Train a pair network, with or without an encoder, on Pairs.

    ``costs`` are keywords of ``pair_costs``, ``penalties`` the arguments of the encoder's.
    """

    def __init__(self, module, pairs, *, costs, penalties, device, lr, l2):
        self._pairs, self._costs, self._penalties = pairs, costs, penalties
        dense = {"fused" if torch.device(device).type == "cpu" else "foreach": True}
        # L2 on weights but not on biases; changes of word vectors have sparse gradients.
        groups = [
            ("*bias*", {"weight_decay": 0.0, **dense}),
            ("*change", {"weight_decay": 0.0, "foreach": False, "fused": False}),
            ("*", {"weight_decay": l2, **dense}),
        ]
        self.net = SlicingNet(
            module,
            cost=self._cost,
            optimizer=torch.optim.Adagrad,
            optimizer__param_groups=groups,
            lr=lr,
            device=device,
            train_split=None,
            callbacks="disable",
            verbose=0,
        ).initialize()

    def epoch(self, order):
        """Train on all rows once, in an order; return the mean cost."""
        self._pairs.order = order
        unchecked = torch.sparse.check_sparse_tensor_invariants(enable=False)  # else it warns
        with torch.enable_grad(), unchecked:
            self.net.fit_loop(self._pairs, epochs=1)
        return self.net.history[-1]["train_loss"]

    def weights(self):
        """Return the present weights, without an encoder's."""
        parameters = self.net.module_.named_parameters(recurse=False)
        return {name: values.detach().cpu().numpy() for name, values in parameters}

    def _tensors(self):
        """Yield names, parameters and their sums of squares."""
        for name, parameter in self.net.module_.named_parameters():
            yield name, parameter, self.net.optimizer_.state[parameter]["sum"]

    def _cost(self, outputs, signs):
        """Average the pairs' costs; add the penalty of word vectors."""
        cost = pair_costs(*outputs, signs, objective=self._objective, **self._costs).mean()
        encoder = getattr(self.net.module_, "encoder", None)
        return cost, cost if encoder is None else cost + encoder.penalty(*self._penalties)


def check_device(device):
    """Raise unless torch can compute on a device."""
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"The device {device!r} cannot be used: {reason}") from None
