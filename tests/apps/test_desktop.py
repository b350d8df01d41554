"""Desktop: what steps show and read, what they never open, and how long they wait."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.app_calls import NOON, act, built_in_app, built_in_trigger, context, items_of
from tests.support.fake_desktop import FakeDesktop

from patchbay.domain.base import JsonObject
from patchbay.domain.clock import MINUTE_MS
from patchbay.domain.desktop import ClipboardText, DesktopEvent, DesktopEventKind, DesktopForm, FieldKind
from patchbay.domain.errors import AppError, Forbidden, NotFound, NotSupported, ValidationFailed
from patchbay.integration.context import CurrentFlow, InMemoryDatastore
from patchbay.integration.local_files import FileAccess, LocalFiles

FIELDS = [
    {"label": "Amount", "type": "number", "required": True},
    {"label": "Size", "type": "choice", "options": "S\nM\n\nM", "key": "size_of_shirt"},
    {"label": "Urgent", "type": "yesNo", "value": "yes", "required": True},
]


@pytest.fixture
def desktop() -> FakeDesktop:
    return FakeDesktop()


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir()
    return folder


async def run(desktop: FakeDesktop | None, action: str, **parameters: Any) -> Any:
    return await act("desktop", action, parameters, window_desktop=desktop)


def files(folder: Path) -> FileAccess:
    return FileAccess(LocalFiles(lambda: (str(folder),)))


@pytest.mark.parametrize(
    ("action", "parameters"),
    [
        ("showNotification", {"title": "Done"}),
        ("askMe", {"title": "Which?", "fields": FIELDS}),
        ("copyToClipboard", {"text": "a"}),
        ("readClipboard", {}),
        ("openPage", {"address": "https://example.com"}),
    ],
)
async def test_without_a_window_each_step_says_where_it_would_run(action, parameters):
    with pytest.raises(NotSupported, match="needs the desktop") as caught:
        await run(None, action, **parameters)

    assert "This computer" in caught.value.todo


async def test_a_form_has_the_fields_of_the_step(desktop):
    desktop.responses.put_nowait({"amount": 3, "size_of_shirt": "M", "urgent": False})

    output = await run(desktop, "askMe", title="  A \n shirt ", text="For Ada", fields=FIELDS)

    [form] = desktop.shown
    assert isinstance(form, DesktopForm)
    assert (form.title, form.text, form.submit_label) == ("A shirt", "For Ada", "")
    assert [(field.key, field.kind, field.is_required) for field in form.fields] == [
        ("amount", FieldKind.NUMBER, True),
        ("size_of_shirt", FieldKind.CHOICE, False),
        ("urgent", FieldKind.YES_NO, False),
    ]
    assert form.fields[1].options == ("S", "M")
    assert form.fields[2].value == "yes"
    assert output == {
        "status": "submitted",
        "values": {"amount": 3, "size_of_shirt": "M", "urgent": False},
    }


async def test_texts_read_as_they_are_and_name_their_flow(desktop):
    async def find_name() -> str:
        return "Night\nly \u202e" + "x" * 100

    flow = CurrentFlow(find_name=find_name)
    padded = {"label": "\u202egnp.exe\n1", "type": "choice", "options": "\u2066a\u2069", "help": "b\n\n\nc"}
    desktop.responses.put_nowait(None)

    texts = {"title": "\u202etit\u2069le", "text": "a\u202eb\nc", "submitLabel": "\u200fOK\n1"}
    entered = {**texts, "fields": [padded], "onClosed": "continue"}
    await act("desktop", "askMe", entered, window_desktop=desktop, flow=flow)
    await act("desktop", "showNotification", texts, window_desktop=desktop, flow=flow)

    form, notification = desktop.shown
    [field] = form.fields
    assert (form.title, form.text, form.submit_label) == ("title", "ab\nc", "OK 1")
    assert (field.label, field.options, field.help) == ("gnp.exe 1", ("a",), "b c")
    assert (notification.title, notification.text) == ("title", "ab\nc")
    assert form.flow_name == notification.flow_name == "Night ly " + "x" * 51


async def test_a_form_that_is_closed_stops_the_flow_unless_the_step_says_otherwise(desktop):
    desktop.responses.put_nowait(None)
    with pytest.raises(AppError, match="The form was cancelled"):
        await run(desktop, "askMe", title="Which?", fields=[{"label": "Name"}])
    desktop.responses.put_nowait(None)

    output = await run(desktop, "askMe", title="Which?", fields=[{"label": "Name"}], onClosed="continue")

    assert output == {"status": "closed", "values": {"name": None}}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ([], "no fields"),
        ([{"label": ""}], "no label"),
        ([{"label": "A"}, {"label": "a"}], "Two fields"),
        ([{"label": "A", "key": "a b"}], "valid key"),
        ([{"label": "A", "type": "file"}], "unknown type"),
        ([{"label": "A", "type": "choice"}], "between 1 and 100"),
        ([{"label": f"A{number}"} for number in range(21)], "at most 20"),
    ],
)
async def test_an_invalid_form_is_not_shown(desktop, fields, said):
    with pytest.raises(ValidationFailed, match=said):
        await run(desktop, "askMe", title="Which?", fields=fields)

    assert desktop.shown == []


async def test_a_notification_without_buttons_is_not_waited_for(desktop):
    assert await run(desktop, "showNotification", title="Done") == {"status": "shown", "choice": ""}


@pytest.mark.parametrize(("response", "status"), [("Ship", "chosen"), (None, "closed")])
async def test_the_chosen_button_is_the_output(desktop, response, status):
    desktop.responses.put_nowait(response)

    output = await run(desktop, "showNotification", title="Ship it?", buttons="Ship\nLater\n")

    assert output == {"status": status, "choice": response or ""}


@pytest.mark.parametrize("buttons", ["1\n2\n3\n4", "x" * 41])
async def test_more_or_longer_buttons_are_rejected(desktop, buttons):
    with pytest.raises(ValidationFailed):
        await run(desktop, "showNotification", title="Ship it?", buttons=buttons)


async def test_a_step_that_ran_before_a_restart_waits_only_for_the_rest_of_its_time(desktop):
    datastore = InMemoryDatastore()
    parameters = {"title": "Which?", "fields": [{"label": "Name"}], "minutes": "5"}

    async def ask(minutes_later: int, **more: Any) -> Any:
        now = NOON + minutes_later * MINUTE_MS
        given = {"window_desktop": desktop, "datastore": datastore, "now": now}
        return await act("desktop", "askMe", {**parameters, **more}, **given)

    asking = asyncio.create_task(ask(0))
    await desktop.is_waiting.wait()
    desktop.interrupt()
    await asyncio.wait({asking})
    assert asking.cancelled()

    assert (await ask(5))["status"] == "timedOut"
    with pytest.raises(AppError, match="no response within 5 minutes"):
        await ask(6, onTimeout="fail")
    desktop.responses.put_nowait({"name": "Ada"})
    assert (await ask(4))["status"] == "submitted"
    assert desktop.open == 0


async def test_a_secret_on_the_clipboard_is_not_read(desktop):
    desktop.clipboard = ClipboardText(is_secret=True)

    assert await run(desktop, "readClipboard") == {"text": "", "isSecret": True}


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/a?b=c#d",
        "HTTP://example.com:80",
        "mailto:ada@example.com?cc=bo@example.com&subject=Hi%20%26%0d%0a",
        "https://[::1]:80/",
    ],
)
async def test_pages_and_emails_are_opened(desktop, address):
    await run(desktop, "openPage", address=f" {address} ")

    assert desktop.opened == [address]


@pytest.mark.parametrize(
    "address",
    [
        "",
        "example.com",
        "file:///etc/passwd",
        "FILE:/usr/bin/true",
        "javascript:alert(1)",
        "data:text/html,a",
        "ms-msdt:/id",
        "ssh://example.com",
        "https://",
        "https:example.com",
        "https://user:secret@example.com",
        "https://exa mple.com",
        "https://example.com/\n",
        "https://example.com/\x00",
        "https://example.com/`id`",
        "https://[::1",
        "mailto://example.com",
        "mailto:a@b.example?attach=/etc/passwd",
        "mailto:a@b.example?subject=x&Attachment=/etc/passwd",
        "mailto:a@b.example?%61ttach=/etc/passwd",
        "mailto:a@b.example?subject=x&amp;attach=/etc/passwd",
        "mailto:a@b.example?subject=x;attach=/etc/passwd",
        "mailto:a@b.example?subject=x%26attach=/etc/passwd",
        "mailto:a@b.example?subject=x%2526attach%253D/etc/passwd",
        "mailto:a@b.example?x-mailer-option=1",
        "mailto:a@b.example?body=x%27,attachment=%27/etc/passwd",
        "mailto:a@b.example?body=it%27s",
        "mailto:a@b.example?subject=%00",
        "mailto:a@b.example#attach",
        "https://example.com/\u202egnp.exe",
        "https://example.com/\u2066a\u2069",
        "https://example.com/\u200b",
        "https://ex%61mple.com/",
        "https://faß.de/",
        "https://example.com:99999/",
        "-x",
        "https://example.com/" + "a" * 2000,
    ],
)
async def test_no_other_address_is_opened(desktop, address):
    if address.endswith("\n"):
        address += "x"
    with pytest.raises(ValidationFailed):
        await run(desktop, "openPage", address=address)

    assert desktop.opened == []


async def test_a_host_with_foreign_letters_is_shown_and_opened_as_punycode(desktop):
    output = await run(desktop, "openPage", address="https://аpple.com:444/ä?b=c")  # a Cyrillic a

    assert output == {"address": "https://xn--pple-43d.com:444/ä?b=c"}
    assert desktop.opened == [output["address"]]


async def test_documents_in_allowed_folders_are_opened(desktop, shared):
    report = shared / "a report.PDF"
    report.write_bytes(b"%PDF")

    given = {"window_desktop": desktop, "file_access": files(shared)}
    output = await act("desktop", "openFile", {"path": str(report)}, **given)

    assert (output["name"], desktop.opened) == ("a report.PDF", [report.as_uri()])


@pytest.mark.parametrize(
    "name", ["a.sh", "a.desktop", "a.exe", "a.py", "a.jar", "a.pdf.lnk", "pdf", "a.docm", "a.pdf ", "a.PDF."]
)
async def test_programs_are_not_opened(desktop, shared, name):
    (shared / name).write_bytes(b"")

    given = {"window_desktop": desktop, "file_access": files(shared)}
    with pytest.raises(ValidationFailed, match="could be programs"):
        await act("desktop", "openFile", {"path": str(shared / name)}, **given)

    assert desktop.opened == []


async def test_neither_other_files_nor_missing_ones_are_opened(desktop, shared):
    (shared / "link.pdf").symlink_to("/etc/passwd")

    for path, error in (
        ("/etc/a.pdf", Forbidden),
        (str(shared / "link.pdf"), Forbidden),
        (str(shared / "b.pdf"), NotFound),
    ):
        given = {"window_desktop": desktop, "file_access": files(shared)}
        with pytest.raises(error):
            await act("desktop", "openFile", {"path": path}, **given)

    assert desktop.opened == []


async def test_a_screenshot_is_written_to_an_allowed_folder(desktop, shared):
    given = {"window_desktop": desktop, "file_access": files(shared)}
    file = shared / "screen.png"

    await act("desktop", "takeScreenshot", {"path": str(file)}, **given)

    assert file.read_bytes() == desktop.screen
    with pytest.raises(AppError, match="already exists"):
        await act("desktop", "takeScreenshot", {"path": str(file)}, **given)
    with pytest.raises(ValidationFailed, match="png"):
        await act("desktop", "takeScreenshot", {"path": str(shared / "a.sh")}, **given)
    with pytest.raises(Forbidden):
        await act("desktop", "takeScreenshot", {"path": "/etc/a.png"}, **given)


def _happened(desktop: FakeDesktop, kind: DesktopEventKind, *data: JsonObject) -> None:
    """Events with this data, the newest last."""
    desktop.happened[kind] = [
        DesktopEvent(str(number), NOON + number, one) for number, one in enumerate(data)
    ][::-1]


async def test_each_event_is_an_item_of_its_own_newest_first(desktop):
    _happened(desktop, DesktopEventKind.CLIPBOARD_CHANGED, {"text": "a"}, {"text": "b"})

    items = await items_of("desktop", "clipboardChanged", {}, window_desktop=desktop)

    assert [(item.internal_id, item.raw["text"]) for item in items] == [("1", "b"), ("0", "a")]
    assert items[0].raw["at"] == "2026-03-02T12:00:00Z"


@pytest.mark.parametrize(
    ("trigger", "kind", "parameters", "wanted"),
    [
        ("patchbayStarted", DesktopEventKind.STARTED, {"starts": "all"}, [True, False]),
        ("patchbayStarted", DesktopEventKind.STARTED, {"starts": "background"}, [True]),
        ("networkChanged", DesktopEventKind.NETWORK_CHANGED, {"changes": "online"}, [True]),
        ("networkChanged", DesktopEventKind.NETWORK_CHANGED, {"changes": "offline"}, [False]),
    ],
)
async def test_only_the_chosen_events_start_the_flow(desktop, trigger, kind, parameters, wanted):
    name = "inBackground" if kind is DesktopEventKind.STARTED else "isOnline"
    _happened(desktop, kind, {name: False}, {name: True})

    items = await items_of("desktop", trigger, parameters, window_desktop=desktop)

    assert [item.raw[name] for item in items] == wanted


@pytest.mark.parametrize("trigger", built_in_app("desktop").triggers, ids=lambda one: one.key)
async def test_a_test_shows_a_sample_and_a_server_has_no_events(desktop, trigger):
    entered = {"keys": "alt+ctrl+p"} if trigger.key == "hotKeyPressed" else {}
    [sample] = await items_of("desktop", trigger.key, entered, window_desktop=desktop, test=True)

    assert len(sample.raw) > 1
    assert await items_of("desktop", trigger.key, entered, window_desktop=desktop) == []
    with pytest.raises(NotSupported, match="needs the desktop"):
        await items_of("desktop", trigger.key, entered)
    watch = built_in_trigger("desktop", trigger.key).watch
    assert watch is not None
    with pytest.raises(NotSupported, match="needs the desktop"):
        await anext(watch(context("desktop", {})))


async def test_a_hot_key_is_written_as_always_wherever_it_is_used(desktop):
    _happened(desktop, DesktopEventKind.HOT_KEY_PRESSED, {"keys": "Ctrl+Alt+P"})

    [item] = await items_of("desktop", "hotKeyPressed", {"keys": " alt+Strg+p"}, window_desktop=desktop)
    [sample] = await items_of(
        "desktop", "hotKeyPressed", {"keys": "f9"}, window_desktop=FakeDesktop(), test=True
    )
    await anext(
        built_in_trigger("desktop", "hotKeyPressed").watch(
            context("desktop", {"keys": "meta+x"}, window_desktop=desktop)
        )
    )

    assert item.raw["keys"] == "Ctrl+Alt+P"
    assert set(item.raw) == {"at", "keys"}
    assert sample.raw["keys"] == "F9"
    assert desktop.details == ["Ctrl+Alt+P", "Meta+X"]


@pytest.mark.parametrize("keys", ["", "P", "Ctrl+Alt", "Ctrl+Alt+nonsense"])
async def test_keys_that_are_no_combination_are_rejected_when_the_flow_is_published(desktop, keys):
    with pytest.raises(ValidationFailed) as caught:
        await items_of("desktop", "hotKeyPressed", {"keys": keys}, window_desktop=desktop)

    assert list(caught.value.by_field) == ["keys"]
