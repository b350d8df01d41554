from pathlib import Path

from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot
from tests.support.forms import long_form
from tests.support.patience import PATIENCE_MS
from tests.support.shell import window

from patchbay.desktop.tasks import Tasks
from patchbay.tour.runner import TourResult, run_tour
from patchbay.tour.scene import Scene


@long_form
def test_the_tour_takes_a_picture_of_every_tab_and_dialog(qtbot: QtBot, tasks: Tasks, tmp_path: Path) -> None:
    main = window(tasks)
    qtbot.addWidget(main)
    main.show()
    results: list[TourResult] = []

    run_tour(main, tmp_path / "out", results.append)
    qtbot.waitUntil(lambda: bool(results), timeout=4 * PATIENCE_MS)  # for all pictures together

    [result] = results
    assert result.problems == []
    names = [path.stem[3:] for path in result.files]
    assert names[:6] == ["flows", "executions", "folders", "templates", "my-apps", "palette"]
    assert {"settings", "shortcuts", "add-server", "welcome", "kit"} <= set(names)
    assert all(QImage(str(path)).width() == main.width() for path in result.files)
    main.close()


def test_a_scene_that_fails_is_reported_and_the_tour_continues(
    qtbot: QtBot, tasks: Tasks, tmp_path: Path
) -> None:
    main = window(tasks)
    qtbot.addWidget(main)
    main.show()
    results: list[TourResult] = []

    def fail() -> None:
        raise ValueError("no such row")

    scenes = (Scene("broken", fail, lambda: True), Scene("good", lambda: None, lambda: True))
    run_tour(main, tmp_path, results.append, after=scenes, tabs=())
    qtbot.waitUntil(lambda: bool(results))

    assert results[0].problems == ["broken could not be prepared: ValueError('no such row')"]
    assert [path.name for path in results[0].files] == ["01-good.png"]
    main.close()
