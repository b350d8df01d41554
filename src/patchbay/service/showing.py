"""What a flow shows beyond what is stored: addresses of icons and webhooks, and who may call those."""

from collections.abc import Iterable, Mapping

from patchbay.domain.apps import AppInfo, TriggerKind, verifies_calls
from patchbay.domain.base import AppKey, FlowId
from patchbay.domain.flows import Flow, Step, StepType

_TRUE_VALUES = (True, "true")


def with_addresses(flow: Flow, apps: Mapping[AppKey, AppInfo], base: str | None) -> Flow:
    """The flow with icon addresses and, where it starts by webhook, the full address that starts it."""
    return flow.model_copy(update={"steps": steps_with_addresses(flow.id, flow.steps, apps, base)})


def steps_with_addresses(
    flow_id: FlowId, steps: Iterable[Step], apps: Mapping[AppKey, AppInfo], base: str | None
) -> tuple[Step, ...]:
    """The same for the steps alone, such as those of a version."""
    return tuple(_with_step_addresses(flow_id, step, apps, base) for step in steps)


def without_addresses(step: Step) -> Step:
    """What is frozen: addresses may change while a version lives."""
    return step.model_copy(update={"webhook_url": None, "webhook_signed": None, "icon_url": None})


def starts_by_webhook(step: Step, app: AppInfo | None) -> bool:
    trigger = app.trigger(step.key) if app and step.type is StepType.TRIGGER else None
    return trigger is not None and trigger.kind is TriggerKind.WEBHOOK


def webhook_path(flow_id: FlowId, step: Step) -> str:
    """Where a webhook trigger is called; `/sync` waits for the flow's own answer."""
    synchronous = step.parameters.get("workSynchronously") in _TRUE_VALUES
    return f"/webhooks/flows/{flow_id}" + ("/sync" if synchronous else "")


def _with_step_addresses(
    flow_id: FlowId, step: Step, apps: Mapping[AppKey, AppInfo], base: str | None
) -> Step:
    app = apps.get(step.app_key or "")
    shown: dict[str, object] = {"icon_url": app.icon_url if app else None}
    trigger = app.trigger(step.key) if app and starts_by_webhook(step, app) else None
    if app and trigger:
        shown["webhook_signed"] = verifies_calls(apps, app, trigger, connected=step.expects_connection)
        if base is not None:
            shown["webhook_url"] = f"{base.rstrip('/')}{webhook_path(flow_id, step)}"
    return without_addresses(step).model_copy(update=shown)
