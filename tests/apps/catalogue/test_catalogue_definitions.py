"""Each app of the catalogue has the keys, fields, arguments, and lists of the facts."""

import pytest
from tests.support.catalogue import facts
from tests.support.catalogue.comparison import argument_differences, field_differences
from tests.support.catalogue.facts import APPS, assert_agrees, covered, event_of, places, the_app

from patchbay.domain.fields import AuthField

REASON_LENGTH = 15


@pytest.mark.parametrize("key", covered())
def test_an_app_has_the_keys_of_the_facts(key: str):
    app, own = the_app(key), facts.facts()[key]
    ours = {
        "trigger": [trigger.key for trigger in app.triggers],
        "action": [action.key for action in app.actions],
        "list": [loader.key for loader in (*app.dynamic_data, *app.dynamic_fields)],
    }
    theirs = {
        "trigger": [trigger["key"] for trigger in own["triggers"]],
        "action": [action["key"] for action in own["actions"]],
        "list": [loader["key"] for loader in own.get("dynamic", ())],
    }

    found = [
        f"there is no {what} {name}" for what in theirs for name in theirs[what] if name not in ours[what]
    ]
    found += [
        f"the {what} {name} isn't in the facts"
        for what in ours
        for name in ours[what]
        if name not in theirs[what] and f"{what} {name}" != "action apiRequest"
    ]
    found += [f"the base URL is {app.base_url}"] if own["baseUrl"] not in ("", app.base_url) else []
    theirs_at = own["apiBaseUrl"].rstrip("/")
    if theirs_at and app.api_base_url.rstrip("/") != theirs_at:
        found.append(f"the API base URL is {app.api_base_url}")
    assert_agrees(key, "app", found)


@pytest.mark.parametrize("key", [key for key in covered() if facts.facts()[key]["auth"].get("fields")])
def test_a_connection_has_the_fields_of_the_facts(key: str):
    auth = the_app(key).auth
    ours: tuple[AuthField, ...] = auth.fields if auth else ()

    assert_agrees(key, "auth fields", field_differences(ours, facts.facts()[key]["auth"]["fields"]))


@pytest.mark.parametrize(("key", "event"), facts.events("triggers"))
def test_a_trigger_has_the_arguments_of_the_facts(key: str, event: str):
    own = event_of(key, "triggers", event)
    trigger = next((one for one in the_app(key).triggers if one.key == event), None)

    found = list(argument_differences(trigger.arguments, own["arguments"])) if trigger else []
    kind = "event" if own["type"] == "internal" else own["type"]
    if trigger is not None and trigger.kind != kind:
        found.append(f"it is a {trigger.kind} trigger")
    assert_agrees(key, f"trigger {event}", found)


@pytest.mark.parametrize(("key", "event"), facts.events("actions"))
def test_an_action_has_the_arguments_of_the_facts(key: str, event: str):
    action = next((one for one in the_app(key).actions if one.key == event), None)

    own = event_of(key, "actions", event)
    assert_agrees(
        key, f"action {event}", argument_differences(action.arguments, own["arguments"]) if action else []
    )


def test_no_app_is_missing():
    assert [key for key in facts.facts() if not (APPS / key / "__init__.py").exists()] == []


@pytest.mark.parametrize(
    "path", sorted((facts.FOLDER / "deviations").glob("*.json")), ids=lambda path: path.stem
)
def test_a_deviation_names_what_it_is_about_and_has_a_reason(path):
    listed = facts.deviations(path.stem)

    assert path.stem in covered()
    assert [text for text in listed if text.partition(": ")[0] not in places(path.stem)] == []
    assert [text for text, reason in listed.items() if len(reason) < REASON_LENGTH] == []
