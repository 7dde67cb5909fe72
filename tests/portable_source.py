"""Rules for sources that work on every operating system; each names a line and what is wrong."""

import ast
import re

from windows_like.what_windows_lacks import MODULES, NAMES

_WORDS = "open|run|Popen|check_output|read_text|write_text|multiprocessing|get_context|fork"
_NAMED = re.compile(  # in all sources that any rule can say something of
    rf"\b(?:{_WORDS}|set_start_method|{'|'.join({*MODULES}.union(*NAMES.values()))})|/(?:dev|proc|sys|tmp)"
    "|fdopen|TextIOWrapper|TemporaryFile|forkserver"
)
OPENERS = {"open", "fdopen", "TextIOWrapper", "NamedTemporaryFile", "TemporaryFile"}
PATHS = re.compile(r"/(?:dev|proc|sys|tmp)/")


def problems(source):
    """What of a module's source would not work everywhere, as (line, problem)."""
    if not _NAMED.search(source):
        return
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            child.parent = node
    docstrings = {
        id(node.body[0].value) for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body and isinstance(node.body[0], ast.Expr)
        and isinstance(node.body[0].value, ast.Constant)
    }  # fmt: skip
    for node in ast.walk(tree):
        for rule in () if id(node) in docstrings else _RULES.get(type(node), ()):
            if problem := rule(node):
                yield node.lineno, problem


def _above(node):
    while hasattr(node, "parent"):
        node, child = node.parent, node
        yield node, child


def _is_caught(node, errors):
    """Whether what a node raises is caught around it."""
    for above, child in _above(node):
        if isinstance(above, ast.Try) and child in above.body:
            caught = [handler.type for handler in above.handlers if handler.type is not None]
        elif isinstance(above, ast.With):
            calls = [item.context_expr for item in above.items]
            caught = [
                c for c in calls if isinstance(c, ast.Call) and "suppress" in ast.dump(c.func)
            ]
        else:
            continue
        if errors & {name.id for each in caught for name in ast.walk(each) if hasattr(name, "id")}:
            return True
    return False


def _is_asked_for(node, words):
    """Whether a node is in or below a condition, or behind one that leaves, that holds a word."""
    for above, child in _above(node):
        tests = [above.test] if isinstance(above, ast.If | ast.IfExp) else []
        body = getattr(above, "body", None)
        if isinstance(body, list) and child in body:
            before = [n for n in body[: body.index(child)] if isinstance(n, ast.If)]
            tests += [n.test for n in before if isinstance(n.body[-1], ast.Return | ast.Raise)]
        if any(word in ast.unparse(test) for test in tests for word in words):
            return True
    return False


def _text_mode(node):
    """A text that is read or written in the encoding, or with the line ends, of the machine."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    if name in ("run", "Popen", "check_output"):
        is_text = {"text", "universal_newlines"} & set(given)
        return (
            "text of a process without encoding=" if is_text and "encoding" not in given else None
        )
    if name == "read_text" and isinstance(node.func, ast.Attribute):
        return None if given or node.args else "read_text without encoding="
    if name == "write_text" and isinstance(node.func, ast.Attribute):
        return None if {"encoding", "newline"} <= set(given) else "write_text without newline="
    if name not in OPENERS or ast.unparse(node.func) == "os.open":
        return None
    modes = [a.value for a in [*node.args, *given.values()] if isinstance(a, ast.Constant)]
    modes = [m for m in modes if isinstance(m, str) and re.fullmatch(r"[rwxab+t]{1,3}", m)]
    if "encoding" in given:
        writes = any(set(mode) & set("wxa") for mode in modes)
        return "a text is written without newline=" if writes and "newline" not in given else None
    if any("b" in mode for mode in modes) or name in ("NamedTemporaryFile", "TemporaryFile"):
        return "a text file without encoding=" if modes and "b" not in modes[0] else None
    plain = isinstance(node.func, ast.Name) or name in ("fdopen", "TextIOWrapper")
    return "a text file without encoding=" if plain or modes else None


def _missing_module(node):
    """An import of a module that Windows lacks, where nothing catches its absence."""
    names = (
        [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
    )
    if not {*MODULES} & {name.partition(".")[0] for name in names}:
        return None
    caught = _is_caught(node, {"ImportError", "ModuleNotFoundError"})
    return None if caught else f"import of {', '.join(names)}, which Windows lacks"


def _missing_name(node):
    """A name that Windows lacks, where nothing has asked whether it is there."""
    if isinstance(node, ast.ImportFrom):
        missing = {*NAMES.get(node.module, ())} & {alias.name for alias in node.names}
        return f"from {node.module} import {min(missing)}" if missing else None
    if not isinstance(node.value, ast.Name):
        return None
    module, name = node.value.id, node.attr
    if name not in NAMES.get(module, ()) or name in ("fork", "forkpty"):
        return None
    asked = _is_asked_for(node, ["hasattr", "WINDOWS", "fcntl is None"])
    caught = _is_caught(node, {"AttributeError"}) or any(
        _is_caught(node, {"ImportError"}) and f"import {other}" in ast.unparse(above)
        for above, _ in _above(node) if isinstance(above, ast.With | ast.Try)
        for other in MODULES
    )  # fmt: skip
    return None if asked or caught else f"{module}.{name}, which Windows lacks"


def _place(node):
    """A place that only some systems have, where nothing has asked whether it is there."""
    if not isinstance(node.value, str):
        return None
    if not PATHS.match(f"{node.value}/"):
        return None
    there = _is_caught(node, {"OSError"}) or _is_asked_for(node, ["isdir", "exists", "WINDOWS"])
    return None if there else f"the place {node.value!r}"


def _fork(node):
    """A process that is forked, or may be."""
    name = getattr(node, "attr", getattr(node, "id", getattr(node, "value", None)))
    if name in ("fork", "forkpty", "forkserver", "get_context", "set_start_method"):
        return f"{name}: processes are started by subprocess, or by joblib"
    if isinstance(node, ast.Import) and any("multiprocessing" in a.name for a in node.names):
        return "multiprocessing"
    return None


_RULES = {
    ast.Call: [_text_mode],
    ast.Import: [_missing_module, _fork],
    ast.ImportFrom: [_missing_module, _missing_name],
    ast.Attribute: [_missing_name, _fork],
    ast.Name: [_fork],
    ast.Constant: [_place, _fork],
}
