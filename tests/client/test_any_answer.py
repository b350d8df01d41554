"""Whatever JSON a service sends: rows with an id are shown, and nothing ever crashes."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.forms import long_form

from patchbay.client.compat import normalize_execution
from patchbay.client.errors import error_from_response
from patchbay.client.responses import read, unwrap_response
from patchbay.client.retries import RawResponse
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import Model
from patchbay.domain.errors import AppError, ServerFault
from patchbay.domain.executions import Execution
from patchbay.domain.flows import Flow
from patchbay.domain.folders import Folder, Template
from patchbay.domain.people import Invitation, User

CASES = 30
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def _some(*names: str, **others: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A row with some of these fields, with anything at all in them."""
    return st.fixed_dictionaries({}, optional={**dict.fromkeys(names, ANYTHING), **others})


STEP = _some("id", "type", "status", "position", "appKey", "parameters", "policy")
FLOW = _some("id", "name", "active", steps=st.lists(STEP, max_size=3))
RUN = _some("status", "testRun", "createdAt", "updatedAt", "flowId", flow=ANYTHING | FLOW)


def _row(model: type[Model], key: str) -> st.SearchStrategy[dict[str, Any]]:
    """A row with a good id and anything at all in its other fields, or nothing."""
    names = [field.alias or name for name, field in model.model_fields.items()]
    others = {name: ANYTHING for name in names if name != key}
    others |= {name: ANYTHING | st.lists(STEP | ANYTHING, max_size=3) for name in others if name == "steps"}
    return st.fixed_dictionaries({key: st.just("an-id")}, optional=others)


@pytest.mark.parametrize(
    ("model", "key"),
    [
        (Flow, "id"),
        (AppInfo, "key"),
        (User, "id"),
        pytest.param(Folder, "id", marks=long_form),
        pytest.param(Template, "id", marks=long_form),
        pytest.param(Invitation, "id", marks=long_form),
    ],
)
def test_a_row_with_an_id_is_shown_whatever_else_it_says(model: type[Model], key: str):
    @settings(PATIENT, max_examples=CASES)
    @given(_row(model, key))
    def holds(row: dict[str, Any]) -> None:
        found = read(model, row)
        assert found is not None
        assert getattr(found, key) == "an-id"

    holds()


@settings(PATIENT, max_examples=CASES * 2)
@given(RUN)
def test_an_execution_with_an_id_is_shown_whatever_else_it_says(row: dict[str, Any]):
    found = read(Execution, normalize_execution({**row, "id": "an-id"}))

    assert found is not None
    assert found.id == "an-id"


@settings(PATIENT, max_examples=CASES * 2)
@given(ANYTHING, st.sampled_from([200, 200, 201, 400, 404, 422, 429, 500, 503]), st.booleans())
def test_any_response_is_rows_or_a_clear_error(data: Any, status: int, wrapped: bool):
    body = {"data": data, "errors": data, "meta": data if wrapped else {"type": "X", "count": 1}}
    reply = RawResponse(status, content=json.dumps(body).encode())
    try:
        answer = unwrap_response(reply, "http://flows.example.org")
        rows = answer.many(Flow)
        assert (answer.count >= 0, len(rows) <= len(answer.rows())) == (True, True)
    except AppError as error:
        assert error.text()  # noqa: PT017


@settings(PATIENT, max_examples=CASES)
@given(st.binary(max_size=40), st.integers(300, 599))
def test_any_refusal_is_reported(body: bytes, status: int):
    assert error_from_response(status, {}, body, "http://flows.example.org").text()


def test_a_list_without_any_valid_row_is_reported():
    reply = RawResponse(200, content=b'{"data": [1, "x", null, {"name": "no id"}]}')

    with pytest.raises(ServerFault):
        unwrap_response(reply, "http://flows.example.org").many(Flow)
