"""Everything that can be operated does something: in the demo shortly, everywhere in the full form."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.window.crawl_report import Report
from tests.window.crawler import Crawler
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.surface import Limits

OUT = Path("out")
SHORT = Limits(seconds=40, rows=1, depth=2)
TOY = str(Path(__file__).with_name("toy_window.py"))


def demo(display: dict[str, str], folder: Path) -> Crawler:
    """Crawls the demo with its runs paused: a copy in memory for each start."""

    def start(ends: ExitStack) -> PatchbayWindow:
        window = PatchbayWindow(display, _another(folder) / "data", "--safe", "--workspace", "demo")
        ends.callback(window.close)
        return window

    return Crawler("demo", start)


def _another(folder: Path) -> Path:
    made = folder / str(len(list(folder.iterdir())))
    made.mkdir()
    return made


@needs_a_desktop
@pytest.mark.timeout(180)
def test_the_crawler_finds_dead_controls_crashes_and_warnings(
    display: dict[str, str], tmp_path: Path
) -> None:
    def start(ends: ExitStack) -> PatchbayWindow:
        data = _another(tmp_path) / "data"
        window = PatchbayWindow(display, data, str(data), program=(TOY,))
        ends.callback(window.close)
        return window

    report = Crawler("toy", start, Limits(seconds=60)).run()

    names = [words.split("“")[1].rstrip("”") for words in report.operated]
    assert sorted(names) == ["Answer", "Ask", "Choose", "Count", "Crash", "Dead", "More", "Silent", "Warn"]
    assert [words.split("“")[1].split("”")[0] for words in report.dead] == ["Dead", "Silent"]
    assert ["crash-1.txt" in fault or "a warning" in fault for fault in report.faults] == [True, True]
    assert len(report.disabled) == 1
    assert report.unreached == []


@needs_a_desktop
@pytest.mark.timeout(300)
def test_nothing_near_the_surface_of_the_demo_is_dead(display: dict[str, str], tmp_path: Path) -> None:
    crawler = demo(display, tmp_path)
    crawler.limits = SHORT

    _assert_all_is_well(crawler.run(), at_least=10)


@needs_a_desktop
@pytest.mark.acceptance
@pytest.mark.timeout(3600)
def test_nothing_in_the_demo_is_dead(display: dict[str, str], tmp_path: Path) -> None:
    crawler = demo(display, tmp_path)

    _assert_all_is_well(crawler.run(), at_least=300)


def _assert_all_is_well(report: Report, at_least: int) -> None:
    report.save(OUT)
    assert (report.dead, report.faults, report.unreadable) == ([], [], []), report.text()
    assert len(report.operated) >= at_least, report.text()
