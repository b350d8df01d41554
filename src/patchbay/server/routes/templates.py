"""Templates: flows to start from."""

import asyncio

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.organise import Template
from patchbay.server.access import Home
from patchbay.server.bodies import NewTemplate
from patchbay.server.docs import answers
from patchbay.server.envelope import Many, One, many, nothing, one
from patchbay.server.params import TemplatePath

router = APIRouter(prefix="/templates", tags=["templates"])


@router.get("", responses=answers(Many[Template]))
async def list_templates(home: Home) -> Response:
    """All templates, oldest first.

    Long parameters are cut: texts to 200 characters where they take more than 16 KB in all.
    """
    return await asyncio.to_thread(many, await home.list_templates())


@router.post("", status_code=201, responses=answers(One[Template], 201, missing=True, checked=True))
async def create_template(home: Home, body: NewTemplate) -> Response:
    """Keep a flow as a template."""
    return one(await home.create_template(body.name, body.flow_id), 201)


@router.get("/{templateId}", responses=answers(One[Template], missing=True))
async def get_template(home: Home, template_id: TemplatePath) -> Response:
    """One template with the flow it holds."""
    return await asyncio.to_thread(one, await home.get_template(template_id))


@router.delete("/{templateId}", status_code=204, responses=answers(None, 204, missing=True))
async def delete_template(home: Home, template_id: TemplatePath) -> Response:
    """Remove a template; flows made from it stay."""
    await home.delete_template(template_id)
    return nothing()
