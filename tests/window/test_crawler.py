"""Everything that can be operated does something: in the demo shortly, everywhere in the full form."""

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support.forms import long_form
from tests.window.crawl_report import Report
from tests.window.crawler import Crawler
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.surface import Limits
from tests.window.workspaces import NAMES, another, workspace

OUT = Path("out")
SHORT = Limits(seconds=150, rows=1, depth=2, most=10)
TOY = str(Path(__file__).with_name("toy_window.py"))


@long_form
@needs_a_desktop
@pytest.mark.timeout(180)
def test_the_crawler_finds_dead_controls_crashes_and_warnings(
    display: dict[str, str], tmp_path: Path
) -> None:
    def start(ends: ExitStack) -> PatchbayWindow:
        data = another(tmp_path) / "data"
        window = PatchbayWindow(display, data, str(data), program=(sys.executable, TOY))
        ends.callback(window.close)
        return window

    report = Crawler("toy", start, Limits(seconds=120, effect_seconds=3.0)).run()

    names = [words.split("“")[1].rstrip("”") for words in report.operated]
    assert sorted(names) == ["Answer", "Ask", "Choose", "Count", "Crash", "Dead", "More", "Silent", "Warn"]
    assert [words.split("“")[1].split("”")[0] for words in report.dead] == ["Dead", "Silent"]
    assert ["crash-1.txt" in fault or "a warning" in fault for fault in report.faults] == [True, True]
    assert len(report.disabled) == 1
    assert report.unreached == []


@needs_a_desktop
@pytest.mark.timeout(300)
def test_nothing_near_the_surface_of_the_demo_is_dead(display: dict[str, str], tmp_path: Path) -> None:
    with workspace("demo", display, tmp_path) as start:
        report = Crawler("demo-short", start, SHORT).run()

    _assert_all_is_well(report, at_least=10)


@needs_a_desktop
@pytest.mark.acceptance
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_dead(display: dict[str, str], tmp_path: Path, name: str) -> None:
    with workspace(name, display, tmp_path) as start:
        report = Crawler(name, start, Limits(seconds=3000)).run()

    _assert_all_is_well(report, at_least=100)


def _assert_all_is_well(report: Report, at_least: int) -> None:
    report.save(OUT)
    assert (report.dead, report.faults, report.unreadable) == ([], [], []), report.text()
    assert len(report.operated) >= at_least, report.text()
