"""Steps of a draft. Edits return the whole flow, because other steps may change as well."""

from starlette.responses import Response

from patchbay.domain.backend import StepTest
from patchbay.domain.fields import Argument, Option
from patchbay.domain.flows import Flow
from patchbay.server.authentication import RequestBackend
from patchbay.server.request_models import DynamicData, DynamicFields, StepEdit, StepPosition
from patchbay.server.request_parameters import StepPath
from patchbay.server.responses import Many, One, describe_responses, many, one
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/steps/{stepId}", tags=["steps"])


@router.patch("", responses=describe_responses(One[Flow], not_found=True, invalid=True))
async def update_step(backend: RequestBackend, step_id: StepPath, body: StepEdit) -> Response:
    """Change the given fields of a step; it becomes incomplete until tested."""
    return one(await backend.update_step(step_id, body))


@router.delete("", responses=describe_responses(One[Flow], not_found=True, invalid=True))
async def delete_step(backend: RequestBackend, step_id: StepPath) -> Response:
    """Delete a step with the steps inside it."""
    return one(await backend.delete_step(step_id))


@router.patch("/position", responses=describe_responses(One[Flow], not_found=True, invalid=True))
async def move_step(backend: RequestBackend, step_id: StepPath, body: StepPosition) -> Response:
    """Move an action with the steps inside it."""
    return one(await backend.move_step(step_id, body.position, inside=body.parent_step_id))


@router.post("/restore", responses=describe_responses(One[Flow], not_found=True, invalid=True))
async def restore_step(backend: RequestBackend, step_id: StepPath) -> Response:
    """Restore a deleted step with the steps inside it."""
    return one(await backend.restore_step(step_id))


@router.post(
    "/test", responses=describe_responses(One[StepTest], not_found=True, invalid=True, conflict=True)
)
async def test_step(backend: RequestBackend, step_id: StepPath) -> Response:
    """Test a step with the newest data of the steps before it."""
    return one(await backend.test_step(step_id))


@router.post("/skip-test", responses=describe_responses(One[Flow], not_found=True, invalid=True))
async def skip_step_test(backend: RequestBackend, step_id: StepPath) -> Response:
    """Mark a step as complete without a test."""
    return one(await backend.skip_step_test(step_id))


@router.post(
    "/dynamic-data", responses=describe_responses(Many[Option], not_found=True, invalid=True, conflict=True)
)
async def dynamic_data(backend: RequestBackend, step_id: StepPath, body: DynamicData) -> Response:
    """Load the options of a dropdown from the app."""
    return many(await backend.dynamic_options(step_id, body.dynamic_data_key, body.parameters))


@router.post(
    "/dynamic-fields",
    responses=describe_responses(Many[Argument], not_found=True, invalid=True, conflict=True),
)
async def dynamic_fields(backend: RequestBackend, step_id: StepPath, body: DynamicFields) -> Response:
    """Load the additional fields for a selected value from the app."""
    return many(await backend.dynamic_fields(step_id, body.dynamic_fields_key, body.parameters))
