"""What other projects call their pages, from a list: the site is built without a network."""

import zlib

__all__ = ["write_inventories"]

_HEADER = "# Sphinx inventory version 2\n# Project: {}\n# Version: \n# zlib compressed below\n"


def write_inventories(listed, folder):
    """Write an inventory of each project of a list; return the mapping that intersphinx takes.

    A project is a line ``[NAME] ADDRESS PAGE``; the names follow, one a line with its kind. The first
    ``$`` in PAGE stands for a name, of a method for that of its class, and the second for the name.
    """
    mapping, lines = {}, {}
    for line in listed.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            project, address, page = line.split()
            project = project.strip("[]")
            mapping[project] = (address, str(folder / f"{project}.inv"))
            lines[project] = []
        elif line and not line.startswith("#"):
            kind, name = line.split()
            owner = name.rpartition(".")[0] if kind == "method" else name
            place = page.replace("$", owner, 1).replace("$", name)
            lines[project].append(f"{name} py:{kind} 1 {place} -\n")
    folder.mkdir(parents=True, exist_ok=True)
    for project, named in lines.items():
        content = zlib.compress("".join(named).encode())
        (folder / f"{project}.inv").write_bytes(_HEADER.format(project).encode() + content)
    return mapping
