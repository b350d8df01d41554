"""Steps of a draft. Edits answer with the whole flow, since positions and states of others may move."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.backend_flows import StepTest
from patchbay.domain.fields import Argument, Option
from patchbay.domain.flows import Flow
from patchbay.server.access import Home
from patchbay.server.bodies import DynamicData, DynamicFields, StepEdit, StepPosition
from patchbay.server.docs import answers
from patchbay.server.envelope import Many, One, many, one
from patchbay.server.params import StepPath

router = APIRouter(prefix="/steps/{stepId}", tags=["steps"])


@router.patch("", responses=answers(One[Flow], missing=True, checked=True))
async def update_step(home: Home, step_id: StepPath, body: StepEdit) -> Response:
    """Change the given fields; the step becomes incomplete again."""
    return one(await home.update_step(step_id, body))


@router.delete("", responses=answers(One[Flow], missing=True, checked=True))
async def delete_step(home: Home, step_id: StepPath) -> Response:
    """Take a step out with all it holds; later ones move up."""
    return one(await home.delete_step(step_id))


@router.patch("/position", responses=answers(One[Flow], missing=True, checked=True))
async def move_step(home: Home, step_id: StepPath, body: StepPosition) -> Response:
    """Move an action, with all it holds, to another place."""
    return one(await home.move_step(step_id, body.position, inside=body.parent_step_id))


@router.post("/restore", responses=answers(One[Flow], missing=True, checked=True))
async def restore_step(home: Home, step_id: StepPath) -> Response:
    """Put a deleted step, with all it held, back where it was."""
    return one(await home.restore_step(step_id))


@router.post("/test", responses=answers(One[StepTest], missing=True, checked=True, conflict=True))
async def test_step(home: Home, step_id: StepPath) -> Response:
    """Run this one step with the newest data of the steps before it."""
    return one(await home.test_step(step_id))


@router.post("/skip-test", responses=answers(One[Flow], missing=True, checked=True))
async def skip_step_test(home: Home, step_id: StepPath) -> Response:
    """Complete a step without a test."""
    return one(await home.skip_step_test(step_id))


@router.post("/dynamic-data", responses=answers(Many[Option], missing=True, checked=True, conflict=True))
async def dynamic_data(home: Home, step_id: StepPath, body: DynamicData) -> Response:
    """Options of a dropdown, loaded from the app."""
    return many(await home.dynamic_options(step_id, body.dynamic_data_key, body.parameters))


@router.post("/dynamic-fields", responses=answers(Many[Argument], missing=True, checked=True, conflict=True))
async def dynamic_fields(home: Home, step_id: StepPath, body: DynamicFields) -> Response:
    """Further fields for what was chosen, loaded from the app."""
    return many(await home.dynamic_fields(step_id, body.dynamic_fields_key, body.parameters))
