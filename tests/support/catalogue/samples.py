"""Sample values for connections and parameters."""

import re
from typing import Any

from tests.support.catalogue.facts import Facts, facts, responses, stored_names, the_app

from patchbay.domain.fields import AuthField

SERVICE = "https://service.example.com"
_NUMERIC = re.compile(
    r"limit|count|max|temperature|number|amount|price|port|size|penalty|topp|quantity|duration|seconds|delay|wait",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"url$|domain$|site_url", re.IGNORECASE)


def auth_data(key: str) -> dict[str, Any]:
    """The values of a connection after it was verified."""
    app = the_app(key)
    fields = app.auth.fields if app.auth else ()
    data: dict[str, Any] = {name: _auth_value(AuthField(key=name, label=name)) for name in stored_names(key)}
    data |= {field.key: _field_value(field) for field in fields}
    if app.auth and app.auth.generate_auth_url is not None:
        data |= {"accessToken": "secret-accessToken-0123456789"}
    data |= {"tokenType": "Bearer", "screenName": "Sample connection"} | responses(key).get("$auth", {})
    return data


def _field_value(field: AuthField) -> Any:
    if field.value is not None:
        return field.value
    return field.options[0].value if field.options else _auth_value(field)


def _auth_value(field: AuthField) -> str:
    if field.is_secret:
        return f"secret-{field.key}-0123456789"
    return SERVICE if _ADDRESS.search(field.key) else f"sample-{field.key}"


def secrets(key: str) -> list[str]:
    """The secrets in `auth_data`."""
    return [value for value in auth_data(key).values() if str(value).startswith("secret-")]


def _argument_value(argument: Facts) -> Any:
    if argument.get("default") not in (None, ""):
        return argument["default"]
    if options := argument.get("options") or argument.get("optionsSample"):
        return options[0]
    if argument["type"] == "dynamic":
        return [{field["key"]: _argument_value(field) for field in argument.get("fields", ())}]
    return "5" if _NUMERIC.search(argument["key"]) else f"sample-{argument['key']}"


def parameter_sets(key: str, event: Facts) -> list[dict[str, Any]]:
    """Parameters with all inputs filled, with the required ones only, and the variants of the author."""
    given = responses(key).get("$parameters", {})
    own = {**given.get("*", {}), **given.get(event["key"], {})}
    arguments = event.get("arguments", ())
    every = {argument["key"]: _argument_value(argument) for argument in arguments}
    # A list is loaded with the values of other fields.
    every |= {name: f"sample-{name}" for name in _list_parameters(key, event)}
    required = {argument["key"] for argument in arguments if argument["required"]}
    required |= _required_here(key, event["key"])
    full = {**every, **{name: value for name, value in own.items() if name in every or not arguments}}
    full |= given.get(event["key"], {})
    least = {name: value for name, value in full.items() if name in required}
    variants = [{**full, **more} for more in responses(key).get("$variants", {}).get(event["key"], ())]
    return [full, least, *variants] if arguments else [full, *variants]


def _required_here(key: str, event_key: str) -> set[str]:
    """What the app itself requires, so that a step never runs without it."""
    app = the_app(key)
    events = [event for event in (*app.triggers, *app.actions) if event.key == event_key]
    return {argument.key for event in events for argument in event.arguments if argument.required}


def _list_parameters(key: str, loader: Facts) -> set[str]:
    """What the arguments that use a list pass to it."""
    own = facts()[key]
    used = [
        argument for kind in ("triggers", "actions") for event in own[kind] for argument in event["arguments"]
    ]
    used += [field for argument in used for field in argument.get("fields", ())]
    return {
        name
        for argument in used
        if loader["key"] in (argument.get("dynamicData"), argument.get("dynamicFields"))
        for name in argument.get("dynamicDataParams", ())
    }
