"""The size of a window that is opened for the first time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
from PySide6.QtWidgets import QApplication
app = QApplication([])
from patchbay.desktop.core.frame_options import FrameOptions
from patchbay.desktop.kit.theme import apply
from patchbay.desktop.shell.main_window import MainWindow
apply(app, "light", "automatic")
window = MainWindow(FrameOptions("local"))
window.show()
app.processEvents()
print(window.screen().availableGeometry().contains(window.frameGeometry()), window.width(), window.height())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="The path of the screens can't have a drive letter")
@pytest.mark.parametrize(
    ("width", "height", "shown"),
    [
        (1280, 772, "True 1264 724"),
        (1280, 800, "True 1264 752"),
        (1920, 1080, "True 1280 800"),
        (800, 600, "False 1280 800"),
    ],
)
def test_the_first_window_fits_its_screen_if_that_has_room_for_the_smallest_size(
    tmp_path: Path, width: int, height: int, shown: str
) -> None:
    screen = {"name": "screen", "x": 0, "y": 0, "width": width, "height": height, "dpr": 1}
    (tmp_path / "screens.json").write_text(
        json.dumps({"screens": [{**screen, "logicalDpi": 96, "logicalBaseDpi": 96}]})
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={tmp_path / 'screens.json'}"}
    words = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)

    assert done.stdout.strip() == shown, done.stderr
