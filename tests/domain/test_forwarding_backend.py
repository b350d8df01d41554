"""`ForwardingBackend` forwards every operation of the protocol, with all arguments."""

import inspect
from typing import Any

import pytest

from patchbay.domain.backend import OPERATION_RULES, Backend, Capabilities
from patchbay.domain.forwarding_backend import ForwardingBackend

FORWARDED = sorted(set(OPERATION_RULES) - {"changes"})


class Recorder:
    """Records the calls of all operations."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any, **named: Any) -> str:
            bound = inspect.signature(getattr(Backend, name)).bind(self, *args, **named)
            bound.apply_defaults()
            self.calls.append((name, {key: value for key, value in bound.arguments.items() if key != "self"}))
            return f"result of {name}"

        return call


class Forwarder(ForwardingBackend):
    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.rules: list[str] = []

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities()

    async def _target(self, operation: Any) -> Any:
        self.rules.append(operation.__name__)
        return self.recorder

    def changes(self) -> Any:
        raise AssertionError("not forwarded")


@pytest.mark.parametrize("name", FORWARDED)
def test_every_operation_has_a_forwarder_with_the_same_parameters(name):
    forwarder = vars(ForwardingBackend).get(name)

    assert forwarder is not None, f"add {name} to domain/forwarding_backend.py"
    assert _parameters(forwarder) == _parameters(getattr(Backend, name))


@pytest.mark.parametrize("name", FORWARDED)
async def test_a_forwarder_calls_its_own_operation_with_all_arguments(name):
    recorder = Recorder()
    forwarder = Forwarder(recorder)
    parameters = list(inspect.signature(getattr(Backend, name)).parameters.values())[1:]
    given = {parameter.name: f"a value for {parameter.name}" for parameter in parameters}
    positional = [given[item.name] for item in parameters if item.kind is not item.KEYWORD_ONLY]
    named = {item.name: given[item.name] for item in parameters if item.kind is item.KEYWORD_ONLY}

    result = await getattr(forwarder, name)(*positional, **named)

    assert forwarder.rules == [name]
    assert recorder.calls == [(name, given)]
    assert result in (f"result of {name}", None)


def _parameters(operation: Any) -> list[tuple[str, Any, Any]]:
    return [(item.name, item.kind, item.default) for item in inspect.signature(operation).parameters.values()]
