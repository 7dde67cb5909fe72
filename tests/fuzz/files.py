"""Hostile files: bytes mutated as they are and as tables, and what is no file at all."""

import gzip
import os

HUGE = [
    "1e999",
    "9" * 400,
    "-1",
    "0",
    "nan",
    "inf",
    "0x10",
    "1_0",
    "１２",
    "٣",
    " 1",
    "1 ",
    "1.",
    ".5",
    "+2",
    "",
]
PIECES = [
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\n\n", b"\t", b",", b'"', b'""',
    b" ", b"\xc2\x85",
    b"\xe2\x80\xa8", b"\x1a", b"()", b"(", b"</v>", b"-1", b"None", b"\\", b"'",
    b"\xf0\x9f\x99\x82", b"_ref", b"x" * 3000,
    b"\x1f\x8b", b"PK\x03\x04", b";", b"1e5", b"\\end\\", b"ngram 1=",
]  # fmt: skip


def mutated(draw, content, most=3):
    """Mutate bytes up to so many times, sometimes not at all."""
    for _ in range(draw.integer(0, most)):
        content = _once(draw, content)
    return content


def _once(draw, content):
    """Mutate bytes once."""
    lines = content.split(b"\n")
    at, to = sorted((draw.integer(0, len(content)), draw.integer(0, len(content))))
    line = draw.integer(0, len(lines) - 1)
    return draw.one([
        lambda: content[:at], lambda: content[:at] + content[to:],
        lambda: content[:to] + content[at:],
        lambda: content[:at] + draw.one(PIECES) + content[at:],
        lambda: content[:at] + bytes([draw.integer(0, 255)]) + content[at + 1 :],
        lambda: b"\n".join([*lines[:line], *lines[line + 1 :]]),
        lambda: b"\n".join([*lines[:line], lines[line], *lines[line:]]),
        lambda: b"\n".join(lines[k] for k in draw.rng.permutation(len(lines))),
        lambda: content.replace(b"\n", b"\r\n"), lambda: content.replace(b",", b"\t"),
        lambda: content.replace(b"\t", b","),
        lambda: content.replace(b" ", b"\t"), lambda: content.replace(b"1",
        draw.one(HUGE).encode(), 1),
        lambda: content.decode("utf-8", "replace").encode(draw.one(["utf-16", "utf-16-le",
        "utf-32", "utf-8-sig", "utf-7"])),
        lambda: gzip.compress(content), lambda: b"", lambda: content.upper(),
        lambda: content + content, lambda: content * 30,
    ])()  # fmt: skip


def content_of(path):
    """Read the text of a file that was read, plain or compressed, by Python's own means."""
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    return content.decode("utf-8-sig")


def mutated_table(draw, header, rows, delimiter):
    """Write a table, its columns and cells mutated; return its bytes."""
    header, rows = list(header), [list(map(str, row)) for row in rows]
    for _ in range(draw.integer(0, 2) if draw.chance(0.6) else 0):
        column, row = draw.integer(0, len(header) - 1), draw.integer(0, max(len(rows) - 1, 0))
        match draw.integer(0, 6):
            case 0:
                header[column] = draw.one(
                    [header[0], header[-1], header[column].upper(), header[column] + " ", "", "x"]
                )
            case 1 if len(header) > 1:
                for line in [header, *rows]:
                    del line[column : column + 1]
            case 2:
                for line in [header, *rows]:
                    line.insert(column, line[min(column, len(line) - 1)] if line else "")
            case 3 | 4 if rows and len(rows[row]) > column:
                rows[row][column] = draw.one(
                    [*HUGE, "x", '"', '"a,b"', "é", "-1", "_ref", "A", "B", "2", "no-error", "None"]
                )
            case 5 if rows:
                rows.insert(row, list(rows[row]))
            case _ if rows:
                rows[row] = rows[row][:-1]
    return "\n".join(map(delimiter.join, [header, *rows])).encode() + b"\n" * draw.chance(0.8)


def put(draw, path, content):
    """Write a file, or seldom something else in its place; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if draw.chance(0.985):
        path.write_bytes(content)
        return path
    match draw.integer(0, 4):
        case 0:
            path.mkdir()
        case 1:
            path.symlink_to(path.name)
        case 2:
            path.symlink_to(draw.one(["nothing", ".", "/dev/null", "/dev/zero", "/proc/self/mem"]))
        case 3:
            path.write_bytes(content)
            os.truncate(path, 1 << 40)  # of holes
        case _:
            return path  # not there
    return path
