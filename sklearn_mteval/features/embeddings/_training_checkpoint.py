"""What a training that is stopped needs to go on, to the bit, in a file."""

import io
from pathlib import Path
from time import monotonic

import joblib
import numpy as np
import torch

from sklearn_mteval._helpers.atomic import write_atomically

_SECONDS = 300  # between two writes: what a kill loses, and a step more
_MOMENTS = ("exp_avg", "exp_avg_sq")  # of AdamW
_WITHOUT_EFFECT = {
    "checkpoint",
    "cv",
    "encoder",
    "local_files_only",
    "n_jobs",
    "progress",
    "random_state",
}


class Checkpoint:
    """Losses so far, trained parameters and the optimiser's moments, read from a folder's file.

    The file is named by all that is learnt from: another training has another one.
    """

    def __init__(self, options, learnt_from, parameters, optimizer):
        self.parameters, self.optimizer = parameters, optimizer
        self.losses, self.file, self.written = [], None, monotonic()
        if options.checkpoint is None:
            return
        known = options.get_params(deep=False)
        known = [(name, known[name]) for name in sorted(set(known) - _WITHOUT_EFFECT)]
        folder = Path(options.checkpoint)
        folder.mkdir(parents=True, exist_ok=True)
        digest = joblib.hash((options.fingerprint_, known, learnt_from))
        self.file = folder / f"training-{digest[:16]}.npz"
        if self.file.exists():
            try:
                with np.load(io.BytesIO(self.file.read_bytes()), allow_pickle=False) as arrays:
                    self._take(dict(arrays))
            except Exception as error:
                problem = "is no checkpoint of this training, or is damaged: delete it"
                raise ValueError(f"{self.file} {problem} ({error}).") from error

    @torch.no_grad()
    def _take(self, arrays):
        """Put back what was kept."""
        for k, part in enumerate(self.parameters):
            part.copy_(torch.from_numpy(arrays[f"{k}"]))
            moments = {m: torch.from_numpy(arrays[f"{k} {m}"]).to(part) for m in _MOMENTS}
            step = torch.tensor(float(len(arrays["losses"])))
            self.optimizer.state[part] = {"step": step, **moments}
        self.losses = arrays["losses"].tolist()

    def keep(self, *, finished):
        """Write all down, if there is a folder and it is time to, or the training is finished."""
        if self.file is None or (not finished and monotonic() - self.written < _SECONDS):
            return
        arrays = {"losses": np.array(self.losses)}
        for k, part in enumerate(self.parameters):
            arrays[f"{k}"] = part.detach().cpu().numpy()
            state = self.optimizer.state[part]
            arrays |= {f"{k} {m}": state[m].cpu().numpy() for m in _MOMENTS}
        stream = io.BytesIO()
        np.savez(stream, **arrays)
        write_atomically(self.file, stream.getvalue())
        self.written = monotonic()
