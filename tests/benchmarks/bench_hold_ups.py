"""How long the window's thread is held up by what a person does with the largest flow and with long loops."""

import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from tests.benchmarks.lines import Line, line
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_tree_flow import LARGE, large_flow
from tests.support.loops import LoopRun, loop_execution
from tests.support.processes import until

from patchbay.desktop.executions.detail import ExecutionPane
from patchbay.desktop.executions.view_models.detail import ExecutionDetailViewModel
from patchbay.desktop.flows.tab import FlowsTab
from patchbay.desktop.kit import theme
from patchbay.desktop.tasks import LoopThread, Tasks
from patchbay.domain.base import ExecutionId, StepId

ROUNDS = 9
ITEMS = 1_000


def bench_hold_ups() -> list[Line]:
    """Processor time of the window: a keystroke in a flow of 200 steps, unfolding and folding 1,000 items."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme.apply(app, "light")
    return [_keystroke(), *_folding()]


def _keystroke() -> Line:
    backend = FakeBackend()
    backend.flows[LARGE] = large_flow()
    with _tasks() as tasks:
        around = services(tasks, backend)
        _wait(lambda: around.apps.all)
        tab = FlowsTab(around)
        tab.resize(1280, 1100)
        tab.show()
        tab.activate()
        tab.edit(LARGE, StepId("b200"))
        form = tab.editor_page.form_pane
        _wait(lambda: "message" in form.fields.editors)
        editor: Any = form.fields.editors["message"]
        field = editor.edit
        spent = [_spent_ms(lambda: QTest.keyClicks(field, "x")) for _ in range(ROUNDS)]
        tab.close()
    return line("keystroke_hold_up_ms", statistics.median(spent), "ms", steps=200, every=_rounded(spent))


def _folding() -> list[Line]:
    backend = FakeBackend(executions=0)
    run = LoopRun([{"name": f"n {at}"} for at in range(ITEMS)]).all(big=True)
    backend.executions = [loop_execution()]

    async def steps(_: ExecutionId) -> tuple[Any, ...]:
        return tuple(run.results)

    backend.execution_steps = steps  # type: ignore[method-assign, assignment]  # a backend with fixed steps
    with _tasks() as tasks:
        around = services(tasks, backend)
        model = ExecutionDetailViewModel(around)
        view = ExecutionPane(model, around)
        view.resize(432, 700)
        view.show()
        model.show(backend.executions[0])
        _wait(lambda: not model.loading)
        spent = [_spent_ms(lambda: model.toggle(1)) for _ in range(2 * ROUNDS)]
        view.close()
    return [
        line(f"{name}_hold_up_ms", statistics.median(some), "ms", items=ITEMS, every=_rounded(some))
        for name, some in (("unfold", spent[::2]), ("fold", spent[1::2]))
    ]


@contextmanager
def _tasks() -> Iterator[Tasks]:
    loop = LoopThread()
    loop.start()
    try:
        yield Tasks(loop)
    finally:
        loop.stop()


def _wait(look: Callable[[], object]) -> None:
    def there() -> Any:
        QCoreApplication.processEvents()
        return look()

    until(there)


def _spent_ms(act: Callable[[], object]) -> float:
    before = thread_time()
    act()
    QCoreApplication.processEvents()
    return (thread_time() - before) * 1000


def _rounded(values: list[float]) -> list[float]:
    return [round(value, 1) for value in values]
