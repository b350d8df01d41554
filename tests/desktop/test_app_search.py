"""The search for apps: names, keywords, categories, and events, the best name first."""

import pytest

from patchbay.desktop.core.app_search import app_rank
from patchbay.desktop.editor.view_models.event_catalog import (
    EventChoice,
    EventGroup,
    _event_choice,
    filter_groups,
)
from patchbay.desktop.my_apps.view_models.app_list import app_rows, search_rows
from patchbay.domain.apps import AppInfo, EventInfo
from patchbay.domain.base import AppKey
from patchbay.integration.registry import AppRegistry, listed_built_in_apps

BUILT_IN = AppRegistry(listed_built_in_apps()).infos()


def _app(name: str, **more: object) -> AppInfo:
    return AppInfo(key=AppKey(name.lower()), name=name, supports_connections=True, **more)  # type: ignore[arg-type]


def _found(query: str, apps: tuple[AppInfo, ...]) -> list[str]:
    return [row.app.name for row in search_rows(app_rows(apps, ()), query)]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("spreadsheet", {"Google Sheets", "Airtable"}),
        ("newsletter", {"Mailchimp", "MailerLite"}),
        ("sms", {"Twilio", "SignalWire"}),
        ("kanban", {"Trello"}),
        ("crm", {"HubSpot", "Pipedrive", "Salesforce"}),
    ],
)
def test_a_synonym_or_a_category_finds_built_in_apps(query, names):
    assert names <= {*_found(query, BUILT_IN)}


def test_an_event_finds_its_app():
    app = _app("Tally", events=(EventInfo(key="a", name="New submission"),))

    assert _found("submission", (app, _app("Other"))) == ["Tally"]


def test_names_come_before_keywords_categories_events_and_descriptions():
    apps = (
        _app("E", description="Reads mailboxes and mail."),
        _app("D", events=(EventInfo(key="a", name="Mail a report"),)),
        _app("C", category="Mail"),
        _app("B", keywords=("mail",)),
        _app("Gmail"),
        _app("Mailchimp"),
        _app("Mail"),
    )

    assert _found("mail", apps) == ["Mail", "Mailchimp", "Gmail", "B", "C", "D", "E"]


def test_words_of_a_search_may_be_in_different_texts():
    app = _app("Slack", category="Chat", keywords=("team",))

    assert app_rank("team slack", app) is not None
    assert app_rank("team teapot", app) is None


@pytest.mark.parametrize(
    ("query", "event"),
    [
        ("change text", "formatter.text"),
        ("uppercase", "formatter.text"),
        ("lower case", "formatter.text"),
        ("calculate", "formatter.numbers"),
        ("time zone", "formatter.date-time"),
        ("only if", "filter.continueIfMatches"),
        ("duplicate", "filter.continueOnlyOnce"),
        ("wait", "delay.delayFor"),
        ("look up", "datastore.getValue"),
        ("save", "datastore.setValue"),
        ("script", "code.runPython"),
        ("call an api", "http-request.customRequest"),
        ("daily", "scheduler.everyDay"),
        ("monthly", "scheduler.everyMonth"),
        ("receive", "webhook.catchRawWebhook"),
        ("reply", "webhook.respondWith"),
    ],
)
def test_everyday_words_find_built_in_events(query: str, event: str) -> None:
    groups = (EventGroup(app, tuple(map(_event_choice, app.events or ()))) for app in BUILT_IN)

    found = filter_groups(groups, query)

    assert event in {f"{group.app.key}.{choice.key}" for group in found for choice in group.events}


def test_a_keyword_of_an_event_leaves_out_the_other_events_of_its_app():
    change = EventChoice("text", "Text", "", keywords=("uppercase",))
    group = EventGroup(_app("Formatter"), (EventChoice("numbers", "Numbers", ""), change))

    (found,) = filter_groups(iter((group,)), "uppercase")

    assert found.events == (change,)


def test_the_picker_offers_the_best_app_first_and_only_matching_events_of_others():
    form, mail = EventChoice("form", "New form", ""), EventChoice("mail", "Send mail", "")
    other = EventGroup(_app("Acme"), (form, mail))
    named = EventGroup(_app("Mail"), (form,))

    first, second = filter_groups(iter((other, named)), "mail")

    assert (first.app.name, second.app.name) == ("Mail", "Acme")
    assert second.events == (mail,)
