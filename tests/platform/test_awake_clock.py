"""The clock that doesn't count the time a computer was asleep."""

import pytest
from tests.support.other_systems import Library, windows_module

from patchbay.bootstrap import workspace_runtime
from patchbay.bootstrap.local import open_local
from patchbay.engine.timer import ClockJumpDetector
from patchbay.platform.awake_clock import awake_seconds
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings

HOUR = 3600


class EngineCreated(Exception):
    """Carries the options of the engine."""


def test_sleep_is_noticed_on_windows(monkeypatch):
    awake = [100 * HOUR]

    def answer(units) -> int:
        units._obj.value = awake[0] * 10_000_000
        return 1

    library = Library({"QueryUnbiasedInterruptTime": answer})
    clock = windows_module(monkeypatch, "patchbay.platform.awake_clock", library).awake_seconds
    detector = ClockJumpDetector(clock)
    wall = 1_800_000_000_000
    detector.jump_ms(wall)
    detector.settle()

    awake[0] += HOUR
    assert detector.jump_ms(wall + HOUR * 1000) == 0
    detector.settle()
    assert detector.jump_ms(wall + 9 * HOUR * 1000) == 8 * HOUR * 1000  # asleep for eight hours


async def test_the_engine_of_a_workspace_uses_it(tmp_path, monkeypatch):
    def engine(*_, **options):
        raise EngineCreated(options)

    monkeypatch.setattr(workspace_runtime, "Engine", engine)

    with pytest.raises(EngineCreated) as created:
        await open_local(AppPaths.choose(tmp_path), Settings(), passphrase="correct horse")

    assert created.value.args[0]["monotonic"] is awake_seconds
