"""What the templates screen shows and may do, without a widget."""

import pytest
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import NOW

from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import Tasks
from patchbay.desktop.templates.view_models.templates import (
    TemplateCard,
    TemplateFilter,
    TemplatesViewModel,
    in_gallery_order,
    make_card,
    needed_accounts,
    open_fields,
)
from patchbay.domain.apps import ActionInfo, AppInfo, EventInfo, TriggerInfo
from patchbay.domain.base import AppKey, FlowId, JsonObject, StepId, TemplateId
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.fields import Argument
from patchbay.domain.flows import StepExport, StepType
from patchbay.domain.folders import Template


@pytest.fixture
def backend() -> FakeBackend:
    backend = FakeBackend()
    for number, flow_id in ((2, FlowId("flow-issues")), (3, FlowId("flow-uptime"))):
        export = backend._export(backend.flows[flow_id])
        if number == 2:
            first, *rest = export.steps
            export = export.model_copy(update={"steps": (first.model_copy(update={"parameters": {}}), *rest)})
        backend.templates[f"tpl-{number}"] = Template(
            id=TemplateId(f"tpl-{number}"),
            name=export.name,
            category="Engineering" if number == 2 else "",
            description="Turns labelled issues into tasks.",
            flow_data=export.wire(),
            created_at=NOW,
        )
    return backend


@pytest.fixture
def around(tasks: Tasks, backend: FakeBackend) -> Services:
    return services(tasks, backend)


@pytest.fixture
def screen(qtbot: QtBot, around: Services) -> TemplatesViewModel:
    screen = TemplatesViewModel(around)
    qtbot.waitUntil(lambda: bool(around.apps.all))
    with qtbot.waitSignal(screen.selection_changed):
        screen.load()
    qtbot.waitUntil(lambda: screen.card is not None and screen.has_details(screen.card))
    return screen


def names(screen: TemplatesViewModel) -> list[str]:
    return [card.template.name for card in screen.shown]


def test_own_templates_come_after_those_brought_along(screen):
    assert names(screen) == [
        "New GitHub issue → Todoist task",
        "Feed to chat",
        "Uptime alert → Slack and phone",
    ]
    assert [screen.count(kind) for kind in TemplateFilter] == [3, 3, 1]


def test_built_in_categories_keep_their_order(screen):
    first = screen.cards[0].template
    cards = [
        make_card(first.model_copy(update={"name": name, "category": category, "built_in": built_in}))
        for name, category, built_in in (("Mine", "", False), ("Z", "Personal", True), ("A", "Content", True))
    ]

    assert [card.template.name for card in in_gallery_order(cards)] == ["Z", "A", "Mine"]


def test_text_topic_and_app_narrow_together(screen):
    screen.update_filter(app_key="slack", text="LABELLED")
    both = names(screen)
    screen.update_filter(topic="Engineering")
    one = names(screen)
    screen.clear()

    assert len(both) == 2
    assert one == ["New GitHub issue → Todoist task"]
    assert len(names(screen)) == 3


def test_the_search_also_finds_templates_by_the_names_of_their_apps(screen):
    screen.update_filter(text="phone webhook")

    assert names(screen) == ["Uptime alert → Slack and phone"]


def test_the_first_that_is_shown_is_selected(screen):
    screen.update_filter(kind=TemplateFilter.SAVED)

    assert screen.card.template.name == "Uptime alert → Slack and phone"


def test_the_preview_tells_steps_accounts_and_questions(screen):
    card = screen.card

    lines, accounts = screen.lines(card), screen.accounts(card)

    assert lines[0].title == "New issues"
    assert lines[3].text == "Todoist · Adds a task to a project"
    assert [account.name for account in accounts] == ["GitHub", "DeepL", "Todoist", "Slack"]
    assert accounts[2].connection.health is ConnectionHealth.VALID
    assert screen.required_inputs(card) == ("GitHub repository",)


