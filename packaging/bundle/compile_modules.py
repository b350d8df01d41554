"""Compile every module of a bundle, because its folder may be read-only later.

    FOLDER/bin/python3 -I -B packaging/bundle/compile_modules.py FOLDER

Docstrings are left out, because the window would keep them in memory for as long as it runs. Those that describe the
HTTP API stay.

The compiled files record neither the time nor the place, so that they are the same in every build.
"""

import ast
import importlib.util
import marshal
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path

UNCHECKED_HASH = 0b01
"""The flag of compiled files that are used without a look at their source (PEP 552)."""
WITH_DOCSTRINGS = (("patchbay", "server"), ("patchbay", "domain"))
"""The packages whose docstrings are in the OpenAPI description."""
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def compile_modules(home: Path) -> None:
    """Compile all modules below a folder, in parallel."""
    with ProcessPoolExecutor() as pool:
        for _ in pool.map(partial(compile_module, home), sorted(home.rglob("*.py")), chunksize=50):
            pass


def compile_module(home: Path, file: Path) -> None:
    """Compile a module to where the interpreter looks for it. Skips what isn't valid in this version."""
    source, name = file.read_bytes(), file.relative_to(home)
    try:
        tree = ast.parse(source, str(name))
    except (SyntaxError, ValueError):  # templates of apps, and examples for other versions of Python
        return
    if not any(package in pairwise(name.parts) for package in WITH_DOCSTRINGS):
        remove_docstrings(tree)
    code = compile(tree, str(name), "exec", dont_inherit=True, optimize=0)
    del tree  # references to its constants would change the bytes below
    header = importlib.util.MAGIC_NUMBER + UNCHECKED_HASH.to_bytes(4, "little")
    compiled = Path(importlib.util.cache_from_source(file))
    compiled.parent.mkdir(exist_ok=True)
    compiled.write_bytes(header + importlib.util.source_hash(source) + marshal.dumps(code))


def remove_docstrings(tree: ast.Module) -> None:
    """Remove the docstrings of a module, its classes, and its functions."""
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            # Nothing may precede `from __future__`; a class or function without a statement isn't valid.
            node.body[:1] = [] if node is tree else [ast.copy_location(ast.Pass(), node.body[0])]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    compile_modules(Path(sys.argv[1]).resolve())
