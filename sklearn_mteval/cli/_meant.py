"""The command line that somebody means who types options of sacreBLEU or COMET, or a slip."""

import os
import re
import shlex
from difflib import get_close_matches

# How other programs call an option of ours, of which a command may have none.
_CALLED = {
    "--translations": "-i --input --hypothesis --hypotheses --hyp --hyps --mt --system",
    "--source": "--src --sources",
    "--reference": "--refs --references",
    "--lang-pair": "-l -lp --lp --language-pair --langpair",
    "--metrics": "-m --metrics --metric",
    "--jobs": "-j --paired-jobs --num_workers",
    "--no-progress": "-q --quiet",
    "--output": "--to_json",
    "--from": "--model",
    "FLAG": "-lc --lowercase --force --score-only -sh --short -sl --sentence-level --detail -nc "
    "--no-color --only_system --disable_cache --disable_length_batching --print_cache_info -pbs "
    "--paired-bs -par --paired-ar -ci",
    "VALUE": "-b -d -tok --tokenize -w --width --gpus --batch_size --batch-size -e --encoding -nr "
    "--num-refs -sm --smooth-method -sv --smooth-value --chrf-char-order --chrf-word-order "
    "--chrf-beta --model_storage_path --n_splits --sample_ratio --t_test_alternative -cin "
    "--sacrebleu_dataset",
}
_OURS = {flag: ours for ours, flags in _CALLED.items() for flag in flags.split()}
_ROOM = {"FLAG": 0, "--no-progress": 0} | dict.fromkeys(
    ["--translations", "--reference", "--metrics"], float("inf")
)
# Programs: the command that does such work, and which options mean something else than ours.
PROGRAMS = {
    "sacrebleu": ("score", dict.fromkeys(["-s", "-t", "-f", "--format"], "VALUE")),
    "comet-score": ("score", {}),
    "comet-compare": ("score", {}),
    "comet-mbr": ("rerank", {}),
}  # fmt: skip
# Formats of input and output are mixed up.
_OTHER_FORMAT = {"--format": "-f", "-f": "--format", "--output-format": "--format"}
_OF_SACREBLEU = {"bleu", "chrf", "ter"}


def foreign(words, parser):
    """Return the first option that other programs have, and this command has not; None: no such."""
    there = words[: words.index("--")] if "--" in words else words
    flags = (word.partition("=")[0] for word in there)
    return next((f for f in flags if f in _OURS and f not in parser._option_string_actions), None)


def meant(parser, words, others=None, *, changed=True):
    """Return the command line to type, with what is to be said of it; an empty text: nobody knows.

    It is one that the parser understands; ``others`` are options that mean something else than
    here; ``changed``: the command line is another one than ``words``.
    """
    parts, asked = _named_here(_parted(words, parser, others or {}), parser, others or {})
    parts = _sorted_files(parts, parser) if parser.takes_model_and_files else parts
    for line in _lines(parts):
        if parser.understands(line) and not (changed and line == words):
            line = ["sklearn-mteval", *parser.prog.split()[1:], *line]
            return shlex.join(line) + _note(dict(parts), asked, parser)
    return ""


def _parted(words, parser, others):
    """Part words into options, each with its values; the first part is what stands by itself."""
    parts, words, own = [["", []]], iter(words), parser._option_string_actions
    for word in words:
        flag, sign, value = word.partition("=")
        if word == "--":
            parts[0][1].extend(words)
        elif re.match(r"-\w\w", flag) and flag[:2] in own and flag not in _OURS:
            parts.append([flag[:2], [word[2:]]])
        elif re.match(r"-[^\d.]", flag):
            parts.append([_whole(flag, own), [value] if sign else []])
        else:
            room = _room(parts[-1][0], own, others)
            parts[-1 if len(parts[-1][1]) < room else 0][1].append(word)
    return parts


def _whole(flag, own):
    """Return the option that is meant by its beginning, or by one that is not there."""
    if flag in own or flag in _OURS:
        return flag
    begun = [name for name in own if flag.startswith("--") and name.startswith(flag)]
    return [*begun, *get_close_matches(flag, own, 1, 0.7), flag][0]


def _room(flag, own, others):
    """Tell how many values an option takes."""
    if flag in own and flag not in others:
        nargs = own[flag].nargs
        return {None: 1, "?": 1}.get(nargs, nargs if isinstance(nargs, int) else float("inf"))
    return _ROOM.get(others.get(flag, _OURS.get(flag)), 1) if flag else float("inf")