def test_fields_and_accounts_that_a_step_does_without_are_not_promised():
    hidden = Argument(key="header", label="Header", required=True, visible_if={"signed": True})
    post = ActionInfo(key="post", name="Post", connection_app=AppKey("keys"), connection_optional=True)
    call = TriggerInfo(key="call", name="Call", arguments=(hidden,), supports_connections=False)
    hook = AppKey("hook")
    apps = {
        hook: AppInfo(key=hook, name="Hook", supports_connections=True, triggers=(call,), actions=(post,))
    }
    steps = [
        StepExport(id=StepId("1"), app_key=AppKey("hook"), key="call", type=StepType.TRIGGER, position=1),
        StepExport(id=StepId("2"), app_key=AppKey("hook"), key="post", type=StepType.ACTION, position=2),
    ]
    signed = [
        steps[0].model_copy(update={"parameters": {"signed": True}}),
        steps[1].model_copy(update={"connection_undecided": True}),
    ]
    flow: JsonObject = {"id": "f", "name": "F"}
    open_to_all, closed = (
        TemplateCard(Template(id=TemplateId("t"), name="T", flow_data=flow), tuple(items))
        for items in (steps, signed)
    )

    assert (open_fields(open_to_all, apps), needed_accounts(open_to_all, apps)) == ((), ())
    assert (open_fields(closed, apps), needed_accounts(closed, apps)) == (("Hook header",), ("keys",))


def test_a_missing_account_makes_a_template_not_ready(qtbot, screen, backend):
    del backend.connections["con-deepl"]

    with qtbot.waitSignal(screen.cards_changed):
        screen.refresh()

    assert screen.count(TemplateFilter.READY) == 2


def test_listed_events_tell_what_needs_a_connection_before_any_details_are_loaded():
    events = (
        EventInfo(key="post", name="Post", connection_app=AppKey("chat"), needs_connection=True),
        EventInfo(key="open", name="Open", connection_app=AppKey("chat"), needs_connection=False),
    )
    app = AppInfo(key=AppKey("chat"), name="Chat", supports_connections=True, events=events)

    def needed(event: str, *, undecided: bool = False) -> tuple[str, ...]:
        step = StepExport(
            id=StepId("s"),
            type=StepType.ACTION,
            position=1,
            app_key=app.key,
            key=event,
            connection_undecided=undecided,
        )
        card = TemplateCard(Template(id=TemplateId("t"), name="T", flow_data={}), (step,))
        return needed_accounts(card, {app.key: app})

    assert needed("post") == ("chat",)
    assert needed("open") == ()
    assert needed("open", undecided=True) == ("chat",)
    assert needed("unknown") == ("chat",)


def test_the_section_without_templates_is_not_offered(qtbot, screen, backend):
    assert screen.kinds == tuple(TemplateFilter)
    backend.connections.clear()

    with qtbot.waitSignal(screen.cards_changed):
        screen.refresh()

    qtbot.waitUntil(lambda: screen.kinds == (TemplateFilter.ALL, TemplateFilter.SAVED))


def test_using_one_makes_a_flow_and_opens_its_editor(qtbot, screen, around, backend):
    with qtbot.waitSignal(around.navigator.requested) as asked:
        screen.use("tpl-2")

    place = asked.args[0]
    assert (place.tab, place.section) == (Tab.FLOWS, "editor")
    assert backend.flows[place.id].name == "New GitHub issue → Todoist task"


def test_a_deleted_template_can_be_kept_until_the_time_is_over(qtbot, screen, around, backend):
    with qtbot.waitSignal(around.notices.posted) as posted:
        screen.delete("tpl-3")
    hidden = names(screen)

    posted.args[0].undo()

    assert len(hidden) == 2
    assert len(names(screen)) == 3
    assert "tpl-3" in backend.templates


def test_a_deleted_template_goes_when_the_time_is_over(qtbot, screen, backend):
    screen.delete("tpl-3")

    screen.flush()

    qtbot.waitUntil(lambda: "tpl-3" not in backend.templates)


def test_a_flow_is_kept_as_a_template(qtbot, screen, backend):
    with qtbot.waitSignal(screen.saved) as saved:
        screen.save(" Check stock ", "flow-inventory")

    assert backend.templates[saved.args[0]].name == "Check stock"


def test_a_template_that_cannot_be_read_is_shown_as_such(qtbot, screen, backend):
    backend.templates["tpl-9"] = Template(id=TemplateId("tpl-9"), name="Damaged", flow_data={"steps": "none"})

    with qtbot.waitSignal(screen.selection_changed):
        screen.refresh()

    card = next(card for card in screen.cards if card.id == "tpl-9")
    assert card.broken
    assert screen.count(TemplateFilter.READY) == 3
