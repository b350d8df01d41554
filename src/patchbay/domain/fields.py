"""Field definitions for generated forms: the fields of a connection (`AuthField`) and a step (`Argument`)."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from patchbay.domain.base import Json, JsonObject, Model

SCREEN_NAME = "screenName"
"""Key of the auth field with the connection's name."""
CA_CERTIFICATE, TRUSTED_CERTIFICATE = "caCertificate", "trustedCertificate"
"""Keys of the auth fields with server certificates to trust besides those that the system trusts."""
CLIENT_CERTIFICATE, CLIENT_KEY = "clientCertificate", "clientKey"
"""Keys of the auth fields with the certificate that a connection shows, and its private key."""
PEM_FIELDS = (CA_CERTIFICATE, CLIENT_CERTIFICATE, CLIENT_KEY)
"""Keys of the auth fields with the content of a PEM file."""
MAX_SECRET_LENGTH = 16_384
"""Maximum length of a secret. Everything that a service sends is searched for it, which takes time."""
_WITH_CREDENTIALS = re.compile(r"\s*[a-z][a-z0-9+.-]*://[^/?#\\]*@", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{(parameters|fieldsScope|outerScope)\.([^{}]+)\}")
_SECRET_WORDS = ("key", "token", "secret", "password", "passphrase", "credential")
_NOT_SECRET = ("keyid", "publickey", "clientid", "tokentype", "tokenurl")

LoaderScopes = Mapping[str, Mapping[str, Json]]
"""Values by scope: `parameters` of the step, `fieldsScope` of the row, `outerScope` of the outermost row."""


class Option(Model):
    """One choice of a dropdown."""

    label: str
    value: Json = None


class AuthField(Model):
    """A field of a connection form.

    With `options` it's a dropdown. If `secret` is None, the key's name decides (`is_secret`). Third-party
    servers send the properties up to `click_to_copy`; the others are Patchbay's own.
    """

    key: str
    label: str
    type: str = "string"
    required: bool = False
    read_only: bool = False
    value: Json = None
    placeholder: str | None = None
    description: str = ""
    click_to_copy: bool = False
    options: tuple[Option, ...] = ()
    secret: bool | None = None
    visible_if: dict[str, Json] = {}
    """The field is shown and used only while each field named here has this value, or one of a list of
    values.
    """
    decides_destination: bool | None = None
    """Whether the value decides where secrets are sent, or how they are protected in transit.

    Changing such a field requires entering the secrets again. None: see `is_destination`.
    """

    @property
    def is_destination(self) -> bool:
        """`decides_destination`; if None, true except for secrets, read-only fields, and the screen name."""
        if self.decides_destination is not None:
            return self.decides_destination
        return not (self.is_secret or self.read_only or self.key == SCREEN_NAME)

    @property
    def is_secret(self) -> bool:
        """Whether the value is masked, encrypted, and write-only."""
        if self.secret is not None:
            return self.secret
        key = self.key.lower()
        return any(word in key for word in _SECRET_WORDS) and not key.endswith(_NOT_SECRET)


class ArgumentType(StrEnum):
    """The kind of editor for a step argument."""

    STRING = "string"
    DROPDOWN = "dropdown"
    DYNAMIC = "dynamic"
    CODE = "code"
    CONDITIONS = "conditions"
    """Groups of and/or conditions: `{"or": [{"and": [{"key", "operator", "value"}]}]}` (filter app)."""


class Source(Model):
    """Where options or additional fields are loaded from.

    `loader` names a dynamic-data or dynamic-fields loader of the app; `parameters` are its arguments.
    `{parameters.x}` in them is replaced by another field's value. Nothing is loaded while that is empty.
    """

    loader: str
    parameters: dict[str, str] = {}


class Argument(Model):
    """A field of a trigger or action."""

    key: str
    label: str
    type: ArgumentType = ArgumentType.STRING
    required: bool = False
    description: str = ""
    placeholder: str | None = None
    variables: bool = False
    """Whether `{{step.…}}` references can be inserted. A dropdown then also accepts typed text."""
    multiline: bool = False
    value: Json = None
    """Preset; for `dynamic` a list of rows."""
    options: tuple[Option, ...] = ()
    source: Source | None = None
    depends_on: tuple[str, ...] = ()
    """Changing one of these fields clears this one."""
    additional_fields: Source | None = None
    fields: tuple["Argument", ...] = ()
    """The fields of each row of a `dynamic` argument."""
    add_button_label: str = "Add row"
    value_type: str = "string"
    """`parse`: once references are replaced, the text is parsed as JSON.

    Numbers stay text to keep long IDs exact.

    `typed`: a text that consists of one reference to a number or boolean becomes that value.

    `verbatim`: references are not replaced, so that no value can change a program or SQL statement.
    """
    language: str = ""
    """Syntax highlighting and indentation of a `code` argument: `python` or `javascript`."""
    visible_if: dict[str, Json] = {}
    """The field is shown only while each parameter named here has this value, or one of a list of values."""


def is_visible(field: Argument | AuthField, values: Mapping[str, Json]) -> bool:
    """Whether the field is shown for the values entered so far."""
    return values_match(field.visible_if, values)


def values_match(conditions: Mapping[str, Json], values: Mapping[str, Json]) -> bool:
    """Whether each value named by a condition equals the expected one, or is in the expected list."""
    return all(
        (values.get(key) in expected if isinstance(expected, list) else values.get(key) == expected)
        for key, expected in conditions.items()
    )


def is_empty(value: Json) -> bool:
    """Whether the field was left empty; `False` and `0` count as values."""
    return value is None or value == "" or value == [] or value == {}


def defaults(arguments: tuple[Argument, ...]) -> JsonObject:
    """The preset values of a new step."""
    return {item.key: item.value for item in arguments if item.value is not None}


def parameters_with_references(arguments: Iterable[Argument], parameters: JsonObject) -> JsonObject:
    """The parameters whose references are replaced: those of arguments with `variables`, and unknown ones."""
    arguments = tuple(arguments)
    fixed = {item.key for item in arguments if not accepts_references(item)}
    found = {key: value for key, value in parameters.items() if key not in fixed}
    for item in arguments:
        if item.type is ArgumentType.DYNAMIC and isinstance(entered := found.get(item.key), list):
            found[item.key] = [
                parameters_with_references(item.fields, row) if isinstance(row, dict) else row
                for row in entered
            ]
    return found


def accepts_references(argument: Argument) -> bool:
    """Whether the argument, or its rows, can refer to values of other steps."""
    if argument.value_type == "verbatim":
        return False
    return argument.variables or argument.type in (ArgumentType.DYNAMIC, ArgumentType.CONDITIONS)


def missing_required(arguments: tuple[Argument, ...], parameters: Mapping[str, Json]) -> list[Argument]:
    """Required, visible arguments without a value, in the order of the form."""
    return [
        item
        for item in arguments
        if item.required and is_visible(item, parameters) and is_empty(parameters.get(item.key))
    ]


def missing_in_rows(
    arguments: tuple[Argument, ...], parameters: Mapping[str, Json]
) -> list[tuple[Argument, int, Argument]]:
    """Required fields without a value in the rows of required arguments: argument, row number, and field.

    Rows of optional arguments may be incomplete: an empty one is the same as none.
    """
    return [
        (item, number, field)
        for item in arguments
        if item.required and item.fields and is_visible(item, parameters)
        for number, row in enumerate(_rows(parameters.get(item.key)), 1)
        for field in missing_required(item.fields, row)
    ]


def _rows(value: Json) -> list[JsonObject]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def loader_arguments(source: Source, scopes: LoaderScopes) -> tuple[JsonObject, str]:
    """The loader's arguments with the values of other fields filled in, and the first field that is empty."""
    loaded: JsonObject = {}
    for name, template in source.parameters.items():
        whole = _PLACEHOLDER.fullmatch(template)
        found = [(match[1], match[2]) for match in _PLACEHOLDER.finditer(template)]
        for scope, key in found:
            if is_empty(scopes.get(scope, {}).get(key)):
                return {}, key
        if whole:
            loaded[name] = scopes[whole[1]][whole[2]]
        else:
            loaded[name] = _PLACEHOLDER.sub(lambda match: str(scopes[match[1]][match[2]]), template)
    return loaded, ""


def validate_auth_values(fields: tuple[AuthField, ...], values: Mapping[str, Json]) -> dict[str, list[str]]:
    """Error messages by field key for the values of a connection form; empty if all are valid."""
    found: dict[str, list[str]] = {}
    for field in fields:
        value = values.get(field.key)
        if field.read_only or not is_visible(field, values):
            continue
        if problem := _find_problem(field, value):
            found[field.key] = [problem]
    return found


def _find_problem(field: AuthField, value: Json) -> str:
    """The error message for a value; empty if it's valid."""
    if is_empty(value):
        return f"Enter {field.label}." if field.required else ""
    if field.is_secret and len(str(value)) > MAX_SECRET_LENGTH:
        return (
            f"{field.label} is longer than {MAX_SECRET_LENGTH:,} characters. "
            "Check that you pasted the right text."
        )
    if not field.is_secret and isinstance(value, str) and _WITH_CREDENTIALS.match(value):
        return (
            f"Remove the user name and password from {field.label}. It isn't secret and is shown to others."
        )
    # Compared as text, since forms and commands send booleans as words.
    offered = {str(option.value).lower() for option in field.options}
    if offered and str(value).lower() not in offered:
        return f"Choose one of the options for {field.label}."
    return ""
