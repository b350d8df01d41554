"""The window in its languages, as the tour shows it: texts are translated, readable, and not cut off."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.forms import long_form
from tests.support.shown_texts import ShownText
from tests.support.translation_files import SOURCE


@long_form
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize(("scale", "scheme"), [("1", "light"), ("1", "dark"), ("2", "light")])
@pytest.mark.parametrize("language", ["en", "de", "pseudo"])
def test_no_text_is_cut_off_or_has_too_little_contrast(
    language: str, scale: str, scheme: str, tmp_path: Path
) -> None:
    texts = _tour(language, scale, scheme, tmp_path)
    assert len(texts) > 10_000
    assert len([text for text in texts if text.kind == "contrast"]) > 1_000
    assert [text for text in texts if text.problem] == []


ENGLISH_SCENES = ("help", "settings-about")
"""The documentation, and the names of licences."""
NOT_TRANSLATED = re.compile(r"Patchbay|Ctrl\+.+|.*example.*|Dana Mori|item|number|count|results|Data|Name")
"""Keys, addresses and names in examples, and fields of apps that are called as a constant is."""


@long_form
@pytest.mark.timeout(1_200)
def test_every_text_of_the_window_is_translated(tmp_path: Path) -> None:
    """Text without the brackets of the pseudo-language that the source of the window has as a constant."""
    constants = {text for file in (SOURCE / "desktop").rglob("*.py") for text in _constants(file)}
    shown = [text for text in _tour("pseudo", "1", "light", tmp_path) if "⟦" not in text.text]
    english = {text.text for text in shown if text.scene not in ENGLISH_SCENES and text.widget != "KeyCaps"}
    assert sorted(text for text in english & constants if not NOT_TRANSLATED.fullmatch(text)) == []


def _constants(file: Path) -> Iterator[str]:
    tree = ast.parse(file.read_text("utf-8"))
    translated = {
        inside
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("tr", "tr_count")
        for inside in ast.walk(node)
    }
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and node not in translated else None
        if isinstance(text, str) and re.search(r"[A-Za-z]{3}", text):
            yield text


def _tour(language: str, scale: str, scheme: str, folder: Path) -> list[ShownText]:
    file = folder / "texts.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.shown_texts", language, scheme, str(file)],
        env={**os.environ, "QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [ShownText(**text) for text in json.loads(file.read_text("utf-8"))]
