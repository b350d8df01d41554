"""Maps arguments to field editors."""

from patchbay.desktop.editor.fields.base import FieldEditor, FieldHost, Row, UnknownField
from patchbay.desktop.editor.fields.choice import ChoiceField
from patchbay.desktop.editor.fields.code import CodeField
from patchbay.desktop.editor.fields.conditions import ConditionsField
from patchbay.desktop.editor.fields.row_fields import RowsField
from patchbay.desktop.editor.fields.variable_text import ValueTextField
from patchbay.domain.fields import Argument, ArgumentType


def make_editor(argument: Argument, host: FieldHost, row: Row | None = None) -> FieldEditor:
    """Create the editor of an argument; `row`: the other values of its dynamic row."""
    if argument.type is ArgumentType.STRING:
        return ValueTextField(
            host,
            multiline=argument.multiline,
            placeholder=argument.placeholder or "",
            values=argument.variables,
            preferred_type=argument.value_type,
        )
    if argument.type is ArgumentType.DROPDOWN:
        return ChoiceField(argument, host, row)
    if argument.type is ArgumentType.DYNAMIC:
        return RowsField(argument, host, make_editor)
    if argument.type is ArgumentType.CODE:
        return CodeField(argument.language, argument.placeholder or "")
    if argument.type is ArgumentType.CONDITIONS:
        return ConditionsField(host)
    return UnknownField(str(argument.type))
