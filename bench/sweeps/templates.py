"""Notebook templates, checked before a kernel starts: papermill itself only warns, or says nothing at all."""

from __future__ import annotations

import ast
import json
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from bench.errors import BenchError
from bench.project import Project
from bench.schema import read_text

TAG = "parameters"


def find_template(project: Project, name: str) -> Path:
    """The template of that name in the project's notebooks. Raises BenchError where it is missing."""
    path = project.notebooks / f"{name}.ipynb"
    if not path.is_file():
        raise BenchError("the notebook is missing; copy it from a project that 'bench init' makes", path=path)
    return path


def check_template(path: Path, parameters: dict[str, Any]) -> None:
    """Nothing where the notebook takes these parameters.

    Raises BenchError where it has no cell (or several, or a late one) tagged `parameters`, or where a name is not set
    in it: papermill would then run with the defaults.
    """
    known = template_parameters(path)
    for name in parameters:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            meant = f"; did you mean '{close[0]}'?" if close else f"; it takes {', '.join(known)}"
            raise BenchError(f"'{name}' is no parameter of this notebook{meant}", path=path)


def template_parameters(path: Path) -> list[str]:
    """The names that the notebook's parameters cell sets."""
    try:
        cells = [c for c in json.loads(read_text(path))["cells"] if c["cell_type"] == "code"]
        tagged = [i for i, c in enumerate(cells) if TAG in c["metadata"].get("tags", [])]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BenchError("is not a notebook (nbformat 4)", path=path) from None
    if tagged != [0]:
        what = f"{len(tagged)} cells" if len(tagged) != 1 else "a later cell"
        raise BenchError(f"tags {what} '{TAG}'; exactly the first code cell must be", path=path)
    tree = ast.parse("".join(cells[0]["source"]))
    return [t.id for node in tree.body if isinstance(node, ast.Assign) for t in node.targets if isinstance(t, ast.Name)]
