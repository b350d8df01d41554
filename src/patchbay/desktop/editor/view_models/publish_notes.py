"""What to know before a flow is published: what it may start, and what it stores."""

from collections.abc import Mapping
from dataclasses import dataclass

from patchbay.desktop.core.language import tr
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey, get_optional
from patchbay.domain.desktop import COPIED_TEXT_EVENTS
from patchbay.domain.flows import Flow, Step, StepType


@dataclass(frozen=True)
class PublishNote:
    """What to know about a step before its flow is published."""

    step: Step
    text: str


def find_publish_notes(flow: Flow, apps: Mapping[AppKey, AppInfo]) -> tuple[PublishNote, ...]:
    """Return what publishing this flow allows or stores, in step order."""
    return tuple(
        PublishNote(step, text)
        for step in flow.steps
        if (text := _publish_note(step, get_optional(apps, step.app_key)))
    )


def _publish_note(step: Step, app: AppInfo | None) -> str:
    if (step.app_key, step.key) in COPIED_TEXT_EVENTS:
        if step.type is StepType.TRIGGER:
            return tr("Each text that you copy is stored with an execution, unless it is marked as secret")
        return tr("The text on the clipboard is stored with each execution, unless it is marked as secret")
    event = app.listed_event(step.key) if app is not None else None
    program = step.parameters.get(event.program_argument) if event and event.program_argument else None
    if program:
        return tr("Each run can start {program} with the rights of Patchbay", program=program)
    return ""
