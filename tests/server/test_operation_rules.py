"""What the operations declare, what the server enforces, and what the docs say are the same."""

import ast
import inspect
import re
from functools import cache
from pathlib import Path
from unittest.mock import Mock

import pytest
from fastapi.routing import iter_route_contexts
from tests.support import access_tables

import patchbay
from patchbay.domain.access import AccessGrant, ApiKey, Scope
from patchbay.domain.backend import OPERATION_RULES
from patchbay.domain.errors import Forbidden
from patchbay.server.app import create_app
from patchbay.server.authentication import required_scope
from patchbay.server.authorization import AuthorizedBackend

SOURCE = Path(patchbay.__file__).parent
CREATED_IN = {
    "engine/intake.py new_execution": {
        "Webhook, schedule, poll, or watch",
        "Run a flow now",
        "Call a tool",
        "Called by another flow, also as a tool of an agent",
    },
    "engine/intake.py failed_execution": {"Webhook, schedule, poll, or watch"},
    "engine/manual/run_control.py _start_from_stored": {"Retry or continue, also in bulk"},
    "engine/manual/run_control.py _from_start": {"Replay, on the original or the newest version"},
    "engine/manual/draft_tests.py _finish": {
        "Test a step",
        "Run a flow that was never published",
        "Replay a test",
        "Test call to a webhook",
    },
    "engine/runs/run_effects.py call": {"Called by another flow, also as a tool of an agent"},
    "engine/intake.py _new_run": {"Failure of another flow"},
}
"""Where executions and tests are created, and the rows about them in docs/reference/permissions.md."""

DECIDED_IN = {
    "engine/engine.py require_publishable",
    "engine/engine.py find_rejection",
    "engine/intake.py new_execution",
    "engine/intake.py failed_execution",
    "engine/manual/run_control.py _start_from_stored",
    "engine/manual/run_control.py replay",
    "engine/manual/run_control.py run",
    "engine/manual/draft_tests.py step",
    "engine/manual/draft_tests.py store_delivery",
    "engine/runs/run_effects.py call",
    "engine/intake.py _new_run",
    "engine/runs/runner.py _run",
}
"""Where permits are asked for: at each start and claim, and to say why a flow needs attention."""

ASKED_BY = {
    "service/flows.py run_flow": ("run_flow", {"Run a flow now", "Run a flow that was never published"}),
    "service/tools.py call_tool": ("call_tool", {"Call a tool"}),
    "service/step_tests.py test_step": ("test_step", {"Test a step"}),
    "service/executions.py retry_execution": ("retry_execution", {"Retry or continue, also in bulk"}),
    "service/executions.py continue_execution": ("continue_execution", {"Retry or continue, also in bulk"}),
    "service/executions.py _retry": ("retry_executions", {"Retry or continue, also in bulk"}),
    "service/executions.py replay_execution": (
        "replay_execution",
        {"Replay, on the original or the newest version", "Replay a test"},
    ),
    "service/publishing.py _publish": (
        "publish_flow",
        {"Publish a flow, also a copy, an import, or one from a template"},
    ),
    "service/publishing.py _prepare": (
        "import_and_publish_flows",
        {"Publish a flow, also a copy, an import, or one from a template"},
    ),
}
"""Where the service asks the engine to start or approve something: the operation, and the rows about it."""

PUBLISHES_THE_SAME_WAY = {"import_and_publish_flow"}
"""Operations that ask where another one in `ASKED_BY` does."""

GOES_ON = {
    "resume_flow": {"Resume a flow, an execution, or all runs"},
    "resume_runs": {"Resume a flow, an execution, or all runs"},
    "resume_execution": {"Resume a flow, an execution, or all runs"},
}
"""Operations that let runs go on which were accepted before."""


@cache
def _calls() -> frozenset[tuple[str, str]]:
    """What each function of the program calls, as ("file function", "what.it.calls")."""
    return frozenset(
        (f"{file.relative_to(SOURCE).as_posix()} {node.name}", name)
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and (name := _dotted(call.func))
    )


def _dotted(node: ast.expr) -> str:
    """A name like `self.engine.run_now`; empty for other expressions."""
    if isinstance(node, ast.Attribute):
        return f"{before}.{node.attr}" if (before := _dotted(node.value)) else ""
    return node.id if isinstance(node, ast.Name) else ""


def _functions_calling(pattern: str) -> set[str]:
    """The functions of the program with a call that looks like this, as "file function"."""
    return {function for function, called in _calls() if re.fullmatch(pattern, called)}


