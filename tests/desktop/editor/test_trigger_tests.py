"""What the editor says a test of a trigger does."""

import pytest
from tests.support.app_calls import built_in

from patchbay.desktop.editor.page import EditorPage
from patchbay.domain.base import AppKey, StepId


@pytest.mark.parametrize(
    ("app", "key", "text"),
    [
        ("desktop", "hotKeyPressed", "Uses the latest event, or sample data if there was none"),
        ("patchbay", "called", "Uses the latest event, or sample data if there was none"),
        ("scheduler", "everyDay", "Uses the current time"),
        ("webhook", "catchRawWebhook", "Shows the latest request"),
        ("imap", "newMail", "Fetches the latest event"),
    ],
)
def test_a_trigger_says_what_its_test_does(
    monkeypatch: pytest.MonkeyPatch, page: EditorPage, app: str, key: str, text: str
) -> None:
    page.editor.select(StepId("flow-issues-1"))
    monkeypatch.setattr(type(page.editor), "app_event", built_in().info(AppKey(app)).trigger(key))

    page.test.changed.emit()

    assert page.test_pane._subtitle.text() == text