def _named_here(parts, parser, others):
    """Name options as the command does, without those that it has no counterpart of.

    Returned are also metrics and models that are asked for, and not computed here.
    """
    own, (_, alone), asked = parser._option_string_actions, parts[0], []
    found = [["", alone]]
    for flag, values in parts[1:]:
        ours = others.get(flag) or (flag if flag in own else _OURS.get(flag, flag))
        known = getattr(own.get(ours), "choices", None) or values
        other = [value for value in values if value not in known and not os.path.exists(value)]
        if ours == "--translations" != flag and parser.reads_file and not alone:
            alone.extend(values)
        elif other and ours == "--metrics" and "--scores" in own:
            if rest := [value for value in values if value not in other]:
                found.append([ours, rest])
            found.append(["--scores", [f"{name}={_scores_of(name)}" for name in other]])
            asked += other
        elif ours in _OTHER_FORMAT and (other or ours not in own):
            found.append([_OTHER_FORMAT[ours], values])
        elif ours in own:
            found.append([own[ours].option_strings[0], values])
        elif "--format" in own and ours[2:] in own["--format"].choices:
            alone.extend(values)
            found.append(["--format", [ours[2:]]])
        elif ours == "--metrics" and parser.takes_model_and_files:
            asked += [value for value in values if not is_model(value)]
            alone.extend(filter(is_model, values))
        elif ours not in _CALLED or flag in ("--metrics", "--model"):  # of another command
            found.append([flag, values])
        elif flag in ("-b", "-d") and not re.fullmatch(r"\d+|\S+:\w+-\w+", "".join(values)):
            alone.extend(values)  # of sacreBLEU these have no value
    return found, asked


def _scores_of(name):
    """Return the file here that has a metric's name, or what it might be called."""
    return next(
        (file for file in sorted(os.listdir()) if file.startswith(f"{name}.")), f"{name}.txt"
    )


def _sorted_files(parts, parser):
    """Give files that stand where a model would to the options that miss them."""
    (_, alone), *rest = parts
    files = [word for word in alone if is_file(word)]
    rest = [[flag, values] for flag, values in rest if not any(map(_is_comet, values))]
    given = {flag for flag, _ in rest}
    if files and "-r" not in given:
        n = len(files) if "-t" in given else 1
        rest, files = [*rest, ["-r", files[:n]]], files[n:]
    if files and "-t" not in given:
        rest = [*rest, ["-t", files]]
    return [["", [word for word in alone if not (is_file(word) or _is_comet(word))]], *rest]


def _note(options, asked, parser):
    """Say where the metrics that are asked for come from."""
    names = ", ".join(asked)
    if not asked:
        return ""
    if not parser.takes_model_and_files:
        return f"; the scores of {names} are read from files, as other tools write them"
    if {*asked} <= _OF_SACREBLEU and {"-r", "-t"} <= {*options}:
        line = ["sacrebleu", *options["-r"], "-i", *options["-t"], "-m", *asked]
        return f"; {names} by sacreBLEU: {shlex.join(line)}"
    return f"; {names} is not computed here"


def _lines(parts):
    """Yield the words of parts, then with one value of an option that stands by itself instead."""
    yield _words(parts)
    for k, (flag, values) in enumerate(parts[1:], 1):
        for value in values if len(values) > 1 else ():
            if os.path.exists(value) or is_model(value):
                rest = [each for each in values if each != value]
                alone = ["", [*parts[0][1], value]]
                yield _words([alone, *parts[1:k], [flag, rest], *parts[k + 1 :]])


def _words(parts):
    """Return parts as words."""
    return [word for flag, values in parts for word in ([flag] if flag else []) + values]


def _is_comet(word):
    """Tell whether a word is the name of one of COMET's models."""
    return "comet" in word.lower() and not os.path.exists(word)


def is_file(word):
    """Tell whether a word is a file, or is meant as one."""
    return os.path.isfile(word) or (not os.path.exists(word) and bool(os.path.splitext(word)[1]))


def is_model(word):
    """Tell whether a word is a ready-made model's name, or a folder."""
    from sklearn_mteval.models.cards import READY_MADE

    return word in READY_MADE or os.path.isdir(word)
