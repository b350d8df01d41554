"""`patchbay tour`: opens the demo and saves a picture of every screen."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer

from patchbay.bootstrap.application import create_application
from patchbay.bootstrap.window_controller import WindowController
from patchbay.desktop.kit.theme import SchemeChoice
from patchbay.desktop.tasks import GarbageCollector
from patchbay.domain.base import EpochMs
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.tour.runner import Tour, TourResult, run_tour

TOUR_NOW: EpochMs = 1_795_270_860_000
"""The moment the tour's pictures are taken at: 21 November 2026, 14:21 UTC. Same pictures every time."""

_OPEN_TIMEOUT_MS = 60_000
"""Milliseconds after which a tour gives up on a demo that does not open."""


def save_pictures(
    paths: AppPaths,
    out_dir: str,
    scheme: SchemeChoice,
    size: tuple[int, int],
    *,
    report: Callable[[str], None],
) -> int:
    """Save a picture of every screen of the demo; 0 when each could be shown."""
    app = create_application(scheme, "inter")
    settings = SettingsFile(paths.settings.with_name("tour-settings.toml"))
    settings.value.appearance.scheme, settings.value.appearance.font = scheme, "inter"
    controller = WindowController(paths, settings, clock=lambda: TOUR_NOW, saves_settings=False)
    controller.window.resize(*size)
    controller.window.show()
    controller.open("demo")
    results: list[TourResult] = []

    def finished(result: TourResult) -> None:
        results.append(result)
        app.quit()

    tours: list[Tour] = []
    controller.when_ready(lambda: tours.append(run_tour(controller.window, Path(out_dir), finished)))
    QTimer.singleShot(_OPEN_TIMEOUT_MS, lambda: tours or app.quit())
    collector = GarbageCollector(app)
    collector.start()
    app.exec()
    controller.window.hide()
    controller.close()
    collector.stop()
    result = results[0] if results else TourResult(problems=["The demo couldn't be opened."])
    for problem in result.problems:
        report(problem)
    report(f"{len(result.files)} pictures in {out_dir}")
    return 1 if result.problems else 0
