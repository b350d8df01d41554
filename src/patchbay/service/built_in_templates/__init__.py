"""The templates that are part of Patchbay. Each JSON file of this folder is a group of them.

They are read when templates are listed or used for the first time, and never stored in a workspace. A step
has the keys of its app and event, and parameters. Parameters refer to earlier steps by number
(`{{step.1.title}}`), and to the values that the template asks for by key (`{{input.city}}`).
"""

from functools import cache
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from patchbay.domain.base import AppKey, FlowId, JsonObject, Model, StepId, TemplateId
from patchbay.domain.flows import FlowExport, StepExport, StepType
from patchbay.domain.folders import Template, TemplateInput

_FOLDER = Path(__file__).parent


class _Step(Model):
    app: AppKey
    event: str
    name: str | None = None
    parameters: JsonObject = {}


class _TemplateEntry(Model):
    key: str
    name: str
    description: str
    needs: str = ""
    inputs: tuple[TemplateInput, ...] = ()
    steps: tuple[_Step, ...]


class _Group(Model):
    name: str
    templates: tuple[_TemplateEntry, ...]


@cache
def built_in_templates() -> tuple[Template, ...]:
    """All built-in templates, in the order of their groups' file names. Their IDs never change."""
    groups = (_Group.model_validate_json(file.read_bytes()) for file in sorted(_FOLDER.glob("*.json")))
    return tuple(_template(entry, group.name) for group in groups for entry in group.templates)


def _template(entry: _TemplateEntry, category: str) -> Template:
    flow_id = str(uuid5(NAMESPACE_URL, f"patchbay:template:{entry.key}"))
    steps = tuple(_step_export(step, number) for number, step in enumerate(entry.steps, 1))
    export = FlowExport(id=FlowId(flow_id), name=entry.name, steps=steps)
    return Template(
        id=TemplateId(flow_id),
        name=entry.name,
        description=entry.description,
        category=category,
        needs=entry.needs,
        inputs=entry.inputs,
        built_in=True,
        flow_data=export.wire(),
    )


def _step_export(step: _Step, number: int) -> StepExport:
    return StepExport(
        id=StepId(str(number)),
        type=StepType.TRIGGER if number == 1 else StepType.ACTION,
        app_key=step.app,
        key=step.event,
        name=step.name,
        parameters=step.parameters,
        position=number,
    )
