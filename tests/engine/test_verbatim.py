"""Arguments in which references are not replaced."""

from patchbay.domain.fields import Argument
from patchbay.engine.parameters import resolve_parameters


def test_a_verbatim_argument_keeps_its_references_and_the_others_get_values():
    arguments = (
        Argument(key="sql", label="SQL", value_type="verbatim"),
        Argument(key="value", label="Value"),
    )
    entered = {"sql": "SELECT {{step.a.id}}", "value": "{{step.a.id}}"}

    resolved = resolve_parameters(arguments, entered, {"a": {"id": 7}})

    assert resolved == {"sql": "SELECT {{step.a.id}}", "value": "7"}
