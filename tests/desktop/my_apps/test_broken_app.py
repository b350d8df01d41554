"""An app of one's own that cannot be used: shown with its reason, and nothing else suffers."""

from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.my_apps.app_page import BrokenAppCard
from patchbay.desktop.my_apps.app_picker import AppPicker
from patchbay.desktop.my_apps.tab import MyAppsTab
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey

REASON = "RuntimeError: out of order (__init__.py, line 3)"


def test_a_broken_app_is_in_the_list_with_its_reason_and_cannot_be_connected(qtbot, tasks):
    backend = FakeBackend(executions=5)
    shop = AppKey("shop")
    backend.apps[shop] = AppInfo(key=shop, name="shop", broken=REASON)
    shared = services(tasks, backend)
    tab = MyAppsTab(shared)
    qtbot.addWidget(tab)
    tab.resize(1280, 720)
    tab.show()
    tab.activate()
    qtbot.waitUntil(lambda: tab.model.loaded and bool(tab.page.cards))

    tab.model.select(shop)

    row = next(row for row in tab.model.rows if row.app.key == "shop")
    assert REASON in row.counts
    card = tab.page.findChild(BrokenAppCard)
    assert REASON in card.accessibleName()
    assert not tab.page._add.isEnabled()
    picker = AppPicker(shared, tab)
    assert "shop" not in [row.app.key for row in picker.model.rows]
