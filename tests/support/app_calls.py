"""Calls app code the way the engine does, without one."""

from datetime import UTC, datetime
from functools import cache
from typing import Any

from tests.support.patience import PATIENCE
from tests.support.shared_workers import SharedWorkers

from patchbay.domain.base import AppKey, EpochMs
from patchbay.integration.app_definition import Action, App, Trigger
from patchbay.integration.context import (
    Context,
    CurrentAuth,
    CurrentExecution,
    CurrentStep,
    collect_items,
)
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import AppRegistry, load_apps
from patchbay.integration.sandbox import Sandbox

NOON: EpochMs = int(datetime(2026, 3, 2, 12, 0, tzinfo=UTC).timestamp() * 1000)
"""Monday, 2 March 2026, 12:00 UTC."""


@cache
def built_in() -> AppRegistry:
    return load_apps()


def built_in_app(key: str) -> App:
    return built_in().get(AppKey(key))


def built_in_action(app_key: str, key: str) -> Action:
    return built_in().action(AppKey(app_key), key)


def built_in_trigger(app_key: str, key: str) -> Trigger:
    return built_in().trigger(AppKey(app_key), key)


def context(
    app_key: str,
    parameters: dict[str, Any],
    *,
    data: dict[str, Any] | None = None,
    test: bool = False,
    entered: dict[str, Any] | None = None,
    **more: Any,
) -> Context:
    """A context of an app with these parameters, entered like this, and this connection."""
    return Context(
        app=built_in_app(app_key),
        auth=CurrentAuth(data=dict(data or {})),
        step=CurrentStep(app_key=AppKey(app_key), parameters=parameters, entered=entered or {}),
        execution=CurrentExecution(test_run=test),
        **{"now": NOON, **more},
    )


async def act(app_key: str, action: str, parameters: dict[str, Any], **more: Any) -> Any:
    """Run an action and give its output. The network is real."""
    factory, workers = HttpFactory(timeout=PATIENCE), SharedWorkers()
    try:
        given = {"workers": workers, "sandbox": Sandbox(), **more}
        ctx = context(app_key, parameters, http_factory=factory, **given)
        await built_in_action(app_key, action).run(ctx)
    finally:
        await factory.aclose()
    return ctx.action_output


async def items_of(app_key: str, trigger: str, parameters: dict[str, Any], **more: Any) -> list[Any]:
    """Run a trigger and give its items, newest first."""
    factory, workers = HttpFactory(timeout=PATIENCE), SharedWorkers()
    try:
        ctx = context(app_key, parameters, http_factory=factory, **{"workers": workers, **more})
        run = built_in_trigger(app_key, trigger).run
        assert run is not None
        return list(await collect_items(run, ctx))
    finally:
        await factory.aclose()
