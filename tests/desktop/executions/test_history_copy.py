"""The bar that downloads a server's history."""

from patchbay.desktop.executions.view_models.history_copy import HistoryCopyViewModel
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.executions import HistoryCopy, HistoryCopyState


def test_a_change_does_not_cancel_the_start_of_the_download(qtbot, around, backend):
    backend.copy = HistoryCopy(state=HistoryCopyState.STOPPED, done=10, total=150)
    model = HistoryCopyViewModel(around)
    model.load()
    qtbot.waitUntil(lambda: model.copy.state is HistoryCopyState.STOPPED)
    backend.delay = 0.1

    model.read()
    model._on_change(Change(noun=ResourceType.WORKSPACE))

    qtbot.waitUntil(lambda: model.copy.state is HistoryCopyState.READING)
