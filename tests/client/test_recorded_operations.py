"""Every operation at a service that is not ours: it works, or is declined before it is tried."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.recorded_client import Pair, recorded

from patchbay.client.remote import RemoteBackend
from patchbay.domain.access import Scope
from patchbay.domain.audit_log import AuditFilter
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import FlowId
from patchbay.domain.connections import SecretsStorage
from patchbay.domain.engine import EngineSettings, EngineState
from patchbay.domain.errors import NotSupported
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import FlowExport, FlowFilter, FlowSettings, StepChange
from patchbay.domain.hosting import ServiceSettings
from patchbay.domain.paging import PageRequest

PAGE = PageRequest()
FLOW = "f1000001-0b1c-4d2e-8f30-000000000001"
RUN = "e1000001-0b1c-4d2e-8f30-000000000001"
FOLDER = "b1000001-0b1c-4d2e-8f30-000000000001"
TEMPLATE = "b5000001-0b1c-4d2e-8f30-000000000001"
CLERK = "d1f0a3c2-7b6e-4f55-8a90-22c2d3e4f5a6"

WORKS: dict[str, tuple[Any, ...]] = {
    "info": (),
    "health": (),
    "history_copy": (),
    "start_history_download": (),
    "stop_history_download": (),
    "list_apps": (),
    "get_app": ("rss",),
    "list_executions": (ExecutionFilter(), PAGE),
    "count_executions": (ExecutionFilter(),),
    "get_execution": (RUN,),
    "list_flows": (FlowFilter(), PAGE),
    "get_flow": (FLOW,),
    "flow_activity": ([FLOW],),
    "create_flow": (),
    "export_flow": (FLOW,),
    "publish_flow": (FLOW,),
    "unpublish_flow": (FLOW,),
    "list_folders": (),
    "folder_stats": (),
    "create_folder": ("Cranes",),
    "rename_folder": (FOLDER, "Store"),
    "list_templates": (),
    "get_template": (TEMPLATE,),
    "create_template": ("Start", FLOW),
    "use_template": (TEMPLATE,),
    "list_users": (),
    "list_roles": (),
    "list_invitations": (),
    "invite": ("Olu", "olu@harbour.example", CLERK),
    "revoke_invitation": ("a2000001-0b1c-4d2e-8f30-000000000001",),
    "delete_template": (TEMPLATE,),
    "delete_folder": (FOLDER,),
    "delete_flow": (FLOW,),
    "delete_user": ("a1000003-0b1c-4d2e-8f30-000000000003",),
}
"""In an order in which each finds what it is about."""

_EXPORT = FlowExport(id=FlowId(FLOW), name="X", steps=())
DECLINED: dict[Feature, dict[str, tuple[Any, ...]]] = {
    Feature.CONNECTIONS: {
        "list_connections": (),
        "get_connection": ("x",),
        "add_connection": ("rss", {}),
        "reconnect": ("x", {}),
        "begin_sign_in": ("rss", {}),
        "finish_sign_in": ("x",),
        "submit_callback": ("x", "y"),
        "cancel_sign_in": ("x",),
        "duplicate_connection": ("x", "y"),
        "test_connection": ("x",),
        "rename_connection": ("x", "y"),
        "set_connection_rate_limit": ("x", None),
        "delete_connection": ("x",),
        "restore_connection": ("x",),
        "secrets_state": (),
        "move_secrets": (SecretsStorage.ITEMS,),
        "change_secrets_key": (),
        "discard_lost_secrets": (),
    },
    Feature.EDIT_FLOWS: {
        "update_flow": (FLOW,),
        "change_flow_settings": (FLOW, FlowSettings()),
        "pause_flow": (FLOW,),
        "resume_flow": (FLOW,),
        "move_flow": (FLOW, None),
        "duplicate_flow": (FLOW,),
        "restore_flow": (FLOW,),
        "import_flow": (_EXPORT,),
        "import_and_publish_flow": (_EXPORT,),
        "import_and_publish_flows": ([_EXPORT],),
        "add_step": (FLOW,),
        "update_step": ("x", StepChange()),
        "move_step": ("x", 1),
        "delete_step": ("x",),
        "restore_step": ("x",),
        "test_step": ("x",),
        "skip_step_test": ("x",),
        "step_samples": (FLOW,),
        "preview_schedule": (FLOW, "x", "y", {}),
        "dynamic_options": ("x", "y", {}),
        "dynamic_fields": ("x", "y", {}),
    },
    Feature.RUN_FLOWS: {"run_flow": (FLOW,), "list_tools": (), "call_tool": (FLOW, {})},
    Feature.STEP_RESULTS: {"execution_steps": (RUN,)},
    Feature.STATISTICS: {"histogram": (ExecutionFilter(), 0, 1, 1)},
    Feature.SEARCH: {"search_executions": ("x", ExecutionFilter())},
    Feature.RUN_CONTROL: {
        "cancel_execution": (RUN,),
        "resume_execution": (RUN,),
        "retry_execution": (RUN,),
        "continue_execution": (RUN,),
        "replay_execution": (RUN,),
        "retry_executions": (ExecutionFilter(),),
        "bulk_retry": ("x",),
        "cancel_bulk_retry": ("x",),
    },
    Feature.ENGINE: {
        "pause_runs": (),
        "resume_runs": (),
        "engine_settings": (),
        "storage_usage": (),
        "clean_up_history": (),
        "change_engine_settings": (EngineSettings(),),
    },
    Feature.PEOPLE: {"create_user": ("X", "x@example.org"), "update_user": ("x",)},
    Feature.ACCESS: {
        "list_api_keys": (),
        "create_api_key": ("x", Scope.READ),
        "revoke_api_key": ("x",),
        "audit_log": (AuditFilter(), PAGE),
    },
    Feature.ADDRESS: {
        "service_settings": (),
        "change_service_settings": (ServiceSettings(),),
        "test_public_address": (),
    },
}
OTHERWISE = {"changes", "close"}
"""Told by tests of their own."""


@pytest.fixture
async def pair():
    async with recorded() as opened:
        yield opened


def _call(backend: RemoteBackend, operation: str, arguments: tuple[Any, ...]) -> Any:
    does: Callable[..., Any] = getattr(backend, operation)
    return does(*arguments)


def test_every_operation_is_tested_here():
    operations = {name for name, _ in inspect.getmembers(Backend, inspect.isfunction) if name[0] != "_"}
    declined = [name for calls in DECLINED.values() for name in calls]

    assert sorted([*WORKS, *declined, *OTHERWISE]) == sorted(operations)


async def test_what_the_interface_offers_works(pair: Pair):
    for operation, arguments in WORKS.items():
        try:
            await _call(pair.backend, operation, arguments)
        except NotSupported as error:
            pytest.fail(f"{operation}: {error.text()}")


@pytest.mark.parametrize("feature", list(DECLINED))
async def test_what_it_does_not_offer_is_declined_with_the_reason_and_without_asking(pair: Pair, feature):
    for operation, arguments in DECLINED[feature].items():
        with pytest.raises(NotSupported) as refused:
            await _call(pair.backend, operation, arguments)
        assert refused.value.feature == feature, operation
        assert refused.value.happened == pair.backend.capabilities.unavailable[feature]
    assert pair.asked == []


async def test_every_feature_that_is_missing_is_said_to_be_in_plain_words(pair: Pair):
    unavailable = pair.backend.capabilities.unavailable

    assert set(unavailable) == set(Feature) - {Feature.TEMPLATES, Feature.CHANGES}
    for reason in unavailable.values():
        assert re.fullmatch(r"This server[^_{}]+\.", reason), reason
    assert unavailable[Feature.CONNECTIONS] == (
        "This server's API doesn't include connections. Use its web interface."
    )


async def test_address_and_status_are_known_without_a_request(pair: Pair):
    info = await pair.backend.info()

    assert (info.kind, info.address) == ("remote", pair.service.base_url)
    assert info.secrets_kept == "With the service."
    assert (await pair.backend.health()).state is EngineState.RUNNING
    assert pair.asked == []
