"""Writing an encoder as a folder that transformers and sentence-transformers read."""

import json
import os

import numpy as np

_SPACE = "\u2581"  # SentencePiece's mark of a word's beginning


def write_model_folder(folder, packed, origin):
    """Write an encoder into a new folder; ``origin`` are its further files, {name: text}."""
    from safetensors.numpy import save_file

    folder.mkdir()
    sizes, special = packed.sizes, packed.special
    width = sizes["hidden"]
    unused = {  # expected by loaders; what it computes is not asked for
        "pooler.dense.weight": np.zeros((width, width), np.float32),
        "pooler.dense.bias": np.zeros(width, np.float32),
    }
    save_file(packed.tensors | unused, folder / "model.safetensors", {"format": "pt"})
    _tokenizer(packed).save(str(folder / "tokenizer.json"))
    words = {f"{kind}_token": packed.pieces[at][0] for kind, at in special.items()}
    longest = sizes["positions"]
    files = {
        "config.json": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_size": width,
            "num_hidden_layers": sizes["layers"],
            "num_attention_heads": sizes["heads"],
            "intermediate_size": sizes["intermediate"],
            "vocab_size": sizes["vocabulary"],
            "max_position_embeddings": longest,
            "type_vocab_size": sizes["types"],
            "layer_norm_eps": float(f"{packed.epsilon:.6g}"),  # it was rounded to single precision
            "hidden_act": "gelu",
            "pad_token_id": special["pad"],
            "dtype": "float32",
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": longest,
            "cls_token": words["bos_token"],
            "sep_token": words["eos_token"],
            **words,
        },
        "sentence_bert_config.json": {"max_seq_length": longest, "do_lower_case": False},
        "modules.json": [
            {
                "idx": at,
                "name": str(at),
                "path": path,
                "type": f"sentence_transformers.models.{kind}",
            }
            for at, (path, kind) in enumerate(
                [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
            )
        ],
        "1_Pooling/config.json": {
            "word_embedding_dimension": width,
            "pooling_mode_mean_tokens": True,
        },
    }
    (folder / "1_Pooling").mkdir()
    (folder / "2_Normalize").mkdir()
    texts = {name: json.dumps(content, indent=1) + "\n" for name, content in files.items()}
    for name, text in (texts | origin).items():
        (folder / name).write_text(text, encoding="utf-8")
    mode = (folder / "config.json").stat().st_mode
    os.chmod(folder / "model.safetensors", mode & 0o777)  # it is written for its owner alone


def _tokenizer(packed):
    """Make the tokeniser of XLM-R: pieces of the highest likelihood, of normalised characters."""
    from tokenizers import (
        AddedToken,
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
    )

    at = packed.special
    begin, end = packed.pieces[at["bos"]][0], packed.pieces[at["eos"]][0]
    tokenizer = Tokenizer(models.Unigram(packed.pieces, at["unk"], byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(_SPACE, prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(_SPACE, prepend_scheme="always")
    tokenizer.add_special_tokens(
        [AddedToken(packed.pieces[k][0], special=True, normalized=False) for k in at.values()]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        pair=f"{begin} $A {end} {end} $B {end}",
        special_tokens=[(begin, at["bos"]), (end, at["eos"])],
    )
    return tokenizer
