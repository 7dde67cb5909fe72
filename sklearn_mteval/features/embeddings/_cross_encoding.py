"""What estimators that train a cross-encoder share: its parameters, training it, asking it."""

import os

import numpy as np

from sklearn_mteval._helpers.devices import DTYPES
from sklearn_mteval._helpers.extras import torch_threads
from sklearn_mteval._helpers.options import (
    check_integer,
    check_n_jobs,
    check_number,
    check_one_of,
)
from sklearn_mteval._helpers.restored import is_array, is_count
from sklearn_mteval.features.embeddings._cross_encoder_examples import contexts_of
from sklearn_mteval.features.embeddings._encoder_models import TunedWeights
from sklearn_mteval.features.embeddings._encoding import OpensEncoder

_LARGEST = 1e6  # of a weight that is loaded


class CrossEncoding(OpensEncoder):
    """For estimators with a cross-encoder's parameters, which keep ``weights_`` and ``losses_``."""

    _n_translations = 1  # that are read together

    def _check_training(self):
        """Check the parameters that training has."""
        for name in ("adapter_rank", "max_epochs", "batch_size"):
            check_integer(name, getattr(self, name), minimum=1)
        check_integer("n_frozen_layers", self.n_frozen_layers, minimum=0)
        check_number("learning_rate", self.learning_rate, above=0)
        check_one_of("dtype", self.dtype, DTYPES)
        check_n_jobs(self.n_jobs)
        if self.checkpoint is not None and not isinstance(self.checkpoint, str | os.PathLike):
            raise ValueError(f"checkpoint must be None or a folder, found {self.checkpoint!r}.")
        if callable(self.encoder):
            raise ValueError("encoder must be a folder or a name: a callable cannot be trained.")

    def _learn_weights(self, examples, scales, seed, start):
        """Train on examples, and keep what is learnt."""
        from sklearn_mteval.features.embeddings._cross_encoder_training import train_cross_encoder

        model = self._open_model()
        with torch_threads(self.n_threads):
            self.weights_, self.losses_ = train_cross_encoder(
                model.loaded(), examples, scales, self, seed, start,
                dtype=_of_training(model.dtype), n_jobs=self.n_jobs,
            )  # fmt: skip

    def _trained(self):
        """Return the network that was trained, and what turns texts into its input."""
        from sklearn_mteval.features.embeddings._cross_encoder_network import trained_network

        model = self._fitted_model()
        return trained_network(
            model.folder, model.fingerprint, model.device, self.n_frozen_layers,
            TunedWeights(self.weights_), n_texts=len(self.columns) - 1 + self._n_translations,
            n_translations=self._n_translations, dtype=model.dtype,
        )  # fmt: skip

    def _answers(self, readings):
        """Return what the network says of distinct readings, float64, (n_readings, n_outputs)."""
        with torch_threads(self.n_threads), self._step(len(readings)) as step:
            network, reader = self._trained()
            return network.judge(reader, readings, self.batch_size, step.advance)

    def _has_network(self, n_outputs):
        """Tell whether what was loaded has a network of so many outputs, and adapters."""
        return (
            isinstance(self.fingerprint_, str | None)
            and is_count(self.batch_size, 1)
            and _are_weights(self.weights_, n_outputs)
            and is_array(self.losses_, self.losses_.shape)
            and is_count(self.n_frozen_layers, 0)
            and self.dtype in DTYPES
            and bool(contexts_of(self.columns))
        )


def _of_training(dtype):
    """Return the number type of training: gradients vanish in float16."""
    return "float32" if dtype == "float16" else dtype


def _are_weights(weights, n_outputs):
    """Tell whether these are the weights of a network of so many outputs, and of adapters."""
    from sklearn_mteval.features.embeddings._cross_encoder_network import HEAD

    if type(weights) is not dict or not all(isinstance(name, str) for name in weights):
        return False
    adapters = [array for name, array in weights.items() if name not in HEAD]
    return (
        all(
            is_array(array, array.shape, np.float32, low=-_LARGEST, high=_LARGEST)
            for array in map(weights.get, HEAD)
        )
        and all(is_array(array, array.shape, np.float16) for array in adapters)
        and weights["output.bias"].shape == (n_outputs,)
    )