def test_every_start_is_known_and_has_a_row_in_the_docs():
    asked = _functions_calling(
        r"self\.(_context\.)?_?engine\.(run_now|call_tool|test_step|retry|continue_after|replay|require_publishable)"
    )
    described = set(access_tables.starts())
    rows = [*CREATED_IN.values(), *(rows for _, rows in ASKED_BY.values()), *GOES_ON.values()]

    assert _functions_calling("NewExecution") == set(CREATED_IN)
    assert asked == set(ASKED_BY)
    assert set().union(*rows) == described
    assert all(len(cells) == 4 for cells in access_tables.starts().values())


def test_every_operation_that_starts_something_declares_it():
    declared = {name for name, rule in OPERATION_RULES.items() if rule.starts_runs}

    assert declared == {name for name, _ in ASKED_BY.values()} | set(GOES_ON) | PUBLISHES_THE_SAME_WAY


def test_permits_are_issued_in_one_place_and_asked_for_at_every_start():
    assert {where.split()[0] for where in _functions_calling("Permit")} == {"engine/run_permits.py"}
    assert (
        _functions_calling(
            r"(self\._permits|self\._components\.permits)\.(permit_for_person|permit_to_run|permit_to_store|require_publishable)"
        )
        == DECIDED_IN
    )


def test_apps_that_start_processes_declare_that_they_run_programs():
    starting = re.compile(
        r"\bsubprocess\b|create_subprocess|os\.(exec|spawn|posix_spawn|popen|system)|\bctx\.(required_)?sandbox"
    )
    apps = {
        file.relative_to(SOURCE / "apps").parts[0]
        for file in (SOURCE / "apps").rglob("*.py")
        if starting.search(file.read_text("utf-8"))
    }

    assert apps == {"code"}
    actions = list((SOURCE / "apps" / "code" / "actions").glob("run_*.py"))
    assert actions
    assert all("runs_programs=True" in file.read_text("utf-8") for file in actions)


def test_apps_that_run_installed_programs_or_use_the_desktop_declare_it():
    for word, declared in (("ctx.programs.run", "program_argument="), ("ctx.desktop", "uses_desktop=True")):
        users = [
            text for file in (SOURCE / "apps").rglob("*.py") if word in (text := file.read_text("utf-8"))
        ]

        assert users
        assert all(declared in text for text in users)


def test_the_docs_list_every_operation_where_it_belongs():
    assert access_tables.written() == access_tables.table(), "write it: python -m tests.support.access_tables"


async def test_every_address_needs_the_scope_of_what_it_does(runtime):
    app = create_app(runtime.backend, runtime.engine, runtime.backend.api_keys, version="1")
    wrong, checked = [], set()
    for route in iter_route_contexts(app.routes):
        if not re.match("/(v1|users|user-invitations)(/|$)", str(route.path)):
            continue
        source = inspect.getsource(route.endpoint)
        called = {name for name in re.findall(r"\bbackend\.(\w+)", source) if name in OPERATION_RULES}
        checked |= called
        needed = max(
            (OPERATION_RULES[name].scope for name in called), key=list(Scope).index, default=Scope.READ
        )
        wrong += [
            (method, str(route.path), needed)
            for method in route.methods or ()
            if not required_scope(route.endpoint, method).allows(needed)
        ]

    assert wrong == []
    assert set(OPERATION_RULES) - checked <= {
        "close",
        "history_copy",
        "start_history_download",
        "stop_history_download",
    }


@pytest.mark.parametrize("scope", [Scope.READ, Scope.OPERATE])
async def test_a_key_without_a_person_is_held_to_its_scope_by_the_operations_themselves(runtime, scope):
    key = ApiKey(id="k", name="Dashboard", hint="", scope=scope, created_at=0)
    backend = AuthorizedBackend(runtime.backend, runtime.backend.api_keys, AccessGrant(key=key, scope=scope))

    beyond = {name for name, rule in OPERATION_RULES.items() if not scope.allows(rule.scope)}

    for name in beyond:
        parameters = inspect.signature(getattr(backend, name)).parameters.values()
        arguments = [Mock() for item in parameters if item.default is item.empty]
        with pytest.raises(Forbidden, match="doesn't allow this"):
            await getattr(backend, name)(*arguments)
    assert "pause_runs" in beyond
    assert (await backend.info()).kind
