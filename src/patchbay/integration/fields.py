"""Builders for auth fields and arguments."""

from collections.abc import Iterable, Mapping, Sequence

from patchbay.domain.base import Json
from patchbay.domain.fields import Argument, ArgumentType, AuthField, Option, Source

Choices = Iterable[Option | str | int | tuple[Json, str]]
YES_NO = ((True, "Yes"), (False, "No"))


def instance_url_field(
    label: str = "Instance URL", placeholder: str = "", description: str = "", *, key: str = "instanceUrl"
) -> AuthField:
    """The auth field for the address of a service that users host themselves."""
    return AuthField(
        key=key, label=label, required=True, placeholder=placeholder or None, description=description
    )


def screen_name_field() -> AuthField:
    """The connection's name, for services that can't report the key's owner."""
    return AuthField(
        key="screenName",
        label="Screen name",
        required=True,
        description="The name of this connection in Patchbay.",
    )


def api_key_field(description: str = "The API key from the service. It's stored encrypted.") -> AuthField:
    """The auth field for an API key."""
    return AuthField(key="apiKey", label="API Key", required=True, description=description)


def api_key_fields() -> tuple[AuthField, ...]:
    """The two fields of an API-key app: Screen name and API Key."""
    return (screen_name_field(), api_key_field())


def text(
    key: str,
    label: str,
    *,
    required: bool = False,
    description: str = "",
    value: Json = None,
    placeholder: str | None = None,
    variables: bool = True,
    multiline: bool = False,
    value_type: str = "string",
    visible_if: Mapping[str, Json] | None = None,
) -> Argument:
    """A text input; accepts variables."""
    return Argument(
        key=key,
        label=label,
        required=required,
        description=description,
        value=value,
        placeholder=placeholder,
        variables=variables,
        multiline=multiline,
        value_type=value_type,
        visible_if=dict(visible_if or {}),
    )


def dropdown(
    key: str,
    label: str,
    options: Choices = (),
    *,
    source: str | Source | None = None,
    within: str | Sequence[str] = (),
    given: Mapping[str, str] | None = None,
    required: bool = False,
    description: str = "",
    value: Json = None,
    variables: bool = False,
    depends_on: Sequence[str] = (),
    more_fields: str | Source | None = None,
    visible_if: Mapping[str, Json] | None = None,
) -> Argument:
    """A dropdown. `options` are values, (value, label) pairs, or `Option`s.

    `source` names a dynamic-data loader instead. `within` are the fields whose values it needs, such as the
    project of a task: they are passed to it, and the options are loaded again when one changes. `given` has
    further parameters of the loader, in which `{parameters.x}` is replaced by another field. `more_fields`
    names a dynamic-fields loader, called with this field's value under its own key.
    """
    parents = (within,) if isinstance(within, str) else tuple(within)
    passed = {parent: f"{{parameters.{parent}}}" for parent in parents} | dict(given or {})
    return Argument(
        key=key,
        label=label,
        type=ArgumentType.DROPDOWN,
        required=required,
        description=description,
        value=value,
        variables=variables,
        options=tuple(map(_option, options)),
        source=_source(source, passed),
        depends_on=(*parents, *depends_on),
        additional_fields=_source(more_fields, {key: f"{{parameters.{key}}}"}),
        visible_if=dict(visible_if or {}),
    )


def rows(
    key: str,
    label: str,
    fields: Sequence[Argument],
    *,
    required: bool = False,
    description: str = "",
    value: Sequence[Mapping[str, Json]] | None = None,
    add: str = "Add row",
    visible_if: Mapping[str, Json] | None = None,
) -> Argument:
    """A list of rows with the same inputs; rows can be added and removed."""
    return Argument(
        key=key,
        label=label,
        type=ArgumentType.DYNAMIC,
        required=required,
        description=description,
        value=[dict(row) for row in value] if value is not None else None,
        fields=tuple(fields),
        add_button_label=add,
        visible_if=dict(visible_if or {}),
    )


def name_value_rows(
    key: str,
    label: str,
    *,
    description: str = "",
    value: Sequence[Mapping[str, Json]] | None = None,
    add: str = "Add row",
    visible_if: Mapping[str, Json] | None = None,
) -> Argument:
    """Rows of name and value, such as headers and query parameters."""
    pair = (text("key", "Name", required=True), text("value", "Value", required=True))
    return rows(key, label, pair, description=description, value=value, add=add, visible_if=visible_if)


def code(
    key: str,
    label: str,
    *,
    required: bool = False,
    description: str = "",
    value: str = "",
    language: str = "javascript",
) -> Argument:
    """A code input with its own editor. Variables aren't replaced in it; pass them as other arguments."""
    return Argument(
        key=key,
        label=label,
        type=ArgumentType.CODE,
        required=required,
        description=description,
        value=value or None,
        multiline=True,
        value_type="verbatim",
        language=language,
    )


def _option(choice: Option | str | int | tuple[Json, str]) -> Option:
    if isinstance(choice, Option):
        return choice
    value, label = choice if isinstance(choice, tuple) else (choice, str(choice))
    return Option(label=label, value=value)


def _source(source: str | Source | None, given: Mapping[str, str]) -> Source | None:
    return Source(loader=source, parameters=dict(given)) if isinstance(source, str) else source
