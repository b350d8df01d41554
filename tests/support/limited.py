"""A workspace that offers the interface and nothing beyond it, as other services do."""

from typing import Any

from tests.support.fake_backend import FakeBackend

from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.errors import NotSupported
from patchbay.domain.flows import Flow

NEEDS: dict[Feature, set[str]] = {
    Feature.CONNECTIONS: {
        "list_connections",
        "get_connection",
        "add_connection",
        "reconnect",
        "begin_sign_in",
        "finish_sign_in",
        "submit_callback",
        "cancel_sign_in",
        "duplicate_connection",
        "test_connection",
        "rename_connection",
        "set_connection_rate_limit",
        "delete_connection",
        "restore_connection",
        "secrets_state",
        "move_secrets",
        "change_secrets_key",
        "discard_lost_secrets",
    },
    Feature.EDIT_FLOWS: {
        "update_flow",
        "change_flow_settings",
        "pause_flow",
        "resume_flow",
        "move_flow",
        "duplicate_flow",
        "restore_flow",
        "import_flow",
        "import_and_publish_flow",
        "import_and_publish_flows",
        "export_flow",
        "add_step",
        "update_step",
        "move_step",
        "delete_step",
        "restore_step",
        "test_step",
        "skip_step_test",
        "preview_schedule",
        "dynamic_options",
        "dynamic_fields",
    },
    Feature.RUN_FLOWS: {"run_flow", "list_tools", "call_tool"},
    Feature.STEP_RESULTS: {"execution_steps", "step_samples"},
    Feature.STATISTICS: {"histogram"},
    Feature.RUN_CONTROL: {
        "cancel_execution",
        "resume_execution",
        "retry_execution",
        "continue_execution",
        "replay_execution",
        "retry_executions",
        "bulk_retry",
        "cancel_bulk_retry",
    },
    Feature.ENGINE: {
        "pause_runs",
        "resume_runs",
        "engine_settings",
        "change_engine_settings",
        "storage_usage",
        "clean_up_history",
    },
    Feature.SEARCH: {"search_executions"},
    Feature.ACCESS: {"list_api_keys", "create_api_key", "revoke_api_key", "audit_log"},
    Feature.PEOPLE: {"create_user", "update_user"},
    Feature.ADDRESS: {"service_settings", "change_service_settings", "test_public_address"},
}
"""Which operations need what; the rest is the interface itself."""


def reason(feature: Feature) -> str:
    return f"This service does not offer {feature.value} over its API; open its web page."


class LimitedBackend(FakeBackend):
    """Refuses what the interface does not offer, and remembers what was asked all the same."""

    def __init__(self) -> None:
        super().__init__(executions=60)
        lacking = [feature for feature in Feature if feature is not Feature.CHANGES]
        self.capabilities = Capabilities(unavailable={feature: reason(feature) for feature in lacking})
        self.refused: list[str] = []
        self._why = {name: feature for feature, names in NEEDS.items() for name in names}

    async def _enter(self, name: str, *arguments: Any) -> None:
        if feature := self._why.get(name):
            self.refused.append(name)
            raise NotSupported(reason(feature), feature=feature)
        await super()._enter(name, *arguments)

    async def use_template(self, template_id: str, user_id: str | None = None) -> Flow:
        return await self.create_flow(self.templates[template_id].name)
