"""Describes apps for clients: as a list shows them, and with their forms."""

from patchbay.domain.apps import ActionInfo, AppInfo, AuthInfo, EventInfo, TriggerInfo
from patchbay.domain.base import AppKey
from patchbay.integration.app_definition import Action, App, Trigger
from patchbay.integration.credential_destinations import auth_fields


def describe_listed(app: App) -> AppInfo:
    """What lists show of an app. Its addresses still contain placeholders."""
    return AppInfo(
        key=app.app_key,
        name=app.name,
        icon_url=app.icon_url,
        auth_doc_url=app.auth_doc_url,
        supports_connections=app.supports_connections,
        supports_oauth_clients=app.auth is not None and app.auth.generate_auth_url is not None,
        base_url=app.base_url,
        api_base_url=app.api_base_url,
        primary_color=app.primary_color,
        description=app.description,
        category=app.category,
        keywords=tuple(app.keywords),
        icon_svg=app.icon_svg,
        rate_limit=app.rate_limit,
        events=tuple(_listed_event(app, event) for event in (*app.triggers, *app.actions)),
    )


def describe_fully(app: App) -> AppInfo:
    """The app with its set-up guide, connection form, triggers, and actions."""
    auth = (
        AuthInfo(
            fields=auth_fields(app),
            uses_browser=app.auth.generate_auth_url is not None,
            browser_if=app.auth.browser_if,
            verifies_calls=app.auth.verify_webhook is not None,
        )
        if app.auth
        else None
    )
    return describe_listed(app).model_copy(
        update={
            "docs_markdown": app.docs_markdown,
            "auth": auth,
            "triggers": tuple(map(_trigger_info, app.triggers)),
            "actions": tuple(map(_action_info, app.actions)),
        }
    )


def _listed_event(app: App, event: Trigger | Action) -> EventInfo:
    own = app.key if app.supports_connections and event.supports_connections else None
    provider = event.connection_app or own
    return EventInfo(
        key=event.key,
        name=event.name,
        description=event.description,
        keywords=event.keywords,
        kind=event.shown_kind if isinstance(event, Trigger) else None,
        connection_app=None if provider is None else AppKey(provider),
        needs_connection=provider is not None and not event.connection_optional,
        uses_desktop=event.uses_desktop,
        program_argument=event.program_argument if isinstance(event, Action) else "",
    )


def _trigger_info(trigger: Trigger) -> TriggerInfo:
    return TriggerInfo(
        key=trigger.key,
        name=trigger.name,
        description=trigger.description,
        kind=trigger.shown_kind,
        poll_interval=trigger.poll_interval,
        show_webhook_url=trigger.show_webhook_url,
        shows_page=trigger.shows_page,
        row_output=trigger.row_output,
        verifies_calls=trigger.verify_webhook is not None,
        supports_connections=trigger.supports_connections,
        connection_app=None if trigger.connection_app is None else AppKey(trigger.connection_app),
        connection_optional=trigger.connection_optional,
        arguments=trigger.arguments,
    )


def _action_info(action: Action) -> ActionInfo:
    return ActionInfo(
        key=action.key,
        name=action.name,
        description=action.description,
        supports_connections=action.supports_connections,
        connection_app=None if action.connection_app is None else AppKey(action.connection_app),
        connection_optional=action.connection_optional,
        arguments=action.arguments,
        preview=action.preview,
        time_limit=action.time_limit,
        parks=action.parks,
    )
